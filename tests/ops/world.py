"""All that an operator runs, as processes on free ports, and how to ask Prometheus what it sees."""

import asyncio
import json
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from processes import PATIENCE, Process, Server, command

from croupier import admin
from croupier.v1 import session_pb2, tournament_pb2

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
LONG = 180.0
"""Seconds until what Prometheus should see is given up: it looks every five, and waits before it is alarmed."""
UNRULY = """\
import os, pathlib
import croupier
from croupier import trick_and_trade


class Unruly(croupier.Bot):
    asked = 0

    def choose(self, decision):
        self.asked += 1
        marker = pathlib.Path({marker!r})
        if self.asked == 200 and not marker.exists():
            marker.touch()
            os._exit(7)
        if self.asked % 5 == 0:
            return trick_and_trade.Action(take_trade=99)
        return decision.actions[0]


croupier.run(Unruly())
"""


class World:
    """See the module. A context manager.

    Attributes:
        prometheus: where Prometheus is: http://host:port.
        alertmanager: likewise.
        tournament: the id of the tournament that is being played.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self.server = stack.enter_context(self._serve())
            flags = ("--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--format", "json", "--allow-commands")
            folder = self.folder / "tournaments"
            argv = (*command(), "tournament", "serve", *flags, "--dir", str(folder), "--server", self.server.target)
            self.service = stack.enter_context(Process(*argv))
            where = self.service.hear(2 * PATIENCE)
            self.service_target, self.service_metrics = where["listening"], where["metrics"]
            self.alertmanager = self._start_alertmanager(stack)
            self.prometheus = self._start_prometheus(stack)
            self.tournament = asyncio.run(self._play())
            self.eventually(f'changes(croupier_tournament_games_final{{tournament="{self.tournament}"}}[1m]) >= 4')
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    # -- what tests do ---------------------------------------------------------------------------------------------

    def query(self, expression: str) -> list[dict[str, Any]]:
        """What Prometheus says to an expression now: rows with `metric` (labels) and `value`."""
        found = get(f"{self.prometheus}/api/v1/query", query=expression)
        assert found["status"] == "success", found
        result = found["data"]["result"]
        return [{"metric": row["metric"], "value": float(row["value"][1])} for row in result]

    def eventually(self, expression: str, patience: float = LONG) -> list[dict[str, Any]]:
        """What Prometheus says to an expression as soon as that is something. Raises AssertionError."""
        return until(lambda: self.query(expression), f"{expression} to have a value", patience)

    def alerts(self, name: str, state: str = "firing") -> list[dict[str, Any]]:
        """The alerts of a name in a state."""
        return self.query(f'ALERTS{{alertname="{name}", alertstate="{state}"}}')

    def paged(self, name: str) -> list[dict[str, Any]]:
        """The alerts of a name that Alertmanager would tell somebody of."""
        return get(f"{self.alertmanager}/api/v2/alerts", filter=f'alertname="{name}"', active="true")

    def list_sessions(self) -> None:
        """Ask the server for its sessions, as people and tools do."""

        async def ask() -> None:
            async with admin.connect(self.server.target) as access:
                await access.sessions.ListSessions(session_pb2.ListSessionsRequest(page_size=1))

        asyncio.run(ask())

    def kill_server(self) -> None:
        """SIGKILL."""
        self.server.close()

    def start_server_again(self) -> None:
        """Where it was, with the same store."""
        self.server = self._stack.enter_context(self._serve(self.server.target, self.server.metrics))

    # -- inside ----------------------------------------------------------------------------------------------------

    def _serve(self, listen: str = "127.0.0.1:0", metrics: str = "127.0.0.1:0") -> Server:
        store = self.folder / "croupier.db"
        return Server("--listen", listen, "--metrics", metrics, "--store", str(store), "--log-level", "warning")

    def _start_prometheus(self, stack: ExitStack) -> str:
        folder = self.folder / "prometheus"
        shutil.copytree(DEPLOY / "prometheus", folder)  # as shipped, but for whom to ask
        targets = {
            "croupier": self.server.metrics,
            "croupier-tournament": self.service_metrics,
            "alertmanager": self.alertmanager.removeprefix("http://"),
        }
        assert {path.stem for path in (folder / "targets").iterdir()} == set(targets)
        for name, target in targets.items():
            (folder / "targets" / f"{name}.yml").write_text(f"- targets: ['{target}']\n")
        address = f"127.0.0.1:{free_port()}"
        program(
            stack,
            self.folder / "prometheus.log",
            "prometheus",
            f"--config.file={folder / 'prometheus.yml'}",
            f"--storage.tsdb.path={self.folder / 'tsdb'}",
            f"--web.listen-address={address}",
            "--enable-feature=exemplar-storage",
        )
        until(lambda: answers(f"http://{address}/-/ready"), "Prometheus to be ready")
        return f"http://{address}"

    def _start_alertmanager(self, stack: ExitStack) -> str:
        address = f"127.0.0.1:{free_port()}"
        program(
            stack,
            self.folder / "alertmanager.log",
            "prometheus-alertmanager",
            f"--config.file={DEPLOY / 'alertmanager' / 'alertmanager.yml'}",
            f"--storage.path={self.folder / 'alertmanager'}",
            f"--web.listen-address={address}",
            "--cluster.listen-address=",
        )
        until(lambda: answers(f"http://{address}/-/ready"), "Alertmanager to be ready")
        return f"http://{address}"

    async def _play(self) -> str:
        """Begin a long tournament, and play a session of each other game. Returns the tournament's id."""
        path = self.folder / "unruly.py"
        path.write_text(UNRULY.format(marker=str(self.folder / "has-crashed")))
        unruly = tournament_pb2.CommandEntrant(argv=[sys.executable, "-P", str(path)])
        entrants = [
            tournament_pb2.Entrant(name="unruly", command=unruly),
            *(tournament_pb2.Entrant(name=name, house="greedy") for name in ("ann", "bob", "cat")),
        ]
        spec = tournament_pb2.TournamentSpec(
            game="trick-and-trade", seats=4, deals=20_000, entrants=entrants, concurrency=4
        )
        async with admin.connect(self.service_target) as access:
            request = tournament_pb2.CreateTournamentRequest(spec=spec)
            tournament = (await access.tournaments.CreateTournament(request)).tournament
        async with admin.connect(self.server.target) as access:
            for game in ("trick-stakes", "trades", "trade-and-triumph"):
                request = session_pb2.CreateSessionRequest(game=game, bots=["house:random"] * 4)
                await access.sessions.CreateSession(request)
        return tournament.tournament_id


