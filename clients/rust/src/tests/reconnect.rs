//! Losing a server, finding it again, going to another one, and knowing when to stop trying.

use std::sync::{Arc, Mutex};

use prost::Message as _;
use tokio::sync::Notify;
use tonic::{Code, Status};

use super::{
    fake_server::{FakeServer, ack, act, ask, ask_with, drain, events, over, ping, pong, start, start_with},
    harness::{First, Recorder, heard, logged, play, play_with, seconds},
};
use crate::{Choice, Error, Settings, error::rpc, v1};

const LOST: (Code, &str) = (Code::Unavailable, "going down");

fn resumed(session_id: &str, seq: u64) -> v1::ServerMessage {
    start_with(session_id, |start| (start.resumed, start.seq) = (true, seq))
}

fn hosted(session_id: &str, server: &FakeServer, token: &str) -> v1::ServerMessage {
    start_with(session_id, |start| (start.endpoint, start.seat_token) = (server.target.clone(), token.to_owned()))
}

#[tokio::test]
async fn a_lost_connection_is_opened_again() {
    let mut server = FakeServer::start().await;
    let played = play(&server, First);
    let mut stream = server.accept().await;
    stream.say([ping(1)]);
    stream.hear().await;
    stream.end(LOST.0, LOST.1);
    server.accept().await;
    assert_eq!(seconds(&played.pauses), [0.1]);
    let target = &server.target;
    assert_eq!(logged(target).iter().filter(|line| line.contains("connected as bot to")).count(), 2);
    assert_eq!(logged(&format!("lost {target} (going down); trying again in 0.1 s")).len(), 1);
}

