"""TournamentService with tokens and TLS: who may do what, as the game server says whose token it is."""

import asyncio
import os
import signal
from contextlib import asynccontextmanager

import grpc
import pytest
import trustme
from bots import Stall
from grpc_health.v1 import health_pb2, health_pb2_grpc
from processes import PATIENCE, Process, command

from croupier import RequestError, admin
from croupier.v1 import session_pb2
from croupier.v1 import tournament_pb2 as pb
from croupier_service.cli.health import health
from croupier_service.identity.main import create

pytestmark = pytest.mark.timeout(300)
CA = trustme.CA()


@pytest.fixture
def files(tmp_path):
    """A certificate for localhost, its key, and the authority, as files."""
    issued = CA.issue_cert("localhost")
    paths = [tmp_path / name for name in ("cert.pem", "key.pem", "ca.pem")]
    parts = (issued.cert_chain_pems[0], issued.private_key_pem, CA.cert_pem)
    for path, part in zip(paths, parts, strict=True):
        path.write_bytes(part.bytes())
    return paths


@pytest.fixture
def tokens(tmp_path, capsys):
    """One token for each role, made on the store as an operator does it."""
    made = {}
    for role in ("bot", "organiser", "spectator", "operator"):
        assert create([f"the-{role}", "--role", role, "--store", str(tmp_path / "croupier.db")]) == 0
        made[role] = capsys.readouterr().out.strip()
    return made


@asynccontextmanager
async def running(serve, tmp_path, files, tokens):
    """A game server and a tournament service, both with tokens and TLS; the service, and how to connect to it."""
    cert, key, ca = files
    secured = ("--auth", "--tls-cert", str(cert), "--tls-key", str(key))
    server = serve(store=tmp_path / "croupier.db", auth=True, tls_cert=cert, tls_key=key)
    flags = ("--server", server.target.replace("127.0.0.1", "localhost"), "--tls", str(ca), "--metrics", "off")
    where = ("--listen", "127.0.0.1:0", "--dir", str(tmp_path / "tournaments"), "--format", "json")
    before = os.environ.get("CROUPIER_TOKEN")
    os.environ["CROUPIER_TOKEN"] = tokens["organiser"]  # the service's own
    try:
        process = Process(*command(), "tournament", "serve", *where, *secured, *flags)
    finally:
        os.environ.pop("CROUPIER_TOKEN") if before is None else os.environ.update(CROUPIER_TOKEN=before)
    with process as service:
        service.target = service.hear(4 * PATIENCE)["listening"].replace("127.0.0.1", "localhost")
        service.server = server
        yield service, lambda token: admin.connect(service.target, token, tls=str(ca))
        service.signal(signal.SIGTERM)
        assert service.wait() == 0, service.stderr()
        said = service.stderr()
        assert not [token for token in tokens.values() if token in said]


def spec():
    entrants = [pb.Entrant(name=name, house="greedy") for name in ("ann", "bob", "cat")]
    return pb.TournamentSpec(game="trick-and-trade", seats=3, deals=2, entrants=entrants)


async def reason(call):
    with pytest.raises(RequestError) as caught:
        await call
    return caught.value.code.name, caught.value.reason


