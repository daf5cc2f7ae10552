"""A running game as spectators see it: frames from updates, once for all who watch."""

import asyncio
import json

import grpc
import pytest
from asking import ask
from starlette.applications import Starlette

from croupier import Backoff, RequestError
from croupier.v1 import game_pb2, play_pb2, session_pb2, spectator_pb2
from croupier_tournament.web import live
from croupier_tournament.web.answers import WebError
from croupier_tournament.web.feeds import Tape
from croupier_tournament.web.live import Cinema, Film
from croupier_tournament.web.sessions import SessionPages
from croupier_tournament.web.visitors import Visitor, Visitors

LOST = RequestError(grpc.StatusCode.UNAVAILABLE, "the server is stopping")


def moved(seq, seat, card=None, cause=game_pb2.CAUSE_CHOSEN):
    action = None if card is None else game_pb2.GameAction(trick_and_trade={"play": card})
    return game_pb2.Event(seq=seq, moved=game_pb2.Moved(seat=seat, action=action, cause=cause))


def view(**table):
    return game_pb2.GameView(trick_and_trade={"table": {"seats": 3, **table}})


def update(**parts):
    return spectator_pb2.SessionUpdate(**parts)


END = update(end=play_pb2.SessionEnd(seq=3, reason=play_pb2.END_REASON_FINISHED, result={"points": [3, 2, 1]}))


async def said(chunks):
    text = b"".join([chunk async for chunk in chunks]).decode()
    return [
        (name.removeprefix("event: "), json.loads(data.removeprefix("data: ")))
        for name, data in (block.split("\n") for block in text.strip().split("\n\n"))
    ]


def filmed(*responses, again=()):
    tape = Tape()
    film = Film(tape)
    for response in responses:
        film.show(list(response), again=False)
    for response in again:
        film.show(list(response), again=True)
    tape.end()
    return said(tape.follow())


async def test_what_follows_from_one_cause_is_one_frame():
    events = await filmed(
        [update(view=view(turn=1))],
        [
            update(event=moved(1, 1, 7)),
            update(event=moved(2, 2, 8, game_pb2.CAUSE_FORCED), view=view(turn=0, trick=[7, 8])),
        ],
    )
    assert [name for name, _ in events] == ["frame", "frame"]
    assert events[0][1]["table"]["turn"] == 1
    assert events[1][1] == {
        "moves": [
            {"seat": 1, "action": {"play": 7}, "cause": "chosen"},
            {"seat": 2, "action": {"play": 8}, "cause": "forced"},
        ],
        "notes": [],
        "table": {"turn": 0, "trick": [7, 8]},
        "own": {},
    }


async def test_what_a_decision_was_charged_is_told_with_it():
    events = await filmed(
        [update(view=view())],
        [
            update(event=moved(1, 1, 7), charged_ms=310),
            update(event=moved(2, 2, 8, game_pb2.CAUSE_FORCED), view=view(turn=0)),
            update(event=moved(3, 0, 9), charged_ms=0, view=view(turn=1)),
        ],
    )
    assert [[move.get("charged_ms") for move in frame["moves"]] for _, frame in events] == [[], [310, None], [0]]


async def test_who_chose_in_secret_is_told_though_nothing_public_has_changed():
    events = await filmed([update(view=view())], [update(event=moved(1, 2))])
    assert events[1][1]["moves"] == [{"seat": 2, "action": None, "cause": "chosen"}]
    assert events[1][1]["table"] == {}


async def test_faults_and_seats_given_up_are_notes():
    fault = game_pb2.Event(seq=1, faulted=game_pb2.Faulted(seat=1, kind=game_pb2.FAULT_KIND_LATE))
    gone = game_pb2.Event(seq=2, vacated=game_pb2.Vacated(seat=1))
    events = await filmed([update(view=view())], [update(event=fault), update(event=gone)])
    assert events[1][1]["notes"] == [{"seat": 1, "fault": "late"}, {"seat": 1, "vacated": True}]


async def test_after_a_lost_connection_nothing_is_shown_twice():
    before = [update(view=view(turn=1)), update(event=moved(1, 1, 7), view=view(turn=2))]
    after = [update(view=view(turn=2)), update(event=moved(2, 2, 8), view=view(turn=0)), END]
    events = await filmed(before, again=[after])
    assert [name for name, _ in events] == ["frame", "frame", "frame", "end"]
    assert events[2][1]["moves"] == [{"seat": 2, "action": {"play": 8}, "cause": "chosen"}]
    assert events[3][1]["result"]["points"] == [3, 2, 1]


