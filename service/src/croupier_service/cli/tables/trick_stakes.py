"""Trick Stakes: the course with its horses and odds, the trick, and what each seat has bet."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from rich.console import RenderableType
from rich.text import Text

from croupier.games.trick_stakes.v1 import trick_stakes_pb2 as pb
from croupier.v1 import game_pb2
from croupier_games.trick_stakes.cards import (
    CARD_NAMES,
    COLOR,
    COLOR_NAMES,
    COLORS,
    FINISH,
    HORSE_NAMES,
    NUMBER,
    TICKET_NAMES,
)

from .look import Look, by, facts, heading, listed, rows, seat_name, seats_listed, stacked, turn_mark

STYLES = ("", "red", "blue", "yellow", "green")
"""By colour."""
PLACES = 4
DECIDING = {
    pb.PHASE_DISCARD: "to discard in secret",
    pb.PHASE_TICKET_UP: "to lay a ticket face up",
    pb.PHASE_TICKET_DOWN: "to lay a ticket face down",
    pb.PHASE_PLAY: "to play a card",
}


class TrickStakesLook(Look):
    """See the module."""

    def table(self, view: game_pb2.GameView, bots: Sequence[str]) -> RenderableType:
        table = view.trick_stakes.table
        over = table.phase == pb.PHASE_OVER
        now = "over" if over else f"{seats_listed(table.to_act)} {DECIDING.get(table.phase, '')}"
        top = table.top_cards[-1]
        return stacked(
            heading("Trick Stakes", f"race {table.race} of {table.races}", now),
            _course(table, bots),
            facts(
                ("trick", _trick(table, bots)),
                ("turned up", listed(_card(card) for card in table.turned_up[-PLACES:])),
                ("discard number", Text.assemble(f"{NUMBER[top]} (", _card(top), ")")),
                ("dummy's pile", listed(_card(card) for card in table.dummy)),
            ),
            _seats(table, bots, over=over),
        )

    def chapter(self, view: game_pb2.GameView) -> Hashable:
        table = view.trick_stakes.table
        return table.race, table.phase, tuple(table.tricks)


def _course(table: pb.Table, bots: Sequence[str]) -> RenderableType:
    """A lane for each horse, the leading one first; on one space the upper is ahead."""
    course = rows("horse", "course", ">odds", "rider")
    for horse in table.standing:
        space = table.spaces[horse - 1]
        lane = Text.assemble(*[(" ●", "bold") if here == space else (" ·", "dim") for here in range(FINISH)])
        lane.append(" ▐", style="dim")
        lane.append(" ●" if space == FINISH else "", style="bold")
        rider = list(table.horses).index(horse)
        course.add_row(_named(HORSE_NAMES[horse]), lane, str(table.odds[horse - 1]), seat_name(rider, bots))
    return course


def _seats(table: pb.Table, bots: Sequence[str], *, over: bool) -> RenderableType:
    seats = rows("", "seat", "horse", ">points", "whips", "tickets", "backs in hand")
    hands = by(table.hand_colors, len(COLORS))
    for place in range(PLACES):
        is_seat = place < table.seats
        seats.add_row(
            turn_mark(acts=not over and place in table.to_act),
            seat_name(place, bots) if is_seat else f"{place} dummy",
            _named(HORSE_NAMES[table.horses[place]]),
            str(table.points[place]) if is_seat else "",
            "/" * table.whips[place],
            _tickets(table, place) if is_seat else "",
            _backs(hands[place]),
        )
    return seats


def _tickets(table: pb.Table, seat: int) -> Text:
    """The seat's tickets of this race; a face-down one is seen when the race is paid."""
    up, down = table.tickets_up[seat - table.seats], table.tickets_down[seat - table.seats]
    laid = table.phase in (pb.PHASE_PLAY, pb.PHASE_OVER) or (
        table.phase == pb.PHASE_TICKET_DOWN and seat not in table.to_act
    )
    shown = [_named(TICKET_NAMES[up])] if up else []
    if down or laid:
        shown.append(_named(TICKET_NAMES[down]) if down else Text("face down", style="dim"))
    return listed(shown, " + ")


def _trick(table: pb.Table, bots: Sequence[str]) -> Text:
    """The cards with the places that played them. The dummy is last unless it leads."""
    places = list(table.circle)
    order = places[places.index(table.leader) :] + places[: places.index(table.leader)]
    if table.dummy and table.leader != table.seats:
        order = [place for place in order if place != table.seats] + [table.seats]
    shown = []
    for number, (place, card) in enumerate(zip(order, table.trick, strict=False), start=1):
        whip = " with the whip" if table.whip_at == number else ""
        shown.append(Text.assemble(_card(card), f" {seat_name(place, bots)}{whip}"))
    return listed(shown, ", ")


def _backs(counts: Sequence[int]) -> Text:
    return listed(
        Text(f"{count} {COLOR_NAMES[color]}", style=STYLES[color])
        for color, count in zip(COLORS, counts, strict=True)
        if count
    )


def _card(card: int) -> Text:
    return Text(CARD_NAMES[card], style=STYLES[COLOR[card]])


def _named(name: str) -> Text:
    return Text(name.replace("_", " ").title() if name != "WIN" else name)
