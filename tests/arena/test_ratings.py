"""Ratings: known strengths are recovered, and the intervals have the right coverage."""

import numpy as np
import pytest

from arena.simulation import coverage, deal_wins, seeded
from crypt_env.arena import make_plan
from crypt_env.arena.ratings import ELO, fit_strengths, rate


def plan_seats(agents, players, mixed=False):
    """Return the seats of all line-ups of a round robin."""
    return make_plan([f"agent {number}" for number in range(agents)], players, mixed=mixed).seat_counts()


def true_chances(seats, elo):
    """Return each agent's win probability in each line-up: its share of the total strength at the table."""
    worth = seats * 10 ** (np.asarray(elo) / 400)
    return worth / worth.sum(axis=1, keepdims=True)


def columns(wins, seats):
    """Return wins, [D, line-ups, agents], as `rate` takes them."""
    return wins[:, seats > 0]


def fair(*rows):
    """Return rows of seats."""
    return np.array(rows, float)


# -- strengths --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "mixed"), [(2, False), (3, False), (4, False), (3, True), (4, True)])
def test_wins_in_proportion_to_known_strengths_give_these_strengths(players, mixed):
    elo = np.array([0, 120, -310, 45, 800])
    seats = plan_seats(5, players, mixed)
    found = ELO * fit_strengths(1000 * true_chances(seats, elo)[None], seats)
    assert found[0] == pytest.approx(elo, abs=1e-6)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_strengths_found_are_the_most_likely_ones(players):
    generator = seeded(1)
    seats = plan_seats(4, players)
    wins = generator.integers(1, 40, seats.shape) * (seats > 0)

    def likelihood(logs):
        worth = seats * np.exp(logs)
        chances = np.where(seats > 0, worth / worth.sum(axis=1, keepdims=True), 1)
        return (wins * np.log(chances)).sum()

    found = fit_strengths(wins[None].astype(float), seats)[0]
    for direction in generator.standard_normal((50, 4)):
        assert likelihood(found) >= likelihood(found + 0.01 * direction)


def test_a_rating_of_two_agents_is_the_logarithm_of_their_wins():
    found = ELO * fit_strengths(np.array([[[75.0, 25.0]]]), fair([1, 1]), anchor=1)
    assert found[0] == pytest.approx([400 * np.log10(3), 0])


def test_an_equal_share_at_a_large_table_is_an_equal_rating():
    found = ELO * fit_strengths(np.array([[[25.0, 75.0]]]), fair([1, 3]))
    assert found[0] == pytest.approx([0, 0])


def test_an_anchor_moves_all_ratings_alike():
    seats = plan_seats(3, 2)
    wins = np.array([[[70.0, 30.0, 0.0], [55.0, 0.0, 45.0], [0.0, 20.0, 80.0]]])
    one, other = (fit_strengths(wins, seats, anchor)[0] for anchor in (0, 2))
    assert one[0] == other[2] == 0
    assert one - other == pytest.approx(np.full(3, one[2]))


def test_strong_and_weak_agents_are_told_apart_over_a_chain_of_clean_sweeps():
    seats = plan_seats(4, 2)
    wins = np.zeros((100, *seats.shape))
    for number, row in enumerate(seats):
        wins[:, number, np.flatnonzero(row)[0]] = 2
    ratings = rate(columns(wins, seats), seats, replicates=200)
    values = [rating.value for rating in ratings]
    assert values == sorted(values, reverse=True)
    assert all(np.isfinite(rating).all() for rating in ratings)
    assert all(rating.high - rating.low > 200 for rating in ratings[1:])


def test_the_added_game_hardly_moves_a_rating():
    wins = np.tile([[[1.2, 0.8]]], (5000, 1, 1))
    seats = fair([1, 1])
    rating = rate(columns(wins, seats), seats, anchor=1, replicates=20)[0]
    assert rating.value == pytest.approx(400 * np.log10(1.5), abs=0.05)


