"""Custom networks and rewards."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from crypt_env import FEATURES, CryptError
from crypt_env.ppo import FastMaskablePPO, SeatMaskablePPO, SharedTrunk, export_network, trunk
from ppo.small import GAMES, STEPS, collect, small_env, small_league, small_model, weights

ROLLOUT = GAMES * STEPS

# -- networks ---------------------------------------------------------------------------------------------------------


class Residual(torch.nn.Module):
    """A residual layer."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(width, width)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        return hidden + torch.relu(self.linear(hidden))


class ResidualTrunk(SharedTrunk):
    """A trunk of custom layers."""

    def make_layers(self, inputs: int, widths: Sequence[int]) -> torch.nn.Module:
        return torch.nn.Sequential(torch.nn.Linear(inputs, widths[0]), *map(Residual, widths), torch.nn.LayerNorm(16))


def residual_model(**options: Any) -> Any:
    """Return a model with such a trunk."""
    return small_model(small_env(), policy_kwargs=trunk([2], [16, 16], kind=ResidualTrunk), **options)


@pytest.mark.parametrize("workers", [1, 2])
def test_the_fast_trainer_learns_with_other_layers(workers: int, tmp_path: Path) -> None:
    """All weights change; a plain MaskablePPO plays the same."""
    model = residual_model(workers=workers)
    before = {name: tensor.clone() for name, tensor in model.policy.state_dict().items()}
    model.learn(2 * ROLLOUT)
    assert all((tensor != before[name]).any() for name, tensor in model.policy.state_dict().items())
    model.save(tmp_path / "model")
    plain = MaskablePPO.load(tmp_path / "model")
    arrays = model.env.arrays
    actions = [
        one.predict(arrays.observations, action_masks=arrays.masks, deterministic=True)[0] for one in (model, plain)
    ]
    np.testing.assert_array_equal(*actions)


def test_other_layers_see_what_the_policy_sees() -> None:
    """The stored values of each decision are the policy's for whole observations."""
    model = residual_model()
    rollout = collect(model)
    observations = np.zeros((GAMES, FEATURES), np.int8)
    observations[:, model.policy.features_extractor.columns.numpy()] = rollout.seen[3]
    with torch.no_grad():
        values = model.policy.predict_values(torch.from_numpy(observations)).numpy().ravel()
    np.testing.assert_allclose(rollout.values[3], values, atol=1e-5)


def test_other_layers_are_not_exported(tmp_path: Path) -> None:
    """A network file cannot represent them."""
    with pytest.raises(CryptError, match=r"^a ResidualTrunk cannot be exported: .* plays as sb3:FILE\.zip$"):
        export_network(tmp_path / "mine", residual_model().policy, [2])
    assert not list(tmp_path.iterdir())


class Plain(BaseFeaturesExtractor):
    """Any features extractor of Stable-Baselines3."""

    def __init__(self, space: gymnasium.Space[Any]) -> None:
        super().__init__(space, 8)
        self.linear = torch.nn.Linear(FEATURES, 8)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.linear(observations))


@pytest.mark.parametrize(
    ("policy", "sentence"),
    [
        ({"net_arch": [16]}, "a network with a shared trunk is needed, and this one has a FlattenExtractor: "),
        ({"features_extractor_class": Plain}, "a network with a shared trunk is needed, and this one has a Plain: "),
        ({**trunk([2], [8]), "net_arch": [16]}, r"net_arch=\[16\] is not possible after a shared trunk"),
    ],
)
def test_the_reference_learns_with_any_network(policy: dict[str, Any], sentence: str) -> None:
    """The fast trainer says what it needs."""
    with pytest.raises(CryptError, match=f"^{sentence}.*SeatMaskablePPO learns with any"):
        small_model(small_env(), policy_kwargs=policy)
    model = small_model(small_env(), SeatMaskablePPO, policy_kwargs=policy)
    before = weights(model)
    assert (weights(model.learn(2 * ROLLOUT)) != before).any()


# -- rewards ----------------------------------------------------------------------------------------------------------


def coins(earned: np.ndarray, players: np.ndarray) -> np.ndarray:
    """Pay what the engine would."""
    return earned


def ranks(earned: np.ndarray, players: np.ndarray) -> np.ndarray:
    """Pay for each seat that is left behind."""
    is_seat = np.arange(4) < players[:, None]
    ahead = (earned[:, :, None] > earned[:, None, :]) & is_seat[:, None, :] & is_seat[:, :, None]
    return ahead.sum(axis=2).astype(np.float32)


@pytest.mark.parametrize("kind", [FastMaskablePPO, SeatMaskablePPO])
def test_paying_coins_by_a_function_is_paying_coins(kind: type[MaskablePPO]) -> None:
    """The same weights, and the league counts the same wins."""
    learned, wins = [], []
    for reward in ("coins", coins):
        league = small_league()
        model = small_model(small_env([2, 3, 4] * 4, reward=reward, league=league), kind, reward_scale=0.1)
        learned.append(weights(model.learn(6 * ROLLOUT)))
        wins.append((league.games.tolist(), league.wins.tolist()))
    np.testing.assert_array_equal(*learned)
    assert wins[0] == wins[1]
    assert sum(wins[0][0]) > 0


@pytest.mark.parametrize("workers", [1, 2])
def test_a_reward_is_a_function_of_the_coins_at_the_end(workers: int) -> None:
    """Of all seats, for the number of players of each game."""
    players = [1, 2, 3, 4] * (GAMES // 4)
    mine, theirs = (small_model(small_env(players, reward=reward), workers=workers) for reward in (ranks, "coins"))
    ended = 0
    for _ in range(4):
        rollout, paid = collect(mine), collect(theirs)
        games = np.tile(players, (STEPS, 1))[paid.dones]
        np.testing.assert_array_equal(rollout.rewards[paid.dones], ranks(paid.rewards[paid.dones], games))
        assert (rollout.rewards[~paid.dones] == 0).all()
        ended += len(games)
    assert ended > GAMES


@pytest.mark.parametrize("wrong", [np.zeros(3), np.full((1, 4), np.nan), 1.0])
def test_a_reward_that_is_none_is_refused(wrong: Any) -> None:
    """In one sentence."""
    with pytest.raises(CryptError, match=r"^a reward must be .* finite numbers, one for each seat, "):
        small_model(small_env(1, reward=lambda earned, players: wrong)).learn(6 * ROLLOUT)


def test_a_reward_of_ones_own_is_paid_at_the_end() -> None:
    """Only the engine knows which coins are certain."""
    with pytest.raises(CryptError, match=r"^dense=True is not possible with a reward of your own"):
        small_env(2, reward=ranks, dense=True)
