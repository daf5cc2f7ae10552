//! What bots for Trick and Trade need: the game's messages under short names, and what can be read off its cards.
//!
//! ```
//! use croupier::trick_and_trade::{Card, TradeCard, icons, multipliers, name, rank, suit, value};
//!
//! let card = Card::Zeus9;
//! assert_eq!((suit(card), rank(card), value(card), name(card)), (1, 9, 1, "Zeus 9".to_owned()));
//! assert_eq!(icons(TradeCard::NevOcto), [1, 0, 1, 0]);
//! assert_eq!(multipliers([5, 4, 4, 1]), [3, 2, 2, -1]);
//! ```

pub use crate::games::trick_and_trade::v1::{Action, Card, Options, Phase, Suit, Table, TradeCard, View, action};

/// The game, as in `Decision<TrickAndTrade>`.
pub use crate::game::TrickAndTrade;

/// The suits' names, in the order in which every list of four runs.
pub const SUITS: [&str; 4] = ["Nev", "Zeus", "Octo", "Ratcoin"];

/// A trick card's suit by its place in every list of four, 0 to 3; 0 for an unspecified card.
pub fn suit(card: Card) -> usize {
    (number(card).saturating_sub(1) / 10) as usize
}

/// A trick card's rank, 1 to 10; 0 for an unspecified card.
pub fn rank(card: Card) -> u32 {
    let number = number(card);
    if number == 0 { 0 } else { (number - 1) % 10 + 1 }
}

/// What a trick card adds to its suit when it wins the trick: 10 less its rank.
pub fn value(card: Card) -> u32 {
    10 - rank(card)
}

/// A trick card's name for people.
pub fn name(card: Card) -> String {
    format!("{} {}", SUITS[suit(card)], rank(card))
}

/// How many icons of each suit a trade card shows; none where it is unspecified.
pub fn icons(card: TradeCard) -> [u32; 4] {
    match card {
        TradeCard::Unspecified => [0, 0, 0, 0],
        TradeCard::Nev => [1, 0, 0, 0],
        TradeCard::Zeus => [0, 1, 0, 0],
        TradeCard::Octo => [0, 0, 1, 0],
        TradeCard::Ratcoin => [0, 0, 0, 1],
        TradeCard::NevNev => [2, 0, 0, 0],
        TradeCard::ZeusZeus => [0, 2, 0, 0],
        TradeCard::OctoOcto => [0, 0, 2, 0],
        TradeCard::RatcoinRatcoin => [0, 0, 0, 2],
        TradeCard::NevZeus => [1, 1, 0, 0],
        TradeCard::NevOcto => [1, 0, 1, 0],
        TradeCard::NevRatcoin => [1, 0, 0, 1],
        TradeCard::ZeusOcto => [0, 1, 1, 0],
        TradeCard::ZeusRatcoin => [0, 1, 0, 1],
        TradeCard::OctoRatcoin => [0, 0, 1, 1],
    }
}

/// What an icon of each suit pays at these value totals: x3, x2, x1 or x-1 by how many suits stand higher.
pub fn multipliers(values: [u32; 4]) -> [i32; 4] {
    values.map(|mine| [3, 2, 1, -1][values.iter().filter(|other| **other > mine).count()])
}

fn number(card: Card) -> u32 {
    (card as i32).unsigned_abs()
}
