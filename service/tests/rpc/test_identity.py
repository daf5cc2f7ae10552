"""Tokens at a real server: who is let in, to what, and what ends when a token does."""

import asyncio
from contextlib import suppress

import grpc
import pytest
import structlog
from google.protobuf import message_factory
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from prometheus_client import generate_latest
from serving import RemoteBot, Serving, refusal, told_by

from croupier.v1 import bot_pb2, play_pb2, spectator_pb2, spectator_pb2_grpc
from croupier.v1 import session_pb2 as pb
from croupier_games.kernel import Seed
from croupier_service.identity.access import NO, OWN, ROLES, TABLE
from croupier_service.identity.limits import Limits
from croupier_service.identity.roles import Role
from croupier_service.identity.tokens import new_token
from croupier_service.rpc.server import SERVICES
from croupier_service.sessions.host import HostSettings

WHO = {Role.BOT: "ann", Role.ORGANISER: "olga", Role.SPECTATOR: "sam", Role.OPERATOR: "op"}


@pytest.fixture
async def server():
    """A server that asks for tokens, and has given some away."""
    async with Serving(ask_for_tokens=True) as serving:
        for role, name in WHO.items():
            await serving.token(name, role)
        await serving.token("bob")
        yield serving


def bot(server, token_of, name=None, **hello):
    """A stream that shows a token, for a bot of that name or another."""
    return RemoteBot(server.as_(token_of).channel, name or token_of, **hello)


async def create(server, *bots, **fields):
    request = pb.CreateSessionRequest(game="trick-and-trade", bots=bots, **fields)
    return (await server.as_("olga").sessions.CreateSession(request)).session


# Without a good token.


@pytest.mark.parametrize("method", [method for method in TABLE if method.startswith(SERVICES)])
async def test_without_a_token_nothing_of_ours_may_be_called(server, method):
    assert await refusal(server.channel.unary_unary(f"/{method}")(b"")) == ("UNAUTHENTICATED", "NO_TOKEN", [])


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("Bearer", "BAD_TOKEN"),
        ("Bearer ", "BAD_TOKEN"),
        ("Basic YW5uOnNlY3JldA==", "BAD_TOKEN"),
        ("Bearer secret", "BAD_TOKEN"),
        ("Bearer croupier_operator_" + "0" * 64, "UNKNOWN_TOKEN"),
    ],
)
async def test_what_is_no_good_token_is_refused_without_being_repeated(server, header, reason):
    call = server.sessions.ListGames(pb.ListGamesRequest(), metadata=(("authorization", header),))
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call
    assert told_by(error.value) == ("UNAUTHENTICATED", reason, [])
    assert header.rpartition(" ")[2] not in error.value.details() or header.endswith((" ", "Bearer"))


async def test_two_tokens_at_once_are_refused(server):
    metadata = [("authorization", f"Bearer {server.tokens[name]}") for name in ("ann", "op")]
    call = server.sessions.ListGames(pb.ListGamesRequest(), metadata=metadata)
    assert await refusal(call) == ("UNAUTHENTICATED", "BAD_TOKEN", [])


async def test_a_stream_without_a_token_is_refused_before_it_has_said_anything(server):
    stranger = RemoteBot(server.channel, "ann")
    assert told_by(await stranger.end()) == ("UNAUTHENTICATED", "NO_TOKEN", [])
    assert server.host.bots == {}


async def test_an_expired_token_is_refused(server, monkeypatch):
    await server.token("late", expires_in_s=60)
    await server.as_("late").sessions.ListGames(pb.ListGamesRequest())
    now = server.server.identities._wall_clock()
    monkeypatch.setattr(server.server.identities, "_wall_clock", lambda: now + 60)
    call = server.as_("late").sessions.ListGames(pb.ListGamesRequest())
    assert await refusal(call) == ("UNAUTHENTICATED", "EXPIRED_TOKEN", [])


async def test_load_balancers_may_ask_for_the_health_without_a_token(server):
    stub = health_pb2_grpc.HealthStub(server.channel)
    assert (await stub.Check(health_pb2.HealthCheckRequest())).status == health_pb2.HealthCheckResponse.SERVING
    call = stub.Watch(health_pb2.HealthCheckRequest())
    assert (await call.read()).status == health_pb2.HealthCheckResponse.SERVING
    call.cancel()


