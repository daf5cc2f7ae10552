"""A game that raises what it must not: its own session is aborted and kept so, and nothing else notices."""

import pytest
from hall import Ended, FakeBot, drive, play_on
from toy import GAME as HIGH_CARD
from toy import HighCardState

from croupier_games.kernel import replay
from croupier_service.sessions.journal import StoreJournal
from croupier_service.sessions.session import SessionState
from croupier_service.sessions.settings import FaultPolicy, FaultSettings


def bug(*_):
    raise ZeroDivisionError


@pytest.fixture
def bots(hall):
    return hall.bots("ann bob cat")


@pytest.fixture
def sound(hall, bots):
    """A session of the same bots whose game is well."""
    return hall.session()


def lost(hall, bots, broken, sound):
    """See that the broken session is over and kept, and that the other can be played to its end."""
    assert broken.id not in hall.host.sessions
    assert all(bot.heard(Ended)[0] == Ended(broken.id, seat, None) for seat, bot in enumerate(bots))
    archived = hall.archived(broken)
    assert archived.summary.state is SessionState.ABORTED
    assert len(archived.charges) == len(archived.record.inputs)
    play_on(bots)
    assert sound.state is SessionState.FINISHED
    return archived


@pytest.mark.parametrize("method", ["apply", "deadline", "drain_engine_moves", "legal_actions", "to_act"])
def test_a_game_that_fails_at_an_act_loses_its_session_and_no_other(hall, bots, sound, monkeypatch, method):
    broken = hall.session(game=HIGH_CARD)
    bots[0].answer(bots[0].questions[-1])
    monkeypatch.setattr(HighCardState, method, bug)
    bots[1].answer()
    archived = lost(hall, bots, broken, sound)
    monkeypatch.undo()
    assert replay(archived.record, HIGH_CARD).inputs == list(archived.record.inputs)


def test_a_game_that_fails_at_its_result_has_none(hall, bots, sound, monkeypatch):
    broken = hall.session(game=HIGH_CARD, hand=1)
    monkeypatch.setattr(HighCardState, "result", bug)
    hall.advance(1_000)
    lost(hall, bots, broken, sound)


@pytest.mark.parametrize("policy", FaultPolicy)
def test_a_game_that_fails_when_time_is_up_loses_its_session_and_no_other(hall, bots, monkeypatch, policy):
    broken = hall.session(game=HIGH_CARD, faults=FaultSettings(policy=policy))
    monkeypatch.setattr(HighCardState, "legal_actions", bug)
    hall.advance(6_000)
    lost(hall, bots, broken, hall.session())


def test_a_game_that_fails_as_a_seat_is_given_up_loses_its_session_and_no_other(hall, bots, sound, monkeypatch):
    broken = hall.session(game=HIGH_CARD, faults=FaultSettings(max_faults=1))
    monkeypatch.setattr(HighCardState, "to_act", bug)
    bots[2].leave(stalled="it does not read")
    bots[2] = FakeBot(hall, "cat")
    assert broken.state is SessionState.ABORTED
    play_on(bots)
    assert sound.state is SessionState.FINISHED


def test_a_game_that_fails_as_its_bots_sit_down_is_never_played(hall, bots, sound, monkeypatch):
    monkeypatch.setattr(HighCardState, "legal_actions", bug)
    broken = hall.session(game=HIGH_CARD)
    assert not broken.table.inputs
    lost(hall, bots, broken, sound)


def test_a_game_that_fails_to_show_a_bot_that_is_back_its_question_loses_only_its_session(
    hall, bots, sound, monkeypatch
):
    broken = hall.session(game=HIGH_CARD)
    monkeypatch.setattr(HighCardState, "view", bug)
    bots[0] = FakeBot(hall, "ann")
    lost(hall, bots, broken, sound)


def test_a_game_that_fails_to_show_a_house_bot_its_hand_loses_its_session(hall, monkeypatch):
    monkeypatch.setattr(HighCardState, "view", bug)
    hall.session("house:random house:random", HIGH_CARD)
    (note,) = [note for note in hall.watcher.notes if note[0] == "ended"]
    assert note[2] == "ABORTED"


def test_a_game_that_fails_after_a_restart_does_not_keep_the_server_from_starting(hall, bots, monkeypatch):
    broken = hall.session(game=HIGH_CARD)
    sound = hall.session()
    answers = iter([None])  # to the deal; there is none for what comes after it
    monkeypatch.setattr(HighCardState, "deadline", lambda _: next(answers))
    hall.restart()
    assert hall.archived(broken).summary.state is SessionState.ABORTED
    assert list(hall.host.sessions) == [sound.id]


def test_what_is_to_be_done_once_a_commit_is_safe_is_done_though_some_of_it_fails(hall, bots):
    first, second = hall.session(), hall.session()
    journal, done = hall.host.journal, []
    hall.keeping = False
    assert isinstance(journal, StoreJournal)
    journal.finish(first, SessionState.ABORTED, bug)
    journal.finish(second, SessionState.ABORTED, lambda: done.append(second))
    drive(journal.flush())
    assert done == [second]
