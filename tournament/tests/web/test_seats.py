"""A person's chair: a bot whose choices are clicks."""

import asyncio

import grpc
import pytest
from asking import ask
from starlette.applications import Starlette

import croupier
from croupier import Decision, End, RequestError, Session
from croupier.v1 import game_pb2, play_pb2
from croupier_tournament.web import seats
from croupier_tournament.web.answers import WebError, error_answer
from croupier_tournament.web.limits import TooMuch
from croupier_tournament.web.seats import MOST_OVER, Chair, SeatPages
from croupier_tournament.web.streams import EventStream
from croupier_tournament.web.visitors import Visitors


def asked(session, number=1, *, cards=(3, 7), think_time_ms=1000):
    actions = [game_pb2.GameAction(trick_and_trade={"play": card}) for card in cards]
    shown = game_pb2.GameView(trick_and_trade={"table": {"seats": 3}, "seat": 1, "hand": cards})
    message = play_pb2.Decision(
        session_id=session.id,
        decision_id=number,
        seq=5,
        attempt=1,
        seat=1,
        actions=actions,
        view=shown,
        think_time_ms=think_time_ms,
        bank_ms=5000,
    )
    return Decision(session, message)


def seated(session_id="s1"):
    chair = Chair("ann")
    session = Session(play_pb2.SessionStart(session_id=session_id, game="trick-and-trade", seat=1, seats=3))
    chair.on_start(session)
    return chair, session


async def test_a_click_is_the_bots_choice():
    chair, session = seated()
    choosing = asyncio.ensure_future(chair.choose(asked(session)))
    await asyncio.sleep(0)
    [game] = chair.kept()["games"]
    assert game["decision"]["actions"] == [{"play": 3}, {"play": 7}]
    assert game["decision"]["view"]["hand"] == [3, 7]
    chair.act("s1/1", 1, 1)
    assert await choosing == 1
    assert chair.kept()["games"][0]["decision"]["answered"] is True


async def test_what_cannot_be_answered_says_why():
    chair, session = seated()
    with pytest.raises(WebError, match="you sit in no game 's2/0'"):
        chair.act("s2/0", 1, 0)
    with pytest.raises(WebError, match="open no more"):
        chair.act("s1/1", 1, 0)
    choosing = asyncio.ensure_future(chair.choose(asked(session, 2)))
    await asyncio.sleep(0)
    with pytest.raises(WebError, match="open no more"):
        chair.act("s1/1", 1, 0)  # the one before
    with pytest.raises(WebError, match="index: is a whole number from 0 to 1, not 2"):
        chair.act("s1/1", 2, 2)
    chair.act("s1/1", 2, 0)
    with pytest.raises(WebError, match="open no more"):
        chair.act("s1/1", 2, 0)  # twice
    assert await choosing == 0


async def test_a_decision_whose_time_is_up_can_be_answered_no_more():
    chair, session = seated()
    choosing = asyncio.ensure_future(chair.choose(asked(session)))
    await asyncio.sleep(0)
    choosing.cancel()  # as the SDK does when it is late
    await asyncio.gather(choosing, return_exceptions=True)
    with pytest.raises(WebError, match="open no more"):
        chair.act("s1/1", 1, 0)
    assert chair.kept()["games"][0]["decision"]["actions"] == []


async def test_a_page_that_is_loaded_again_is_told_the_clock_of_that_moment(monkeypatch):
    chair, session = seated()
    now = [100.0]
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now[0])
    choosing = asyncio.ensure_future(chair.choose(asked(session)))
    await asyncio.sleep(0)
    now[0] = 100.4
    assert chair.kept()["games"][0]["decision"]["think_time_ms"] == 600
    now[0] = 103.0
    late = chair.kept()["games"][0]["decision"]
    assert (late["think_time_ms"], late["bank_ms"]) == (0, 3000)
    assert "asked_at" not in chair.kept()["games"][0]
    choosing.cancel()
    await asyncio.gather(choosing, return_exceptions=True)


async def test_what_happens_is_told_and_the_end_explains_itself():
    chair, session = seated()
    chair.on_events(session, [game_pb2.Event(seq=1, moved=game_pb2.Moved(seat=0, cause=game_pb2.CAUSE_CHOSEN))])
    chair.on_result(
        session,
        play_pb2.ActResult(
            session_id="s1", outcome=play_pb2.ACT_OUTCOME_LATE, fault=game_pb2.FAULT_KIND_LATE, faults=1, max_faults=10
        ),
    )
    result = game_pb2.Result(points=[3, 2, 1], placings=[1, 2, 3], decided_by=["", "points", "points"])
    chair.on_end(session, End(session, play_pb2.SessionEnd(session_id="s1", result=result, seed=b"\1" * 32)))
    [game] = chair.kept()["games"]
    assert game["moves"] == [{"seq": 1, "seat": 0, "action": None, "cause": "chosen"}]
    assert game["end"]["result"]["decided_by"] == ["", "points", "points"]
    assert game["end"]["seed"] == "01" * 32
    told = b"".join([chunk async for chunk in until_gone(chair)]).decode()
    assert told.startswith("event: begin")
    assert "you have left" in told


