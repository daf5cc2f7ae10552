import io

import pytest
from reports import cup, report_of
from rich.console import Console
from simulated_games import ranked

from croupier_tournament.report import StandingsTable
from croupier_tournament.report.table import WIDE


def shown(report, width=80):
    console = Console(file=io.StringIO(), width=width, highlight=False)
    console.print(StandingsTable(report))
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines), default=0) <= width
    return [line.rstrip() for line in lines]


def heads(report, width):
    """The names of the columns."""
    return next(line for line in shown(report, width) if "rating" in line).split()


def test_a_table_of_eighty_columns():
    assert "\n".join(shown(cup())).strip("\n") == NARROW.strip("\n")


def test_a_wide_table():
    assert "\n".join(shown(cup(), 120)).strip("\n") == WIDER.strip("\n")


@pytest.mark.parametrize("width", [60, 80, WIDE, 200])
def test_long_names_and_many_faults_fit(width):
    names = tuple(f"{letter}-very-long-name-for-a-bot-that-plays-quite-well-and-fair-too" for letter in "abcde")
    report = report_of(list(cup().results and ranked("0123 1234 2340 3401")), names)
    assert any("…" in line for line in shown(report, width)) or width == 200


def test_without_a_fault_there_is_no_column_for_faults():
    for width in (80, 120):
        assert heads(report_of(ranked("0123 1230")), width)[-1] == "best"


@pytest.mark.parametrize(
    ("width", "left_out"),
    [(68, set()), (67, {"place"}), (61, {"place"}), (60, {"place", "wins"}), (55, {"place", "wins"})],
)
def test_a_narrow_table_has_fewer_columns_and_all_their_digits(width, left_out):
    assert set(heads(cup(), 80)) - set(heads(cup(), width)) == left_out
    assert any(">99%" in line and "1633 ±27" in line for line in shown(cup(), width))


def test_brackets_in_names_are_no_markup():
    lines = shown(report_of(ranked("012"), ("[red]a[/red]", "[b", "c")))
    assert any("[red]a[/red]" in line for line in lines)
    assert any("[b" in line for line in lines)


def test_few_deals_have_no_intervals_and_say_so():
    lines = shown(report_of(ranked("0123 1230")))
    assert not any("±" in line for line in lines if "rating:" not in line)
    assert "from 30 deals of a bot on there are intervals" in lines


def test_a_rating_that_leans_on_the_ghost_has_a_star():
    lines = shown(report_of(ranked("0123 0231 0312")))
    assert next(line for line in lines if "alice" in line).split()[2].endswith("*")
    assert "* always ahead of some, or always behind: how far is a guess" in lines
    assert not any("always ahead" in line for line in shown(cup()))


def test_tables_that_no_game_connects_are_shown_apart():
    lines = shown(report_of(ranked("012 120 201 34 43")))
    assert "Table 1 of 2: no game connects it with the others." in lines
    assert "Table 2 of 2: no game connects it with the others." in lines


def test_before_the_first_game_is_over_there_is_no_table():
    assert shown(report_of([])) == ["No game is over yet."]


NARROW = """
 rank     bot      rating  games  points  wins  place  best  faults
 ──────────────────────────────────────────────────────────────────
 1        alice  1633 ±27    192    18.5   47%   1.85  >99%
 2 (2–3)  bob    1535 ±30    192    13.5   30%   2.30   <1%
 3 (2–3)  carol  1527 ±24    192    11.7   23%   2.38   <1%      38
 4        dave   1454 ±30    192     6.3   17%   2.73   <1%
 5        eve    1351 ±29    192     0.4    8%   3.24   <1%      15

rating: 1500 is the average, ± its 95% interval · rank: (those not excluded)
wins: shared ones count in part · place: average, 1 is best · best: chance of it
bob: 8 void
carol: 38 late
eve: 15 illegal, 5 forfeited
"""
WIDER = """
 rank     bot      rating     games     points  wins  place  best  faults
 ─────────────────────────────────────────────────────────────────────────────────────────
 1        alice  1633 ±27  192 (48)  18.5 ±2.1   47%   1.85  >99%
 2 (2–3)  bob    1535 ±30  192 (48)  13.5 ±2.0   30%   2.30   <1%  8 void
 3 (2–3)  carol  1527 ±24  192 (48)  11.7 ±2.2   23%   2.38   <1%  38 late
 4        dave   1454 ±30  192 (48)   6.3 ±2.0   17%   2.73   <1%
 5        eve    1351 ±29  192 (48)   0.4 ±2.2    8%   3.24   <1%  15 illegal, 5 forfeited

rating: 1500 is the average, ± its 95% interval · rank: (those not excluded)
wins: shared ones count in part · place: average, 1 is best · best: chance of it
"""