async def test_reflection_takes_a_token_of_any_kind(server):
    def ask(channel):
        stub = reflection_pb2_grpc.ServerReflectionStub(channel)
        return stub.ServerReflectionInfo(iter([reflection_pb2.ServerReflectionRequest(list_services="")]))

    with pytest.raises(grpc.aio.AioRpcError) as error:
        await anext(aiter(ask(server.channel)))
    assert told_by(error.value)[:2] == ("UNAUTHENTICATED", "NO_TOKEN")
    assert (await anext(aiter(ask(server.as_("sam").channel)))).list_services_response.service


async def test_where_no_tokens_are_asked_for_none_are_looked_at():
    async with Serving() as server:
        await server.as_("nonsense").sessions.ListGames(pb.ListGamesRequest())
        async with server.bots("ann"):
            pass


# Roles.


@pytest.mark.parametrize("role", ROLES)
async def test_each_role_may_call_what_the_table_says_and_nothing_else(server, role):
    """Whether a call is let through shows in that it fails, if at all, for another reason."""
    services = {service.full_name: service for service in (
        *bot_pb2.DESCRIPTOR.services_by_name.values(), *pb.DESCRIPTOR.services_by_name.values(),
    )}  # fmt: skip
    for method, row in TABLE.items():
        service = services.get(method.partition("/")[0])
        if service is None:
            continue
        described = service.methods_by_name[method.partition("/")[2]]
        request = message_factory.GetMessageClass(described.input_type)().SerializeToString()
        call = server.as_(WHO[role]).channel.unary_unary(f"/{method}")(request)
        if row[ROLES.index(role)] is NO:
            with pytest.raises(grpc.aio.AioRpcError, match=f"{WHO[role]} is {role.word}") as error:
                await call
            assert told_by(error.value) == ("PERMISSION_DENIED", "WRONG_ROLE", []), method
            continue
        try:
            await call
        except grpc.aio.AioRpcError as error:  # it may fail, but not for that
            refusals = (grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.UNAUTHENTICATED)
            assert error.code() not in refusals, method  # noqa: PT017


@pytest.mark.parametrize("name", ["olga", "sam"])
async def test_who_is_no_bot_does_not_play(server, name):
    stream = bot(server, name)
    assert told_by(await stream.end()) == ("PERMISSION_DENIED", "WRONG_ROLE", [])


@pytest.mark.parametrize("asks", [True, False])
async def test_a_method_that_is_not_in_the_table_nobody_may_call(asks, monkeypatch):
    monkeypatch.delitem(TABLE, "croupier.v1.SessionService/ListGames")
    async with Serving(ask_for_tokens=asks) as server:
        await server.token("op", Role.OPERATOR)
        call = server.as_("op").sessions.ListGames(pb.ListGamesRequest())
        assert await refusal(call) == ("PERMISSION_DENIED", "NOT_IN_TABLE", [])


async def test_where_nothing_tells_whose_it_is_it_is_not_the_callers_own(server, monkeypatch):
    monkeypatch.setitem(TABLE, "croupier.v1.SessionService/ListGames", (OWN,) * 4)
    call = server.as_("ann").sessions.ListGames(pb.ListGamesRequest())
    assert await refusal(call) == ("PERMISSION_DENIED", "NOT_YOUR_SESSION", [])


# Bot A's token does nothing for bot B.


async def test_a_bot_cannot_connect_as_another(server):
    stream = bot(server, "ann", "bob")
    await stream.say(play_pb2.ClientMessage(hello=stream.greeting))
    assert told_by(await stream.end()) == ("PERMISSION_DENIED", "WRONG_BOT", ["hello.bot"])
    assert "bob" not in server.host.bots


async def test_a_bot_cannot_push_another_off_its_seat(server):
    bob = bot(server, "bob")
    await bob.hello()
    await create(server, "bob", "house:random", "house:random")
    asked = await bob.hear("decision")
    impostor = bot(server, "ann", "bob")
    await impostor.say(play_pb2.ClientMessage(hello=impostor.greeting))
    await impostor.end()
    await bob.act(asked)
    await bob.play()
    bob.call.cancel()


