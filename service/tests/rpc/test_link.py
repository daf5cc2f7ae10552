"""A bot's link: what sessions say becomes frames, what frames bring becomes acts, and nothing wrong ends the stream."""

from dataclasses import replace

import pytest
import structlog
from hall import BANK, THINK
from streams import PING, STALL, FakeStream, kinds, play_on
from toy import GAME as HIGH_CARD
from toy import Guess, HighCardState
from toy_wire import WIRES

from croupier.games.trick_and_trade.v1 import trick_and_trade_pb2
from croupier.v1 import game_pb2, play_pb2
from croupier_games.trick_and_trade import Play
from croupier_service.identity.limits import Limits
from croupier_service.rpc.link import MAX_MESSAGES, REPORT_COST
from croupier_service.sessions.events import SessionState
from croupier_service.sessions.journal import Unreadable
from croupier_service.sessions.outbox import MAX_WAITING_BYTES
from croupier_service.sessions.settings import ClockSettings, FaultKind, FaultSettings


@pytest.fixture
def streams(hall):
    return [FakeStream(hall, name) for name in ("ann", "bob", "cat")]


# Being told.


def test_a_bot_is_told_of_its_session_and_asked_in_one_go(hall, streams):
    session = hall.session(seed=None, faults=FaultSettings(max_faults=7))
    start, decision = streams[0].write()
    assert start.session_start == play_pb2.SessionStart(
        session_id=session.id,
        game="trick-and-trade",
        rules_version=1,
        seat=0,
        seats=3,
        options=game_pb2.GameOptions(trick_and_trade=trick_and_trade_pb2.Options(first_leader=0)),
        clock=game_pb2.ClockSettings(think_time_ms=THINK, bank_ms=BANK, increment_ms=0),
        faults=game_pb2.FaultSettings(policy=game_pb2.FAULT_POLICY_SUBSTITUTE, max_faults=7, attempts=3),
        seed_commitment=session.table.seed.commitment(),
    )
    asked = decision.decision
    assert (asked.session_id, asked.decision_id, asked.attempt, asked.seat) == (session.id, 1, 1, 0)
    assert (asked.think_time_ms, asked.bank_ms, asked.standing) == (THINK, BANK, False)
    assert len(asked.actions) == 13
    assert asked.view == WIRES["trick-and-trade"].view(session.table.state.view(0))
    assert kinds(streams[1].write()) == ["session_start"]


def test_a_seed_that_was_given_is_not_committed_to(hall, streams):
    hall.session()
    assert streams[0].told("session_start")[0].seed_commitment == b""


def test_a_whole_game_by_frames(hall, streams):
    session = hall.session(seed=None)
    for seat, told in enumerate(play_on(streams)):
        end = told[-1].session_end
        assert (end.session_id, end.seat, end.seq) == (session.id, seat, session.seq)
        assert end.reason == play_pb2.END_REASON_FINISHED
        assert tuple(end.result.points) == session.result.points
        assert tuple(end.result.placings) == session.result.placings
        assert end.view == WIRES["trick-and-trade"].view(session.table.state.view(seat))
        assert end.seed == session.table.seed.raw
        assert told[0].session_start.seed_commitment == session.table.seed.commitment()
        assert set(kinds(told)) == {"session_start", "decision", "session_end"}


def test_the_seed_is_revealed_only_where_it_was_committed_to(hall, streams):
    hall.session()
    assert all(told[-1].session_end.seed == b"" for told in play_on(streams))


def test_an_aborted_session_ends_without_result_view_or_seed(hall, streams):
    session = hall.session(seed=None)
    session.abort()
    hall.settle()
    (end,) = streams[0].told("session_end")
    assert end == play_pb2.SessionEnd(session_id=session.id, reason=play_pb2.END_REASON_ABORTED)


def test_nothing_that_is_said_before_the_end_holds_the_seed(hall, streams):
    session = hall.session(seed=None)
    for told in play_on(streams):
        assert not any(session.table.seed.raw in message.SerializeToString() for message in told[:-1])


