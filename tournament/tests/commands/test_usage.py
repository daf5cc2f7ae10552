"""``croupier tournament``: what it says of itself, and of what is wrong, without playing anything."""

import asyncio
import json
import signal
import tomllib

import pytest

from croupier_tournament.commands import guard
from croupier_tournament.main import tournament
from croupier_tournament.run.folder import Folder
from croupier_tournament.run.hosting import Hosted
from croupier_tournament.run.ledger import FINISHED, LEASED, PAUSED, Game
from croupier_tournament.run.servers import ServerUnfit
from croupier_tournament.run.tournament import load
from croupier_tournament.spec import Problem, SpecError, read_spec

COMMANDS = (
    "init",
    "plan",
    "run",
    "resume",
    "pause",
    "cancel",
    "status",
    "standings",
    "report",
    "verify",
    "watch",
    "serve",
)
SPEC = """\
game = "trick-and-trade"
seats = 3
blocks = 4
[[entrants]]
name = "ann"
house = "greedy"
[[entrants]]
name = "bob"
house = "random"
[[entrants]]
name = "cat"
remote = true
"""


@pytest.fixture
def spec(tmp_path):
    path = tmp_path / "spring.toml"
    path.write_text(SPEC)
    return path


@pytest.fixture
def folder(tmp_path):
    """A tournament that nobody runs."""
    place = Folder(tmp_path / "spring")

    async def create():
        ledger, _ = await place.create(tomllib.loads(SPEC), text=SPEC, programs=tmp_path)
        await ledger.close()

    asyncio.run(create())
    return place.path


def said(capsys):
    out, err = capsys.readouterr()
    return " ".join(out.split()), " ".join(err.split())


def test_no_terminal_obeys_a_title(spec, capsys):
    spec.write_text(r'title = "x\u001b[31mRED"' + "\n" + SPEC)
    assert tournament(["plan", str(spec), "--no-probe"]) == 2
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err
    assert "title" in err


def test_no_terminal_obeys_what_is_printed(capsys):
    guard.stdout().print("x\x1b[31mRED", markup=False)
    guard.complain("x\x1b[31mRED")
    out, err = capsys.readouterr()
    assert (out, err) == ("x\\u001b[31mRED\n", "croupier tournament: x\\u001b[31mRED\n")


def test_help_lists_the_commands_and_the_exit_codes(capsys):
    assert tournament(["--help"]) == 0
    out, _ = said(capsys)
    for words in (*COMMANDS, "Exit codes of all commands: 0 done", "130 stopped by Ctrl-C"):
        assert words in out


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_a_help_of_its_own(capsys, command):
    assert tournament([command, "--help"]) == 0
    assert f"Usage: croupier tournament {command}" in said(capsys)[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["win"], "No such command 'win'"),
        (["plan"], "Missing argument 'SPEC'"),
        (["run", "x.toml", "--format", "xml"], "'xml' is not one of"),
        (["verify", "x", "--jobs", "0"], "--jobs"),
        (["serve", "--listen", "here"], "--listen: is host:port, such as 127.0.0.1:7701, not 'here'"),
        (["serve", "--listen", "0.0.0.0:7701"], "--listen: 0.0.0.0 can be reached from other machines"),
        (["serve", "--metrics", "0.0.0.0:9465"], "--metrics: 0.0.0.0 can be reached from other machines"),
        (["run", "x.toml", "--web", "0.0.0.0:80"], "--web: 0.0.0.0 can be reached from other machines"),
        (["watch", "x", "--web", "here"], "--web: is a port, or host:port, such as 8080 or 127.0.0.1:8080, not 'here'"),
        (["run", "x.toml", "--web-proxy", "10.0.0.1"], "--web-proxy: is for the page, which --web turns on"),
        (["run", "x.toml", "--web", "0", "--web-proxy", "nginx"], "--web-proxy: a proxy is an address, or a network"),
        (["watch", "x", "--web", "off"], "'off' leaves nothing to do"),
        (["serve", "--web", "0.0.0.0:8080"], "--web: 0.0.0.0 can be reached from other machines"),
        (["serve", "--listen", "0.0.0.0:7701", "--auth", "--server", "a:1"], "would be without TLS (--tls-cert,"),
        (["serve", "--auth"], "--auth: tokens are those of the game servers: name one with --server"),
        (["serve", "--tls-key", "key.pem"], "--tls-cert: TLS takes both --tls-cert and --tls-key"),
        (["serve", "--tls-cert", "no.pem", "--tls-key", "no-key.pem"], "--tls-cert: cannot read no.pem"),
        (["serve", "--log-level", "loud"], "--log-level: is one of debug, info, warning, error"),
        (["init", "--game", "poker"], "--game: no game is called 'poker'"),
    ],
)
def test_wrong_usage_has_exit_code_2(capsys, arguments, words):
    assert tournament(arguments) == 2
    assert words in said(capsys)[1]


