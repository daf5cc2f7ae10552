// Settings, names, how long is waited, and what can be read off cards.
#include "settings.hpp"

#include <gtest/gtest.h>

#include <map>

#include "croupier/trick_and_trade.hpp"
#include "text.hpp"

namespace croupier::testing {
namespace {

using detail::kebab;
using detail::resolve;
namespace tnt = trick_and_trade;

detail::Environment saying(std::map<std::string, std::string> variables) {
  return [variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? "" : found->second;
  };
}

TEST(Settings, WhatIsNotSaidIsInTheEnvironmentOrHasADefault) {
  const auto environment = saying(
      {{"CROUPIER_TARGET", "cards.example.org:1"}, {"CROUPIER_NAME", "supervised"}, {"CROUPIER_TOKEN", "secret\n"}});
  const auto given = resolve({}, "RandomBot", environment);
  EXPECT_EQ(given.target, "cards.example.org:1");
  EXPECT_EQ(given.name, "supervised");
  EXPECT_EQ(given.token, "secret");
  const auto said = resolve({.target = "here:2", .name = "me", .token = "mine"}, "RandomBot", environment);
  EXPECT_EQ(said.target, "here:2");
  EXPECT_EQ(said.name, "me");
  EXPECT_EQ(said.token, "mine");
  const auto bare = resolve({}, "RandomBot", saying({}));
  EXPECT_EQ(bare.target, "localhost:7700");
  EXPECT_EQ(bare.name, "random-bot");
  EXPECT_EQ(bare.token, "");
  EXPECT_EQ(bare.tls, Tls(false));
}

TEST(Settings, TheEnvironmentCanAskForTls) {
  EXPECT_EQ(resolve({}, "Bot", saying({{"CROUPIER_TLS", "1"}})).tls, Tls(true));
  EXPECT_EQ(resolve({}, "Bot", saying({{"CROUPIER_TLS", "Yes"}})).tls, Tls(true));
  EXPECT_EQ(resolve({}, "Bot", saying({{"CROUPIER_TLS", "0"}})).tls, Tls(false));
  EXPECT_EQ(resolve({.tls = false}, "Bot", saying({{"CROUPIER_TLS", "1"}})).tls, Tls(false));
  EXPECT_THROW(resolve({}, "Bot", saying({{"CROUPIER_TLS_CA", "/no/such.pem"}})), BadCertificate);
}

// What is wrong with settings.
std::string wrong(const Settings& settings) {
  try {
    resolve(settings, "Bot", saying({}));
    return "nothing";
  } catch (const BadSetting& error) {
    return error.what();
  }
}

TEST(Settings, BadOnesAreNamedBeforeConnecting) {
  for (const std::string name : {"Bot", "a b", "house:x"}) {
    EXPECT_EQ(wrong({.name = name}),
              "\"" + name + "\" is no name for a bot: it takes 1 to 64 characters a-z 0-9 - _ .");
  }
  EXPECT_NE(wrong({.name = std::string(65, 'x')}), "nothing");
  for (const std::string target : {"localhost", "http://localhost:1", "local host:1", "localhost:port", ":1"}) {
    EXPECT_EQ(wrong({.target = target}), "target \"" + target + "\" is no address: it takes \"host:port\"");
  }
  EXPECT_EQ(wrong({.token = "two\nlines"}), "token: it takes one line of printable ASCII characters");
}

TEST(Settings, AClassGivesItsBotAName) {
  EXPECT_EQ(kebab("RandomBot"), "random-bot");
  EXPECT_EQ(kebab("Greedy2"), "greedy2");
  EXPECT_EQ(kebab("MyMCTSBot"), "my-mcts-bot");
}

TEST(Backoff, DoublesUpToItsCapWithJitterOverTheWholeRange) {
  Backoff calm;
  calm.random = [] { return 1.0; };
  EXPECT_DOUBLE_EQ(calm.delay(0).count(), 0.1);
  EXPECT_DOUBLE_EQ(calm.delay(2).count(), 0.4);
  EXPECT_DOUBLE_EQ(calm.delay(9).count(), 10);
  EXPECT_DOUBLE_EQ(calm.delay(4'000'000'000U).count(), 10);
  for (int number = 0; number < 100; ++number) EXPECT_LE(Backoff().delay(0).count(), 0.1);
}

TEST(TrickAndTrade, EveryCardKnowsSuitRankValueAndName) {
  for (int number = 1; number <= 40; ++number) {
    const auto name = tnt::Card_Name(static_cast<tnt::Card>(number)).substr(5);  // after "CARD_"
    const auto gap = name.find('_');
    EXPECT_EQ("SUIT_" + name.substr(0, gap), tnt::Suit_Name(static_cast<tnt::Suit>(tnt::suit(number) + 1)));
    EXPECT_EQ(name.substr(gap + 1), std::to_string(tnt::rank(number)));
    EXPECT_EQ(tnt::value(number), 10 - tnt::rank(number));
    EXPECT_EQ(detail::lower(tnt::name(number)), detail::lower(name.substr(0, gap) + " " + name.substr(gap + 1)));
  }
}

TEST(TrickAndTrade, EveryTradeCardKnowsItsIcons) {
  for (int number = 0; number <= 14; ++number) {
    const auto name = tnt::TradeCard_Name(static_cast<tnt::TradeCard>(number)).substr(11) + "_";  // after "TRADE_CARD_"
    std::array<int, 4> counts{};
    for (std::size_t begin = 0; begin < name.size(); begin = name.find('_', begin) + 1) {
      const auto word = detail::lower(name.substr(begin, name.find('_', begin) - begin));
      for (std::size_t at = 0; at < 4; ++at) counts[at] += detail::lower(tnt::suits[at]) == word ? 1 : 0;
    }
    EXPECT_EQ(tnt::icons(number), counts);
  }
  EXPECT_EQ(tnt::icons(99), (std::array{0, 0, 0, 0}));
}

TEST(TrickAndTrade, MultipliersGoByHowManySuitsStandHigher) {
  EXPECT_EQ(tnt::multipliers({5, 4, 3, 1}), (std::array{3, 2, 1, -1}));
  EXPECT_EQ(tnt::multipliers({5, 4, 4, 1}), (std::array{3, 2, 2, -1}));
  EXPECT_EQ(tnt::multipliers({5, 5, 2, 2}), (std::array{3, 3, 1, 1}));
  EXPECT_EQ(tnt::multipliers({2, 2, 2, 2}), (std::array{3, 3, 3, 3}));
}

}  // namespace
}  // namespace croupier::testing
