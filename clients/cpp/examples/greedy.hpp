// A bot for Trick and Trade that looks one trick ahead: what will an icon pay, and what does each choice bring?
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <croupier/croupier.hpp>
#include <croupier/trick_and_trade.hpp>
#include <limits>
#include <string>
#include <vector>

namespace greedy {

using namespace croupier::trick_and_trade;  // NOLINT(google-build-using-namespace): this is a program, for that game

constexpr double wander = 4.0;  // how far a suit's value strays in a round
constexpr double lead = 0.6;    // points that it is worth to lead the next trick
constexpr double keep = 0.3;    // points that it is worth to keep a card one rank higher, at the start of the game

using Pays = std::array<double, 4>;    // by suit, what an icon is likely to pay
using Values = std::array<double, 4>;  // by suit, its value total

inline Values values_of(const Table& table) {
  if (table.values_size() != 4) throw std::invalid_argument("a table without the values of four suits");
  return {double(table.values(0)), double(table.values(1)), double(table.values(2)), double(table.values(3))};
}

// What an icon of each suit is likely to pay in the end if the suits' values stand like this now.
inline Pays payments(const Table& table, const Values& values) {
  const double spread = wander * std::sqrt(table.rounds() - table.round() + 1);
  Pays pays{};
  for (std::size_t at = 0; at < 4; ++at) {
    double higher = -0.5;
    for (const double other : values) higher += (1 + std::erf((other - values[at]) / spread)) / 2;
    pays[at] = higher < 2 ? 3 - higher : 5 - 2 * higher;  // x3, x2, x1, x-1, and all between
  }
  return pays;
}

// What orders the cards of a trick; of equals the later one is stronger.
inline int strength(int card, int led) { return rank(card) + (suit(card) == led ? 10 : 0); }

// What it is worth to the seat on turn that this card wins, against the average opponent.
inline double swing(const Table& table, int card, const Pays& pays) {
  Values values = values_of(table);
  values.at(static_cast<std::size_t>(suit(card))) += value(card);
  const Pays after = payments(table, values);
  double worth = 0;
  for (int at = 0; at < 4; ++at) {
    int all = 0;
    for (int icon = at; icon < table.icons_size(); icon += 4) all += static_cast<int>(table.icons(icon));
    const int own = static_cast<int>(table.icons(static_cast<int>(4 * table.turn()) + at));
    const auto suit = static_cast<std::size_t>(at);
    worth += (own - double(all - own) / (table.seats() - 1)) * (after[suit] - pays[suit]);
  }
  return worth;
}

// What playing a card promises: the pick that its place gives, and what the winner does to the values.
inline double play_promise(const View& view, int card, const std::vector<double>& picks, const Pays& pays) {
  const Table& table = view.table();
  const int led = suit(table.trick().empty() ? card : table.trick(0));
  std::vector<int> ladder;
  const auto holds = [](const auto& cards, int card) { return std::ranges::find(cards, card) != cards.end(); };
  for (int other = 1; other <= 40; ++other) {
    if (holds(table.played(), other) || holds(table.trick(), other) || holds(view.hand(), other)) continue;
    ladder.push_back(strength(other, led));
  }
  if (ladder.empty()) ladder.push_back(0);
  std::ranges::sort(ladder);
  const auto risk = [&](int card) {
    const auto weaker = std::ranges::lower_bound(ladder, strength(card, led)) - ladder.begin();
    return 1 - double(weaker) / double(ladder.size());
  };
  int winner = table.trick().empty() ? card : table.trick(0);  // so far
  int ahead = 0;
  for (const int other : table.trick()) {
    if (strength(other, led) > strength(winner, led)) winner = other;
    if (strength(other, led) > strength(card, led)) ++ahead;
  }
  if (strength(card, led) > strength(winner, led)) winner = card;
  const int to_come = static_cast<int>(table.seats()) - table.trick_size() - 1;
  const double place = std::min(ahead + to_come * risk(card), double(picks.size()) - 1);
  const double part = place - std::floor(place);
  const double pick = picks.at(static_cast<std::size_t>(std::floor(place))) * (1 - part) +
                      picks.at(static_cast<std::size_t>(std::ceil(place))) * part;
  const double later = 1 - double(table.round()) / table.rounds();
  return pick + std::pow(1 - risk(winner), to_come) * swing(table, winner, pays) - keep * rank(card) * later;
}

// Makes the choice that promises most points, for itself and against the average opponent.
class Greedy : public croupier::Bot {
 public:
  [[nodiscard]] std::vector<std::string> games() const override { return {Game::name}; }

  croupier::Choice choose(const croupier::Decision& decision) override {
    const View& view = decision.view<Game>();
    const Table& table = view.table();
    const Pays pays = payments(table, values_of(table));
    std::vector<double> front;
    for (const int card : table.front_row()) {
      double promise = card == 0 ? std::numeric_limits<double>::infinity() : 0;  // 0: taken
      for (std::size_t at = 0; card != 0 && at < 4; ++at) promise += icons(card)[at] * pays[at];
      front.push_back(promise);
    }
    if (front.empty()) throw std::invalid_argument("a table without a front row");
    const double left_over = std::ranges::min(front) + (table.round() < table.rounds() ? lead : 0);
    std::vector<double> picks = front;
    std::ranges::sort(picks, std::greater{});
    int index = 0, best = 0;
    double most = -std::numeric_limits<double>::infinity();
    for (const Action& action : decision.actions<Game>()) {
      double promise = most;  // an action that is newer than this bot
      if (action.has_play()) promise = play_promise(view, action.play(), picks, pays);
      if (action.has_take_trade()) promise = front.at(action.take_trade());
      if (action.has_take_lead()) promise = left_over;  // what comes with the lead card
      if (promise > most) {
        most = promise;
        best = index;
      }
      ++index;
    }
    return best;
  }
};

}  // namespace greedy
