//! A server that does what a test tells it: the test accepts streams, speaks as the server, and sees the bot's answers.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{net::TcpListener, sync::mpsc, task::JoinHandle, time::timeout};
use tonic::{
    Code, Request, Response, Status, Streaming,
    codegen::tokio_stream::wrappers::{TcpListenerStream, UnboundedReceiverStream},
    transport::{Server, ServerTlsConfig},
};

use self::generated::play_service_server::{PlayService, PlayServiceServer};
use crate::{
    games::trick_and_trade::v1 as tnt,
    v1::{self, act, client_message::Message as Said, server_message::Message},
};

#[allow(clippy::all, clippy::pedantic)]
mod generated {
    include!("../generated/fake/play.rs");
}

/// Until a test that waits for something gives up, on however busy a machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

type Answer = Result<v1::PlayResponse, Status>;

/// Hands each stream that a bot opens to the test.
pub(super) struct FakeServer {
    pub(super) target: String,
    streams: mpsc::UnboundedReceiver<Stream>,
    refusals: Arc<Mutex<VecDeque<Status>>>,
    serving: JoinHandle<()>,
}

impl FakeServer {
    pub(super) async fn start() -> Self {
        Self::start_with(None).await
    }

    pub(super) async fn start_with(tls: Option<ServerTlsConfig>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let target = format!("localhost:{}", listener.local_addr().expect("it is bound").port());
        let (accepted, streams) = mpsc::unbounded_channel();
        let refusals = Arc::default();
        let service = PlayServiceServer::new(Acceptor { accepted, refusals: Arc::clone(&refusals) });
        let mut server = Server::builder();
        if let Some(tls) = tls {
            server = server.tls_config(tls).expect("good certificates");
        }
        let serving = server.add_service(service).serve_with_incoming(TcpListenerStream::new(listener));
        let serving = tokio::spawn(async move { serving.await.expect("it serves") });
        Self { target, streams, refusals, serving }
    }

    /// A server that was there, but is no longer.
    pub(super) async fn gone() -> Self {
        let mut server = Self::start().await;
        server.serving.abort();
        let _ = (&mut server.serving).await; // its port is free again
        server
    }

    /// Refuse the next stream, before anything is read.
    pub(super) fn refuse(&self, status: Status) {
        self.refusals.lock().expect("no test has failed").push_back(status);
    }

    /// The next stream that a bot opens.
    pub(super) async fn meet(&mut self) -> Stream {
        timeout(PATIENCE, self.streams.recv()).await.expect("a bot comes").expect("the server runs")
    }

    /// The next stream that a bot opens, greeted.
    pub(super) async fn accept(&mut self) -> Stream {
        let mut stream = self.meet().await;
        stream.say([welcome(0)]);
        assert_eq!(stream.hear().await, [ack()]);
        stream
    }
}

impl Drop for FakeServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

struct Acceptor {
    accepted: mpsc::UnboundedSender<Stream>,
    refusals: Arc<Mutex<VecDeque<Status>>>,
}

#[tonic::async_trait]
impl PlayService for Acceptor {
    type PlayStream = UnboundedReceiverStream<Answer>;

    async fn play(&self, request: Request<Streaming<v1::PlayRequest>>) -> Result<Response<Self::PlayStream>, Status> {
        if let Some(refusal) = self.refusals.lock().expect("no test has failed").pop_front() {
            return Err(refusal);
        }
        let token = request.metadata().get("authorization").map(|token| token.to_str().expect("ASCII").to_owned());
        let mut incoming = request.into_inner();
        let frame = incoming.message().await?.ok_or_else(|| Status::invalid_argument("no Hello"))?;
        let [v1::ClientMessage { message: Some(Said::Hello(hello)) }] = frame.messages.as_slice() else {
            return Err(Status::invalid_argument("Hello comes alone"));
        };
        let (outgoing, answers) = mpsc::unbounded_channel::<Answer>();
        let stream = Stream { hello: hello.clone(), token, incoming, outgoing };
        let _ = self.accepted.send(stream);
        Ok(Response::new(UnboundedReceiverStream::new(answers)))
    }
}

/// One stream, from the server's side; its Hello has been read.
pub(super) struct Stream {
    pub(super) hello: v1::Hello,
    pub(super) token: Option<String>,
    incoming: Streaming<v1::PlayRequest>,
    outgoing: mpsc::UnboundedSender<Answer>,
}

impl Stream {
    /// Send messages in one frame.
    pub(super) fn say(&self, messages: impl IntoIterator<Item = v1::ServerMessage>) {
        let frame = v1::PlayResponse { messages: messages.into_iter().collect() };
        self.outgoing.send(Ok(frame)).expect("the bot is there");
    }

    /// The messages of the bot's next frame.
    pub(super) async fn hear(&mut self) -> Vec<v1::ClientMessage> {
        let frame = timeout(PATIENCE, self.incoming.message()).await.expect("the bot says something");
        frame.expect("the stream is whole").expect("the bot has not ended the stream").messages
    }

    /// Wait until the bot has ended the stream.
    pub(super) async fn gone(&mut self) {
        let ended = async { while let Ok(Some(_)) = self.incoming.message().await {} };
        timeout(PATIENCE, ended).await.expect("the bot ends the stream");
    }

