"""Checkpoints of runs."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import torch
from safetensors.numpy import save

from crypt_env.experiment.checkpoint import load_checkpoint, restore, resumed_settings
from crypt_env.experiment.checkpoint_file import FORMAT, NAME, digest, take_out
from crypt_env.experiment.run import Run
from crypt_env.experiment.settings import Settings, settings_from
from crypt_env.experiment.setup import make_games, make_model
from crypt_env.ppo.selfplay import SelfPlayVecEnv
from fuzz.mutate import as_text, damaged_bytes, damaged_json, odd_json
from fuzz.target import Target, require
from training.train import train

_ROLLOUT = 4 * 4
_LARGE = 1e6
"""Weights beyond it are numbers like others, but what comes out of them need not be."""
_SMALL: dict[str, Any] = {
    "games": 4,
    "steps": 4,
    "minibatch": 8,
    "epochs": 1,
    "widths": [4],
    "workers": 1,
    "precision": "fp32",
    "decisions": 3 * _ROLLOUT,
    "players": [2, 3],
    "evaluate_games": 8,
    "opponents": ["random"],
    "league_share": 0.5,
    "league_agents": ["ghost"],
    "league_snapshots": 1,
    "snapshot_every": _ROLLOUT,
    "tensorboard": False,
}


class _Samples(NamedTuple):
    """A run, its checkpoint, and a model for them to be restored into."""

    settings: Settings
    content: dict[str, Any]
    data: bytes
    model: Any


def _samples() -> _Samples:
    """Train for a moment; return what that has left."""
    torch.set_num_threads(1)
    settings, folder = settings_from(_SMALL), Path("finished")
    if not (folder / NAME).exists():
        train(settings, folder)
    content = load_checkpoint(folder)
    model = make_model(settings, make_games(settings))
    return _Samples(settings, content, (folder / NAME).read_bytes(), model)


class _Given(NamedTuple):
    """A file, and the run that is to go on from it."""

    data: bytes
    samples: _Samples


# -- damage -----------------------------------------------------------------------------------------------------------


def _arrays(rng: Random, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return arrays, one of which has other numbers, another type or another shape."""
    name = rng.choice(sorted(arrays))
    array = arrays[name]
    kind = rng.random()
    if kind < 0.15:
        changed: Any = array.astype(rng.choice(("f4", "f8", "i8", "u1", "f2")))
    elif kind < 0.3:
        changed = rng.choice((array.reshape(-1), array[:0] if array.ndim else array, np.stack([array, array])))
    elif kind < 0.35:
        return {**{other: kept for other, kept in arrays.items() if other != name}, f"{name}x": array}
    else:
        name = "/model/games/states" if kind < 0.7 and "/model/games/states" in arrays else name
        changed = _numbers(rng, arrays[name], kind)
    return {**arrays, name: changed}


def _numbers(rng: Random, array: np.ndarray, kind: float) -> np.ndarray:
    """Return an array with some other numbers; of games, numbers in whole fields."""
    array = array.copy()
    flat = array.reshape(-1)
    for _ in range(rng.randint(1, 3)):
        if not len(flat):
            break
        place = rng.randrange(len(flat))
        if array.dtype.kind == "f":
            flat[place] = rng.choice((np.nan, np.inf, -np.inf, -1.0, 0.0, 100.0, 0.5))
        else:
            limits = np.iinfo(array.dtype)
            near = int(flat[place]) + rng.choice((-1, 1))
            flat[place] = min(max(rng.choice((near, near, 0, limits.min, limits.max)), limits.min), limits.max)
    return array


def _checkpoint(rng: Random, samples: _Samples) -> _Given:
    """Return a damaged checkpoint: its bytes, or what it says, with the right checksum."""
    kind = rng.random()
    if kind < 0.15:
        data = samples.data if kind < 0.03 else damaged_bytes(rng, samples.data, [samples.data])
        return _Given(data, samples)
    arrays: dict[str, np.ndarray] = {}
    content = take_out(samples.content, "", arrays)
    kind = rng.random()
    if kind < 0.5:
        content = damaged_json(rng, content) if kind < 0.47 else odd_json(rng)
    if kind > 0.45:
        arrays = _arrays(rng, arrays)
    text = as_text(rng, content).encode("utf-8", "replace").decode()
    facts = {"format": FORMAT, "content": text, "sha256": digest(text, arrays)}
    if rng.random() < 0.03:
        facts.pop(rng.choice(sorted(facts)))
    return _Given(save({name: np.require(array, requirements="C") for name, array in arrays.items()}, facts), samples)


# -- continuing -------------------------------------------------------------------------------------------------------


class _Restored(NamedTuple):
    """A run that is resumed."""

    run: Run
    model: Any
    venv: SelfPlayVecEnv


def _restore(given: _Given) -> _Restored:
    """Bring the model and the games of a run to where a checkpoint is."""
    folder = Path("damaged")
    folder.mkdir(exist_ok=True)
    (folder / NAME).write_bytes(given.data)
    samples = given.samples
    resumed_settings(folder, {})
    venv, run = make_games(samples.settings), Run(samples.settings, folder)
    samples.model.set_env(venv)
    restore(load_checkpoint(folder), run, samples.model)
    return _Restored(run, samples.model, venv)


def _use_run(restored: _Restored) -> None:
    """Play on from a checkpoint, the network's turns and those of the league."""
    venv, batch = restored.venv, restored.venv.batch
    require((batch.states["mover"] >= 0).all(), "no seat is asked in a game that was restored")
    require(np.isfinite(restored.run.best) or restored.run.best == -np.inf, "the best score is not a number")
    policy = restored.model.policy
    with torch.no_grad():
        chosen, values, _ = policy(torch.from_numpy(venv.arrays.observations), action_masks=venv.arrays.masks)
    is_sane = all(weight.abs().max() < _LARGE for weight in policy.parameters())
    require(not is_sane or values.isfinite().all(), "a value is not a number")
    require(
        not is_sane or venv.arrays.masks[np.arange(len(chosen)), chosen.numpy()].all(),
        "the network plays what is not legal",
    )
    if venv.league is not None:
        venv.league.refresh()
    for _ in range(3):
        batch.step_random()


TARGETS = (Target("checkpoints", _samples, _checkpoint, _restore, _use_run, quick=60),)
