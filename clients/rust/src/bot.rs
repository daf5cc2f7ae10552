//! What a bot's author writes ([`Bot`]), and what the bot is given to decide with ([`Decision`], [`Session`], [`End`]).

use std::{
    any::Any,
    fmt,
    pin::Pin,
    time::{Duration, Instant},
};

use prost::{Message as _, bytes::Bytes};

use crate::{game::Game, v1, wire::Question};

/// Whatever went wrong in a bot.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// What [`Bot::choose`] returns. An error is logged, no answer is sent, and the session's clock decides.
pub type Chosen = Result<Choice, BoxError>;

/// A player. Write `choose`; the hooks below it are there for those who want them.
///
/// One value plays all of the bot's sessions, any number of them side by side; what belongs to one session goes into
/// [`Session::data`]. All methods are called one at a time. While one computes, everything else of the bot waits, so a
/// bot that needs more than some milliseconds returns [`Choice::later`].
///
/// A panic in a method is caught and logged like an error: it hurts only that one decision.
pub trait Bot: Send + 'static {
    /// The game that it plays, or [`AnyGame`](crate::AnyGame).
    type Game: Game;

    /// Decide.
    fn choose(&mut self, decision: Decision<'_, Self::Game>) -> Chosen;

    /// The games that it plays, by name; empty: any.
    fn games(&self) -> Vec<String> {
        Self::Game::NAMES.iter().map(ToString::to_string).collect()
    }

    /// How many sessions it plays at once, at most; 0: any number.
    fn max_sessions(&self) -> u32 {
        0
    }

    /// Whether `on_events` is to be called. A bot that decides from the view alone is served faster without.
    fn wants_events(&self) -> bool {
        false
    }

    /// Sit down in a session.
    fn on_start(&mut self, session: &mut Session) {
        let _ = session;
    }

    /// See what has happened, in order and without gaps; only called if the bot `wants_events`.
    fn on_events(&mut self, session: &mut Session, events: &[v1::Event]) {
        let _ = (session, events);
    }

    /// Forget the events after `session.seq`: the server lost them in a crash, and the game goes on from there.
    fn on_rewind(&mut self, session: &mut Session) {
        let _ = session;
    }

    /// Hear that an answer was illegal, late, stale or otherwise not taken: `outcome`, `rule`, `message`.
    fn on_result(&mut self, session: &mut Session, result: &v1::ActResult) {
        let _ = (session, result);
    }

    /// Leave a session that is over.
    fn on_end(&mut self, session: &mut Session, end: &End<Self::Game>) {
        let _ = (session, end);
    }
}

/// An answer to a decision.
pub enum Choice {
    /// One of the decision's actions, counted from 0.
    Index(usize),
    /// The action itself. A game's own action goes in with `.into()`.
    Action(v1::GameAction),
    /// Nothing now. Only for standing decisions, which are asked anew after every change.
    Wait,
    /// The bot goes on thinking, and its other games go on meanwhile: see [`Choice::later`].
    Later(Pin<Box<dyn Future<Output = Chosen> + Send>>),
}

impl Choice {
    /// Choose in the background. The future is dropped when its answer is no longer wanted: when the decision is asked
    /// anew or another one is, when its time has run out, when the session is over.
    ///
    /// What computes for long belongs into a thread of its own:
    ///
    /// ```
    /// use croupier::{AnyGame, Bot, Choice, Chosen, Decision, v1::GameView};
    ///
    /// struct Thinker;
    ///
    /// impl Bot for Thinker {
    ///     type Game = AnyGame;
    ///
    ///     fn choose(&mut self, decision: Decision<'_, AnyGame>) -> Chosen {
    ///         let view = decision.view()?;
    ///         Ok(Choice::later(async move { Ok(Choice::Index(tokio::task::spawn_blocking(move || search(&view)).await?)) }))
    ///     }
    /// }
    ///
    /// fn search(view: &GameView) -> usize {
    ///     0 // think hard
    /// }
    /// ```
    pub fn later(thinking: impl Future<Output = Chosen> + Send + 'static) -> Self {
        Self::Later(Box::pin(thinking))
    }
}

impl<A: Into<v1::GameAction>> From<A> for Choice {
    fn from(action: A) -> Self {
        Self::Action(action.into())
    }
}

impl fmt::Debug for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index(index) => write!(f, "Index({index})"),
            Self::Action(action) => write!(f, "Action({action:?})"),
            Self::Wait => f.write_str("Wait"),
            Self::Later(_) => f.write_str("Later"),
        }
    }
}

/// The bot is asked to decide.
#[derive(Debug)]
#[non_exhaustive]
pub struct Decision<'a, G: Game> {
    /// The game in which it is asked.
    pub session: &'a mut Session,
    /// The decision's number, unique and ascending in its session.
    pub id: u32,
    /// 1 when first asked, then one more after each illegal answer.
    pub attempt: u32,
    /// How many events had happened in the session when the view was made.
    pub seq: u64,
    /// The legal actions: the game's own messages, at least one.
    pub actions: Vec<G::Action>,
    /// Whether this may be answered at any time or never ([`Choice::Wait`]); it is asked anew after every change.
    pub standing: bool,
    /// Time to think before the bank is used; `None` for a standing decision.
    pub think_time: Option<Duration>,
    /// Time left in the bank, for all decisions that need more than their think time.
    pub bank: Duration,
    /// What the seat's previous decision was charged.
    pub last_charged: Duration,
    /// When it came: by then its think time was running.
    pub received: Instant,
    view: Bytes,
}

