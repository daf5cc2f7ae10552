"""``croupier serve`` at the command line: what it says, and with which exit code, when it cannot do as asked."""

import asyncio
import os
import socket
import subprocess
import urllib.request

import pytest
from bots import Honest, Liar, liar
from processes import PATIENCE, command

import croupier_service.main


def run(*flags):
    """Run it to its end."""
    return subprocess.run(
        [*command(), "serve", "--listen", "127.0.0.1:0", "--metrics", "off", "--store", "memory:", *flags],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.fixture
def taken():
    """A port that somebody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_a_port_in_use_is_said_in_one_clear_line(taken):
    done = run("--listen", f"127.0.0.1:{taken}")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1] == (
        f"croupier serve: cannot listen on 127.0.0.1:{taken}: is something else listening there?"
    )
    assert "Traceback" not in done.stderr


def test_two_servers_do_not_share_a_port(server):
    done = run("--listen", server.target)
    assert done.returncode == 1
    assert f"cannot listen on {server.target}" in done.stderr


def test_a_port_in_use_for_metrics_is_said_in_one_clear_line(taken):
    done = run("--metrics", f"127.0.0.1:{taken}")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1] == (
        f"croupier serve: cannot serve metrics on 127.0.0.1:{taken}: Address already in use"
    )
    assert "Traceback" not in done.stderr


def test_a_bad_flag_ends_it_with_exit_code_2():
    done = run("--listen", "nonsense")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Invalid value for --listen: is host:port" in done.stderr


BAD_FLAGS = [
    (["--listen", "127.0.0.1:65536"], "is host:port, such as 127.0.0.1:7700, not '127.0.0.1:65536'"),
    (["--listen", "0.0.0.0:0"], "0.0.0.0 can be reached from other machines"),
    (["--metrics", "127.0.0.1"], "is host:port, such as 127.0.0.1:7700, not '127.0.0.1'"),
    (["--think-time", "soon"], "number"),
    (["--think-time", "nan"], "is 0 to 86400 seconds, not nan"),
    (["--think-time", "0", "--bank", "0"], "think time and bank cannot both be 0"),
    (["--bank", "-1"], "is 0 to 86400 seconds, not -1"),
    (["--grace", "inf"], "is 0 to 86400 seconds, not inf"),
    (["--drain-grace", "-1"], "is 0 to 86400 seconds, not -1"),
    (["--ping-interval", "0"], "is 0.01 to 86400 seconds, not 0"),
    (["--stall-timeout", "5"], "is longer than --ping-interval, 5 s"),
    (["--max-faults", "0"], "1"),
    (["--max-sessions", "0"], "1"),
    (["--log-level", "loud"], "is one of debug, info, warning, error"),
    (["--format", "xml"], "'xml'"),
    (["--frobnicate"], "No such option"),
]


@pytest.mark.parametrize(("flags", "why"), BAD_FLAGS, ids=[" ".join(flags) for flags, _ in BAD_FLAGS])
def test_a_bad_flag_is_named_with_what_would_be_right(flags, why, capsys):
    assert croupier_service.main.serve(flags) == 2  # what the process does, without the process
    said = capsys.readouterr()
    words = " ".join(said.err.replace("│", "").split())
    assert flags[0] in words
    assert why in words
    assert said.out == ""


def test_the_help_says_what_a_stranger_needs():
    done = run("--help")
    assert done.returncode == 0
    said = " ".join(done.stdout.replace("│", "").split())
    assert "Host game sessions for bots over gRPC." in said
    for word in ("--listen HOST:PORT", "--think-time SECONDS", "Exit codes: 0 stopped with nothing left", "SIGTERM"):
        assert word in said


def test_without_json_it_says_in_plain_words_where_it_listens():
    with subprocess.Popen(
        [*command(), "serve", "--listen", "127.0.0.1:0", "--metrics", "off", "--store", "memory:"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        line = process.stdout.readline()
        process.terminate()
        assert process.wait(PATIENCE) == 0
    assert line.startswith("croupier 0.1.0 is listening on 127.0.0.1:")


def scrape(address):
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=PATIENCE) as page:
        return page.read().decode()


async def test_metrics_tell_of_sessions_decisions_and_faults(serve, organise):
    server = serve()
    async with (
        organise(server) as organiser,
        Honest(server.target, "ann") as ann,
        Liar(server.target, "liar", liar.huge_index, liar.huge_index) as bad,
    ):
        session_id = await organiser.create("ann", "liar", "house:random")
        await ann.over(session_id)
        await bad.over(session_id)
        decisions = sum(seat.decisions for seat in (await organiser.session(session_id)).seats)
    lines = (await asyncio.to_thread(scrape, server.metrics)).splitlines()
    for line in (
        'croupier_sessions_started_total{game="trick-and-trade"} 1.0',
        'croupier_sessions_ended_total{game="trick-and-trade",state="finished"} 1.0',
        'croupier_sessions_running{game="trick-and-trade"} 0.0',
        f'croupier_decisions_total{{game="trick-and-trade",outcome="chosen"}} {decisions}.0',
        f'croupier_decision_seconds_count{{game="trick-and-trade"}} {decisions}.0',
        'croupier_faults_total{game="trick-and-trade",kind="malformed"} 2.0',
        "croupier_bots_known 2.0",
    ):
        assert line in lines


def test_without_a_store_named_one_is_made_where_the_server_was_started(tmp_path):
    with subprocess.Popen(
        [*command(), "serve", "--listen", "127.0.0.1:0", "--metrics", "off"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if name != "CROUPIER_STORE"},
    ) as process:
        line = process.stdout.readline()
        process.terminate()
        assert process.wait(PATIENCE) == 0
    assert "sessions are kept in croupier.db" in line
    assert sorted(path.name for path in tmp_path.iterdir()) == ["croupier.db", "croupier.db-lock"]


@pytest.mark.parametrize(
    ("store", "code", "said"),
    [
        ("mysql://ann:secret@db/croupier", 2, "a store is memory:, a file"),
        ("nowhere/croupier.db", 1, "there is no folder"),
        ("postgresql://ann:secret@127.0.0.1:1/croupier", 1, "cannot be reached"),
    ],
)
def test_a_store_that_cannot_be_used_is_said_and_no_password_is(store, code, said):
    done = run("--store", store)
    shown = " ".join(done.stderr.replace("│", "").split())
    assert done.returncode == code
    assert said in shown
    assert "secret" not in shown