def test_init_writes_a_spec_that_can_be_played_and_replaces_nothing_unasked(tmp_path, capsys):
    path = tmp_path / "t.toml"
    assert tournament(["init", str(path), "--game", "trades"]) == 0
    assert read_spec(path.read_text()).game == "trades"
    assert f"croupier tournament run {path}" in said(capsys)[0]
    path.write_text("mine")
    assert tournament(["init", str(path)]) == 2
    assert (path.read_text(), "is there already; --force replaces it" in said(capsys)[1]) == ("mine", True)
    assert tournament(["init", str(path), "--force"]) == 0


def test_init_suggests_commands_that_can_be_copied(tmp_path, capsys):
    path = tmp_path / "my cup.toml"
    assert tournament(["init", str(path)]) == 0
    assert f"croupier tournament run '{path}'" in said(capsys)[0]
    assert f"croupier tournament plan '{path}'" in path.read_text()


@pytest.mark.parametrize(
    ("name", "why"), [("nodir/x.toml", "there is no folder"), ("x.toml/y.toml", "Not a directory")]
)
def test_init_says_why_a_file_cannot_be_written(tmp_path, capsys, name, why):
    (tmp_path / "x.toml").write_text("")
    assert tournament(["init", str(tmp_path / name)]) == 1
    assert f"croupier tournament: {tmp_path / name} cannot be written: {why}" in said(capsys)[1]


