"""The compiled rules never read or write outside an array: the same games with every index checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from property.play import fingerprint, run_elsewhere

STEPS = 150
CHECKED = f"""
import numpy as np
from crypt_env import Batch, Game
from crypt_env.rules.batch import draw_row, sheet_rows, step_rows, view_rows
from crypt_env.rules.resample import resample_rows
from crypt_env.rules.state import REWARD_NAMES
from property.play import asked_games, eager, fingerprint, look, rich_positions
import random

print(fingerprint(steps={STEPS}))
for players in (1, 2, 3, 4):
    decisions = 0
    for reward in REWARD_NAMES:
        batch = Batch(16, players, seed=players, reward=reward, dense=True)
        arrays = batch.reset()
        rng = random.Random(players)
        for number in range(120):
            if number % 3:
                arrays = batch.step_random()
            else:
                actions = [eager(rng, np.flatnonzero(mask).tolist()) for mask in arrays.masks]
                arrays = batch.step(np.array(actions))
            decisions += 16
            for seat in range(players):
                look(batch.states, [seat] * 16)
                copies = batch.states.copy()
                resample_rows(copies, 0, 16, np.full(16, seat, np.int8), np.arange(16, dtype=np.uint64))
            sheet_rows(batch.states, 0, 16, np.zeros((16, 4, 8), np.int16))
    game = Game(players, seed=players)
    while not game.is_over:
        game.play(game.random_action())
    assert decisions > 5000
    for game in (*rich_positions(players, 11), *asked_games(players)):
        for seat in range(players):
            look(game.state, [seat])
            if not game.is_over:
                other = game.resample(seat, seed=seat)
                other.play(other.random_action())
print("within bounds")
"""


@pytest.mark.slow
def test_rules_stay_within_their_arrays(tmp_path: Path) -> None:
    """With NUMBA_BOUNDSCHECK=1, in a cache of its own: thousands of decisions a player count, the same bytes."""
    printed = run_elsewhere(CHECKED, NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(tmp_path))
    digest, verdict = printed.splitlines()
    assert verdict == "within bounds"
    assert digest == fingerprint(STEPS)
    assert list(tmp_path.rglob("*.nbc")), "nothing was compiled into this cache"
