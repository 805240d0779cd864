"""The deals on which agents are judged, and why no training meets them.

All chance of a game follows from its seed, its index and its episode (`rules.chance`). Every batch and environment
begins with episode 0 of the seed that it is given and counts up by one with each restart; none can begin later. The
deals of Crypt-64 are **episode 2**31** of the games 0, 1, 2 ... of one seed. To get there, a training must play
each game more than two billion times, twice the largest budget even if every game were one decision long. So the
triples of training and evaluation are disjoint for every training seed, 64 included.

Two different triples might still start the same stream of 64 bits. For a given index and episode the stream is a
bijection of the seed, so at most one of all 2**64 seeds meets a given deal in a given game. A training of a billion
decisions has some 2**25 games, and there are at most 2**12 deals: a random seed meets one with a probability below
2**-27. `meets` checks a seed that is not random.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crypt_env.batch import Batch
from crypt_env.rules.chance import MIX_1, MIX_2, STEP
from crypt_env.rules.deal import TABLES

SEED = 64
EPISODE = 2**31
"""The number of the episode that is judged; those of a training are below."""

_S27, _S30, _S31 = np.uint64(27), np.uint64(30), np.uint64(31)


def deal_evaluation(players: int, deals: NDArray[np.int64]) -> Batch:
    """Return a batch in which these deals of the protocol are dealt, up to the first decision or the first dice.

    Deal ``k`` is played at table ``k % 64``. A deal may be listed several times. The games stop wherever dice are due,
    so that the caller sees all rolls (see `rules.batch`), and do not restart.
    """
    batch = Batch(len(deals), players, seed=SEED, restarts=False)
    batch.states["index"] = deals
    batch.states["table_rule"] = deals % TABLES
    batch.states["pauses"] = 1
    batch.reset()
    batch.states["episode"] = EPISODE - 1
    batch.restart(np.arange(len(deals)))
    return batch


def meets(seed: int, games: int, episodes: int, deals: int = 4096) -> int:
    """Return how many games of a training begin the same stream of chance as one of the first deals of the protocol.

    Args:
        seed: of the training.
        games: that are played side by side, from index 0 on.
        episodes: of each, from 0 on.
        deals: of the protocol.
    """
    judged = _streams(np.uint64(SEED), np.arange(deals, dtype=np.uint64), np.uint64(EPISODE))
    count = 0
    for episode in range(episodes):
        trained = _streams(np.uint64(seed), np.arange(games, dtype=np.uint64), np.uint64(episode))
        count += int(np.isin(trained, judged).sum())
    return count


def _streams(seed: np.uint64, indices: NDArray[np.uint64], episode: np.uint64) -> NDArray[np.uint64]:
    """Return where the chance of games begins, as `rules.chance` has it. A test compares the two."""
    with np.errstate(over="ignore"):
        bits = mix((mix(np.atleast_1d(seed) + STEP) ^ indices) + STEP)
        return mix((bits ^ episode) + STEP)


def mix(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scramble 64 bits, as `rules.chance.mix` does. Unsigned arithmetic overflows on purpose."""
    bits = (bits ^ (bits >> _S30)) * MIX_1
    bits = (bits ^ (bits >> _S27)) * MIX_2
    return bits ^ (bits >> _S31)
