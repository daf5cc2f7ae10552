"""SessionService over gRPC: creating, showing, listing and ending sessions, and what is refused."""

import asyncio

import pytest
from serving import Serving, refusal

from croupier.games.trade_and_triumph.v1 import trade_and_triumph_pb2
from croupier.v1 import game_pb2, play_pb2
from croupier.v1 import session_pb2 as pb
from croupier_games.kernel import Record, Seed, find_game, verify
from croupier_service.sessions.host import HostSettings

HOUSE = ["house:random"] * 3
DAY = 86_400_000


def request(**fields):
    """A request for a session of house bots, but for what a test says."""
    return pb.CreateSessionRequest(**{"game": "trick-and-trade", "bots": HOUSE, **fields})


async def create(server, **fields):
    return (await server.sessions.CreateSession(request(**fields))).session


async def over(server, session):
    """A session that plays itself, once it is over."""
    await server.host.idle()
    return (await server.sessions.GetSession(pb.GetSessionRequest(session_id=session.session_id))).session


# Games.


async def test_the_games_are_listed_with_seats_options_and_house_bots(server):
    games = (await server.sessions.ListGames(pb.ListGamesRequest())).games
    (game,) = [game for game in games if game.name == "trick-and-trade"]
    assert (game.title, game.rules_version, game.min_seats, game.max_seats) == ("Trick and Trade", 1, 3, 5)
    assert game.default_options.WhichOneof("options") == "trick_and_trade"
    assert not game.default_options.trick_and_trade.HasField("first_leader")
    assert game.house_bots == ["house:random", "house:greedy"]
    assert [game.name for game in games] == sorted(game.name for game in games)
    assert (await server.sessions.GetGame(pb.GetGameRequest(name="trick-and-trade"))).game == game


async def test_a_game_can_have_details_that_bots_fetch_once(server):
    edition = trade_and_triumph_pb2.Edition()
    game = (await server.sessions.GetGame(pb.GetGameRequest(name="trade-and-triumph"))).game
    assert game.details.Unpack(edition)
    assert len(edition.cards) == 90
    listed = (await server.sessions.ListGames(pb.ListGamesRequest())).games
    assert not any(game.HasField("details") for game in listed)


async def test_a_game_that_there_is_not(server):
    assert await refusal(server.sessions.GetGame(pb.GetGameRequest(name="poker"))) == (
        "NOT_FOUND", "UNKNOWN_GAME", ["name"],
    )  # fmt: skip


# Creating.


async def test_a_new_session_is_shown_with_every_default_filled_in(server):
    async with server.bots("ann"):
        session = await create(server, bots=["ann", "house:random", "house:greedy"], labels={"round": "1"})
        assert session.state == pb.SESSION_STATE_RUNNING
        assert (session.game, session.rules_version) == ("trick-and-trade", 1)
        assert [seat.bot for seat in session.seats] == ["ann", "house:random", "house:greedy"]
        assert all(seat.connected for seat in session.seats)
        assert session.clock == game_pb2.ClockSettings(think_time_ms=10_000, bank_ms=60_000, increment_ms=0)
        assert session.faults == game_pb2.FaultSettings(
            policy=game_pb2.FAULT_POLICY_SUBSTITUTE, max_faults=10, attempts=3
        )
        assert session.labels == {"round": "1"}
        assert len(session.seed_commitment) == 32
        assert session.create_time.seconds > 1_700_000_000
        assert not session.HasField("end_time")
        assert not session.HasField("result")


async def test_what_is_asked_for_is_what_there_is(server):
    async with server.bots("ann"):
        session = await create(
            server,
            bots=["ann", "ann", "ann"],
            options=game_pb2.GameOptions(trick_and_trade={"first_leader": 2}),
            clock=game_pb2.ClockSettings(think_time_ms=0, bank_ms=1, increment_ms=DAY),
            faults=game_pb2.FaultSettings(policy=game_pb2.FAULT_POLICY_FORFEIT, max_faults=1000, attempts=10),
            spectator_delay_ms=DAY,
        )
        assert session.options.trick_and_trade.first_leader == 2
        assert session.to_act == [2]
        assert session.clock == game_pb2.ClockSettings(think_time_ms=0, bank_ms=1, increment_ms=DAY)
        assert session.faults == game_pb2.FaultSettings(
            policy=game_pb2.FAULT_POLICY_FORFEIT, max_faults=1000, attempts=10
        )
        assert session.spectator_delay_ms == DAY


