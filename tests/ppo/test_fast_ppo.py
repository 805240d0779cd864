"""`FastMaskablePPO`: the interface of MaskablePPO, and correct internals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger
from stable_baselines3.common.vec_env import VecMonitor

from crypt_env import ACTIONS, FEATURES, Batch, CryptError
from crypt_env.arena import play_match
from crypt_env.envs.sb3 import PolicyAgent, SeatVecEnv
from crypt_env.ppo.fast import FastMaskablePPO
from crypt_env.ppo.policy import SharedTrunk, has_bf16, trunk
from ppo.references import seat_advantages_of
from ppo.small import (
    GAMES,
    STEPS,
    break_weights,
    collect,
    observations_of,
    small_env,
    small_league,
    small_model,
    weights,
)

# -- rollouts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("reward", ["win", "margin"])
def test_advantages_of_running_models(players: int, reward: str) -> None:
    """In every rollout they are those of the plain reference."""
    venv = small_env(players, reward=reward, dense=True)
    model = small_model(venv, gamma=0.98, gae_lambda=0.9, reward_scale=0.1)
    for _ in range(3):
        rollout = collect(model)
        arrays = rollout.movers, rollout.rewards, rollout.dones, rollout.values
        expected, is_closed = seat_advantages_of(*arrays, 0.98, 0.9, 0.1)
        np.testing.assert_array_equal(rollout.is_closed, is_closed)
        np.testing.assert_allclose(rollout.advantages, expected, atol=1e-5)
        np.testing.assert_array_equal(model._rows, np.flatnonzero(is_closed))
        model.train()


@pytest.mark.parametrize("players", [1, 2, [2, 3, 4]])
@pytest.mark.parametrize("has_league", [False, True])
@pytest.mark.parametrize("workers", [1, 2])
def test_games_continue_from_rollout_to_rollout(players: int | list[int], has_league: bool, workers: int) -> None:
    """A batch that plays the same actions has the same arrays: nothing is skipped, and everything is in its place."""
    counts = [players] * GAMES if isinstance(players, int) else players * (GAMES // 3)
    policy = trunk([1, 2, 3, 4], [16, 16], thermometers=workers == 2)
    venv = small_env(counts, league=small_league() if has_league else None)
    model = small_model(venv, workers=workers, policy_kwargs=policy)
    batch = Batch(GAMES, counts, seed=1)  # that of the model
    arrays = batch.reset()
    columns = model.policy.features_extractor.columns.numpy()
    above = None if model.policy.features_extractor.above is None else model.policy.features_extractor.above.numpy()
    paid, lengths, episodes = np.zeros(GAMES), np.zeros(GAMES, int), []
    for _ in range(4):
        rollout = collect(model)
        for step in range(STEPS):
            seen = arrays.observations[:, columns]
            np.testing.assert_array_equal(rollout.seen[step], seen if above is None else seen > above)
            np.testing.assert_array_equal(rollout.masks[step], arrays.masks)
            np.testing.assert_array_equal(rollout.movers[step], arrays.movers)
            assert rollout.masks[step, np.arange(GAMES), rollout.actions[step]].all()
            arrays = batch.step(rollout.actions[step])
            np.testing.assert_array_equal(rollout.rewards[step], arrays.rewards)
            np.testing.assert_array_equal(rollout.dones[step], arrays.dones)
            paid, lengths = paid + arrays.rewards[:, 0], lengths + 1
            episodes += [(paid[game], lengths[game]) for game in np.flatnonzero(arrays.dones)]
            paid[arrays.dones], lengths[arrays.dones] = 0, 0
        model.train()
    assert episodes
    assert [(episode["r"], episode["l"]) for episode in model.ep_info_buffer] == episodes[-100:]


@pytest.mark.parametrize("has_league", [False, True])
def test_rollouts_do_not_depend_on_the_number_of_workers(has_league: bool) -> None:
    """With the same weights two threads play what one would."""
    one, two = (
        small_model(small_env(3, 64, league=small_league() if has_league else None), workers=workers)
        for workers in (1, 2)
    )
    for _ in range(3):
        alone, shared = collect(one), collect(two)
        for name in ("seen", "masks", "movers", "actions", "rewards", "dones", "is_learner", "is_closed"):
            np.testing.assert_array_equal(getattr(alone, name), getattr(shared, name), err_msg=name)
        for name in ("log_probs", "values", "advantages"):
            np.testing.assert_allclose(getattr(alone, name), getattr(shared, name), atol=1e-5, err_msg=name)
    if has_league:
        np.testing.assert_array_equal(one.env.league.games, two.env.league.games)
        np.testing.assert_array_equal(one.env.league.wins, two.env.league.wins)


def test_actions_are_drawn_from_the_policy() -> None:
    """The stored values of each decision are those of plain sb3-contrib."""
    model = small_model(small_env())
    collect(model)
    model.train()
    rollout = collect(model)
    flat = observations_of(model, rollout.seen[:-1].reshape(GAMES * STEPS, -1))
    masks, actions = rollout.masks[:-1].reshape(-1, ACTIONS), torch.from_numpy(rollout.actions.reshape(-1))
    with torch.no_grad():
        values, log_probs, _ = model.policy.evaluate_actions(torch.from_numpy(flat), actions, action_masks=masks)
    np.testing.assert_allclose(rollout.log_probs.reshape(-1), log_probs.numpy(), atol=1e-5)
    np.testing.assert_allclose(rollout.values[:-1].reshape(-1), values.numpy().ravel(), atol=1e-5)


def test_other_games_can_be_set() -> None:
    """They are the ones that are played next."""
    model, other = small_model(small_env()), small_env(3)
    model.learn(GAMES * STEPS)
    model.set_env(other)
    model.learn(GAMES * STEPS)
    assert model._rollout.venv is other
    assert set(np.unique(model._rollout.movers)) == {0, 1, 2}


# -- learning ---------------------------------------------------------------------------------------------------------


def stock_update(model: FastMaskablePPO) -> MaskablePPO:
    """Return a plain MaskablePPO after one step on all usable decisions of a rollout."""
    rollout, rows = model._rollout, model._rows
    assert rollout is not None
    stock = small_model(small_env(), MaskablePPO, n_epochs=1)
    stock.policy.load_state_dict(model.policy.state_dict())
    advantages = rollout.advantages.reshape(-1)[rows]
    returns = torch.from_numpy(advantages + rollout.values[:-1].reshape(-1)[rows])
    advantages = torch.from_numpy((advantages - advantages.mean()) / (advantages.std() + 1e-8))
    flat = torch.from_numpy(observations_of(model, rollout.seen[:-1].reshape(GAMES * STEPS, -1)[rows]))
    masks, actions = rollout.masks[:-1].reshape(-1, ACTIONS)[rows], torch.from_numpy(rollout.actions.reshape(-1)[rows])
    values, log_probs, entropy = stock.policy.evaluate_actions(flat, actions, action_masks=masks)
    ratio = torch.exp(log_probs - torch.from_numpy(rollout.log_probs.reshape(-1)[rows]))
    gains = torch.min(advantages * ratio, advantages * torch.clamp(ratio, 0.8, 1.2))
    value_loss = torch.nn.functional.mse_loss(returns, values.flatten())
    (-gains.mean() - model.ent_coef * entropy.mean() + model.vf_coef * value_loss).backward()
    torch.nn.utils.clip_grad_norm_(stock.policy.parameters(), model.max_grad_norm)
    stock.policy.optimizer.step()
    return stock


@pytest.mark.parametrize("workers", [1, 2])
def test_a_step_moves_the_weights_as_torch_would(workers: int) -> None:
    """One step on a whole rollout, with one worker and with two."""
    model = small_model(small_env(), workers=workers, n_epochs=1, batch_size=10**6, ent_coef=0.02)
    before = weights(model)
    collect(model)
    expected = stock_update(model)
    model.train()
    assert abs(weights(model) - before).max() > 5e-4
    np.testing.assert_allclose(weights(model), weights(expected), atol=2e-5)


def test_a_thread_without_games_changes_nothing() -> None:
    """With fewer games than threads, each gradient counts once."""
    learned = []
    for workers in (1, 2):
        model = small_model(small_env(games=1), workers=workers, n_epochs=1, batch_size=10**6)
        collect(model)
        model.train()
        learned.append(weights(model))
    np.testing.assert_allclose(*learned, atol=2e-5)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_the_same_seed_gives_the_same_weights(workers: int, precision: str) -> None:
    """To the last bit, for any thread schedule; another seed gives other weights."""
    if precision == "bf16" and not has_bf16():
        pytest.skip("this processor has no bf16")
    learned = []
    for seed in (1, 1, 2):
        model = small_model(small_env(league=small_league()), seed=seed, workers=workers, precision=precision)
        learned.append(weights(model.learn(3 * GAMES * STEPS)))
    np.testing.assert_array_equal(learned[0], learned[1])
    assert (learned[0] != learned[2]).any()


def test_only_rows_that_are_closed_and_the_learners_count() -> None:
    """The content of all other rows has no effect."""
    learned = []
    for junk in (0, 5):
        model = small_model(small_env(3, league=small_league()))
        rollout = collect(model)
        is_used = rollout.is_closed & rollout.is_learner
        assert 0 < is_used.sum() < is_used.size
        rollout.log_probs[~is_used] += junk
        rollout.advantages[~is_used] += junk
        rollout.actions[~is_used] = junk
        rollout.seen[:-1][~is_used] += junk
        model.train()
        learned.append(weights(model))
    np.testing.assert_array_equal(*learned)


def test_a_divergence_ends_learning_from_a_rollout() -> None:
    """After the epoch in which it was exceeded."""
    model = small_model(small_env(), target_kl=1e-9, n_epochs=7)
    model.learn(GAMES * STEPS)
    assert model._n_updates < 7


class Keys(KVWriter):
    """Records what is logged."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, Any], step: int = 0) -> None:
        self.values |= key_values

    def close(self) -> None:
        pass


