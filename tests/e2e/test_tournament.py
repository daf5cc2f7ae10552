"""Tournaments on real servers: bots that fail end last, and everything can be done over gRPC, too."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from math import hypot
from statistics import mean

import grpc
import pytest
from processes import PATIENCE, Process, command
from tournaments import planned

from croupier import RequestError, admin
from croupier.v1 import tournament_pb2 as pb
from croupier_tournament.run.verifying import verify_folder

pytestmark = pytest.mark.timeout(300)

BOTS = {
    "crash": "os._exit(7)",
    "stall": "await asyncio.sleep(3600)",  # and so it stays connected: one that is gone has a grace in each replay
    "cheat": "return trick_and_trade.Action(take_trade=99)",
}
CALM = dict.fromkeys(BOTS, "return decision.actions[0]")
"""The same entrants, when nobody disturbs."""
BOT = """\
import asyncio, os
import croupier
from croupier import trick_and_trade
class Odd(croupier.Bot):
    async def choose(self, decision):
        {deed}
croupier.run(Odd())
"""
GOOD = ("ann", "bob", "cat", "dan")


def spec_table(*bots):
    """Four good bots, and some whose programs are beside the tournament's folder."""
    return {
        "title": "Faults",
        "game": "trick-and-trade",
        "seats": 4,
        "seed": "1",
        "blocks": 70,
        "entrants": [
            *({"name": name, "command": [sys.executable, "-P", f"{name}.py"]} for name in bots),
            *({"name": name, "house": "greedy"} for name in GOOD),
        ],
        "clock": {"think_time_s": 0.5, "bank_s": 1},
        "faults": {"max_faults": 2, "attempts": 1},
        "limits": {"restarts": 1},
    }


def run(folder, deeds):
    """Run a tournament to its end; what it printed, its standings by entrant, and its games.

    Its secret is always the same, and so are its deals: two runs differ by what the bots do (by name), and by nothing
    else.
    """
    folder.parent.mkdir()
    for name, deed in deeds.items():
        (folder.parent / f"{name}.py").write_text(BOT.format(deed=deed))

    planned(folder, spec_table(*deeds), bytes([1]) * 32)
    done = subprocess.run(
        [*command(), "tournament", "resume", str(folder)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "160"},
    )
    assert done.returncode == 0, done.stderr
    standings = json.loads((folder / "standings.json").read_text())
    games = [json.loads(line) for line in (folder / "games.jsonl").read_text().splitlines()]
    return done, {row["entrant"]: row for table in standings["tables"] for row in table}, games


def test_entrants_that_crash_stall_and_cheat_end_last_and_harm_nobody_else(tmp_path):
    folder = tmp_path / "disturbed" / "faults"
    done, rows, games = run(folder, BOTS)
    assert {name for name, row in rows.items() if row["rank"] <= len(GOOD)} == set(GOOD)
    assert {name: not row["faults"] for name, row in rows.items()} == {name: name not in BOTS for name in rows}
    assert rows["crash"]["faults"]["disqualified"] > 0
    assert set(rows["cheat"]["faults"]) & {"illegal", "malformed"}
    assert set(rows["stall"]["faults"]) & {"late", "stalled", "disconnected"}
    assert "crash is disqualified: it has crashed twice; the last time it ended with exit code 7" in done.stderr
    assert "disqualified" in done.stdout
    assert "Traceback" not in done.stderr
    assert (folder / "logs" / "entrants" / "stall.log").exists()
    assert verify_folder(folder, jobs=1).problems == []

    # Where none of them sat, nothing is different from a run without the disturbance.
    _, undisturbed, calm_games = run(tmp_path / "undisturbed" / "faults", CALM)
    assert not any(row["faults"] for row in undisturbed.values())
    among_others = [game for game in games if set(game["entrants"]) <= set(GOOD)]
    assert among_others
    assert among_others == [game for game in calm_games if set(game["entrants"]) <= set(GOOD)]

    # The others' ratings, seen from their middle, are those of that run, within their intervals.
    middle, other_middle = (mean(found[name]["rating"] for name in GOOD) for found in (rows, undisturbed))
    for name in GOOD:
        one, other = rows[name], undisturbed[name]
        between = (one["rating"] - middle) - (other["rating"] - other_middle)
        assert abs(between) <= hypot(one["half_width"], other["half_width"]), name


# -------------------------------------------------------------------------------------------------------- over gRPC


@pytest.fixture(scope="module")
def service(tmp_path_factory, server):
    """A tournament service that plays on the game server which all tests share."""
    folder = tmp_path_factory.mktemp("tournaments")
    flags = ("--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--dir", str(folder), "--server", server.target)
    with Process(*command(), "tournament", "serve", *flags, "--format", "json") as it:
        where = it.hear(patience=4 * PATIENCE)
        it.target, it.metrics, it.folder = where["listening"], where["metrics"], folder
        yield it
        if it.running:
            it.signal(signal.SIGTERM)
        assert it.wait() == 0, it.stderr()
        assert "Traceback" not in it.stderr(), it.stderr()


