"""What the rules forbid, by the name of the rule, and what the seat is told."""

import pytest

from croupier_games.kernel import IllegalAction, MalformedAction
from croupier_games.trick_and_trade import GAME, arrange


@pytest.fixture
def playing():
    """Seat 0 is to lead."""
    return arrange(["NEV-1 ZEUS-1", "NEV-2 ZEUS-2", "NEV-3 ZEUS-3"], ["NEV OCTO ZEUS", "NEV NEV+NEV ZEUS"])


@pytest.fixture
def taking(playing, do):
    """The placing is 2, 1, 0."""
    do(playing, "play NEV-1", "play NEV-2", "play NEV-3")
    return playing


@pytest.fixture
def over(taking, do):
    do(taking, "take 0", "take 1", "take 0", "take 1")
    return taking


def refusal(state, seat, text):
    """The rule and the message with which ``check`` and ``apply`` both refuse, changing nothing."""
    before = state.view(seat), state.to_act()
    with pytest.raises(IllegalAction) as checked:
        state.check(seat, GAME.parse(text))
    with pytest.raises(IllegalAction) as applied:
        state.apply(seat, GAME.parse(text))
    assert (checked.value.rule, str(checked.value)) == (applied.value.rule, str(applied.value))
    assert (state.view(seat), state.to_act()) == before
    return checked.value.rule, str(checked.value)


def test_play_in_hand(playing):
    told = "NEV-2 is not in your hand, which is NEV-1 ZEUS-1"
    assert refusal(playing, 0, "play NEV-2") == ("play.in-hand", told)


def test_play_phase(taking):
    told = "the trick is over: take a trade card of the front row, or the lead card if it is there"
    assert refusal(taking, 2, "play ZEUS-3") == ("play.phase", told)


@pytest.mark.parametrize("text", ["take 0", "take lead"])
def test_take_phase(playing, text):
    told = "the trick is being played: play a card of your hand"
    assert refusal(playing, 0, text) == ("take.phase", told)


def test_take_no_such_place(taking):
    assert refusal(taking, 2, "take 3") == ("take.no-such-place", "the front row has places 0 to 2, not 3")


def test_take_empty_place(taking, do):
    do(taking, "take 1")
    assert refusal(taking, 1, "take 1") == ("take.empty-place", "place 1 is empty; there are trade cards at 0, 2")


def test_take_lead_gone(taking, do):
    do(taking, "take lead")
    assert refusal(taking, 1, "take lead") == ("take.lead-gone", "seat 2 has taken the lead card; take a trade card")


@pytest.mark.parametrize("text", ["play NEV-2", "take 0", "take lead"])
def test_turn_while_playing(playing, text):
    assert refusal(playing, 1, text) == ("turn", "it is the turn of seat 0, not of seat 1")


@pytest.mark.parametrize("text", ["play ZEUS-1", "take 0", "take lead"])
def test_turn_while_taking(taking, text):
    assert refusal(taking, 0, text) == ("turn", "it is the turn of seat 2, not of seat 0")


@pytest.mark.parametrize("seat", [0, 1, 2])
@pytest.mark.parametrize("text", ["play NEV-1", "take 0", "take lead"])
def test_game_over(over, seat, text):
    assert over.result() is not None
    assert refusal(over, seat, text) == ("game.over", "the game is over")


def test_something_that_is_no_action_of_this_game_is_malformed(playing):
    for door in (playing.check, playing.apply):
        with pytest.raises(MalformedAction, match="'play NEV-1' is no action of Trick and Trade"):
            door(0, "play NEV-1")


def test_nothing_is_legal_out_of_turn(playing, over):
    assert [playing.legal_actions(seat) for seat in (1, 2)] == [[], []]
    assert [over.legal_actions(seat) for seat in (0, 1, 2)] == [[], [], []]
