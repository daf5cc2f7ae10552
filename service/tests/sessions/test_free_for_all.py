"""A game in which anybody may act at any time, at a table of the host: Trades as a free-for-all."""

import random
from collections import Counter

import pytest
from hall import THINK, Asked, FakeBot

from croupier_games.kernel import Chosen, Substituted, Ticked
from croupier_games.trades import GAME, Declare, Give, LastDeckTrade, Offer, Phase, TradeStatus
from croupier_service.sessions.events import SessionState
from croupier_service.sessions.seats import Outcome
from croupier_service.sessions.settings import ClockSettings, FaultKind, FaultSettings

LIMIT = 3_000
TENTH = LIMIT // 10
NAMES = "ann bob cat dan eve fay gus hal"
WAITING, LAYING, GIVING, LAST = Declare, Offer, Give, LastDeckTrade


@pytest.fixture
def start(hall):
    """Starts a session of so many bots; returns it and them."""

    def start(seats, limit=LIMIT, **settings):
        hall.host.games = {**hall.host.games, GAME.name: GAME}
        names = " ".join(NAMES.split()[:seats])
        bots = hall.bots(names)
        session = hall.session(names, GAME, style="free-for-all", time_limit_ms=limit, **settings)
        return session, bots

    return start


def asked(bot):
    """What a bot is asked: the kind of its first action; None: nothing."""
    return type(bot.question.legal[0]) if bot.questions else None


def declare(bot, target):
    bot.answer(action=Declare(target))


def everything_is_said_of(session, bot):
    """An answer was taken, or the bot was told why it was not."""
    answered = Counter(item.seat for item in session.table.inputs if isinstance(item, Chosen))
    return answered[session.seats[[seat.bot for seat in session.seats].index(bot.name)].number]


# What is asked.


def test_everybody_is_asked_at_once_with_a_standing_decision(start):
    session, bots = start(5)
    assert [asked(bot) for bot in bots] == [WAITING] * 5
    assert all(bot.question.standing for bot in bots)
    assert session.table.inputs == []


def test_who_declares_is_asked_for_cards_with_a_clock_and_all_others_anew(start):
    _, bots = start(4)
    before = [bot.question.id for bot in bots]
    declare(bots[0], 1)
    assert asked(bots[0]) is LAYING
    assert not bots[0].question.standing
    assert bots[0].question.time_left[0] == THINK
    for bot, old in zip(bots[1:], before[1:], strict=True):
        assert asked(bot) is WAITING
        assert bot.question.id > old
        assert bot.question.view.table.trades[0].declarer == 0


def test_the_target_is_asked_to_give_when_the_trade_begins_and_its_standing_decision_is_gone(start):
    _, bots = start(4)
    old = bots[1].question
    declare(bots[0], 1)
    bots[0].answer()
    assert asked(bots[0]) is None
    assert asked(bots[1]) is GIVING
    bots[1].answer(old)
    assert [(report.outcome, report.fault) for report in bots[1].reports] == [(Outcome.STALE, None)]
    bots[1].answer()
    assert [asked(bot) for bot in bots] == [WAITING] * 4


def test_a_choice_of_cards_is_not_asked_again_whatever_the_others_do(start):
    _, bots = start(5)
    declare(bots[0], 1)
    question = bots[0].question
    declare(bots[2], 0)
    bots[2].answer()
    declare(bots[3], 4)
    assert bots[0].question is question
    assert len(bots[0].heard(Asked)) == 2


# Side by side.


def test_when_two_declare_at_the_same_moment_the_first_counts_and_the_second_is_told_that_it_was_stale(start):
    session, bots = start(4)
    first, second = bots[0].question, bots[2].question
    bots[0].answer(first, action=Declare(1))
    bots[2].answer(second, action=Declare(1))
    assert session.table.inputs == [Chosen(0, Declare(1))]
    assert [report.outcome for report in bots[2].reports] == [Outcome.STALE]
    bots[2].answer(action=Declare(1))  # again, as it is asked now
    assert session.table.inputs == [Chosen(0, Declare(1)), Chosen(2, Declare(1))]
    assert not any(seat.faults for seat in session.seats)


def test_answering_twice_is_told_as_a_duplicate_and_is_no_fault(start):
    session, bots = start(4)
    question = bots[0].question
    bots[0].answer(question, action=Declare(1))
    bots[0].answer(question, action=Declare(2))
    assert [report.outcome for report in bots[0].reports] == [Outcome.DUPLICATE]
    assert len(session.table.inputs) == 1
    assert not session.seats[0].faults


