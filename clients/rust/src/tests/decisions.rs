//! What a bot is asked, what it may answer, and what becomes of wrong answers.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use super::{
    fake_server::{
        FakeServer, ack, act, act_card, ask, ask_with, events, over, ping, play_card, pong, result, standing, start,
        tell,
    },
    harness::{Recorder, heard, logged, play, play_with},
};
use crate::{
    Bot, BoxError, Choice, Chosen, Decision, End, Error, OnError, Session, Settings, TrickAndTrade,
    trick_and_trade::{Action, action},
    v1::{self, ActOutcome},
};

#[tokio::test]
async fn an_action_may_be_chosen_by_index_or_itself_or_be_made_by_the_bot() {
    let choices: [fn(Decision<'_, TrickAndTrade>) -> Chosen; 3] = [
        |_| Ok(Choice::Index(2)),
        |mut decision| Ok(decision.actions.swap_remove(1).into()),
        |_| Ok(Action { action: Some(action::Action::Play(40)) }.into()),
    ];
    for (choice, answer) in choices.into_iter().zip([act("a", 1, 2), act_card("a", 1, 2), act_card("a", 1, 40)]) {
        let mut server = FakeServer::start().await;
        let _played = play(&server, Recorder::new(choice));
        let mut stream = server.accept().await;
        stream.say([start("a"), ask("a", 1)]);
        assert_eq!(stream.hear().await, [answer]);
    }
}

#[tokio::test]
async fn the_decision_shows_view_actions_and_time() {
    let mut server = FakeServer::start().await;
    let seen = Arc::new(Mutex::new(None));
    let sink = Arc::clone(&seen);
    let bot = Recorder::new(move |decision| {
        let numbers = (decision.id, decision.attempt, decision.seq, decision.standing, decision.session.seq);
        let times = (decision.think_time, decision.bank, decision.last_charged);
        let shown = (decision.view()?.hand, decision.actions.clone());
        *sink.lock().expect("no test has failed") = Some((numbers, times, shown));
        Ok(Choice::Index(0))
    });
    let _played = play(&server, bot);
    let mut stream = server.accept().await;
    let question = ask_with("a", 7, |decision| {
        (decision.seq, decision.think_time_ms, decision.bank_ms, decision.last_charged_ms) = (31, Some(1500), 250, 20);
    });
    stream.say([start("a"), question]);
    stream.hear().await;
    let (numbers, times, (hand, actions)) = seen.lock().expect("no test has failed").take().expect("it was asked");
    assert_eq!(numbers, (7, 1, 31, false, 31));
    let wanted = [1500, 250, 20].map(Duration::from_millis);
    assert_eq!(times, (Some(wanted[0]), wanted[1], wanted[2]));
    let cards = [1, 2, 3].map(|card| Action { action: Some(action::Action::Play(card)) });
    assert_eq!((hand, actions), (vec![1, 2, 3], cards.to_vec()));
}

#[tokio::test]
async fn the_session_is_the_same_from_start_to_end() {
    struct Counter(Arc<Mutex<Vec<String>>>);

    impl Bot for Counter {
        type Game = TrickAndTrade;

        fn choose(&mut self, decision: Decision<'_, TrickAndTrade>) -> Chosen {
            decision.session.data::<Vec<u32>>().push(decision.id);
            Ok(Choice::Index(0))
        }

        fn on_end(&mut self, session: &mut Session, end: &End<TrickAndTrade>) {
            let round = end.view.as_ref().and_then(|view| view.table.as_ref()).map(|table| table.round);
            let (ids, points) = (session.data::<Vec<u32>>(), (end.points, end.placing));
            self.0.lock().expect("no test has failed").push(format!("{ids:?} {points:?} {round:?} {:?}", end.reason));
        }
    }

    let mut server = FakeServer::start().await;
    let seen = Arc::default();
    let mut played = play_with(&server, Counter(Arc::clone(&seen)), Settings::new().sessions(1));
    let stream = server.accept().await;
    stream.say([start("a"), ask("a", 1), ask("a", 2), over("a", 2)]);
    played.ended().await.expect("it ends well");
    assert_eq!(*seen.lock().expect("no test has failed"), ["[1, 2] (Some(30), Some(2)) Some(10) Finished"]);
}

#[tokio::test]
async fn events_come_to_bots_that_want_them() {
    let mut server = FakeServer::start().await;
    let bot = Recorder::first();
    let told = Arc::clone(&bot.told);
    let _played = play(&server, bot);
    let mut stream = server.accept().await;
    assert!(stream.hello.events);
    stream.say([start("a"), events("a", 2, [1, 2]), events("a", 2, [3])]);
    stream.hear().await;
    assert_eq!(heard(&told), ["start a", "events a [1, 2]", "events a [3]"]);
}

#[tokio::test]
async fn after_an_illegal_act_the_bot_is_asked_again() {
    let mut server = FakeServer::start().await;
    let bot = Recorder::new(|decision| Ok(Choice::Index(decision.attempt as usize)));
    let told = Arc::clone(&bot.told);
    let _played = play(&server, bot);
    let mut stream = server.accept().await;
    stream.say([start("ill"), ask("ill", 1)]);
    assert_eq!(stream.hear().await, [act("ill", 1, 1)]);
    let illegal = v1::ActResult {
        rule: "play.in-hand".to_owned(),
        message: "Nev 2 is not yours".to_owned(),
        attempts_left: 2,
        faults: 1,
        max_faults: 9,
        ..result("ill", 1, ActOutcome::Illegal)
    };
    stream.say([tell(illegal), ask_with("ill", 1, |decision| decision.attempt = 2)]);
    assert_eq!(stream.hear().await, [act("ill", 1, 2)]);
    assert_eq!(heard(&told), ["start ill", "decision ill 1", "result ill 1", "decision ill 1"]);
    let line = "session ill, decision 1: illegal (play.in-hand): Nev 2 is not yours; attempts left: 2; faults: 1 of 9";
    assert_eq!(logged("session ill, decision"), [format!("WARN: {line}")]);
}

#[tokio::test]
async fn harmless_results_reach_the_bot_but_not_the_log() {
    let mut server = FakeServer::start().await;
    let bot = Recorder::first();
    let told = Arc::clone(&bot.told);
    let _played = play(&server, bot);
    let mut stream = server.accept().await;
    let outcomes = [ActOutcome::Stale, ActOutcome::Duplicate, ActOutcome::UnknownSession];
    stream.say([start("tame")].into_iter().chain(outcomes.map(|outcome| tell(result("tame", 1, outcome)))));
    assert_eq!(stream.hear().await, [ack()]);
    assert_eq!(heard(&told), ["start tame", "result tame 3", "result tame 4", "result tame 6"]);
    assert_eq!(logged("session tame"), [""; 0]);
}

#[tokio::test]
async fn late_answers_are_warned_of() {
    let mut server = FakeServer::start().await;
    let _played = play(&server, Recorder::first());
    let mut stream = server.accept().await;
    stream.say([start("tardy"), tell(result("tardy", 4, ActOutcome::Late))]);
    stream.hear().await;
    assert_eq!(logged("session tardy"), ["WARN: session tardy, decision 4: late"]);
}

#[tokio::test]
async fn results_for_sessions_unknown_here_and_outcomes_of_a_newer_server_do_no_harm() {
    let mut server = FakeServer::start().await;
    let _played = play(&server, Recorder::first());
    let mut stream = server.accept().await;
    let newer = v1::ActResult { outcome: 99, ..result("elsewhere", 1, ActOutcome::Stale) };
    let malformed = v1::ActResult {
        outcome: ActOutcome::Malformed.into(),
        message: "the frame is not readable".to_owned(),
        ..Default::default()
    };
    stream.say([tell(newer), tell(malformed), over("never-seen", 2), ping(1)]);
    assert_eq!(stream.hear().await, [pong(1)]);
    assert_eq!(logged("malformed: the frame is not readable").len(), 1);
}

#[tokio::test]
async fn a_decision_for_a_session_that_was_never_started_is_left_alone() {
    let mut server = FakeServer::start().await;
    let bot = Recorder::first();
    let told = Arc::clone(&bot.told);
    let _played = play(&server, bot);
    let mut stream = server.accept().await;
    stream.say([ask("unheard-of", 1)]);
    assert_eq!(stream.hear().await, [ack()]);
    assert_eq!(heard(&told), [""; 0]);
    assert_eq!(logged("asked to decide in session unheard-of, of which the server has not told").len(), 1);
}

#[tokio::test]
async fn a_decision_of_another_game_than_the_bots_is_not_answered() {
    let mut server = FakeServer::start().await;
    let _played = play(&server, Recorder::first());
    let mut stream = server.accept().await;
    let trades = v1::GameAction::from(crate::games::trades::v1::Action::default());
    stream.say([start("mixed"), ask_with("mixed", 1, |decision| decision.actions = vec![trades])]);
    assert_eq!(stream.hear().await, [ack()]);
    assert_eq!(logged("session mixed").len(), 1);
    assert!(logged("session mixed")[0].ends_with("the server asked in another game than trick-and-trade"));
}

#[tokio::test]
async fn what_cannot_be_an_answer_is_an_error_of_the_bot() {
    type Wrong = (&'static str, fn() -> Choice, &'static str);
    let wrong: [Wrong; 4] = [
        ("w0", || Choice::Wait, "choose chose to wait, which only a standing decision allows"),
        ("w1", || Choice::Index(3), "choose chose index 3, but the 3 actions count from 0"),
        ("w2", || crate::games::trades::v1::Action::default().into(), "choose chose an action of another game"),
        ("w3", || v1::GameAction::default().into(), "choose it by its index"),
    ];
    let mut server = FakeServer::start().await;
    let bot = Recorder::new(move |decision| {
        let found = wrong.iter().find(|(session, ..)| *session == decision.session.id);
        Ok(found.expect("it is listed").1())
    });
    let _played = play(&server, bot);
    let mut stream = server.accept().await;
    for (session, _, complaint) in wrong {
        stream.say([start(session), ask(session, 1)]);
        assert_eq!(stream.hear().await, [ack()]);
        let lines = logged(&format!("session {session}"));
        assert!(lines.len() == 1 && lines[0].ends_with(complaint), "{lines:?}");
    }
}

#[tokio::test]
async fn errors_and_panics_in_choose_are_logged_and_leave_the_other_sessions_alone() {
    let mut server = FakeServer::start().await;
    let bot = Recorder::new(|decision| match decision.session.id.as_str() {
        "err" => Err("my bug".into()),
        "panic" => panic!("my {}", "panic"),
        "later" => Ok(Choice::later(async { panic!("my later panic") })),
        _ => Ok(Choice::Index(0)),
    });
    let _played = play(&server, bot);
    let mut stream = server.accept().await;
    let names = ["fine", "err", "panic", "good"];
    stream.say(names.map(start).into_iter().chain(names.map(|name| ask(name, 5))));
    assert_eq!(stream.hear().await, [act("fine", 5, 0), act("good", 5, 0)]);
    let clock = "decision 5: no answer is sent, the clock decides";
    let place = |name| format!("ERROR: choose failed in session {name} (trick-and-trade, seat 2), {clock}");
    assert_eq!(logged("session err "), [format!("{}: my bug", place("err"))]);
    assert_eq!(logged("session panic "), [format!("{}: panic: my panic", place("panic"))]);
    stream.say([start("later"), ask("later", 5)]);
    assert_eq!(stream.hear().await, [ack()]);
    while logged("session later ").is_empty() {
        stream.say([ping(1)]);
        assert_eq!(stream.hear().await, [pong(1)]);
    }
    assert_eq!(logged("session later "), [format!("{}: panic: my later panic", place("later"))]);
}

#[tokio::test]
async fn a_panic_in_a_hook_is_logged_and_the_game_goes_on() {
    struct Clumsy;

    impl Bot for Clumsy {
        type Game = TrickAndTrade;

        fn choose(&mut self, _: Decision<'_, TrickAndTrade>) -> Chosen {
            Ok(Choice::Index(0))
        }

        fn on_start(&mut self, _: &mut Session) {
            panic!("my bug");
        }
    }

    let mut server = FakeServer::start().await;
    let _played = play(&server, Clumsy);
    let mut stream = server.accept().await;
    stream.say([start("clumsy"), ask("clumsy", 1)]);
    assert_eq!(stream.hear().await, [act("clumsy", 1, 0)]);
    assert_eq!(logged("session clumsy"), ["ERROR: on_start failed in session clumsy (trick-and-trade): panic: my bug"]);
}

#[tokio::test]
async fn playing_can_stop_at_the_first_error() {
    let mut server = FakeServer::start().await;
    let settings = Settings::new().on_error(OnError::Stop);
    let mut played = play_with(&server, Recorder::new(|_| Err(BoxError::from("my bug"))), settings);
    let mut stream = server.accept().await;
    stream.say([start("a"), ask("a", 1)]);
    assert!(matches!(played.ended().await, Err(Error::Bot(error)) if error.to_string() == "my bug"));
    stream.gone().await;
}

/// A bot that thinks for ever about decision 1, and tells when that is given up; it answers any other at once.
fn thinker() -> (Recorder, Arc<()>) {
    let alive = Arc::new(());
    let thought = Arc::clone(&alive);
    let bot = Recorder::new(move |decision| {
        if decision.id > 1 {
            return Ok(Choice::Index(1));
        }
        let thought = Arc::clone(&thought);
        Ok(Choice::later(async move {
            std::future::pending::<()>().await;
            drop(thought);
            Ok(Choice::Wait)
        }))
    });
    (bot, alive)
}

#[tokio::test]
async fn a_choice_in_the_background_is_dropped_when_its_answer_is_no_longer_wanted() {
    let reasons = [
        tell(result("a", 1, ActOutcome::Late)),
        ask("a", 2),
        over("a", 2),
        super::fake_server::start_with("a", |start| start.endpoint = "localhost:1".to_owned()),
    ];
    for reason in reasons {
        let mut server = FakeServer::start().await;
        let (bot, alive) = thinker();
        let _played = play(&server, bot);
        let mut stream = server.accept().await;
        stream.say([start("a"), ask("a", 1)]);
        stream.hear().await;
        assert_eq!(Arc::strong_count(&alive), 3); // the test's, the bot's and the thought's
        stream.say([reason]);
        stream.hear().await;
        while Arc::strong_count(&alive) > 2 {
            stream.say([ping(1)]);
            stream.hear().await;
        }
    }
}

#[tokio::test]
async fn a_standing_decision_may_be_left_unanswered_and_has_no_think_time() {
    let mut server = FakeServer::start().await;
    let bot = Recorder::new(|decision| {
        assert_eq!(decision.think_time.is_none(), decision.standing);
        Ok(if decision.standing { Choice::Wait } else { Choice::Index(0) })
    });
    let _played = play(&server, bot);
    let mut stream = server.accept().await;
    stream.say([start("calm"), standing("calm", 1, 0)]);
    assert_eq!(stream.hear().await, [ack()]);
    stream.say([ask("calm", 2)]);
    assert_eq!(stream.hear().await, [act("calm", 2, 0)]);
    assert_eq!(logged("session calm"), [""; 0]);
}

#[tokio::test]
async fn a_standing_decision_that_is_asked_anew_is_thought_about_anew() {
    let mut server = FakeServer::start().await;
    let bot = Recorder::new(|decision| Ok(Choice::Action(play_card(i32::try_from(decision.seq)?))));
    let _played = play(&server, bot);
    let mut stream = server.accept().await;
    stream.say([start("a"), standing("a", 1, 5)]);
    assert_eq!(stream.hear().await, [act_card("a", 1, 5)]);
    stream.say([standing("a", 1, 6)]);
    assert_eq!(stream.hear().await, [act_card("a", 1, 6)]);
    stream.say([standing("a", 1, 6)]);
    assert_eq!(stream.hear().await, [act_card("a", 1, 6)]);
}
