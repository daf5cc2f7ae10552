"""Somebody chooses in secret: that it has been done is told, what was chosen is not, by whatever channel."""

import pytest
from twins import GAMES, POSITIONS, Position, Twin

from croupier_games.kernel import Seed, games
from croupier_games.kernel.playout import random_playout

SECRETIVE = [game for game in GAMES if game[0] != "trick-and-trade"]


def secrets(name, seats, options):
    """Positions, a seat, and two things that it may do there which nobody else may tell apart.

    They may where the rules show it, at once or by what follows: those choices are left out.
    """
    game = games()[name]
    options = game.options(options)
    found = 0
    for number in range(20):
        seed = Seed.of(f"in secret/{name}/{number}")
        for table in random_playout(game, seats, options, seed):
            choices = secret_choices(table.state)
            if choices is not None:
                yield Position(game, seats, options, seed, tuple(table.inputs)), *choices
                found += 1
                if found == POSITIONS:
                    return


def secret_choices(state):
    """A seat, and the indices of two things that nobody else may tell apart; None: there are none."""
    for seat in state.to_act():
        seen = {}
        for index, action in enumerate(state.legal_actions(seat)):
            after = state.clone()
            after.apply(seat, action)
            viewers = [viewer for viewer in (None, *range(state.seats)) if viewer != seat]
            known = (after.to_act(), *(repr(after.shown(viewer, seat, action)) for viewer in viewers))
            views = [after.public_view() if viewer is None else after.view(viewer) for viewer in viewers]
            known = (*known, *map(repr, views))
            if known in seen:
                return seat, seen[known], index
            seen[known] = index
    return None


@pytest.mark.parametrize(("name", "seats", "options"), SECRETIVE)
async def test_what_is_chosen_in_secret_makes_no_difference_to_anybody_else(name, seats, options, monkeypatch):
    compared = 0
    for position, seat, *choices in secrets(name, seats, options):
        told, twins = [], []
        for index in choices:
            twin = Twin(position, position.table().state, monkeypatch)
            others = [other for other in range(seats) if other != seat]
            before = [twin.heard(other) for other in range(seats)]
            twin.pass_time(100)
            twin.act(seat, index=index)
            told.append([before, [twin.heard(other) for other in others], twin.summary(), twin.measured()])
            told[-1].append(await shown(twin))
            twins.append(twin)
        assert told[0] == told[1]
        assert twins[0].logged == twins[1].logged
        assert twins[0].session.table.inputs[-1] != twins[1].session.table.inputs[-1]
        compared += 1
    assert compared == POSITIONS


async def shown(twin):
    frames = []

    async def write(frame):
        frames.append(frame)

    await twin.watching.watch(twin.session.id, 0, write, follow=False)
    return frames
