"""Checkpoints: everything that a run needs to go on as if it had never stopped."""

from __future__ import annotations

import io
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from crypt_env import Arrays, CryptError
from crypt_env.agents.network import Network, NetworkAgent
from crypt_env.files import replace_file
from crypt_env.rules.state import GAME

from .fast_ppo import FastMaskablePPO
from .league import SNAPSHOT
from .seat_buffer import SeatMaskablePPO
from .selfplay import SelfPlayVecEnv
from .settings import Settings

if TYPE_CHECKING:
    from .run import Run

NAME = "checkpoint.pt"

_KEPT = ("trainer", "steps", "thermometers", "without", "weight_decay", "league_agents", "teachers", "seed", "start")
"""Settings that a run cannot change when it goes on; games and layers are compared themselves."""

_RULES = ("players", "table_rule", "leader_rule", "reward_rule", "dense")
"""What must be the same in all games when a run goes on."""


def save_checkpoint(folder: Path, run: Run) -> None:
    """Write a checkpoint; the one before stays until the new one is whole."""
    model: Any = run.model
    venv = model.env
    content = {
        "policy": model.policy.state_dict(),
        "optimizer": model.policy.optimizer.state_dict(),
        "decisions": model.num_timesteps,
        "updates": model._n_updates,
        "generator": model._rng.bit_generator.state,
        "torch": torch.get_rng_state(),
        "states": torch.from_numpy(venv.batch.states.view("u1").copy()),
        "arrays": [torch.from_numpy(array.copy()) for array in venv.arrays],
        "returns": torch.from_numpy(venv._returns.copy()),
        "lengths": torch.from_numpy(venv._lengths.copy()),
        "settings": asdict(run.settings),
        "seconds": run.seconds,
        "rows": run.rows,
        "league": None if venv.league is None else _league(venv),
    }
    buffer = io.BytesIO()
    torch.save(content, buffer)
    replace_file(folder / NAME, buffer.getvalue())


def _league(venv: SelfPlayVecEnv) -> dict[str, Any]:
    """Return the league's results, and the networks of its snapshots."""
    league = venv.league
    assert league is not None
    snapshots = []
    for agent in league.agents:
        if isinstance(agent, NetworkAgent) and agent.name.startswith(SNAPSHOT):
            weights = {name: torch.from_numpy(array) for name, array in agent.network.weights.items()}
            snapshots.append({"name": agent.name, "weights": weights, "facts": agent.network.facts})
    state = {name: torch.from_numpy(array.copy()) for name, array in league.state().items()}
    return {"snapshots": snapshots, "state": state}


def load_checkpoint(folder: Path) -> dict[str, Any]:
    """Read a checkpoint.

    Raises:
        CryptError: there is none, or it is damaged.
    """
    path = folder / NAME
    if not path.is_file():
        raise CryptError(f"there is no checkpoint in {str(folder)!r}; a run that was stopped has a file {NAME}")
    try:
        content: dict[str, Any] = torch.load(path, weights_only=True)
    except Exception as error:
        raise CryptError(f"checkpoint {str(path)!r} cannot be read, it may be cut short: {error}") from error
    return content


def restore(
    content: dict[str, Any], settings: Settings, model: FastMaskablePPO | SeatMaskablePPO, venv: SelfPlayVecEnv
) -> None:
    """Bring a model and its games to where a checkpoint was written.

    Raises:
        CryptError: it was written by a run with other games or another network.
    """
    try:
        _check_settings(content["settings"], settings)
        _restore(content, model, venv)
    except (KeyError, IndexError, TypeError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise CryptError(f"the checkpoint is not of a run with these settings and this version: {reason}") from error


def _check_settings(before: dict[str, Any], settings: Settings) -> None:
    """Raise an error if a setting was changed that cannot be."""
    for name in _KEPT:
        if before[name] != getattr(settings, name):
            raise ValueError(f"it has {name}={before[name]!r}, not {getattr(settings, name)!r}")


def _check_games(states: Any, venv: SelfPlayVecEnv) -> None:
    """Raise an error unless the games of a checkpoint are such as the run plays."""
    games = venv.batch.states
    if states.nbytes != games.nbytes:
        raise ValueError(f"it holds {states.nbytes} bytes of games, not {games.nbytes}")
    kept = states.view(GAME)
    for name in _RULES:
        if (kept[name] != games[name]).any():
            raise ValueError(f"{name} of its games is different")


def _restore(content: dict[str, Any], model: FastMaskablePPO | SeatMaskablePPO, venv: SelfPlayVecEnv) -> None:
    """Bring a model and its games to where a checkpoint was written."""
    _check_games(content["states"].numpy(), venv)
    if (content["league"] is None) != (venv.league is None):
        raise ValueError("one has a league, the other none")
    model.policy.load_state_dict(content["policy"])
    model.policy.optimizer.load_state_dict(content["optimizer"])
    model.num_timesteps = content["decisions"]
    model._n_updates = content["updates"]
    model._rng.bit_generator.state = content["generator"]
    torch.set_rng_state(content.get("torch", torch.get_rng_state()))
    memory: Any = venv.batch.states.view("u1")
    memory[:] = content["states"].numpy()
    arrays = Arrays(*(kept.numpy() for kept in content["arrays"]))
    venv.arrays = arrays
    venv._returns[:], venv._lengths[:] = content["returns"].numpy(), content["lengths"].numpy()
    model._last_obs, model._last_episode_starts = arrays.observations, arrays.dones
    if content["league"] is not None and venv.league is not None:
        for snapshot in content["league"]["snapshots"]:
            weights = {name: tensor.numpy() for name, tensor in snapshot["weights"].items()}
            agent = NetworkAgent(Network(weights, snapshot["facts"]), draws=True)
            agent.name = snapshot["name"]
            venv.league.add(agent)
        venv.league.restore({name: tensor.numpy() for name, tensor in content["league"]["state"].items()})
