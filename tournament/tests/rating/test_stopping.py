import numpy as np
import pytest
from simulated_games import game, simulated

from croupier_tournament.rating import EProcess, Gsprt, Precision, Results, block_scores, compare, elo, fit, gsprt


def test_the_e_process_is_the_mean_of_four_products():
    scores = [1, 0.25, 0.75, 0.5, 1]
    process = EProcess(two_sided=True)
    for score in scores:
        process.add(score)
    for side, sign in (("A", 1), ("B", -1)):
        products = [np.prod([1 + stake * sign * (score - 0.5) for score in scores]) for stake in (0.25, 0.5, 1.0, 1.5)]
        assert process.value(side) == pytest.approx(np.mean(products))
    assert process.blocks == 5


def test_it_stops_at_one_by_alpha_and_the_decision_stays():
    process = EProcess(0.05)
    while process.add(1.0) is None:
        assert process.value() < 20
    assert process.value() >= 20
    for _ in range(100):
        assert process.add(0.0) == "A"
    assert process.value() < 20


def test_two_sides_share_alpha():
    one, two = EProcess(0.05), EProcess(0.05, two_sided=True)
    while one.add(1.0) is None:
        two.add(1.0)
    assert two.decision is None
    while two.add(1.0) is None:
        pass
    assert two.value("A") >= 40
    other = EProcess(0.05, two_sided=True)
    for _ in range(two.blocks):
        other.add(0.0)
    assert other.decision == "B"


def test_one_side_alone_never_finds_the_other_better():
    process = EProcess(0.05)
    for _ in range(1000):
        assert process.add(0.0) is None


def test_looking_after_every_block_finds_nothing_too_often_where_there_is_nothing():
    """1,000 pairs of equal bots, 400 blocks each, looked at after each: alpha is kept."""
    chance = np.random.Generator(np.random.PCG64(7))
    scores = chance.integers(0, 9, size=(1000, 400)) / 8
    stakes = np.array([0.25, 0.5, 1.0, 1.5])
    logs = np.log1p(stakes[:, None, None] * (scores - 0.5)).cumsum(axis=2)
    found = (np.exp(logs).mean(axis=0) >= 20).any(axis=1)
    assert 0 < found.mean() <= 0.05
    for row in [*np.flatnonzero(found)[:3].tolist(), 0, 1]:  # the class comes to the same decision
        process = EProcess(0.05)
        for score in scores[row]:
            process.add(float(score))
        assert (process.decision == "A") == found[row]


def test_evidence_beyond_all_numbers_is_infinite():
    process = EProcess()
    for _ in range(5000):
        process.add(1.0)
    assert process.value() == float("inf")
    assert process.log_value() > 2000


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 5])
def test_alpha_is_between_0_and_1(alpha):
    with pytest.raises(ValueError, match="alpha is between 0 and 1"):
        EProcess(alpha)


@pytest.mark.parametrize("score", [-0.1, 1.1, float("nan")])
def test_a_score_is_between_0_and_1(score):
    with pytest.raises(ValueError, match="between 0 and 1"):
        EProcess().add(score)


def test_the_likeliest_distributions_have_the_means_of_the_hypotheses():
    from croupier_tournament.rating.stopping import _likeliest

    share, scores = np.array([1, 2, 5, 9, 14, 13, 9, 5, 2]) / 60, np.linspace(0, 1, 9)
    for mean in (0.3, 0.5, 0.55, 0.9):
        likeliest = _likeliest(share, scores, mean)
        assert likeliest.sum() == pytest.approx(1)
        assert likeliest @ scores == pytest.approx(mean)
        assert (likeliest > 0).all()


def test_the_sequential_test_says_better_not_better_or_go_on():
    test = Gsprt(0.5, 0.55)
    assert test.decide([1, 2, 5, 9, 14, 13, 9, 5, 2]) is None
    assert test.decide([10, 20, 50, 90, 240, 230, 190, 150, 120]) == "better"
    assert test.decide([120, 150, 190, 230, 240, 90, 50, 20, 10]) == "not better"


def test_outcomes_that_have_not_occurred_are_no_obstacle():
    assert gsprt([0, 0, 0, 0, 10], 0.5, 0.55).ratio > 0
    assert gsprt([10, 0, 0], 0.5, 0.55).ratio < 0


