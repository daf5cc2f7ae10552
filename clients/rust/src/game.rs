//! Games travel in envelopes: a message with one arm per game, and one more for games that the contract does not know.

use crate::{games, v1};

/// Which game a bot plays: what its decisions show, and what its actions are.
///
/// Implement it for a game of your own, which travels as [`prost_types::Any`], to have typed views of that as well.
pub trait Game: Send + 'static {
    /// All that a seat may know.
    type View: Send;
    /// One decision of a seat.
    type Action: Send;
    /// The games' names as the server has them: `trick-and-trade`; empty: any.
    const NAMES: &'static [&'static str];
    /// Take a view out of its envelope; `None`: it is another game's.
    fn view(envelope: v1::GameView) -> Option<Self::View>;
    /// Take an action out of its envelope; `None`: it is another game's.
    fn action(envelope: v1::GameAction) -> Option<Self::Action>;
}

/// Every game: views and actions come in their envelopes, whose arms tell the games apart.
#[derive(Clone, Copy, Debug)]
pub struct AnyGame;

impl Game for AnyGame {
    type View = v1::GameView;
    type Action = v1::GameAction;
    const NAMES: &'static [&'static str] = &[];

    fn view(envelope: v1::GameView) -> Option<v1::GameView> {
        Some(envelope)
    }

    fn action(envelope: v1::GameAction) -> Option<v1::GameAction> {
        Some(envelope)
    }
}

macro_rules! games {
    ($($game:ident, $name:literal, $module:ident, $doc:literal;)*) => {$(
        #[doc = $doc]
        #[derive(Clone, Copy, Debug)]
        pub struct $game;

        impl Game for $game {
            type View = games::$module::v1::View;
            type Action = games::$module::v1::Action;
            const NAMES: &'static [&'static str] = &[$name];

            fn view(envelope: v1::GameView) -> Option<Self::View> {
                match envelope.view {
                    Some(v1::game_view::View::$game(view)) => Some(view),
                    _ => None,
                }
            }

            fn action(envelope: v1::GameAction) -> Option<Self::Action> {
                match envelope.action {
                    Some(v1::game_action::Action::$game(action)) => Some(action),
                    _ => None,
                }
            }
        }

        impl From<games::$module::v1::Action> for v1::GameAction {
            fn from(action: games::$module::v1::Action) -> Self {
                Self { action: Some(v1::game_action::Action::$game(action)) }
            }
        }

        impl From<games::$module::v1::View> for v1::GameView {
            fn from(view: games::$module::v1::View) -> Self {
                Self { view: Some(v1::game_view::View::$game(view)) }
            }
        }
    )*};
}

games! {
    TrickAndTrade, "trick-and-trade", trick_and_trade, "Trick and Trade.";
    TrickStakes, "trick-stakes", trick_stakes, "Trick Stakes.";
    Trades, "trades", trades, "Trades.";
    TradeAndTriumph, "trade-and-triumph", trade_and_triumph, "Trade and Triumph.";
}
