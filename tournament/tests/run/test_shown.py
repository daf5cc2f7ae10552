"""What people, programs and Prometheus are shown of a run."""

import asyncio
import io
import json
import os
import urllib.request
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
import structlog
from rich.console import Console

from croupier_tournament.run import metrics
from croupier_tournament.run.audiences import JsonLines, Lines, Log, Screen
from croupier_tournament.run.events import Event, Progress
from croupier_tournament.run.metrics import MetricsServer

PROGRESS = Progress(200, 32, 50, 4, 25.0, 6.0)


def test_lines_say_news_at_once_and_progress_now_and_then():
    now = [100.0]
    console = Console(file=io.StringIO(), width=80)
    with Lines(console, clock=lambda: now[0]) as audience:
        audience.event(Event("void", "block 3 will be repeated: the server [is] gone"))
        audience.event(Event("block", "block 4 is final"))
        for _ in range(12):
            now[0] += 1
            audience.progress(PROGRESS)
    assert console.file.getvalue().splitlines() == [
        "block 3 will be repeated: the server [is] gone",
        "50 of 200 games, 32 running, 4 voided, 25/s, 6 s left",
        "50 of 200 games, 32 running, 4 voided, 25/s, 6 s left",
    ]


def test_programs_get_every_event_as_a_line_of_json():
    file = io.StringIO()
    with JsonLines(file, wall_clock=lambda: 1000.0) as audience:
        audience.event(Event("block", "block 4 is final", {"block": 4}))
        audience.progress(PROGRESS)
        audience.progress(Progress(1, 0, 0, 0, 0.0, None))
    at = "1970-01-01T00:16:40.000+00:00"
    assert [json.loads(line) for line in file.getvalue().splitlines()] == [
        {"event": "block", "at": at, "message": "block 4 is final", "block": 4},
        {
            "event": "progress",
            "at": at,
            "planned": 200,
            "running": 32,
            "final": 50,
            "voided": 4,
            "rate": 25.0,
            "eta_s": 6.0,
        },
        {
            "event": "progress",
            "at": at,
            "planned": 1,
            "running": 0,
            "final": 0,
            "voided": 0,
            "rate": 0.0,
            "eta_s": None,
        },
    ]


def test_programs_may_stop_listening(capsys):
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as file, JsonLines(file) as audience:
        audience.event(Event("block", "block 4 is final", {"block": 4}))
        os.close(reading)
        for _ in range(3):
            audience.progress(PROGRESS)
    assert capsys.readouterr().err == "nobody reads the events any more; the tournament goes on\n"


def test_a_terminal_shows_news_above_a_bar():
    console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system=None)
    with Screen(console) as audience:
        audience.event(Event("entrant", "alice crashed"))
        audience.progress(PROGRESS)
        audience._live.refresh()
    shown = console.file.getvalue()
    assert "alice crashed" in shown
    assert "50 of 200 games" in shown


def test_a_service_logs_news_with_what_they_can_be_found_by():
    with structlog.testing.capture_logs() as lines:
        audience = Log("t1")
        audience.event(Event("entrant", "ann is waited for", {"entrant": "ann", "state": "missing", "how": "x"}))
        audience.event(Event("block", "block 4 is final", {"block": 4, "seed": "secret until now"}))
        audience.progress(PROGRESS)
    assert lines == [
        {
            "event": "ann is waited for",
            "kind": "entrant",
            "tournament": "t1",
            "entrant": "ann",
            "state": "missing",
            "log_level": "info",
        }
    ]


def row(rank, entrant, rating, half_width):
    return SimpleNamespace(rank=rank, entrant=entrant, rating=rating, half_width=half_width)


@pytest.fixture
def hosted():
    """A tournament under way."""
    here = asyncio.Event()
    here.set()
    places = SimpleNamespace(
        servers={"a:1": SimpleNamespace(target="a:1", here=here, running=3)},
        crashes={"ann": 2},
        disqualified={"bob": "why"},
    )
    play = SimpleNamespace(books=SimpleNamespace(open={1: None, 2: None}))
    return SimpleNamespace(
        tournament=SimpleNamespace(id="t1", plan=range(200), names=("ann", "bob")),
        state="running",
        running=SimpleNamespace(play=play, places=places),
        latest=PROGRESS,
        games=Counter({"ann": 20, "bob": 20}),
        faults=Counter({("ann", "late"): 3}),
        standings=SimpleNamespace(standings=SimpleNamespace(rows=[row(1, 0, 1600.0, None), row(2, 1, 1400.0, 25.5)])),
    )