def test_trades_between_different_seats_run_at_the_same_time(start):
    session, bots = start(6)
    for one in (0, 2, 4):
        declare(bots[one], one + 1)
    for one in (4, 0, 2):
        bots[one].answer()
    assert [asked(bot) for bot in bots] == [None, GIVING] * 3
    assert [trade.status for trade in session.table.state.table().trades] == [TradeStatus.BEGUN] * 3


def test_a_void_trade_is_told_to_its_declarer_in_what_it_is_asked_next(start):
    _, bots = start(4)
    declare(bots[0], 1)
    declare(bots[1], 0)
    bots[1].answer()
    bots[0].answer()
    bots[1].answer()
    assert [asked(bot) for bot in bots] == [WAITING] * 4
    table = bots[1].question.view.table
    assert (table.void_trades, table.void_reasons) == ((0, 2, 0, 0), (0, 1, 0, 0))


# Time.


def test_every_tenth_of_the_time_everybody_is_told(hall, start):
    session, bots = start(3)
    hall.advance(TENTH * 3)
    assert session.table.inputs == [Ticked(TENTH), Ticked(2 * TENTH), Ticked(3 * TENTH)]
    assert [bot.question.view.table.now_ms for bot in bots] == [3 * TENTH] * 3


def test_nobody_need_ever_act(hall, start):
    session, bots = start(3)
    hall.advance(LIMIT)
    assert [asked(bot) for bot in bots] == [LAST] * 3
    assert not any(bot.question.standing for bot in bots)
    assert not any(seat.charged_ms for seat in session.seats)
    for bot in bots:
        bot.answer(index=7)
    assert session.state is SessionState.FINISHED
    assert len(hall.archived(session).record.inputs) == 10 + 3
    hall.verified(session)


def test_when_time_is_over_a_running_trade_is_finished_under_the_targets_clock(hall, start):
    session, bots = start(5)
    hall.advance(LIMIT - 100)
    declare(bots[0], 1)
    bots[0].answer()
    declare(bots[2], 1)
    hall.advance(100)
    assert session.table.state.table().phase is Phase.FINISHING
    assert [asked(bot) for bot in bots] == [None, GIVING, None, None, None]
    hall.advance(500)
    bots[1].answer()
    assert session.seats[1].charged_ms == 600
    assert [asked(bot) for bot in bots] == [LAST] * 5


def test_a_target_that_does_not_give_is_substituted_and_the_game_ends(hall, start):
    session, bots = start(3, clock=ClockSettings(THINK, 0))
    hall.advance(LIMIT - 100)
    declare(bots[0], 1)
    bots[0].answer()
    hall.advance(100 + THINK)
    assert Substituted(1) in session.table.inputs
    assert session.seats[1].faults == {FaultKind.LATE: 1}
    hall.advance(THINK)
    assert session.state is SessionState.FINISHED
    assert Counter(map(type, session.table.inputs)) == {Chosen: 2, Ticked: 10, Substituted: 4}
    hall.verified(session)


def test_a_declarer_that_does_not_lay_is_substituted_and_holds_nobody_up_for_longer(hall, start):
    session, bots = start(4, clock=ClockSettings(THINK, 0))
    declare(bots[0], 1)
    declare(bots[2], 1)
    bots[2].answer()
    assert asked(bots[1]) is WAITING
    hall.advance(THINK)
    assert Substituted(0) in session.table.inputs
    assert asked(bots[1]) is GIVING
    assert asked(bots[0]) is None


def test_a_declaration_whose_cards_are_not_laid_when_time_is_over_is_closed_without_fault(hall, start):
    session, bots = start(3)
    hall.advance(LIMIT - 100)
    declare(bots[0], 1)
    question = bots[0].question
    hall.advance(100)
    assert [asked(bot) for bot in bots] == [LAST] * 3
    bots[0].answer(question)
    assert [(report.outcome, report.fault) for report in bots[0].reports] == [(Outcome.STALE, None)]
    assert not any(seat.faults for seat in session.seats)
    assert bots[0].question.view.table.void_reasons == (2, 0, 0)


def test_a_bot_that_is_gone_gives_by_substitute_and_is_asked_again_when_it_is_back(hall, start):
    session, bots = start(3, 60_000)
    bots[1].leave()
    declare(bots[0], 1)
    bots[0].answer()
    hall.advance(hall.host.settings.grace_ms)
    assert [item for item in session.table.inputs if not isinstance(item, Ticked)][-1] == Substituted(1)
    back = FakeBot(hall, "bob")
    assert asked(back) is WAITING


