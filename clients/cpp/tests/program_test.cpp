// run, which programs call: what ends it, and with which exit code.
#include <csignal>

#include "harness.hpp"

namespace croupier::testing {
namespace {

struct ProgramTest : ::testing::Test {
  FakeServer server;
  Recorder bot;

  // Run the bot in a thread of its own, as main would in its own process.
  std::jthread program(int& code, std::optional<unsigned> sessions = {}) {
    return std::jthread([this, &code, sessions] {
      code = run(bot, {.target = server.target, .name = "bot", .tls = false, .sessions = sessions});
    });
  }
};

TEST_F(ProgramTest, EndsWithZeroAfterItsSessions) {
  int code = -1;
  auto running = program(code, 1);
  const auto stream = server.accept();
  stream->say({start("a")});
  EXPECT_EQ(stream->hear(), frame({ack()}));
  stream->say({over("a")});
  running.join();
  EXPECT_EQ(code, 0);
  stream->gone();
}

TEST_F(ProgramTest, SaysWhyItWasRefusedInOneLine) {
  server.refuse({grpc::StatusCode::PERMISSION_DENIED, "first is banned"});
  ::testing::internal::CaptureStderr();
  int code = -1;
  program(code).join();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "croupier: PERMISSION_DENIED: first is banned\n");
  EXPECT_EQ(code, 1);
}

}  // namespace
}  // namespace croupier::testing