def test_the_anchor_is_0_without_doubt():
    wins = seeded(3).multinomial(2, [0.6, 0.4], size=(80, 1)).astype(float)
    assert tuple(rate(columns(wins, fair([1, 1])), fair([1, 1]), anchor=1, replicates=50)[1]) == (0, 0, 0)


def test_one_deal_gives_ratings_without_intervals():
    ratings = rate(np.array([[1.0, 1.0]]), fair([1, 1]))
    assert [(rating.low, rating.high) for rating in ratings] == [(None, None)] * 2


def test_the_bootstrap_of_a_seed_is_always_the_same():
    wins = seeded(4).multinomial(2, [0.6, 0.4], size=(80, 1)).astype(float)
    once, again, other = (rate(columns(wins, fair([1, 1])), fair([1, 1]), seed=seed) for seed in (0, 0, 1))
    assert once == again != other


def test_the_bootstrap_takes_the_memory_of_a_part(monkeypatch):
    """And finds the same, however many tournaments are fitted at once."""
    seats = plan_seats(4, 3)
    wins = np.random.default_rng(3).integers(0, 3, (60, np.count_nonzero(seats))).astype(float)
    whole = rate(wins, seats, replicates=100)
    sizes = []

    def fitted(totals, *rest):
        sizes.append(len(totals))
        return fit_strengths(totals, *rest)

    monkeypatch.setattr("crypt_env.arena.ratings.fit_strengths", fitted)
    monkeypatch.setattr("crypt_env.arena.ratings._TOGETHER", 30 * seats.size)
    np.testing.assert_allclose(rate(wins, seats, replicates=100), whole, atol=1e-6)
    assert sizes == [1, 30, 30, 30, 10]


# -- coverage ---------------------------------------------------------------------------------------------------------


def simulated(generator, seats, elo, deals, correlation):
    """Return the wins of a tournament of two players, with correlated games of a deal. [D, columns]"""
    chances = true_chances(seats, elo)
    pairs = [np.flatnonzero(row) for row in seats]
    firsts = deal_wins(generator, [chances[n, pair[0]] for n, pair in enumerate(pairs)], deals, 2, correlation)
    wins = np.zeros((deals, *seats.shape))
    for number, (one, other) in enumerate(pairs):
        wins[:, number, one] = firsts[:, number]
        wins[:, number, other] = 2 - firsts[:, number]
    return columns(wins, seats)


@pytest.mark.slow
def test_intervals_of_ratings_cover_the_true_ratings_where_the_games_of_a_deal_hang_together():
    elo = np.array([0, 100, 250])
    seats = plan_seats(3, 2)
    generator = seeded(5)
    found = [
        rate(simulated(generator, seats, elo, 100, 0.6), seats, replicates=200, seed=number) for number in range(1000)
    ]
    for agent in (1, 2):
        estimates = [ratings[agent] for ratings in found]
        assert coverage(estimates, elo[agent]) == pytest.approx(0.95, abs=0.03)
        assert np.mean([estimate.value for estimate in estimates]) == pytest.approx(elo[agent], abs=5)


@pytest.mark.slow
def test_intervals_of_ratings_over_even_tables_cover():
    # The win probabilities differ between tables, so each table has its own ratings; the estimate is for their mean.
    generator = seeded(6)
    chances = np.linspace(0.25, 0.85, 64)
    truth = 400 * np.log10(chances.mean() / (1 - chances.mean()))
    estimates, unstratified = [], []
    for number in range(300):
        first = generator.binomial(2, np.tile(chances, 3)).astype(float)
        wins = np.stack([first, 2 - first], axis=1)
        estimates.append(rate(wins, fair([1, 1]), 1, 64, replicates=200, seed=number)[0])
        unstratified.append(rate(wins, fair([1, 1]), 1, 1, replicates=200, seed=number)[0])
    assert coverage(estimates, truth) == pytest.approx(0.95, abs=0.03)
    width, wide = (np.mean([found.high - found.low for found in kind]) for kind in (estimates, unstratified))
    assert width < 0.95 * wide
