// What a bot is asked, what it may answer, and what becomes of wrong answers.
#include "harness.hpp"

namespace croupier::testing {
namespace {

using namespace std::chrono_literals;

struct DecisionsTest : ::testing::Test {
  FakeServer server;
};

TEST_F(DecisionsTest, AnActionMayBeChosenByIndexOrItselfOrBeMadeByTheBot) {
  Recorder bot([](const Decision& decision) -> Choice {
    if (decision.id() == 1) return 2;
    if (decision.id() == 2) return decision.actions<TrickAndTrade>()[1];
    if (decision.id() == 3) return decision.actions()[0];
    return play_card(40);
  });
  Played played(bot, server.target);
  const auto stream = server.accept();
  stream->say({start("a"), ask("a", 1), ask("a", 2), ask("a", 3), ask("a", 4)});
  const Said answers = {act("a", 1, 2), act_card("a", 2, 2), act_card("a", 3, 1), act_card("a", 4, 40)};
  EXPECT_EQ(stream->hear(), frame(answers));
}

TEST_F(DecisionsTest, TheDecisionShowsViewActionsAndTime) {
  Recorder bot([](const Decision& decision) {
    EXPECT_EQ(decision.id(), 7U);
    EXPECT_EQ(decision.attempt(), 1U);
    EXPECT_EQ(decision.seq(), 31U);
    EXPECT_EQ(decision.session.seq, 31U);
    EXPECT_FALSE(decision.standing());
    EXPECT_EQ(decision.think_time(), std::optional(1500ms));
    EXPECT_EQ(decision.bank(), 250ms);
    EXPECT_EQ(decision.last_charged(), 20ms);
    EXPECT_EQ(decision.view<TrickAndTrade>().hand_size(), 3);
    EXPECT_EQ(decision.actions<TrickAndTrade>()[2].play(), tnt::Card::CARD_NEV_3);
    EXPECT_THROW(std::ignore = decision.view<Trades>(), WrongGame);
    EXPECT_LE(decision.received, Decision::Clock::now());
    return 0;
  });
  Played played(bot, server.target);
  const auto stream = server.accept();
  stream->say({start("a"), ask("a", 7, [](auto& ask) {
                 ask.set_seq(31);
                 ask.set_think_time_ms(1500);
                 ask.set_bank_ms(250);
                 ask.set_last_charged_ms(20);
               })});
  EXPECT_EQ(stream->hear(), frame({act("a", 7, 0)}));
}

TEST_F(DecisionsTest, TheSessionIsTheSameFromStartToEnd) {
  struct Counter : Bot {
    void on_start(Session& session) override { session.data = 0; }
    Choice choose(const Decision& decision) override {
      ++std::any_cast<int&>(decision.session.data);
      return 0;
    }
    void on_end(Session& session, const End& end) override {
      seen = {std::any_cast<int>(session.data), end.points().value_or(0), int(end.placing().value_or(0)),
              int(TrickAndTrade::view(end.message.view()).table().round())};
    }
    std::vector<int> seen;
  } bot;
  Played played(bot, server.target, {.sessions = 1});
  const auto stream = server.accept();
  stream->say({start("a"), ask("a", 1), ask("a", 2), over("a")});
  played.ended();
  EXPECT_EQ(bot.seen, (std::vector{2, 30, 2, 10}));
}

TEST(End, OfAnAbortedSessionHasNoResult) {
  v1::SessionEnd message;
  message.set_seat(2);
  EXPECT_EQ(End(message).points(), std::nullopt);
  EXPECT_EQ(End(message).placing(), std::nullopt);
}

TEST_F(DecisionsTest, EventsComeToBotsThatWantThem) {
  Recorder bot;
  Played played(bot, server.target);
  const auto stream = server.accept();
  stream->say({start("a"), events("a", {1, 2}), events("a", {3})});
  stream->hear();
  EXPECT_EQ(bot.told.all(), (Heard{"start a", "events a 1 2", "events a 3"}));
}

TEST_F(DecisionsTest, AfterAnIllegalActTheBotIsAskedAgain) {
  Recorder bot([](const Decision& decision) { return decision.attempt(); });
  Played played(bot, server.target);
  const auto stream = server.accept();
  stream->say({start("a"), ask("a", 1)});
  EXPECT_EQ(stream->hear(), frame({act("a", 1, 1)}));
  const auto illegal = result("a", 1, v1::ACT_OUTCOME_ILLEGAL, [](auto& result) {
    result.set_rule("play.in-hand");
    result.set_message("Nev 2 is not yours");
    result.set_attempts_left(2);
    result.set_faults(1);
    result.set_max_faults(9);
  });
  stream->say({illegal, ask("a", 1, [](auto& ask) { ask.set_attempt(2); })});
  EXPECT_EQ(stream->hear(), frame({act("a", 1, 2)}));
  EXPECT_EQ(bot.told.all(), (Heard{"start a", "decision a 1", "result a 1", "decision a 1"}));
  EXPECT_EQ(
      played.log.count("warning: session a, decision 1: illegal (play.in-hand): Nev 2 is not yours; attempts left: "
                       "2; faults: 1 of 9"),
      1);
}

TEST_F(DecisionsTest, HarmlessResultsReachTheBotButNotTheLog) {
  Recorder bot;
  Played played(bot, server.target);
  const auto stream = server.accept();
  stream->say({start("a"), result("a", 1, v1::ACT_OUTCOME_STALE), result("a", 1, v1::ACT_OUTCOME_DUPLICATE),
               result("a", 1, v1::ACT_OUTCOME_UNKNOWN_SESSION)});
  EXPECT_EQ(stream->hear(), frame({ack()}));
  EXPECT_EQ(bot.told.all(), (Heard{"start a", "result a 3", "result a 4", "result a 6"}));
  EXPECT_EQ(played.log.count("session a"), 0);
  stream->say({result("a", 4, v1::ACT_OUTCOME_LATE)});
  stream->hear();
  EXPECT_EQ(played.log.count("warning: session a, decision 4: late"), 1);
}

TEST_F(DecisionsTest, WhatIsUnknownHereOrNewerThanTheSdkDoesNoHarm) {
  Recorder bot;
  Played played(bot, server.target);
  const auto stream = server.accept();
  const auto newer_outcome = result("b", 1, static_cast<v1::ActOutcome>(99));
  const auto malformed =
      result("", 0, v1::ACT_OUTCOME_MALFORMED, [](auto& result) { result.set_message("unreadable"); });
  stream->say({newer_outcome, malformed, over("c"), ask("x", 1)});
  EXPECT_EQ(stream->hear(), frame({ack()}));
  EXPECT_EQ(played.log.count("warning: malformed: unreadable"), 1);
  EXPECT_EQ(played.log.count("asked to decide in session x, of which the server has not told"), 1);
  EXPECT_EQ(bot.told.all(), Heard{});
}

TEST_F(DecisionsTest, WhatCannotBeAnAnswerIsAnErrorOfTheBot) {
  Recorder bot([](const Decision& decision) -> Choice {
    if (decision.id() == 1) return Choice::wait();
    if (decision.id() == 2) return 3;
    if (decision.id() == 3) return -1;
    return games::trades::v1::Action();
  });
  Played played(bot, server.target);
  const auto stream = server.accept();
  stream->say({start("a"), ask("a", 1), ask("a", 2), ask("a", 3), ask("a", 4)});
  EXPECT_EQ(stream->hear(), frame({ack()}));
  EXPECT_EQ(played.log.count("choose chose to wait, which only a standing decision allows"), 1);
  EXPECT_EQ(played.log.count("choose returned 3, but the 3 actions count from 0"), 1);
  EXPECT_EQ(played.log.count("choose returned -1, but the 3 actions count from 0"), 1);
  EXPECT_EQ(played.log.count("choose returned an action of another game"), 1);
}

TEST_F(DecisionsTest, AnExceptionInChooseIsLoggedAndLeavesTheOtherSessionsAlone) {
  Recorder bot([](const Decision& decision) -> Choice {
    if (decision.session.id == "b") throw std::runtime_error("my bug");
    if (decision.session.id == "c") throw 7;
    if (decision.session.id == "d")
      return Choice::later([](auto) -> Choice { throw std::runtime_error("my late bug"); });
    return 0;
  });
  Played played(bot, server.target);
  const auto stream = server.accept();
  stream->say({start("a"), start("b"), start("c"), start("d"), start("e"), ask("a", 5), ask("b", 5), ask("c", 5),
               ask("d", 5), ask("e", 5)});
  EXPECT_EQ(stream->hear(), frame({act("a", 5, 0), act("e", 5, 0)}));
  const std::string clock = ", decision 5: no answer is sent, the clock decides: ";
  const auto said = [&](const std::string& session, const std::string& what) {
    const auto line = "error: choose failed in session " + session + " (trick-and-trade, seat 2)" + clock + what;
    return played.log.wait_for("session " + session) == line;
  };
  EXPECT_TRUE(said("b", "my bug"));
  EXPECT_TRUE(said("c", "something was thrown that is no std::exception"));
  EXPECT_TRUE(said("d", "my late bug"));
}

TEST_F(DecisionsTest, AnExceptionInAHookIsLoggedAndTheGameGoesOn) {
  struct Clumsy : Bot {
    Choice choose(const Decision&) override { return 0; }
    void on_start(Session&) override { throw std::runtime_error("my bug"); }
  } bot;
  Played played(bot, server.target);
  const auto stream = server.accept();
  stream->say({start("a"), ask("a", 1)});
  EXPECT_EQ(stream->hear(), frame({act("a", 1, 0)}));
  EXPECT_EQ(played.log.count("error: on_start failed in session a (trick-and-trade): my bug"), 1);
}

TEST_F(DecisionsTest, PlayingCanStopAtTheFirstError) {
  Recorder bot([](const Decision&) -> Choice { throw std::domain_error("my bug"); });
  Played played(bot, server.target, {.on_error = OnError::raise});
  const auto stream = server.accept();
  stream->say({start("a"), ask("a", 1)});
  EXPECT_THROW(played.ended(), std::domain_error);
  stream->gone();
}

TEST_F(DecisionsTest, AThoughtIsAskedToStopWhenItsAnswerIsNoLongerWanted) {
  const std::vector<v1::ServerMessage> reasons = {result("a", 1, v1::ACT_OUTCOME_LATE), ask("a", 2), over("a"),
                                                  hosted("a", "localhost:1"), resumed("a", 0)};
  for (const auto& reason : reasons) {
    Lines lines;
    Gate never;
    Recorder bot([&](const Decision& decision) {
      if (decision.id() == 2) return Choice(0);
      return Choice::later([&](const std::stop_token& unwanted) {
        never.pass(unwanted);
        lines.add("stopped");
        return Choice(1);
      });
    });
    FakeServer server;
    Played played(bot, server.target);
    const auto stream = server.accept();
    stream->say({start("a"), ask_at("a", 1, 5)});
    EXPECT_EQ(stream->hear(), frame({ack()}));
    stream->say({reason});
    stream->hear();
    EXPECT_EQ(lines.wait_for("stopped"), "stopped");
    stream->say({ping(1)});
    EXPECT_EQ(stream->hear(), frame({pong(1)}));  // and its answer is not sent
  }
}

TEST_F(DecisionsTest, AStandingDecisionMayBeLeftUnansweredAndIsThoughtAboutAnewWhenItChanges) {
  Recorder bot([](const Decision& decision) {
    EXPECT_EQ(decision.think_time().has_value(), !decision.standing());
    return decision.seq() < 6 ? Choice::wait() : Choice(decision.seq() - 6);
  });
  Played played(bot, server.target);
  const auto stream = server.accept();
  stream->say({start("a"), standing("a", 1, 5)});
  EXPECT_EQ(stream->hear(), frame({ack()}));
  stream->say({standing("a", 1, 6)});
  EXPECT_EQ(stream->hear(), frame({act("a", 1, 0)}));
  stream->say({standing("a", 2, 7)});
  EXPECT_EQ(stream->hear(), frame({act("a", 2, 1)}));
  EXPECT_EQ(played.log.count("failed"), 0);
}

}  // namespace
}  // namespace croupier::testing
