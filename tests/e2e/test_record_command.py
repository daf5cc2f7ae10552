"""``croupier record`` with records of a real server: exported, shown, proved."""

import asyncio
import json
import sys
from pathlib import Path

import pytest
from bots import Slow

from croupier_service.cli.record import record as record_command
from croupier_service.cli.session import session as session_command

sys.path.insert(0, str(Path(__file__).parents[2] / "service/tests/kernel"))
from json_schema import violations  # lies beside the tests of the rules

GAMES = {
    "trick-and-trade": 3,
    "trick-stakes": 4,
    "trades": 3,
    "trade-and-triumph": 2,
}


@pytest.fixture
def run(server, capsys, monkeypatch, tmp_path):
    """Runs ``croupier record`` with these words; gives exit code, stdout and stderr."""
    monkeypatch.setenv("CROUPIER_TARGET", server.target)
    monkeypatch.chdir(tmp_path)

    def run(*words):
        code = record_command([str(word) for word in words])
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def play(server, capsys):
    """Plays a game of house bots on the server; gives the session's id."""

    def play(*words, game="trick-and-trade"):
        bots = ",".join(["house:random"] * GAMES[game])
        options = ["--option", "round_cap=4"] if game == "trade-and-triumph" else []
        words = ["create", game, "--bots", bots, "--format", "json", "--target", server.target, *options, *words]
        assert session_command(words) == 0
        session_id = json.loads(capsys.readouterr().out)["session_id"]
        assert session_command(["watch", session_id, "--target", server.target]) == 0
        capsys.readouterr()
        return session_id

    return play


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_exported_shown_and_proved(run, play, game):
    session_id = play("--label", "a=b", game=game)
    code, out, err = run("export", session_id, "-o", "games.jsonl")
    assert (code, out, err) == (0, "", "croupier record export: 1 of 1 records\n")
    (line,) = Path("games.jsonl").read_text("utf-8").splitlines()
    data = json.loads(line)
    assert violations(data) == []
    assert data["session"]["id"] == session_id
    assert data["session"]["labels"] == {"a": "b"}
    assert len(data["session"]["charged_ms"]) == len(data["inputs"])
    assert run("verify", "games.jsonl")[:2] == (0, "1 of 1 records hold, 1 of them with a seed that was committed to\n")
    code, out, _ = run("show", "games.jsonl")
    assert code == 0
    assert f"session     {session_id}" in out
    assert "Over after " in out


def test_a_record_as_text_is_the_same_record(run, play):
    session_id = play()
    run("export", session_id, "-o", "games.jsonl")
    code, out, _ = run("export", session_id, "--format", "text")
    assert code == 0
    assert out.startswith(
        f"# session {session_id}\n# bots house:random, house:random, house:random\ncroupier-record 1\n"
    )
    Path("game.txt").write_text(out, encoding="utf-8")
    assert run("verify", "game.txt")[0] == 0
    from croupier_games.kernel import Record, find_game
    from croupier_games.kernel.record_json import from_json

    data = json.loads(Path("games.jsonl").read_text("utf-8"))
    assert from_json(data, find_game) == Record.from_text(out, find_game)


def test_all_that_fit_are_exported_oldest_first(run, play):
    ids = [play("--label", "cup=autumn") for _ in range(3)]
    play("--label", "cup=winter")
    code, out, err = run("export", "--all", "--label", "cup=autumn")
    assert (code, err) == (0, "croupier record export: 3 of 3 records\n")
    assert [json.loads(line)["session"]["id"] for line in out.splitlines()] == ids
    assert run("export", "--all", "--label", "cup=autumn", "--game", "trades")[1] == ""
    assert run("export", "--all", "--label", "cup=autumn", "--bot", "nobody")[1] == ""


def test_a_deal_that_is_in_play_elsewhere_is_withheld_and_the_others_are_exported(serve, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    server = serve(think_time=60)
    at = ("--target", server.target)
    seed = "ab" * 32

    async def go():
        async with Slow(server.target, "quiet"):
            ids = []
            for bots, more in (
                ("house:random,house:random,house:random", ["--seed", seed]),
                ("house:random,house:random,house:random", []),
                ("quiet,house:random,house:random", ["--seed", seed]),
            ):
                words = ["create", "trick-and-trade", "--bots", bots, "--format", "json", *more, *at]
                assert await asyncio.to_thread(session_command, words) == 0
                ids.append(json.loads(capsys.readouterr().out)["session_id"])
                if "quiet" not in bots:
                    assert await asyncio.to_thread(session_command, ["watch", ids[-1], *at]) == 0
                    capsys.readouterr()
            return ids, await asyncio.to_thread(record_command, ["export", "--all", *at])

    (withheld, free, _), code = asyncio.run(go())
    out, err = capsys.readouterr()
    assert code == 1
    assert [json.loads(line)["session"]["id"] for line in out.splitlines()] == [free]
    assert err.splitlines() == [
        f"croupier record export: session {withheld}: another session is still playing the same deal",
        "croupier record export: 1 of 2 records",
    ]


async def test_faults_are_in_the_record(serve, organise, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    server = serve(think_time=0.2, bank=0)
    async with organise(server) as organiser, Slow(server.target, "late") as bot:
        session_id = await organiser.create("late", "house:random", "house:random")
        await bot.over(session_id)
        assert await asyncio.to_thread(record_command, ["export", session_id, "--target", server.target]) == 0
    data = json.loads(capsys.readouterr().out)
    assert violations(data) == []
    faults = data["session"]["faults"]
    assert {(fault["seat"], fault["kind"]) for fault in faults} == {(0, "late")}
    assert len(faults) == 10
    assert {"seat": 0, "vacated": True} in data["inputs"]


# What goes wrong.


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("export", "nothing"), 1, "croupier record export: SESSION: there is no session 'nothing'"),
        (("export",), 2, "name the sessions, or say --all"),
        (("export", "--all", "x"), 2, "name the sessions, or say --all"),
        (("export", "x", "--game", "trades"), 2, "filters go with --all, not with sessions that are named"),
        (("export", "--all", "--label", "x"), 2, "'x' is not name=value"),
        (("export", "x", "--target", "127.0.0.1:1"), 3, "127.0.0.1:1: connection refused"),
    ],
)
def test_what_is_wrong_is_said(run, words, code, said):
    found, out, err = run(*words)
    assert (found, out) == (code, "")
    assert said in " ".join(err.replace("│", " ").split())


def test_a_file_that_cannot_be_written_is_said_and_nothing_is_left(run, play):
    session_id = play()
    code, _, err = run("export", session_id, "-o", "no/such/folder/games.jsonl")
    assert code == 2
    assert "No such file or directory" in err
    assert list(Path().iterdir()) == []


def test_a_running_session_has_no_record_yet(serve, capsys):
    server = serve(think_time=60)
    at = ("--target", server.target)

    async def go():
        async with Slow(server.target, "quiet"):
            words = ["create", "trick-and-trade", "--bots", "quiet,house:random,house:random", "--format", "json", *at]
            assert await asyncio.to_thread(session_command, words) == 0
            session_id = json.loads(capsys.readouterr().out)["session_id"]
            return session_id, await asyncio.to_thread(record_command, ["export", session_id, *at])

    session_id, code = asyncio.run(go())
    assert code == 1
    assert f"session {session_id}: session '{session_id}' is still running" in capsys.readouterr().err