async def until_gone(chair):
    chunks = chair.tape.follow()
    yield await anext(chunks)
    chair.leave("you have left")
    async for chunk in chunks:
        yield chunk


async def test_what_the_server_lost_in_a_crash_is_forgotten():
    chair, session = seated()
    events = [game_pb2.Event(seq=seq, moved=game_pb2.Moved(seat=0)) for seq in (1, 2, 3)]
    chair.on_events(session, events)
    session.seq = 1
    chair.on_rewind(session)
    assert [move["seq"] for move in chair.kept()["games"][0]["moves"]] == [1]


async def test_games_that_are_long_over_are_forgotten():
    chair = Chair("ann")
    for number in range(20):
        session = Session(play_pb2.SessionStart(session_id=f"s{number}", game="trades", seat=1, seats=3))
        chair.on_start(session)
        chair.on_end(session, End(session, play_pb2.SessionEnd(session_id=session.id)))
    assert [game["session"] for game in chair.kept()["games"]] == [f"s{number}" for number in range(20 - MOST_OVER, 20)]


class Channel:
    """A game server's channel: one token is good."""

    target, tls = "fake:1", False

    async def check(self, visitor):
        if visitor.token != "good":
            raise RequestError(grpc.StatusCode.UNAUTHENTICATED, "show a token")


@pytest.fixture
async def room(monkeypatch):
    """Three chairs, two for each address; the server does not know who is called mallory."""

    async def play(chair, target, **_):
        if chair.name == "mallory":
            raise RequestError(grpc.StatusCode.PERMISSION_DENIED, "that is not your name")
        await asyncio.Event().wait()

    monkeypatch.setattr(croupier, "play", play)
    monkeypatch.setattr(seats, "MOST_CHAIRS", 3)
    monkeypatch.setattr(seats, "MOST_AT_ONE_ADDRESS", 2)
    pages = SeatPages(Channel(), Visitors(), lambda _, chunks: EventStream(chunks))
    handlers = dict.fromkeys((RequestError, TooMuch, WebError), error_answer)
    app = Starlette(routes=pages.routes(), exception_handlers=handlers)
    app.state.pages = pages
    yield app
    await pages.close()


def sit_down(room, name="ann", *, token="good", client="10.0.0.1"):
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return ask(room, "/api/chairs", method="POST", body={"name": name}, headers=headers, client=client)


async def test_who_shows_no_good_token_takes_no_chair(room):
    for token in ("", "bad", "worse", "worst"):
        assert (await sit_down(room, token=token)).status == 401
    assert (await sit_down(room)).status == 200


async def test_one_address_does_not_take_all_chairs(room):
    assert [(await sit_down(room)).status for _ in range(3)] == [200, 200, 429]
    assert (await sit_down(room, client="10.0.0.2")).status == 200
    assert (await sit_down(room, client="10.0.0.3")).status == 503


async def test_whom_the_server_refuses_hears_why_and_takes_no_chair(room):
    told = []
    for _ in range(4):
        chair = (await sit_down(room, "mallory")).json["chair"]
        told.append((await ask(room, f"/api/chairs/{chair}/events")).body)
    assert all(b"that is not your name" in said for said in told)
    assert [(await sit_down(room)).status for _ in range(2)] == [200, 200]


async def test_a_chair_that_was_left_is_free(room):
    chairs = [(await sit_down(room)).json["chair"] for _ in range(2)]
    ended = room.state.pages._chairs[chairs[0]].task
    assert (await ask(room, f"/api/chairs/{chairs[0]}", method="DELETE")).status == 200
    await asyncio.wait([ended])
    assert (await sit_down(room)).status == 200
    assert b"you have left" in (await ask(room, f"/api/chairs/{chairs[0]}/events")).body


async def test_no_more_empty_chairs_are_remembered_than_there_are(room):
    chairs = []
    for _ in range(5):
        chairs.append((await sit_down(room, "mallory")).json["chair"])
        assert (await ask(room, f"/api/chairs/{chairs[-1]}/events")).status == 200
    statuses = [(await ask(room, f"/api/chairs/{chair}/events")).status for chair in chairs]
    assert statuses == [404, 404, 200, 200, 200]
