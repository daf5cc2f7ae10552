"""``croupier record verify`` and ``show``, without a server: what holds, what does not, and where."""

import io
import json
from pathlib import Path

import pytest

from croupier_games.kernel import Record, Seed, find_game
from croupier_games.kernel.record_json import to_json
from croupier_service.cli import proving
from croupier_service.cli.record import record as command

RECORDS = Path(__file__).parents[3] / "tests/golden"
TEXT = (RECORDS / "trick-and-trade/four-seats.txt").read_text("utf-8")
FREE_FOR_ALL = (RECORDS / "trades/free-for-all.txt").read_text("utf-8")


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Runs ``croupier record`` with these words, and what is on stdin; gives exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*words, stdin=""):
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        code = command(list(map(str, words)))
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def file(tmp_path):
    def file(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path.name

    return file


def line_of(text, **more):
    record = Record.from_text(text, find_game)
    return json.dumps({**to_json(record, find_game(record.game)), **more}) + "\n"


def spoiled(text=TEXT):
    """The same game with another third input; where that is."""
    lines = text.splitlines(keepends=True)
    inputs = [number for number, line in enumerate(lines) if line.startswith("input ")]
    at = inputs[2]
    lines[at] = lines[inputs[0]].replace("input 0", lines[at][:7]).replace(lines[inputs[0]][:7], lines[at][:7])
    return "".join(lines), at + 1


# What holds.


def test_all_golden_games_hold(run):
    code, out, _ = run("verify", RECORDS)
    count = len(list(RECORDS.glob("*/*.txt")))
    assert (code, out) == (0, f"{count} of {count} records hold\n")


def test_a_record_on_stdin_holds(run):
    assert run("verify", stdin=TEXT)[:2] == (0, "1 of 1 records hold\n")
    assert run("verify", "-", stdin=line_of(TEXT))[:2] == (0, "1 of 1 records hold\n")


def test_texts_and_json_lines_may_follow_each_other(run, file):
    name = file("mixed", TEXT + line_of(FREE_FOR_ALL) + "\n" + TEXT + FREE_FOR_ALL + line_of(TEXT))
    code, out, _ = run("verify", "-v", name)
    assert code == 0
    lines = out.splitlines()
    assert lines[-1] == "5 of 5 records hold"
    length, other = TEXT.count("\n"), FREE_FOR_ALL.count("\n")
    starts = [1, length + 1, length + 2, 2 * length + 3, 2 * length + other + 3]
    found = [int(line.split(":")[1]) for line in lines[:-1]]
    assert found[:2] == starts[:2]
    assert [abs(at - start) <= 3 for at, start in zip(found[2:], starts[2:], strict=True)] == [True] * 3  # comments


def test_what_the_server_says_of_the_session_does_not_matter(run):
    session = {"id": "abc", "bots": ["ann"], "reason": "finished"}
    code, out, _ = run("verify", "--format", "json", stdin=line_of(TEXT, session=session))
    assert code == 0
    assert json.loads(out)["session"] == "abc"


def test_thousands_are_proved_in_order_on_all_processors(run, file, monkeypatch):
    monkeypatch.setattr(proving, "CHUNK", 5)
    name = file("many.jsonl", line_of(TEXT) * 30 + line_of(spoiled()[0]) + line_of(TEXT) * 9)
    code, out, _ = run("verify", "--workers", "2", "-v", name)
    assert code == 1
    lines = out.splitlines()
    assert [line.split(":")[1] for line in lines[:-1]] == [str(number) for number in range(1, 41)]
    assert [number for number, line in enumerate(lines[:-1], 1) if not line.endswith("holds")] == [31]
    assert lines[-1] == "39 of 40 records hold"


# What does not.


def test_the_first_input_that_does_not_follow_is_named_with_line_seat_and_rule(run, file):
    text, line = spoiled()
    name = file("spoiled.txt", text)
    code, out, _ = run("verify", name)
    assert code == 1
    first, last = out.splitlines()
    assert first.startswith(f"spoiled.txt:{line}: input 3 (input ")
    assert "breaks play.in-hand: " in first
    assert last == "0 of 1 records hold"
    verdict = json.loads(run("verify", "--format", "json", name)[1])
    assert (verdict["holds"], verdict["number"], verdict["rule"]) == (False, 3, "play.in-hand")
    assert verdict["seat"] == int(text.splitlines()[line - 1].split()[1])
    assert verdict["where"] == f"spoiled.txt:{line}"


def test_of_a_json_line_the_line_and_the_input_are_named(run, file):
    name = file("games.jsonl", line_of(TEXT) + line_of(spoiled()[0]))
    code, out, _ = run("verify", name)
    assert code == 1
    assert out.splitlines()[0].startswith("games.jsonl:2: input 3 (input ")


def test_in_a_file_of_several_texts_the_line_counts_from_the_beginning_of_the_file(run, file):
    text, line = spoiled()
    name = file("two.txt", TEXT + text)
    assert run("verify", name)[1].startswith(f"two.txt:{TEXT.count(chr(10)) + line}: input 3 ")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (("result points ", "result points 9"), "the record claims points"),
        (("result placings ", "result placings 9"), "the record claims placings"),
        (("rules 1", "rules 2"), "the record is of trick-and-trade rules 2, this is trick-and-trade rules 1"),
        (("seats 4", "seats 9"), "seats: Trick and Trade is played with 3 to 5 seats, not 9"),
        (("game trick-and-trade", "game whist"), "no game is called 'whist'; there are: "),
        (("croupier-record 1", "croupier-record 2"), "a record starts with 'croupier-record 1'"),
    ],
)
def test_what_else_is_wrong_is_said(run, change, what):
    code, out, _ = run("verify", stdin=TEXT.replace(*change))
    assert code == 1
    assert what in out.splitlines()[0]


