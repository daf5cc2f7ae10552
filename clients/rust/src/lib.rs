//! Write a card-playing bot and seat it at a Croupier table.
//!
//! ```no_run
//! use croupier::{AnyGame, Bot, Choice, Chosen, Decision, Settings};
//!
//! struct First;
//!
//! impl Bot for First {
//!     type Game = AnyGame;
//!
//!     fn choose(&mut self, _decision: Decision<'_, AnyGame>) -> Chosen {
//!         Ok(Choice::Index(0))
//!     }
//! }
//!
//! fn main() -> Result<(), croupier::Error> {
//!     croupier::run(First, Settings::new())
//! }
//! ```
//!
//! That is a whole bot: it plays every game it is seated in, any number of them side by side, and reconnects by itself.
//! What it does not say is in the environment: `CROUPIER_TARGET`, `CROUPIER_NAME`, `CROUPIER_TOKEN`, `CROUPIER_TLS`.
//!
//! The SDK says what it has to say through the [`log`] crate, under the target `croupier`.

#![forbid(unsafe_code)]

mod backoff;
mod bot;
mod channel;
mod codec;
mod connection;
mod console;
mod error;
mod game;
mod outbox;
mod playing;
mod running;
mod seats;
mod settings;
mod tls;
pub mod trick_and_trade;
mod wire;

#[cfg(test)]
mod tests;

pub use backoff::Backoff;
pub use bot::{Bot, BoxError, Choice, Chosen, Decision, End, Session};
pub use error::{Error, ServerError};
pub use game::{AnyGame, Game, TradeAndTriumph, Trades, TrickAndTrade, TrickStakes};
pub use running::{play, run};
pub use settings::{OnError, Settings};
pub use tls::{Certificates, Tls};

/// The contract's own messages and services, for whatever the SDK does not offer itself. Generated.
#[allow(missing_docs, clippy::all, clippy::pedantic, rustdoc::all)]
pub mod v1 {
    include!("generated/croupier.v1.rs");
}

/// The messages of each game. Generated.
#[allow(missing_docs, clippy::all, clippy::pedantic, rustdoc::all)]
pub mod games {
    /// Trick and Trade.
    pub mod trick_and_trade {
        /// Version 1 of its messages.
        pub mod v1 {
            include!("generated/croupier.games.trick_and_trade.v1.rs");
        }
    }
    /// Trick Stakes.
    pub mod trick_stakes {
        /// Version 1 of its messages.
        pub mod v1 {
            include!("generated/croupier.games.trick_stakes.v1.rs");
        }
    }
    /// Trades.
    pub mod trades {
        /// Version 1 of its messages.
        pub mod v1 {
            include!("generated/croupier.games.trades.v1.rs");
        }
    }
    /// Trade and Triumph.
    pub mod trade_and_triumph {
        /// Version 1 of its messages.
        pub mod v1 {
            include!("generated/croupier.games.trade_and_triumph.v1.rs");
        }
    }
}