async def test_a_bot_cannot_act_in_anothers_session(server):
    ann, bob = bot(server, "ann"), bot(server, "bob")
    await ann.hello()
    await bob.hello()
    await create(server, "bob", "house:random", "house:random")
    decision = await bob.hear("decision")
    await ann.act(decision)
    assert (await ann.hear("act_result")).outcome == play_pb2.ACT_OUTCOME_UNKNOWN_SESSION
    await bob.act(decision)
    await bob.play()
    ann.call.cancel()


async def test_a_bot_sees_its_own_sessions_and_no_others(server):
    ann, bob = bot(server, "ann"), bot(server, "bob")
    await ann.hello()
    await bob.hello()
    mine = (await create(server, "ann", "bob", "house:random")).session_id
    others = (await create(server, "bob", "house:random", "house:random")).session_id
    sessions = server.as_("ann").sessions
    assert (await sessions.GetSession(pb.GetSessionRequest(session_id=mine))).session.session_id == mine
    for call, request in (
        (sessions.GetSession, pb.GetSessionRequest(session_id=others)),
        (sessions.GetRecord, pb.GetRecordRequest(session_id=others)),
    ):
        assert await refusal(call(request)) == ("PERMISSION_DENIED", "NOT_YOUR_SESSION", ["session_id"])
    for named in ("", "ann"):
        listed = (await sessions.ListSessions(pb.ListSessionsRequest(bot=named))).sessions
        assert [session.session_id for session in listed] == [mine]
    call = sessions.ListSessions(pb.ListSessionsRequest(bot="bob"))
    assert await refusal(call) == ("PERMISSION_DENIED", "NOT_YOUR_SESSION", ["bot"])
    assert len((await server.as_("olga").sessions.ListSessions(pb.ListSessionsRequest())).sessions) == 2
    for stream in (ann, bob):
        stream.call.cancel()


async def test_a_session_that_there_is_not_is_not_found_by_bots_either(server):
    call = server.as_("ann").sessions.GetSession(pb.GetSessionRequest(session_id="nowhere"))
    assert await refusal(call) == ("NOT_FOUND", "UNKNOWN_SESSION", ["session_id"])


async def test_a_bot_cannot_resume_what_was_anothers(server):
    ann, bob = bot(server, "ann"), bot(server, "bob")
    await bob.hello()
    session = await create(server, "bob", "house:random", "house:random")
    (end,) = await bob.play()
    assert end.HasField("result")
    ann = bot(server, "ann", resume=[play_pb2.Resume(session_id=session.session_id, seat=0)])
    await ann.hello()
    told = await ann.hear("session_end")
    assert (told.reason, told.HasField("result"), told.seed) == (play_pb2.END_REASON_ABORTED, False, b"")
    for stream in (ann, bob):
        stream.call.cancel()


async def test_a_bot_watches_its_own_sessions_and_no_others(server):
    ann, bob = bot(server, "ann"), bot(server, "bob")
    await ann.hello()
    await bob.hello()
    mine = (await create(server, "ann", "bob", "house:random")).session_id
    others = (await create(server, "bob", "house:random", "house:random")).session_id

    def watch(name, session_id):
        stub = spectator_pb2_grpc.SpectatorServiceStub(server.as_(name).channel)
        return stub.WatchSession(spectator_pb2.WatchSessionRequest(session_id=session_id))

    with pytest.raises(grpc.aio.AioRpcError) as error:
        await watch("ann", others).read()
    assert told_by(error.value) == ("PERMISSION_DENIED", "NOT_YOUR_SESSION", ["session_id"])
    for name, session_id in (("ann", mine), ("sam", others), ("olga", others)):
        call = watch(name, session_id)
        assert (await call.read()).updates
        call.cancel()
    for stream in (ann, bob):
        stream.call.cancel()


async def reading_on(call):
    while await call.read():
        pass


