"""What the tools for the SDKs say where something is wrong; that they do their work is seen by `make test-clients`."""

import json
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import asker  # noqa: E402 - found on the path above
import run as tool  # noqa: E402
import speed  # noqa: E402
import together  # noqa: E402
from languages import ROOT, TABLE, Language, TableError, languages  # noqa: E402

SECTION = '[klingon]\ntools = ["no-such-tool", "sh"]\nrandom = ["random"]\ngreedy = ["greedy", "-g"]\n'


@pytest.fixture
def table(tmp_path):
    def write(text):
        path = tmp_path / "languages.toml"
        path.write_text(text)
        return path

    return write


def run(*arguments, program="run.py"):
    done = subprocess.run(
        [sys.executable, str(HERE / program), *arguments], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


class Wire:
    """The bot's end of a connection to the benchmark's asker."""

    def __init__(self):
        self.sent = bytearray()
        self.opened = []
        self.stream = asker.Stream(self.opened.append)
        self.stream.connection_made(self)

    def write(self, data):
        self.sent += data

    def say(self, *frames, pieces=1 << 20):
        data = b"".join(frames)
        for at in range(0, len(data), pieces):
            self.stream.data_received(data[at : at + pieces])

    def heard(self, kind):
        """The payloads of the frames of a kind that were sent since the last time."""
        payloads = []
        while self.sent:
            size = int.from_bytes(self.sent[:3])
            if self.sent[3] == kind:
                payloads.append(bytes(self.sent[9 : 9 + size]))
            del self.sent[: 9 + size]
        return payloads


def test_every_language_of_the_table_has_its_folder_and_every_folder_its_section():
    folders = {path.parent.name for path in (ROOT / "clients").glob("*/Makefile")}
    assert {language.name for language in languages()} == folders


def test_every_makefile_has_the_targets_that_the_page_promises():
    page = (ROOT / "clients/README.md").read_text("utf-8")
    promised = [
        target
        for target in ("build", "test", "lint", "format", "proto", "proto-check", "clean")
        if f"`{target}`" in page
    ]
    assert len(promised) == 7
    for language in languages():
        makefile = (ROOT / "clients" / language.name / "Makefile").read_text("utf-8")
        assert [target for target in promised if f"\n{target}:" not in makefile] == [], language.name


def test_a_section_is_read(table):
    [language] = languages(table=table(SECTION))
    assert language == Language("klingon", "klingon", ("no-such-tool", "sh"), ("random",), ("greedy", "-g"), 1.0)
    assert language.missing == ["no-such-tool"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SECTION.replace('["random"]', '"random"'), r"\[klingon\]: random is a list of texts, not 'random'"),
        (SECTION.replace('["random"]', "[]"), r"\[klingon\]: random is a list of texts, not \[\]"),
        (SECTION + "sped = 3", r"\[klingon\]: there is no sped"),
        (SECTION + "speed = 0", r"\[klingon\]: speed is a number above 0, not 0"),
    ],
)
def test_a_section_that_is_wrong_is_named(text, said, table):
    with pytest.raises(TableError, match=said):
        languages(table=table(text))


def test_a_language_that_is_not_there_is_wrong_usage():
    code, _, err = run("klingon")
    assert code == 2
    assert (
        f"'klingon' is no language of clients/languages.toml; there are: {', '.join(tomllib.loads(TABLE.read_text()))}"
        in err
    )


def test_a_step_that_fails_is_told_and_ends_its_language(capsys):
    failures = []
    commands = {"build": ["true"], "test": ["sh", "-c", "echo oh no; exit 3"], "later": ["true"]}
    assert not tool.done("klingon", commands, None, failures)
    assert failures == ["klingon: test: exit code 3"]
    said = capsys.readouterr().out
    assert "klingon: build" in said
    assert "oh no" in said
    assert "later" not in said


def test_missing_tools_are_named_and_fail_unless_they_may_be_missing(table, capsys):
    [language] = languages(table=table(SECTION))
    failures = []
    assert not tool.has_its_tools(language, failures, skip=False)
    assert failures == [
        "klingon: not on this machine: no-such-tool (install it, or leave the language out with --skip-missing)"
    ]
    assert not tool.has_its_tools(language, failures, skip=True)
    assert len(failures) == 1
    assert capsys.readouterr().out.endswith("klingon: not on this machine: no-such-tool, left out\n")


def test_a_command_can_be_run_in_any_folder(tmp_path):
    [python] = languages(["python"])
    told = subprocess.check_output(python.anywhere(["pwd"]), cwd=tmp_path, text=True)
    assert told.strip() == str(ROOT)


