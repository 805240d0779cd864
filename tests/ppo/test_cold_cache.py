"""The results of a run do not depend on whether its process compiled the code or loaded it from disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import crypt_env

WEIGHTS = """
import sys
import torch
from stable_baselines3.common.logger import Logger
from crypt_env.experiment.settings import settings_from
from crypt_env.experiment.setup import make_games, make_model

torch.set_num_threads(1)
settings = settings_from(
    {"games": 64, "steps": 16, "minibatch": 256, "widths": [32], "workers": 1, "precision": "fp32",
     "thermometers": True, "players": [1], "teachers": ["solo"]}
)
model = make_model(settings, make_games(settings))
model.set_logger(Logger(None, []))
model.learn(6 * 64 * 16)
for name, part in sorted(model.policy.state_dict().items()):
    print(name, part.numpy().tobytes().hex())
"""


def weights_with(cache: Path) -> str:
    """Return the result of a short training run in a separate process, with compiled code in this folder."""
    run = subprocess.run(
        [sys.executable, "-c", WEIGHTS],
        cwd=Path(crypt_env.__file__).resolve().parents[1],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.slow
def test_the_first_run_computes_what_later_ones_do(tmp_path: Path) -> None:
    """To the last bit, also if only a part of the code was compiled before."""
    cold = weights_with(tmp_path)
    assert weights_with(tmp_path) == cold
    for path in tmp_path.rglob("loss.draw_actions*"):
        path.unlink()
    assert weights_with(tmp_path) == cold