async def test_a_viewer_is_cut_off_when_its_token_is_rotated(server):
    ann = bot(server, "ann")
    await ann.hello()
    session = await create(server, "ann", "house:random", "house:random")
    stub = spectator_pb2_grpc.SpectatorServiceStub(server.as_("sam").channel)
    call = stub.WatchSession(spectator_pb2.WatchSessionRequest(session_id=session.session_id))
    assert (await call.read()).updates
    await server.as_("op").bots.RotateToken(bot_pb2.RotateTokenRequest(name="sam"))
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await reading_on(call)
    assert told_by(error.value) == ("UNAUTHENTICATED", "TOKEN_REVOKED", [])
    ann.call.cancel()


# Records and seeds.


async def test_a_bot_reads_its_record_when_the_session_is_over_and_not_before(server):
    ann = bot(server, "ann")
    await ann.hello()
    session = await create(server, "ann", "house:random", "house:random")
    get = pb.GetRecordRequest(session_id=session.session_id)
    for name in WHO.values():
        call = server.as_(name).sessions.GetRecord(get)
        assert await refusal(call) == ("FAILED_PRECONDITION", "SESSION_RUNNING", ["session_id"])
    await ann.play()
    assert (await server.as_("ann").sessions.GetRecord(get)).record.seed
    ann.call.cancel()


async def test_who_plays_or_watches_never_reads_a_seed_that_was_given(server):
    """The same deal may be played again, with other seats."""
    ann = bot(server, "ann")
    await ann.hello()
    seed = Seed.of("given").raw
    session = await create(server, "ann", "house:random", "house:random", seed=seed)
    (end,) = await ann.play()
    assert end.seed == b""
    get = pb.GetRecordRequest(session_id=session.session_id)
    for name in ("ann", "sam"):
        call = server.as_(name).sessions.GetRecord(get)
        assert await refusal(call) == ("PERMISSION_DENIED", "DEAL_MAY_RETURN", ["session_id"])
    for name in ("olga", "op"):
        assert (await server.as_(name).sessions.GetRecord(get)).record.seed == seed
    ann.call.cancel()


async def test_labels_are_among_organisers(server):
    """A tournament's tell which sessions play the same deal."""
    ann = bot(server, "ann")
    await ann.hello()
    session = await create(server, "ann", "house:random", "house:random", labels={"game": "b1/r0"})
    asked = pb.GetSessionRequest(session_id=session.session_id)
    for over in (False, True):
        if over:
            await ann.play()
        for name, labels in {"ann": {}, "sam": {}, "olga": {"game": "b1/r0"}, "op": {"game": "b1/r0"}}.items():
            sessions = server.as_(name).sessions
            assert dict((await sessions.GetSession(asked)).session.labels) == labels
            assert [dict(one.labels) for one in (await sessions.ListSessions(pb.ListSessionsRequest())).sessions] == [
                labels
            ]
    ann.call.cancel()


# Rotating, deleting, expiring: open streams end.


async def ended_by_its_token(stream):
    told = await stream.end()
    assert told_by(told) == ("UNAUTHENTICATED", "TOKEN_REVOKED", [])
    return told.details()


async def test_rotating_a_token_ends_the_streams_of_the_old_one_and_the_new_one_takes_the_seat_again(server):
    ann = bot(server, "ann")
    await ann.hello()
    await create(server, "ann", "house:random", "house:random")
    asked = await ann.hear("decision")
    old = server.tokens["ann"]
    answer = await server.as_("op").bots.RotateToken(bot_pb2.RotateTokenRequest(name="ann"))
    assert await ended_by_its_token(ann) == "the token of 'ann' was rotated"
    server.tokens["ann"] = answer.token
    refused = bot(server, old, "ann")
    assert told_by(await refused.end()) == ("UNAUTHENTICATED", "UNKNOWN_TOKEN", [])
    again = bot(server, "ann")
    await again.hello()
    asked_again = await again.hear("decision")
    assert asked_again.decision_id == asked.decision_id
    await again.act(asked_again)
    await again.play()
    again.call.cancel()


