//! A bot for Trick and Trade that looks one trick ahead: what will an icon pay, and what does each choice bring?

use croupier::{
    Bot, Choice, Chosen, Decision, Error, Settings,
    trick_and_trade::{Card, Table, TrickAndTrade, View, action::Action, icons, rank, suit, value},
};

/// How far a suit's value strays in a round.
const WANDER: f64 = 4.0;
/// Points that it is worth to lead the next trick.
const LEAD: f64 = 0.6;
/// Points that it is worth to keep a card one rank higher, at the start of the game.
const KEEP: f64 = 0.3;

/// Makes the choice that promises most points, for itself and against the average opponent.
struct Greedy;

impl Bot for Greedy {
    type Game = TrickAndTrade;

    fn choose(&mut self, decision: Decision<'_, TrickAndTrade>) -> Chosen {
        let view = &decision.view()?;
        let table = view.table.as_ref().ok_or("a view without a table")?;
        let pays = payments(table, &table.values);
        let front: Vec<f64> = table
            .front_row()
            .map(|card| match icons(card) {
                [0, 0, 0, 0] => f64::INFINITY, // taken
                icons => icons.into_iter().zip(pays).map(|(icon, pay)| f64::from(icon) * pay).sum(),
            })
            .collect();
        let least = front.iter().copied().fold(f64::INFINITY, f64::min);
        let left_over = least + if table.round < table.rounds { LEAD } else { 0.0 }; // what comes with the lead card
        let mut picks = front.clone();
        picks.sort_by(|one, other| other.total_cmp(one));
        let mut best = (0, f64::NEG_INFINITY);
        for (index, action) in decision.actions.iter().enumerate() {
            let promise = match action.action {
                Some(Action::Play(card)) => play_promise(view, table, Card::try_from(card)?, &picks, pays),
                Some(Action::TakeTrade(place)) => front.get(place as usize).copied().unwrap_or(f64::NEG_INFINITY),
                Some(Action::TakeLead(_)) => left_over,
                None => continue, // an action that is newer than this bot
            };
            if promise > best.1 {
                best = (index, promise);
            }
        }
        Ok(Choice::Index(best.0))
    }
}

/// What an icon of each suit is likely to pay in the end if the suits' values stand like this now.
fn payments(table: &Table, values: &[u32]) -> [f64; 4] {
    let spread = WANDER * f64::from(table.rounds - table.round + 1).sqrt();
    std::array::from_fn(|at| {
        let own = f64::from(values[at]);
        let higher = values.iter().map(|other| f64::midpoint(1.0, libm::erf((f64::from(*other) - own) / spread)));
        let higher = higher.sum::<f64>() - 0.5;
        if higher < 2.0 { 3.0 - higher } else { 5.0 - 2.0 * higher } // x3, x2, x1, x-1, and all between
    })
}

/// What playing a card promises: the pick that its place gives, and what the winner does to the values.
fn play_promise(view: &View, table: &Table, card: Card, picks: &[f64], pays: [f64; 4]) -> f64 {
    let trick: Vec<Card> = table.trick().collect();
    let led = suit(*trick.first().unwrap_or(&card));
    let mut ladder: Vec<u32> = (1..=40)
        .filter_map(|number| Card::try_from(number).ok())
        .filter(|card| !trick.contains(card) && view.hand().chain(table.played()).all(|other| other != *card))
        .map(|card| strength(card, led))
        .collect();
    if ladder.is_empty() {
        ladder.push(0);
    }
    ladder.sort_unstable();
    let risk = |card| {
        let weaker = ladder.partition_point(|other| *other < strength(card, led));
        1.0 - count(weaker) / count(ladder.len())
    };
    let to_come = (table.seats as usize).saturating_sub(trick.len() + 1);
    let winner = trick.iter().chain([&card]).copied();
    let winner = winner.reduce(|best, other| if strength(other, led) > strength(best, led) { other } else { best });
    let winner = winner.unwrap_or(card); // so far
    let ahead = trick.iter().filter(|other| strength(**other, led) > strength(card, led)).count();
    let place = (count(ahead) + count(to_come) * risk(card)).min(count(picks.len()) - 1.0);
    let part = place.fract();
    let pick = picks[index(place.floor())] * (1.0 - part) + picks[index(place.ceil())] * part;
    let stays = (1.0 - risk(winner)).powf(count(to_come));
    let later = 1.0 - f64::from(table.round) / f64::from(table.rounds);
    pick + stays * swing(table, winner, pays) - KEEP * f64::from(rank(card)) * later
}

/// What orders the cards of a trick; of equals the later one is stronger.
fn strength(card: Card, led: usize) -> u32 {
    rank(card) + if suit(card) == led { 10 } else { 0 }
}

/// What it is worth to the seat on turn that this card wins, against the average opponent.
fn swing(table: &Table, card: Card, pays: [f64; 4]) -> f64 {
    let mut values = table.values.clone();
    values[suit(card)] += value(card);
    let after = payments(table, &values);
    let own = &table.icons[4 * table.turn as usize..][..4];
    let worth = (0..4).map(|at| {
        let all: u32 = table.icons.iter().skip(at).step_by(4).sum();
        let others = f64::from(all - own[at]) / f64::from(table.seats - 1);
        (f64::from(own[at]) - others) * (after[at] - pays[at])
    });
    worth.sum()
}

#[allow(clippy::cast_precision_loss)] // of a number of cards or seats
fn count(number: usize) -> f64 {
    number as f64
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // of a place in a trick
fn index(place: f64) -> usize {
    place as usize
}

fn main() -> Result<(), Error> {
    croupier::run(Greedy, Settings::new())
}

#[cfg(test)]
mod tests {
    use croupier::{Bot as _, Choice, Decision, Session, TrickAndTrade, v1};
    use prost::Message;

    use super::Greedy;

    fn read<M: Message + Default>(name: &str) -> M {
        let path = format!("{}/../vectors/{name}", env!("CARGO_MANIFEST_DIR"));
        M::decode(std::fs::read(path).expect("it is there").as_slice()).expect("it can be read")
    }

    #[test]
    fn it_decides_like_the_python_one() {
        let asked: v1::PlayResponse = read("greedy-decisions.binpb");
        let answered: v1::PlayRequest = read("greedy-acts.binpb");
        assert!(asked.messages.len() > 100 && asked.messages.len() == answered.messages.len());
        for (at, (question, answer)) in asked.messages.into_iter().zip(answered.messages).enumerate() {
            let Some(v1::server_message::Message::Decision(question)) = question.message else { panic!("a decision") };
            let Some(v1::client_message::Message::Act(act)) = answer.message else { panic!("an act") };
            let mut session = Session::default();
            let decision = Decision::<TrickAndTrade>::new(&mut session, question).expect("it is of this game");
            let Ok(Choice::Index(index)) = Greedy.choose(decision) else { panic!("an index") };
            let Some(v1::act::Choice::Index(wanted)) = act.choice else { panic!("an index") };
            assert_eq!(index, wanted as usize, "decision {at}");
        }
    }
}
