"""Small games and models, and helpers for their tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger

from crypt_env import FEATURES
from crypt_env.agents import make_agent, save_network
from crypt_env.ppo.export import facts_of, weights_of
from crypt_env.ppo.fast import FastMaskablePPO
from crypt_env.ppo.league import League
from crypt_env.ppo.policy import trunk
from crypt_env.ppo.rollout import Rollout
from crypt_env.ppo.selfplay import SelfPlayVecEnv

GAMES, STEPS = 12, 24


def first_legal(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Return the first legal action of each decision: an agent that is easy to recognize."""
    return masks.argmax(axis=1)


def small_league(share: float = 0.5, agents: tuple[str | Callable[..., Any], ...] = (first_legal, "greedy")) -> League:
    """Return a league."""
    return League([make_agent(agent) for agent in agents], share)


def small_env(players: int | list[int] = 2, games: int = GAMES, **arguments: Any) -> SelfPlayVecEnv:
    """Return games."""
    return SelfPlayVecEnv(games, players, **{"seed": 3, **arguments})


def small_model(venv: Any, kind: type[MaskablePPO] = FastMaskablePPO, **arguments: Any) -> Any:
    """Return a model that learns from short rollouts, in full precision."""
    settings: dict[str, Any] = {
        "n_steps": STEPS,
        "batch_size": 64,
        "n_epochs": 2,
        "learning_rate": 1e-3,
        "policy_kwargs": trunk([1, 2, 3, 4], [16, 16]),
        "seed": 1,
        "device": "cpu",
    }
    if issubclass(kind, FastMaskablePPO):
        settings |= {"precision": "fp32", "workers": 1}
    return kind("MlpPolicy", venv, **{**settings, **arguments})


def collect(model: FastMaskablePPO) -> Rollout:
    """Play one rollout without learning from it, from the current state of the games."""
    if model._last_obs is None:
        model.set_logger(Logger(None, []))
        _, model.test_callback = model._setup_learn(10**9)
    model.collect_rollouts(model.env, model.test_callback)
    assert model._rollout is not None
    return model._rollout


def observations_of(model: FastMaskablePPO, seen: np.ndarray) -> np.ndarray:
    """Return observations, with zeros in the columns that the network does not use."""
    whole = np.zeros((len(seen), FEATURES), np.int8)
    whole[:, model.policy.features_extractor.columns.numpy()] = seen
    return whole


def weights(model: MaskablePPO) -> np.ndarray:
    """Return all that a model has learned."""
    return np.concatenate([part.detach().numpy().ravel() for part in model.policy.state_dict().values()])


def break_weights(model: MaskablePPO) -> None:
    """Set the weights to those of a diverged run."""
    with torch.no_grad():
        for weight in model.policy.parameters():
            weight.fill_(float("nan"))


def small_network(folder: Path, **facts: Any) -> str:
    """Write an untrained network for two players; return its path."""
    policy = small_model(small_env()).policy
    save_network(folder / "small", weights_of(policy), facts_of(policy, [2], **facts))
    return f"{folder}/small"
