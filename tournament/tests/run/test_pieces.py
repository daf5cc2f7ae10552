"""Pace, presence, secrets, options on the wire, environments, owners: the small parts of a run."""

import socket
from itertools import count
from pathlib import Path

import pytest

from croupier.v1 import game_pb2
from croupier_games.kernel import games
from croupier_tournament.run.entrants import environment
from croupier_tournament.run.ledger import RUNNING, Entry
from croupier_tournament.run.owner import alive, gone, new_owner
from croupier_tournament.run.pace import FEWEST, WINDOW_S, Meter
from croupier_tournament.run.presence import RETRY_S, Presence
from croupier_tournament.run.secret import commitment, deal_seed, new_secret
from croupier_tournament.run.wire import clock_message, fault_message, options_message, options_table
from croupier_tournament.spec import Clock, Command, Entrant, Faults, SpecError


class Now:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_a_rate_is_that_of_late_and_says_how_long_it_will_take():
    clock = Now()
    meter = Meter(clock)
    for _ in range(FEWEST - 1):
        meter.add()
    clock.now += 4
    assert (meter.rate(), meter.eta_s(100)) == (0.0, None)
    meter.add()
    assert (meter.rate(), meter.eta_s(100)) == (2.0, 50.0)
    clock.now += 2 * WINDOW_S
    for _ in range(10):
        meter.add()
    assert meter.rate() == 10 / WINDOW_S


def test_a_bot_that_is_missing_is_asked_for_again_after_a_while():
    clock = Now()
    presence = Presence(clock)
    assert presence.worth_a_try("s", ["ann"])
    assert presence.missing("s", "ann")
    assert not presence.missing("s", "ann")
    assert not presence.worth_a_try("s", ["bob", "ann"])
    assert presence.worth_a_try("s", ["bob"])
    assert presence.worth_a_try("other", ["ann"])
    clock.now += RETRY_S
    assert presence.worth_a_try("s", ["ann"])


def test_a_bot_that_is_missing_for_long_is_overdue_until_it_comes_or_is_forgotten():
    clock = Now()
    presence = Presence(clock)
    presence.missing("s", "ann")
    presence.missing("s", "bob")
    clock.now += 10
    presence.missing("s", "ann")  # asked for again: still missing since the first time
    assert presence.overdue(9) == [("s", "ann"), ("s", "bob")]
    assert presence.overdue(11) == []
    presence.there("s", ["ann"])
    presence.forget("bob")
    assert presence.overdue(9) == []


def test_a_bot_that_is_full_is_asked_again_after_a_while_and_is_not_missing():
    clock = Now()
    presence = Presence(clock)
    presence.full("s", "ann")
    assert not presence.worth_a_try("s", ["ann"])
    assert presence.overdue(0) == []
    clock.now += RETRY_S
    assert presence.worth_a_try("s", ["ann"])


def test_seeds_follow_from_secret_plan_and_deal():
    secret, plan = new_secret(), "ab" * 32
    assert len(secret) == len(commitment(secret)) == len(deal_seed(secret, plan, 0)) == 32
    assert deal_seed(secret, plan, 1) == deal_seed(secret, plan, 1)
    seeds = {deal_seed(secret, plan, 0), deal_seed(secret, plan, 1), deal_seed(secret, "cd" * 32, 0)}
    assert len(seeds | {deal_seed(new_secret(), plan, 0)}) == 4


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("trick-and-trade", {"first_leader": "0"}),
        ("trades", {"style": "free-for-all", "time_limit_ms": "500", "packs": "2"}),
        ("trades", {"turns_per_seat": "7"}),
        ("trade-and-triumph", {"round_cap": "9", "first_seat": "1"}),
    ],
)
def test_options_go_onto_the_wire_and_come_back(game, options):
    message = options_message(game, options)
    assert message.WhichOneof("options") == game.replace("-", "_")
    assert {name: str(value) for name, value in options_table(game, message).items()} == options


def test_every_game_has_a_place_on_the_wire_for_each_of_its_options():
    for name, game in games().items():
        arm = game_pb2.GameOptions.DESCRIPTOR.fields_by_name[name.replace("-", "_")].message_type
        assert set(getattr(game.options(), "__dataclass_fields__", ())) == set(arm.fields_by_name)


def test_default_options_are_left_to_the_server():
    assert options_message("trades", {}) is None


def test_options_of_a_game_that_the_contract_does_not_know():
    with pytest.raises(SpecError, match="options of chess cannot be sent"):
        options_message("chess", {"variant": "960"})


def test_what_a_spec_does_not_say_is_left_to_the_server():
    assert clock_message(Clock()) == game_pb2.ClockSettings()
    assert clock_message(Clock(0.5, 0.0)) == game_pb2.ClockSettings(think_time_ms=500, bank_ms=0)
    assert fault_message(Faults()) == game_pb2.FaultSettings()
    expected = game_pb2.FaultSettings(policy=game_pb2.FAULT_POLICY_FORFEIT, max_faults=3)
    assert fault_message(Faults("forfeit", 3)) == expected


def test_a_bot_gets_its_own_token_and_nobody_elses(monkeypatch):
    for name, value in {"CROUPIER_TOKEN": "runner's", "A_TOKEN": "a's", "B_TOKEN": "b's", "OTHER": "x"}.items():
        monkeypatch.setenv(name, value)
    mine = Command(("bot",), token_env="A_TOKEN")
    everybody = [Entrant("a", mine), Entrant("b", Command(("bot",), token_env="B_TOKEN"))]
    given = environment(everybody[0], mine, "host:1", everybody)
    assert (given["CROUPIER_TOKEN"], given["CROUPIER_NAME"], given["CROUPIER_TARGET"]) == ("a's", "a", "host:1")
    assert given["OTHER"] == "x"
    assert not {"A_TOKEN", "B_TOKEN"} & set(given)
    assert "runner's" not in given.values()


def test_a_bot_without_a_token_gets_none(monkeypatch):
    monkeypatch.setenv("CROUPIER_TOKEN", "runner's")
    mine = Command(("bot",))
    assert "CROUPIER_TOKEN" not in environment(Entrant("a", mine), mine, "host:1", [Entrant("a", mine)])


def test_an_owner_is_gone_when_its_process_is():
    here = socket.gethostname()
    free = next(pid for pid in count(4_000_000) if not Path(f"/proc/{pid}").exists())
    assert not gone(new_owner())
    assert gone(f"{here}/{free}/x")
    assert not gone(f"elsewhere/{free}/x")
    assert not gone("what")


def test_somebody_is_alive_who_has_said_so_lately():
    entry = Entry("t", 1, "", {}, "", 1, b"", RUNNING, 0.0, owner="elsewhere/1/x", heartbeat=100.0)
    assert alive(entry, 110.0)
    assert not alive(entry, 120.0)