async def test_house_bots_alone_play_it_to_the_end(server):
    session = await over(server, await create(server))
    assert session.state == pb.SESSION_STATE_FINISHED
    assert min(session.result.placings) == 1
    assert session.HasField("end_time")
    assert session.to_act == []


async def test_the_same_seed_deals_the_same_game(server):
    sessions = [await create(server, seed=Seed.of("duplicate").raw) for _ in range(2)]
    one, other = [await over(server, session) for session in sessions]
    assert one.result == other.result
    assert one.seed_commitment == b""


OPTIONS = game_pb2.GameOptions
CLOCK = game_pb2.ClockSettings
FAULTS = game_pb2.FaultSettings


@pytest.mark.parametrize(
    ("fields", "answer"),
    [
        ({"game": "poker"}, ("NOT_FOUND", "UNKNOWN_GAME", "game")),
        ({"game": ""}, ("NOT_FOUND", "UNKNOWN_GAME", "game")),
        ({"bots": []}, ("INVALID_ARGUMENT", "BAD_OPTION", "bots")),
        ({"bots": HOUSE[:2]}, ("INVALID_ARGUMENT", "BAD_OPTION", "bots")),
        ({"bots": HOUSE * 2}, ("INVALID_ARGUMENT", "BAD_OPTION", "bots")),
        ({"bots": ["house:random", "nobody", "house:random"]}, ("NOT_FOUND", "UNKNOWN_BOT", "bots[1]")),
        ({"bots": ["house:random", "house:random", "house:nobody"]}, ("NOT_FOUND", "UNKNOWN_BOT", "bots[2]")),
        ({"bots": ["", "house:random", "house:random"]}, ("NOT_FOUND", "UNKNOWN_BOT", "bots[0]")),
        (
            {"options": OPTIONS(trick_and_trade={"first_leader": 3})},
            ("INVALID_ARGUMENT", "BAD_OPTION", "options.first_leader"),
        ),
        ({"options": OPTIONS(other={"type_url": "x/y"})}, ("INVALID_ARGUMENT", "WRONG_GAME", "options")),
        ({"seed": b"short"}, ("INVALID_ARGUMENT", "BAD_SEED", "seed")),
        ({"seed": bytes(31)}, ("INVALID_ARGUMENT", "BAD_SEED", "seed")),
        ({"seed": bytes(33)}, ("INVALID_ARGUMENT", "BAD_SEED", "seed")),
        ({"clock": CLOCK(think_time_ms=DAY + 1)}, ("INVALID_ARGUMENT", "OUT_OF_RANGE", "clock.think_time_ms")),
        ({"clock": CLOCK(bank_ms=DAY + 1)}, ("INVALID_ARGUMENT", "OUT_OF_RANGE", "clock.bank_ms")),
        ({"clock": CLOCK(increment_ms=2**32 - 1)}, ("INVALID_ARGUMENT", "OUT_OF_RANGE", "clock.increment_ms")),
        ({"clock": CLOCK(think_time_ms=0, bank_ms=0)}, ("INVALID_ARGUMENT", "OUT_OF_RANGE", "clock.think_time_ms")),
        ({"faults": FAULTS(max_faults=0)}, ("INVALID_ARGUMENT", "OUT_OF_RANGE", "faults.max_faults")),
        ({"faults": FAULTS(max_faults=1_001)}, ("INVALID_ARGUMENT", "OUT_OF_RANGE", "faults.max_faults")),
        ({"faults": FAULTS(attempts=0)}, ("INVALID_ARGUMENT", "OUT_OF_RANGE", "faults.attempts")),
        ({"faults": FAULTS(attempts=11)}, ("INVALID_ARGUMENT", "OUT_OF_RANGE", "faults.attempts")),
        ({"faults": FAULTS(policy=77)}, ("INVALID_ARGUMENT", "OUT_OF_RANGE", "faults.policy")),
        ({"labels": {f"{n}": "" for n in range(17)}}, ("INVALID_ARGUMENT", "TOO_MANY", "labels")),
        ({"labels": {"": "x"}}, ("INVALID_ARGUMENT", "TOO_LONG", "labels[]")),
        ({"labels": {"k" * 129: "x"}}, ("INVALID_ARGUMENT", "TOO_LONG", f"labels[{'k' * 128}]")),
        ({"labels": {"k": "x" * 129}}, ("INVALID_ARGUMENT", "TOO_LONG", "labels[k]")),
        ({"labels": {"k": "x\x1b[31mRED"}}, ("INVALID_ARGUMENT", "CONTROL_CHARACTER", "labels[k]")),
        ({"labels": {"k": "\x9b31mRED"}}, ("INVALID_ARGUMENT", "CONTROL_CHARACTER", "labels[k]")),
        ({"labels": {"k\n": "x"}}, ("INVALID_ARGUMENT", "CONTROL_CHARACTER", "labels[k\ufffd]")),
        ({"spectator_delay_ms": DAY + 1}, ("INVALID_ARGUMENT", "OUT_OF_RANGE", "spectator_delay_ms")),
        ({"request_id": "x" * 129}, ("INVALID_ARGUMENT", "TOO_LONG", "request_id")),
    ],
    ids=str,
)
async def test_a_bad_field_is_named_and_nothing_is_created(server, fields, answer):
    code, reason, field = answer
    assert await refusal(server.sessions.CreateSession(request(**fields))) == (code, reason, [field])
    assert (await server.sessions.ListSessions(pb.ListSessionsRequest())).sessions == []