def test_the_clock_starts_when_the_frame_has_been_written(hall, streams):
    session = hall.session()
    hall.advance(60_000)
    streams[0].write()
    hall.advance(300)
    streams[0].act(session, 1, index=0)
    assert session.seats[0].charged_ms == 300


def test_lateness_before_the_frame_was_written_is_no_excuse_for_what_is_asked_in_it(hall, streams):
    session = hall.session()
    hall.time._now += 500  # the server was late, and its next beat has not found out yet
    streams[0].write()
    hall.time.settle()
    hall.advance(300)
    streams[0].act(session, 1, index=0)
    assert session.seats[0].charged_ms == 300


def test_a_decision_says_what_the_one_before_was_charged(hall, streams):
    session = hall.session()
    ann = streams[0]
    ann.write()
    hall.advance(THINK + 400)
    ann.act(session, 1, index=0)
    play_on(streams[1:], until=lambda: session.seats[0].open)
    (decision,) = ann.told("decision")
    assert (decision.last_charged_ms, decision.bank_ms) == (THINK + 400, BANK - 400)


def test_an_illegal_act_is_answered_with_rule_and_fault(hall, streams):
    session = hall.session()
    ann = streams[0]
    held = {action.card for action in session.seats[0].open.legal}
    card = next(card for card in range(1, 41) if card not in held)
    ann.write()
    ann.act(session, 1, action=WIRES["trick-and-trade"].action(Play(card)))
    result, again = ann.write()
    assert result.act_result.outcome == play_pb2.ACT_OUTCOME_ILLEGAL
    assert (result.act_result.rule, result.act_result.attempts_left) == ("play.in-hand", 2)
    assert (result.act_result.fault, result.act_result.faults) == (game_pb2.FAULT_KIND_ILLEGAL, 1)
    assert result.act_result.max_faults == 10
    assert (again.decision.decision_id, again.decision.attempt) == (1, 2)


# Games that fail: the stream lives, and what else is played over it goes on.


@pytest.fixture
def broken(hall, streams):
    """A session whose questions have been asked; those of another wait."""
    session = hall.session(game=HIGH_CARD)
    for stream in streams:
        stream.write()
    hall.session()
    return session


def raises(*_):
    raise ZeroDivisionError


def test_a_game_that_fails_to_show_a_question_ends_alone(hall, streams, broken, monkeypatch):
    broken.attach(broken.seats[0], streams[0].link, resumed=True)
    monkeypatch.setattr(HighCardState, "view", raises)
    told = play_on(streams)
    assert broken.state is SessionState.ABORTED
    ends = [message.session_end for message in told[0] if message.WhichOneof("message") == "session_end"]
    assert [end.session_id == broken.id for end in ends] == [True, False]
    assert not hall.host.sessions


def test_a_game_that_fails_to_read_an_action_ends_alone(hall, streams, broken, monkeypatch):
    monkeypatch.setattr(WIRES[HIGH_CARD.name].codec, "action_from_wire", raises)
    streams[0].act(broken, 1, action=game_pb2.GameAction())
    assert broken.state is SessionState.ABORTED
    assert len(hall.host.sessions) == 1


def test_a_game_that_cannot_show_how_it_ended_is_told_to_have_ended_all_the_same(hall, streams, monkeypatch):
    session = hall.session(game=HIGH_CARD, hand=1, bell_ms=1)
    monkeypatch.setattr(HighCardState, "view", raises)
    hall.advance(1_000)
    assert session.state is SessionState.FINISHED
    (end,) = streams[0].told("session_end")
    assert (end.reason, end.HasField("view")) == (play_pb2.END_REASON_FINISHED, False)


# Acts that make no sense: the stream lives, and says so.


@pytest.fixture
def ann(hall, streams):
    hall.session()
    streams[0].write()
    return streams[0]


def the_session(ann):
    (session,) = ann.hall.host.sessions.values()
    return session


