"""`croupier balance`: what it counts, what it says, and what it refuses."""

import pytest

from croupier_service.balance.games import BOTS, GREEDY, IGNORING, KINDS, RANDOM, WHOLE, Job, Tally, lineups, run
from croupier_service.balance.main import balance
from croupier_service.balance.report import Report


@pytest.fixture(scope="module")
def tallies():
    """One game of each kind and number of seats."""
    jobs = [Job(kind, seats, range(1), "a test") for kind in KINDS for seats in (2, 3, 4)]
    return {(job.kind, job.seats): tally for job, tally in map(run, jobs)}


def test_a_game_is_counted_once(tallies):
    for (kind, seats), tally in tallies.items():
        assert tally.games == tally.rounds.total() == 1
        assert tally.wins_by_order.total() in range(WHOLE - seats, WHOLE + 1)  # a shared win, in whole twelfths
        assert tally.bot_games.total() == seats
        assert tally.played.total() > 0
        assert kind != GREEDY or set(tally.winning_sides) <= set(tally.sides)


def test_the_same_job_is_the_same_game(tallies):
    assert run(Job(RANDOM, 2, range(1), "a test"))[1] == tallies[RANDOM, 2]


def test_tallies_add_up(tallies):
    total = Tally()
    for tally in tallies.values():
        total.add(tally)
    assert total.games == len(tallies)
    assert total.decisions == sum(tally.decisions for tally in tallies.values())


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_all_bots_meet_in_every_seating(seats):
    tables = lineups(IGNORING, seats)
    for seat in range(seats):
        sitting = [table[seat] for table in tables]
        assert {sitting.count(name) for name in BOTS} == {len(tables) // len(BOTS)}
    assert lineups(GREEDY, seats) == [(GREEDY,) * seats]


def test_the_report_names_every_card_and_what_is_missed(tallies):
    report = Report(tallies, "croupier balance trade-and-triumph --games 1")
    for card in report.edition.cards:
        assert f"| {card.name} |" in report.page
    assert any("played" in miss for miss in report.misses)  # one game cannot play every card
    assert "**missed**" in report.page
    assert "croupier balance trade-and-triumph --games 1\n" in report.page


def test_the_command_writes_the_report_and_tells_by_its_exit_code_whether_targets_are_missed(tmp_path, capfd):
    page = tmp_path / "report.md"
    arguments = ["trade-and-triumph", "--games", "1", "--workers", "1", "--seed", "a test", "--output", str(page)]
    assert balance(arguments) == 1
    assert page.read_text("utf-8").startswith("# Balance of Trade and Triumph\n")
    assert "missed: " in capfd.readouterr().err


@pytest.mark.parametrize("arguments", [["bridge"], [], ["trade-and-triumph", "--games", "0"]])
def test_what_cannot_be_is_wrong_usage(arguments, capsys):
    assert balance(arguments) == 2
    assert capsys.readouterr().err