@pytest.mark.parametrize(
    "fields",
    [
        {"labels": {f"{n}": "x" * 128 for n in range(16)}},
        {"request_id": "x" * 128},
        {"labels": {"k" * 128: ""}},
        {"seed": bytes(32)},
        {"options": game_pb2.GameOptions()},
        {"faults": game_pb2.FaultSettings(policy=game_pb2.FAULT_POLICY_UNSPECIFIED)},
    ],
    ids=str,
)
async def test_what_is_just_allowed_is_allowed(server, fields):
    assert (await create(server, **fields)).session_id


# The same request twice.


async def test_the_same_request_sent_again_returns_the_same_session(server):
    labels = {f"label {n}": "x" for n in range(9)}
    first = await create(server, request_id="one", labels=labels)
    again = await create(server, request_id="one", labels=dict(reversed(labels.items())))
    assert first.session_id == again.session_id
    await server.host.idle()
    assert (await create(server, request_id="one", labels=labels)).state == pb.SESSION_STATE_FINISHED


async def test_the_same_request_sent_twice_at_once_makes_one_session(server):
    sessions = await asyncio.gather(*(create(server, request_id="one") for _ in range(5)))
    assert len({session.session_id for session in sessions}) == 1


async def test_another_request_with_the_same_id_is_refused(server):
    await create(server, request_id="one")
    call = server.sessions.CreateSession(request(request_id="one", labels={"another": "label"}))
    assert await refusal(call) == ("ALREADY_EXISTS", "REQUEST_ID_REUSED", ["request_id"])


# Limits.


async def test_over_the_limit_of_sessions():
    async with Serving(host=HostSettings(max_sessions=1)) as server, server.bots("ann"):
        await create(server, bots=["ann"] * 3)
        call = server.sessions.CreateSession(request())
        assert await refusal(call) == ("RESOURCE_EXHAUSTED", "TOO_MANY_SESSIONS", [])