def test_a_plan_for_people_and_for_programs(spec, capsys):
    assert tournament(["plan", str(spec), "--no-probe"]) == 0
    out, _ = said(capsys)
    for words in ("12 on 4 deals", "ann (house:greedy)", "cat (remote)", "1 table ", "Balance"):
        assert words in out
    assert tournament(["plan", str(spec), "--no-probe", "--format", "json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert (plan["games"], plan["blocks"], len(plan["plan_hash"]), plan["seconds"]) == (12, 4, 64, None)
    assert plan["plan_hash"] in out
    assert plan["balance"][-1] == {
        "blocks": 4,
        "played": [4, 4],
        "pairs": [4, 4],
        "seats": [4, 4],
        "neighbours": [6, 6],
    }


@pytest.mark.parametrize("command", ["plan", "run"])
def test_a_spec_that_cannot_be_played_is_told_by_line_and_field(spec, capsys, command):
    spec.write_text(SPEC.replace("seats = 3", "seats = 9").replace('"random"', "7"))
    assert tournament([command, str(spec)]) == 2
    _, err = said(capsys)
    assert "croupier tournament: line 2: seats: Trick and Trade is played with 3 to 5 seats, not 9" in err
    assert "line 9: entrants[1].house: is a text of 1 to 64 characters, not 7" in err
    assert not spec.with_suffix("").exists()


def test_a_plan_that_cannot_be_made_is_told_by_field(spec, capsys):
    spec.write_text(
        SPEC.replace("blocks = 4", 'format = "design"\ndeals = 1') + "".join(map(ONE_MORE.format, range(99)))
    )
    assert tournament(["plan", str(spec), "--no-probe"]) == 2
    assert "croupier tournament: " in said(capsys)[1]


ONE_MORE = '[[entrants]]\nname = "more-{}"\nhouse = "random"\n'


@pytest.mark.parametrize("command", ["plan", "run"])
def test_a_spec_that_is_not_there(tmp_path, capsys, command):
    assert tournament([command, str(tmp_path / "none.toml")]) == 1
    assert "there is no file" in said(capsys)[1]


@pytest.mark.parametrize("command", ["resume", "pause", "cancel", "status", "standings", "report"])
def test_a_folder_without_a_tournament(tmp_path, capsys, command):
    assert tournament([command, str(tmp_path)]) == 1
    assert f"there is no tournament in {tmp_path}: runner.json is missing" in said(capsys)[1]


def test_verify_in_a_folder_without_a_tournament(tmp_path, capsys):
    assert tournament(["verify", str(tmp_path)]) == 1
    assert "tournament.json is missing" in said(capsys)[1]


def test_a_folder_that_is_taken_is_not_used_again(folder, spec, capsys):
    assert tournament(["run", str(spec)]) == 1
    assert "has a tournament already: resume it, or choose another folder with --dir" in said(capsys)[1]


def test_status_of_a_tournament_that_nobody_runs(folder, capsys):
    assert tournament(["status", str(folder), "--format", "json"]) == 0
    status = json.loads(capsys.readouterr().out)
    assert (status["state"], status["run_by"]) == ("interrupted", None)
    assert status["games"] == {"planned": 12, "final": 0, "begun": 0, "voided": 0}
    assert tournament(["status", str(folder)]) == 0
    assert "0 of 12 are final" in said(capsys)[0]


def test_nobody_can_be_told_to_pause(folder, capsys):
    assert tournament(["pause", str(folder)]) == 1
    assert "nobody runs the tournament, so there is nothing to pause" in said(capsys)[1]


def test_a_tournament_that_nobody_runs_is_cancelled_at_once_and_for_good(folder, capsys):
    assert tournament(["cancel", str(folder)]) == 0
    document = json.loads((folder / "tournament.json").read_text())
    assert (document["state"], len(document["secret"])) == ("cancelled", 64)
    for command in ("cancel", "pause"):
        assert tournament([command, str(folder)]) == 1
    assert "the tournament is cancelled already" in said(capsys)[1]
    assert tournament(["resume", str(folder)]) == 1
    assert "there is nothing left to play" in said(capsys)[1]


def test_a_runner_is_told_by_way_of_the_ledger(folder, capsys):
    async def with_runner(work):
        ledger, it = await Folder(folder).open()
        async with ledger:
            import time

            await ledger.take(it.id, "elsewhere/1/x", time.time())
            await asyncio.to_thread(work)
            return await ledger.beat(it.id, "elsewhere/1/x", time.time())

    assert asyncio.run(with_runner(lambda: tournament(["pause", str(folder)]))) == PAUSED
    assert "elsewhere/1/x has been told" in said(capsys)[0]


def test_a_second_runner_is_refused(folder, capsys):
    async def taken():
        ledger, it = await Folder(folder).open()
        async with ledger:
            import time

            await ledger.take(it.id, "elsewhere/1/x", time.time())

    asyncio.run(taken())
    assert tournament(["resume", str(folder)]) == 1
    assert "the tournament is being run by elsewhere/1/x" in said(capsys)[1]


def test_a_spec_that_was_changed_so_that_another_plan_follows_is_refused(folder, capsys):
    (folder / "spec.toml").write_text(SPEC.replace("blocks = 4", "blocks = 5"))
    assert tournament(["resume", str(folder)]) == 1
    assert "the plan is no longer that of the tournament" in said(capsys)[1]


def test_how_it_is_run_may_be_changed(folder):
    changed = SPEC + "[run]\nconcurrency = 3\n[stopping]\nhalf_width = 20\n"
    (folder / "spec.toml").write_text(changed)

    async def opened():
        ledger, it = await Folder(folder).open()
        async with ledger:
            again = await load(ledger, it.id)
            assert again.plan.hash == it.plan.hash
            return it.spec

    spec = asyncio.run(opened())
    assert (spec.running.concurrency, spec.stopping.half_width) == (3, 20.0)


def test_a_tournament_that_is_finished_already_is_resumed_by_doing_nothing(folder, capsys):
    async def finish():
        ledger, it = await Folder(folder).open()
        async with ledger:
            await ledger.set_state(it.id, FINISHED)

    asyncio.run(finish())
    assert tournament(["resume", str(folder)]) == 0
    assert said(capsys) == ("", f"finished already; its files are in {folder}")


def ends(monkeypatch, outcome, *signals):
    """Let whatever is run end like this, after these signals."""
    monkeypatch.setattr("croupier_tournament.commands.playing._stopper", lambda _, __, heard: heard.extend(signals))

    async def run(self):
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    monkeypatch.setattr(Hosted, "run", run)


@pytest.mark.parametrize(("state", "code"), [(FINISHED, 0), (PAUSED, 130)])
def test_ctrl_c_decides_the_exit_code_only_where_the_tournament_is_not_finished(folder, monkeypatch, state, code):
    ends(monkeypatch, state, signal.SIGINT)
    assert tournament(["resume", str(folder)]) == code


@pytest.mark.parametrize("error", [SpecError([Problem("entrants[0].house", "no")]), ServerUnfit("old rules")])
def test_a_run_that_takes_another_spec_leaves_nothing_behind(spec, capsys, monkeypatch, error):
    ends(monkeypatch, error)
    for _ in range(2):
        assert tournament(["run", str(spec)]) == (2 if isinstance(error, SpecError) else 1)
        assert str(error) in said(capsys)[1]
        assert not spec.with_suffix("").exists()


def test_a_run_that_takes_another_spec_leaves_alone_what_was_in_its_folder(spec, monkeypatch):
    ends(monkeypatch, ServerUnfit("old rules"))
    for _ in range(2):
        assert tournament(["run", str(spec), "--dir", str(spec.parent)]) == 1
        assert spec.read_text() == SPEC
        assert not Folder(spec.parent).taken


async def test_a_tournament_of_which_a_game_has_begun_does_not_move_out(tmp_path):
    place = Folder(tmp_path / "it")
    ledger, it = await place.create(tomllib.loads(SPEC), text=SPEC, programs=tmp_path)
    async with ledger:
        await ledger.write(it.id, [Game(0, 0, LEASED, 0, "me", 1.0, "s", ("a", "b", "c"))])
        await place.move_out(ledger, it)
    assert place.taken


async def test_a_tournament_that_was_there_before_does_not_move_out(folder):
    place = Folder(folder)
    ledger, it = await place.open()
    async with ledger:
        await place.move_out(ledger, it)
    assert place.taken


@pytest.mark.parametrize("command", ["run", "resume"])
@pytest.mark.parametrize("address", ["foo", "127.0.0.1:", "127.0.0.1:99999"])
def test_metrics_that_can_be_served_nowhere_leave_nothing_behind(spec, capsys, command, address):
    assert tournament([command, str(spec), "--metrics", address]) == 2
    assert f"--metrics: is host:port, such as 127.0.0.1:7701, not '{address}'" in said(capsys)[1]
    assert not spec.with_suffix("").exists()


async def test_a_spec_may_begin_with_a_byte_order_mark(spec, folder, capsys):
    spec.write_text(SPEC, "utf-8-sig")
    assert await asyncio.to_thread(tournament, ["plan", str(spec), "--no-probe"]) == 0
    (folder / "spec.toml").write_text(SPEC, "utf-8-sig")
    ledger, it = await Folder(folder).open()
    await ledger.close()
    assert it.names == ("ann", "bob", "cat")
