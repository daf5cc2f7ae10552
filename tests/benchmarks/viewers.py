"""Two hundred people watch a tournament: how late they see what happens, and what that costs those who play.

One tournament is played, without viewers and with them in turns, so that both are measured on the same machine in the
same minute. Viewers are another process, which reads as lightly as anybody can who has that many connections open:
what it costs is measured, too, since it runs on the same processors as everything else.

    .venv/bin/python tests/benchmarks/viewers.py --viewers 200
"""

import argparse
import json
import os
import re
import selectors
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from datetime import datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from processes import Process, ProcessError, command, cpu_s

MOST_SLOWER, MOST_LATE_MS = 5.0, 1000.0
"""Targets: per cent that play takes longer; the 99th percentile of how late viewers see that a deal is final."""
SETTLE_S = {False: 2.5, True: 1.0}
"""Before a turn: what nobody watches any more is looked at no more, or connections have been made."""
SEATS = 4
SPEC = f"""\
title = "Watched"
game = "trick-and-trade"
seats = {SEATS}
blocks = 20_000
[run]
concurrency = 64
""" + "".join(
    f'[[entrants]]\nname = "bot-{number}"\nhouse = "{house}"\n'
    for number, house in enumerate(("greedy", "random", "greedy", "random", "greedy", "random"))
)
DECISIONS = re.compile(r"^croupier_decisions_total\{.*\} (\S+)$", re.MULTILINE)
FINAL = re.compile(rb'"final":(\d+)')


