"""The simulation itself; what it finds is in docs/explanation/ratings.md."""

import json
from dataclasses import replace

import numpy as np
import pytest

from croupier_tournament.rating.coverage import SCENARIOS, cover, main, plan_of, play

CLOSE = SCENARIOS[0]


def test_it_plays_by_the_model():
    """Equal bots without seat effects: every placing is equally likely, and ties are as frequent as δ says."""
    scenario = replace(CLOSE, range=0.0, log_tie=-1.0, blocks=200, deal=0.0)
    results = play(scenario, plan_of(scenario), np.random.Generator(np.random.PCG64(1)))
    first = (results.placings == 1).sum(axis=1)
    share = 6 * np.exp(-1) / (4 + 6 * np.exp(-1))  # of the six pairs, against four alone; seat effects matter little
    assert (first == 2).mean() == pytest.approx(share, abs=0.05)
    assert first.max() == 2


def test_the_replays_of_a_deal_are_alike():
    scenario = replace(CLOSE, range=0.0, deal=0.95)
    results = play(scenario, plan_of(scenario), np.random.Generator(np.random.PCG64(1)))
    winners = results.placings.argmin(axis=1).reshape(-1, 4)
    alike = (winners == winners[:, :1]).mean()
    lonely = play(replace(scenario, deal=0.0), plan_of(scenario), np.random.Generator(np.random.PCG64(1)))
    winners = lonely.placings.argmin(axis=1).reshape(-1, 4)
    assert alike > 0.8
    assert (winners == winners[:, :1]).mean() < 0.55


def test_a_run_counts_its_intervals():
    found = cover(CLOSE, 3)
    assert (found.runs, found.intervals, found.not_converged) == (3, 24, 0)
    assert 18 <= found.held <= 24
    assert cover(CLOSE, 3).held == found.held


def test_the_command_prints_rows_and_its_exit_code_tells(capsys, monkeypatch):
    small = replace(CLOSE, entrants=4, blocks=40)
    monkeypatch.setattr("croupier_tournament.rating.coverage.SCENARIOS", (small,))
    code = main(["--runs", "2", "--format", "json"])
    out, err = capsys.readouterr()
    (row,) = json.loads(out)
    assert (row["name"], row["runs"], row["intervals"]) == ("close", 2, 8)
    assert code == (0 if 0.93 <= row["covered"] <= 0.97 else 1)
    assert "close: 2 of 2" in err
    main(["--runs", "2"])
    assert capsys.readouterr().out.splitlines()[2].startswith("| close | 4 | 4 | 40 | 8 |")


@pytest.mark.parametrize("wrong", [["--only", "nonsense"], ["--runs", "0"]])
def test_wrong_usage_is_told(wrong, capsys):
    with pytest.raises(SystemExit) as exit_:
        main(wrong)
    assert exit_.value.code == 2
    assert "no scenario is called 'nonsense'" in (error := capsys.readouterr().err) or "--runs: at least 1" in error