def test_the_same_is_logged_as_by_maskable_ppo() -> None:
    """One additional key: how many decisions of a rollout are learned from."""
    logged = []
    for kind in (MaskablePPO, FastMaskablePPO):
        model, keys = small_model(small_env(), kind, clip_range_vf=0.2), Keys()
        model.set_logger(Logger(None, [keys]))
        model.learn(4 * GAMES * STEPS)
        logged.append(keys.values)
    assert set(logged[1]) - set(logged[0]) == {"rollout/used_decisions"}
    assert set(logged[0]) <= set(logged[1])
    assert all(np.isfinite(value) for value in logged[1].values())
    assert 0.5 < logged[1]["rollout/used_decisions"] < 1


class Counter(BaseCallback):
    """Counts the calls of a callback."""

    def __init__(self, most: int = 10**9) -> None:
        super().__init__()
        self.steps, self.starts, self.ends, self.most = 0, 0, 0, most

    def _on_step(self) -> bool:
        self.steps += 1
        return self.steps < self.most

    def _on_rollout_start(self) -> None:
        self.starts += 1

    def _on_rollout_end(self) -> None:
        self.ends += 1


def test_callbacks_are_called_as_usual() -> None:
    """Once for each step, and a callback can stop training."""
    counter = Counter()
    small_model(small_env()).learn(2 * GAMES * STEPS, callback=counter)
    assert (counter.steps, counter.starts, counter.ends) == (2 * STEPS, 2, 2)
    model = small_model(small_env()).learn(2 * GAMES * STEPS, callback=Counter(5))
    assert model.num_timesteps == 5 * GAMES


