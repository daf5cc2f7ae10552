"""The server around the services: health, reflection, errors nobody expected, metrics, logs."""

import asyncio
import os
import re
import signal

import grpc
import pytest
import structlog
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from prometheus_client import generate_latest
from serving import RemoteBot, Serving, refusal, told_by

from croupier.v1 import game_pb2, play_pb2, session_pb2_grpc
from croupier.v1 import session_pb2 as pb
from croupier_games.kernel import Seed
from croupier_games.trick_and_trade import cards
from croupier_service.main import _serving, serve
from croupier_service.metrics import Metrics
from croupier_service.rpc.health import MAX_WATCHES_EACH
from croupier_service.server import Server, ServerSettings
from croupier_service.store.address import StoreAddress
from croupier_service.store.memory import MemoryStore

SERVICES = (
    "",
    "croupier.v1.PlayService",
    "croupier.v1.SessionService",
    "croupier.v1.SpectatorService",
    "croupier.v1.BotService",
)


async def create(server, *bots, **fields):
    request = pb.CreateSessionRequest(game="trick-and-trade", bots=bots, **fields)
    return (await server.sessions.CreateSession(request)).session


# Health and reflection.


async def health(server, service):
    stub = health_pb2_grpc.HealthStub(server.channel)
    answer = await stub.Check(health_pb2.HealthCheckRequest(service=service))
    return health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)


async def test_a_server_is_healthy_until_it_drains(server):
    assert [await health(server, service) for service in SERVICES] == ["SERVING"] * len(SERVICES)
    await server.server.drain(0.0, "a test")
    assert [await health(server, service) for service in SERVICES] == ["NOT_SERVING"] * len(SERVICES)


async def test_a_service_that_it_does_not_have_has_no_health(server):
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await health(server, "croupier.v1.Nothing")
    assert error.value.code() is grpc.StatusCode.NOT_FOUND


@pytest.mark.parametrize("method", ["Check", "Watch"])
async def test_the_health_of_something_endless_is_not_looked_up(server, method):
    ask = getattr(health_pb2_grpc.HealthStub(server.channel), method)
    assert await refusal(_first(ask(health_pb2.HealthCheckRequest(service="x" * 257)))) == (
        "INVALID_ARGUMENT",
        "TOO_LONG",
        ["service"],
    )


async def test_one_address_may_watch_the_health_so_often_and_again_when_it_has_let_go(server):
    stub = health_pb2_grpc.HealthStub(server.channel)
    calls = [stub.Watch(health_pb2.HealthCheckRequest()) for _ in range(MAX_WATCHES_EACH)]
    for call in calls:
        await call.read()
    one_more = stub.Watch(health_pb2.HealthCheckRequest())
    assert await refusal(_first(one_more)) == ("RESOURCE_EXHAUSTED", "TOO_MANY_STREAMS", [])
    assert (
        'croupier_calls_refused_total{reason="TOO_MANY_STREAMS"} 1.0'
        in generate_latest(server.server.metrics.registry).decode().splitlines()
    )
    assert await health(server, "") == "SERVING"
    for call in calls:
        call.cancel()
    while server.server._rpc._health._watches:
        await health(server, "")
    assert await stub.Watch(health_pb2.HealthCheckRequest()).read()


async def _first(call):
    """The answer, or the first of several."""
    return await (call.read() if hasattr(call, "read") else call)


async def test_its_services_can_be_listed_and_described_by_reflection(server):
    stub = reflection_pb2_grpc.ServerReflectionStub(server.channel)

    async def ask(**request):
        call = stub.ServerReflectionInfo(iter([reflection_pb2.ServerReflectionRequest(**request)]))
        return await anext(aiter(call))

    listed = (await ask(list_services="")).list_services_response.service
    assert {service.name for service in listed} == {
        "croupier.v1.BotService", "croupier.v1.PlayService", "croupier.v1.SessionService",
        "croupier.v1.SpectatorService", "grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection",
    }  # fmt: skip
    for symbol in ("croupier.v1.SessionService", "croupier.v1.PlayService", "croupier.v1.GameAction"):
        assert (await ask(file_containing_symbol=symbol)).file_descriptor_response.file_descriptor_proto


# What nobody expected.


async def test_an_unexpected_error_reaches_the_client_as_a_number_only(server, monkeypatch):
    def fail(_new):
        raise RuntimeError("the seed is 9f86d081")

    monkeypatch.setattr(server.host, "create", fail)
    with structlog.testing.capture_logs() as logs, pytest.raises(grpc.aio.AioRpcError) as error:
        await create(server, "house:random", "house:random", "house:random")
    assert error.value.code() is grpc.StatusCode.INTERNAL
    number = re.fullmatch(r"internal error ([0-9a-f]{8}); the server's log says more", error.value.details())[1]
    (entry,) = [entry for entry in logs if entry["event"] == "unexpected error"]
    assert (entry["number"], entry["method"]) == (number, "/croupier.v1.SessionService/CreateSession")


