//! What goes over one stream, frame by frame.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use prost::Message as _;
use tokio::sync::Notify;

use super::{
    fake_server::{
        FakeServer, ack, act, act_card, ask, ask_with, newer, over, ping, play_card, pong, start, start_with, welcome,
    },
    harness::{First, Recorder, heard, play, play_with},
};
use crate::{
    Bot, Choice, Chosen, Decision, Settings, TrickAndTrade, channel::VERSION, outbox::FRAME_MESSAGES, v1, wire::Frame,
};

#[tokio::test]
async fn hello_says_who_is_there_and_what_it_can_do() {
    struct Player;

    impl Bot for Player {
        type Game = TrickAndTrade;

        fn choose(&mut self, _: Decision<'_, TrickAndTrade>) -> Chosen {
            Ok(Choice::Index(0))
        }

        fn max_sessions(&self) -> u32 {
            7
        }
    }

    let mut server = FakeServer::start().await;
    let _played = play_with(&server, Player, Settings::new().token("secret\n"));
    let stream = server.meet().await;
    let wanted = v1::Hello {
        protocol: 1,
        bot: "bot".to_owned(),
        sdk: format!("croupier-rust {VERSION}"),
        language: "rust".to_owned(),
        games: vec!["trick-and-trade".to_owned()],
        max_sessions: 7,
        ..Default::default()
    };
    assert_eq!((stream.hello, stream.token.as_deref()), (wanted, Some("Bearer secret")));
}

#[tokio::test]
async fn all_answers_to_one_frame_go_out_in_one_frame() {
    let mut server = FakeServer::start().await;
    let _played = play(&server, First);
    let mut stream = server.accept().await;
    let names: Vec<String> = (0..64).map(|number| format!("s{number}")).collect();
    stream.say(names.iter().map(|name| start(name)).chain(names.iter().map(|name| ask(name, 1))).chain([ping(9)]));
    let answers: Vec<_> = names.iter().map(|name| act(name, 1, 0)).chain([pong(9)]).collect();
    assert_eq!(stream.hear().await, answers);
}

#[tokio::test]
async fn a_frame_is_acknowledged_only_if_nothing_answers_it() {
    let mut server = FakeServer::start().await;
    let _played = play(&server, First);
    let mut stream = server.accept().await;
    stream.say([start("a")]);
    assert_eq!(stream.hear().await, [ack()]);
    stream.say([ask("a", 1)]);
    assert_eq!(stream.hear().await, [act("a", 1, 0)]);
    stream.say([ping(1)]);
    assert_eq!(stream.hear().await, [pong(1)]);
}

#[tokio::test]
async fn a_ping_is_answered_while_the_bot_thinks() {
    let mut server = FakeServer::start().await;
    let ready = Arc::new(Notify::new());
    let waits = Arc::clone(&ready);
    let bot = Recorder::new(move |_| {
        let waits = Arc::clone(&waits);
        Ok(Choice::later(async move {
            waits.notified().await;
            Ok(Choice::Index(1))
        }))
    });
    let _played = play(&server, bot);
    let mut stream = server.accept().await;
    stream.say([start("a"), ask("a", 1)]);
    assert_eq!(stream.hear().await, [ack()]);
    stream.say([ping(42)]);
    assert_eq!(stream.hear().await, [pong(42)]);
    ready.notify_one();
    assert_eq!(stream.hear().await, [act("a", 1, 1)]);
}

#[tokio::test]
async fn messages_of_a_kind_that_the_sdk_does_not_know_are_skipped() {
    let mut server = FakeServer::start().await;
    let _played = play(&server, First);
    let mut stream = server.accept().await;
    stream.say([newer(), start("a"), newer(), ask("a", 1)]);
    assert_eq!(stream.hear().await, [act("a", 1, 0)]);
    stream.say([newer()]);
    assert_eq!(stream.hear().await, [ack()]);
}

#[test]
fn fields_and_kinds_of_a_newer_server_do_not_matter() {
    let field_100 = b"\xa2\x06\x03abc";
    let message = [ask("a", 1).encode_to_vec().as_slice(), field_100].concat();
    let unknown = field_100.as_slice();
    let mut bytes = Vec::new();
    for each in [message.as_slice(), unknown] {
        bytes.extend([0x0a, u8::try_from(each.len()).expect("it is short")]);
        bytes.extend(each);
    }
    let frame = Frame::decode(prost::bytes::Bytes::from(bytes)).expect("it can be read");
    let [known, newer] = frame.messages.as_slice() else { panic!("two messages, not {frame:?}") };
    let Some(crate::wire::Heard::Decision(question)) = &known.message else { panic!("a decision, not {known:?}") };
    assert_eq!((question.session_id.as_str(), question.actions.len()), ("a", 3));
    assert_eq!(newer.message, None);
}