def still_asked(ann):
    """The stream lives: the decision can still be answered."""
    session = the_session(ann)
    ann.act(session, 1, index=0)
    assert len(session.table.inputs) == 1
    assert not ann.closed


@pytest.mark.parametrize("frame", [b"\xff", b"\x0a\x05ab", b"GET / HTTP/1.1\r\n\r\n", bytes(100)])
def test_a_frame_that_cannot_be_read(ann, frame):
    ann.say_bytes(frame)
    (result,) = ann.told("act_result")
    assert (result.outcome, result.session_id, result.fault) == (play_pb2.ACT_OUTCOME_MALFORMED, "", 0)
    assert result.message == "the frame is not a croupier.v1.PlayRequest"
    still_asked(ann)


def test_a_frame_that_is_too_large(ann):
    ann.say_bytes(bytes(Limits().frame_bytes + 1))
    (result,) = ann.told("act_result")
    assert result.message == "the frame has 262,145 bytes; at most 262,144 are read"
    still_asked(ann)


def test_a_frame_of_too_many_messages(ann):
    asked = play_pb2.ClientMessage(act=play_pb2.Act(session_id=the_session(ann).id, decision_id=1, index=0))
    assert ann.say(asked, *[ACK] * MAX_MESSAGES) == MAX_MESSAGES + 1 + REPORT_COST
    (result,) = ann.told("act_result")
    assert (result.outcome, result.session_id) == (play_pb2.ACT_OUTCOME_MALFORMED, "")
    assert result.message == "the frame has 16,385 messages; at most 16,384 are read"
    assert not the_session(ann).table.inputs
    ann.say(*[ACK] * (MAX_MESSAGES - 1), asked)
    assert len(the_session(ann).table.inputs) == 1


def test_an_empty_frame_is_nothing_wrong(ann):
    ann.say_bytes(b"")
    assert ann.write() == []
    still_asked(ann)


NOT_KNOWN = "a message is empty, or of a kind that this server does not know"


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        (play_pb2.ClientMessage(), NOT_KNOWN),
        (play_pb2.ClientMessage.FromString(b"\x7a\x00"), NOT_KNOWN),
        (play_pb2.ClientMessage(hello=play_pb2.Hello(protocol=1)), "Hello is said once, at the start of a stream"),
    ],
)
def test_a_message_that_does_not_belong_there(ann, message, answer):
    ann.say(message)
    (result,) = ann.told("act_result")
    assert (result.outcome, result.message) == (play_pb2.ACT_OUTCOME_MALFORMED, answer)
    still_asked(ann)


EMPTY = play_pb2.ClientMessage()
ACK = play_pb2.ClientMessage(ack=play_pb2.Ack())
NOBODYS = play_pb2.ClientMessage(act=play_pb2.Act(session_id="nowhere", decision_id=1, index=0))


def test_what_is_wrong_with_a_frame_is_said_once_however_often_it_is_in_there(ann):
    ann.say(*[EMPTY] * 100, *[play_pb2.ClientMessage(hello=play_pb2.Hello(protocol=1, bot="bob"))] * 100)
    assert [result.message for result in ann.told("act_result")] == [
        "a message is empty, or of a kind that this server does not know",
        "Hello is said once, at the start of a stream",
    ]
    ann.say(EMPTY)
    assert len(ann.told("act_result")) == 1
    ann.say(*[NOBODYS] * 100)
    assert len(ann.told("act_result")) == 1
    still_asked(ann)


def test_a_frame_costs_an_act_for_each_message_and_many_for_each_that_has_to_be_answered(ann):
    assert ann.say(*[ACK] * 7) == 7
    assert ann.say(*[EMPTY] * 100) == 100 + REPORT_COST
    assert ann.say(*[NOBODYS] * 3, ACK) == 4 + REPORT_COST
    others = [play_pb2.ClientMessage(act=play_pb2.Act(session_id=f"nowhere {number}")) for number in range(3)]
    assert ann.say(*others, ACK) == 4 + 3 * REPORT_COST
    assert ann.say_bytes(b"\xff") == 1 + REPORT_COST
    assert ann.act(the_session(ann), 1, index=0) == 1


