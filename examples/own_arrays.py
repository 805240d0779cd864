"""A thousand games, and two ways to keep what their steps return: copies, and your own arrays.

A step of a `Batch` overwrites what the last one returned, so that playing allocates no memory. Copy the little that
you want to keep; for whole rollouts let each step write directly to its place.
"""

import numpy as np

from crypt_env import ACTIONS, DRAW, FEATURES, Arrays, Batch, new_arrays

GAMES, STEPS = 1024, 32
random_actions = np.full(GAMES, DRAW)

# Nothing is kept: both names refer to the same arrays, which hold the second step.
batch = Batch(GAMES, players=2, seed=7)
batch.reset()
first = batch.step(random_actions)
second = batch.step(random_actions)
assert first.movers is second.movers

# Copies of what is needed.
batch.reset()
movers = [batch.step(random_actions).movers.copy() for _ in range(STEPS)]

# Your own arrays: a rollout, of which each step fills one row. Arrays of length 0 are not written.
none = np.empty((0, FEATURES), np.int8)
rollout = Arrays(*(np.zeros((STEPS, *array.shape), array.dtype) for array in new_arrays(GAMES)))
batch.reset()
for step in range(STEPS):
    into = Arrays(*(array[step] for array in rollout))
    batch.step(random_actions, into=into._replace(finals=none))

assert (np.array(movers) == rollout.movers).all()
assert rollout.masks.shape == (STEPS, GAMES, ACTIONS)
print(f"{rollout.masks.sum() / rollout.masks.any(axis=2).sum():.1f} actions are legal at a decision, on average")