    /// End the stream.
    pub(super) fn end(self, code: Code, message: &str) {
        self.end_with(Status::new(code, message));
    }

    pub(super) fn end_with(self, status: Status) {
        if status.code() != Code::Ok {
            let _ = self.outgoing.send(Err(status));
        }
    }
}

// What a server says.

fn told(message: Message) -> v1::ServerMessage {
    v1::ServerMessage { message: Some(message) }
}

pub(super) fn welcome(max_frame_bytes: u32) -> v1::ServerMessage {
    let (bot, server) = ("bot".to_owned(), "fake 1".to_owned());
    told(Message::Welcome(v1::Welcome { protocol: 1, bot, server, max_frame_bytes, ..Default::default() }))
}

pub(super) fn start(session_id: &str) -> v1::ServerMessage {
    start_with(session_id, |_| {})
}

pub(super) fn start_with(session_id: &str, change: impl FnOnce(&mut v1::SessionStart)) -> v1::ServerMessage {
    let (session_id, game) = (session_id.to_owned(), "trick-and-trade".to_owned());
    let mut start = v1::SessionStart { session_id, game, seat: 2, seats: 4, ..Default::default() };
    change(&mut start);
    told(Message::SessionStart(start))
}

pub(super) fn play_card(card: i32) -> v1::GameAction {
    tnt::Action { action: Some(tnt::action::Action::Play(card)) }.into()
}

pub(super) fn ask(session_id: &str, decision_id: u32) -> v1::ServerMessage {
    ask_with(session_id, decision_id, |_| {})
}

pub(super) fn ask_with(
    session_id: &str,
    decision_id: u32,
    change: impl FnOnce(&mut v1::Decision),
) -> v1::ServerMessage {
    let cards = vec![1, 2, 3];
    let mut decision = v1::Decision {
        session_id: session_id.to_owned(),
        decision_id,
        seat: 2,
        attempt: 1,
        actions: cards.iter().copied().map(play_card).collect(),
        view: Some(tnt::View { hand: cards, ..Default::default() }.into()),
        think_time_ms: Some(1000),
        ..Default::default()
    };
    change(&mut decision);
    told(Message::Decision(decision))
}

pub(super) fn standing(session_id: &str, decision_id: u32, seq: u64) -> v1::ServerMessage {
    ask_with(session_id, decision_id, |decision| {
        decision.standing = true;
        decision.seq = seq;
        decision.think_time_ms = None;
    })
}

pub(super) fn result(session_id: &str, decision_id: u32, outcome: v1::ActOutcome) -> v1::ActResult {
    let session_id = session_id.to_owned();
    v1::ActResult { session_id, decision_id, seat: 2, outcome: outcome.into(), ..Default::default() }
}

pub(super) fn tell(result: v1::ActResult) -> v1::ServerMessage {
    told(Message::ActResult(result))
}

pub(super) fn events(session_id: &str, seat: u32, seqs: impl IntoIterator<Item = u64>) -> v1::ServerMessage {
    let vacated = v1::event::Event::Vacated(v1::Vacated { seat: 0 });
    let events = seqs.into_iter().map(|seq| v1::Event { seq, event: Some(vacated.clone()) }).collect();
    told(Message::Events(v1::Events { session_id: session_id.to_owned(), seat, events }))
}

pub(super) fn over(session_id: &str, seat: u32) -> v1::ServerMessage {
    let result = v1::Result { points: vec![10, 40, 30, 20], placings: vec![4, 1, 2, 3], ..Default::default() };
    told(Message::SessionEnd(v1::SessionEnd {
        session_id: session_id.to_owned(),
        seat,
        seq: 99,
        reason: v1::EndReason::Finished.into(),
        result: Some(result),
        view: Some(
            tnt::View { table: Some(tnt::Table { round: 10, ..Default::default() }), ..Default::default() }.into(),
        ),
        seed: Vec::new(),
    }))
}

pub(super) fn ping(nonce: u64) -> v1::ServerMessage {
    told(Message::Ping(v1::Ping { nonce }))
}

pub(super) fn drain(reason: &str) -> v1::ServerMessage {
    told(Message::Drain(v1::Drain { grace_ms: 5000, reason: reason.to_owned() }))
}

/// A message of a kind that the SDK does not know.
pub(super) fn newer() -> v1::ServerMessage {
    v1::ServerMessage { message: None }
}

// What a bot answers.

fn said(message: Said) -> v1::ClientMessage {
    v1::ClientMessage { message: Some(message) }
}

pub(super) fn act(session_id: &str, decision_id: u32, index: u32) -> v1::ClientMessage {
    let choice = Some(act::Choice::Index(index));
    said(Said::Act(v1::Act { session_id: session_id.to_owned(), decision_id, choice }))
}

pub(super) fn act_card(session_id: &str, decision_id: u32, card: i32) -> v1::ClientMessage {
    let choice = Some(act::Choice::Action(play_card(card)));
    said(Said::Act(v1::Act { session_id: session_id.to_owned(), decision_id, choice }))
}

pub(super) fn ack() -> v1::ClientMessage {
    said(Said::Ack(v1::Ack {}))
}

pub(super) fn pong(nonce: u64) -> v1::ClientMessage {
    said(Said::Pong(v1::Pong { nonce }))
}
