"""`SeatMaskablePPO`: stock MaskablePPO with a buffer that knows seats, compared with `FastMaskablePPO`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from crypt_env import CryptError
from crypt_env.arena import round_robin
from crypt_env.envs.sb3 import SeatVecEnv
from crypt_env.experiment.settings import settings_from
from crypt_env.experiment.setup import make_games, make_model
from crypt_env.ppo.export import agent_of
from crypt_env.ppo.fast import FastMaskablePPO
from crypt_env.ppo.reference import SeatMaskablePPO
from ppo.references import seat_advantages_of
from ppo.small import GAMES, STEPS, small_env, small_league, small_model, weights


class Checked(BaseCallback):
    """Compares every rollout with the plain reference, before anything is learned from it."""

    def __init__(self) -> None:
        super().__init__()
        self.rollouts = 0

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        model: Any = self.model
        buffer, venv = model.rollout_buffer, model.env
        movers = np.concatenate([buffer.movers, venv.arrays.movers[None]])
        last = model.policy.predict_values(model.policy.obs_to_tensor(venv.arrays.observations)[0]).detach().numpy()
        values = np.concatenate([buffer.values, last.reshape(1, -1)])
        expected, is_closed = seat_advantages_of(movers, buffer.seat_rewards, buffer.dones, values, 0.98, 0.9, 0.1)
        np.testing.assert_array_equal(buffer.is_closed, is_closed)
        np.testing.assert_allclose(buffer.advantages, expected, atol=1e-5)
        np.testing.assert_allclose(buffer.returns, expected + buffer.values, atol=1e-5)
        is_legal = np.take_along_axis(buffer.action_masks, buffer.actions.astype(np.int64), axis=2)[:, :, 0]
        assert is_legal[buffer.is_learner].all()
        count = sum(len(batch.actions) for batch in buffer.get(50))
        assert count == (is_closed & buffer.is_learner).sum()
        self.rollouts += 1


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("has_league", [False, True])
def test_advantages_are_those_of_the_reference(players: int, has_league: bool) -> None:
    """For all numbers of players, and only the learner's decisions that are closed are learned from."""
    league = small_league() if has_league else None
    venv = small_env(players, reward="margin", dense=True, league=league)
    model = small_model(venv, SeatMaskablePPO, gamma=0.98, gae_lambda=0.9, reward_scale=0.1)
    checked = Checked()
    model.learn(3 * GAMES * STEPS, callback=checked)
    assert checked.rollouts == 3


def test_the_fast_one_learns_the_same() -> None:
    """From the same rollout both make the same step, if all of it is one minibatch."""
    learned = []
    for kind in (SeatMaskablePPO, FastMaskablePPO):
        model = small_model(small_env(), kind, n_epochs=1, batch_size=10**6, ent_coef=0.01, normalize_advantage=False)
        model.policy.load_state_dict(small_model(small_env(), seed=7).policy.state_dict())
        learned.append(model)
    stock, fast = learned
    before = weights(stock)
    fast.learn(GAMES * STEPS)
    replay = iter(fast._rollout.actions)
    whole = type(stock.policy).forward

    def forward(*arguments: Any, **options: Any) -> Any:
        _, values, _ = whole(stock.policy, *arguments, **options)
        actions = torch.from_numpy(next(replay))
        masks = options["action_masks"]
        return actions, values, stock.policy.evaluate_actions(*arguments, actions, action_masks=masks)[1]

    stock.policy.forward = forward
    stock.learn(GAMES * STEPS)
    assert abs(weights(stock) - before).max() > 5e-4
    np.testing.assert_allclose(weights(stock), weights(fast), atol=2e-5)


def test_the_zip_is_one_of_plain_maskable_ppo(tmp_path: Path) -> None:
    """Which knows nothing of this buffer."""
    model = small_model(small_env(), SeatMaskablePPO)
    model.learn(GAMES * STEPS)
    model.save(tmp_path / "model.zip")
    plain = MaskablePPO.load(tmp_path / "model.zip", device="cpu")
    np.testing.assert_array_equal(weights(plain), weights(model))
    assert "training" not in repr(plain.__dict__.get("rollout_buffer_class"))


def test_other_environments_are_refused() -> None:
    """They do not say who moved."""
    with pytest.raises(CryptError, match="learns only from a SelfPlayVecEnv, and this is a SeatVecEnv"):
        small_model(SeatVecEnv(4), SeatMaskablePPO).learn(10)


def test_rollouts_that_are_too_short_are_refused() -> None:
    """A single step says nothing about what follows."""
    model = small_model(small_env(4, 2), SeatMaskablePPO, n_steps=1, batch_size=2)
    with pytest.raises(CryptError, match="1 steps are too few"):
        model.learn(50)


@pytest.mark.slow
@pytest.mark.parametrize("trainer", ["stock", "fast"])
def test_both_learn(trainer: str) -> None:
    """After a hundred thousand solo decisions they earn far more than random play."""
    changes = {"games": 128, "steps": 32, "minibatch": 1024, "widths": [64], "decisions": 100_000, "opponents": []}
    solo = {"players": [1], "dense": True, "reward_scale": 0.1, "learning_rate": 3e-3}
    settings = settings_from({**changes, **solo, "trainer": trainer, "workers": 1})
    model = make_model(settings, make_games(settings))
    model.learn(settings.decisions)
    learned = agent_of(model.policy, [1], "learned")
    report = round_robin([learned, "random"], 1, 2000, "even", seed=7)
    assert report.solo("learned").coins.value > 1.2 * report.solo("random").coins.value
