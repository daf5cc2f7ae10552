"""``croupier bot practice``: a bot against the house, and what is told of it."""

import json
import os
import subprocess
import sys

import pytest
from processes import command

from croupier_games.kernel import games

BOTS = "croupier.examples"
PATIENCE = 120


@pytest.fixture
def practise(tmp_path):
    """Practise; returns the exit code, stdout and stderr."""

    def run(*arguments):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CROUPIER_")}
        environment["CROUPIER_TOKEN"] = "not for a practice"
        done = subprocess.run(
            [*command(), "bot", "practice", *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.mark.timeout(PATIENCE + 30)
def test_a_bot_practises_and_its_games_can_be_looked_at_and_played_again(practise, tmp_path):
    bot = ["--", sys.executable, "-P", "-m", f"{BOTS}.greedy"]
    code, out, err = practise("--games", "4", "--against", "mixed", *bot)
    assert (code, err) == (0, "")
    head, row, _, look, again = out.splitlines()
    assert head.split()[:4] == ["game", "games", "won", "placing"]
    assert row.split()[:2] == ["trick-and-trade", "4"]  # the bot plays nothing else, so nothing else was played
    assert row.split()[-1] == "none"
    records = [json.loads(line) for line in (tmp_path / "practice.jsonl").read_text().splitlines()]
    assert sorted(record["session"]["bots"].index("greedy") for record in records) == [0, 1, 2, 3]

    def runs(line):
        words = line.partition(":")[2].split()
        assert words[0] == "croupier"
        if "practice" in words:
            words[3:3] = ["--format", "json"]
        return subprocess.run(
            [*command(), *words[1:]],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    assert "record of trick-and-trade" in runs(look).stdout
    [told] = map(json.loads, runs(again).stdout.splitlines())
    [same] = [record for record in records if record["session"]["labels"]["deal"] == str(told["deal"])]
    assert told["bots"] == same["session"]["bots"]
    assert json.loads((tmp_path / "practice.jsonl").read_text())["seed"] == same["seed"]


FAULTY = """
import croupier

class Faulty(croupier.Bot):
    games = ("trades",)

    def choose(self, decision):
        raise RuntimeError("oh no")

croupier.run(Faulty())
"""


@pytest.mark.timeout(PATIENCE + 30)
def test_faults_are_told_and_fail_the_practice(practise, tmp_path):
    (tmp_path / "faulty.py").write_text(FAULTY)
    arguments = ["--games", "1", "--think-time", "0.01", "--format", "json"]
    code, out, _ = practise(*arguments, "--", sys.executable, "-P", "faulty.py")
    assert code == 1
    told = json.loads(out)
    assert (told["game"], told["bots"][told["seat"]]) == ("trades", "faulty")
    assert told["faults"]["late"] > 0
    assert "RuntimeError: oh no" in (tmp_path / "practice.log").read_text()


PICKY = """
import croupier

class Picky(croupier.Bot):
    games = ({games})

    def choose(self, decision):
        return 0

croupier.run(Picky(), on_error="raise")
"""


@pytest.mark.timeout(PATIENCE + 30)
def test_who_plays_nothing_is_told_which_games_it_names(practise, tmp_path):
    (tmp_path / "picky.py").write_text(PICKY.format(games="'trick_and_trade',"))
    code, out, err = practise("--games", "1", "--", sys.executable, "-P", "picky.py")
    assert (code, out) == (1, "")
    lines = err.splitlines()
    assert "croupier bot practice: picky does not play trick-and-trade; it plays trick_and_trade" in lines
    assert len(lines) == len(games())


@pytest.mark.timeout(PATIENCE + 30)
def test_a_game_that_was_wanted_by_name_is_not_left_out_in_silence(practise, tmp_path):
    (tmp_path / "picky.py").write_text(PICKY.format(games="'trades',"))
    wanted = ["--game", "trick-stakes", "--game", "trades", "--deal", "2", "--deal", "2", "--format", "json"]
    code, out, err = practise(*wanted, "--records", "new/r.jsonl", "--", sys.executable, "-P", "picky.py")
    assert code == 1
    assert [json.loads(line)["deal"] for line in out.splitlines()] == [2]  # each deal once
    assert err == "croupier bot practice: picky does not play trick-stakes; it plays trades\n"
    assert len((tmp_path / "new/r.jsonl").read_text().splitlines()) == 1


def test_a_bot_that_ends_ends_the_practice_with_what_it_said(practise, tmp_path):
    (tmp_path / "dead.py").write_text("raise SystemExit('no luck')")
    code, out, err = practise("--games", "1", "--", sys.executable, "dead.py")
    assert (code, out) == (1, "")
    assert err == "croupier bot practice: the bot ended with exit code 1, and said last:\n  no luck\n"