def test_who_is_not_listened_to_for_a_while_has_not_stalled(hall, ann):
    ann.say(ACK)
    ann.link.excuse(hall.time.now() + 2 * STALL)
    hall.time.advance(2 * STALL)
    ann.link.check_alive()
    assert not ann.closed


def test_acks_and_pongs_are_not_answered(ann):
    ann.say(play_pb2.ClientMessage(ack=play_pb2.Ack()), play_pb2.ClientMessage(pong=play_pb2.Pong(nonce=7)))
    assert ann.write() == []


@pytest.mark.parametrize("session_id", ["", "nowhere", "x" * 10_000])
def test_an_act_for_a_session_that_does_not_exist(ann, session_id):
    ann.say(play_pb2.ClientMessage(act=play_pb2.Act(session_id=session_id, decision_id=1, index=0)))
    (result,) = ann.told("act_result")
    assert (result.outcome, result.session_id, result.fault) == (play_pb2.ACT_OUTCOME_UNKNOWN_SESSION, session_id, 0)
    still_asked(ann)


def test_an_act_for_a_session_of_others_is_answered_as_if_there_were_none(hall, ann):
    dan = FakeStream(hall, "dan")
    dan.act(the_session(ann), 1, index=0)
    (result,) = dan.told("act_result")
    assert (result.outcome, result.fault) == (play_pb2.ACT_OUTCOME_UNKNOWN_SESSION, 0)
    assert not the_session(ann).events


@pytest.mark.parametrize(
    ("choice", "answer"),
    [
        ({}, "an act holds an index or an action; this one holds neither"),
        ({"index": 13}, "index 13 is out of range: there are 13 actions, 0 to 12"),
        ({"action": game_pb2.GameAction()}, "action: is empty; it should hold trick_and_trade"),
        (
            {"action": game_pb2.GameAction(other={"type_url": "x/y"})},
            "action: is trick_and_trade for this game, not other",
        ),
        (
            {"action": game_pb2.GameAction(trick_and_trade={"play": 77})},
            "action: trick cards are numbered 1 to 40, there is no 77",
        ),
        (
            {"action": game_pb2.GameAction(trick_and_trade={"play": 0})},
            "action: trick cards are numbered 1 to 40, there is no 0",
        ),
    ],
)
def test_an_act_that_makes_no_sense_costs_an_attempt_and_says_what_was_wrong(ann, choice, answer):
    ann.act(the_session(ann), 1, **choice)
    messages = ann.write()
    assert kinds(messages) == ["act_result", "decision"]
    result = messages[0].act_result
    assert (result.outcome, result.fault) == (play_pb2.ACT_OUTCOME_MALFORMED, game_pb2.FAULT_KIND_MALFORMED)
    assert (result.message, result.attempts_left, result.faults) == (answer, 2, 1)
    still_asked(ann)


def test_what_is_wrong_in_a_frame_spoils_nothing_else_in_it(hall, streams):
    sessions = [hall.session(), hall.session()]
    streams[0].write()
    streams[0].say(
        play_pb2.ClientMessage(),
        play_pb2.ClientMessage(act=play_pb2.Act(session_id=sessions[0].id, decision_id=1, index=0)),
        play_pb2.ClientMessage(act=play_pb2.Act(session_id="nowhere", decision_id=1, index=0)),
        play_pb2.ClientMessage(act=play_pb2.Act(session_id=sessions[1].id, decision_id=1, index=1)),
    )
    assert [len(session.table.inputs) for session in sessions] == [1, 1]
    assert kinds(streams[0].write()) == ["act_result", "act_result"]


# Events.


def test_events_go_only_to_those_that_asked_for_them(hall):
    ann, bob = FakeStream(hall, "ann", events=True), FakeStream(hall, "bob")
    hall.session("ann bob ann")
    told = play_on([ann, bob])
    assert "events" in kinds(told[0])
    assert "events" not in kinds(told[1])


