import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from reports import NAMES, cup, report_of
from simulated_games import game, ranked, simulated

from croupier_tournament.report import standings_csv, standings_document, standings_json

SCHEMA = json.loads((Path(__file__).parents[3] / "docs/reference/standings.schema.json").read_text("utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)


@pytest.mark.parametrize(
    "report",
    [
        cup(),
        report_of([]),
        report_of(ranked("0123 1230"), title="Überraschung"),
        report_of(ranked("012 120 201 34 43"), kinds=("house",) * 5),
        report_of(list(simulated([0.3, -0.3], 2, 40)), ("new", "old"), pair=(0, 1)),
        report_of([game(0, (0, 1), (1, 2))], ("new", "old"), pair=(1, 0)),
    ],
    ids=["cup", "nothing", "few", "two tables", "head to head", "half a block"],
)
def test_the_document_is_as_the_schema_says(report):
    document = standings_document(report)
    VALIDATOR.validate(document)
    assert json.loads(standings_json(report)) == document


def test_the_schema_would_notice():
    Draft202012Validator.check_schema(SCHEMA)
    document = standings_document(cup())
    for wrong in (
        {**document, "extra": 1},
        {**document, "games": -1},
        {**document, "tables": [[{**document["tables"][0][0], "rank": "first"}]]},
        {name: value for name, value in document.items() if name != "pairs"},
    ):
        assert not VALIDATOR.is_valid(wrong)


def test_the_same_results_give_the_same_bytes_in_whatever_order_they_came():
    games = list(simulated([1.0, 0.5, 0.4, 0.0, -0.8], 4, 60))
    one, other = report_of(games), report_of(games[::-1])
    assert standings_json(one) == standings_json(other)
    assert standings_csv(one) == standings_csv(other)


def test_nothing_that_a_clock_says_is_in_it():
    text = standings_json(cup()).decode().lower()
    assert not any(word in text for word in ("seconds", "time", "date", "duration", "host"))


def test_games_in_vain_change_nothing():
    """A tournament that was interrupted ends with the same bytes as one that was not."""
    games = list(simulated([0.5, 0, -0.5, 0.2, 0.1], 4, 30))
    undisturbed, disturbed = report_of(games), report_of(games, voided={0: 4, 2: 8})
    assert disturbed.standings.rows != undisturbed.standings.rows
    assert standings_json(disturbed) == standings_json(undisturbed)
    assert standings_csv(disturbed) == standings_csv(undisturbed)


def test_a_line_for_each_thing_that_is_worth_one():
    report = report_of(
        [
            game(0, (0, 1), (1, 2), points=(7, 3), faults=({}, {"late": 1})),
            game(1, (1, 0), (2, 1), deal=0, points=(2, 8)),
        ],
        ("ann", "ben"),
        commitment="ab" * 32,
    )
    assert standings_json(report) == (Path(__file__).parent / "golden/standings.json").read_bytes()


def test_numbers_are_numbers_or_null():
    document = standings_document(cup())
    document["tables"][0][0]["rating"] = -0.0
    assert "NaN" not in standings_json(cup()).decode()
    unbeaten = report_of(ranked("01 01 01"), ("ann", "ben"), pair=(0, 1))
    assert standings_document(unbeaten)["comparison"]["elo"] is None


def test_who_has_not_played_is_named():
    assert standings_document(report_of(ranked("012 120")))["not_played"] == ["dave", "eve"]


def test_pairs_are_listed_once_with_what_was_expected():
    document = standings_document(cup())
    assert [(pair["one"], pair["other"]) for pair in document["pairs"]][:4] == [
        ("alice", "bob"),
        ("alice", "carol"),
        ("alice", "dave"),
        ("alice", "eve"),
    ]
    assert len(document["pairs"]) == 10
    assert sum(pair["games"] for pair in document["pairs"]) == 240 * 6


def test_evidence_beyond_all_numbers_is_null():
    report = report_of(list(simulated([0.3, -0.3], 2, 40)), ("new", "old"), pair=(0, 1))
    assert standings_document(report)["comparison"]["evidence"] > 0
    from croupier_tournament.report.files import _significant

    assert _significant(np.inf) is None
    assert _significant(1234567.0) == 1234570


def test_the_table_for_spreadsheets():
    rows = list(csv.DictReader(io.StringIO(standings_csv(cup()).decode())))
    assert [row["entrant"] for row in rows] == ["alice", "bob", "carol", "dave", "eve"]
    assert (rows[4]["faults_illegal"], rows[4]["forfeits"], rows[2]["faults_late"]) == ("15", "5", "38")
    assert (rows[0]["faults_illegal"], rows[0]["prior_driven"]) == ("0", "no")
    assert float(rows[0]["rating"]) > float(rows[1]["rating"])


def test_a_spreadsheet_without_intervals_has_empty_cells():
    (first, *_) = csv.DictReader(io.StringIO(standings_csv(report_of(ranked("0123 1230"))).decode()))
    assert (first["half_width"], first["rank_low"], first["p_best"]) == ("", "", "")
    assert "faults_late" not in first


def test_names_with_commas_and_quotes_survive():
    names = ('a,"b"', "c\nd", "eé")
    rows = list(csv.DictReader(io.StringIO(standings_csv(report_of(ranked("012"), names)).decode())))
    assert [row["entrant"] for row in rows] == list(names)
    assert json.loads(standings_json(report_of(ranked("012"), names)))["tables"][0][1]["entrant"] == "c\nd"


def test_kinds_of_entrants_are_named_where_they_are_known():
    known = replace(cup().subject, kinds=("house", "house", "remote", "command", "command"))
    report = replace(cup(), subject=known)
    assert [row["kind"] for row in standings_document(report)["tables"][0]] == [
        {name: known.kind(number) for number, name in enumerate(NAMES)}[row["entrant"]]
        for row in standings_document(report)["tables"][0]
    ]
    assert standings_document(cup())["tables"][0][0]["kind"] is None