@pytest.mark.parametrize("counts", [[], [5], [0, 0, 0], [3, -1, 2]])
def test_there_must_be_counts(counts):
    with pytest.raises(ValueError, match="counts of at least two outcomes"):
        gsprt(counts, 0.5, 0.55)


@pytest.mark.parametrize("means", [(0, 0.5), (0.5, 1), (0.5, 1.5)])
def test_hypotheses_are_between_0_and_1(means):
    with pytest.raises(ValueError, match="mean scores are between 0 and 1"):
        gsprt([1, 2, 3], *means)


def test_a_table_is_looked_at_when_the_deals_have_doubled():
    looks, deals = [], 0
    while deals < 1000:
        deals = Precision.next_look(deals)
        looks.append(deals)
    assert looks == [30, 60, 120, 240, 480, 960, 1920]


def test_a_table_stops_when_the_widest_interval_is_narrow_enough():
    ratings = fit(simulated([0.3, 0, -0.3], 3, 60), 3)
    widest = max(ratings.half_width(entrant) for entrant in range(3))
    assert Precision(widest).reached(ratings)
    assert not Precision(widest - 0.001).reached(ratings)


def test_a_table_does_not_stop_before_everyone_has_an_interval():
    few = fit(simulated([0.3, 0, -0.3], 3, 20), 3)
    assert not Precision(1e9).reached(few)
    somebody_is_missing = fit(simulated([0.3, 0, -0.3], 3, 60), 4)
    assert not Precision(1e9).reached(somebody_is_missing)
    assert not Precision(1e9).reached(fit([], 0))


def test_a_table_does_not_stop_while_a_rating_is_a_guess():
    assert not Precision(1e9).reached(fit(simulated([12.0, 0.3, 0, -0.3], 4, 60), 4))


def test_the_score_of_a_block_is_the_mean_over_its_replays():
    games = [
        game(0, (0, 1, 2), (1, 2, 3), deal=4),
        game(1, (2, 0, 1), (1, 2, 2), deal=4),
        game(2, (1, 2, 0), (1, 2, 3), deal=4),
        game(3, (0, 1, 2), (1, 2, 3), deal=2),  # not whole
        game(4, (0, 2, 3), (1, 2, 3), deal=1),  # without the other
    ]
    results = Results(games, 4)
    assert block_scores(results, 0, 1).tolist() == [pytest.approx(1.5 / 3)]
    assert block_scores(results, 1, 0).tolist() == [pytest.approx(1.5 / 3)]
    assert block_scores(results, 0, 2).tolist() == [pytest.approx(1 / 3)]
    assert block_scores(results, 1, 3).tolist() == []


def test_scores_come_in_the_order_of_deals():
    results = Results(simulated([0.5, -0.5], 2, 40), 2)
    scores = block_scores(results, 0, 1)
    assert len(scores) == 40
    for deal in range(40):
        of_deal = [
            1.0 if row.index(0) == placing.index(1) else 0.0
            for row, placing in zip(
                results.seating[results.deal == deal].tolist(),
                results.placings[results.deal == deal].tolist(),
                strict=True,
            )
        ]
        assert scores[deal] == sum(of_deal) / 2


def test_where_one_side_has_won_everything_there_is_no_elo():
    assert elo([1.0] * 10, 2) is None
    assert elo([], 2) is None
    assert elo([0.5], 2) is None


def test_an_interval_that_reaches_certainty_is_infinite():
    found = elo([1.0, 1.0, 1.0, 0.75], 2)
    assert found.difference == pytest.approx(-400 * np.log10(1 / 0.9375 - 1))
    assert found.half_width == float("inf")


def test_before_thirty_blocks_a_comparison_has_no_intervals_and_no_chance():
    games = list(simulated([0.4, 0], 2, 60))
    few = compare(Results([one for one in games if one.deal < 29], 2), 0, 1).elo
    assert few.blocks == 29
    assert (few.half_width, few.normalised_half_width, few.superiority) == (None, None, None)
    enough = compare(Results([one for one in games if one.deal < 30], 2), 0, 1).elo
    assert min(enough.half_width, enough.normalised_half_width) > 0
    assert 0 < enough.superiority < 1