def events_in(messages, seat):
    return [
        event
        for message in messages
        if message.WhichOneof("message") == "events" and message.events.seat == seat
        for event in message.events.events
    ]


def test_events_say_who_did_what_and_why(hall):
    ann, bob, cat = (FakeStream(hall, name, events=True) for name in ("ann", "bob", "cat"))
    session = hall.session(clock=ClockSettings(THINK, 0), faults=FaultSettings(max_faults=2, attempts=5))
    told = ann.write()
    ann.act(session, 1, index=0)
    bob.write()
    hall.advance(THINK)
    cat.write()
    cat.act(session, 3, index=99)
    cat.act(session, 3, index=99)
    told += ann.write()
    events = events_in(told, 0)
    assert [event.WhichOneof("event") for event in events[:7]] == [
        "moved", "faulted", "moved", "faulted", "faulted", "vacated", "moved",
    ]  # fmt: skip
    assert [event.seq for event in events] == list(range(1, session.seq + 1))
    moved = [event.moved for event in events if event.WhichOneof("event") == "moved"][:3]
    assert [(move.seat, move.cause) for move in moved] == [
        (0, game_pb2.CAUSE_CHOSEN), (1, game_pb2.CAUSE_SUBSTITUTED), (2, game_pb2.CAUSE_VACATED),
    ]  # fmt: skip
    assert all(move.action.trick_and_trade.play for move in moved)
    assert (events[1].faulted.seat, events[1].faulted.kind) == (1, game_pb2.FAULT_KIND_LATE)
    assert events[5].vacated.seat == 2


def secret_game(hall, **streams):
    session = hall.session("ann bob", HIGH_CARD, hand=4, bell_ms=60_000)
    told = play_on(list(streams.values()), until=lambda: len(session.table.inputs) == 6)
    for name, stream in streams.items():
        told[list(streams).index(name)] += stream.write()
    return session, told


def seen(events):
    return [(event.seq, event.moved.seat, event.moved.action.other.value.decode()) for event in events]


def test_a_secret_choice_is_in_nobody_elses_events(hall):
    ann, bob = FakeStream(hall, "ann", events=True), FakeStream(hall, "bob", events=True)
    session, told = secret_game(hall, ann=ann, bob=bob)
    for seat in (0, 1):
        for event in events_in(told[seat], seat):
            assert event.moved.HasField("action") is (event.moved.seat == seat)
        others = [HIGH_CARD.notation(move.action) for move in session.table.moves if move.seat != seat]
        raw = b"".join(message.events.SerializeToString() for message in told[seat])
        assert not any(action.encode() in raw for action in others)


@pytest.mark.parametrize("last_seq", [0, 1, 3, 5])
def test_who_comes_back_is_told_the_events_that_it_missed_and_no_more_of_them_than_it_may_know(hall, last_seq):
    ann, bob = FakeStream(hall, "ann", events=True), FakeStream(hall, "bob", events=True)
    session, told = secret_game(hall, ann=ann, bob=bob)
    live = seen(events_in(told[1], 1))
    bob.leave()
    again = FakeStream(hall, "bob", events=True, resume=[(session, 1, last_seq)])
    messages = again.write()
    assert kinds(messages) == ["session_start", "events", "decision"]
    assert (messages[0].session_start.resumed, messages[0].session_start.seq) == (True, session.seq)
    assert seen(events_in(messages, 1)) == live[last_seq:]


def test_who_has_seen_all_events_is_told_none_again(hall):
    ann, bob = FakeStream(hall, "ann", events=True), FakeStream(hall, "bob", events=True)
    session, _ = secret_game(hall, ann=ann, bob=bob)
    again = FakeStream(hall, "bob", events=True, resume=[(session, 1, session.seq)])
    assert kinds(again.write()) == ["session_start", "decision"]