async def test_organisers_and_operators_make_tournaments_others_look_and_strangers_stay_outside(
    serve, tmp_path, files, tokens
):
    async with running(serve, tmp_path, files, tokens) as (service, connect):
        request = pb.CreateTournamentRequest(spec=spec())
        for role in ("organiser", "operator"):
            async with connect(tokens[role]) as access:
                made = (await access.tournaments.CreateTournament(request)).tournament
                watching = access.tournaments.WatchTournament(
                    pb.WatchTournamentRequest(tournament_id=made.tournament_id, interval_ms=100)
                )
                told = [response async for response in watching]
                assert told[-1].tournament.state == pb.TOURNAMENT_STATE_FINISHED
        for role in ("bot", "spectator"):
            async with connect(tokens[role]) as access:
                listed = await access.tournaments.ListTournaments(pb.ListTournamentsRequest())
                assert len(listed.tournaments) == 2
                denied = await reason(access.tournaments.CreateTournament(request))
                assert denied == ("PERMISSION_DENIED", "WRONG_ROLE")
                denied = await reason(
                    access.tournaments.CancelTournament(pb.CancelTournamentRequest(tournament_id=made.tournament_id))
                )
                assert denied == ("PERMISSION_DENIED", "WRONG_ROLE")
        async with connect(None) as access:
            refused = await reason(access.tournaments.ListTournaments(pb.ListTournamentsRequest()))
            assert refused == ("UNAUTHENTICATED", "NO_TOKEN")
            check = await health_pb2_grpc.HealthStub(access.channel).Check(health_pb2.HealthCheckRequest())
            assert check.status == health_pb2.HealthCheckResponse.SERVING
        for wrong, why in (("croupier_bot_" + "0" * 64, "UNKNOWN_TOKEN"), ("nonsense", "BAD_TOKEN")):
            async with connect(wrong) as access:
                refused = await reason(access.tournaments.ListTournaments(pb.ListTournamentsRequest()))
                assert refused == ("UNAUTHENTICATED", why)

        # a certificate that changes is shown to new connections
        cert, key, ca = files
        other = trustme.CA()
        issued = other.issue_cert("localhost")
        key.write_bytes(issued.private_key_pem.bytes())
        cert.write_bytes(issued.cert_chain_pems[0].bytes())
        credentials = grpc.ssl_channel_credentials(other.cert_pem.bytes())
        async with grpc.aio.secure_channel(service.target, credentials) as channel:
            check = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=PATIENCE)
        assert check.status == health_pb2.HealthCheckResponse.SERVING

        # without a game server to ask, nobody new is let in
        service.server.signal(signal.SIGTERM)
        service.server.wait()
        ca.write_bytes(other.cert_pem.bytes())
        async with connect("croupier_operator_" + "1" * 64) as access:
            refused = await reason(access.tournaments.ListTournaments(pb.ListTournamentsRequest()))
        assert refused == ("UNAVAILABLE", "NOBODY_TO_ASK")


async def test_a_game_server_that_asks_nobody_for_a_token_opens_no_door(serve, tmp_path):
    server = serve()
    flags = ("--server", server.target, "--auth", "--metrics", "off", "--dir", str(tmp_path), "--format", "json")
    with Process(*command(), "tournament", "serve", "--listen", "127.0.0.1:0", *flags) as service:
        async with admin.connect(service.hear(4 * PATIENCE)["listening"], "whatever") as access:
            refused = await reason(access.tournaments.CreateTournament(pb.CreateTournamentRequest(spec=spec())))
            assert refused == ("UNAVAILABLE", "NOBODY_TO_ASK")
        service.signal(signal.SIGTERM)
        assert service.wait() == 0


def test_health_says_whether_a_server_takes_work(serve, capsys):
    server = serve()
    assert health(["--target", server.target]) == 0
    assert capsys.readouterr().out == "serving\n"
    assert health(["--target", server.target, "--service", "croupier.v1.PlayService", "--format", "json"]) == 0
    assert '"status": "SERVING"' in capsys.readouterr().out
    assert health(["--target", server.target, "--service", "no.Service"]) == 1
    assert capsys.readouterr().out == "service unknown\n"
    server.signal(signal.SIGTERM)
    server.wait()
    assert health(["--target", server.target, "--timeout", "5"]) == 3
    assert "is a server running there?" in capsys.readouterr().err


async def test_health_of_a_server_that_drains_is_1(serve, organise, capsys):
    server = serve(drain_grace=600, think_time=600, stall_timeout=600)
    async with organise(server) as organiser, Stall(server.target, "ann") as ann:
        session_id = await organiser.create("ann", "house:random", "house:random")
        server.signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE):
            while (code := await asyncio.to_thread(health, ["--target", server.target])) == 0:
                pass
        assert (code, capsys.readouterr().out.splitlines()[-1]) == (1, "not serving")
        await organiser.server.sessions.AbortSession(session_pb2.AbortSessionRequest(session_id=session_id))
        await ann.close()
