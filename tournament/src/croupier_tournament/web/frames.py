"""A game as a list of frames: what a page steps through, whether it comes from a record or from a running game.

A frame is what has happened since the one before, and what that changed:

    {"moves": [{"seat": 1, "action": {"play": 7}, "cause": "chosen",     action None: it was taken in secret
                "charged_ms": 310}],                                     of who decided, or failed to; absent: not known
     "notes": [{"seat": 1, "fault": "late"}, {"seat": 1, "vacated": true}, {"time_ms": 500}],
     "table": {"turn": 2, ...},                                          fields that have changed
     "own": {"1": {"hand": [...]}},                                      the same, of the seats that may be seen
     "asked": {"seat": 2, "actions": [...], "chosen": 3}}                the decision that comes next

`table` and `own` of the first frame are complete.
"""

from collections.abc import Sequence
from typing import Any

from croupier_games.kernel import Chosen, Game, Input, Record, Substituted, Table, Ticked, Vacated, replaying
from croupier_tournament.web.shapes import action_json, changes, result_json, view_json

PUBLIC, OPEN = "public", "open"


class UnknownViewer(ValueError):
    """There is nobody of that name at the table. The message says who is."""


def viewers_of(viewer: str, seats: int) -> tuple[int, ...]:
    """The seats whose cards a viewer sees.

    Args:
        viewer: `public`, `open`, or the number of a seat.
        seats: how many there are.

    Raises:
        UnknownViewer: it is none of these.

    >>> viewers_of("open", 3), viewers_of("1", 3), viewers_of("public", 3)
    ((0, 1, 2), (1,), ())
    """
    if viewer == PUBLIC:
        return ()
    if viewer == OPEN:
        return tuple(range(seats))
    if viewer.isdecimal() and len(viewer) < 4 and int(viewer) < seats:
        return (int(viewer),)
    raise UnknownViewer(f"viewer: is public, open, or a seat from 0 to {seats - 1}, not {viewer!r}")


def replay_frames(
    record: Record, game: Game[Any, Any, Any], viewer: str, charged_ms: Sequence[int] = ()
) -> dict[str, Any]:
    """A finished game, frame by frame: the deal, then a frame for each input.

    Args:
        record: the game.
        game: its rules.
        viewer: whose cards are shown: see `viewers_of`.
        charged_ms: what each input's seat was charged; empty: not known.

    Raises:
        UnknownViewer: see `viewers_of`.
        RecordError: it does not follow from the rules.
    """
    seats = viewers_of(viewer, record.seats)
    frames: list[dict[str, Any]] = []
    table_before: dict[str, Any] | None = None
    own_before: dict[int, dict[str, Any]] = {}
    moves = 0
    result = None
    for number, table in enumerate(replaying(record, game)):
        item = record.inputs[number - 1] if number else None
        coming = record.inputs[number] if number < len(record.inputs) else None
        frame: dict[str, Any] = {"moves": _moves(table, moves, viewer), "notes": _notes(item)}
        if isinstance(item, Chosen | Substituted) and charged_ms:
            frame["moves"][0]["charged_ms"] = charged_ms[number - 1]
        public = view_json(table.state.public_view())["table"]
        frame["table"] = changes(table_before, public)
        table_before = public
        frame["own"] = {}
        for seat in seats:
            own = {name: value for name, value in view_json(table.state.view(seat)).items() if name != "table"}
            if different := changes(own_before.get(seat), own):
                frame["own"][str(seat)] = different
            own_before[seat] = own
        if (asked := _asked(table, coming, seats)) is not None:
            frame["asked"] = asked
        frames.append(frame)
        moves = len(table.moves)
        result = table.result()
    return {"viewer": viewer, "frames": frames, "result": None if result is None else result_json(result)}


def _moves(table: Table, first: int, viewer: str) -> list[dict[str, Any]]:
    """What was done, as the viewer may know it; with all cards open, everything."""
    shown = []
    for move in table.moves[first:]:
        action = move.action
        if viewer != OPEN:
            action = table.state.shown(None if viewer == PUBLIC else int(viewer), move.seat, action)
        shown.append(
            {"seat": move.seat, "action": None if action is None else action_json(action), "cause": move.cause}
        )
    return shown


def _notes(item: Input | None) -> list[dict[str, Any]]:
    if isinstance(item, Vacated):
        return [{"seat": item.seat, "vacated": True}]
    return [{"time_ms": item.now_ms}] if isinstance(item, Ticked) else []


def _asked(table: Table, coming: Input | None, seats: Sequence[int]) -> dict[str, Any] | None:
    """The decision that the coming input answers, where the viewer may see it."""
    if coming is None or isinstance(coming, Ticked | Vacated) or coming.seat not in seats:
        return None
    actions = list(table.state.legal_actions(coming.seat))
    chosen = actions.index(coming.action) if isinstance(coming, Chosen) and coming.action in actions else None
    return {"seat": coming.seat, "actions": [action_json(action) for action in actions], "chosen": chosen}
