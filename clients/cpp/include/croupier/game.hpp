// Games travel in envelopes: a message with one arm per game, and one more for games that the contract does not know.
#pragma once

#include <concepts>
#include <stdexcept>

#include "croupier/v1/game.pb.h"

namespace croupier {

// A view or an action is of another game than the one that was asked for.
class WrongGame : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// What a game's messages are called and how they are taken out of their envelopes. Both functions throw WrongGame.
#define CROUPIER_GAME(GAME, NAME, ARM, CASE)                                                             \
  struct GAME {                                                                                          \
    using View = games::ARM::v1::View;                                                                   \
    using Action = games::ARM::v1::Action;                                                               \
    using Options = games::ARM::v1::Options;                                                             \
    static constexpr const char* name = NAME;                                                            \
    static const View& view(const v1::GameView& envelope) {                                              \
      if (envelope.view_case() != v1::GameView::CASE) throw WrongGame("the view is not of " NAME);       \
      return envelope.ARM();                                                                             \
    }                                                                                                    \
    static const Action& action(const v1::GameAction& envelope) {                                        \
      if (envelope.action_case() != v1::GameAction::CASE) throw WrongGame("the action is not of " NAME); \
      return envelope.ARM();                                                                             \
    }                                                                                                    \
  };                                                                                                     \
  inline v1::GameAction wrap(const games::ARM::v1::Action& action) {                                     \
    v1::GameAction envelope;                                                                             \
    *envelope.mutable_##ARM() = action;                                                                  \
    return envelope;                                                                                     \
  }

CROUPIER_GAME(TrickAndTrade, "trick-and-trade", trick_and_trade, kTrickAndTrade)
CROUPIER_GAME(TrickStakes, "trick-stakes", trick_stakes, kTrickStakes)
CROUPIER_GAME(Trades, "trades", trades, kTrades)
CROUPIER_GAME(TradeAndTriumph, "trade-and-triumph", trade_and_triumph, kTradeAndTriumph)

#undef CROUPIER_GAME

// A game's own Action message.
template <class Action>
concept GameMessage = requires(const Action& action) {
  { wrap(action) } -> std::same_as<v1::GameAction>;
};

}  // namespace croupier