async def test_a_bot_that_plays_cannot_be_deleted_and_one_that_waits_is_cut_off(server):
    ann = bot(server, "ann")
    await ann.hello()
    await create(server, "ann", "house:random", "house:random")
    delete = server.as_("op").bots.DeleteBot
    assert await refusal(delete(bot_pb2.DeleteBotRequest(name="ann"))) == ("FAILED_PRECONDITION", "BOT_PLAYS", ["name"])
    await ann.play()
    await delete(bot_pb2.DeleteBotRequest(name="ann"))
    assert await ended_by_its_token(ann) == "'ann' was deleted"
    assert await refusal(delete(bot_pb2.DeleteBotRequest(name="ann"))) == ("NOT_FOUND", "UNKNOWN_BOT", ["name"])


async def test_a_stream_does_not_outlive_its_token(monkeypatch):
    monkeypatch.setattr("croupier_service.server.TRUST_S", 0.01)
    async with Serving(ask_for_tokens=True) as server:
        await server.token("ann", expires_in_s=60)
        ann = bot(server, "ann")
        await ann.hello()
        now = server.server.identities._wall_clock()
        monkeypatch.setattr(server.server.identities, "_wall_clock", lambda: now + 60)
        assert (await ended_by_its_token(ann)).startswith("the token of 'ann' expired at")


async def test_what_another_process_does_to_the_store_ends_streams_too(monkeypatch):
    monkeypatch.setattr("croupier_service.server.TRUST_S", 0.01)
    async with Serving(ask_for_tokens=True) as server:
        for name in ("ann", "bob"):
            await server.token(name)
        ann, bob = bot(server, "ann"), bot(server, "bob")
        await ann.hello()
        await bob.hello()
        await server.server.identities._store.remove("ann")
        assert await ended_by_its_token(ann) == "'ann' was deleted"
        await create_for(server, "bob")
        await bob.play()
        bob.call.cancel()


async def create_for(server, name):
    await server.token("olga", Role.ORGANISER)
    await create(server, name, "house:random", "house:random")


async def test_a_store_that_fails_for_a_moment_cuts_nobody_off(monkeypatch):
    monkeypatch.setattr("croupier_service.server.TRUST_S", 0.01)
    async with Serving(ask_for_tokens=True) as server:
        await server.token("ann")
        ann = bot(server, "ann")
        await ann.hello()
        failed = asyncio.Event()
        store = server.server.identities._store

        async def fail(_names):
            failed.set()
            raise OSError("the disk is gone")

        with monkeypatch.context() as patch, structlog.testing.capture_logs() as logs:
            patch.setattr(store, "by_name", fail)
            await failed.wait()
        assert "the tokens of open calls could not be looked at" in [entry["event"] for entry in logs]
        await create_for(server, "ann")
        await ann.play()
        ann.call.cancel()


async def test_a_store_that_fails_lets_nobody_in_and_says_only_a_number(server, monkeypatch):
    async def fail(_digest):
        raise OSError("/secret/path: the disk is gone")

    monkeypatch.setattr(server.server.identities._store, "by_token", fail)
    with structlog.testing.capture_logs() as logs, pytest.raises(grpc.aio.AioRpcError) as error:
        await server.as_("op").sessions.ListGames(pb.ListGamesRequest())
    assert error.value.code() is grpc.StatusCode.INTERNAL
    assert "secret" not in error.value.details()
    assert "unexpected error" in [entry["event"] for entry in logs]


# Managing.


async def test_a_bot_is_created_listed_and_seen(server):
    bots = server.as_("op").bots
    request = bot_pb2.CreateBotRequest(name="new", request_id="one", expires_in_s=3600)
    answer = await bots.CreateBot(request)
    assert (answer.bot.name, answer.bot.role, answer.bot.online) == ("new", bot_pb2.ROLE_BOT, False)
    assert answer.bot.expire_time.seconds - answer.bot.create_time.seconds == 3600
    assert not answer.bot.HasField("last_seen_time")
    assert await refusal(bots.CreateBot(request)) == ("ALREADY_EXISTS", "REQUEST_ID_REUSED", ["request_id"])
    again = bot_pb2.CreateBotRequest(name="new")
    assert await refusal(bots.CreateBot(again)) == ("ALREADY_EXISTS", "NAME_TAKEN", ["name"])
    stream = bot(server, answer.token, "new")
    await stream.hello()
    listed = {one.name: one for one in (await server.as_("olga").bots.ListBots(bot_pb2.ListBotsRequest())).bots}
    assert set(listed) == {"ann", "bob", "new", "olga", "op", "sam"}
    assert listed["new"].online
    assert listed["new"].HasField("last_seen_time")
    assert not listed["ann"].online
    assert not listed["ann"].HasField("last_seen_time")
    assert listed["olga"].role == bot_pb2.ROLE_ORGANISER
    assert answer.token not in str(listed)
    stream.call.cancel()