def test_nonsense_does_not_hold(run):
    assert "stdin:1: line 1: a record starts with" in run("verify", stdin="hello\n")[1]
    assert "stdin:1: is no JSON: " in run("verify", stdin="{]\n")[1]
    assert "stdin:1: a record is an object whose format is" in run("verify", stdin="{}\n")[1]


def test_a_record_without_a_result_holds_only_if_that_is_asked_for(run):
    text = "\n".join(line for line in TEXT.splitlines()[:-30] if not line.startswith("result")) + "\n"
    code, out, _ = run("verify", stdin=text)
    assert code == 1
    assert "the record has no result, the game is not over (--unfinished lets it pass)" in out
    assert run("verify", "--unfinished", stdin=text)[:2] == (0, "1 of 1 records hold, 1 without a result\n")
    code, out, _ = run("verify", "--unfinished", stdin="\n".join(TEXT.split("\nresult")[:1]) + "\n")
    assert code == 1
    assert "the game is over after its inputs, but the record has no result" in out


# Commitments.


def committed(seed_text):
    seed = next(line for line in TEXT.splitlines() if line.startswith("seed"))
    commitment = seed_text if len(seed_text) == 64 else Seed.of(seed_text).commitment().hex()
    return TEXT.replace(seed, f"{seed}\ncommitment {commitment}")


OWN = Record.from_text(TEXT, find_game).seed.commitment().hex()


def test_a_commitment_in_the_record_is_held_against_the_seed(run):
    code, out, _ = run("verify", stdin=committed(OWN))
    assert (code, out) == (0, "1 of 1 records hold, 1 of them with a seed that was committed to\n")
    code, out, _ = run("verify", stdin=committed("another"))
    assert code == 1
    assert "the seed is not the one that was committed to" in out


def test_a_commitment_told_before_the_game_can_be_held_against_it(run):
    assert run("verify", "--commitment", OWN, stdin=TEXT)[0] == 0
    code, out, _ = run("verify", "--commitment", "ab" * 32, stdin=TEXT)
    assert code == 1
    assert f"the seed is not the one that {'ab' * 32} commits to" in out
    code, _, err = run("verify", "--commitment", "ab", stdin=TEXT)
    assert code == 2
    assert "is 64 hexadecimal digits, not 'ab'" in err


# Files that are none.


def test_a_file_that_is_not_there_is_wrong_usage(run):
    code, out, err = run("verify", "nowhere.jsonl")
    assert (code, out) == (2, "")
    assert err == "croupier record verify: nowhere.jsonl: No such file or directory\n"


def test_a_file_that_is_not_text_is_wrong_usage(run, tmp_path):
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe\x00")
    code, _, err = run("verify", "bytes.txt")
    assert code == 2
    assert "is not UTF-8" in err


def test_no_record_at_all_is_a_failure(run):
    assert run("verify", stdin="# nothing\n") == (1, "", "croupier record verify: there is no record in these files\n")


# Showing.


def test_a_record_is_shown_from_the_deal_to_the_result(run):
    code, out, _ = run("show", stdin=line_of(TEXT, session={"id": "abc", "bots": ["ann", "bob", "cat", "dora"]}))
    assert code == 0
    lines = [line.rstrip() for line in out.splitlines()]
    assert lines[0] == "record of trick-and-trade"
    assert "session  abc" in lines
    assert [line for line in lines if "round 10 of 10 · over" in line]
    assert [line for line in lines if line.endswith("3 dora")] or "3 dora" in out
    assert "Over after " in out


def test_one_step_of_a_record_is_shown(run):
    code, out, _ = run("show", "--step", "0", stdin=TEXT)
    assert code == 0
    assert "  the deal\n" in out
    assert "round 1 of 10" in out
    inputs = [line for line in TEXT.splitlines() if line.startswith("input")]
    code, out, _ = run("show", "--step", "5", stdin=TEXT)
    assert f"step 5 of {len(inputs)}  {inputs[4]}\n" in out
    assert out.count("Trick and Trade ·") == 1


def test_another_record_of_a_file_is_shown(run, file):
    name = file("two.jsonl", line_of(TEXT) + line_of(FREE_FOR_ALL))
    assert run("show", "--record", "2", name)[1].startswith("record of trades\n")
    code, _, err = run("show", "--record", "3", name)
    assert code == 2
    assert "there is no record 3 in these files" in err


def test_a_step_that_is_not_there_is_wrong_usage(run):
    code, _, err = run("show", "--step", "9999", stdin=TEXT)
    assert code == 2
    assert "so many inputs the record has" in err


def test_a_record_that_does_not_follow_is_shown_up_to_where_it_does(run, file):
    text, line = spoiled()
    code, out, err = run("show", file("spoiled.txt", text))
    assert code == 1
    assert "    2  " in out
    assert err.startswith(f"croupier record show: spoiled.txt:{line}: input 3 ")