impl<'a, G: Game> Decision<'a, G> {
    /// Make a decision out of the contract's message; `None`: it is of another game. For trying a bot out in tests.
    pub fn new(session: &'a mut Session, message: v1::Decision) -> Option<Self> {
        Self::read(session, message.into(), Instant::now())
    }

    /// Read a decision as it came.
    pub(crate) fn read(session: &'a mut Session, message: Question, received: Instant) -> Option<Self> {
        Some(Self {
            session,
            id: message.decision_id,
            attempt: message.attempt,
            seq: message.seq,
            actions: message.actions.into_iter().map(G::action).collect::<Option<_>>()?,
            standing: message.standing,
            think_time: message.think_time_ms.map(milliseconds),
            bank: milliseconds(message.bank_ms),
            last_charged: milliseconds(message.last_charged_ms),
            received,
            view: message.view,
        })
    }

    /// All that the bot may know of the game: the game's own message. Read anew with each call, so call it once.
    ///
    /// # Errors
    ///
    /// It is another game's view, or none at all. Hand that on with `?`.
    pub fn view(&self) -> Result<G::View, BoxError> {
        let envelope = v1::GameView::decode(self.view.as_ref())?;
        G::view(envelope).ok_or_else(|| format!("the view is not of {}", G::NAMES.join(", ")).into())
    }
}

fn milliseconds(count: u32) -> Duration {
    Duration::from_millis(count.into())
}

/// The bot's place in a game. It stays the same value from `on_start` to `on_end`, across reconnects.
///
/// A bot may sit in several seats of one game; each of them is a session of its own, with the same id.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Session {
    /// Its name on the server. Opaque.
    pub id: String,
    /// The game's name: `trick-and-trade`.
    pub game: String,
    /// The version of the game's rules.
    pub rules_version: u32,
    /// The bot's own seat, 0-based.
    pub seat: u32,
    /// Number of seats.
    pub seats: u32,
    /// The game's options.
    pub options: v1::GameOptions,
    /// The clock of every seat.
    pub clock: v1::ClockSettings,
    /// How failing bots are treated.
    pub faults: v1::FaultSettings,
    /// Whether the server had told the bot of this session before, perhaps an earlier run of it.
    pub resumed: bool,
    /// SHA-256 of the session's seed, 32 bytes; empty where the organiser gave the seed.
    pub seed_commitment: Vec<u8>,
    /// How many events the bot knows to have happened.
    pub seq: u64,
    data: Option<Box<dyn Any + Send>>,
}

impl Session {
    /// Read a start as it came. Also for trying a bot out in tests.
    pub fn new(start: v1::SessionStart) -> Self {
        Self {
            id: start.session_id,
            game: start.game,
            rules_version: start.rules_version,
            seat: start.seat,
            seats: start.seats,
            options: start.options.unwrap_or_default(),
            clock: start.clock.unwrap_or_default(),
            faults: start.faults.unwrap_or_default(),
            resumed: start.resumed,
            seed_commitment: start.seed_commitment,
            seq: start.seq,
            data: None,
        }
    }

    /// Whatever the bot keeps for this session: its default when first asked for, then what the bot has made of it.
    ///
    /// ```
    /// # let mut session = croupier::Session::default();
    /// *session.data::<u32>() += 1;
    /// assert_eq!(*session.data::<u32>(), 1);
    /// ```
    pub fn data<T: Default + Send + 'static>(&mut self) -> &mut T {
        if !self.data.as_ref().is_some_and(|data| data.is::<T>()) {
            self.data = Some(Box::<T>::default());
        }
        self.data.as_mut().and_then(|data| data.downcast_mut()).expect("it is there, and of that type")
    }
}

/// How a session ended, as the bot's seat sees it.
#[derive(Debug)]
#[non_exhaustive]
pub struct End<G: Game> {
    /// Why it is over.
    pub reason: v1::EndReason,
    /// Points and placings of all seats; `None` where the session was stopped before its end.
    pub result: Option<v1::Result>,
    /// The bot's own points; `None` without a result.
    pub points: Option<i32>,
    /// The bot's own placing, 1 is best; `None` without a result.
    pub placing: Option<u32>,
    /// The final view of the bot's seat; `None` without a result.
    pub view: Option<G::View>,
    /// The session's seed, 32 bytes, whose SHA-256 is `session.seed_commitment`; empty where there was none.
    pub seed: Vec<u8>,
}

impl<G: Game> End<G> {
    pub(crate) fn new(message: v1::SessionEnd) -> Self {
        let at = message.seat as usize;
        Self {
            reason: message.reason(),
            points: message.result.as_ref().and_then(|result| result.points.get(at).copied()),
            placing: message.result.as_ref().and_then(|result| result.placings.get(at).copied()),
            result: message.result,
            view: message.view.and_then(G::view),
            seed: message.seed,
        }
    }
}