def scrape(*hosted):
    """What is told of tournaments; and of the process, apart."""
    with MetricsServer("127.0.0.1:0", lambda: hosted, Path.cwd()) as server:
        text = urllib.request.urlopen(f"http://{server.address}/metrics").read().decode()
    lines = [line.rsplit(" ", 1) for line in text.splitlines() if line.startswith("croupier")]
    samples = {name.removeprefix("croupier_tournament_"): float(value) for name, value in lines}
    process = {name: samples.pop(name) for name in list(samples) if name.startswith(("build_info", "disk_"))}
    assert 0 < process["disk_free_bytes"] < process["disk_size_bytes"]
    assert [value for name, value in process.items() if name.startswith("build_info")] == [1]
    return samples


def test_metrics_of_a_tournament_under_way(hosted):
    t1 = 'tournament="t1"'
    assert scrape(hosted) == {
        f'state{{state="running",{t1}}}': 1,
        f'state{{state="paused",{t1}}}': 0,
        f'state{{state="finished",{t1}}}': 0,
        f'state{{state="cancelled",{t1}}}': 0,
        f"games_planned{{{t1}}}": 200,
        f"games_running{{{t1}}}": 32,
        f"games_final{{{t1}}}": 50,
        f"games_voided_total{{{t1}}}": 4,
        f"games_per_second{{{t1}}}": 25,
        f"eta_seconds{{{t1}}}": 6,
        f"blocks_leased{{{t1}}}": 2,
        f'servers{{server="a:1",{t1}}}': 1,
        f'server_games{{server="a:1",{t1}}}': 3,
        f"entrants_left_out{{{t1}}}": 0,
        f'entrant_games_total{{entrant="ann",{t1}}}': 20,
        f'entrant_games_total{{entrant="bob",{t1}}}': 20,
        f'rank{{entrant="ann",{t1}}}': 1,
        f'rank{{entrant="bob",{t1}}}': 2,
        f'crashes_total{{entrant="ann",{t1}}}': 2,
        f'entrant_disqualified{{entrant="bob",{t1}}}': 1,
        f'faults_total{{entrant="ann",kind="late",{t1}}}': 3,
        f'rating{{entrant="ann",{t1}}}': 1600,
        f'rating{{entrant="bob",{t1}}}': 1400,
        f'rating_half_width{{entrant="bob",{t1}}}': 25.5,
    }


def test_metrics_of_a_tournament_that_has_not_begun(hosted):
    hosted.running.play = hosted.running.places = hosted.latest = hosted.standings = None
    hosted.faults.clear()
    hosted.games.clear()
    assert set(scrape(hosted)) == {
        *(f'state{{state="{state}",tournament="t1"}}' for state in ("running", "paused", "finished", "cancelled")),
        'games_planned{tournament="t1"}',
        'entrants_left_out{tournament="t1"}',
    }


@pytest.mark.parametrize("state", ["paused", "finished", "cancelled"])
def test_entrants_have_series_only_while_their_tournament_runs(hosted, state):
    hosted.state = state
    samples = scrape(hosted)
    assert samples[f'state{{state="{state}",tournament="t1"}}'] == 1
    assert samples['games_final{tournament="t1"}'] == 50
    assert not [name for name in samples if "entrant" in name or "server" in name]


def test_no_more_entrants_are_shown_than_there_is_room_for(hosted, monkeypatch):
    monkeypatch.setattr(metrics, "MOST_ENTRANTS", 3)
    second = SimpleNamespace(**{**vars(hosted), "tournament": SimpleNamespace(**vars(hosted.tournament))})
    second.tournament.id = "t2"
    samples = scrape(hosted, second)
    assert {name for name in samples if name.startswith("rating{")} == {
        'rating{entrant="ann",tournament="t1"}',
        'rating{entrant="bob",tournament="t1"}',
        'rating{entrant="ann",tournament="t2"}',
    }
    assert [samples[f'entrants_left_out{{tournament="{name}"}}'] for name in ("t1", "t2")] == [0, 1]


def test_of_tournaments_that_are_over_the_latest_are_shown(hosted, monkeypatch):
    monkeypatch.setattr(metrics, "MOST_OVER", 2)
    many = []
    for number, state in enumerate(["finished", "running", "cancelled", "finished"]):
        one = SimpleNamespace(**{**vars(hosted), "state": state})
        one.tournament = SimpleNamespace(**{**vars(hosted.tournament), "id": f"t{number}"})
        many.append(one)
    shown = {name for name in scrape(*many) if name.startswith("games_planned")}
    assert shown == {f'games_planned{{tournament="t{number}"}}' for number in (1, 2, 3)}


def test_an_address_for_metrics_that_is_taken_is_told():
    with (
        MetricsServer("127.0.0.1:0", list, Path.cwd()) as first,
        pytest.raises(OSError, match=f"cannot serve metrics on {first.address}: "),
    ):
        MetricsServer(first.address, list, Path.cwd())
