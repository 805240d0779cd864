"""Intervals have the promised coverage: simulated tournaments with known answers, all seeded."""

import numpy as np
import pytest

from arena.simulation import coverage, deal_wins, seeded
from crypt_env.arena.statistics import (
    Estimate,
    mean_estimate,
    resampled_totals,
    share_estimate,
    student_quantile,
    usable_strata,
)

TOURNAMENTS = 1000
HELD = pytest.approx(0.95, abs=0.03)
"""A 95% interval that covers in 92 to 98 of 100 tournaments."""


# -- coverage ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("chance", [0.5, 0.8, 0.95])
def test_intervals_of_shares_cover_the_true_chance_for_any_correlation_within_a_deal(chance, correlation):
    generator = seeded(1)
    estimates = [
        share_estimate(deal_wins(generator, [chance], 200, 2, correlation)[:, 0] / 2) for _ in range(TOURNAMENTS)
    ]
    assert coverage(estimates, chance) == HELD


def test_intervals_that_take_games_for_independent_would_not_cover():
    generator = seeded(2)
    games = [np.repeat(deal_wins(generator, [0.5], 200, 4, 0.9)[:, 0] / 4, 4) for _ in range(TOURNAMENTS)]
    assert coverage([share_estimate(shares) for shares in games], 0.5) < 0.75


def test_intervals_of_the_seat_swapped_deals_gain_from_the_swap():
    # The better seat wins: of two seatings each agent wins one, apart from a little luck.
    generator = seeded(3)

    def shares():
        surprise = generator.random((200, 2)) < 0.1
        return ((np.array([1, 0]) ^ surprise).sum(axis=1)) / 2

    estimates = [share_estimate(shares()) for _ in range(TOURNAMENTS)]
    assert coverage(estimates, 0.5) == HELD
    independent = 2 * 1.96 * 0.5 / np.sqrt(400)
    assert np.mean([estimate.high - estimate.low for estimate in estimates]) < 0.7 * independent


@pytest.mark.parametrize("deals", [5, 30, 400])
def test_intervals_of_means_cover_also_with_few_deals(deals):
    generator = seeded(4)
    estimates = [mean_estimate(3 + 10 * generator.standard_normal(deals)) for _ in range(TOURNAMENTS)]
    assert coverage(estimates, 3) == HELD


@pytest.mark.parametrize("deals", [128, 640])
def test_intervals_over_even_tables_cover_and_do_not_count_the_tables_as_luck(deals):
    generator = seeded(5)
    tables = 8 * generator.standard_normal(64)
    samples = [np.tile(tables, deals // 64) + generator.standard_normal(deals) for _ in range(TOURNAMENTS)]
    stratified = [mean_estimate(sample, 64) for sample in samples]
    assert coverage(stratified, tables.mean()) == HELD
    assert coverage([mean_estimate(sample) for sample in samples], tables.mean()) == 1
    assert stratified[0].high - stratified[0].low < 0.5


def test_intervals_of_shares_over_even_tables_cover():
    generator = seeded(6)
    chances = np.tile(np.linspace(0.2, 0.9, 64), 4)
    estimates = [share_estimate((generator.random(256) < chances).astype(float), 64) for _ in range(TOURNAMENTS)]
    assert coverage(estimates, chances.mean()) == HELD


# -- single estimates -------------------------------------------------------------------------------------------------


def test_an_estimate_lies_in_its_interval_and_its_interval_between_0_and_1():
    generator = seeded(7)
    for chance in (0.001, 0.3, 0.999):
        estimate = share_estimate((generator.random(40) < chance).astype(float))
        assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_clean_sweep_leaves_room_for_what_was_not_seen(share):
    # Wilson's interval of 100 games without a loss ends at z**2 / (n + z**2).
    estimate = share_estimate(np.full(100, share))
    assert estimate.value == share
    assert 0.035 < estimate.high - estimate.low < 0.039


def test_deals_that_all_end_alike_in_both_seatings_are_certain():
    assert share_estimate(np.full(50, 0.5)) == Estimate(0.5, 0.5, 0.5)


def test_one_deal_tells_nothing_about_the_error():
    assert share_estimate(np.array([0.5])) == Estimate(0.5, None, None)
    assert mean_estimate(np.array([7.0])) == Estimate(7.0, None, None)
    assert Estimate(0.25, None, None).mirrored(1) == Estimate(0.75, None, None)


def test_the_mirrored_estimate_is_that_of_the_opponent():
    by_deal = np.array([1.0, 0.5, 0.5, 1.0, 0.0, 1.0])
    assert share_estimate(by_deal).mirrored(1) == pytest.approx(share_estimate(1 - by_deal))


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(1, 12.7062), (2, 4.3027), (3, 3.1824), (4, 2.7764), (6, 2.4469), (10, 2.2281), (30, 2.0423), (1000, 1.9623)],
)
def test_quantiles_of_students_distribution_are_those_of_the_tables(freedom, quantile):
    assert student_quantile(0.975, freedom) == pytest.approx(quantile, rel=0.01 if freedom < 6 else 0.001)
    assert student_quantile(0.025, freedom) == pytest.approx(-student_quantile(0.975, freedom))


@pytest.mark.parametrize(("deals", "strata"), [(64, 1), (128, 64), (127, 1), (200, 1), (256, 64)])
def test_strata_count_only_where_each_has_two_deals_and_all_equally_many(deals, strata):
    assert usable_strata(deals, 64) == strata


# -- bootstrap --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("deals", "strata"), [(128, 64), (128, 1), (20, 1)])
def test_the_bootstrap_spreads_like_the_mean_also_with_two_deals_in_a_stratum(deals, strata):
    generator = seeded(8)
    by_deal = np.tile(5 * generator.standard_normal(64), 2)[:deals] + generator.standard_normal(deals)
    totals = resampled_totals(by_deal[:, None], strata, 4000, generator)[:, 0]
    groups = by_deal.reshape(-1, strata)
    error = np.sqrt(groups.var(axis=0, ddof=1).mean() / deals)
    assert totals.mean() / deals == pytest.approx(by_deal.mean(), abs=5 * error / np.sqrt(4000))
    assert totals.std() / deals == pytest.approx(error, rel=0.05)


def test_the_bootstrap_draws_all_columns_of_a_deal_together():
    by_deal = seeded(9).standard_normal((50, 1))
    totals = resampled_totals(np.hstack([by_deal, 3 - by_deal]), 1, 100, seeded(10))
    assert totals.sum(axis=1) == pytest.approx(np.full(100, 150))