#[tokio::test]
async fn a_slow_bot_sends_each_answer_when_it_has_it() {
    let mut server = FakeServer::start().await;
    let mut settings = Settings::new();
    settings.patience = Some(Duration::ZERO); // no choice is quick enough
    let _played = play_with(&server, First, settings);
    let mut stream = server.accept().await;
    stream.say([start("a"), start("b"), ask("a", 1), ask("b", 1)]);
    assert_eq!(stream.hear().await, [act("a", 1, 0)]);
    assert_eq!(stream.hear().await, [act("b", 1, 0)]);
}

#[tokio::test]
async fn more_answers_than_a_server_reads_at_once_are_spread_over_frames() {
    let mut server = FakeServer::start().await;
    let _played = play(&server, First);
    let mut stream = server.accept().await;
    let names: Vec<String> = (0..=FRAME_MESSAGES).map(|number| format!("s{number}")).collect();
    stream.say(names.iter().map(|name| start(name)).chain(names.iter().map(|name| ask(name, 1))));
    assert_eq!(stream.hear().await.len(), FRAME_MESSAGES);
    assert_eq!(stream.hear().await, [act(&names[FRAME_MESSAGES], 1, 0)]);
}

#[tokio::test]
async fn the_welcome_can_make_frames_smaller() {
    let mut server = FakeServer::start().await;
    let _played = play(&server, First);
    let mut stream = server.meet().await;
    stream.say([welcome(1024), start("a"), start("b"), start("c")]);
    assert_eq!(stream.hear().await, [ack()]);
    stream.say([ask("a", 1), ask("b", 1), ask("c", 1)]);
    assert_eq!(stream.hear().await, [act("a", 1, 0), act("b", 1, 0)]);
    assert_eq!(stream.hear().await, [act("c", 1, 0)]);
}

#[tokio::test]
async fn choices_in_the_background_that_are_ready_together_share_a_frame() {
    let mut server = FakeServer::start().await;
    let ready = Arc::new(Notify::new());
    let waits = Arc::clone(&ready);
    let bot = Recorder::new(move |_| {
        let waits = Arc::clone(&waits);
        Ok(Choice::later(async move {
            waits.notified().await;
            Ok(Choice::Action(play_card(2)))
        }))
    });
    let _played = play(&server, bot);
    let mut stream = server.accept().await;
    stream.say(["a", "b", "c"].map(start).into_iter().chain(["a", "b", "c"].map(|name| ask(name, 1))));
    assert_eq!(stream.hear().await, [ack()]);
    ready.notify_waiters();
    let mut answers = stream.hear().await;
    answers.sort_by_key(|answer| format!("{answer:?}"));
    assert_eq!(answers, ["a", "b", "c"].map(|name| act_card(name, 1, 2)));
}

#[tokio::test]
async fn a_bot_that_is_no_longer_played_ends_its_stream() {
    let mut server = FakeServer::start().await;
    let played = play(&server, First);
    let mut stream = server.accept().await;
    played.stop();
    stream.gone().await;
}

#[tokio::test]
async fn playing_ends_when_so_many_sessions_are_over() {
    let mut server = FakeServer::start().await;
    let bot = Recorder::first();
    let told = Arc::clone(&bot.told);
    let mut played = play_with(&server, bot, Settings::new().sessions(2));
    let mut stream = server.accept().await;
    stream.say([start("a"), start("b"), start("c"), over("a", 2), over("b", 2)]);
    played.ended().await.expect("it ends well");
    stream.gone().await;
    assert_eq!(heard(&told)[3..], ["end a Some(2)", "end b Some(2)"]);
}

#[tokio::test]
async fn a_game_with_two_seats_of_one_bot_counts_once() {
    let mut server = FakeServer::start().await;
    let seats = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&seats);
    let bot = Recorder::new(move |decision| {
        seen.lock().expect("no test has failed").push(decision.session.seat);
        Ok(Choice::Index(0))
    });
    let told = Arc::clone(&bot.told);
    let mut played = play_with(&server, bot, Settings::new().sessions(1));
    let mut stream = server.accept().await;
    stream.say([start_with("a", |start| start.seat = 0), start("a")]);
    assert_eq!(stream.hear().await, [ack()]);
    stream.say([ask_with("a", 1, |decision| decision.seat = 0), ask("a", 2)]);
    assert_eq!(stream.hear().await, [act("a", 1, 0), act("a", 2, 0)]);
    assert_eq!(*seats.lock().expect("no test has failed"), [0, 2]);
    stream.say([over("a", 0), over("a", 2)]);
    played.ended().await.expect("it ends well");
    assert_eq!(heard(&told)[4..], ["end a Some(4)", "end a Some(2)"]);
}
