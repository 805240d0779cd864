"""The page on OpenSpiel says what the code does: its examples run, and its table of positions names all."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

from crypt_env.envs.openspiel import POSITIONS
from crypt_env.envs.openspiel.game import DEFAULTS
from crypt_env.envs.openspiel.positions import DEFAULTS as ENDGAME_DEFAULTS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "openspiel.md"
ROWS = [
    line.strip("| ").split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")
]


def test_examples_print_what_they_say() -> None:
    """Every example of the page."""
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted > 20
    assert result.failed == 0


def test_all_parameters_and_positions_are_listed() -> None:
    """With their defaults."""
    parameters = [(row[0].strip("`"), row[1].strip("`")) for row in ROWS if len(row) == 3]
    defaults = [*DEFAULTS.items(), *ENDGAME_DEFAULTS.items()]
    assert parameters == [(name, str(default)) for name, default in defaults]
    assert [row[0].strip("`") for row in ROWS if len(row) == 6] == list(POSITIONS)
