"""Runs of a few seconds, and how tests compare their results."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import torch

from crypt_env.agents.network import load_network
from crypt_env.experiment.checkpoint import load_checkpoint
from crypt_env.experiment.settings import Settings, settings_from

ROLLOUT = 8 * 16
SMALL: dict[str, Any] = {
    "games": 8,
    "steps": 16,
    "minibatch": 64,
    "epochs": 2,
    "widths": [16],
    "decisions": 10 * ROLLOUT,
    "evaluate_every": 3 * ROLLOUT,
    "evaluate_games": 128,
    "checkpoint_every": 2 * ROLLOUT,
    "snapshot_every": 2 * ROLLOUT,
    "opponents": ["random"],
    "compare": [],
    "tensorboard": False,
    "learning_rate": 0.003,
}
LEAGUE = {"league_share": 0.5, "league_agents": ["ghost", "random"], "league_snapshots": 2, "players": [2, 3]}
LEAGUE |= {"reward": "margin", "dense": True}
TAUGHT = {"players": [1], "thermometers": True, "teachers": ["solo"], "magnet": 0.2, "magnet_rate": 0.1}


def small(**changes: Any) -> Settings:
    """Return the settings of a run of a few seconds."""
    return settings_from({**SMALL, **changes})


def plain(content: Any) -> Any:
    """Return the content of a checkpoint without times, arrays as lists."""
    if isinstance(content, (torch.Tensor, np.ndarray)):
        return content.tolist()
    if isinstance(content, dict):
        return {name: plain(part) for name, part in content.items() if name not in ("seconds", "sessions")}
    return [plain(part) for part in content] if isinstance(content, (list, tuple)) else content


def curves(folder: Path) -> list[dict[str, str]]:
    """Return the curves of a run without times."""
    with (folder / "curves.csv").open(newline="") as file:
        return [{name: text for name, text in row.items() if name != "seconds"} for row in csv.DictReader(file)]


def assert_same_runs(one: Path, other: Path) -> None:
    """Check that two runs have the same result, to the last bit."""
    contents = [plain(load_checkpoint(folder)) for folder in (one, other)]
    assert contents[0].keys() == contents[1].keys()
    for name in contents[0]:
        assert repr(contents[0][name]) == repr(contents[1][name]), name
    assert curves(one) == curves(other)
    for name in ("best", "last"):
        networks = [load_network(folder / name) for folder in (one, other)]
        assert networks[0].columns.tolist() == networks[1].columns.tolist()
        for weight, array in networks[0].weights.items():
            np.testing.assert_array_equal(networks[1].weights[weight], array)
