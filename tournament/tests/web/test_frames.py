"""A record, frame by frame."""

import pytest

from croupier_games.kernel import Chosen, Record, Seed, Substituted, Ticked, Vacated, games, replaying
from croupier_games.kernel.playout import random_playout
from croupier_tournament.web.frames import UnknownViewer, replay_frames, viewers_of
from croupier_tournament.web.shapes import action_json, result_json, view_json

GAMES = [
    ("trick-and-trade", 3, {}),
    ("trick-stakes", 3, {}),
    ("trades", 4, {}),
    ("trades", 3, {"style": "free-for-all", "time_limit_ms": "1000"}),
    ("trade-and-triumph", 2, {"round_cap": "5"}),
]


def played(name, seats, options):
    game = games()[name]
    *_, table = random_playout(game, seats, game.options(options), Seed.of(f"frames/{name}"))
    return game, Record.of(table)


def put_together(frames):
    table, own = {}, {}
    for frame in frames:
        table = {**table, **frame["table"]}
        own = {**own, **{seat: {**own.get(seat, {}), **part} for seat, part in frame["own"].items()}}
        yield table, own


@pytest.mark.parametrize(("name", "seats", "options"), GAMES)
def test_frames_put_together_are_what_each_seat_saw(name, seats, options):
    game, record = played(name, seats, options)
    shown = replay_frames(record, game, "open")
    for (table, own), state in zip(put_together(shown["frames"]), replaying(record, game), strict=True):
        for seat in range(seats):
            view = view_json(state.state.view(seat))
            assert view.pop("table") == table
            assert view == own[str(seat)]
    assert shown["result"] == result_json(state.result())


@pytest.mark.parametrize(("name", "seats", "options"), GAMES)
def test_a_viewer_sees_its_own_cards_and_decisions_alone_and_moves_as_it_was_told(name, seats, options):
    game, record = played(name, seats, options)
    for viewer in ("public", "1"):
        mine = viewers_of(viewer, seats)
        frames = replay_frames(record, game, viewer)["frames"]
        assert {seat for frame in frames for seat in frame["own"]} == {str(seat) for seat in mine}
        assert all(frame["asked"]["seat"] in mine for frame in frames if "asked" in frame)
        before = 0
        for frame, table in zip(frames, replaying(record, game), strict=True):
            for said, move in zip(frame["moves"], table.moves[before:], strict=True):
                told = table.state.shown(mine[0] if mine else None, move.seat, move.action)
                assert said["action"] == (None if told is None else action_json(told))
            before = len(table.moves)


def test_a_decision_names_what_could_have_been_done_and_what_was():
    game, record = played("trick-and-trade", 3, {})
    frames = replay_frames(record, game, "open", charged_ms=range(len(record.inputs)))["frames"]
    for number, item in enumerate(record.inputs):
        asked = frames[number]["asked"]
        assert (asked["seat"], asked["actions"][asked["chosen"]]) == (item.seat, action_json(item.action))
        assert [move.get("charged_ms") for move in frames[number + 1]["moves"]][:2] in ([number], [number, None])
    assert "asked" not in frames[-1]


def test_a_seat_that_failed_or_was_vacated_and_the_time_are_told():
    game, record = played("trades", 3, {"style": "free-for-all", "time_limit_ms": "1000"})
    ticks = [item.now_ms for item in record.inputs if isinstance(item, Ticked)]
    frames = replay_frames(record, game, "public")["frames"]
    assert [note["time_ms"] for frame in frames for note in frame["notes"]] == ticks
    game, record = played("trick-and-trade", 3, {})
    first = record.inputs[0]
    assert isinstance(first, Chosen)
    others = [seat for seat in range(3) if seat != first.seat]
    failed = Record(
        record.game, record.rules_version, 3, record.options, record.seed, (Substituted(first.seat), Vacated(others[0]))
    )
    frames = replay_frames(failed, game, "open")["frames"]
    assert frames[0]["asked"]["chosen"] is None
    assert frames[1]["moves"][0]["cause"] == "substituted"
    assert frames[2]["notes"] == [{"seat": others[0], "vacated": True}]


@pytest.mark.parametrize("viewer", ["3", "-1", "all", "", "1.0", "999999"])
def test_nobody_else_is_at_the_table(viewer):
    with pytest.raises(UnknownViewer, match="public, open, or a seat from 0 to 2"):
        viewers_of(viewer, 3)
