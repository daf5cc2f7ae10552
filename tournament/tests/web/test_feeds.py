"""Many viewers, none of whom is waited for."""

import asyncio
import json

from croupier_tournament.web import feeds
from croupier_tournament.web.feeds import Board, Tape


def events(chunk):
    return [
        (block.split("\n")[0].removeprefix("event: "), json.loads(block.split("\n")[1].removeprefix("data: ")))
        for block in chunk.decode().strip().split("\n\n")
    ]


async def test_a_board_shows_what_there_is_and_then_what_changes():
    board = Board()
    board.put("progress", 1)
    viewer = board.follow()
    assert events(await anext(viewer)) == [("progress", 1)]
    assert not board.put("progress", 1)  # no news
    coming = asyncio.ensure_future(anext(viewer))
    await asyncio.sleep(0)
    assert not coming.done()
    board.put("progress", 2)
    await asyncio.sleep(0)
    assert not coming.done()  # it is told together with what else is news
    board.put("standings", [1])
    board.tell()
    assert events(await coming) == [("progress", 2), ("standings", [1])]
    coming = asyncio.ensure_future(anext(viewer))
    await asyncio.sleep(0)
    board.tell()  # there is no news
    await asyncio.sleep(0)
    assert not coming.done()
    board.put("progress", 3)
    board.tell()
    assert events(await coming) == [("progress", 3)]
    assert board.viewers == 1
    await viewer.aclose()
    assert board.viewers == 0


async def test_who_is_slow_gets_the_latest_and_not_what_was_in_between():
    board = Board()
    viewer = board.follow()
    for number in range(1000):
        board.put("progress", number)
        board.put("standings", [number])
    assert events(await anext(viewer)) == [("progress", 999), ("standings", [999])]


async def test_a_board_that_is_closed_is_shown_to_its_end():
    board = Board()
    board.put("progress", 1)
    board.close()
    assert [events(chunk) async for chunk in board.follow()] == [[("progress", 1)]]


async def test_a_tape_is_read_from_its_beginning_by_everybody():
    tape = Tape()
    tape.add("frame", 1)
    early = tape.follow()
    assert events(await anext(early)) == [("frame", 1)]
    tape.add("frame", 2)
    tape.end()
    assert [event async for chunk in early for event in events(chunk)] == [("frame", 2)]
    assert [event async for chunk in tape.follow() for event in events(chunk)] == [("frame", 1), ("frame", 2)]


async def test_who_falls_too_far_behind_begins_again_with_how_things_stand(monkeypatch):
    monkeypatch.setattr(feeds, "MOST_KEPT", 3)
    said = []
    tape = Tape(lambda: list(said))
    viewer = tape.follow()
    assert events(await anext(viewer)) == [("begin", [])]
    for number in range(10):
        said.append(number)
        tape.add("move", number)
    assert events(await anext(viewer)) == [("begin", list(range(10)))]
    tape.add("move", 10)
    assert events(await anext(viewer)) == [("move", 10)]