@pytest.mark.parametrize(
    "method", ["SessionService/GetSession", "BotService/CreateBot", "SpectatorService/WatchSession"]
)
async def test_a_request_that_cannot_be_read_is_the_callers_fault(server, method):
    with structlog.testing.capture_logs() as logs, pytest.raises(grpc.aio.AioRpcError) as error:
        await server.channel.unary_unary(f"/croupier.v1.{method}")(b"\xff")
    assert told_by(error.value) == ("INVALID_ARGUMENT", "NOT_A_MESSAGE", [])
    assert not [entry for entry in logs if entry["log_level"] == "error"]


async def test_a_store_that_fails_reaches_the_client_as_a_number_only():
    class Failing(MemoryStore):
        async def summary(self, session_id):
            raise OSError("/secret/path: the disk is full")

    async with Serving(Failing()) as server:
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await server.sessions.GetSession(pb.GetSessionRequest(session_id="nowhere"))
        assert error.value.code() is grpc.StatusCode.INTERNAL
        assert "secret" not in error.value.details()


async def test_when_results_cannot_be_kept_the_journal_ends_and_the_server_can_still_stop():
    class Failing(MemoryStore):
        async def commit(self, batch):
            raise OSError("the disk is full")

    async with Serving(Failing()) as server:
        with pytest.raises(grpc.aio.AioRpcError, match="the session could not be kept") as error:
            await create(server, "house:random", "house:random", "house:random")
        assert error.value.code() is grpc.StatusCode.UNAVAILABLE
        with pytest.raises(OSError, match="the disk is full"):
            await server.server.journal_task


async def test_on_a_stream_too_an_unexpected_error_is_a_number_only(server, monkeypatch):
    def fail(_name, _link):
        raise RuntimeError("the seed is 9f86d081")

    monkeypatch.setattr(server.host, "connect", fail)
    bot = RemoteBot(server.channel, "ann")
    with structlog.testing.capture_logs() as logs:
        await bot.say(play_pb2.ClientMessage(hello=bot.greeting))
        ended = await bot.end()
    assert ended.code() is grpc.StatusCode.INTERNAL
    assert re.fullmatch(r"internal error [0-9a-f]{8}; the server's log says more", ended.details())
    assert [entry["method"] for entry in logs if entry["event"] == "unexpected error"] == [
        "/croupier.v1.PlayService/Play"
    ]


async def test_a_bot_that_hangs_up_is_nothing_unexpected(server, monkeypatch):
    gone = asyncio.Event()
    disconnect = server.host.disconnect

    def note(*args, **kwargs):
        disconnect(*args, **kwargs)
        gone.set()

    monkeypatch.setattr(server.host, "disconnect", note)
    with structlog.testing.capture_logs() as logs:
        async with server.bots("ann") as (ann,):
            ann.call.cancel()
            await gone.wait()
        assert await health(server, "") == "SERVING"
    assert server.host.bots["ann"].link is None
    assert not [entry for entry in logs if entry["log_level"] in ("warning", "error")]


async def test_a_method_that_there_is_not_is_unimplemented(server):
    call = server.channel.unary_unary("/croupier.v1.SessionService/Nothing")
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call(b"")
    assert error.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_a_port_that_is_taken_is_an_error_that_says_so(server):
    with pytest.raises(OSError, match=f"cannot listen on {server.server.address}"):
        async with Server(ServerSettings(listen=server.server.address, metrics_listen=None)):
            pass


async def test_of_a_server_that_cannot_start_nothing_is_left_at_work(server):
    before = asyncio.all_tasks()
    settings = ServerSettings(listen=server.server.address, metrics_listen=None, ask_for_tokens=True)
    second = Server(settings)
    with pytest.raises(OSError, match="cannot listen"):
        async with second:
            pass
    assert asyncio.all_tasks() <= before
    assert second.host.lag._beat is None


# Stopping.


async def test_a_server_whose_last_results_cannot_be_kept_leaves_nothing_at_work_either():
    async def fail():
        raise OSError("the disk is full")

    before = asyncio.all_tasks()
    settings = ServerSettings(listen="127.0.0.1:0", metrics_listen="127.0.0.1:0", ask_for_tokens=True)
    with pytest.raises(OSError, match="the disk is full"):
        async with Server(settings) as server:
            server.host.journal.flush = fail
    assert asyncio.all_tasks() <= before
    address, _, port = server.metrics_address.rpartition(":")
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(address, int(port))