async def test_bots_are_listed_in_pages(server):
    bots = server.as_("op").bots
    names, token = [], ""
    while True:
        answer = await bots.ListBots(bot_pb2.ListBotsRequest(page_size=2, page_token=token))
        names += [one.name for one in answer.bots]
        token = answer.next_page_token
        if not token:
            break
    assert names == ["ann", "bob", "olga", "op", "sam"]


@pytest.mark.parametrize(
    ("call", "request_", "reason", "field"),
    [
        ("CreateBot", bot_pb2.CreateBotRequest(name="Mr. X"), "BAD_BOT_NAME", "name"),
        ("CreateBot", bot_pb2.CreateBotRequest(name="x", role=9), "OUT_OF_RANGE", "role"),
        ("CreateBot", bot_pb2.CreateBotRequest(name="x", request_id="x" * 129), "TOO_LONG", "request_id"),
        ("CreateBot", bot_pb2.CreateBotRequest(name="x", expires_in_s=2**64 - 1), "OUT_OF_RANGE", "expires_in_s"),
        ("RotateToken", bot_pb2.RotateTokenRequest(name=""), "BAD_BOT_NAME", "name"),
        ("RotateToken", bot_pb2.RotateTokenRequest(name="ann", expires_in_s=2**63), "OUT_OF_RANGE", "expires_in_s"),
        ("DeleteBot", bot_pb2.DeleteBotRequest(name="/"), "BAD_BOT_NAME", "name"),
        ("ListBots", bot_pb2.ListBotsRequest(page_size=1001), "OUT_OF_RANGE", "page_size"),
        ("ListBots", bot_pb2.ListBotsRequest(page_token="NO"), "BAD_TOKEN", "page_token"),
    ],
    ids=str,
)
async def test_a_bad_field_is_named(server, call, request_, reason, field):
    answer = await refusal(getattr(server.as_("op").bots, call)(request_))
    assert answer == ("INVALID_ARGUMENT", reason, [field])


# Limits.


async def test_one_identity_has_so_many_streams_and_no_more():
    async with Serving(ask_for_tokens=True, limits=Limits(streams=1)) as server:
        await server.token("ann")
        await server.token("bob")
        ann, bob = bot(server, "ann"), bot(server, "bob")
        await ann.hello()
        assert told_by(await bot(server, "ann").end()) == ("RESOURCE_EXHAUSTED", "TOO_MANY_STREAMS", [])
        await bob.hello()
        for stream in (ann, bob):
            stream.call.cancel()


async def test_one_organiser_has_so_many_sessions_and_no_more():
    async with Serving(ask_for_tokens=True, host=HostSettings(max_sessions_each=1)) as server:
        for name, role in (("ann", Role.BOT), ("olga", Role.ORGANISER), ("otto", Role.ORGANISER)):
            await server.token(name, role)
        await server.token("bob")
        ann, bob = bot(server, "ann"), bot(server, "bob")
        assert (await ann.hello()).max_sessions == 1
        await bob.hello()
        request = pb.CreateSessionRequest(game="trick-and-trade", bots=["ann", "house:random", "house:random"])
        await server.as_("olga").sessions.CreateSession(request)
        request.bots[0] = "bob"
        call = server.as_("olga").sessions.CreateSession(request)
        assert await refusal(call) == ("RESOURCE_EXHAUSTED", "TOO_MANY_SESSIONS_EACH", [])
        await server.as_("otto").sessions.CreateSession(request)
        await ann.play()
        await server.host.journal.flush()
        request.bots[0] = "ann"
        await server.as_("olga").sessions.CreateSession(request)
        for stream in (ann, bob):
            stream.call.cancel()