async def test_while_draining(server):
    await server.server.drain(0.0, "a test")
    assert await refusal(server.sessions.CreateSession(request())) == ("UNAVAILABLE", "DRAINING", [])


# Showing.


@pytest.mark.parametrize("call", ["GetSession", "AbortSession", "GetRecord"])
async def test_a_session_that_there_is_not(server, call):
    message = getattr(pb, f"{call}Request")(session_id="nowhere")
    assert await refusal(getattr(server.sessions, call)(message)) == ("NOT_FOUND", "UNKNOWN_SESSION", ["session_id"])


async def test_a_session_is_shown_as_it_stands(server):
    async with server.bots("ann") as (ann,):
        session = await create(server, bots=["ann", "house:random", "house:random"])
        decision = await ann.hear("decision")
        await ann.act(decision, index=99)
        await ann.hear("act_result")
        shown = (await server.sessions.GetSession(pb.GetSessionRequest(session_id=session.session_id))).session
        assert shown.state == pb.SESSION_STATE_RUNNING
        assert shown.to_act == [0]
        assert shown.seats[0].faults == [pb.FaultCount(kind=game_pb2.FAULT_KIND_MALFORMED, count=1)]
        assert shown.seats[0].decisions == 1
        assert shown.seq >= 1


async def test_the_record_of_a_finished_session_verifies(server):
    async with server.bots("ann") as (ann,):
        session = await create(server, bots=["ann", "house:random", "house:greedy"])
        (end,) = await ann.play()
        answer = await server.sessions.GetRecord(pb.GetRecordRequest(session_id=session.session_id))
        record = Record.from_text(answer.text, find_game)
        result = verify(record, find_game("trick-and-trade"))
        assert tuple(end.result.points) == result.points
        assert answer.record.result == end.result
        assert answer.record.reason == play_pb2.END_REASON_FINISHED
        assert answer.record.seed == record.seed.raw == end.seed
        assert answer.record.bots == ["ann", "house:random", "house:greedy"]
        assert len(answer.record.inputs) == len(record.inputs)
        for typed, item in zip(answer.record.inputs, record.inputs, strict=True):
            assert typed.chosen.seat == item.seat


async def test_a_record_types_every_kind_of_input(server):
    async with server.bots("ann") as (ann,):
        session = await create(
            server,
            bots=["ann", "house:random", "house:random"],
            faults=game_pb2.FaultSettings(attempts=1, max_faults=2),
        )
        for _ in range(2):
            await ann.act(await ann.hear("decision"), index=99)
        await ann.hear("session_end")
        answer = await server.sessions.GetRecord(pb.GetRecordRequest(session_id=session.session_id))
        kinds = [item.WhichOneof("input") for item in answer.record.inputs]
        assert set(kinds) == {"chosen", "substituted", "vacated"}
        verify(Record.from_text(answer.text, find_game), find_game("trick-and-trade"))


async def test_there_is_no_record_of_a_running_session(server):
    async with server.bots("ann"):
        session = await create(server, bots=["ann", "house:random", "house:random"])
        call = server.sessions.GetRecord(pb.GetRecordRequest(session_id=session.session_id))
        assert await refusal(call) == ("FAILED_PRECONDITION", "SESSION_RUNNING", ["session_id"])


# Ending.


async def test_a_session_can_be_aborted_once(server):
    async with server.bots("ann") as (ann,):
        session = await create(server, bots=["ann", "house:random", "house:random"])
        abort = pb.AbortSessionRequest(session_id=session.session_id)
        aborted = (await server.sessions.AbortSession(abort)).session
        assert aborted.state == pb.SESSION_STATE_ABORTED
        assert not aborted.HasField("result")
        assert (await ann.hear("session_end")).reason == play_pb2.END_REASON_ABORTED
        assert await refusal(server.sessions.AbortSession(abort)) == (
            "FAILED_PRECONDITION", "SESSION_OVER", ["session_id"],
        )  # fmt: skip
        answer = await server.sessions.GetRecord(pb.GetRecordRequest(session_id=session.session_id))
        assert answer.record.reason == play_pb2.END_REASON_ABORTED


