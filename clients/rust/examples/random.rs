//! The bot that every other one should beat: it plays any game, and takes any legal action.

use croupier::{AnyGame, Bot, Choice, Chosen, Decision, Error, Settings};

struct RandomBot;

impl Bot for RandomBot {
    type Game = AnyGame;

    fn choose(&mut self, decision: Decision<'_, AnyGame>) -> Chosen {
        Ok(Choice::Index(fastrand::usize(..decision.actions.len())))
    }
}

fn main() -> Result<(), Error> {
    croupier::run(RandomBot, Settings::new())
}