def test_who_claims_to_have_seen_more_is_told_how_many_there_are(hall):
    ann, bob = FakeStream(hall, "ann", events=True), FakeStream(hall, "bob", events=True)
    session, _ = secret_game(hall, ann=ann, bob=bob)
    again = FakeStream(hall, "bob", events=True, resume=[(session, 1, 10**9)])
    messages = again.write()
    assert kinds(messages) == ["session_start", "decision"]
    assert messages[0].session_start.seq == session.seq


def test_who_comes_back_is_asked_again_with_the_time_that_is_left(hall, streams):
    session = hall.session()
    streams[0].write()
    hall.advance(400)
    again = FakeStream(hall, "ann")
    assert streams[0].closed == 1
    hall.advance(200)
    start, asked = again.write()
    assert start.session_start.resumed
    assert (asked.decision.decision_id, asked.decision.think_time_ms) == (1, THINK - 600)
    again.act(session, 1, index=0)
    assert session.seats[0].charged_ms == 600


async def test_of_a_session_that_ended_meanwhile_the_end_is_told(hall, streams):
    session = hall.session(seed=None)
    told = play_on(streams)
    again = FakeStream(hall, "bob", resume=[(session, 1, 3)])
    await again.link.tell_missed_ends()
    assert again.write() == told[1][-1:]


async def test_of_a_session_that_was_never_theirs_a_bot_learns_nothing(hall, streams):
    session = hall.session(seed=None)
    play_on(streams)
    for name, seat in (("dan", 1), ("ann", 1), ("ann", 99)):
        curious = FakeStream(hall, name, resume=[(session, seat, 0)])
        await curious.link.tell_missed_ends()
        (end,) = curious.told("session_end")
        assert end == play_pb2.SessionEnd(session_id=session.id, seat=seat, reason=play_pb2.END_REASON_ABORTED)


async def test_an_end_that_cannot_be_found_out_any_more_is_told_as_an_abort_and_keeps_nothing_from_the_others(
    hall, streams, monkeypatch
):
    sessions = [hall.session(), hall.session(game=HIGH_CARD, hand=1, bell_ms=1), hall.session(seed="other rules")]
    sessions += [hall.session(seed=f"number {number}") for number in range(3)]
    hall.advance(1_000)
    told = play_on(streams)
    damaged, store_fails = sessions[0].id, sessions[3].id
    del hall.host.games[HIGH_CARD.name]
    rules = hall.archived(sessions[2]).record
    load = hall.store.load

    async def some_load(session_id):
        if session_id == damaged:
            raise Unreadable("it is torn")
        if session_id == store_fails:
            raise OSError("the disk is gone")
        archived = await load(session_id)
        return replace(archived, record=replace(rules, rules_version=99)) if session_id == sessions[2].id else archived

    monkeypatch.setattr(hall.store, "load", some_load)
    again = FakeStream(hall, "bob", resume=[(session, 1, 0) for session in sessions])
    with structlog.testing.capture_logs() as logs:
        await again.link.tell_missed_ends()
    ends = again.told("session_end")
    assert [end.session_id for end in ends] == [session.id for session in sessions if session.id != store_fails]
    assert [end.reason for end in ends[:3]] == [play_pb2.END_REASON_ABORTED] * 3
    whole = {message.session_end.session_id: message.session_end for message in told[1]}
    assert ends[3:] == [whole[session.id] for session in sessions[4:]]
    assert [(entry["session"], entry["log_level"]) for entry in logs] == [
        (damaged, "warning"), (sessions[2].id, "warning"), (store_fails, "error"),
    ]  # fmt: skip


def test_a_standing_decision_has_no_think_time(hall):
    ann, _ = FakeStream(hall, "ann"), FakeStream(hall, "bob")
    session = hall.session("ann bob", HIGH_CARD, hand=1)
    (decision,) = ann.told("decision")
    assert decision.standing
    assert not decision.HasField("think_time_ms")
    assert [action.other.value for action in decision.actions] == [b"guess low", b"guess high"]
    ann.act(session, decision.decision_id, action=WIRES["high-card"].action(Guess(high=True)))
    assert session.table.inputs[0].action == Guess(high=True)


