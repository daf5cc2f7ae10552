"""Server-sent events as an answer: when it ends, whoever ends it."""

import asyncio

from asking import ask

from croupier_tournament.web import feeds, streams
from croupier_tournament.web.feeds import PING, Board, Tape
from croupier_tournament.web.streams import EventStream

SCOPE = {"type": "http", "method": "GET", "headers": [], "asgi": {"version": "3.0", "spec_version": "2.3"}}
PATIENCE = 30


class Viewer:
    """Takes what it is sent for as long as it likes to, and can go."""

    def __init__(self):
        self.heard = []
        self.takes = asyncio.Event()
        self.takes.set()
        self.news = asyncio.Event()
        self._gone = asyncio.Event()

    def go(self):
        self._gone.set()

    async def receive(self):
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message):
        await self.takes.wait()
        self.heard.append(message.get("body", b""))
        self.news.set()

    async def until_heard(self, what):
        async with asyncio.timeout(PATIENCE):
            while what not in b"".join(self.heard):
                self.news.clear()
                await self.news.wait()


def watched(board):
    """Somebody watches a board."""
    viewer = Viewer()
    return viewer, asyncio.create_task(EventStream(board.follow())(SCOPE, viewer.receive, viewer.send))


async def test_an_answer_ends_with_what_it_tells():
    board = Board()
    board.put("progress", 1)
    board.close()
    answer = await ask(EventStream(board.follow()), "/")
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-accel-buffering"] == "no"  # a proxy that gathers first would show nothing
    assert answer.body == b"event: progress\ndata: 1\n\n"


async def test_who_asks_for_the_head_alone_gets_it_at_once():
    board = Board()
    board.put("progress", 1)
    assert (await ask(EventStream(board.follow()), "/", method="HEAD")).body == b""
    assert board.viewers == 0


async def test_all_viewers_are_sent_the_very_same_bytes():
    board = Board()
    board.put("progress", 1)
    crowd = [watched(board) for _ in range(5)]
    for viewer, _ in crowd:
        await viewer.until_heard(b"data: 1")
    board.put("progress", 2)
    board.tell()
    for viewer, _ in crowd:
        await viewer.until_heard(b"data: 2")
    assert len({tuple(viewer.heard) for viewer, _ in crowd}) == 1
    for viewer, task in crowd:
        viewer.go()
        await asyncio.wait_for(task, PATIENCE)
    assert board.viewers == 0


async def test_who_goes_is_not_kept():
    board = Board()
    board.put("progress", 1)
    viewer, task = watched(board)
    await viewer.until_heard(b"data: 1")
    assert board.viewers == 1
    viewer.go()
    await asyncio.wait_for(task, PATIENCE)
    assert board.viewers == 0


async def test_who_takes_nothing_any_more_is_let_go(monkeypatch):
    monkeypatch.setattr(streams, "STALL_S", 0.01)
    board = Board()
    board.put("progress", 1)
    viewer, task = watched(board)
    await viewer.until_heard(b"data: 1")
    viewer.takes.clear()
    board.put("progress", 2)
    board.tell()
    await asyncio.wait_for(task, PATIENCE)
    assert board.viewers == 0
    assert b"data: 2" not in b"".join(viewer.heard)


async def test_who_is_sent_nothing_is_not_taken_for_one_who_takes_nothing(monkeypatch):
    monkeypatch.setattr(streams, "STALL_S", 0.01)
    monkeypatch.setattr(feeds, "PING_S", 0.05)  # several looks whether somebody has stalled
    board = Board()
    board.put("progress", 1)
    viewer, task = watched(board)
    await viewer.until_heard(PING + PING)
    assert not task.done()
    viewer.go()
    await task


async def test_while_nothing_happens_all_are_told_so_now_and_then(monkeypatch):
    monkeypatch.setattr(feeds, "PING_S", 0.01)
    for feed, add in (
        (Board(), lambda feed, value: feed.put("frame", value)),
        (Tape(), lambda feed, value: feed.add("frame", value)),
    ):
        add(feed, 1)
        early, late = feed.follow(), feed.follow()
        for chunks in (early, late):
            assert await anext(chunks) == b"event: frame\ndata: 1\n\n"
        assert await asyncio.gather(anext(early), anext(late)) == [PING, PING]
        assert await asyncio.gather(anext(early), anext(late)) == [PING, PING]
        await early.aclose()
        await late.aclose()
