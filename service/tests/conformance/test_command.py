"""The command ``croupier bot check``: what it says, to whom, and how it ends."""

import json
import sys
from pathlib import Path

import pytest

from croupier_service.conformance.check import CHECKS
from croupier_service.conformance.main import check

ROGUE = sys.executable, "-P", str(Path(__file__).with_name("rogue.py"))


def test_list_tells_every_check_and_runs_nothing(capsys):
    assert check(["--list"]) == 0
    told = capsys.readouterr().out
    assert [line.partition(":")[0].split(" ")[0] for line in told.splitlines() if not line.startswith(" ")] == [
        check.name for check in CHECKS
    ]
    assert "why: Wi-Fi drops, routers restart." in told


def test_list_is_there_for_programs_too(capsys):
    assert check(["--list", "--only", "pings", "--format", "json"]) == 0
    [line] = capsys.readouterr().out.splitlines()
    assert json.loads(line).keys() == {"check", "what", "why", "remedy", "advice"}


def test_what_passes_is_a_line_each(capsys):
    assert check(["--only", "hello", "--only", "token", "--", *ROGUE, "none"]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [["passed", "hello"], ["passed", "token"]]
    assert last.startswith("2 checks: 2 passed, in ")


def test_what_fails_is_told_with_what_was_seen_why_it_matters_and_what_to_do(capsys):
    assert check(["--only", "a-game", "--", *ROGUE, "counts-from-one"]) == 1
    told = capsys.readouterr().out
    assert told.startswith("failed  a-game  Plays a game from the deal to its end")
    assert "        seen: session check-1, decision 1: index " in told
    assert "        why: This is what it is for." in told
    assert "        do: Answer each Decision with Act" in told
    assert "          server: Decision session_id=check-1" in told
    assert "          bot:    Act session_id=check-1 decision_id=1 index=" in told
    assert told.splitlines()[-1].startswith("1 checks: 1 failed, in ")


def test_programs_get_a_line_of_json_for_each_check(capsys):
    assert check(["--only", "a-game", "--format", "json", "--", *ROGUE, "no-choice"]) == 1
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert (told["check"], told["outcome"], told["advice"]) == ("a-game", "failed", False)
    assert "an act without a choice" in told["reason"]
    assert told["conversation"][-1] == "bot:    Act session_id=check-1 decision_id=1"
    assert {"why", "remedy", "output", "seconds"} < told.keys()
    assert err.startswith("croupier bot check: 1 checks: 1 failed, in ")


def test_advice_fails_a_bot_only_if_asked(capsys):
    arguments = ["--only", "one-frame-back", "--", *ROGUE, "a-frame-for-each-answer"]
    assert check(arguments) == 0
    assert capsys.readouterr().out.startswith("advice  one-frame-back")
    assert check(["--strict", *arguments]) == 1
    assert capsys.readouterr().out.startswith("failed  one-frame-back")


def test_where_a_bot_does_not_connect_nothing_else_is_tried(capsys, tmp_path):
    program = tmp_path / "bot.py"
    program.write_text("raise SystemExit('no game today')")
    assert check(["--format", "json", "--log", str(tmp_path / "log"), "--", sys.executable, str(program)]) == 1
    first, *others = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["check"], first["reason"]) == ("connects", "the bot ended with exit code 1")
    assert first["output"].strip() == "no game today"
    assert {(other["outcome"], other["reason"]) for other in others} == {("skipped", "the bot has not connected")}
    assert (tmp_path / "log" / "1-connects.log").read_text() == "no game today\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--only", "pigns", "--", "true"], "no check is called 'pigns'; did you mean pings?"),
        (["--skip", "xyz", "--", "true"], "no check is called 'xyz'; --list tells which there are"),
        (["--only", "pings", "--skip", "pings", "--", "true"], "leaves no check over"),
        (["--only", "pings"], "is missing: croupier bot check -- python mybot.py"),
        (["--", "no-such-program"], "there is no program 'no-such-program' to be run"),
    ],
)
def test_wrong_usage_is_explained(arguments, said, capsys):
    assert check(arguments) == 2
    assert said in " ".join(capsys.readouterr().err.replace("│", " ").split())