# -- files ------------------------------------------------------------------------------------------------------------


def test_the_zip_is_one_of_plain_maskable_ppo(tmp_path: Path) -> None:
    """It loads there, gives the same outputs for every decision, and plays the same games."""
    model = small_model(small_env(), learning_rate=0.01).learn(4 * GAMES * STEPS)
    model.save(tmp_path / "model.zip")
    plain = MaskablePPO.load(tmp_path / "model.zip", device="cpu")
    assert type(plain) is MaskablePPO
    arrays = small_env(3, 200).batch.reset(5)
    for is_deterministic in (True, False):
        played = []
        for one in (model, plain):
            torch.manual_seed(0)
            actions, _ = one.predict(arrays.observations, action_masks=arrays.masks, deterministic=is_deterministic)
            played.append(actions)
        np.testing.assert_array_equal(*played)
        assert arrays.masks[np.arange(200), played[0]].all()
    chances = [
        one.policy.get_distribution(torch.from_numpy(arrays.observations)).distribution for one in (model, plain)
    ]
    np.testing.assert_array_equal(*(each.logits.detach().numpy() for each in chances))
    matches = [play_match(PolicyAgent(one), "random", games=64) for one in (model, plain)]
    assert matches[0] == matches[1]


def test_the_zip_holds_nothing_that_is_not_needed(tmp_path: Path) -> None:
    """Neither the games nor a rollout; and training can continue from it."""
    model = small_model(small_env()).learn(GAMES * STEPS)
    model.save(tmp_path / "model.zip")
    assert (tmp_path / "model.zip").stat().st_size < 300_000
    loaded = FastMaskablePPO.load(tmp_path / "model.zip", env=small_env())
    assert loaded.precision == "fp32"
    np.testing.assert_array_equal(weights(loaded), weights(model))
    before = weights(loaded)
    loaded.learn(GAMES * STEPS)
    assert (weights(loaded) != before).any()


# -- errors -----------------------------------------------------------------------------------------------------------


