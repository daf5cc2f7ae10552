"""``croupier session`` against a real server: what people and programs are told, and with which exit code."""

import asyncio
import json
import signal

import pytest
from bots import Honest, Slow
from processes import Process, command

from croupier_games.kernel import Seed, games
from croupier_service.cli.session import session as session_command

THREE = "house:greedy,house:random,house:greedy"
SEATS = {"trick-and-trade": 3, "trick-stakes": 3, "trades": 3, "trade-and-triumph": 2}


@pytest.fixture
def run(server, capsys, monkeypatch):
    """Runs ``croupier session`` with these words; gives exit code, stdout and stderr."""
    monkeypatch.setenv("CROUPIER_TARGET", server.target)

    def run(*words):
        code = session_command([str(word) for word in words])
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def create(run):
    """Creates a session; gives its id."""

    def create(*words, game="trick-and-trade", bots=THREE):
        code, out, err = run("create", game, "--bots", bots, "--format", "json", *words)
        assert code == 0, err
        return json.loads(out)["session_id"]

    return create


def lines(out):
    return [json.loads(line) for line in out.splitlines()]


# Watching.


@pytest.mark.parametrize("game", SEATS)
def test_every_game_is_watched_to_its_end_line_by_line(run, create, game):
    bots = ["house:greedy", *["house:random"] * (SEATS[game] - 1)]
    options = ["--option", "round_cap=4"] if game == "trade-and-triumph" else []
    session_id = create(*options, game=game, bots=",".join(bots))
    code, out, err = run("watch", session_id)
    assert (code, err) == (0, "")
    assert f"{games()[game].title} · " in out
    assert "· over" in out
    assert "\nOver after " in out
    assert "The seed was " in out
    assert "\x1b" not in out


def test_programs_are_told_the_contracts_messages(run, create):
    session_id = create()
    code, out, _ = run("watch", session_id, "--format", "json")
    assert code == 0
    first, *_, last = lines(out)
    assert first["view"]["trick_and_trade"]["table"]["round"] == 1
    assert last["end"]["reason"] == "END_REASON_FINISHED"
    events = [line["event"]["seq"] for line in lines(out) if "event" in line]
    assert events == [str(number) for number in range(1, len(events) + 1)]
    part = lines(run("watch", session_id, "--format", "json", "--from", len(events) - 2)[1])
    assert [line["event"]["seq"] for line in part if "event" in line] == events[-2:]


async def test_a_session_that_goes_on_is_shown_as_far_as_it_is_and_followed_only_if_asked_for(server, organise, run):
    async with organise(server) as organiser, Honest(server.target, "viewed") as bot:
        session_id = await organiser.create("viewed", "house:random", "house:greedy")
        await bot.over(session_id)
        waiting = await organiser.create("viewed", "house:random", "house:greedy", spectator_delay_ms=60_000)
        code, out, _ = await asyncio.to_thread(run, "watch", waiting, "--no-follow", "--format", "json")
        assert (code, out) == (0, "")  # nothing may be seen yet
        await organiser.server.sessions.AbortSession(abort_of(waiting))
    code, out, _ = await asyncio.to_thread(run, "watch", session_id, "--no-follow", "--view", "live")
    assert code == 0
    assert "Over after " in out


def abort_of(session_id):
    from croupier.v1.session_pb2 import AbortSessionRequest

    return AbortSessionRequest(session_id=session_id)


def test_a_pipe_that_is_closed_early_is_no_trouble(server, create):
    session_id = create()
    with Process(*command(), "session", "watch", session_id, "--format", "json", "--target", server.target) as watcher:
        assert "view" in watcher.hear()
        watcher._process.stdout.close()
        assert watcher.wait() in (0, 1)
        assert "Traceback" not in watcher.stderr()