async def test_a_request_id_is_its_organisers_own():
    async with Serving(ask_for_tokens=True) as server:
        for name in ("olga", "otto"):
            await server.token(name, Role.ORGANISER)
        request = pb.CreateSessionRequest(game="trick-and-trade", bots=["house:random"] * 3, request_id="one")
        of_olga = await server.as_("olga").sessions.CreateSession(request)
        of_otto = await server.as_("otto").sessions.CreateSession(request)
        assert of_otto.session.session_id != of_olga.session.session_id
        again = await server.as_("olga").sessions.CreateSession(request)
        assert again.session.session_id == of_olga.session.session_id
        request.labels["another"] = "label"
        call = server.as_("otto").sessions.CreateSession(request)
        assert await refusal(call) == ("ALREADY_EXISTS", "REQUEST_ID_REUSED", ["request_id"])


# Tokens are nowhere.


async def test_no_token_is_in_a_log_an_error_or_a_metric(server, monkeypatch):
    """All that the server says to anybody, while tokens are made, shown, refused, rotated and deleted."""
    said = []
    with structlog.testing.capture_logs() as logs:
        answer = await server.as_("op").bots.RotateToken(bot_pb2.RotateTokenRequest(name="bob"))
        server.tokens["new bob"] = answer.token
        secrets = [*server.tokens.values(), new_token(Role.BOT)]
        for secret in (*secrets, secrets[0] + "0", "croupier_bot_0123"):
            for channel in (server.as_(secret).channel, server.channel):
                for header in ((), (("authorization", secret),), (("authorization", f"Token {secret}"),)):
                    metadata = {"metadata": header} if channel is server.channel else {}
                    for method in ("SessionService/GetSession", "SessionService/CreateSession", "BotService/ListBots"):
                        try:
                            await channel.unary_unary(f"/croupier.v1.{method}")(b"", **metadata)
                        except grpc.aio.AioRpcError as error:
                            said += [error.details(), error.trailing_metadata(), error.debug_error_string()]
            stream = RemoteBot(server.as_(secret).channel, secret)  # somebody has mixed up name and token
            with suppress(grpc.aio.AioRpcError):  # it may be refused before it has said a word
                await stream.say(play_pb2.ClientMessage(hello=stream.greeting))
            error = await stream.end()
            said += [error.details(), error.trailing_metadata()]
        monkeypatch.setattr(server.host, "game", lambda name: 1 / 0)
        with pytest.raises(grpc.aio.AioRpcError) as unexpected:
            await server.as_("op").sessions.CreateSession(pb.CreateSessionRequest(game="x"))
        said.append(unexpected.value.details())
        await server.as_("op").bots.DeleteBot(bot_pb2.DeleteBotRequest(name="bob"))
        said.append(await server.as_("op").bots.ListBots(bot_pb2.ListBotsRequest()))
    said += [logs, generate_latest(server.server.metrics.registry).decode()]
    reasons = {entry["reason"] for entry in logs if entry["event"] == "call refused"}
    assert {"NO_TOKEN", "BAD_TOKEN", "UNKNOWN_TOKEN", "WRONG_ROLE"} <= reasons
    text = repr(said)
    for secret in secrets:
        assert secret not in text
        assert secret[-64:] not in text
        assert bytes.fromhex(secret[-64:]).hex() not in text


async def test_refusals_are_counted_by_reason(server):
    await refusal(server.sessions.ListGames(pb.ListGamesRequest()))
    text = generate_latest(server.server.metrics.registry).decode()
    assert 'croupier_calls_refused_total{reason="NO_TOKEN"} 1.0' in text


# Spectators lag behind.


