"""No training run meets the deals on which agents are evaluated."""

import numpy as np

from crypt_env import Batch
from crypt_env.benchmark import TASKS
from crypt_env.benchmark.deals import EPISODE, SEED, _streams, deal_evaluation, meets
from crypt_env.benchmark.tasks import BUDGETS


def test_streams_are_those_of_the_engine():
    for seed in (0, SEED, 2**64 - 1):
        batch = Batch(8, seed=seed)
        batch.reset()
        batch.states["episode"] = 5
        batch.restart(np.arange(8))
        drawn = _streams(np.uint64(seed), np.arange(8, dtype=np.uint64), np.uint64(6))
        # Each draw advances the stream by one constant step, so the difference is the same in all games.
        step = (batch.states["chance"] - drawn).astype(np.uint64)
        assert len(set(step.tolist())) == 1


def test_deals_are_those_of_a_late_episode():
    batch = deal_evaluation(2, np.arange(128))
    assert set(batch.states["episode"].tolist()) == {EPISODE}
    assert set(batch.states["seed"].tolist()) == {SEED}
    assert batch.states["index"].tolist() == list(range(128))
    sides = (batch.states["sides"].astype(int) << np.arange(6)).sum(axis=1)
    assert sides.tolist() == [deal % 64 for deal in range(128)]


def test_no_training_reaches_that_episode():
    """Every way to deal begins with episode 0 and counts by one, and each episode takes a decision at least."""
    assert max(BUDGETS.values()) < EPISODE
    for players in (1, 2, 3, 4):
        batch = Batch(256, players, seed=SEED)
        batch.reset()
        assert set(batch.states["episode"].tolist()) == {0}
        before = batch.states["episode"].copy()
        for _ in range(200):
            dones = batch.step_random().dones
            assert (batch.states["episode"] == before + dones).all()
            before = batch.states["episode"].copy()
        batch.reset(seed=3)
        assert set(batch.states["episode"].tolist()) == {0}


def test_decks_of_the_same_seed_differ():
    trained = Batch(256, 2, seed=SEED, restarts=False)
    trained.reset()
    judged = deal_evaluation(2, np.arange(256))
    assert not (trained.states["deck"] == judged.states["deck"]).all(axis=1).any()


def test_small_seeds_meet_nothing():
    assert sum(meets(seed, 512, 64) for seed in range(32)) == 0
    assert meets(SEED, 4096, 64) == 0


def test_deals_are_even():
    for task in TASKS.values():
        for size in ("full", "quick"):
            assert task.deals(size) % 64 == 0
            assert task.deals(size) >= 128