def test_a_vacated_seat_gives_at_once_and_the_others_go_on(hall, start):
    session, bots = start(4, faults=FaultSettings(max_faults=1))
    bots[3].answer(action=Offer((1, 2)))
    assert session.table.vacated == {3}
    declare(bots[0], 3)
    bots[0].answer()
    assert [asked(bot) for bot in bots] == [WAITING] * 3 + [None]
    hall.advance(LIMIT)
    for bot in bots[:3]:
        bot.answer()
    assert session.result.forfeited == (False, False, False, True)
    hall.verified(session)


# Many at once.


@pytest.mark.parametrize("seats", [3, 5, 8])
@pytest.mark.parametrize("haste", ["careful", "hasty"])
def test_any_order_of_acts_fresh_stale_and_doubled_ends_with_a_record_that_verifies(hall, start, seats, haste):
    """Hasty bots answer questions that may have been asked long ago; such acts are refused as stale or doubled."""
    whim = random.Random(f"{seats}/{haste}")
    session, bots = start(seats)
    acts = 0
    while session.running:
        bot = whim.choice(bots)
        questions = bot.heard(Asked)[-4:] if haste == "hasty" and whim.random() < 0.5 else bot.questions
        if questions and whim.random() < 0.9:
            question = whim.choice(questions)
            bot.answer(question, index=whim.randrange(len(question.legal)))
            acts += 1
        else:
            hall.advance(whim.randrange(60))
        assert all(len(other.questions) <= 1 for other in bots)
    outcomes = Counter(report.outcome for bot in bots for report in bot.reports)
    assert {*outcomes} <= {Outcome.STALE, Outcome.DUPLICATE}
    assert (sum(outcomes.values()) > 0) == (haste == "hasty")
    assert not any(seat.faults for seat in session.seats)
    taken = sum(isinstance(item, Chosen) for item in session.table.inputs)
    assert taken + sum(outcomes.values()) == acts
    assert sum(everything_is_said_of(session, bot) for bot in bots) == taken
    hall.verified(session)


def test_fourteen_seats_with_two_packs(hall):
    hall.host.games = {**hall.host.games, GAME.name: GAME}
    names = [f"bot{number}" for number in range(14)]
    bots = hall.bots(" ".join(names))
    session = hall.session(" ".join(names), GAME, style="free-for-all", time_limit_ms=LIMIT)
    whim = random.Random(14)
    while session.running:
        bot = whim.choice(bots)
        if bot.questions and whim.random() < 0.8:
            bot.answer(index=whim.randrange(len(bot.question.legal)))
        else:
            hall.advance(whim.randrange(40))
    assert not any(bot.reports for bot in bots)
    assert len(hall.verified(session).points) == 14


def test_sessions_side_by_side_do_not_disturb_each_other(hall, start):
    session, bots = start(3)
    other = hall.session("ann bob cat", GAME, style="free-for-all", time_limit_ms=LIMIT, seed="another")
    mine = next(question for question in bots[0].questions if question.decision.session is session)
    bots[0].answer(mine, action=Declare(1))
    assert other.table.inputs == []
    assert {len(bot.questions) for bot in bots} == {2}


# House bots.


@pytest.mark.parametrize("kind", ["random", "greedy"])
def test_house_bots_take_their_time_where_they_may_act_at_any_time(hall, kind):
    """Not thousands of moves a second, but some: each rests for half a second to one and a half after each."""
    hall.host.games = {**hall.host.games, GAME.name: GAME}
    session = hall.session(" ".join([f"house:{kind}"] * 5), GAME, style="free-for-all", time_limit_ms=20_000)
    hall.advance(20_000)
    assert session.state is SessionState.FINISHED
    assert not any(seat.faults for seat in session.seats)
    moves = Counter(item.seat for item in session.table.inputs if isinstance(getattr(item, "action", None), Declare))
    assert sum(moves.values()) >= 3
    assert max(moves.values()) <= 40
    hall.verified(session)


def test_a_bot_plays_against_house_bots(hall):
    hall.host.games = {**hall.host.games, GAME.name: GAME}
    (ann,) = hall.bots("ann")
    session = hall.session("ann house:greedy house:random", GAME, style="free-for-all", time_limit_ms=10_000)
    while session.running:
        hall.advance(100)
        if ann.questions:
            ann.answer()
    assert not ann.reports
    assert len({item.seat for item in session.table.inputs if isinstance(item, Chosen)}) == 3
    hall.verified(session)