async def test_after_a_restart_a_session_is_shown_the_same_with_its_faults(serve, organise, capsys, tmp_path):
    store = tmp_path / "store.db"
    server = serve(store=store, think_time=0.2, bank=0)
    words = ["--format", "json", "--target"]
    async with organise(server) as organiser, Slow(server.target, "slow") as bot:
        session_id = await organiser.create("slow", "house:random", "house:greedy")
        await bot.over(session_id)
        assert await asyncio.to_thread(session_command, ["watch", session_id, *words, server.target]) == 0
    before = capsys.readouterr().out
    server.signal(signal.SIGTERM)
    assert server.wait() == 0
    again = serve(store=store)
    assert await asyncio.to_thread(session_command, ["watch", session_id, *words, again.target]) == 0
    assert capsys.readouterr().out == before
    assert {name for line in lines(before) for name in line.get("event", {})} == {"seq", "moved", "faulted", "vacated"}


# Creating, listing, showing, aborting.


def test_a_session_is_created_as_asked_for(run, create):
    seed = Seed.of("a test").hex()
    session_id = create(
        *("--seed", seed, "--label", "cup=spring", "--label", "round=1", "--option", "first_leader=2"),
        *("--think-time", "1.5", "--bank", "3", "--increment", "0.25", "--max-faults", "7", "--attempts", "2"),
        *("--forfeit", "--spectator-delay", "2"),
    )
    (shown,) = lines(run("show", session_id, "--format", "json")[1])
    assert shown["labels"] == {"cup": "spring", "round": "1"}
    assert shown["options"] == {"trick_and_trade": {"first_leader": 2}}
    assert shown["clock"] == {"think_time_ms": 1500, "bank_ms": 3000, "increment_ms": 250}
    assert shown["faults"] == {"policy": "FAULT_POLICY_FORFEIT", "max_faults": 7, "attempts": 2}
    assert shown["spectator_delay_ms"] == 2000
    assert "seed_commitment" not in shown
    again = create("--seed", seed, "--option", "first_leader=2")
    results = [lines(run("watch", one, "--format", "json")[1])[-1]["end"]["result"] for one in (session_id, again)]
    assert results[0] == results[1]


def test_a_session_is_shown_for_people(run, create):
    session_id = create("--label", "cup=spring")
    run("watch", session_id)
    code, out, _ = run("show", session_id)
    assert code == 0
    for what in (f"session {session_id}", "trick-and-trade, rules 1", "finished", "cup=spring", "commitment", "place"):
        assert what in out


def test_asking_again_under_the_same_request_id_gives_the_same_session(run, create):
    assert create("--request-id", "once by command") == create("--request-id", "once by command")


def test_a_new_session_can_be_watched_at_once(run):
    code, out, _ = run("create", "trick-and-trade", "--bots", THREE, "--watch")
    assert code == 0
    assert "\nOver after " in out


def test_sessions_are_listed_newest_first_with_filters_and_a_limit(run, create):
    ids = [create("--label", "list=me") for _ in range(3)]
    for one in ids:
        run("watch", one)
    code, out, err = run("list", "--label", "list=me", "--state", "finished", "--format", "json")
    assert (code, err) == (0, "")
    assert [one["session_id"] for one in lines(out)] == ids[::-1]
    code, out, err = run("list", "--label", "list=me", "--limit", "2")
    assert [line.split()[0] for line in out.splitlines()] == ["session", ids[2], ids[1]]
    assert err == "croupier session list: there are more than these 2; --limit shows them\n"
    assert run("list", "--game", "trades", "--label", "list=me")[1] == "no such sessions\n"
    assert run("list", "--bot", "nobody", "--label", "list=me")[1] == "no such sessions\n"


async def test_a_running_session_is_aborted_once(server, organise, run):
    async with organise(server) as organiser, Honest(server.target, "struck") as bot:
        session_id = await organiser.create("struck", "house:random", "house:greedy", clock={"think_time_ms": 60_000})
        await bot.over(session_id)  # an honest bot is quick: it is over already
        code, out, err = await asyncio.to_thread(run, "abort", session_id)
        assert (code, out) == (1, "")
        assert err == f"croupier session abort: SESSION: session '{session_id}' is over already\n"