# Listing.


async def listed(server, **fields):
    answer = await server.sessions.ListSessions(pb.ListSessionsRequest(**fields))
    return [session.session_id for session in answer.sessions], answer.next_page_token


async def test_sessions_are_listed_newest_first_in_pages(server):
    made = [(await create(server)).session_id for _ in range(7)]
    newest_first = list(reversed(made))
    first, token = await listed(server, page_size=3)
    second, token = await listed(server, page_size=3, page_token=token)
    third, token = await listed(server, page_size=3, page_token=token)
    assert first + second + third == newest_first
    assert token == ""


async def test_a_page_that_holds_the_rest_exactly_is_the_last(server):
    for _ in range(4):
        await create(server)
    _, token = await listed(server, page_size=2)
    rest, token = await listed(server, page_size=2, page_token=token)
    assert (len(rest), token) == (2, "")


async def test_sessions_created_meanwhile_move_no_page(server):
    made = [(await create(server)).session_id for _ in range(4)]
    first, token = await listed(server, page_size=2)
    await create(server)
    second, _ = await listed(server, page_size=2, page_token=token)
    assert first + second == list(reversed(made))


async def test_sessions_are_listed_by_state_game_and_bot(server):
    done = (await create(server)).session_id
    await server.host.idle()
    async with server.bots("ann"):
        running = (await create(server, bots=["house:random", "ann", "house:random"])).session_id
        assert (await listed(server, state=pb.SESSION_STATE_FINISHED))[0] == [done]
        assert (await listed(server, state=pb.SESSION_STATE_RUNNING))[0] == [running]
        assert (await listed(server, state=pb.SESSION_STATE_ABORTED))[0] == []
        assert (await listed(server, bot="ann"))[0] == [running]
        assert (await listed(server, bot="house:random"))[0] == [running, done]
        assert (await listed(server, game="trick-and-trade"))[0] == [running, done]
        assert (await listed(server, game="poker"))[0] == []


async def test_a_page_token_outlives_the_end_of_its_session(server):
    """Paging through the running ones while they end."""
    async with server.bots("ann"):
        made = [(await create(server, bots=["ann"] * 3)).session_id for _ in range(4)]
        first, token = await listed(server, page_size=2, state=pb.SESSION_STATE_RUNNING)
        await server.sessions.AbortSession(pb.AbortSessionRequest(session_id=first[-1]))
        second, _ = await listed(server, page_size=2, state=pb.SESSION_STATE_RUNNING, page_token=token)
        assert first + second == list(reversed(made))


@pytest.mark.parametrize(
    ("fields", "answer"),
    [
        ({"page_size": 1_001}, ("INVALID_ARGUMENT", "OUT_OF_RANGE", ["page_size"])),
        ({"page_size": 2**32 - 1}, ("INVALID_ARGUMENT", "OUT_OF_RANGE", ["page_size"])),
        ({"page_token": "nonsense"}, ("INVALID_ARGUMENT", "BAD_TOKEN", ["page_token"])),
    ],
    ids=str,
)
async def test_a_page_that_cannot_be(server, fields, answer):
    await create(server)
    for call, message in (("ListGames", pb.ListGamesRequest), ("ListSessions", pb.ListSessionsRequest)):
        assert await refusal(getattr(server.sessions, call)(message(**fields))) == answer


async def test_a_state_that_there_is_not(server):
    call = server.sessions.ListSessions(pb.ListSessionsRequest(state=77))
    assert await refusal(call) == ("INVALID_ARGUMENT", "OUT_OF_RANGE", ["state"])


async def test_games_come_in_pages_too(server):
    every = [game.name for game in (await server.sessions.ListGames(pb.ListGamesRequest())).games]
    paged, token = [], ""
    while True:
        answer = await server.sessions.ListGames(pb.ListGamesRequest(page_size=1, page_token=token))
        paged += [game.name for game in answer.games]
        token = answer.next_page_token
        if not token:
            break
    assert paged == every
