"""`seat_advantages` against the plain reference."""

from __future__ import annotations

import numpy as np
import pytest

from crypt_env.ppo.rollout import seat_advantages
from ppo.references import seat_advantages_of

SEATS = 4


def compute(arrays: tuple[np.ndarray, ...], *factors: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the same by `seat_advantages`."""
    dones = arrays[2]
    advantages, is_closed = np.full(dones.shape, np.nan, np.float32), np.zeros(dones.shape, np.bool_)
    seat_advantages(*arrays, *factors, advantages, is_closed)
    return advantages, is_closed


def some_games(players: int, steps: int, seed: int, turns: str, end: float) -> tuple[np.ndarray, ...]:
    """Return movers, rewards, dones and values; rewards come at any time and to any seat."""
    random = np.random.default_rng(seed)
    games = 7
    rewards = np.zeros((steps, games, SEATS), np.float32)
    rewards[:, :, :players] = random.normal(size=(steps, games, players)) * (
        random.random((steps, games, players)) < 0.3
    )
    movers = random.integers(0, players, (steps + 1, games)).astype(np.int8)
    if turns == "in turn":
        movers[:] = (np.arange(steps + 1)[:, None] + np.arange(games)) % players
    dones = random.random((steps, games)) < end
    values = random.normal(size=(steps + 1, games)).astype(np.float32)
    return movers, rewards, dones, values


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("steps", [1, 2, 7, 33])
@pytest.mark.parametrize("turns", ["in turn", "in any order"])
@pytest.mark.parametrize("end", [0.0, 0.05, 0.4])
def test_each_seat_has_a_stream_of_its_own(players: int, steps: int, turns: str, end: float) -> None:
    """For any length of the rollout, order of turns, and ends of games."""
    arrays = some_games(players, steps, 100 * players + steps, turns, end)
    for gamma, gae_lambda, scale in ((1.0, 0.95, 1.0), (0.97, 1.0, 0.1), (0.9, 0.0, 3.0)):
        advantages, is_closed = compute(arrays, gamma, gae_lambda, scale)
        expected, is_expected = seat_advantages_of(*arrays, gamma, gae_lambda, scale)
        np.testing.assert_array_equal(is_closed, is_expected)
        np.testing.assert_allclose(advantages, expected, atol=1e-5)


def test_losers_are_paid_for_their_own_last_decision() -> None:
    """Seat 0 wins by its move; seat 1, which moved before, loses as much."""
    movers = np.array([[0], [1], [0], [0]], np.int8)
    rewards = np.zeros((3, 1, SEATS), np.float32)
    rewards[2, 0, :2] = 1, -1
    arrays = movers, rewards, np.array([[False], [False], [True]]), np.zeros((4, 1), np.float32)
    advantages, is_closed = compute(arrays, 1.0, 1.0, 1.0)
    assert is_closed.all()
    assert advantages[:, 0].tolist() == [1, -1, 1]


def test_an_open_decision_tells_nothing() -> None:
    """Seat 1 does not decide again within the rollout: nothing is known about what followed, nor of its payments."""
    movers = np.array([[1], [0], [0], [0]], np.int8)
    rewards = np.ones((3, 1, SEATS), np.float32)
    arrays = movers, rewards, np.zeros((3, 1), np.bool_), np.full((4, 1), 0.5, np.float32)
    advantages, is_closed = compute(arrays, 1.0, 0.0, 1.0)
    assert is_closed[:, 0].tolist() == [False, True, True]
    assert advantages[:, 0].tolist() == [0, 1, 1]
