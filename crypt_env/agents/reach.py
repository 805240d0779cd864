"""Weighing hidden cards by how a policy would have played to get here: reach probabilities.

What another seat did tells something about the hidden cards that it had seen. Each determinization is weighed by the
probability that the policy, seeing those cards, would have played what was played.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crypt_env.rules.batch import views

from .past import Past, determinized_past, is_telling
from .policy import Policy, futures

TIMES = 4
"""How many determinizations are weighed for each that is kept."""
NOISE = 0.02
"""How often a policy is assumed to play any legal action instead, so that one surprise does not rule out a deal."""
_IMPOSSIBLE = 1e-12


def reach_weights(policy: Policy, dealt: NDArray[np.void], past: Past) -> NDArray[np.float64] | None:
    """Return how likely the others' decisions were in each determinization of a game, up to a factor. [n]

    None if their decisions tell nothing, because the seat to move knows what they knew.

    Args:
        policy: how the others play.
        dealt: determinizations of one game.
        past: what came before, as determinized for the same seat.
    """
    telling = is_telling(past.games, np.repeat(dealt[:1], len(past.games)))
    if not telling.any():
        return None
    games, actions = past.games[telling], past.actions[telling]
    states = determinized_past(np.tile(games, len(dealt)), np.repeat(dealt, len(games)))
    observations, masks = views(states)
    played = np.tile(actions, len(dealt))
    chances = policy.probabilities(observations, masks)[np.arange(len(played)), played]
    is_legal = masks[np.arange(len(played)), played]
    chances = np.where(is_legal, (1 - NOISE) * chances + NOISE / masks.sum(axis=1), _IMPOSSIBLE)
    logs = np.log(chances).reshape(len(dealt), -1).sum(axis=1)
    return np.asarray(np.exp(logs - logs.max()))


def weighed(policy: Policy, dealt: NDArray[np.void], past: Past, count: int) -> NDArray[np.void]:
    """Return some of the determinizations of one game, as often as their weights say; each has dice of its own."""
    weights = reach_weights(policy, dealt, past)
    kept = dealt[:count].copy()
    if weights is None:
        return kept
    limits = weights.cumsum()
    chosen = dealt[np.searchsorted(limits, (np.arange(count) + 0.5) / count * limits[-1])]
    chosen["chance"], chosen["choice"], chosen["seed"] = kept["chance"], kept["choice"], kept["seed"]
    return chosen


def deals(
    policy: Policy,
    games: NDArray[np.void],
    bits: NDArray[np.uint64],
    past: Past | None,
    places: NDArray[np.int64],
    count: int,
) -> NDArray[np.void]:
    """Return determinizations for some of the decisions asked for, weighed if the past is given. [n * count]"""
    if past is None:
        return futures(games[places], bits[places], count)
    every = []
    for place in places.tolist():
        only = slice(place, place + 1)
        every.append(weighed(policy, futures(games[only], bits[only], TIMES * count), past.of(place), count))
    return np.concatenate(every)