def main():
    """Measure, and say what came of it."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--viewers", type=int, default=200, help="default: %(default)s")
    asked.add_argument("--rounds", type=int, default=6, help="of four turns; default: %(default)s")
    asked.add_argument("--seconds", type=float, default=5.0, help="of a turn; default: %(default)s")
    asked.add_argument("--watch", metavar="URL", help=argparse.SUPPRESS)
    options = asked.parse_args()
    if options.watch:
        os.nice(5)
        Crowd(options.watch, options.viewers).run()
        return
    with tempfile.TemporaryDirectory(prefix="croupier-viewers-") as folder, Watched(Path(folder)) as watched:
        turns = list(watched.turns(options))
    report(turns, watched, options.viewers)


# -- the tournament ----------------------------------------------------------------------------------------------------


class Watched:
    """A tournament that is played, and when what has happened in it."""

    def __init__(self, folder):
        self.finals = []
        """When each deal has become final, in seconds since 1970."""
        self.seen = []
        """Of every update that a viewer was sent: the viewer, how many games it says are final, when it came."""
        self.bytes = 0
        self._folder = folder
        self._url = threading.Event()
        spec = folder / "cup.toml"
        spec.write_text(SPEC)
        self._run = Process(*command(), "tournament", "run", str(spec), "--format", "jsonl", "--web", "0")
        threading.Thread(target=self._listen, daemon=True).start()
        assert self._url.wait(60), self._run.stderr()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._run.signal(signal.SIGTERM)
        self._run.wait(60)
        self._run.close()

    def turns(self, options):
        """Measure in turns: without, with, with, without, and so on."""
        argv = (sys.executable, __file__, "--watch", self.url, "--viewers", str(options.viewers))
        with Process(*argv, stdin=subprocess.PIPE) as crowd:
            while not self.finals:
                time.sleep(0.1)
            pids = {"runner": self._run.pid, **children(self._run.pid), "viewers": crowd.pid}
            before = None
            for number in range(4 * options.rounds):
                watching = number % 4 in (1, 2)
                if watching is not before:
                    crowd.say({"watching": watching})
                    crowd.hear()
                    time.sleep(SETTLE_S[watching])
                before = watching
                turn = self._measured(pids, options.seconds)
                turn["watching"] = watching
                print(say(turn), flush=True)
                yield turn
            crowd.say({"watching": False})
            crowd.hear()
            crowd.say({"told": True})
            told = crowd.hear()
            self.seen, self.bytes = told["seen"], told["bytes"]

    def _measured(self, pids, seconds):
        """Wait for so long; what has been decided meanwhile, what each process has used, and how often it was woken."""
        before = {name: (cpu_s(pid), wake_ups(pid)) for name, pid in pids.items()}
        since, decisions = time.time(), self._decisions()
        time.sleep(seconds)
        until, decided = time.time(), self._decisions() - decisions
        used = {name: cpu_s(pid) - before[name][0] for name, pid in pids.items()}
        woken = {name: wake_ups(pid) - before[name][1] for name, pid in pids.items()}
        return {"since": since, "until": until, "decided": decided, "cpu_s": used, "woken": woken}

    def _decisions(self):
        """How many decisions the server has closed: games are played side by side, and end many at once."""
        said = json.loads((self._folder / "cup" / "logs" / "server.json").read_text())
        with urllib.request.urlopen(f"http://{said['metrics']}/metrics", timeout=30) as answer:
            return sum(map(float, DECISIONS.findall(answer.read().decode())))

    def _listen(self):
        while True:
            try:
                event = self._run.hear(600)
            except ProcessError:  # it was stopped
                return
            if event["event"] == "web":
                self.url = event["web"]
                self._url.set()
            elif event["event"] == "block":
                self.finals.append(datetime.fromisoformat(event["at"]).timestamp())


def children(pid):
    """What a runner has started, by name."""
    found = {}
    for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        words = Path(f"/proc/{one}/cmdline").read_bytes().decode().split("\0")
        found["server" if "serve" in words else "page"] = int(one)
    return found


def wake_ups(pid):
    """How often the threads of a process have waited for something."""
    found = 0
    for status in Path(f"/proc/{pid}/task").glob("*/status"):
        line = next(line for line in status.read_text().splitlines() if line.startswith("voluntary"))
        found += int(line.split()[1])
    return found


# -- what came of it ---------------------------------------------------------------------------------------------------


def rate(turn):
    """Decisions a second."""
    return turn["decided"] / (turn["until"] - turn["since"])


def slowdown(turns):
    """How much longer play takes in a round when somebody watches, in per cent: two turns, and the two around them."""
    seen, plain = (sum(rate(turn) for turn in turns if turn["watching"] is watching) for watching in (True, False))
    return 100 * (plain / seen - 1)


def shares(turn):
    """What each process has used of one processor, in per cent."""
    return {name: 100 * used / (turn["until"] - turn["since"]) for name, used in turn["cpu_s"].items()}


def say(turn):
    """One turn in a line."""
    used = ", ".join(f"{name} {share:.0f} %" for name, share in shares(turn).items())
    return f"{'with' if turn['watching'] else 'without':>7} viewers: {rate(turn):7,.0f} decisions/s; {used}"


def report(turns, watched, viewers):
    """Say it all."""
    rounds = [slowdown(turns[at : at + 4]) for at in range(0, len(turns), 4)]
    plain, seen = ([turn for turn in turns if turn["watching"] is watching] for watching in (False, True))
    print(f"\n{'processor, of one':<28}{'without':>10}{'with':>10}   viewers")
    extra = {}
    for name in turns[0]["cpu_s"]:
        without, with_them = (statistics.median(shares(turn)[name] for turn in kind) for kind in (plain, seen))
        extra[name] = with_them - without
        woken = statistics.median(turn["woken"][name] / (turn["until"] - turn["since"]) for turn in seen)
        print(f"  {name:<26}{without:>8.1f} %{with_them:>8.1f} %   woken {woken:,.0f} times a second")
    updates, lags = updates_and_lags(watched, seen)
    deliveries = updates / sum(turn["until"] - turn["since"] for turn in seen)
    for name in ("page" if "page" in extra else "runner", "viewers"):
        print(f"  {name}: {10_000 * extra[name] / deliveries:.0f} µs for each update of each viewer")
    theirs = extra["viewers"] / (extra["viewers"] + max(0.1, extra.get("page", 0.0)))
    print(f"  {100 * theirs:.0f} % of what watching costs is the viewers' own, and would be elsewhere")
    print(
        f"\n{updates:,} updates were sent to {viewers} viewers, {watched.bytes / max(1, len(watched.seen)):,.0f} bytes "
        f"each, {deliveries / viewers:.1f} a second"
    )
    late = lags[int(len(lags) * 0.99)]
    print(f"a deal that is final is seen after {lags[len(lags) // 2]:.0f} ms (median), {lags[-1]:.0f} ms (at worst)")
    print(verdict("99 % are seen after", late, "ms", MOST_LATE_MS))
    print(verdict("play takes longer by", statistics.median(rounds), "%", MOST_SLOWER))
    print(f"  (the median of the rounds: {', '.join(f'{one:+.1f} %' for one in sorted(rounds))})")


def verdict(what, value, unit, target):
    """A figure beside its target."""
    return f"{what} {value:.1f} {unit}; target: at most {target:.0f} {unit}: {'met' if value <= target else 'NO'}"


def updates_and_lags(watched, turns):
    """How many updates came in these turns; how late each viewer saw each deal that became final, sorted, in ms."""
    updates, lags = 0, []
    known = {}
    for viewer, final, at in watched.seen:
        before = known.get(viewer)
        known[viewer] = final
        if not any(turn["since"] <= at <= turn["until"] for turn in turns):
            continue
        updates += 1
        if before is not None:
            lags += [1000 * (at - became) for became in watched.finals[before // SEATS : final // SEATS]]
    return updates, sorted(lags)


# -- the viewers -------------------------------------------------------------------------------------------------------


class Crowd:
    """Viewers, each with a connection, who read and note what comes. Told what to do by JSON lines on stdin."""

    def __init__(self, url, viewers):
        self._host, _, port = url.split("/")[2].rpartition(":")
        self._port = int(port)
        self._viewers = viewers
        self._seen = []
        self._bytes = 0
        self._open = {}
        """By socket: the viewer, and what has come of an update that has not come whole."""
        self._numbers = 0
        self._selector = selectors.DefaultSelector()

    def run(self):
        """Until nobody is there to say more."""
        path = f"/api/tournaments/{self._tournament()}/events"
        request = f"GET {path} HTTP/1.1\r\nhost: {self._host}\r\n\r\n".encode()
        self._selector.register(sys.stdin, selectors.EVENT_READ)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is not sys.stdin:
                    self._read(key.fileobj)
                    continue
                line = sys.stdin.readline()
                if not line:
                    return
                wish = json.loads(line)
                if "told" in wish:
                    print(json.dumps({"seen": self._seen, "bytes": self._bytes}), flush=True)
                    continue
                self._close()
                for _ in range(self._viewers if wish["watching"] else 0):
                    self._connect(request)
                print(json.dumps(wish), flush=True)

    def _tournament(self):
        with socket.create_connection((self._host, self._port)) as asking:
            asking.sendall(f"GET /api/tournaments HTTP/1.1\r\nhost: {self._host}\r\nconnection: close\r\n\r\n".encode())
            answer = b"".join(iter(lambda: asking.recv(2**16), b""))
        return re.search(rb'"id":"(\w+)"', answer)[1].decode()

    def _connect(self, request):
        connection = socket.create_connection((self._host, self._port))
        connection.sendall(request)
        connection.setblocking(False)
        self._numbers += 1
        self._open[connection] = [self._numbers, b""]
        self._selector.register(connection, selectors.EVENT_READ)

    def _close(self):
        for connection in self._open:
            self._selector.unregister(connection)
            connection.close()
        self._open.clear()

    def _read(self, connection):
        one = self._open.get(connection)
        if one is None:  # closed since it was found ready
            return
        chunk = one[1] + connection.recv(2**18)
        if not chunk.endswith(b"\n\n\r\n"):  # more of it is on its way
            one[1] = chunk
            return
        one[1] = b""
        self._bytes += len(chunk)
        if (at := chunk.rfind(b"event: progress\n")) >= 0 and (final := FINAL.search(chunk, at)):
            self._seen.append((one[0], int(final[1]), time.time()))


if __name__ == "__main__":
    main()
