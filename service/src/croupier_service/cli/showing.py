"""A session as it is told in a terminal: its events line by line, its table when there is something new to see."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from croupier.v1 import game_pb2, play_pb2, spectator_pb2

from .tables import Look
from .tables.look import rows, seat_name

CAUSES = {
    game_pb2.CAUSE_FORCED: "there is no choice",
    game_pb2.CAUSE_SUBSTITUTED: "drawn for it",
    game_pb2.CAUSE_VACATED: "drawn, the seat was given up",
}
LATEST = 8
"""Events beside the table, where that is drawn over and over."""


class Log:
    """Tells a session for good: line by line."""

    def __init__(self, console: Console, look: Look, bots: Sequence[str]) -> None:
        self.console = console
        self.look = look
        self.bots = bots
        self._chapter: object = None

    def update(self, update: spectator_pb2.SessionUpdate) -> None:
        """Something more has happened."""
        if update.HasField("event"):
            self.console.print(event_line(update.event, self.look, self.bots), soft_wrap=True)
        if update.HasField("view"):
            chapter = self.look.chapter(update.view)
            if chapter != self._chapter:
                self._chapter = chapter
                self.console.print()
                self.console.print(self.look.table(update.view, self.bots))
                self.console.print()
        if update.HasField("end"):
            self.console.print(ending(update.end, self.bots))

    def close(self) -> None:
        """Nothing more will come."""


class Stage:
    """Draws the table over and over, with the latest events below it, and leaves the last one there."""

    def __init__(self, console: Console, look: Look, bots: Sequence[str]) -> None:
        self.look = look
        self.bots = bots
        self._events: deque[Text] = deque(maxlen=LATEST)
        self._table: RenderableType = Text("waiting for the deal")
        self._end: list[RenderableType] = []
        self._live = Live(console=console, auto_refresh=False, vertical_overflow="visible")
        self._live.start()

    def update(self, update: spectator_pb2.SessionUpdate) -> None:
        """Something more has happened."""
        if update.HasField("event"):
            self._events.append(event_line(update.event, self.look, self.bots))
        if update.HasField("view"):
            self._table = self.look.table(update.view, self.bots)
        if update.HasField("end"):
            self._end = [Text(), ending(update.end, self.bots)]
        self._live.update(Group(self._table, Text(), *self._events, *self._end), refresh=True)

    def close(self) -> None:
        """Nothing more will come."""
        self._live.stop()


def event_line(event: game_pb2.Event, look: Look, bots: Sequence[str]) -> Text:
    """One event: its number, its seat, what happened."""
    match event.WhichOneof("event"):
        case "moved":
            moved = event.moved
            seat = moved.seat
            what = Text(look.action(moved.action) if moved.HasField("action") else "chooses in secret")
            if moved.cause in CAUSES:
                what.append(f"  ({CAUSES[moved.cause]})", style="dim")
        case "faulted":
            seat = event.faulted.seat
            kind = game_pb2.FaultKind.Name(event.faulted.kind).removeprefix("FAULT_KIND_").lower()
            what = Text(f"fault: {kind}", style="red")
        case "vacated":
            seat = event.vacated.seat
            what = Text("the seat is given up and played on without the bot", style="red")
        case _:
            return Text(f"{event.seq:>5}  something that this program does not know")
    width = max(map(len, (*(seat_name(number, bots) for number in range(len(bots))), "0 dummy")))
    return Text.assemble((f"{event.seq:>5}", "dim"), f"  {seat_name(seat, bots):{width}}  ", what)


def ending(end: play_pb2.SessionEnd, bots: Sequence[str]) -> RenderableType:
    """How it ended."""
    if not end.HasField("result"):
        return Text(f"Aborted after {end.seq} events; there is no result.", style="bold")
    seed = [Text(f"The seed was {end.seed.hex()}.")] if end.seed else []
    return Group(Text(f"Over after {end.seq} events.", style="bold"), *seed, placings(end.result, bots))


def placings(result: game_pb2.Result, bots: Sequence[str]) -> RenderableType:
    """The result, best first."""
    table = rows(">place", "seat", ">points", *(f">{tie.name}" for tie in result.tie_breaks), "decided by")
    for seat in sorted(range(len(result.placings)), key=lambda seat: (result.placings[seat], seat)):
        ties = [str(tie.values[seat]) for tie in result.tie_breaks]
        decided = result.decided_by[seat] if seat < len(result.decided_by) else ""
        table.add_row(str(result.placings[seat]), seat_name(seat, bots), str(result.points[seat]), *ties, decided)
    return Group(table, *([Text(result.note)] if result.note else []))
