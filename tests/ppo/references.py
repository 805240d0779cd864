"""What training computes, written slowly and plainly; for the tests."""

from __future__ import annotations

import numpy as np


def seat_advantages_of(
    movers: np.ndarray,
    rewards: np.ndarray,
    dones: np.ndarray,
    values: np.ndarray,
    gamma: float,
    gae_lambda: float,
    scale: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Return advantages and which decisions are closed: rollouts are split into episodes, and these into seats."""
    steps, games = dones.shape
    advantages, is_closed = np.zeros((steps, games)), np.zeros((steps, games), np.bool_)
    for game in range(games):
        ends = [*(np.flatnonzero(dones[:, game]) + 1).tolist(), steps]
        for start, stop in zip([0, *ends[:-1]], ends, strict=True):
            is_over = stop > start and bool(dones[stop - 1, game])
            for seat in range(rewards.shape[2]):
                own = [step for step in range(start, stop) if movers[step, game] == seat]
                if not own:
                    continue
                until = [*own[1:], stop]
                paid = [scale * rewards[step:after, game, seat].sum() for step, after in zip(own, until, strict=True)]
                known = [values[step, game] for step in own]
                if is_over:
                    following = [*known[1:], 0.0]
                elif movers[steps, game] == seat:
                    following = [*known[1:], values[steps, game]]
                else:
                    own, paid, following = own[:-1], paid[:-1], known[1:]  # the last one is open
                advantages[own, game] = textbook(paid, known[: len(own)], following, gamma, gae_lambda)
                is_closed[own, game] = True
    return advantages, is_closed


def textbook(
    rewards: list[float], values: list[float], following: list[float], gamma: float, gae_lambda: float
) -> list[float]:
    """Return generalized advantages by their definition: the discounted sum of all later TD errors."""
    errors = [reward + gamma * later - value for reward, later, value in zip(rewards, following, values, strict=True)]
    factor = gamma * gae_lambda
    return [
        sum(factor**distance * error for distance, error in enumerate(errors[start:])) for start in range(len(errors))
    ]
