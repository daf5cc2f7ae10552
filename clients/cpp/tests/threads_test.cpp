// Threads that have come to their end are let go of, and nobody holds the table while the network is written to.
#include <future>

#include "connection.hpp"
#include "harness.hpp"

namespace croupier::testing {
namespace {

class ThreadsTest : public ::testing::Test {
 protected:
  const Settings settings;

  static void quiet(Level, const std::string&) {}

  static std::string bytes(const Told& messages) {
    v1::PlayResponse frame;
    for (const auto& message : messages) *frame.add_messages() = message;
    return frame.SerializeAsString();
  }
};

TEST_F(ThreadsTest, AFrameIsTakenInWhileTheAnswerOfAThoughtIsBeingWritten) {
  Gate gate;
  Recorder bot([&](const Decision&) {
    return Choice::later([&gate](const std::stop_token& unwanted) {
      gate.pass(unwanted);
      return Choice(1);
    });
  });
  detail::Playing playing(bot, "bot", settings, quiet);
  detail::Seats seats(playing, {.welcomed = {}, .moved = {}, .over = [](const auto&) {}});
  std::promise<void> writing, go_on;
  seats.speak_through(std::make_shared<detail::Outbox>([&](const v1::PlayRequest& frame) {
    if (frame.messages(0).has_act()) {
      writing.set_value();
      go_on.get_future().wait();
    }
    return true;
  }));
  EXPECT_TRUE(seats.receive(bytes({start("a"), ask("a", 1)})));
  gate.open();
  writing.get_future().wait();
  auto taken_in = std::async(std::launch::async, [&] { return seats.receive(bytes({ping(1)})); });
  EXPECT_EQ(taken_in.wait_for(kPatience), std::future_status::ready);
  go_on.set_value();
  EXPECT_TRUE(taken_in.get());
}

TEST_F(ThreadsTest, ConnectionsThatHaveEndedAreLetGoOfWhenAnotherIsOpened) {
  constexpr int kMoves = 20;
  FakeServer server, second;
  Recorder bot;
  detail::Playing playing(bot, "bot", settings, quiet);
  detail::Connections connections(playing, false);
  {
    const std::scoped_lock lock(playing.table);
    connections.open(server.target, "", true);
  }
  const auto home = server.accept();
  for (int move = 0; move < kMoves; ++move) {
    home->say({hosted("a", second.target)});
    EXPECT_EQ(home->hear(), frame({ack()}));
    const auto away = second.accept();
    away->say({start("a"), over("a")});
    away->gone();
    away->end();
  }
  const std::scoped_lock lock(playing.table);
  EXPECT_LT(connections.size(), kMoves / 2);  // the latest may still be ending
}

}  // namespace
}  // namespace croupier::testing
