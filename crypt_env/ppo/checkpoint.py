"""Checkpoints: everything that a run needs to go on as if it had never stopped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from crypt_env import CryptError
from crypt_env.agents.network import Network, NetworkAgent
from crypt_env.errors import shortened
from crypt_env.experiment.plain_yaml import shorten
from crypt_env.experiment.settings import MOST_IN_LEAGUE, Settings, settings_from, typed_settings
from crypt_env.rules.arrays import new_arrays

from .checkpoint_checks import (
    check_games,
    check_league,
    check_rows,
    check_sessions,
    check_tensor,
    check_tensors,
    number_in,
    record_layout,
    whole_in,
)
from .checkpoint_file import NAME, find_checkpoint, read_checkpoint, write_checkpoint
from .fast import FastMaskablePPO
from .league import SNAPSHOT
from .reference import SeatMaskablePPO
from .selfplay import SelfPlayVecEnv

if TYPE_CHECKING:
    from crypt_env.experiment.run import Run

__all__ = ["NAME", "find_checkpoint", "load_checkpoint", "restore", "resumed_settings", "save_checkpoint"]

_KEPT = (
    *("trainer", "games", "steps", "players", "collectors", "reward", "dense", "widths", "thermometers", "without"),
    *("weight_decay", "league_agents", "teachers", "seed", "start"),
)
"""Settings that a run cannot change when it goes on."""

_MOMENTS = ("exp_avg", "exp_avg_sq")
_MOST_STEPS = 2**24
"""Of the optimizer; torch counts them in float32, which knows no larger whole numbers one by one."""


def save_checkpoint(folder: Path, run: Run) -> None:
    """Write a checkpoint; the one before stays until the new one is whole."""
    model: Any = run.model
    venv = model.env
    content = {
        "layout": record_layout(),
        "settings": asdict(run.settings),
        "decisions": model.num_timesteps,
        "updates": model._n_updates,
        "seconds": run.seconds,
        "rows": run.rows,
        "losses": run.losses(),
        "sessions": run.sessions,
        "policy": model.policy.state_dict(),
        "optimizer": _moments(model),
        "generator": model._rng.bit_generator.state,
        "torch": torch.get_rng_state(),
        "states": torch.from_numpy(venv.batch.states.view("u1").copy()),
        "returns": torch.from_numpy(venv._returns.copy()),
        "lengths": torch.from_numpy(venv._lengths.copy()),
        "league": None if venv.league is None else _league(venv),
    }
    write_checkpoint(folder, content)


def _moments(model: FastMaskablePPO | SeatMaskablePPO) -> list[dict[str, torch.Tensor]]:
    """Return what the optimizer knows about each weight; nothing before its first step."""
    state = model.policy.optimizer.state_dict()["state"]
    return [{name: state[number][name] for name in ("step", *_MOMENTS)} for number in range(len(state))]


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
    path = find_checkpoint(folder)
    if path is None:
        raise CryptError(f"there is no checkpoint in {str(folder)!r}; a run that was stopped has a file {NAME}")
    return read_checkpoint(path)


def resumed_settings(folder: Path, changed: Mapping[str, Any], allow_code: bool = False) -> Settings:
    """Return the settings with which a run goes on: those that it had, but for some.

    Args:
        folder: of the run.
        changed: what a person wants to be different.
        allow_code: whether the checkpoint may name agents that run code, as a file of settings may with --allow-code.

    Raises:
        CryptError: there is no checkpoint, or the settings are not possible.
    """
    before = load_checkpoint(folder).get("settings")
    if not isinstance(before, dict):
        raise CryptError(f"the checkpoint in {str(folder)!r} holds no settings")
    content = {**before, **changed}
    return settings_from(content) if allow_code else settings_from(content, changed.keys())


def restore(
    content: dict[str, Any], settings: Settings, model: FastMaskablePPO | SeatMaskablePPO, venv: SelfPlayVecEnv
) -> Settings:
    """Bring a model and its games to where a checkpoint was written; return the settings that it was written with.

    Raises:
        CryptError: it was written by a run with other games or another network, or its content makes no sense.
    """
    try:
        before = typed_settings(content["settings"])
    except (KeyError, TypeError, ValueError) as error:
        raise CryptError(f"the checkpoint's settings make no sense: {error}") from error
    _check_settings(before, settings)
    if content.get("layout", record_layout()) != record_layout():
        raise CryptError(
            "the checkpoint is of a version of the game whose records or observations are others; "
            "that version alone can go on with it"
        )
    try:
        _restore_progress(content, model, venv)
        _restore_model(content, model)
        _restore_games(content, model, venv)
        _restore_league(content, settings, venv)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError, RuntimeError) as error:
        reason = shortened(str(error))
        raise CryptError(f"the checkpoint does not fit this run and this version: {reason}") from error
    return before


def _check_settings(before: Settings, now: Settings) -> None:
    """Raise an error if a setting was changed that cannot be."""
    for name in _KEPT:
        old, new = getattr(before, name), getattr(now, name)
        if old != new:
            raise CryptError(
                f"{name}={shorten(new)} is not possible; this run has {name}={shorten(old)}, which cannot change when "
                "it goes on"
            )
    if (before.league_share > 0) != (now.league_share > 0):
        has = "has a league" if before.league_share > 0 else "has no league"
        raise CryptError(
            f"league_share={now.league_share} is not possible; this run {has}, which cannot change when it goes on"
        )


def _restore_progress(content: dict[str, Any], model: FastMaskablePPO | SeatMaskablePPO, venv: SelfPlayVecEnv) -> None:
    """Restore what counts, and the chance of the trainer."""
    model.num_timesteps = whole_in(content, "decisions")
    model._n_updates = whole_in(content, "updates")
    number_in(content, "seconds")
    check_rows(content["rows"])
    check_sessions(content.get("sessions", []))
    for value in content.get("losses", {}).values():
        float(value)
    model._rng.bit_generator.state = content["generator"]
    now = torch.get_rng_state()
    kept = content.get("torch", now)
    check_tensor("torch", kept, now)
    torch.set_rng_state(kept)
    for name, array in (("returns", venv._returns), ("lengths", venv._lengths)):
        check_tensor(name, content[name], torch.from_numpy(array))
        array[:] = content[name].numpy()


def _restore_model(content: dict[str, Any], model: FastMaskablePPO | SeatMaskablePPO) -> None:
    """Restore the weights, and what the optimizer knows about them."""
    check_tensors("policy", content["policy"], model.policy.state_dict())
    model.policy.load_state_dict(content["policy"])
    optimizer = model.policy.optimizer
    weights = [weight for group in optimizer.param_groups for weight in group["params"]]
    kept = content["optimizer"]
    if len(kept) not in (0, len(weights)):
        raise ValueError(f"its optimizer knows {len(kept)} weights, not {len(weights)}")
    for number, (moments, weight) in enumerate(zip(kept, weights, strict=False)):
        wanted = {"step": torch.tensor(0.0), **dict.fromkeys(_MOMENTS, weight)}
        check_tensors(f"optimizer {number}", moments, wanted)
        if not 0 <= moments["step"] <= _MOST_STEPS or (moments["exp_avg_sq"] < 0).any():
            raise ValueError(f"optimizer {number} holds numbers that no optimizer comes to")
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": dict(enumerate(kept)), "param_groups": groups})


def _restore_games(content: dict[str, Any], model: FastMaskablePPO | SeatMaskablePPO, venv: SelfPlayVecEnv) -> None:
    """Restore the games; what their seats see follows from them."""
    states = venv.batch.states
    venv.batch.states["seed"] = venv.batch.seed
    memory: Any = states.view("u1")
    check_tensor("states", content["states"], torch.from_numpy(memory))
    check_games(content["states"].numpy().view(states.dtype), states)
    memory[:] = content["states"].numpy()
    arrays = new_arrays(len(states))
    arrays.movers[:] = states["mover"]
    venv.batch.view(np.arange(len(states)), arrays.movers, arrays.observations, arrays.masks)
    venv.arrays = arrays
    model._last_obs, model._last_episode_starts = arrays.observations, arrays.dones


def _restore_league(content: dict[str, Any], settings: Settings, venv: SelfPlayVecEnv) -> None:
    """Restore the league's snapshots and results."""
    kept, league = content["league"], venv.league
    if (kept is None) != (league is None):
        raise ValueError("one has a league, the other none")
    if kept is None or league is None:
        return
    if len(kept["snapshots"]) + len(settings.league_agents) > MOST_IN_LEAGUE:
        raise ValueError(f"its league has {len(kept['snapshots'])} snapshots")
    for snapshot in kept["snapshots"]:
        weights = {name: tensor.numpy() for name, tensor in snapshot["weights"].items()}
        agent = NetworkAgent(Network(weights, snapshot["facts"]), draws=True)
        if not str(snapshot["name"]).startswith(SNAPSHOT):
            raise ValueError(f"a snapshot is called {shorten(snapshot['name'])}")
        agent.name = snapshot["name"]
        league.add(agent)
    state = {name: torch.from_numpy(array) for name, array in league.state().items()}
    check_tensors("league", kept["state"], state)
    check_league(kept["state"], len(league.agents), venv.batch.states["players"])
    league.restore({name: tensor.numpy() for name, tensor in kept["state"].items()})