#[tokio::test]
async fn pauses_grow_to_ten_seconds_and_start_anew_after_success() {
    let mut server = FakeServer::start().await;
    for _ in 0..9 {
        server.refuse(Status::new(LOST.0, LOST.1));
    }
    let played = play(&server, First);
    let stream = server.accept().await;
    assert_eq!(seconds(&played.pauses), [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0]);
    stream.end(LOST.0, LOST.1); // after no more than the greeting, which proves nothing
    let mut stream = server.accept().await;
    assert_eq!(seconds(&played.pauses)[9..], [10.0]);
    stream.say([ping(1)]);
    stream.hear().await;
    stream.end(LOST.0, LOST.1);
    server.accept().await;
    assert_eq!(seconds(&played.pauses)[10..], [0.1]);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_waited_for() {
    let server = FakeServer::gone().await;
    let _played = play(&server, First);
    let words = format!("cannot reach {} (connection refused); trying again in 0.1 s", server.target);
    while logged(&words).is_empty() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn the_bot_keeps_its_sessions_and_says_which_events_it_has() {
    let mut server = FakeServer::start().await;
    let bot = Recorder::first();
    let told = Arc::clone(&bot.told);
    let _played = play(&server, bot);
    let mut stream = server.accept().await;
    stream.say([start("a"), events("a", 2, [1, 2, 3]), start("b"), start_with("b", |start| start.seat = 0)]);
    stream.hear().await;
    stream.end(LOST.0, LOST.1);
    let mut stream = server.accept().await;
    let mut known: Vec<_> =
        stream.hello.resume.iter().map(|resume| (resume.session_id.as_str(), resume.seat, resume.last_seq)).collect();
    known.sort_unstable();
    assert_eq!(known, [("a", 2, 3), ("b", 0, 0), ("b", 2, 0)]);
    stream.say([resumed("a", 4), events("a", 2, [3, 4]), ask_with("a", 1, |decision| decision.seq = 4)]);
    assert_eq!(stream.hear().await, [act("a", 1, 0)]);
    let wanted = ["start a", "events a [1, 2, 3]", "start b", "start b", "events a [4]", "decision a 1"];
    assert_eq!(heard(&told), wanted);
}

#[tokio::test]
async fn an_answer_that_was_lost_with_its_stream_is_sent_again_without_choosing_again() {
    let mut server = FakeServer::start().await;
    let bot = Recorder::first();
    let told = Arc::clone(&bot.told);
    let _played = play(&server, bot);
    let mut stream = server.accept().await;
    stream.say([start("a"), ask("a", 7)]);
    assert_eq!(stream.hear().await, [act("a", 7, 0)]);
    stream.end(LOST.0, LOST.1); // the server never read it
    let mut stream = server.accept().await;
    stream.say([resumed("a", 0), ask("a", 7)]);
    assert_eq!(stream.hear().await, [act("a", 7, 0)]);
    assert_eq!(heard(&told), ["start a", "decision a 7"]);
}

#[tokio::test]
async fn a_choice_in_progress_survives_the_loss_of_its_stream() {
    let mut server = FakeServer::start().await;
    let ready = Arc::new(Notify::new());
    let waits = Arc::clone(&ready);
    let bot = Recorder::new(move |_| {
        let waits = Arc::clone(&waits);
        Ok(Choice::later(async move {
            waits.notified().await;
            Ok(Choice::Index(2))
        }))
    });
    let told = Arc::clone(&bot.told);
    let _played = play(&server, bot);
    let mut stream = server.accept().await;
    stream.say([start("a"), ask("a", 7)]);
    assert_eq!(stream.hear().await, [ack()]);
    stream.end(LOST.0, LOST.1);
    let mut stream = server.accept().await;
    stream.say([resumed("a", 0), ask("a", 7)]);
    assert_eq!(stream.hear().await, [ack()]);
    ready.notify_one();
    assert_eq!(stream.hear().await, [act("a", 7, 2)]);
    assert_eq!(heard(&told), ["start a", "decision a 7"]);
}

#[tokio::test]
async fn events_that_a_crashed_server_has_lost_are_forgotten() {
    let mut server = FakeServer::start().await;
    let bot = Recorder::first();
    let told = Arc::clone(&bot.told);
    let _played = play(&server, bot);
    let mut stream = server.accept().await;
    stream.say([start("a"), events("a", 2, [1, 2, 3]), ask_with("a", 2, |decision| decision.seq = 3)]);
    stream.hear().await;
    stream.end(LOST.0, LOST.1);
    let mut stream = server.accept().await;
    stream.say([resumed("a", 1), events("a", 2, [2]), ask_with("a", 2, |decision| decision.seq = 2)]);
    assert_eq!(stream.hear().await, [act("a", 2, 0)]);
    // The second decision is another one, though it has the same number.
    let wanted = ["start a", "events a [1, 2, 3]", "decision a 2", "rewind a 1", "events a [2]", "decision a 2"];
    assert_eq!(heard(&told), wanted);
}

#[tokio::test]
async fn a_bot_that_was_restarted_sits_down_in_its_old_sessions() {
    let mut server = FakeServer::start().await;
    let seen = Arc::new(Mutex::new(false));
    let sink = Arc::clone(&seen);
    let bot = Recorder::new(move |decision| {
        *sink.lock().expect("no test has failed") = decision.session.resumed;
        Ok(Choice::Index(0))
    });
    let _played = play(&server, bot);
    let mut stream = server.accept().await;
    stream.say([resumed("a", 17), ask("a", 5)]);
    assert_eq!(stream.hear().await, [act("a", 5, 0)]);
    assert!(*seen.lock().expect("no test has failed"));
}

#[tokio::test]
async fn a_session_that_ended_while_the_bot_was_away_ends_when_it_is_back() {
    let mut server = FakeServer::start().await;
    let bot = Recorder::first();
    let told = Arc::clone(&bot.told);
    let mut played = play_with(&server, bot, Settings::new().sessions(1));
    let mut stream = server.accept().await;
    stream.say([start("a")]);
    stream.hear().await;
    stream.end(LOST.0, LOST.1);
    let stream = server.accept().await;
    assert_eq!(stream.hello.resume.len(), 1);
    stream.say([over("a", 2)]);
    played.ended().await.expect("it ends well");
    assert_eq!(heard(&told), ["start a", "end a Some(2)"]);
}

#[tokio::test]
async fn a_draining_server_is_played_to_the_end_and_then_looked_for_again() {
    let mut server = FakeServer::start().await;
    let _played = play(&server, First);
    let mut stream = server.accept().await;
    stream.say([start("a"), drain("upgrade of the sinks"), ask("a", 1)]);
    assert_eq!(stream.hear().await, [act("a", 1, 0)]);
    let words = "the server is about to stop (upgrade of the sinks); it lets games end for 5 s";
    assert_eq!(logged(words), [format!("INFO: {words}")]);
    stream.say([over("a", 2)]);
    stream.hear().await;
    stream.end(Code::Ok, "");
    server.accept().await;
    assert_eq!(logged(&format!("lost {} (the server closed the stream)", server.target)).len(), 1);
}

#[tokio::test]
async fn a_bot_that_is_replaced_by_a_newer_connection_stops() {
    let mut server = FakeServer::start().await;
    let mut played = play(&server, First);
    server.accept().await.end(Code::Aborted, "a newer connection of this bot took over");
    let Err(Error::Replaced(error)) = played.ended().await else { panic!("it was replaced") };
    assert_eq!(error.to_string(), "ABORTED: a newer connection of this bot took over");
}

#[tokio::test]
async fn a_bot_that_the_server_does_not_want_stops() {
    let codes = [
        (
            Code::Unauthenticated,
            "UNAUTHENTICATED: not you (give the bot's token: Settings::token, or CROUPIER_TOKEN in \
                                 the environment)",
        ),
        (Code::PermissionDenied, "PERMISSION_DENIED: not you"),
        (Code::InvalidArgument, "INVALID_ARGUMENT: not you"),
        (Code::NotFound, "NOT_FOUND: not you"),
        (Code::FailedPrecondition, "FAILED_PRECONDITION: not you"),
        (Code::Unimplemented, "UNIMPLEMENTED: not you (is this a Croupier server?)"),
    ];
    let server = FakeServer::start().await;
    for (code, says) in codes {
        server.refuse(Status::new(code, "not you"));
        let Err(error) = play(&server, First).ended().await else { panic!("it was refused") };
        assert_eq!((format!("{error}"), format!("{error:?}")), (says.to_owned(), says.to_owned()));
        assert!(matches!(error, Error::Refused(error) if error.code == code && error.message == "not you"));
    }
}

#[tokio::test]
async fn a_refusal_names_the_bad_fields() {
    let violation = rpc::Violation { field: "hello.bot".to_owned(), description: "is empty".to_owned() };
    let details = [
        ("google.rpc.ErrorInfo", rpc::ErrorInfo { reason: "BAD_NAME".to_owned() }.encode_to_vec()),
        ("google.rpc.BadRequest", rpc::BadRequest { violations: vec![violation] }.encode_to_vec()),
    ];
    let details =
        details.map(|(name, value)| prost_types::Any { type_url: format!("type.googleapis.com/{name}"), value });
    let status = rpc::Status { details: details.to_vec() }.encode_to_vec();
    let server = FakeServer::start().await;
    server.refuse(Status::with_details(Code::InvalidArgument, "a bad Hello", status.into()));
    let Err(Error::Refused(error)) = play(&server, First).ended().await else { panic!("it was refused") };
    assert_eq!(error.to_string(), "INVALID_ARGUMENT: a bad Hello (hello.bot: is empty)");
    assert_eq!(error.reason, "BAD_NAME");
}

#[tokio::test]
async fn other_failures_may_pass() {
    for (code, name) in
        [(Code::Cancelled, "CANCELLED"), (Code::ResourceExhausted, "RESOURCE_EXHAUSTED"), (Code::Unknown, "UNKNOWN")]
    {
        let mut server = FakeServer::start().await;
        server.refuse(Status::new(code, "oops"));
        let played = play(&server, First);
        server.accept().await;
        assert_eq!(seconds(&played.pauses), [0.1]);
        assert_eq!(logged(&format!("cannot reach {} ({name}: oops)", server.target)).len(), 1);
    }
}

// Another server.

#[tokio::test]
async fn the_bot_goes_where_its_session_is_hosted_and_shows_the_seat_token() {
    let (mut server, mut second) = (FakeServer::start().await, FakeServer::start().await);
    let bot = Recorder::first();
    let told = Arc::clone(&bot.told);
    let _played = play_with(&server, bot, Settings::new().token("mine"));
    let mut home = server.accept().await;
    home.say([hosted("a", &second, "seat")]);
    assert_eq!(home.hear().await, [ack()]);
    assert_eq!(heard(&told), [""; 0]); // not yet: nobody has dealt
    let mut away = second.accept().await;
    assert_eq!((away.hello.bot.as_str(), away.token.as_deref()), ("bot", Some("Bearer seat")));
    away.say([start("a"), ask("a", 1)]);
    assert_eq!(away.hear().await, [act("a", 1, 0)]);
    home.say([start("b"), ask("b", 1)]);
    assert_eq!(home.hear().await, [act("b", 1, 0)]);
}

#[tokio::test]
async fn sessions_on_the_same_server_share_a_connection_which_ends_with_the_last_of_them() {
    let (mut server, mut second) = (FakeServer::start().await, FakeServer::start().await);
    let mut played = play_with(&server, First, Settings::new().sessions(3));
    let mut home = server.accept().await;
    home.say([hosted("a", &second, ""), hosted("b", &second, "")]);
    home.hear().await;
    let mut away = second.accept().await;
    away.say([start("a"), start("b"), over("a", 2)]);
    assert_eq!(away.hear().await, [ack()]);
    away.say([over("b", 2)]);
    away.gone().await;
    home.say([hosted("c", &second, "")]);
    let away = second.accept().await;
    away.say([start("c"), over("c", 2)]);
    played.ended().await.expect("it ends well");
}

#[tokio::test]
async fn a_lost_connection_to_another_server_is_opened_again() {
    let (mut server, mut second) = (FakeServer::start().await, FakeServer::start().await);
    let played = play(&server, First);
    let home = server.accept().await;
    home.say([hosted("a", &second, "")]);
    let mut away = second.accept().await;
    away.say([start("a"), ask("a", 1)]);
    away.hear().await;
    away.end(Code::Unavailable, "oops");
    let away = second.accept().await;
    assert_eq!(away.hello.resume.len(), 1);
    assert_eq!(seconds(&played.pauses), [0.1]);
}

#[tokio::test]
async fn another_server_that_refuses_the_bot_does_not_stop_it() {
    let (mut server, mut second) = (FakeServer::start().await, FakeServer::start().await);
    let _played = play(&server, First);
    let mut home = server.accept().await;
    second.refuse(Status::unauthenticated("too late"));
    home.say([hosted("a", &second, "old")]);
    home.hear().await;
    while logged(&format!("{} does not let the bot play there: UNAUTHENTICATED: too late", second.target)).is_empty() {
        home.say([ping(1)]);
        assert_eq!(home.hear().await, [pong(1)]);
    }
    home.say([hosted("a", &second, "new")]);
    assert_eq!(second.accept().await.token.as_deref(), Some("Bearer new"));
}
