"""House bots: they sit at tables like everybody else, play legally, and always the same way from the same seed."""

import pytest
from hall import THINK, Hall, play_on
from toy import GAME as HIGH_CARD

from croupier_games.kernel import Seed, games
from croupier_games.kernel.playout import random_playout
from croupier_games.trick_and_trade import GAME as TRICK_AND_TRADE
from croupier_service.house import house_bots
from croupier_service.house.link import HouseLink
from croupier_service.sessions.events import SessionState
from croupier_service.sessions.settings import FaultPolicy, FaultSettings

STRICT = FaultSettings(FaultPolicy.FORFEIT, max_faults=1, attempts=1)
"""One illegal action costs the seat."""

PLAYERS = [(game, bot) for game in games() for bot in house_bots() if house_bots()[bot](game, None) is not None]


def played(game, bots, seed):
    """The record of a session of house bots."""
    hall = Hall()
    hall.host.games = {**hall.host.games, game.name: game}
    session = hall.session(bots, game, seed=seed, faults=STRICT)
    for _ in range(100):
        if session.running:
            hall.advance(60_000)  # games that wait for the clock
    assert session.state is SessionState.FINISHED
    assert not any(seat.faults for seat in session.seats)
    hall.verified(session)
    return hall.archived(session).record


@pytest.mark.parametrize(("name", "bot"), PLAYERS)
def test_it_plays_every_game_it_knows_legally_to_the_end_with_any_number_of_seats(name, bot):
    game = games()[name]
    for seats in game.seat_range:
        played(game, " ".join([f"house:{bot}"] * seats), f"{seats} seats")


@pytest.mark.parametrize(("name", "bot"), PLAYERS)
def test_from_the_same_seed_it_plays_the_same_game(name, bot):
    game = games()[name]
    bots = " ".join([f"house:{bot}"] * game.seat_range[0])
    assert played(game, bots, "one") == played(game, bots, "one")
    assert played(game, bots, "one").inputs != played(game, bots, "two").inputs


def test_different_kinds_can_sit_at_one_table():
    played(TRICK_AND_TRADE, "house:greedy house:random house:greedy house:random house:random", "mixed")


def test_random_plays_games_that_it_has_never_heard_of():
    played(HIGH_CARD, "house:random house:random house:random", "toy")


def test_who_does_not_play_a_game_says_so():
    assert house_bots()["greedy"]("high-card", None) is None
    assert house_bots()["greedy"]("trick-and-trade", None) is not None


@pytest.mark.parametrize(("name", "bot"), PLAYERS)
def test_it_chooses_one_of_the_actions_that_it_is_offered_whatever_the_position(name, bot):
    game = games()[name]
    policy = house_bots()[bot](name, None)._policy
    seed = Seed.of(f"positions of {name}")
    for seats in game.seat_range:
        for table in random_playout(game, seats, game.options(), seed):
            for seat in table.state.to_act():
                legal = table.state.legal_actions(seat)
                chosen = policy(table.state.view(seat), legal, seed.dice("choice"))
                assert chosen in legal or (chosen is None and table.state.may_wait(seat))


def test_random_uses_every_action():
    policy = house_bots()["random"]("any", None)._policy
    dice = Seed.of("any").dice("test")
    assert {policy(None, ["a", "b", "c"], dice) for _ in range(100)} == {"a", "b", "c"}


# At the table.


def test_house_bots_answer_at_once_and_are_charged_nothing(hall):
    (ann,) = hall.bots("ann")
    session = hall.session("ann house:random house:random")
    while session.running:
        hall.advance(300)
        ann.answer()
    assert [seat.charged_ms > 0 for seat in session.seats] == [True, False, False]
    assert ann.reports == []
    assert session.seats[0].charged_ms == 300 * session.seats[0].asked <= THINK * session.seats[0].asked


def test_seats_of_the_same_kind_have_dice_of_their_own(hall):
    """Or equal hands would be played alike."""
    drawn = []

    def note(_view, legal, dice):
        drawn.append(dice.clone().word())
        return legal[0]

    hall.host._house = {"noting": lambda _game, time: HouseLink(note, time)}
    session = hall.session("house:noting house:noting house:noting", faults=STRICT)
    assert session.state is SessionState.FINISHED
    assert len(set(drawn)) == len(drawn)


def test_what_others_do_does_not_shift_a_house_bots_dice(hall):
    first = []
    for choice in (0, 1):
        drawn = []

        def note(_view, legal, dice, drawn=drawn):
            drawn.append(dice.word())
            return legal[0]

        hall.host._house = {"noting": lambda _game, time, note=note: HouseLink(note, time)}
        (ann,) = hall.bots("ann")
        session = hall.session("ann house:noting ann")
        ann.answer(index=choice)
        play_on([ann])
        assert session.state is SessionState.FINISHED
        first.append(drawn[:10])
    assert first[0] == first[1]


def test_a_house_bot_that_breaks_the_rules_is_treated_like_any_other(hall):
    hall.host._house = {"liar": lambda _game, time: HouseLink(lambda _view, _legal, _dice: "nonsense", time)}
    session = hall.session("house:liar house:liar house:liar", faults=FaultSettings(max_faults=2))
    assert session.result.forfeited == (True, True, True)


def test_a_question_that_was_answered_for_it_meanwhile_is_dropped(hall):
    asked = []
    hall.host._house = {
        "noting": lambda _game, time: HouseLink(lambda _v, legal, _d: asked.append(1) or legal[0], time)
    }
    hall.bots("ann")
    session = hall.session("ann house:noting ann")
    session.act("ann", 1, hall.time.now(), index=0)  # the house bot is asked, and will answer in a moment
    session.abort()
    hall.settle()
    assert asked == []