async def test_spectators_who_lag_behind_are_not_told_how_a_session_goes_by_another_call(server, monkeypatch):
    session = await create(server, "house:random", "house:random", "house:random", spectator_delay_ms=60_000)
    asked = pb.GetSessionRequest(session_id=session.session_id)
    sam, olga = server.as_("sam").sessions, server.as_("olga").sessions
    over = await until_over(olga, asked)

    shown = (await sam.GetSession(asked)).session
    assert (shown.state, shown.seq, list(shown.to_act)) == (pb.SESSION_STATE_RUNNING, 0, [])
    assert not shown.HasField("result")
    assert not shown.HasField("end_time")
    assert [(seat.bot, seat.decisions, seat.charged_ms) for seat in shown.seats] == [("house:random", 0, 0)] * 3
    assert [one.session_id for one in (await sam.ListSessions(pb.ListSessionsRequest())).sessions] == [over.session_id]
    finished = pb.ListSessionsRequest(state=pb.SESSION_STATE_FINISHED)
    assert list((await sam.ListSessions(finished)).sessions) == []
    assert list((await olga.ListSessions(finished)).sessions) == [over]
    record = pb.GetRecordRequest(session_id=session.session_id)
    assert await refusal(sam.GetRecord(record)) == ("FAILED_PRECONDITION", "SESSION_RUNNING", ["session_id"])

    now = server.host.wall_clock()
    monkeypatch.setattr(server.host, "wall_clock", lambda: now + 60)
    assert (await sam.GetSession(asked)).session == over
    assert list((await sam.ListSessions(finished)).sessions) == [over]
    assert (await sam.GetRecord(record)).text == (await olga.GetRecord(record)).text


async def test_no_other_reason_tells_a_spectator_who_lags_behind_that_a_session_is_over(server, monkeypatch):
    bots = ("house:random", "house:random", "house:random")
    session = await create(server, *bots, spectator_delay_ms=60_000, seed=bytes(range(32)))
    sam, olga = server.as_("sam").sessions, server.as_("olga").sessions
    await until_over(olga, pb.GetSessionRequest(session_id=session.session_id))
    monkeypatch.setattr(server.host, "deal_in_play", lambda _seed: True)

    record = pb.GetRecordRequest(session_id=session.session_id)
    assert await refusal(olga.GetRecord(record)) == ("FAILED_PRECONDITION", "DEAL_IN_PLAY", ["session_id"])
    assert await refusal(sam.GetRecord(record)) == ("FAILED_PRECONDITION", "SESSION_RUNNING", ["session_id"])
    now = server.host.wall_clock()
    monkeypatch.setattr(server.host, "wall_clock", lambda: now + 60)
    assert await refusal(sam.GetRecord(record)) == ("PERMISSION_DENIED", "DEAL_MAY_RETURN", ["session_id"])


async def test_lists_by_state_do_not_tell_a_spectator_who_lags_behind_that_a_session_is_over(server, monkeypatch):
    """Neither by what is in them, nor by what is left out, nor by a token for more."""
    monkeypatch.setattr("croupier_service.rpc.session.LOOK_AT", 2)
    sam, olga = server.as_("sam").sessions, server.as_("olga").sessions
    house = ("house:random", "house:random", "house:random")
    seen, *lagging = [
        await until_over(olga, pb.GetSessionRequest(session_id=(await create(server, *house, **delay)).session_id))
        for delay in ({}, *[{"spectator_delay_ms": 60_000}] * 3)
    ]
    newest_first = [one.session_id for one in reversed(lagging)]

    async def pages(**asked):
        pages, token = [], ""
        while token or not pages:
            page = await sam.ListSessions(pb.ListSessionsRequest(page_token=token, **asked))
            pages.append([one.session_id for one in page.sessions])
            token = page.next_page_token
        return pages

    for size in (1, 2, 3):
        running = await pages(state=pb.SESSION_STATE_RUNNING, page_size=size)
        assert running == [newest_first[at : at + size] for at in range(0, 3, size)]
        assert await pages(state=pb.SESSION_STATE_FINISHED, page_size=size) == [[seen.session_id]]
        assert await pages(state=pb.SESSION_STATE_ABORTED, page_size=size) == [[]]
    assert await pages(state=pb.SESSION_STATE_RUNNING) == [newest_first]
    monkeypatch.setattr("croupier_service.rpc.session.MAX_LOOKS", 1)
    assert await pages(state=pb.SESSION_STATE_FINISHED) == [[], [seen.session_id]]


async def until_over(sessions, asked):
    while True:
        session = (await sessions.GetSession(asked)).session
        if session.state != pb.SESSION_STATE_RUNNING:
            return session
