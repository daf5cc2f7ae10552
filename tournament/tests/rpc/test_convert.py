"""What everybody is shown over gRPC, and when."""

import pytest

from croupier.v1 import game_pb2
from croupier.v1 import tournament_pb2 as pb
from croupier_tournament.plan import GameKey
from croupier_tournament.rpc.convert import match_message, spec_message, table_of, tournament_message
from croupier_tournament.rpc.errors import bad_spec, field_name
from croupier_tournament.run.events import Progress
from croupier_tournament.run.ledger import (
    CANCELLED,
    FINAL,
    FINISHED,
    LEASED,
    PAUSED,
    REPORTED,
    RUNNING,
    VOID,
    Entry,
    Game,
)
from croupier_tournament.run.tournament import Tournament, plan_of
from croupier_tournament.spec import SpecError
from croupier_tournament.spec.reading import spec_of

TABLE = {
    "title": "Spring",
    "game": "trades",
    "seats": 3,
    "format": "gauntlet",
    "blocks": 7,
    "champion": "ann",
    "seed": "s",
    "options": {"style": "free-for-all", "time_limit_ms": 700},
    "entrants": [
        {"name": "ann", "remote": True},
        {"name": "bob", "house": "greedy"},
        {"name": "cat", "command": ["./cat", "--fast"], "limits": {"cpu_s": 9, "memory_mib": 0, "restarts": 0}},
        {"name": "dan", "command": ["./dan"], "limits": {"memory_mib": 100, "files": 0, "time_s": 60}},
    ],
    "clock": {"think_time_s": 0.5, "bank_s": 0.0},
    "faults": {"policy": "forfeit", "max_faults": 3},
    "stopping": {"half_width": 25.0},
    "run": {"concurrency": 7},
}
SECRET = bytes(range(32))
PROGRESS = Progress(21, 1, 0, 0, 2.0, 3.5)


@pytest.fixture(scope="module")
def tournament():
    spec = spec_of(TABLE)
    plan = plan_of(spec)
    return Tournament(Entry("t", 1, "Spring", TABLE, plan.hash, 1, SECRET, RUNNING, 1000.0), spec, plan)


def entry(tournament, state):
    return Entry("t", 1, "Spring", TABLE, tournament.plan.hash, 1, SECRET, state, 1000.0)


def test_a_spec_goes_onto_the_wire_and_comes_back():
    spec = spec_of(TABLE)
    assert spec_of(table_of(spec_message(spec), {})) == spec


def test_the_services_own_way_of_running_is_kept_but_for_the_concurrency():
    message = spec_message(spec_of(TABLE))
    run = table_of(message, {"servers": ["a:1"], "concurrency": 99})["run"]
    assert run == {"servers": ["a:1"], "concurrency": 7}
    message.concurrency = 0
    assert table_of(message, {"concurrency": 99})["run"] == {"concurrency": 99}


def test_nothing_that_is_unset_is_made_up():
    table = table_of(pb.TournamentSpec(game="trades", seats=3, deals=4), {})
    assert table == {
        "game": "trades",
        "seats": 3,
        "format": "balanced",
        "blocks": 4,
        "entrants": [],
        "stopping": {},
        "run": {},
    }


def test_a_policy_that_there_is_not_comes_through_to_be_refused():
    message = pb.TournamentSpec(faults=game_pb2.FaultSettings(policy=9))
    assert table_of(message, {})["faults"]["policy"] == "number 9"


def test_a_remote_entrant_dials_in_under_its_own_name():
    message = pb.TournamentSpec(entrants=[pb.Entrant(name="ann", remote="ann"), pb.Entrant(name="ann", remote="bob")])
    with pytest.raises(SpecError) as caught:
        table_of(message, {})
    assert bad_spec(caught.value).violations == [
        ("spec.entrants[1].remote", "is the name of the entrant, not 'bob'"),
    ]


def test_a_clock_is_bounded_in_the_milliseconds_of_the_request():
    message = pb.TournamentSpec(clock=game_pb2.ClockSettings(think_time_ms=86_400_000, bank_ms=4_294_967_295))
    with pytest.raises(SpecError) as caught:
        table_of(message, {})
    assert bad_spec(caught.value).violations == [
        ("spec.clock.bank_ms", "is 0 to 86,400,000 milliseconds, not 4,294,967,295"),
    ]


@pytest.mark.parametrize("state", [RUNNING, PAUSED])
def test_the_secret_is_shown_to_nobody_before_the_end(tournament, state):
    message = tournament_message(tournament, entry(tournament, state), PROGRESS)
    assert message.secret == b""
    assert SECRET not in message.SerializeToString()
    assert message.secret_commitment == tournament.commitment


@pytest.mark.parametrize("state", [FINISHED, CANCELLED])
def test_the_secret_is_shown_at_the_end(tournament, state):
    assert tournament_message(tournament, entry(tournament, state), PROGRESS).secret == SECRET


def game(state):
    over = {"points": (3, 2, 1), "placings": (1, 2, 3), "forfeited": (False,) * 3}
    return Game(0, 1, state, 0, "me", 1.0, "host:1", ("a", "b", "c"), session="s", **over)


@pytest.mark.parametrize("state", [LEASED, REPORTED, VOID])
def test_neither_result_nor_seed_is_shown_before_the_whole_block_is_final(tournament, state):
    match = match_message(tournament, GameKey(0, 1), game(state))
    assert (match.number, match.replay, match.session_id, match.server) == (1, 1, "s", "host:1")
    assert (match.deal_seed, match.HasField("result")) == (b"", False)
    assert tournament.deal_seed(0) not in match.SerializeToString()


def test_a_game_of_a_final_block_is_shown_with_result_and_seed(tournament):
    match = match_message(tournament, GameKey(0, 1), game(FINAL))
    assert (list(match.result.points), list(match.result.placings)) == ([3, 2, 1], [1, 2, 3])
    assert match.deal_seed == tournament.deal_seed(0)


def test_a_game_that_has_not_begun_is_only_planned(tournament):
    match = match_message(tournament, GameKey(2, 0), None)
    assert (match.number, match.session_id, tuple(match.entrants)) == (6, "", tournament.seating(GameKey(2, 0)))


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ("seats", "spec.seats"),
        ("blocks", "spec.deals"),
        ("seed", "spec.plan_seed"),
        ("clock.bank_s", "spec.clock.bank_ms"),
        ("entrants[3].limits.memory_mib", "spec.entrants[3].command.memory_limit_mib"),
        ("", "spec"),
    ],
)
def test_fields_are_named_as_in_the_request(field, name):
    assert field_name(field) == name