def test_several_sessions_are_aborted_as_far_as_they_can_be(serve, capsys):
    server = serve(think_time=60)

    async def go():
        async with Slow(server.target, "quiet"):  # asked, and silent
            words = ["create", "trick-and-trade", "--bots", "quiet,house:random,house:random", "--format", "json"]
            assert await asyncio.to_thread(session_command, [*words, "--target", server.target]) == 0
            session_id = json.loads(capsys.readouterr().out)["session_id"]
            words = ["abort", session_id, "nothing", "--target", server.target]
            return session_id, await asyncio.to_thread(session_command, words)

    session_id, code = asyncio.run(go())
    out, err = capsys.readouterr()
    assert code == 1
    assert out.startswith(f"session {session_id} is aborted after ")
    assert err == "croupier session abort: SESSION: there is no session 'nothing'\n"


# What is wrong is said in one line, by the name of the option.


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("show", "nothing"), 1, "croupier session show: SESSION: there is no session 'nothing'\n"),
        (("watch", "nothing"), 1, "croupier session watch: SESSION: there is no session 'nothing'\n"),
        (("abort", "nothing"), 1, "croupier session abort: SESSION: there is no session 'nothing'\n"),
        (
            ("create", "whist", "--bots", THREE),
            *(1, "croupier session create: GAME: no game is called 'whist'; there are: "),
        ),
        (
            ("create", "trick-and-trade", "--bots", f"{THREE},nobody"),
            *(1, "croupier session create: --bots, number 4: no bot called 'nobody' "),
        ),
        (
            ("create", "trick-and-trade", "--bots", "house:greedy"),
            *(1, "croupier session create: --bots: Trick and Trade is played with 3 to 5 seats, not 1\n"),
        ),
        (
            ("create", "trick-and-trade", "--bots", THREE, "--option", "first_leader=3"),
            *(
                1,
                "croupier session create: --option first_leader: the first leader is a seat, 0 to 2, or none; not 3\n",
            ),
        ),
        (
            ("create", "trick-and-trade", "--bots", THREE, "--think-time", "90000"),
            *(1, "croupier session create: --think-time: "),
        ),
        (
            ("create", "trick-and-trade", "--bots", THREE, "--attempts", "11"),
            *(1, "croupier session create: --attempts: "),
        ),
        (
            ("show", "nothing", "--target", "127.0.0.1:1"),
            *(3, "croupier session show: 127.0.0.1:1: connection refused (is a server running there? --target or "),
        ),
    ],
)
def test_what_the_server_refuses_is_said_in_one_line(run, words, code, said):
    found, out, err = run(*words)
    assert (found, out) == (code, "")
    assert err.startswith(said)
    assert err.count("\n") == 1


def test_a_number_beyond_the_end_is_refused(run, create):
    session_id = create()
    run("watch", session_id)
    code, out, err = run("watch", session_id, "--from", "9999", "--format", "json")
    assert (code, out) == (1, "")
    assert err.startswith("croupier session watch: --from: is 9,999, but the session is over and has ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("create", "trick-and-trade"), "Missing option '--bots'"),
        (("create", "trick-and-trade", "--bots", THREE, "--seed", "12"), "is 64 hexadecimal digits, not '12'"),
        (("create", "trick-and-trade", "--bots", THREE, "--label", "x"), "'x' is not name=value"),
        (("create", "trick-and-trade", "--bots", THREE, "--option", "jokers=2"), "jokers no such option"),
        (("create", "whist", "--bots", THREE, "--option", "x=1"), "no game is called 'whist'"),
        (("list", "--limit", "0"), "--limit"),
        (("watch",), "Missing argument 'SESSION'"),
        (("deal",), "No such command 'deal'"),
    ],
)
def test_wrong_usage_is_exit_code_2(run, words, said):
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert said in " ".join(err.replace("│", " ").split())


def test_help_says_what_the_exit_codes_are(run):
    code, out, _ = run("--help")
    assert code == 0
    assert "Exit codes: 0 done, 1 the server refused" in " ".join(out.split())
    for command_name in ("list", "show", "create", "abort", "watch"):
        assert run(command_name, "--help")[0] == 0
