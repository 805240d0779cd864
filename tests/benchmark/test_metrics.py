"""The numbers over runs and tables are those of rliable, and the bootstrap repeats itself."""

import json

import numpy as np
import pytest

from benchmark.rliable_numbers import FIRST, MARKS, OTHER, PATH, SECOND, TIED
from crypt_env.benchmark import metrics

RLIABLE = json.loads(PATH.read_text(encoding="utf-8"))
SINGLE = ("mean", "median", "interquartile_mean", "optimality_gap")


def check(estimate, name):
    """The value is rliable's, and so is the interval, up to the noise of 20,000 or 500 draws."""
    value, low, high = RLIABLE[name]
    assert estimate.value == pytest.approx(value, abs=1e-12)
    width = high - low
    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=0.12 * width)


@pytest.mark.parametrize("name", SINGLE)
@pytest.mark.parametrize(("key", "scores"), [("first", FIRST), ("second", SECOND)])
def test_aggregates_are_those_of_rliable(name, key, scores):
    check(metrics.estimate(getattr(metrics, name), scores, replicates=10_000), f"{name}-{key}")


@pytest.mark.parametrize(("key", "pair"), [("first-second", (FIRST, SECOND)), ("second-first", (SECOND, FIRST))])
def test_improvement_is_that_of_rliable(key, pair):
    check(metrics.estimate(metrics.improvement, *pair), f"improvement-{key}")


def test_improvement_counts_ties_as_rliable_does():
    assert (TIED[:, None] == OTHER[None, :]).any()
    assert float(metrics.improvement(TIED, OTHER)) == pytest.approx(RLIABLE["improvement-tied"][0], abs=1e-12)


def test_profile_is_that_of_rliable():
    for mark, estimate in zip(MARKS, metrics.profile_estimates(FIRST, np.array(MARKS), 10_000), strict=True):
        check(estimate, f"profile-{mark}")


def test_bootstrap_is_the_same_everywhere():
    assert metrics.draws(0, (8,), 100).tolist() == metrics.draws(0, (2, 4), 100).ravel().tolist()
    assert metrics.draws(0, (8,), 100).tolist() == [88, 43, 2, 97, 10, 32, 17, 77]
    assert metrics.draws(1, (8,), 100).tolist() != metrics.draws(0, (8,), 100).tolist()
    one, other = (metrics.estimate(metrics.mean, FIRST) for _ in range(2))
    assert one == other


def test_draws_are_even():
    counts = np.bincount(metrics.draws(3, (70_000,), 7))
    assert len(counts) == 7
    assert abs(counts - 10_000).max() < 400


def test_single_run_has_no_interval():
    estimate = metrics.estimate(metrics.mean, FIRST[:1])
    assert estimate.low is None
    assert estimate.value == pytest.approx(FIRST[0].mean())
