"""Two hundred people watch a tournament: how late they see what happens, and what that costs those who play.

The same tournament is run without anybody watching and with so many viewers, in turns. Viewers are in another process
and read as browsers do: one connection each, held open, server-sent events.

    .venv/bin/python tests/benchmarks/viewers.py --viewers 200 --runs 3
"""

import argparse
import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from datetime import datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from processes import command

SPEC = """\
title = "Watched"
game = "trick-and-trade"
seats = 4
blocks = {blocks}
[run]
concurrency = 64
""" + "".join(
    f'[[entrants]]\nname = "bot-{number}"\nhouse = "{house}"\n'
    for number, house in enumerate(("greedy", "random", "greedy", "random", "greedy", "random"))
)
FINAL = re.compile(rb'event: progress\ndata: \{"state":"(\w+)".*?"final":(\d+)')


def main():
    """Measure, and say what came of it."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--viewers", type=int, default=200)
    asked.add_argument("--runs", type=int, default=3, help="with and without viewers, each so often")
    asked.add_argument("--blocks", type=int, default=250, help="four games each")
    asked.add_argument("--watch", metavar="URL", help=argparse.SUPPRESS)
    options = asked.parse_args()
    if options.watch:
        os.nice(5)
        asyncio.run(watch(options.watch, options.viewers))
        return
    measured = {0: [], options.viewers: []}
    for number in range(options.runs):
        for viewers in (0, options.viewers) if number % 2 == 0 else (options.viewers, 0):
            with tempfile.TemporaryDirectory() as folder:
                measured[viewers].append(run(Path(folder), viewers, options.blocks))
            print(f"{viewers:>4} viewers: {say(measured[viewers][-1])}", flush=True)
    plain, watched = (
        {name: statistics.median(one[name] for one in runs) for name in ("cpu_s", "play_s")}
        for runs in measured.values()
    )
    lags = sorted(lag for one in measured[options.viewers] for lag in one["lags"])
    print(f"\nwithout viewers {plain['play_s']:6.2f} s of play, runner {plain['cpu_s']:6.2f} s of processor")
    print(f"with viewers    {watched['play_s']:6.2f} s of play, runner {watched['cpu_s']:6.2f} s of processor")
    print(f"play takes {100 * (watched['play_s'] / plain['play_s'] - 1):+.1f} %")
    print(
        f"{len(lags):,} updates were seen after {1000 * lags[len(lags) // 2]:.0f} ms (median), "
        f"{1000 * lags[int(len(lags) * 0.99)]:.0f} ms (99 %), {1000 * lags[-1]:.0f} ms (at worst)"
    )


def say(one):
    """One run in a line."""
    seen = f", {len(one['lags']):,} updates seen" if one["lags"] else ""
    return f"{one['play_s']:.2f} s of play, runner {one['cpu_s']:.2f} s of processor{seen}"


def run(folder, viewers, blocks):
    """Play once: how long it took, in seconds, processor time of the runner, and how late viewers saw it."""
    spec = folder / "cup.toml"
    spec.write_text(SPEC.format(blocks=blocks))
    argv = [*command(), "tournament", "run", str(spec), "--format", "jsonl", "--web", "0"]
    runner = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    watcher = None
    told, began, ended = {}, 0.0, 0.0
    arrived = []
    for line in runner.stdout:
        event = json.loads(line)
        at = datetime.fromisoformat(event["at"]).timestamp()
        if event["event"] == "web" and viewers:
            argv = [sys.executable, __file__, "--watch", event["web"], "--viewers", str(viewers)]
            watcher = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
            reading = threading.Thread(target=hear, args=(watcher.stdout, arrived))
            reading.start()
        elif event["event"] == "progress":
            told.setdefault(event["final"], at)
            if event["final"]:
                began = began or at
                ended = at
    _, status, usage = os.wait4(runner.pid, 0)
    runner.returncode = os.waitstatus_to_exitcode(status)
    assert runner.returncode == 0, runner.returncode
    if watcher is not None:
        reading.join(60)
        watcher.wait(60)
    lags = [max(0.0, seen - told[final]) for final, seen in arrived if told.get(final, 0.0) > began]
    return {"play_s": ended - began, "cpu_s": usage.ru_utime + usage.ru_stime, "lags": lags}


def hear(stream, arrived):
    """Take down what the viewers say in the end."""
    arrived.extend(json.loads(stream.read() or "[]"))


async def watch(url, viewers):
    """Watch with so many viewers until it is over; prints what each has seen: games that are final, and when."""
    host, port = url.split("/")[2].split(":")
    tournament = await first_tournament(host, int(port))
    seen = []
    await asyncio.gather(*(view(host, int(port), tournament, seen) for _ in range(viewers)))
    print(json.dumps(seen))


async def first_tournament(host, port):
    """Its id."""
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(f"GET /api/tournaments HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    return re.search(rb'"id":"(\w+)"', answer)[1].decode()


async def view(host, port, tournament, seen):
    """One viewer."""
    reader, writer = await asyncio.open_connection(host, port, limit=2**22)
    path = f"/api/tournaments/{tournament}/events"
    writer.write(f"GET {path} HTTP/1.1\r\nhost: {host}\r\n\r\n".encode())
    try:
        while chunk := await reader.read(2**18):
            now = time.time()
            for state, final in FINAL.findall(chunk):
                seen.append((int(final), now))
                if state != b"running":
                    return
    except ConnectionError:
        pass
    finally:
        writer.close()


if __name__ == "__main__":
    main()