# Silence.


def test_a_silent_bot_is_pinged(hall, streams):
    hall.advance(PING)
    streams[0].link.check_alive()
    (ping,) = streams[0].told("ping")
    streams[0].say(play_pb2.ClientMessage(pong=play_pb2.Pong(nonce=ping.nonce)))
    hall.advance(PING - 1)
    streams[0].link.check_alive()
    assert streams[0].write() == []


def test_a_bot_that_answers_pings_may_be_silent_for_ever(hall, streams):
    for _ in range(20):
        hall.advance(PING)
        streams[0].link.check_alive()
        streams[0].say(play_pb2.ClientMessage(pong=play_pb2.Pong()))
    assert not streams[0].closed


def test_a_bot_that_does_not_answer_is_cut_off_with_a_reason_and_may_come_back(hall, streams):
    ann = streams[0]
    session = hall.session()
    hall.advance(STALL + 1)
    ann.link.check_alive()
    assert (ann.closed, ann.link.stalled, ann.link.come_back) == (1, True, True)
    assert ann.link.closed_because == "stalled: the bot has not answered for 15 s"
    ann.leave()
    assert session.seats[0].faults == {FaultKind.STALLED: 1}


def test_a_bot_that_thinks_is_excused_as_long_as_its_clock_runs(hall, streams):
    """One that thinks in its only thread answers no pings meanwhile."""
    hall.session(clock=ClockSettings(60_000, 0))
    ann = streams[0]
    ann.write()
    for _ in range(11):
        hall.advance(PING)
        ann.link.check_alive()
    assert not ann.closed
    hall.advance(2 * PING + STALL)
    ann.link.check_alive()
    assert ann.closed


def test_a_bot_that_thinks_about_one_of_several_decisions_is_excused_too(hall, streams):
    """Both came in one frame; it has answered the first, and now thinks about the second."""
    first, _ = [hall.session(clock=ClockSettings(60_000, 0)) for _ in range(2)]
    ann = streams[0]
    ann.write()
    hall.advance(1_000)
    ann.act(first, 1, index=0)
    for _ in range(5):
        hall.advance(PING)
        ann.link.check_alive()
    assert not ann.closed


def test_a_bot_that_lets_too_much_wait_is_cut_off(hall, streams):
    ann = streams[0]
    hall.session()
    size = MAX_WAITING_BYTES // 4
    for _ in range(4):
        ann.link.outbox.put(bytes(size))
    ann.link.drain(1, "one more")
    assert ann.link.stalled
    assert "bytes wait for the bot to read them" in ann.link.closed_because


def test_a_write_that_does_not_return_is_a_bot_that_does_not_read(hall, streams):
    ann = streams[0]
    ann.link.outbox.writing_since = hall.time.now()
    hall.advance(STALL + 1)
    ann.say(play_pb2.ClientMessage(pong=play_pb2.Pong()))  # it still talks, but that is not enough
    ann.link.check_alive()
    assert ann.link.closed_because == "stalled: the bot has not read anything for 15 s"


def test_once_closed_nothing_more_is_put(hall, streams):
    ann = streams[0]
    ann.link.close("enough")
    ann.link.close("again")
    hall.session()
    assert (ann.link.closed_because, ann.closed, ann.write()) == ("enough", 1, [])


def test_a_drain_is_told_with_its_grace(hall, streams):
    hall.host.drain(5_000, "it is late")
    assert streams[0].told("drain") == [play_pb2.Drain(grace_ms=5_000, reason="it is late")]


def test_many_small_games_share_frames(streams, hall):
    for _ in range(10):
        hall.session()
    frame, decisions = streams[0].link.outbox._take()
    assert len(decisions) == 10
    assert len(play_pb2.PlayResponse.FromString(frame).messages) == 20