def test_the_tournament_has_every_language_and_fills_up_with_bots_of_the_house(table):
    spec = tomllib.loads(together.described("trades", languages(table=table(SECTION)), 10))
    assert [entrant["name"] for entrant in spec["entrants"]] == ["klingon", "house-1", "house-2", "house-3"]
    assert spec["entrants"][0]["command"][-1] == "random"
    assert (spec["game"], spec["seats"], spec["blocks"]) == ("trades", 4, 3)


def test_faults_are_counted_by_who_and_what(tmp_path):
    lines = [
        {"entrants": ["go", "rust"], "faults": [{"late": 2}, {}]},
        {"entrants": ["rust", "go"], "faults": [{"illegal": 1}, {"late": 1}]},
    ]
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    assert together.counted(path) == (2, Counter({("go", "late"): 3, ("rust", "illegal"): 1}))


REQUEST = asker.framed(asker.HEADERS, asker.END_HEADERS, 1, b"")
ANSWER = asker.framed(asker.DATA, 0, 1, b"\x00\x00\x00\x00\x05hello")


@pytest.mark.parametrize("pieces", [1, 7, 1 << 20])
async def test_the_asker_takes_in_what_comes_in_pieces_of_any_size(pieces):
    wire = Wire()
    padded = asker.framed(asker.DATA, asker.PADDED, 1, b"\x03" + b"\x00\x00\x00\x00\x02yo" + b"\x00\x00\x00")
    wire.say(asker.PREFACE, REQUEST, ANSWER, padded, pieces=pieces)
    assert wire.opened == [wire.stream]
    assert wire.heard(asker.HEADERS) == [asker.STATUS_OK]
    assert [await wire.stream.read(), await wire.stream.read()] == [b"hello", b"yo"]


async def test_the_asker_answers_pings_and_settings():
    wire = Wire()
    wire.heard(asker.SETTINGS)
    wire.say(
        asker.PREFACE, asker.framed(asker.PING, 0, 0, b"12345678"), asker.framed(asker.PING, asker.ACK, 0, b"8" * 8)
    )
    assert wire.heard(asker.PING) == [b"12345678"]
    wire.say(asker.framed(asker.SETTINGS, 0, 0, b""), asker.framed(asker.SETTINGS, asker.ACK, 0, b""))
    assert wire.heard(asker.SETTINGS) == [b""]


async def test_the_asker_sends_no_more_than_the_windows_let_through():
    wire = Wire()
    wire.say(asker.PREFACE, REQUEST)
    wire.heard(asker.DATA)
    wire.stream.write(bytes(100_000))
    assert sum(map(len, wire.heard(asker.DATA))) == asker.WINDOW
    wire.say(asker.framed(asker.WINDOW_UPDATE, 0, 1, (10_000).to_bytes(4)))
    assert wire.heard(asker.DATA) == []
    wire.say(asker.framed(asker.WINDOW_UPDATE, 0, 0, (50_000).to_bytes(4)))
    assert sum(map(len, wire.heard(asker.DATA))) == 10_000
    narrower = (asker.WINDOW - 5_000).to_bytes(4)
    wire.say(asker.framed(asker.SETTINGS, 0, 0, asker.INITIAL_WINDOW_SIZE.to_bytes(2) + narrower))
    wire.say(asker.framed(asker.WINDOW_UPDATE, 0, 1, (8_000).to_bytes(4)))
    assert sum(map(len, wire.heard(asker.DATA))) == 3_000


@pytest.mark.parametrize("end", [asker.RST_STREAM, asker.GOAWAY, None])
async def test_the_asker_tells_when_a_bot_has_ended(end):
    wire = Wire()
    wire.say(asker.PREFACE, REQUEST, ANSWER)
    if end is None:
        wire.stream.connection_lost(None)
    else:
        wire.say(asker.framed(end, 0, 0, bytes(8)))
    assert await wire.stream.read() == b"hello"
    for _ in range(2):
        with pytest.raises(asker.Ended):
            await wire.stream.read()


def test_the_benchmark_measures_a_bot():
    short = ["--sessions", "3", "--turns", "2", "--seconds", "0.05", "--warm-up", "0", "--format", "json"]
    code, out, err = run("python", *short, program="speed.py")
    assert code == 0, err
    [row] = json.loads(out)
    assert (row["language"], row["ratio"], row["met"]) == ("python", 1.0, True)
    assert row["decisions_per_second"] > 0
    assert row["bot_busy"] > 0


def test_the_benchmark_tells_of_a_bot_that_does_not_play(monkeypatch, table, capsys):
    broken = table('[python]\ntools = ["sh"]\nrandom = ["sh", "-c", "echo oh no"]\ngreedy = ["sh"]\n')
    monkeypatch.setattr(speed, "languages", lambda names: languages(names, broken))
    monkeypatch.setattr(sys, "argv", ["speed.py"])
    assert speed.main() == 1
    assert capsys.readouterr().err == "python: does not play\noh no\n\n"
