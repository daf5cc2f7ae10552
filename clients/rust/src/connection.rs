//! A bot's connection to one server: a stream, and after its loss another one.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::{select, sync::mpsc};
use tonic::{Request, Status, client::Grpc, codegen::http::uri::PathAndQuery};

use crate::{
    backoff::Backoff,
    bot::Bot,
    channel::{FRAME_LIMIT, authorization, endpoint},
    codec::SliceCodec,
    error::{Error, cause_of, finally, in_plain_words},
    playing::Playing,
    seats::{Seats, Surroundings},
    tls::Tls,
    v1,
    wire::Frame,
};

/// Called by hand rather than by the generated client, to read frames as `wire` has them.
const PLAY: &str = "/croupier.v1.PlayService/Play";

/// A server to which the bot is, or was just, connected.
pub(crate) struct Place {
    pub(crate) target: String,
    /// Whether the bot stays when there is nothing left to play.
    pub(crate) home: bool,
    due: Mutex<Due>,
}

/// What is to be done at a place.
struct Due {
    /// What to show when the next stream opens.
    token: Option<String>,
    /// Sessions that were sent here by another server and are not over yet.
    expected: HashSet<String>,
}

/// The server that was named, and those to which it has sent the bot on.
pub(crate) struct Places {
    all: Mutex<Vec<Arc<Place>>>,
    open: mpsc::UnboundedSender<Arc<Place>>,
}

impl Places {
    /// What is sent to `open` is to be connected to.
    pub(crate) fn new(open: mpsc::UnboundedSender<Arc<Place>>) -> Self {
        Self { all: Mutex::default(), open }
    }

    /// Add a place, and have it connected to.
    pub(crate) fn open(&self, target: String, token: Option<String>, home: bool) {
        self.add(&mut lock(&self.all), target, token, home);
    }

    fn add(&self, all: &mut Vec<Arc<Place>>, target: String, token: Option<String>, home: bool) -> Arc<Place> {
        let due = Mutex::new(Due { token, expected: HashSet::new() });
        let place = Arc::new(Place { target, home, due });
        all.push(Arc::clone(&place));
        let _ = self.open.send(Arc::clone(&place)); // where nobody listens, playing has stopped
        place
    }

    /// Go where a session is hosted. There is one connection to each server, for all the sessions it hosts.
    fn follow(&self, start: v1::SessionStart) {
        log::info!(target: "croupier", "session {} is hosted by {}", start.session_id, start.endpoint);
        let mut all = lock(&self.all);
        forget(&all, &start.session_id);
        let token = Some(start.seat_token);
        let known = all.iter().find(|place| place.target == start.endpoint && !place.home).cloned();
        let place = known.unwrap_or_else(|| self.add(&mut all, start.endpoint, None, false));
        let mut due = lock(&place.due);
        due.token = token;
        due.expected.insert(start.session_id);
    }

    /// Expect a session nowhere any more.
    fn forget(&self, session_id: &str) {
        forget(&lock(&self.all), session_id);
    }

    /// Strike a place from the list if no session is expected there; otherwise return false.
    fn retire(&self, place: &Arc<Place>) -> bool {
        let mut all = lock(&self.all);
        let done = lock(&place.due).expected.is_empty();
        if done {
            all.retain(|other| !Arc::ptr_eq(other, place));
        }
        done
    }

    /// Strike a place from the list, whatever is expected there.
    pub(crate) fn give_up(&self, place: &Arc<Place>) {
        lock(&self.all).retain(|other| !Arc::ptr_eq(other, place));
    }
}

fn forget(all: &[Arc<Place>], session_id: &str) {
    for place in all {
        lock(&place.due).expected.remove(session_id);
    }
}

/// The bot's seats at one place, and the streams through which they are played.
pub(crate) struct Connection<B> {
    place: Arc<Place>,
    places: Arc<Places>,
    seats: Seats<B>,
    name: String,
    tls: Tls,
    backoff: Backoff,
    /// Frames read from the stream of the day.
    frames: u64,
}

