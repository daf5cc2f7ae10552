"""Choosing all at once: while others have still to choose, they see that a seat has chosen, and nothing of what."""

import pytest

from croupier_games.trick_stakes import arrange_paddock


def seen(state, viewer):
    """All that a viewer has before it; None is a spectator."""
    if viewer is None:
        return state.public_view()
    return state.view(viewer), state.legal_actions(viewer), state.to_act()


@pytest.fixture(params=["discards", "tickets"])
def choosing(request, piles, do):
    """Every seat has to choose in secret."""
    state = arrange_paddock(piles, seats=3)
    if request.param == "tickets":
        do(state, "discard RED-1", "discard RED-4", "discard RED-7")
        do(state, "ticket up WIN", "ticket up GATEAU_OPERA", "ticket up FORET_NOIRE")
    return state


@pytest.mark.parametrize("chooser", [0, 1, 2])
@pytest.mark.parametrize("viewer", [None, 0, 1, 2])
def test_a_pending_choice_looks_the_same_whatever_it_is(choosing, chooser, viewer):
    after = []
    for action in choosing.legal_actions(chooser):
        state = choosing.clone()
        state.apply(chooser, action)
        after.append(seen(state, viewer))
    if viewer == chooser:
        assert len(set(map(repr, after))) == len(after)
    else:
        assert all(each == after[0] for each in after)


def test_that_a_seat_has_chosen_is_seen(choosing):
    choosing.apply(1, choosing.legal_actions(1)[0])
    assert choosing.view(0).table.to_act == choosing.public_view().table.to_act == (0, 2)


def test_nothing_but_that_changes_for_the_others(choosing):
    """Only ``to_act``: not the backs in hand, not the colours of discards."""
    before = choosing.table()
    choosing.apply(1, choosing.legal_actions(1)[0])
    after = choosing.table()
    assert {name for name in type(before).__slots__ if getattr(before, name) != getattr(after, name)} == {"to_act"}


def test_two_pending_choices_look_the_same_whatever_they_are(choosing):
    looks = set()
    for first in choosing.legal_actions(0):
        for second in choosing.legal_actions(2):
            state = choosing.clone()
            state.apply(0, first)
            state.apply(2, second)
            looks.add(repr(seen(state, 1)))
    assert len(looks) == 1


def test_open_choices_stay_as_they_were(choosing):
    before = [choosing.legal_actions(seat) for seat in range(3)]
    choosing.apply(2, choosing.legal_actions(2)[3])
    assert [choosing.legal_actions(seat) for seat in range(3)] == [before[0], before[1], []]


def test_of_the_discards_only_colours_come_out(piles, do):
    """Two discards of the same colour look alike for good."""
    looks = set()
    for card in ("YELLOW-4", "YELLOW-5", "YELLOW-6"):
        state = arrange_paddock(piles)
        do(state, "discard RED-1", f"discard {card}", "discard RED-7", "discard RED-10")
        looks |= {repr(seen(state, viewer)) for viewer in (None,)}
        assert state.table().discard_colors[1] == 3
    assert len(looks) == 1