async def test_when_the_store_fails_while_the_server_drains_it_stops_and_says_so(capsys):
    """Otherwise it would wait out the grace for sessions whose ends can never be kept."""

    class Failing(MemoryStore):
        broken = False

        async def commit(self, batch):
            if self.broken:
                raise OSError("the disk is full")
            await super().commit(batch)

    store, heard = Failing(), asyncio.Event()
    settings = ServerSettings(listen="127.0.0.1:0", metrics_listen=None)

    class Hearing(Server):
        async def __aenter__(self):
            await super().__aenter__()
            heard.server = self
            heard.set()
            return self

    with pytest.MonkeyPatch.context() as patch, structlog.testing.capture_logs() as logs:
        patch.setattr("croupier_service.main.Server", Hearing)
        patch.setattr("croupier_service.main._calm_the_collector", lambda: None)
        serving = asyncio.create_task(_serving(settings, store, StoreAddress(), 3600.0, "json", ()))
        await heard.wait()
        async with grpc.aio.insecure_channel(heard.server.address) as channel:
            ann = RemoteBot(channel, "ann")
            await ann.hello()
            sessions = session_pb2_grpc.SessionServiceStub(channel)
            bots = ["ann", "house:random", "house:random"]
            await sessions.CreateSession(pb.CreateSessionRequest(game="trick-and-trade", bots=bots))
            os.kill(os.getpid(), signal.SIGTERM)
            await ann.hear("drain")
            store.broken = True
            await ann.act(await ann.hear("decision"))
            assert await serving == 1
            ann.call.cancel()
    assert "the store has failed: results of late may be lost" in [entry["event"] for entry in logs]
    assert '"listening"' in capsys.readouterr().out


# Metrics and logs.


async def eventful(server):
    """A session in which a bot called ann fails in every way it can; the bot, the session, its record."""
    async with server.bots("ann-the-bot", "bob-the-bot") as (ann, bob):
        session = await create(
            server, "ann-the-bot", "bob-the-bot", "house:random",
            seed=Seed.of("eventful").raw,
            options=game_pb2.GameOptions(trick_and_trade={"first_leader": 0}),
            faults=game_pb2.FaultSettings(max_faults=4, attempts=2),
        )  # fmt: skip
        others_play = asyncio.create_task(bob.play())
        decision = await ann.hear("decision")
        held = {action.trick_and_trade.play for action in decision.actions}
        others = [card for card in range(1, 41) if card not in held]
        for card in others[:2]:  # twice illegal: a substitute is drawn
            await ann.act(decision, action=game_pb2.GameAction(trick_and_trade={"play": card}))
        results = [await ann.hear("act_result") for _ in range(2)]
        assert [result.rule for result in results] == ["play.in-hand"] * 2
        while True:  # then malformed, until the seat is vacated
            decision = await ann.hear("decision")
            if decision.decision_id > 1:
                break
        await ann.act(decision, index=99)
        await ann.act(decision, index=99)
        await ann.hear("session_end")
        await others_play
        await ann.leave()
        return session


async def test_metrics_show_sessions_decisions_times_and_faults_and_no_names(server):
    await eventful(server)
    text = generate_latest(server.server.metrics.registry).decode()
    samples = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    game = 'game="trick-and-trade"'
    assert samples[f"croupier_sessions_started_total{{{game}}}"] == "1.0"
    assert samples[f'croupier_sessions_ended_total{{{game},state="finished"}}'] == "1.0"
    assert samples[f"croupier_sessions_running{{{game}}}"] == "0.0"
    assert float(samples[f'croupier_decisions_total{{{game},outcome="chosen"}}']) > 10
    assert samples[f'croupier_decisions_total{{{game},outcome="substituted"}}'] == "1.0"
    assert samples[f'croupier_decisions_total{{{game},outcome="vacated"}}'] == "1.0"
    assert float(samples[f"croupier_decision_seconds_count{{{game}}}"]) > 10
    assert float(samples[f"croupier_decision_seconds_sum{{{game}}}"]) > 0
    assert (
        samples[f'croupier_decision_seconds_bucket{{{game},le="+Inf"}}']
        == (samples[f"croupier_decision_seconds_count{{{game}}}"])
    )
    assert samples[f'croupier_faults_total{{{game},kind="illegal"}}'] == "2.0"
    assert samples[f'croupier_faults_total{{{game},kind="malformed"}}'] == "2.0"
    assert samples[f"croupier_seats_vacated_total{{{game}}}"] == "1.0"
    assert samples["croupier_bots_known"] == "2.0"
    assert samples["croupier_store_backlog"] == "0.0"
    assert float(samples["croupier_store_commit_seconds_count"]) > 0
    assert samples["croupier_store_commit_seconds_count"] == samples["croupier_store_batch_entries_count"]
    assert float(samples[f"croupier_server_seconds_count{{{game}}}"]) > 10
    assert float(samples["croupier_frame_decisions_count"]) > 10
    assert samples["croupier_outbox_messages"] == samples["croupier_outbox_largest_bytes"] == "0.0"
    for name in ("ann-the-bot", "bob-the-bot", "house:random"):
        assert name not in text


