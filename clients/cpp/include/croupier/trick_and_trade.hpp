// What bots for Trick and Trade need: the game's messages under short names, and what can be read off its cards.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "croupier/game.hpp"

namespace croupier::trick_and_trade {

using Game = TrickAndTrade;
using games::trick_and_trade::v1::Action;
using games::trick_and_trade::v1::Card;
using games::trick_and_trade::v1::Card_Name;
using games::trick_and_trade::v1::Options;
using games::trick_and_trade::v1::Phase;
using games::trick_and_trade::v1::Suit;
using games::trick_and_trade::v1::Suit_Name;
using games::trick_and_trade::v1::Table;
using games::trick_and_trade::v1::TradeCard;
using games::trick_and_trade::v1::TradeCard_Name;
using games::trick_and_trade::v1::View;

// The suits' names, in the order in which every list of four runs.
inline constexpr std::array<const char*, 4> suits = {"Nev", "Zeus", "Octo", "Ratcoin"};

// A trick card's suit by its place in every list of four, 0 to 3.
constexpr int suit(int card) { return (card - 1) / 10; }

// A trick card's rank, 1 to 10.
constexpr int rank(int card) { return (card - 1) % 10 + 1; }

// What a trick card adds to its suit when it wins the trick: 10 less its rank.
constexpr int value(int card) { return 10 - rank(card); }

// A trick card's name for people.
inline std::string name(int card) { return std::string(suits.at(suit(card))) + " " + std::to_string(rank(card)); }

// How many icons of each suit a trade card shows; none where it is unspecified, or newer than this SDK.
constexpr std::array<int, 4> icons(int card) {
  constexpr std::array<std::array<int, 4>, 15> shown = {{
      {0, 0, 0, 0},
      {1, 0, 0, 0},
      {0, 1, 0, 0},
      {0, 0, 1, 0},
      {0, 0, 0, 1},  // one icon
      {2, 0, 0, 0},
      {0, 2, 0, 0},
      {0, 0, 2, 0},
      {0, 0, 0, 2},  // the same twice
      {1, 1, 0, 0},
      {1, 0, 1, 0},
      {1, 0, 0, 1},
      {0, 1, 1, 0},
      {0, 1, 0, 1},
      {0, 0, 1, 1},  // two
  }};
  return card > 0 && card < 15 ? shown[static_cast<std::size_t>(card)] : shown[0];
}

// What an icon of each suit pays at these value totals: x3, x2, x1 or x-1 by how many suits stand higher.
constexpr std::array<int, 4> multipliers(const std::array<int, 4>& values) {
  std::array<int, 4> pays{};
  for (std::size_t at = 0; at < 4; ++at) {
    std::size_t higher = 0;
    for (const int other : values) higher += other > values[at] ? 1 : 0;
    pays[at] = std::array<int, 4>{3, 2, 1, -1}[higher];
  }
  return pays;
}

}  // namespace croupier::trick_and_trade
