//! What all connections of a bot share while it is played.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::sync::mpsc;

use crate::{
    bot::{Bot, BoxError},
    error::Error,
    settings::{OnError, Settings},
};

/// Finished answers wait this long for the rest of their frame; only slow bots ever reach it.
const PATIENCE: Duration = Duration::from_millis(5);

/// One bot being played, and the one door through which that ends.
pub(crate) struct Playing<B> {
    pub(crate) name: String,
    pub(crate) games: Vec<String>,
    pub(crate) max_sessions: u32,
    pub(crate) wants_events: bool,
    pub(crate) patience: Duration,
    bot: Mutex<B>,
    left: Mutex<Option<u32>>,
    on_error: OnError,
    stop: mpsc::UnboundedSender<Result<(), Error>>,
}

impl<B: Bot> Playing<B> {
    /// What is sent to `stop` first ends the playing.
    pub(crate) fn new(
        bot: B,
        name: String,
        settings: &Settings,
        stop: mpsc::UnboundedSender<Result<(), Error>>,
    ) -> Self {
        #[cfg(test)]
        let patience = settings.patience.unwrap_or(PATIENCE);
        #[cfg(not(test))]
        let patience = PATIENCE;
        Self {
            name,
            games: bot.games(),
            max_sessions: bot.max_sessions(),
            wants_events: bot.wants_events(),
            patience,
            bot: Mutex::new(bot),
            left: Mutex::new(settings.sessions),
            on_error: settings.on_error,
            stop,
        }
    }

    /// Let the bot do something; a panic becomes an error.
    pub(crate) fn ask<T>(&self, what: impl FnOnce(&mut B) -> Result<T, BoxError>) -> Result<T, BoxError> {
        let mut bot = self.bot.lock().unwrap_or_else(PoisonError::into_inner);
        catch_unwind(AssertUnwindSafe(|| what(&mut bot))).unwrap_or_else(|panic| Err(panicked(&*panic)))
    }

    /// Count a session that has ended; the last one wanted ends the playing.
    pub(crate) fn session_over(&self) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = left.as_mut() {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.stop(Ok(()));
            }
        }
    }

    /// Report an error in the bot's own code: log it, or stop with it.
    pub(crate) fn crashed(&self, what: &str, error: BoxError) {
        match self.on_error {
            OnError::Log => log::error!(target: "croupier", "{what}: {error}"),
            OnError::Stop => self.stop(Err(Error::Bot(error))),
        }
    }

    fn stop(&self, why: Result<(), Error>) {
        let _ = self.stop.send(why); // where nobody listens, playing has stopped already
    }
}

/// What a panic said.
pub(crate) fn panicked(panic: &(dyn Any + Send)) -> BoxError {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("panic: {}", text.unwrap_or("without a message")).into()
}
