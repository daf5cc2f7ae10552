// The greedy example decides like the Python SDK's, whose decisions are in vectors that all SDKs share.
#include "greedy.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "croupier/v1/play.pb.h"

namespace croupier::testing {
namespace {

template <class Message>
Message read(const std::string& name) {
  std::ifstream file(CROUPIER_VECTORS "/" + name, std::ios::binary);
  Message message;
  EXPECT_TRUE(message.ParseFromIstream(&file)) << name;
  return message;
}

TEST(Greedy, DecidesLikeThePythonOne) {
  const auto asked = read<v1::PlayResponse>("greedy-decisions.binpb");
  const auto answered = read<v1::PlayRequest>("greedy-acts.binpb");
  ASSERT_GT(asked.messages_size(), 100);
  ASSERT_EQ(asked.messages_size(), answered.messages_size());
  greedy::Greedy bot;
  Session session{v1::SessionStart()};
  for (int at = 0; at < asked.messages_size(); ++at) {
    const auto choice = bot.choose(Decision(session, asked.messages(at).decision()));
    EXPECT_EQ(std::get<std::int64_t>(choice.value()), answered.messages(at).act().index()) << "decision " << at;
  }
}

TEST(Greedy, RefusesAViewOfAnotherGame) {
  v1::Decision message;
  message.mutable_view()->mutable_trades();
  Session session{v1::SessionStart()};
  greedy::Greedy bot;
  EXPECT_THROW(bot.choose(Decision(session, message)), WrongGame);
}

}  // namespace
}  // namespace croupier::testing