def test_a_network_without_a_shared_trunk_is_refused() -> None:
    """With a sentence that says what is needed."""
    with pytest.raises(
        CryptError, match=r"a network with a shared trunk is needed, .*: policy_kwargs=crypt_env\.ppo\.trunk"
    ):
        small_model(small_env(), policy_kwargs={"net_arch": [16]})


@pytest.mark.parametrize("make", [lambda: VecMonitor(small_env()), lambda: SeatVecEnv(4)])
def test_other_environments_are_refused(make: Any) -> None:
    """At once, not in the middle of a rollout."""
    with pytest.raises(CryptError, match="learns only from a SelfPlayVecEnv, and this is a "):
        small_model(make())


@pytest.mark.parametrize("workers", [1, 2])
def test_broken_weights_are_found_out(workers: int) -> None:
    """Before anything is played or written with them."""
    model = small_model(small_env(), workers=workers)
    collect(model)
    break_weights(model)
    with pytest.raises(CryptError, match="or the network's outputs are not finite"):
        collect(model)


def test_a_step_too_far_is_found_out() -> None:
    """In the update that breaks the weights."""
    model = small_model(small_env(), learning_rate=1e30)
    with pytest.raises(CryptError, match="the weights are no longer finite; a lower learning_rate may help"):
        model.learn(GAMES * STEPS)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        *(
            ({name: number}, f"{name}={number} is not possible; allowed are whole numbers from 1 up")
            for name in ("n_steps", "batch_size", "n_epochs")
            for number in (0, -1, 1.5, None)
        ),
        *(
            ({name: number}, f"{name}={number} is not possible; a number from 0 to 1 is needed")
            for name in ("gamma", "gae_lambda")
            for number in (2, -1, float("nan"))
        ),
        *(
            ({name: number}, f"{name}={number} is not possible; a number from 0 on is needed")
            for name in ("ent_coef", "vf_coef", "learning_rate", "clip_range", "max_grad_norm")
            for number in (-1, float("nan"))
        ),
        ({"target_kl": -1.0}, "target_kl=-1.0 is not possible; a number from 0 on is needed"),
        ({"device": "meta"}, "device='meta' is not possible; FastMaskablePPO learns on the CPU"),
        ({"ent_coef": float("inf")}, "ent_coef=inf is not possible; a number from 0 on is needed"),
        ({"reward_scale": 0}, "reward_scale=0 is not possible; a number above 0 is needed"),
    ],
    ids=str,
)
def test_impossible_numbers_are_refused(wrong: dict[str, Any], sentence: str) -> None:
    """When the model is made, and not after hours in which nothing was learned."""
    with pytest.raises(CryptError) as caught:
        small_model(small_env(), **wrong)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((2,), "players=2 is not possible; a list with entries is needed, such as [2]"),
        (([],), "players=[] is not possible; a list with entries is needed, such as [2]"),
        (([5],), "players=5 is not possible; allowed are 1 (against the Ghost), 2, 3 and 4"),
        (([2], []), "widths=[] is not possible; a list with entries is needed, such as [256, 256]"),
        (([2], 64), "widths=64 is not possible; a list with entries is needed, such as [256, 256]"),
        (([2], [0]), "widths=0 is not possible; allowed are whole numbers from 1 up"),
        (([2], ["8"]), "widths='8' is not possible; allowed are whole numbers from 1 up"),
        (([2], [8], []), "columns=[] is not possible; a list with entries is needed, such as [0, 1]"),
        (([2], [8], [498]), "columns=498 is not possible; allowed are 0 to 497"),
        (([2], [8], [-1]), "columns=-1 is not possible; allowed are 0 to 497"),
        (([2], [8], [True]), "columns=True is not possible; allowed are 0 to 497"),
    ],
    ids=str,
)
def test_impossible_trunks_are_refused(arguments: tuple[Any, ...], sentence: str) -> None:
    """With what is allowed."""
    with pytest.raises(CryptError) as caught:
        trunk(*arguments)
    assert str(caught.value) == sentence


def test_a_trunk_moves_to_another_device_as_a_whole() -> None:
    """Its columns and limits as well, which files do not hold."""
    arguments = trunk([2], [8], thermometers=True)["features_extractor_kwargs"]
    layers = SharedTrunk(small_env().observation_space, **arguments)
    assert layers.to("meta")(torch.zeros((3, FEATURES), device="meta")).shape == (3, 8)
    assert not {"columns", "above"} & layers.state_dict().keys()


def test_rollouts_that_are_too_short_are_refused() -> None:
    """A single step says nothing about what follows."""
    model = small_model(small_env(4, 2), n_steps=1, batch_size=2)
    with pytest.raises(CryptError, match="1 steps are too few"):
        model.learn(50)