def spec(deals=6, **fields):
    entrants = [pb.Entrant(name=name, house="greedy") for name in ("ann", "bob", "cat", "dan")]
    return pb.TournamentSpec(**{"game": "trick-and-trade", "seats": 3, "deals": deals, "entrants": entrants, **fields})


async def create(access, request_id="", **fields):
    request = pb.CreateTournamentRequest(spec=spec(**fields), request_id=request_id)
    return (await access.tournaments.CreateTournament(request)).tournament


async def watched(access, tournament_id):
    request = pb.WatchTournamentRequest(tournament_id=tournament_id, interval_ms=100)
    async with asyncio.timeout(4 * PATIENCE):
        return [response async for response in access.tournaments.WatchTournament(request)]


async def test_a_tournament_from_its_making_to_its_secret(service):
    async with admin.connect(service.target) as access:
        tournament = await create(access, title="Over the wire")
        assert (tournament.spec.format, tournament.spec.title) == (pb.FORMAT_BALANCED, "Over the wire")
        assert (len(tournament.secret_commitment), tournament.secret) == (32, b"")
        told = await watched(access, tournament.tournament_id)
        last = told[-1].tournament
        assert (last.state, last.reason) == (pb.TOURNAMENT_STATE_FINISHED, "every planned game is final")
        assert (last.progress.planned, last.progress.final, len(last.secret)) == (18, 18, 32)
        assert sorted(match.number for response in told for match in response.matches) == list(range(18))
        request = pb.GetStandingsRequest(tournament_id=tournament.tournament_id)
        standings = (await access.tournaments.GetStandings(request)).standings
        assert sorted(row.entrant for row in standings.rows) == ["ann", "bob", "cat", "dan"]
        assert sum(row.games for row in standings.rows) == 3 * 18
        metrics = urllib.request.urlopen(f"http://{service.metrics}/metrics").read().decode()  # noqa: ASYNC210
        assert f'croupier_tournament_games_final{{tournament="{tournament.tournament_id}"}} 18.0' in metrics
        assert f'croupier_tournament_state{{state="finished",tournament="{tournament.tournament_id}"}} 1.0' in metrics
        assert "entrant=" not in metrics  # series of entrants are dropped when their tournament is over
    assert verify_folder(service.folder / tournament.tournament_id, jobs=1).problems == []


async def test_matches_are_listed_page_by_page_in_the_order_of_the_plan(service):
    async with admin.connect(service.target) as access:
        tournament = await create(access)
        await watched(access, tournament.tournament_id)
        found, token = [], ""
        while True:
            page = await access.tournaments.ListMatches(
                pb.ListMatchesRequest(tournament_id=tournament.tournament_id, page_size=5, page_token=token)
            )
            found += page.matches
            token = page.next_page_token
            if not token:
                break
        assert [match.number for match in found] == list(range(18))
        assert all(match.result.points and len(match.deal_seed) == 32 for match in found)
        page = await access.tournaments.ListMatches(
            pb.ListMatchesRequest(tournament_id=tournament.tournament_id, entrants=["ann", "dan"])
        )
        assert page.matches
        assert all({"ann", "dan"} <= set(match.entrants) for match in page.matches)


def state_in_metrics(service, tournament_id):
    with urllib.request.urlopen(f"http://{service.metrics}/metrics", timeout=PATIENCE) as page:
        text = page.read().decode()
    found = re.findall(rf'croupier_tournament_state{{state="(\w+)",tournament="{tournament_id}"}} 1.0', text)
    assert len(found) == 1
    return found[0]


async def test_pause_resume_cancel(service):
    async with admin.connect(service.target) as access:
        tournament = await create(access, deals=1500, concurrency=2)
        which = {"tournament_id": tournament.tournament_id}
        calls = access.tournaments
        paused = (await calls.PauseTournament(pb.PauseTournamentRequest(**which))).tournament
        assert paused.state == pb.TOURNAMENT_STATE_PAUSED
        assert await asyncio.to_thread(state_in_metrics, service, tournament.tournament_id) == "paused"
        with pytest.raises(RequestError) as caught:
            await calls.PauseTournament(pb.PauseTournamentRequest(**which))
        assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "NOT_RUNNING")
        resumed = (await calls.ResumeTournament(pb.ResumeTournamentRequest(**which))).tournament
        assert resumed.state == pb.TOURNAMENT_STATE_RUNNING
        assert await asyncio.to_thread(state_in_metrics, service, tournament.tournament_id) == "running"
        with pytest.raises(RequestError) as caught:
            await calls.ResumeTournament(pb.ResumeTournamentRequest(**which))
        assert caught.value.reason == "NOT_PAUSED"
        cancelled = (await calls.CancelTournament(pb.CancelTournamentRequest(**which))).tournament
        assert (cancelled.state, len(cancelled.secret)) == (pb.TOURNAMENT_STATE_CANCELLED, 32)
        assert await asyncio.to_thread(state_in_metrics, service, tournament.tournament_id) == "cancelled"
        with pytest.raises(RequestError) as caught:
            await calls.CancelTournament(pb.CancelTournamentRequest(**which))
        assert caught.value.reason == "TOURNAMENT_OVER"


