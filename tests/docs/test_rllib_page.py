"""The page on RLlib names every argument with its default; its examples run with those of all pages."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

pytest.importorskip("ray.rllib", reason="RLlib is not installed")
pytest.importorskip("torch", reason="torch is not installed")

from crypt_env.envs.rllib import ppo_config

PAGE = Path(__file__).resolve().parents[2] / "docs" / "rllib.md"


def test_all_arguments_are_listed() -> None:
    """In their order within a row, with the defaults of the code."""
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| (.+?) \| .+ \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    listed = {}
    for names, defaults in rows:
        found = [eval(default) for default in re.findall(r"`([^`]+)`", defaults)]
        for place, name in enumerate(re.findall(r"`(\w+)`", names)):
            listed[name] = found[min(place, len(found) - 1)]
    parameters = inspect.signature(ppo_config).parameters
    assert listed == {name: parameter.default for name, parameter in parameters.items()}