def program(stack: ExitStack, log: Path, *argv: str) -> None:
    """Run a program of the system as long as the stack is open."""
    path = shutil.which(argv[0])
    assert path, f"{argv[0]} is not installed: apt-get install {argv[0]}"
    said = stack.enter_context(log.open("w"))
    process = subprocess.Popen([path, *argv[1:]], stdout=said, stderr=said)
    stack.callback(process.wait, PATIENCE)
    stack.callback(process.terminate)


def get(address: str, **query: str) -> Any:
    """What is answered in JSON."""
    with urllib.request.urlopen(f"{address}?{urllib.parse.urlencode(query)}", timeout=PATIENCE) as answer:
        return json.load(answer)


def answers(address: str) -> bool:
    """Whether somebody does."""
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE):
            return True
    except OSError:
        return False


def until(look: Any, what: str, patience: float = LONG) -> Any:
    """What `look` returns, as soon as that is something."""
    deadline = time.monotonic() + patience
    while not (found := look()):
        assert time.monotonic() < deadline, f"waited {patience:.0f} s for {what}"
        time.sleep(0.25)
    return found


def free_port() -> int:
    """A port that is free now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def metric_names(expression: str) -> set[str]:
    """The metrics of ours that an expression asks for."""
    return set(re.findall(r"\bcroupier_\w+|\bup\b|\bprocess_\w+", expression))
