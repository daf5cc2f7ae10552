//! The bot's seats at one server: what the server says is turned into calls of the bot, and its choices into acts.
//!
//! Frames come in through `receive`, acts go out through the outbox of the stream of the day. Seats outlive streams:
//! when one is lost, sessions stay, thinking goes on, and what was chosen meanwhile is said on the next.

use std::{
    collections::HashMap,
    mem::{Discriminant, discriminant},
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::task::{self, AbortHandle, JoinError, JoinSet};

use crate::{
    bot::{Bot, BoxError, Choice, Chosen, Decision, End, Session},
    channel::VERSION,
    game::Game as _,
    outbox::{Frames, Outbox},
    playing::{Playing, panicked},
    v1::{self, ActOutcome, act, client_message::Message as Said, game_action::Action},
    wire::{self, Heard},
};

const PROTOCOL: u32 = 1;
/// Seats to name in Hello, which has to be one frame; the server knows the others as well.
const RESUME_LIMIT: usize = 4000;

/// The bot's place in one session, and the decision it was last asked for.
struct Seat {
    session: Session,
    /// Which decision, attempt and, if it is a standing one, seq; `None`: none yet.
    asked: Option<(u32, u32, u64)>,
    /// What the bot has chosen; `None`: nothing yet.
    answer: Option<act::Choice>,
    thinking: Option<AbortHandle>,
    /// The last event that the bot was told.
    last_event: u64,
}

impl Seat {
    /// Drop the choice that is going on: nobody wants its answer any more.
    fn stop_thinking(&mut self) {
        if let Some(thinking) = self.thinking.take() {
            thinking.abort();
        }
    }
}

/// What has to be known of a decision to check its answer.
struct Question {
    session_id: String,
    seat: u32,
    decision_id: u32,
    standing: bool,
    actions: usize,
    game: Option<Discriminant<Action>>,
}

impl Question {
    fn of(message: &wire::Question) -> Self {
        Self {
            session_id: message.session_id.clone(),
            seat: message.seat,
            decision_id: message.decision_id,
            standing: message.standing,
            actions: message.actions.len(),
            game: message.actions.first().and_then(|action| action.action.as_ref()).map(discriminant),
        }
    }

    /// Turn a choice into an answer; `None`: wait.
    fn check(&self, choice: Choice) -> Result<Option<act::Choice>, BoxError> {
        match choice {
            Choice::Wait if self.standing => Ok(None),
            Choice::Wait => Err("choose chose to wait, which only a standing decision allows".into()),
            Choice::Index(index) if index < self.actions => {
                Ok(Some(act::Choice::Index(u32::try_from(index).expect("there are fewer actions"))))
            }
            Choice::Index(index) => {
                Err(format!("choose chose index {index}, but the {} actions count from 0", self.actions).into())
            }
            Choice::Action(action) if action.action.is_none() => {
                Err("choose chose an action of a game that this SDK does not know; choose it by its index".into())
            }
            Choice::Action(action) if action.action.as_ref().map(discriminant) != self.game => {
                Err("choose chose an action of another game".into())
            }
            Choice::Action(action) => Ok(Some(act::Choice::Action(action))),
            Choice::Later(_) => unreachable!("it was waited for"),
        }
    }
}

/// What of a frame concerns more than the seats at this server.
pub(crate) trait Surroundings {
    /// Hear the server's greeting.
    fn welcomed(&mut self, welcome: &v1::Welcome);
    /// Hear of a session that another server hosts.
    fn moved(&mut self, start: v1::SessionStart);
    /// Hear of a session that is over.
    fn over(&mut self, session_id: &str);
}

/// All seats of the bot at one server.
pub(crate) struct Seats<B> {
    playing: Arc<Playing<B>>,
    outbox: Option<Outbox>,
    by_session: HashMap<String, Vec<Seat>>,
    thinking: JoinSet<Chosen>,
    questions: HashMap<task::Id, Question>,
}

impl<B: Bot> Seats<B> {
    /// Take no seat yet.
    pub(crate) fn new(playing: Arc<Playing<B>>) -> Self {
        Self { playing, outbox: None, by_session: HashMap::new(), thinking: JoinSet::new(), questions: HashMap::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_session.is_empty()
    }

    /// Begin anew on a new stream: return its frames, the first of which is Hello alone.
    pub(crate) fn open_stream(&mut self) -> Frames {
        let known = self.by_session.values().flatten().take(RESUME_LIMIT);
        let hello = v1::Hello {
            protocol: PROTOCOL,
            bot: self.playing.name.clone(),
            sdk: format!("croupier-rust {VERSION}"),
            language: "rust".to_owned(),
            games: self.playing.games.clone(),
            max_sessions: self.playing.max_sessions,
            resume: known
                .map(|seat| v1::Resume {
                    session_id: seat.session.id.clone(),
                    last_seq: seat.last_event,
                    seat: seat.session.seat,
                })
                .collect(),
            events: self.playing.wants_events,
        };
        let (outbox, frames) = Outbox::open(Said::Hello(hello));
        self.outbox = Some(outbox);
        frames
    }

    /// Leave a stream that is lost.
    pub(crate) fn close_stream(&mut self) {
        self.outbox = None;
    }

    /// Do what a frame asks for, and see that the server hears of it.
    ///
    /// Answers to one frame go out in one frame. A bot that takes its time over each choice is the exception: what it
    /// has chosen so far is sent before it goes on, for each session's clock runs until its own answer is there.
    pub(crate) async fn receive(&mut self, frame: wire::Frame, around: &mut (impl Surroundings + Send)) {
        let received = Instant::now();
        let mut started = received;
        for message in frame.messages {
            match message.message {
                Some(Heard::Decision(decision)) => {
                    self.decide(decision, received);
                    if started.elapsed() > self.playing.patience {
                        self.flush();
                        task::yield_now().await; // lets the writer write
                        started = Instant::now();
                    }
                }
                Some(Heard::Welcome(welcome)) => {
                    if let Some(outbox) = &self.outbox {
                        outbox.limit(welcome.max_frame_bytes);
                    }
                    around.welcomed(&welcome);
                }
                Some(Heard::SessionStart(start)) => self.start(start, around),
                Some(Heard::Events(events)) => self.events(events),
                Some(Heard::ActResult(result)) => self.result(&result),
                Some(Heard::SessionEnd(end)) => self.end(end, around),
                Some(Heard::Ping(ping)) => self.say(Said::Pong(v1::Pong { nonce: ping.nonce })),
                Some(Heard::Drain(drain)) => drained(&drain),
                None => {} // news to this SDK, which is older than the server
            }
        }
        if let Some(outbox) = &self.outbox {
            outbox.acknowledge();
        }
    }

    fn find(&mut self, session_id: &str, number: u32) -> Option<&mut Seat> {
        self.by_session.get_mut(session_id)?.iter_mut().find(|seat| seat.session.seat == number)
    }

    fn say(&self, message: Said) {
        if let Some(outbox) = &self.outbox {
            outbox.add(message);
        }
    }

    fn flush(&self) {
        if let Some(outbox) = &self.outbox {
            outbox.flush();
        }
    }

    // ------------------------------------------------------------------------------------------------------ decisions

    fn decide(&mut self, message: wire::Question, received: Instant) {
        let playing = Arc::clone(&self.playing);
        let Some(seat) = self.find(&message.session_id, message.seat) else {
            let session = &message.session_id;
            log::warn!(target: "croupier", "asked to decide in session {session}, of which the server has not told");
            return;
        };
        let asked = (message.decision_id, message.attempt, if message.standing { message.seq } else { 0 });
        if seat.asked == Some(asked) {
            // On an earlier stream: the bot has chosen, or is still at it.
            if let Some(answer) = seat.answer.clone() {
                self.say(act(message.session_id, message.decision_id, answer));
            }
            return;
        }
        seat.stop_thinking();
        seat.asked = Some(asked);
        seat.answer = None;
        seat.session.seq = message.seq;
        let question = Question::of(&message);
        let chosen = match Decision::read(&mut seat.session, message, received) {
            Some(decision) => playing.ask(|bot| bot.choose(decision)),
            None => Err(format!("the server asked in another game than {}", B::Game::NAMES.join(", ")).into()),
        };
        match chosen {
            Ok(Choice::Later(thinking)) => {
                let handle = self.thinking.spawn(to_the_end(thinking));
                self.questions.insert(handle.id(), question);
                let question = &self.questions[&handle.id()];
                let seats = self.by_session.get_mut(&question.session_id).into_iter().flatten();
                seats
                    .filter(|seat| seat.session.seat == question.seat)
                    .for_each(|seat| seat.thinking = Some(handle.clone()));
            }
            chosen => self.settle(question, chosen),
        }
    }

    /// Check, remember and say what the bot has chosen.
    fn settle(&mut self, question: Question, chosen: Chosen) {
        let answer = chosen.and_then(|choice| question.check(choice));
        let Some(seat) = self.find(&question.session_id, question.seat) else { return };
        match answer {
            Ok(None) => {}
            Ok(Some(answer)) => {
                seat.answer = Some(answer.clone());
                self.say(act(question.session_id, question.decision_id, answer));
            }
            Err(error) => {
                let (session, decision) = (&seat.session, question.decision_id);
                let place = format!("session {} ({}, seat {})", session.id, session.game, session.seat);
                let what =
                    format!("choose failed in {place}, decision {decision}: no answer is sent, the clock decides");
                self.playing.crashed(&what, error);
            }
        }
    }

    /// Whether the bot is choosing in the background.
    pub(crate) fn is_thinking(&self) -> bool {
        !self.thinking.is_empty()
    }

    /// Wait until a choice in the background is made, and say it together with all others that are ready.
    pub(crate) async fn think(&mut self) {
        let mut next = self.thinking.join_next_with_id().await;
        while let Some(thought) = next {
            self.thought(thought);
            next = self.thinking.try_join_next_with_id();
        }
        self.flush();
    }

    fn thought(&mut self, thought: Result<(task::Id, Chosen), JoinError>) {
        let (id, chosen) = match thought {
            Ok((id, chosen)) => (id, chosen),
            Err(error) => {
                let id = error.id();
                match error.try_into_panic() {
                    Ok(panic) => (id, Err(panicked(&*panic))),
                    Err(_dropped) => {
                        self.questions.remove(&id);
                        return;
                    }
                }
            }
        };
        let Some(question) = self.questions.remove(&id) else { return };
        let Some(seat) = self.find(&question.session_id, question.seat) else { return };
        if seat.thinking.as_ref().is_some_and(|thinking| thinking.id() == id) {
            seat.thinking = None;
            self.settle(question, chosen);
        }
    }

    // ------------------------------------------------------------------------------------------------ everything else

    fn start(&mut self, start: v1::SessionStart, around: &mut impl Surroundings) {
        let playing = Arc::clone(&self.playing);
        if !start.endpoint.is_empty() {
            self.take_out(&start.session_id, start.seat);
            around.moved(start);
        } else if let Some(seat) = self.find(&start.session_id, start.seat) {
            if start.seq < seat.session.seq.max(seat.last_event) {
                log::warn!(target: "croupier", "session {} goes back to event {}", start.session_id, start.seq);
                seat.stop_thinking();
                seat.asked = None;
                seat.answer = None;
                seat.session.seq = start.seq;
                seat.last_event = seat.last_event.min(start.seq);
                hook(&playing, "on_rewind", &mut seat.session, B::on_rewind);
            }
        } else {
            let session = Session::new(start);
            let mut seat = Seat { session, asked: None, answer: None, thinking: None, last_event: 0 };
            hook(&playing, "on_start", &mut seat.session, B::on_start);
            self.by_session.entry(seat.session.id.clone()).or_default().push(seat);
        }
    }

    fn events(&mut self, mut message: v1::Events) {
        let playing = Arc::clone(&self.playing);
        let Some(seat) = self.find(&message.session_id, message.seat) else { return };
        message.events.retain(|event| event.seq > seat.last_event);
        if let Some(last) = message.events.last() {
            seat.last_event = last.seq;
            seat.session.seq = last.seq;
            hook(&playing, "on_events", &mut seat.session, |bot, session| bot.on_events(session, &message.events));
        }
    }

    fn result(&mut self, result: &v1::ActResult) {
        let playing = Arc::clone(&self.playing);
        let loud = matches!(
            ActOutcome::try_from(result.outcome),
            Ok(ActOutcome::Illegal
                | ActOutcome::Late
                | ActOutcome::Malformed
                | ActOutcome::UnknownDecision
                | ActOutcome::Vacated)
        ) || (result.max_faults > 0 && result.faults >= result.max_faults);
        let level = if loud { log::Level::Warn } else { log::Level::Debug };
        log::log!(target: "croupier", level, "{}", in_words(result));
        let Some(seat) = self.find(&result.session_id, result.seat) else { return };
        let late = result.outcome == ActOutcome::Late as i32;
        if late && seat.asked.is_some_and(|(decision_id, ..)| decision_id == result.decision_id) {
            seat.stop_thinking();
        }
        hook(&playing, "on_result", &mut seat.session, |bot, session| bot.on_result(session, result));
    }

    fn end(&mut self, message: v1::SessionEnd, around: &mut impl Surroundings) {
        let session_id = message.session_id.clone();
        if let Some(mut seat) = self.take_out(&session_id, message.seat) {
            seat.session.seq = message.seq;
            let end = End::new(message);
            let (points, placing) = (end.points, end.placing);
            log::debug!(target: "croupier", "session {session_id} is over: placing {placing:?}, points {points:?}");
            hook(&self.playing, "on_end", &mut seat.session, |bot, session| bot.on_end(session, &end));
            if self.by_session.contains_key(&session_id) {
                return; // the bot has another seat there
            }
            self.playing.session_over();
        }
        around.over(&session_id);
    }

    /// Give up a seat.
    fn take_out(&mut self, session_id: &str, number: u32) -> Option<Seat> {
        let seats = self.by_session.get_mut(session_id)?;
        let at = seats.iter().position(|seat| seat.session.seat == number)?;
        let mut seat = seats.swap_remove(at);
        if seats.is_empty() {
            self.by_session.remove(session_id);
        }
        seat.stop_thinking();
        Some(seat)
    }
}

/// Let the bot's own code hear of something; what goes wrong there is logged, and the game goes on.
fn hook<B: Bot>(playing: &Playing<B>, name: &str, session: &mut Session, call: impl FnOnce(&mut B, &mut Session)) {
    let heard = playing.ask(|bot| {
        call(bot, session);
        Ok(())
    });
    if let Err(error) = heard {
        playing.crashed(&format!("{name} failed in session {} ({})", session.id, session.game), error);
    }
}

/// Wait for a choice that may itself be put off.
async fn to_the_end(mut thinking: std::pin::Pin<Box<dyn Future<Output = Chosen> + Send>>) -> Chosen {
    loop {
        match thinking.await? {
            Choice::Later(further) => thinking = further,
            choice => return Ok(choice),
        }
    }
}

fn act(session_id: String, decision_id: u32, choice: act::Choice) -> Said {
    Said::Act(v1::Act { session_id, decision_id, choice: Some(choice) })
}

fn drained(drain: &v1::Drain) {
    let reason = if drain.reason.is_empty() { "no reason given" } else { &drain.reason };
    let grace = Duration::from_millis(drain.grace_ms.into()).as_secs_f64().round();
    log::info!(target: "croupier", "the server is about to stop ({reason}); it lets games end for {grace} s");
}

/// Say what became of an act in one line.
pub(crate) fn in_words(result: &v1::ActResult) -> String {
    let outcome = ActOutcome::try_from(result.outcome).map_or_else(
        |_| format!("outcome {}", result.outcome),
        |outcome| outcome.as_str_name().trim_start_matches("ACT_OUTCOME_").replace('_', " ").to_lowercase(),
    );
    let mut words = Vec::new();
    if !result.session_id.is_empty() {
        words.push(format!("session {}, decision {}: ", result.session_id, result.decision_id));
    }
    words.push(outcome);
    if !result.rule.is_empty() {
        words.push(format!(" ({})", result.rule));
    }
    if !result.message.is_empty() {
        words.push(format!(": {}", result.message));
    }
    if result.outcome == ActOutcome::Illegal as i32 {
        words.push(format!("; attempts left: {}", result.attempts_left));
    }
    if result.max_faults > 0 {
        words.push(format!("; faults: {} of {}", result.faults, result.max_faults));
    }
    words.concat()
}