async def test_metrics_show_who_is_connected_and_what_waits_for_them(server):
    async with server.bots("ann", "bob"):
        (outbox, _) = server.server.metrics.streams
        outbox.put(b"x" * 100)  # nothing can be written before this test lets go of the event loop
        text = generate_latest(server.server.metrics.registry).decode()
    lines = text.splitlines()
    for line in (
        "croupier_bots_connected 2.0",
        "croupier_streams 2.0",
        "croupier_outbox_messages 1.0",
        "croupier_outbox_bytes 100.0",
        "croupier_outbox_largest_bytes 100.0",
        "croupier_draining 0.0",
        "croupier_sessions_limit 20000.0",
    ):
        assert line in lines


async def test_a_batch_of_the_store_and_the_loops_lateness_are_told_once_each(server):
    await create(server, "house:random", "house:random", "house:random", seed=Seed.of("a").raw)
    metrics = server.server.metrics
    assert sum(metrics.commits.counts) == sum(metrics.batches.counts) >= 1
    assert metrics.batches.total >= 1
    server.host.lag.total_ms += 70
    server.host.lag._on_beat()
    server.host.lag._on_beat()
    assert metrics.lags.counts[metrics.lags.bounds.index(100.0)] == 1


async def test_the_disk_of_a_store_in_a_file_is_shown(tmp_path):
    metrics = Metrics(tmp_path)
    text = generate_latest(metrics.registry).decode()
    free = float(re.search(r"^croupier_store_disk_free_bytes (\S+)", text, re.MULTILINE)[1])
    size = float(re.search(r"^croupier_store_disk_size_bytes (\S+)", text, re.MULTILINE)[1])
    assert 0 < free < size
    assert "croupier_store_disk" not in generate_latest(Metrics().registry).decode()


async def test_decision_times_are_in_cumulated_buckets_of_seconds(server):
    meter = server.server.metrics.meter("a-game")
    for ms in (0.05, 0.1, 3.0, 120_000.0):
        meter.decided("chosen", ms, "a-session")
    text = generate_latest(server.server.metrics.registry).decode()
    lines = re.findall(r'croupier_decision_seconds_bucket\{game="a-game",le="([^"]+)"\} (\S+)', text)
    buckets = {float(bound): float(count) for bound, count in lines}
    counts = [buckets[bound] for bound in sorted(buckets)]
    assert counts == sorted(counts)
    assert (buckets[0.0001], buckets[0.0025], buckets[0.005], buckets[60.0], buckets[float("inf")]) == (2, 2, 3, 3, 4)
    assert float(re.search(r'croupier_decision_seconds_sum\{game="a-game"\} (\S+)', text)[1]) == pytest.approx(
        120.00315
    )


async def test_logs_say_what_happened_and_hold_no_card_and_no_seed(server):
    with structlog.testing.capture_logs() as logs:
        session = await eventful(server)
    events = [entry["event"] for entry in logs]
    assert events.count("fault") == 4
    for event in ("bot connected", "session started", "seat vacated", "session ended", "bot disconnected"):
        assert event in events
    assert all(entry["session"] == session.session_id for entry in logs if entry["event"] == "fault")
    text = repr(logs)
    seed = Seed.of("eventful")
    assert seed.hex() not in text
    assert repr(seed.raw)[2:-1] not in text
    for name in (*cards.CARD_NAMES[1:], *cards.TRADE_CARD_NAMES[1:], *cards.SUITS):
        assert name not in text


# The command line, as far as it goes without serving.


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["--listen", "0.0.0.0:7700"], "--insecure"),
        (["--listen", "example.org:7700"], "--insecure"),
        (["--metrics", "[::]:9464"], "--insecure"),
        (["--listen", "7700"], "host:port"),
        (["--listen", "localhost:seven"], "host:port"),
        (["--listen", "localhost:65536"], "host:port"),
        (["--log-level", "loud"], "--log-level"),
        (["--max-faults", "0"], "--max-faults"),
        (["--think-time", "0", "--bank", "0"], "--think-time"),
        (["--bank", "100000"], "--bank"),
        (["--grace", "soon"], "--grace"),
        (["--nonsense"], "--nonsense"),
        (["surplus"], "surplus"),
    ],
)
def test_wrong_usage_is_told_and_exits_with_2(argv, says, capsys):
    assert serve(argv) == 2
    assert says in re.sub(r"[│\s]+", " ", capsys.readouterr().err)


def test_help_is_no_error(capsys):
    assert serve(["--help"]) == 0
    assert "Exit codes" in capsys.readouterr().out