class Channel:
    """A game server's channel: streams go as the test says."""

    target, tls = "fake:1", False

    def __init__(self, *streams):
        self.streams = list(streams)
        self.asked = []
        self.server = self
        self.spectators = self

    async def session(self, session_id, visitor):
        if visitor.token == "bad":
            raise RequestError(grpc.StatusCode.PERMISSION_DENIED, "a spectator may")
        return session_pb2.Session(session_id=session_id)

    async def WatchSession(self, request, metadata):  # noqa: N802 -- an RPC
        self.asked.append((request.from_seq, metadata))
        for item in self.streams.pop(0):
            if isinstance(item, Exception):
                raise item
            if isinstance(item, asyncio.Event):
                await item.wait()
                continue
            yield spectator_pb2.WatchSessionResponse(updates=item)


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Nobody waits before coming back."""

    async def no_time(_):
        await asyncio.sleep(0)

    monkeypatch.setattr(live, "BACKOFF", Backoff(sleep=no_time))


async def test_a_game_is_followed_once_however_many_watch_it():
    gate = asyncio.Event()
    channel = Channel([[update(view=view())], gate, [update(event=moved(1, 1, 7), view=view(turn=2)), END]])
    async with Cinema() as cinema:
        watching = [(await cinema.open(channel, "s1", Visitor()))[1] for _ in range(50)]
        seen = [asyncio.ensure_future(said(chunks)) for chunks in watching]
        await asyncio.sleep(0)
        gate.set()
        everything = await asyncio.gather(*seen)
    assert len(channel.asked) == 1
    assert all(events == everything[0] for events in everything)
    assert [name for name, _ in everything[0]] == ["frame", "frame", "end"]


async def test_each_token_is_asked_for_itself():
    channel = Channel([[update(view=view()), END]], [[update(view=view()), END]])
    async with Cinema() as cinema:
        for token in ("one", "two"):
            await said((await cinema.open(channel, "s1", Visitor(token)))[1])
        with pytest.raises(RequestError, match="a spectator may"):
            await cinema.open(channel, "s1", Visitor("bad"))
    assert [metadata for _, metadata in channel.asked] == [
        (("authorization", "Bearer one"),),
        (("authorization", "Bearer two"),),
    ]


async def test_a_server_that_was_lost_is_come_back_to_from_the_last_event():
    first = [update(view=view()), update(event=moved(1, 1, 7), view=view(turn=2))]
    channel = Channel([first, LOST], [LOST], [[update(view=view(turn=2)), END]])
    async with Cinema() as cinema:
        events = await said((await cinema.open(channel, "s1", Visitor()))[1])
    assert [name for name, _ in events] == ["frame", "frame", "lost", "lost", "end"]
    assert [seq for seq, _ in channel.asked] == [0, 1, 1]


async def test_a_session_that_cannot_be_watched_says_why():
    gone = RequestError(grpc.StatusCode.FAILED_PRECONDITION, "played by rules that are not installed")
    async with Cinema() as cinema:
        events = await said((await cinema.open(Channel([gone]), "s1", Visitor()))[1])
    assert events == [("failed", {"error": "played by rules that are not installed"})]


async def test_a_game_that_nobody_watches_any_more_is_let_go():
    forever = asyncio.Event()
    channel = Channel([[update(view=view())], forever], [[update(view=view()), END]])
    async with Cinema(linger_s=0.0) as cinema:
        chunks = (await cinema.open(channel, "s1", Visitor()))[1]
        assert await anext(chunks)
        [(_, following)] = cinema._shown.values()
        await chunks.aclose()
        await asyncio.wait([following], timeout=10)
        await asyncio.sleep(0)
        assert (await said((await cinema.open(channel, "s1", Visitor()))[1]))[-1][0] == "end"  # and can be had again


async def test_there_is_an_end_to_how_many_games_are_watched(monkeypatch):
    monkeypatch.setattr(live, "MOST_GAMES", 1)
    forever = asyncio.Event()
    async with Cinema() as cinema:
        channel = Channel([forever])
        await cinema.open(channel, "s1", Visitor())
        await cinema.open(channel, "s1", Visitor())
        with pytest.raises(WebError, match="which is the most"):
            await cinema.open(channel, "s2", Visitor())


async def test_a_game_that_somebody_asked_for_and_never_watched_is_let_go(monkeypatch):
    monkeypatch.setattr(live, "MOST_GAMES", 1)
    channel = Channel([asyncio.Event()], [[END]])
    async with Cinema(linger_s=0.0) as cinema:
        _, chunks = await cinema.open(channel, "s1", Visitor())
        [(_, following)] = cinema._shown.values()
        await chunks.aclose()  # never begun
        await asyncio.wait([following], timeout=10)
        assert [name for name, _ in await said((await cinema.open(channel, "s2", Visitor()))[1])] == ["end"]


async def test_who_comes_while_a_game_is_let_go_follows_it_anew():
    channel = Channel([asyncio.Event()], [[update(view=view()), END]])
    async with Cinema() as cinema:
        await cinema.open(channel, "s1", Visitor())
        await asyncio.sleep(0)  # it is followed
        [(key, (projector, _))] = cinema._shown.items()
        cinema._close_if_unwatched(key, projector)
        assert [name for name, _ in await said((await cinema.open(channel, "s1", Visitor()))[1])] == ["frame", "end"]


async def test_a_game_that_cannot_be_shown_is_not_waited_for():
    channel = Channel([[update(view=view())], ValueError("what is this?")], [[END]])
    async with Cinema() as cinema:
        events = await said((await cinema.open(channel, "s1", Visitor()))[1])
        assert events[1:] == [("failed", {"error": "something went wrong here: what is this?"})]
        assert [name for name, _ in await said((await cinema.open(channel, "s1", Visitor()))[1])] == ["end"]


async def test_a_server_is_given_up_when_it_is_lost_too_often_in_a_row(monkeypatch):
    monkeypatch.setattr(live, "ATTEMPTS", 2)
    some = [update(view=view())], LOST
    async with Cinema() as cinema:
        channel = Channel(some, some, some, [LOST], [LOST])
        events = await said((await cinema.open(channel, "s1", Visitor()))[1])
    assert [name for name, _ in events if name != "frame"] == ["lost"] * 4 + ["failed"]


async def test_who_asks_for_the_head_alone_has_no_game_followed():
    channel = Channel([asyncio.Event()])
    async with Cinema() as cinema:
        pages = SessionPages(channel, cinema, Visitors(), heavy=None, streaming=None)
        answer = await ask(Starlette(routes=pages.routes()), "/api/sessions/s1/live", method="HEAD")
        assert (answer.status, cinema._shown) == (405, {})