async def test_the_same_request_makes_a_tournament_once(service):
    async with admin.connect(service.target) as access:
        first, again = await create(access, "r1"), await create(access, "r1")
        assert first.tournament_id == again.tournament_id
        with pytest.raises(RequestError) as caught:
            await create(access, "r1", deals=7)
        assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.ALREADY_EXISTS, "REQUEST_ID_REUSED")
        newest = await create(access)
        reply = await access.tournaments.ListTournaments(pb.ListTournamentsRequest(page_size=1))
        assert [each.tournament_id for each in reply.tournaments] == [newest.tournament_id]
        rest = pb.ListTournamentsRequest(page_token=reply.next_page_token, page_size=1)
        reply = await access.tournaments.ListTournaments(rest)
        assert [each.tournament_id for each in reply.tournaments] == [first.tournament_id]


BAD = pb.CommandEntrant(argv=["rm"])


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({"game": "poker"}, "spec.game", "no game is called 'poker'"),
        ({"seats": 9}, "spec.seats", "is played with 3 to 5 seats"),
        ({"deals": 0}, "spec.deals", "is a whole number"),
        ({"entrants": []}, "spec.entrants", "at least as many as seats"),
        ({"format": 99}, "spec.format", "is one of full, design"),
        ({"format": pb.FORMAT_GAUNTLET}, "spec.champion", "is missing"),
        ({"stopping": {"alpha": 2}}, "spec.stopping.alpha", "is a number"),
        (
            {"clock": {"think_time_ms": 100_000_000}},
            "spec.clock.think_time_ms",
            "is 0 to 86,400,000 milliseconds, not 100,000,000",
        ),
        ({"faults": {"policy": 9}}, "spec.faults.policy", "is one of substitute, forfeit"),
        ({"options": {"trades": {}}}, "spec.options", "holds trades, but the game is trick-and-trade"),
        (
            {"entrants": [pb.Entrant(name=name, command=BAD) for name in ("a", "b", "c")]},
            "spec.entrants[0].command",
            "this service starts no processes",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("spec") else "",
)
async def test_a_spec_that_cannot_be_played_is_refused_with_its_fields(service, fields, field, words):
    async with admin.connect(service.target) as access:
        with pytest.raises(RequestError) as caught:
            await create(access, **fields)
    assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "BAD_SPEC")
    assert any(name == field and words in what for name, what in caught.value.violations), caught.value.violations


async def test_a_tournament_that_is_not_there(service):
    async with admin.connect(service.target) as access:
        calls = access.tournaments
        for call, request in (
            (calls.GetTournament, pb.GetTournamentRequest(tournament_id="x")),
            (calls.GetStandings, pb.GetStandingsRequest(tournament_id="x")),
            (calls.ListMatches, pb.ListMatchesRequest(tournament_id="x")),
            (calls.PauseTournament, pb.PauseTournamentRequest(tournament_id="x")),
        ):
            with pytest.raises(RequestError) as caught:
                await call(request)
            assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.NOT_FOUND, "UNKNOWN_TOURNAMENT")
        with pytest.raises(RequestError) as caught:
            await watched(access, "x")
        assert caught.value.reason == "UNKNOWN_TOURNAMENT"


async def test_a_service_that_is_killed_goes_on_with_its_tournaments(tmp_path, server):
    flags = ("--listen", "127.0.0.1:0", "--metrics", "off", "--dir", str(tmp_path), "--server", server.target)
    argv = (*command(), "tournament", "serve", *flags, "--format", "json")
    with Process(*argv) as first:
        async with admin.connect(first.hear(patience=4 * PATIENCE)["listening"]) as access:
            tournament = await create(access, deals=40, concurrency=4)
            request = pb.WatchTournamentRequest(tournament_id=tournament.tournament_id, interval_ms=100)
            async for response in access.tournaments.WatchTournament(request):
                if response.matches:
                    break
            first.signal(signal.SIGKILL)
    with Process(*argv) as second:
        async with admin.connect(second.hear(patience=4 * PATIENCE)["listening"]) as access:
            told = await watched(access, tournament.tournament_id)
            assert told[-1].tournament.state == pb.TOURNAMENT_STATE_FINISHED
            assert told[-1].tournament.progress.final == 120
    assert verify_folder(tmp_path / tournament.tournament_id, jobs=1).problems == []
