"""Scores: 0 is random, 1 is tuned, on every part; and their intervals."""

import numpy as np
import pytest

from crypt_env.benchmark import TASKS
from crypt_env.benchmark.frozen import anchors
from crypt_env.benchmark.matches import Block
from crypt_env.benchmark.scores import _weights, estimates, parts_of, raw_estimates, table_scores

DUEL, DUEL_8, SOLO = TASKS["duel-64"], TASKS["duel-8"], TASKS["solo-64"]


def like(means, deals=16, noise=0.0, seed=0):
    """Return values of a run with these means [line-ups, 64], and noise that leaves them as they are."""
    drawn = np.random.default_rng(seed).normal(0, noise, (len(means), deals, 64)) if noise else 0.0
    values = means[:, None, :] + drawn * np.ones((len(means), deals, 64))
    return values - values.mean(axis=1, keepdims=True) + means[:, None, :]


@pytest.mark.parametrize("task", TASKS.values(), ids=lambda task: task.name)
def test_anchors_have_0_and_1_on_every_part(task):
    zero, one = anchors(task.players)
    assert zero.shape == one.shape == (len(task.lineups), 64)
    for means, score in ((zero, 0), (one, 1), (2 * one - zero, 2)):
        found = estimates(task, [like(means)])
        gap = found.pop("gap", None)
        assert (gap is not None) == task.generalizes
        assert gap is None or gap.value == pytest.approx(0, abs=1e-9)
        for part, estimate in found.items():
            assert tuple(estimate) == pytest.approx((score,) * 3, abs=1e-9), part


def test_table_scores_average_to_the_score_where_anchors_are_alike():
    zero, one = anchors(1)
    assert np.allclose(table_scores(like(one), 1), 1)
    assert np.allclose(table_scores(like(zero), 1), 0)


def test_gap_is_what_training_tables_are_ahead():
    zero, one = anchors(2)
    means = one.copy()
    trained = list(DUEL_8.tables)
    means[:, trained] += 0.1
    found = estimates(DUEL_8, [like(means, noise=0.3)])
    part = np.ix_(range(5), trained)
    assert found["score"].value == pytest.approx(1)
    assert found["gap"].value == pytest.approx(0.1 / (one[part].mean() - zero[part].mean()))
    assert found["gap"].value == pytest.approx(found["trained"].value - found["score"].value)
    assert found["gap"].low < found["gap"].value < found["gap"].high


def test_parts_of_the_panel():
    parts = parts_of(DUEL)
    assert parts["public"].lineups == (0, 1, 2)
    assert parts["held_out"].lineups == (3, 4)
    assert set(parts_of(SOLO)) == {"score"}
    assert parts_of(DUEL_8)["score"].tables == DUEL_8.unseen
    assert len(parts_of(DUEL_8)["score"].tables) == 56


@pytest.mark.parametrize("deals", [2, 8])
def test_interval_has_the_spread_of_independent_deals(deals):
    """Within tables alone: differences between tables are not part of the error."""
    means = np.linspace(0, 40, 64)[None]
    values = like(means, deals, noise=6.0, seed=deals)
    (estimate,) = raw_estimates([values])
    error = np.sqrt((values[0].var(axis=0, ddof=1) / deals).mean() / 64)
    assert estimate.value == pytest.approx(20)
    assert (estimate.high - estimate.low) / 2 == pytest.approx(1.96 * error, rel=0.1)


def test_runs_are_drawn_again():
    runs = [like(np.full((1, 64), mean)) for mean in (10.0, 12.0, 14.0)]
    (estimate,) = raw_estimates(runs)
    assert estimate.value == pytest.approx(12)
    assert (estimate.low, estimate.high) == pytest.approx((10, 14), abs=0.01)
    (single,) = raw_estimates(runs[:1])
    assert tuple(single) == pytest.approx((10, 10, 10))


@pytest.mark.parametrize("count", [1, 2, 5])
def test_weights_sum_to_1_and_are_fair(count):
    weights = _weights(7, (4000,), count)
    assert weights.sum(axis=1) == pytest.approx(1)
    assert weights.mean(axis=0) == pytest.approx(1 / count, abs=0.03)


def test_blocks_seat_everybody_everywhere_and_average_over_seatings():
    block = Block(3, 128, ("greedy", "tuned"))
    places, seats, deals = block.places(), block.seats(), block.deal_numbers()
    assert (places[np.arange(384), seats] == 0).all()
    assert ((places[np.arange(384), (seats + 1) % 3]) == 1).all()
    for seat in range(3):
        assert sorted(deals[seats == seat].tolist()) == list(range(128))
    values = block.by_deal(deals * 1.0)
    assert values.shape == (2, 64)
    assert values[1, 3] == 64 + 3
