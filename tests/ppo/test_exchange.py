"""Workers that learn together, as threads of one process: the same games and the same steps as one worker."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from stable_baselines3.common.logger import Logger

from crypt_env.agents import make_agent
from crypt_env.errors import CryptError
from crypt_env.ppo import Exchange, FastMaskablePPO, Group, League, SelfPlayVecEnv, trunk
from crypt_env.ppo.exchange import cut, joined

GAMES, STEPS = 9, 64


class Table:
    """Where threads put what they exchange."""

    def __init__(self, size: int) -> None:
        self.values: list[Any] = [None] * size
        self.barrier = threading.Barrier(size)


class Together(Group):
    """One of several threads; what torch.distributed would do for processes."""

    def __init__(self, table: Table, rank: int) -> None:
        self._table, self.rank, self.size = table, rank, len(table.values)

    def all(self, value: Any) -> list[Any]:
        self._table.values[self.rank] = value
        self._table.barrier.wait(60)
        values = list(self._table.values)
        self._table.barrier.wait(60)
        return values

    def gather(self, value: Any) -> list[Any]:
        values = self.all(value)
        return values if self.rank == 0 else []

    def add(self, gradients: Sequence[torch.Tensor]) -> None:
        parts = self.all([gradient.clone() for gradient in gradients])
        for number, gradient in enumerate(gradients):
            gradient.copy_(sum(part[number] for part in parts))

    def total(self, values: Any) -> Any:
        return np.sum(self.all(values), axis=0)


def model(exchange: Exchange, minibatches: int = 1) -> FastMaskablePPO:
    """Return a small model that plays its part of nine games, in a league."""
    start, stop = exchange.part(GAMES)
    players = [2 + game % 2 for game in range(start, stop)]
    league = League([make_agent("ghost"), make_agent("random")], 0.5)
    games = SelfPlayVecEnv(stop - start, players, league=league, seed=5, first_index=start)
    made = FastMaskablePPO(
        "MlpPolicy",
        games,
        n_steps=STEPS,
        batch_size=GAMES * STEPS // minibatches,
        n_epochs=2,
        policy_kwargs=trunk([2, 3], [16]),
        seed=3,
        workers=1,
        precision="fp32",
        exchange=exchange,
    )
    made.set_logger(Logger(None, []))
    return made


def learned(size: int, rollouts: int, minibatches: int = 1) -> tuple[list[FastMaskablePPO], list[dict[str, Any]]]:
    """Return the models of this many workers after some rollouts, and their states."""
    table, first = Table(size), model(Exchange()).policy.state_dict()

    def learn(rank: int) -> tuple[FastMaskablePPO, dict[str, Any]]:
        made = model(Together(table, rank) if size > 1 else Exchange(), minibatches)
        made.policy.load_state_dict(first)  # threads draw from one generator
        made.learn(rollouts * GAMES * STEPS)
        return made, made.state_dict()

    torch.set_num_threads(1)
    with ThreadPoolExecutor(size) as pool:
        models = list(pool.map(learn, range(size)))
    return [made for made, _ in models], [state for _, state in models]


@pytest.mark.parametrize("size", [2, 4])
def test_workers_play_the_games_of_one(size: int) -> None:
    """The same network plays each game as it would beside all others, and results in the league are those of all."""
    _, (one,) = learned(1, 1)
    models, states = learned(size, 1)
    assert all(made.num_timesteps == GAMES * STEPS for made in models)
    whole = states[0]["games"]
    assert whole["states"].tobytes() == one["games"]["states"].tobytes()
    assert one["games"]["league"]["games"].sum() > 0
    for name, array in one["games"]["league"].items():
        np.testing.assert_array_equal(whole["league"][name], array, err_msg=name)


@pytest.mark.parametrize("size", [2, 4])
def test_workers_make_the_steps_of_one(size: int) -> None:
    """With one minibatch for each epoch, up to rounding; all of them have the same weights, to the bit."""
    (alone,), (one,) = learned(1, 1)
    models, states = learned(size, 1)
    for name, tensor in one["policy"].items():
        torch.testing.assert_close(states[0]["policy"][name], tensor, rtol=1e-4, atol=1e-6)
        assert all(torch.equal(state["policy"][name], states[0]["policy"][name]) for state in states)
    for name in ("explained_variance", "approx_kl", "loss", "entropy_loss"):
        values = [made.logger.name_to_value[f"train/{name}"] for made in (alone, *models)]
        np.testing.assert_allclose(values, values[0], rtol=1e-3, atol=1e-5, err_msg=name)


def test_workers_stay_alike_with_many_minibatches() -> None:
    """Each shuffles its own rows; the generators that are saved go on alike."""
    _, states = learned(2, 3, minibatches=5)
    for name, tensor in states[0]["policy"].items():
        assert torch.equal(states[1]["policy"][name], tensor)
    assert states[0]["generator"] == states[1]["generator"]


def test_a_state_can_be_cut_for_any_number_of_workers() -> None:
    _, (one,) = learned(1, 1)
    games = one["games"]
    for bounds in ([0, 9], [0, 4, 9], [0, 2, 4, 6, 9]):
        parts = [cut(games, start, stop, GAMES) for start, stop in pairwise(bounds)]
        again = joined(parts)
        assert again["states"].tobytes() == games["states"].tobytes()
        for name, array in games["league"].items():
            np.testing.assert_array_equal(again["league"][name], array, err_msg=name)
    with pytest.raises(ValueError, match="is not an array of 10 games"):
        cut(games, 0, 5, 10)


def test_a_wrong_precision_is_refused() -> None:
    with pytest.raises(CryptError, match="precision='fp8' is not possible; allowed are fp32, bf16"):
        Group("fp8")
