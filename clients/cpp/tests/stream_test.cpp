// What goes over one stream, frame by frame.
#include "harness.hpp"
#include "outbox.hpp"

namespace croupier::testing {
namespace {

using namespace std::chrono_literals;

struct StreamTest : ::testing::Test {
  FakeServer server;
  Recorder first;
};

std::vector<std::string> names(int count) {
  std::vector<std::string> names;
  for (int number = 0; number < count; ++number) names.push_back("s" + std::to_string(number));
  return names;
}

// Starts and first questions of these sessions, and the answers to them.
Told questions(const std::vector<std::string>& names) {
  Told told;
  for (const auto& name : names) told.push_back(start(name));
  for (const auto& name : names) told.push_back(ask(name, 1));
  return told;
}

Said answers(const std::vector<std::string>& names) {
  Said said;
  for (const auto& name : names) said.push_back(act(name, 1, 0));
  return said;
}

TEST_F(StreamTest, HelloSaysWhoIsThereAndWhatItCanDo) {
  Played played(first, server.target, {.name = "a-bot", .token = "secret\n"});
  const auto stream = server.meet();
  v1::Hello hello;
  hello.set_protocol(1);
  hello.set_bot("a-bot");
  hello.set_sdk(std::string("croupier-cpp ") + CROUPIER_VERSION);
  hello.set_language("cpp");
  hello.add_games("trick-and-trade");
  hello.set_max_sessions(7);
  hello.set_events(true);
  EXPECT_EQ(stream->hello.ShortDebugString(), hello.ShortDebugString());
  EXPECT_EQ(stream->token, "Bearer secret");
}

TEST_F(StreamTest, AllAnswersToOneFrameGoOutInOneFrame) {
  Played played(first, server.target);
  const auto stream = server.accept();
  auto told = questions(names(64));
  told.push_back(ping(9));
  stream->say(told);
  auto said = answers(names(64));
  said.push_back(pong(9));
  EXPECT_EQ(stream->hear(), frame(said));
}

TEST_F(StreamTest, AFrameIsAcknowledgedOnlyIfNothingAnswersIt) {
  Played played(first, server.target);
  const auto stream = server.accept();
  stream->say({start("a")});
  EXPECT_EQ(stream->hear(), frame({ack()}));
  stream->say({ask("a", 1)});
  EXPECT_EQ(stream->hear(), frame({act("a", 1, 0)}));
  stream->say({ping(1)});
  EXPECT_EQ(stream->hear(), frame({pong(1)}));
}

TEST_F(StreamTest, APingIsAnsweredWhileTheBotThinks) {
  Gate gate;
  Recorder bot([&](const Decision&) {
    return Choice::later([&gate](const std::stop_token& unwanted) {
      gate.pass(unwanted);
      return Choice(1);
    });
  });
  Played played(bot, server.target);
  const auto stream = server.accept();
  stream->say({start("a"), ask("a", 1)});
  EXPECT_EQ(stream->hear(), frame({ack()}));
  stream->say({ping(42)});
  EXPECT_EQ(stream->hear(), frame({pong(42)}));
  gate.open();
  EXPECT_EQ(stream->hear(), frame({act("a", 1, 1)}));
}

TEST_F(StreamTest, MessagesAndFieldsThatTheSdkDoesNotKnowAreSkipped) {
  Played played(first, server.target);
  const auto stream = server.accept();
  auto with_news = ask("a", 1);
  with_news.GetReflection()->MutableUnknownFields(&with_news)->AddVarint(100, 7);
  stream->say({newer(), start("a"), newer(), with_news});
  EXPECT_EQ(stream->hear(), frame({act("a", 1, 0)}));
  stream->say({newer()});
  EXPECT_EQ(stream->hear(), frame({ack()}));
}

TEST_F(StreamTest, ASlowBotSendsEachAnswerWhenItHasIt) {
  Played played(first, server.target, {.patience = -1ms});  // no choice is quick enough
  const auto stream = server.accept();
  stream->say({start("a"), start("b"), ask("a", 1), ask("b", 1)});
  EXPECT_EQ(stream->hear(), frame({act("a", 1, 0)}));
  EXPECT_EQ(stream->hear(), frame({act("b", 1, 0)}));
}

TEST_F(StreamTest, MoreAnswersThanAServerReadsAtOnceAreSpreadOverFrames) {
  Played played(first, server.target);
  const auto stream = server.accept();
  auto all = names(detail::kFrameMessages + 1);
  stream->say(questions(all));
  const std::string last = all.back();
  all.pop_back();
  EXPECT_EQ(stream->hear(), frame(answers(all)));
  EXPECT_EQ(stream->hear(), frame({act(last, 1, 0)}));
}

TEST_F(StreamTest, TheWelcomeCanMakeFramesSmaller) {
  Played played(first, server.target);
  const auto stream = server.meet();
  stream->say({welcome(1024), start("a"), start("b"), start("c")});
  EXPECT_EQ(stream->hear(), frame({ack()}));
  stream->say({ask("a", 1), ask("b", 1), ask("c", 1)});
  EXPECT_EQ(stream->hear(), frame({act("a", 1, 0), act("b", 1, 0)}));
  EXPECT_EQ(stream->hear(), frame({act("c", 1, 0)}));
}

TEST_F(StreamTest, ABotThatIsNoLongerPlayedEndsItsStream) {
  Played played(first, server.target);
  const auto stream = server.accept();
  played.stop();
  played.ended();
  stream->gone();
}

TEST_F(StreamTest, PlayingEndsWhenSoManySessionsAreOver) {
  Played played(first, server.target, {.sessions = 2});
  const auto stream = server.accept();
  stream->say({start("a"), start("b"), start("c"), over("a"), over("b")});
  played.ended();
  stream->gone();
  EXPECT_EQ(first.told.all(), (Heard{"start a", "start b", "start c", "end a 2", "end b 2"}));
}

TEST_F(StreamTest, AGameWithTwoSeatsOfOneBotCountsOnce) {
  std::vector<std::uint32_t> seats;
  Recorder bot([&](const Decision& decision) {
    seats.push_back(decision.session.seat);
    return 0;
  });
  Played played(bot, server.target, {.sessions = 1});
  const auto stream = server.accept();
  stream->say({start_in("a", 0), start("a"), ask("a", 1, [](auto& ask) { ask.set_seat(0); }), ask("a", 2)});
  EXPECT_EQ(stream->hear(), frame({act("a", 1, 0), act("a", 2, 0)}));
  stream->say({over("a", 0), over("a", 2)});
  played.ended();
  EXPECT_EQ(seats, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(bot.told.count("end a"), 2);
}

}  // namespace
}  // namespace croupier::testing
