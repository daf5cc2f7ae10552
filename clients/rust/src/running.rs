//! Playing a bot: [`run`] for programs that do nothing else, [`play`] for programs that have a tokio runtime.

use std::{any::type_name, env, sync::Arc};

use tokio::{select, sync::mpsc, task::JoinSet};

use crate::{
    bot::Bot,
    connection::{Connection, Places},
    console,
    error::Error,
    playing::Playing,
    settings::Settings,
};

/// Seat a bot at a server and play until stopped. SIGINT (Ctrl-C) and SIGTERM end it cleanly.
///
/// While the server cannot be reached, it is tried again and again, after 0.1 s at first and 10 s at last. A lost
/// connection costs no session: the server asks again what was open.
///
/// Where the program has not set up logging, the SDK's warnings are shown on stderr.
///
/// # Errors
///
/// The server will not have this bot; a newer connection of it took over; a setting or a file for TLS cannot be used.
///
/// # Panics
///
/// The system grants no thread, or this is called from within a runtime: write `croupier::play(...).await` there.
pub fn run<B: Bot>(bot: B, settings: Settings) -> Result<(), Error> {
    console::show(settings.verbose);
    // One thread is the fastest: a frame is read, decided and answered without waking another. What thinks for long
    // does so elsewhere (`Choice::later`).
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("the system grants threads");
    let ended = runtime.block_on(async {
        select! {
            ended = play(bot, settings) => ended,
            () = stopped() => {
                log::info!(target: "croupier", "stopped");
                Ok(())
            }
        }
    });
    runtime.shutdown_background();
    ended
}

/// Do the same as [`run`] in a program that has a tokio runtime: play until the future is dropped.
///
/// Several bots can play in one runtime, under different names. Logging and signals are left to the program.
///
/// # Errors
///
/// As for [`run`].
pub async fn play<B: Bot>(bot: B, settings: Settings) -> Result<(), Error> {
    let resolved = settings.resolve(type_name::<B>(), |name| env::var(name).ok())?;
    let (stop, mut stopped) = mpsc::unbounded_channel();
    let (open, mut to_open) = mpsc::unbounded_channel();
    let playing = Arc::new(Playing::new(bot, resolved.name, &settings, stop));
    let places = Arc::new(Places::new(open));
    places.open(resolved.target, resolved.token, true);
    let mut kept = JoinSet::new(); // dropping it ends all connections
    loop {
        select! {
            ended = stopped.recv() => return ended.unwrap_or(Ok(())),
            Some(place) = to_open.recv() => {
                let (playing, places) = (Arc::clone(&playing), Arc::clone(&places));
                let connection =
                    Connection::new(playing, Arc::clone(&place), places, resolved.tls.clone(), settings.backoff.clone());
                kept.spawn(async move { (connection.keep().await, place) });
            }
            Some(ended) = kept.join_next() => match ended {
                Ok((Ok(()), _)) => {}
                Ok((Err(error), place)) if place.home => return Err(error),
                Ok((Err(error), place)) => {
                    places.give_up(&place); // before it is told: who hears of it may send the bot there anew
                    log::warn!(target: "croupier", "{} does not let the bot play there: {error}", place.target);
                }
                Err(panic) => std::panic::resume_unwind(panic.into_panic()), // a fault of this SDK
            },
        }
    }
}

/// Wait until the program is asked to stop.
async fn stopped() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let signals = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
        if let (Ok(mut interrupt), Ok(mut terminate)) = signals {
            select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
            return;
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await; // signals cannot be listened to here: they end the program by themselves
    }
}
