"""Positions of Trick and Trade, at random but always the same; and what the contract makes of them, the slow way."""

from collections.abc import Iterator
from functools import cache

from hypothesis import strategies as st

from croupier.games.trick_and_trade.v1 import trick_and_trade_pb2 as pb
from croupier.v1 import game_pb2
from croupier_games.kernel import Seed
from croupier_games.kernel.playout import random_playout
from croupier_games.trick_and_trade import GAME, Options, Play, TakeTrade

SEATS = (3, 4, 5)


def positions(seats: int, count: int) -> Iterator:
    """So many states, from as many random games as it takes; each is left as soon as the next is asked for."""
    game = 0
    while True:
        for table in random_playout(GAME, seats, Options(), Seed.of(f"position/{seats}/{game}")):
            if count == 0:
                return
            count -= 1
            yield table.state
        game += 1


@cache
def game_of(seats: int, number: int) -> tuple:
    """All positions of one random game."""
    return tuple(
        table.state.clone() for table in random_playout(GAME, seats, Options(), Seed.of(f"game/{seats}/{number}"))
    )


states = st.builds(
    lambda seats, number, place: game_of(seats, number)[int(place * (len(game_of(seats, number)) - 1))],
    st.sampled_from(SEATS),
    st.integers(0, 9),
    st.floats(0, 1),
)
"""Any position of ten games with each number of seats; hypothesis prefers their beginnings and ends."""


def action_message(action) -> game_pb2.GameAction:
    """An action in its envelope, by the generated classes."""
    match action:
        case Play(card):
            own = pb.Action(play=card)
        case TakeTrade(place):
            own = pb.Action(take_trade=place)
        case _:
            own = pb.Action(take_lead=True)
    return game_pb2.GameAction(trick_and_trade=own)


def view_message(view) -> game_pb2.GameView:
    """A view in its envelope, by the generated classes."""
    table = view.table
    own = pb.View(
        table=pb.Table(
            seats=table.seats,
            round=table.round,
            rounds=table.rounds,
            phase=int(table.phase),
            turn=table.turn,
            leader=table.leader,
            lead_taken_by=table.lead_taken_by,
            trick=table.trick,
            placing=table.placing,
            front_row=table.front_row,
            back_row=table.back_row,
            pile=table.pile,
            won=table.won,
            values=table.values,
            icons=table.icons,
            taken=table.taken,
            played=table.played,
            leaders=table.leaders,
        ),
        seat=view.seat,
        hand=view.hand,
    )
    return game_pb2.GameView(trick_and_trade=own)


def same(message, other) -> None:
    """Two messages are equal to the last byte of their canonical form, which shows unknown fields too."""
    assert message == other
    assert message.SerializeToString(deterministic=True) == other.SerializeToString(deterministic=True)
