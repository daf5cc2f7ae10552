//! Bots for tests, and what they are played with.

use std::{
    sync::{Arc, Mutex, Once},
    time::Duration,
};

use tokio::{task::JoinHandle, time::timeout};

use super::fake_server::{FakeServer, PATIENCE};
use crate::{AnyGame, Backoff, Bot, Choice, Chosen, Decision, End, Error, Session, Settings, TrickAndTrade, v1};

/// What a bot was told: "start a", "decision a 7", ...
pub(super) type Told = Arc<Mutex<Vec<String>>>;

type Choose = Box<dyn FnMut(Decision<'_, TrickAndTrade>) -> Chosen + Send>;

/// Remembers all that it was told, and chooses as the test says.
pub(super) struct Recorder {
    pub(super) told: Told,
    choose: Choose,
}

impl Recorder {
    pub(super) fn new(choose: impl FnMut(Decision<'_, TrickAndTrade>) -> Chosen + Send + 'static) -> Self {
        Self { told: Arc::default(), choose: Box::new(choose) }
    }

    /// Takes the first legal action.
    pub(super) fn first() -> Self {
        Self::new(|_| Ok(Choice::Index(0)))
    }

    fn note(&self, what: String) {
        self.told.lock().expect("no test has failed").push(what);
    }
}

pub(super) fn heard(told: &Told) -> Vec<String> {
    told.lock().expect("no test has failed").clone()
}

impl Bot for Recorder {
    type Game = TrickAndTrade;

    fn choose(&mut self, decision: Decision<'_, TrickAndTrade>) -> Chosen {
        self.note(format!("decision {} {}", decision.session.id, decision.id));
        (self.choose)(decision)
    }

    fn wants_events(&self) -> bool {
        true
    }

    fn on_start(&mut self, session: &mut Session) {
        self.note(format!("start {}", session.id));
    }

    fn on_events(&mut self, session: &mut Session, events: &[v1::Event]) {
        let seqs: Vec<u64> = events.iter().map(|event| event.seq).collect();
        self.note(format!("events {} {seqs:?}", session.id));
    }

    fn on_rewind(&mut self, session: &mut Session) {
        self.note(format!("rewind {} {}", session.id, session.seq));
    }

    fn on_result(&mut self, session: &mut Session, result: &v1::ActResult) {
        self.note(format!("result {} {}", session.id, result.outcome));
    }

    fn on_end(&mut self, session: &mut Session, end: &End<TrickAndTrade>) {
        self.note(format!("end {} {:?}", session.id, end.placing));
    }
}

/// Plays any game, and takes the first legal action.
pub(super) struct First;

impl Bot for First {
    type Game = AnyGame;

    fn choose(&mut self, _decision: Decision<'_, AnyGame>) -> Chosen {
        Ok(Choice::Index(0))
    }
}

/// Stands for the clock between two connections: no test waits, and each sees how long a bot would have.
pub(super) type Pauses = Arc<Mutex<Vec<Duration>>>;

pub(super) fn seconds(pauses: &Pauses) -> Vec<f64> {
    pauses.lock().expect("no test has failed").iter().map(Duration::as_secs_f64).collect()
}

/// A bot being played; dropping it ends that.
pub(super) struct Played {
    task: JoinHandle<Result<(), Error>>,
    pub(super) pauses: Pauses,
}

impl Played {
    /// Wait until playing is over.
    pub(super) async fn ended(&mut self) -> Result<(), Error> {
        timeout(PATIENCE, &mut self.task).await.expect("playing ends").expect("the SDK does not panic")
    }

    pub(super) fn stop(&self) {
        self.task.abort();
    }
}

impl Drop for Played {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Play a bot at the server until the test is over.
pub(super) fn play<B: Bot>(server: &FakeServer, bot: B) -> Played {
    play_with(server, bot, Settings::new())
}

pub(super) fn play_with<B: Bot>(server: &FakeServer, bot: B, settings: Settings) -> Played {
    listen();
    let pauses = Pauses::default();
    let noted = Arc::clone(&pauses);
    let backoff = Backoff {
        random: || 1.0,
        sleep: Arc::new(move |time| {
            noted.lock().expect("no test has failed").push(time);
            Box::pin(tokio::task::yield_now())
        }),
        ..Backoff::default()
    };
    let mut settings = settings.target(&server.target).name("bot").backoff(backoff);
    settings.tls.get_or_insert(crate::Tls::Off);
    settings.patience = settings.patience.or(Some(PATIENCE)); // a busy machine must not look like a slow bot
    Played { task: tokio::spawn(crate::play(bot, settings)), pauses }
}

/// Tests run side by side and share one log: each looks for what only it can have caused.
static LOGGED: Mutex<Vec<String>> = Mutex::new(Vec::new());

struct Ear;

impl log::Log for Ear {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.target() == "croupier"
    }

    fn log(&self, record: &log::Record<'_>) {
        if self.enabled(record.metadata()) {
            LOGGED.lock().expect("no test has failed").push(format!("{}: {}", record.level(), record.args()));
        }
    }

    fn flush(&self) {}
}

pub(super) fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        log::set_logger(&Ear).expect("nobody else listens");
        log::set_max_level(log::LevelFilter::Info);
    });
}

/// The lines of the log with these words.
pub(super) fn logged(words: &str) -> Vec<String> {
    LOGGED.lock().expect("no test has failed").iter().filter(|line| line.contains(words)).cloned().collect()
}
