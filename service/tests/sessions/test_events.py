"""Events: numbered without gaps, told only to those that want them, and only as far as each may know."""

import pytest
from hall import BANK, THINK, FakeBot, Happened, illegal, play_on
from toy import GAME as HIGH_CARD
from toy import PAUSE_MS, Guess, HighCard, HighCardState, Phase

from croupier_games.kernel import Move
from croupier_service.sessions.events import Faulted, SeatVacated, SessionState
from croupier_service.sessions.history import events_seen
from croupier_service.sessions.settings import ClockSettings, FaultKind, FaultSettings


def numbers(events):
    return [seq for seq, _ in events]


def moves(events):
    return [(event.seat, event.action, event.cause) for _, event in events if isinstance(event, Move)]


def test_only_bots_that_want_events_are_told_them(hall):
    (ann,) = hall.bots("ann", events=True)
    bob, cat = hall.bots("bob cat")
    session = hall.session()
    play_on([ann, bob, cat])
    assert numbers(ann.told_events) == list(range(1, session.seq + 1))
    assert bob.heard(Happened) == cat.heard(Happened) == []


def test_events_are_numbered_from_one_without_gaps_whatever_happens(hall):
    bots = hall.bots("ann bob cat", events=True)
    session = hall.session(faults=FaultSettings(max_faults=3))
    ann, bob, _ = bots
    ann.answer(action=illegal(ann.question))
    ann.answer()
    hall.advance(THINK + BANK)
    bob.act(session, 99, index=0)
    bob.act(session, 99, index=0)
    play_on(bots)
    assert {type(event) for _, event in ann.told_events} >= {Faulted, SeatVacated}
    for bot in bots:
        assert numbers(bot.told_events) == list(range(1, session.seq + 1))


def test_what_follows_from_one_input_is_told_at_once(hall):
    """The last cards are forced: the engine plays them, and everybody is told in one message."""
    (ann, bob) = hall.bots("ann bob", events=True)
    hall.session("ann bob", HIGH_CARD, hand=2)
    ann.answer()
    bob.answer()
    assert [len(happened.events) for happened in ann.heard(Happened)] == [1, 3]
    assert [cause for _, _, cause in moves(ann.told_events)] == ["chosen", "chosen", "forced", "forced"]


def test_moves_before_anybody_decides_are_told_too(hall):
    (ann, _) = hall.bots("ann bob", events=True)
    hall.session("ann bob", HIGH_CARD, hand=1)
    assert [cause for _, _, cause in moves(ann.told_events)] == ["forced", "forced"]


def test_events_come_before_the_question_that_follows_from_them(hall):
    bots = hall.bots("ann bob cat", events=True)
    hall.session()
    bots[0].answer()
    kinds = [type(said).__name__ for said in bots[1].said]
    assert kinds == ["Started", "Happened", "Asked"]
    assert bots[1].question.seq == bots[1].told_events[-1][0] == 1


def test_each_event_says_why_it_happened(hall):
    (ann, bob, cat) = bots = hall.bots("ann bob cat", events=True)
    hall.session(faults=FaultSettings(max_faults=2, attempts=5))
    ann.answer()
    hall.advance(THINK + BANK)
    cat.answer(index=99)
    cat.answer(index=99)
    play_on(bots, until=lambda: cat.told_events[-1][0] > 8)
    told = [getattr(event, "cause", event) for _, event in bob.told_events[:7]]
    assert told == [
        "chosen", Faulted(1, FaultKind.LATE), "substituted",
        Faulted(2, FaultKind.MALFORMED), Faulted(2, FaultKind.MALFORMED), SeatVacated(2), "vacated",
    ]  # fmt: skip


# What only some may know.


def test_a_secret_choice_is_shown_to_nobody_else(hall):
    ann, bob = hall.bots("ann bob", events=True)
    hall.session("ann bob", HIGH_CARD, hand=3)
    ann.answer(index=1)
    card = ann.heard(Happened)[0].events[0][1].action
    assert card is not None
    assert moves(ann.told_events) == [(0, card, "chosen")]
    assert moves(bob.told_events) == [(0, None, "chosen")]


@pytest.mark.parametrize("card", [0, 1, 2])
def test_whatever_is_chosen_the_others_are_told_the_same(hall, card):
    ann, bob = hall.bots("ann bob", events=True)
    hall.session("ann bob", HIGH_CARD, hand=3)
    ann.answer(index=card)
    (happened,) = bob.heard(Happened)
    ((seq, move),) = happened.events
    assert (seq, move.seat, move.action, move.cause) == (1, 0, None, "chosen")


