// Losing a server, finding it again, going to another one, and knowing when to stop trying.
#include <set>

#include "harness.hpp"

namespace croupier::testing {
namespace {

using grpc::Status;
using grpc::StatusCode;

const Status kLost(StatusCode::UNAVAILABLE, "going down");

struct ReconnectTest : ::testing::Test {
  FakeServer server, second;
  Recorder first;
};

TEST_F(ReconnectTest, ALostConnectionIsOpenedAgain) {
  Played played(first, server.target);
  auto stream = server.accept();
  stream->say({ping(1)});
  stream->hear();
  stream->end(kLost);
  server.accept();
  EXPECT_EQ(played.pauses.all(), Heard{"0.10"});
  EXPECT_EQ(played.log.count("warning: lost " + server.target + " (going down); trying again in 0.1 s"), 1);
  EXPECT_EQ(played.log.count("info: connected as bot to " + server.target + " (fake 1)"), 2);
}

TEST_F(ReconnectTest, PausesGrowToTenSecondsAndStartAnewAfterSuccess) {
  for (int number = 0; number < 9; ++number) server.refuse(kLost);
  Played played(first, server.target);
  auto stream = server.accept();
  const Heard grown = {"0.10", "0.20", "0.40", "0.80", "1.60", "3.20", "6.40", "10.0", "10.0"};
  EXPECT_EQ(played.pauses.all(), grown);
  stream->end(kLost);  // after no more than the greeting, which proves nothing
  stream = server.accept();
  EXPECT_EQ(played.pauses.all().back(), "10.0");
  stream->say({ping(1)});
  stream->hear();
  stream->end(kLost);
  server.accept();
  EXPECT_EQ(played.pauses.all().back(), "0.10");
}

TEST_F(ReconnectTest, AServerThatIsNotThereIsWaitedFor) {
  server.stop();
  Played played(first, server.target);
  EXPECT_EQ(played.log.wait_for("cannot reach"),
            "warning: cannot reach " + server.target + " (connection refused); trying again in 0.1 s");
}

TEST_F(ReconnectTest, TheBotKeepsItsSessionsAndSaysWhichEventsItHas) {
  Played played(first, server.target);
  auto stream = server.accept();
  stream->say({start("a"), events("a", {1, 2, 3}), start("b"), start_in("b", 0)});
  stream->hear();
  stream->end(kLost);
  stream = server.accept();
  std::set<std::string> known;
  for (const auto& resume : stream->hello.resume()) known.insert(resume.ShortDebugString());
  const std::set<std::string> wanted = {"session_id: \"a\" last_seq: 3 seat: 2", "session_id: \"b\" seat: 2",
                                        "session_id: \"b\""};
  EXPECT_EQ(known, wanted);
  stream->say({resumed("a", 4), events("a", {3, 4}), ask_at("a", 1, 4)});
  EXPECT_EQ(stream->hear(), frame({act("a", 1, 0)}));
  EXPECT_EQ(first.told.all(), (Heard{"start a", "events a 1 2 3", "start b", "start b", "events a 4", "decision a 1"}));
}

TEST_F(ReconnectTest, AnAnswerThatWasLostWithItsStreamIsSentAgainWithoutChoosingAgain) {
  Played played(first, server.target);
  auto stream = server.accept();
  stream->say({start("a"), ask("a", 7)});
  EXPECT_EQ(stream->hear(), frame({act("a", 7, 0)}));
  stream->end(kLost);  // the server never read it
  stream = server.accept();
  stream->say({resumed("a", 0), ask("a", 7)});
  EXPECT_EQ(stream->hear(), frame({act("a", 7, 0)}));
  EXPECT_EQ(first.told.all(), (Heard{"start a", "decision a 7"}));
}

TEST_F(ReconnectTest, AChoiceInProgressSurvivesTheLossOfItsStream) {
  Gate gate;
  Recorder bot([&](const Decision&) {
    return Choice::later([&gate](const std::stop_token& unwanted) {
      gate.pass(unwanted);
      return Choice(2);
    });
  });
  Played played(bot, server.target);
  auto stream = server.accept();
  stream->say({start("a"), ask("a", 7)});
  EXPECT_EQ(stream->hear(), frame({ack()}));
  stream->end(kLost);
  stream = server.accept();
  stream->say({resumed("a", 0), ask("a", 7)});
  EXPECT_EQ(stream->hear(), frame({ack()}));
  gate.open();
  EXPECT_EQ(stream->hear(), frame({act("a", 7, 2)}));
  EXPECT_EQ(bot.told.all(), (Heard{"start a", "decision a 7"}));
}

TEST_F(ReconnectTest, EventsThatACrashedServerHasLostAreForgotten) {
  Played played(first, server.target);
  auto stream = server.accept();
  stream->say({start("a"), events("a", {1, 2, 3}), ask_at("a", 2, 3)});
  stream->hear();
  stream->end(kLost);
  stream = server.accept();
  stream->say({resumed("a", 1), events("a", {2}), ask_at("a", 2, 2)});
  EXPECT_EQ(stream->hear(), frame({act("a", 2, 0)}));
  // The second decision is another one, though it has the same number.
  EXPECT_EQ(first.told.all(),
            (Heard{"start a", "events a 1 2 3", "decision a 2", "rewind a 1", "events a 2", "decision a 2"}));
}

TEST_F(ReconnectTest, ASessionThatEndedWhileTheBotWasAwayEndsWhenItIsBack) {
  Played played(first, server.target, {.sessions = 1});
  auto stream = server.accept();
  stream->say({start("a")});
  stream->hear();
  stream->end(kLost);
  stream = server.accept();
  EXPECT_EQ(stream->hello.resume_size(), 1);
  stream->say({over("a")});
  played.ended();
  EXPECT_EQ(first.told.all(), (Heard{"start a", "end a 2"}));
}

TEST_F(ReconnectTest, ADrainingServerIsPlayedToTheEndAndThenLookedForAgain) {
  Played played(first, server.target);
  auto stream = server.accept();
  stream->say({start("a"), drain("upgrade"), ask("a", 1)});
  EXPECT_EQ(stream->hear(), frame({act("a", 1, 0)}));
  EXPECT_EQ(played.log.count("info: the server is about to stop (upgrade); it lets games end for 5 s"), 1);
  stream->say({over("a")});
  stream->hear();
  stream->end();
  server.accept();
  EXPECT_EQ(played.log.count("lost " + server.target + " (the server closed the stream)"), 1);
}

TEST_F(ReconnectTest, ABotThatIsReplacedByANewerConnectionStops) {
  Played played(first, server.target);
  server.accept()->end({StatusCode::ABORTED, "a newer connection of this bot took over"});
  try {
    played.ended();
    FAIL() << "it was replaced";
  } catch (const Replaced& error) {
    EXPECT_STREQ(error.what(), "ABORTED: a newer connection of this bot took over");
  }
}

TEST_F(ReconnectTest, ABotThatTheServerDoesNotWantStops) {
  const std::vector<std::pair<StatusCode, std::string>> codes = {
      {StatusCode::UNAUTHENTICATED,
       "UNAUTHENTICATED: not you (give the bot's token: Settings::token, or CROUPIER_TOKEN in the environment)"},
      {StatusCode::PERMISSION_DENIED, "PERMISSION_DENIED: not you"},
      {StatusCode::INVALID_ARGUMENT, "INVALID_ARGUMENT: not you"},
      {StatusCode::NOT_FOUND, "NOT_FOUND: not you"},
      {StatusCode::FAILED_PRECONDITION, "FAILED_PRECONDITION: not you"},
      {StatusCode::UNIMPLEMENTED, "UNIMPLEMENTED: not you (is this a Croupier server?)"}};
  for (const auto& [code, says] : codes) {
    server.refuse({code, "not you"});
    Played played(first, server.target);
    try {
      played.ended();
      FAIL() << "it was refused";
    } catch (const Refused& error) {
      EXPECT_EQ(error.what(), says);
      EXPECT_EQ(error.message, "not you");
    }
  }
}

// A serialised message with strings under these field numbers.
std::string packed(const std::vector<std::pair<int, std::string>>& fields) {
  google::protobuf::UnknownFieldSet message;
  for (const auto& [number, text] : fields) message.AddLengthDelimited(number, text);
  std::string bytes;
  EXPECT_TRUE(message.SerializeToString(&bytes));
  return bytes;
}

TEST_F(ReconnectTest, ARefusalNamesTheBadFields) {
  const std::string prefix = "type.googleapis.com/google.rpc.";
  const auto violation = packed({{1, "hello.bot"}, {2, "is empty"}});
  const auto details = packed({{3, packed({{1, prefix + "ErrorInfo"}, {2, packed({{1, "BAD_NAME"}})}})},
                               {3, packed({{1, prefix + "BadRequest"}, {2, packed({{1, violation}})}})}});
  server.refuse({StatusCode::INVALID_ARGUMENT, "a bad Hello", details});
  Played played(first, server.target);
  try {
    played.ended();
    FAIL() << "it was refused";
  } catch (const Refused& error) {
    EXPECT_STREQ(error.what(), "INVALID_ARGUMENT: a bad Hello (hello.bot: is empty)");
    EXPECT_EQ(error.reason, "BAD_NAME");
  }
}

TEST_F(ReconnectTest, OtherFailuresMayPass) {
  server.refuse({StatusCode::CANCELLED, "oops"});
  server.refuse({StatusCode::RESOURCE_EXHAUSTED, "oops"});
  server.refuse({StatusCode::UNKNOWN, "oops"});
  Played played(first, server.target);
  server.accept();
  EXPECT_EQ(played.pauses.all(), (Heard{"0.10", "0.20", "0.40"}));
  EXPECT_EQ(played.log.count("cannot reach " + server.target + " (CANCELLED: oops)"), 1);
}

// Another server.

TEST_F(ReconnectTest, TheBotGoesWhereItsSessionIsHostedAndShowsTheSeatToken) {
  Played played(first, server.target, {.token = "mine"});
  const auto home = server.accept();
  home->say({hosted("a", second.target, "seat")});
  EXPECT_EQ(home->hear(), frame({ack()}));
  const auto away = second.accept();
  EXPECT_EQ(first.told.all(), Heard{});  // not yet: nobody has dealt
  EXPECT_EQ(away->hello.bot(), "bot");
  EXPECT_EQ(away->token, "Bearer seat");
  away->say({start("a"), ask("a", 1)});
  EXPECT_EQ(away->hear(), frame({act("a", 1, 0)}));
  home->say({start("b"), ask("b", 1)});
  EXPECT_EQ(home->hear(), frame({act("b", 1, 0)}));
}

TEST_F(ReconnectTest, SessionsOnTheSameServerShareAConnectionWhichEndsWithTheLastOfThem) {
  Played played(first, server.target, {.sessions = 3});
  const auto home = server.accept();
  home->say({hosted("a", second.target), hosted("b", second.target)});
  home->hear();
  auto away = second.accept();
  away->say({start("a"), start("b"), over("a")});
  EXPECT_EQ(away->hear(), frame({ack()}));
  away->say({over("b")});
  away->gone();
  home->say({hosted("c", second.target)});
  away = second.accept();
  away->say({start("c"), over("c")});
  played.ended();
  EXPECT_EQ(first.told.count("end"), 3);
}

TEST_F(ReconnectTest, ALostConnectionToAnotherServerIsOpenedAgain) {
  Played played(first, server.target);
  server.accept()->say({hosted("a", second.target)});
  auto away = second.accept();
  away->say({start("a"), ask("a", 1)});
  away->hear();
  away->end(kLost);
  away = second.accept();
  EXPECT_EQ(away->hello.resume_size(), 1);
  EXPECT_EQ(played.pauses.all(), Heard{"0.10"});
}

TEST_F(ReconnectTest, AnotherServerThatRefusesTheBotDoesNotStopIt) {
  Played played(first, server.target);
  const auto home = server.accept();
  second.refuse({StatusCode::UNAUTHENTICATED, "too late"});
  home->say({hosted("a", second.target, "old")});
  home->hear();
  EXPECT_NE(played.log.wait_for("does not let the bot play there").find("UNAUTHENTICATED: too late"),
            std::string::npos);
  home->say({hosted("a", second.target, "new")});
  EXPECT_EQ(second.accept()->token, "Bearer new");
}

}  // namespace
}  // namespace croupier::testing