impl<B: Bot> Connection<B> {
    /// Do not connect yet: `keep` does.
    pub(crate) fn new(
        playing: Arc<Playing<B>>,
        place: Arc<Place>,
        places: Arc<Places>,
        tls: Tls,
        backoff: Backoff,
    ) -> Self {
        let name = playing.name.clone();
        Self { place, places, seats: Seats::new(playing), name, tls, backoff, frames: 0 }
    }

    /// Play, over as many streams as it takes, until there is nothing left to play here.
    pub(crate) async fn keep(mut self) -> Result<(), Error> {
        let mut failures: u32 = 0;
        while self.wanted() {
            let reason = self.stream().await?;
            self.seats.close_stream();
            if !self.wanted() {
                break;
            }
            if self.frames > 1 {
                failures = 0; // a greeting alone is no success: the next frame may be what breaks it
            }
            let what = if self.frames > 0 { "lost" } else { "cannot reach" };
            let delay = self.backoff.delay(failures);
            failures = failures.saturating_add(1);
            // The first try is told of, and the second, fourth, eighth, ...: a server may be away for days.
            let level = if failures.is_power_of_two() { log::Level::Warn } else { log::Level::Debug };
            let (target, seconds) = (&self.place.target, delay.as_secs_f64());
            log::log!(target: "croupier", level, "{what} {target} ({reason}); trying again in {seconds:.1} s");
            (self.backoff.sleep)(delay).await;
        }
        Ok(())
    }

    fn wanted(&self) -> bool {
        self.place.home || !self.seats.is_empty() || !self.places.retire(&self.place)
    }

    /// Play over one stream; return why it ended.
    async fn stream(&mut self) -> Result<String, Error> {
        self.frames = 0;
        let endpoint = match endpoint(&self.place.target, &self.tls) {
            Ok(endpoint) => endpoint,
            // It was good when the bot was started: perhaps it is being renewed.
            Err(Error::BadCertificate(what)) => return Ok(what),
            Err(error) => return Err(error),
        };
        let token = lock(&self.place.due).token.clone();
        let token = authorization(token.as_deref())?;
        let channel = match endpoint.connect().await {
            Ok(channel) => channel,
            Err(error) => return Ok(in_plain_words(&error)),
        };
        let mut client = Grpc::new(channel).max_decoding_message_size(FRAME_LIMIT);
        let mut request = Request::new(self.seats.open_stream());
        if let Some(token) = token {
            request.metadata_mut().insert("authorization", token);
        }
        if let Err(error) = client.ready().await {
            return Ok(in_plain_words(&error));
        }
        let codec = SliceCodec::<v1::PlayRequest, Frame>::default();
        let mut incoming = match client.streaming(request, PathAndQuery::from_static(PLAY), codec).await {
            Ok(response) => response.into_inner(),
            Err(status) => return ended(&status),
        };
        loop {
            let frame = select! {
                frame = incoming.message() => frame,
                () = self.seats.think(), if self.seats.is_thinking() => continue,
            };
            match frame {
                Ok(Some(frame)) => {
                    self.frames += 1;
                    let mut around = Around { connection: &self.place, places: &self.places, name: &self.name };
                    self.seats.receive(frame, &mut around).await;
                    if !self.wanted() {
                        return Ok("nothing left to play".to_owned());
                    }
                }
                Ok(None) => return Ok("the server closed the stream".to_owned()),
                Err(status) => return ended(&status),
            }
        }
    }
}

fn ended(status: &Status) -> Result<String, Error> {
    finally(status).map_or_else(|| Ok(cause_of(status)), Err)
}

struct Around<'a> {
    connection: &'a Place,
    places: &'a Places,
    name: &'a str,
}

impl Surroundings for Around<'_> {
    fn welcomed(&mut self, welcome: &v1::Welcome) {
        let name = if welcome.bot.is_empty() { self.name } else { &welcome.bot };
        let server = if welcome.server.is_empty() { String::new() } else { format!(" ({})", welcome.server) };
        log::info!(target: "croupier", "connected as {name} to {}{server}", self.connection.target);
    }

    fn moved(&mut self, start: v1::SessionStart) {
        self.places.follow(start);
    }

    fn over(&mut self, session_id: &str) {
        self.places.forget(session_id);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