def whole_game(hall, bots, **options):
    session = hall.session(" ".join(bot.name for bot in bots), HIGH_CARD, **options)
    play_on(bots, until=lambda: any(question.standing for bot in bots for question in bot.questions))
    bots[0].answer(action=Guess(high=True))
    return session


def test_what_was_hidden_live_is_hidden_after_a_resume_too(hall):
    """Even from a bot that says it has seen nothing yet."""
    ann, bob = hall.bots("ann bob", events=True)
    session = whole_game(hall, [ann, bob], hand=3)
    assert session.running
    for bot, seat in ((ann, 0), (bob, 1)):
        again = tuple(events_seen(session, seat, 1))
        assert list(again) == bot.told_events
        assert {move.action is None for _, move in again if move.seat != seat} == {True}
        assert {move.action is None for _, move in again if move.seat == seat} == {False}


class LoosenedState(HighCardState):
    """Once the bell is open, actions are taken in the open."""

    def shown(self, viewer, seat, action):
        return action if viewer == seat or self.phase is Phase.BELL else None


class Loosened(HighCard):
    name = "loosened"
    state_type = LoosenedState


def test_what_may_be_known_of_a_move_is_settled_when_it_is_made(hall):
    """A lay stays secret for those who look back at it when nothing is secret any more."""
    game = Loosened()
    hall.host.games = {game.name: game}
    ann, bob = hall.bots("ann bob", events=True)
    session = hall.session("ann bob", game, hand=3)
    play_on([ann, bob], until=lambda: ann.questions and ann.question.standing)
    ann.answer(action=Guess(high=True))
    secret = [move.action is None for _, move in bob.told_events if move.seat == 0]
    assert secret == [True, True, False, False]  # two lays; the last one, which was forced, and the guess
    for first in range(1, session.seq + 1):
        assert list(events_seen(session, 1, first)) == bob.told_events[first - 1 :]


def test_a_spectator_is_shown_no_secret_either(hall):
    ann, bob = hall.bots("ann bob")
    session = whole_game(hall, [ann, bob], hand=3)
    assert {event.action for _, event in events_seen(session, None, 1)} == {None}


def test_events_may_be_had_from_any_number_on(hall):
    ann, bob = hall.bots("ann bob")
    session = whole_game(hall, [ann, bob], hand=4)
    every = list(events_seen(session, 1, 1))
    for first in range(1, session.seq + 2):
        assert list(events_seen(session, 1, first)) == every[first - 1 :]
    assert list(events_seen(session, 1, session.seq + 5)) == []


def test_old_events_are_the_same_after_substitutes_faults_vacancies_and_time(hall):
    ann, bob, cat = bots = hall.bots("ann bob cat", events=True)
    session = hall.session(game=HIGH_CARD, hand=3, clock=ClockSettings(100, 0), faults=FaultSettings(max_faults=2))
    ann.answer()
    hall.advance(100)  # bob and cat are late
    bob.answer(action=illegal(bob.question))  # vacated
    play_on([ann, cat], until=lambda: ann.questions and ann.question.standing)
    cat.answer(action=Guess(high=False))
    hall.keeping = False
    hall.advance(1_000 + PAUSE_MS)
    assert {type(item).__name__ for item in session.table.inputs} == {"Chosen", "Substituted", "Vacated", "Ticked"}
    for seat, bot in enumerate(bots):
        assert list(events_seen(session, seat, 1)) == bot.told_events
    hall.keep()
    assert session.state is SessionState.FINISHED


def test_replaying_events_leaves_the_game_alone(hall):
    ann, bob = hall.bots("ann bob")
    session = whole_game(hall, [ann, bob], hand=3)
    inputs, moved, view = list(session.table.inputs), list(session.table.moves), session.table.state.view(0)
    list(events_seen(session, 0, 1))
    assert (session.table.inputs, session.table.moves, session.table.state.view(0)) == (inputs, moved, view)


def test_a_bot_that_comes_back_is_told_what_it_missed_by_its_link_alone(hall):
    """Sessions tell only what is new; a link that resumes asks for the rest (see tests/rpc)."""
    ann, bob, cat = hall.bots("ann bob cat", events=True)
    session = hall.session()
    ann.leave()
    hall.advance(100)
    again = FakeBot(hall, "ann", events=True)
    again.answer()
    assert numbers(again.told_events) == [1]
    assert numbers(bob.told_events) == numbers(cat.told_events) == [1]
    assert session.seq == 1
