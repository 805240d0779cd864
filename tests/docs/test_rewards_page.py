"""The page on rewards says what the engine pays: its examples run, and its table of sums holds."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

from crypt_env import Batch
from crypt_env.envs import aec, single, vector
from crypt_env.rules.state import REWARD_NAMES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "rewards.md"
TEXT = PAGE.read_text(encoding="utf-8")
SUMS = {"0": lambda sums: sums == 0, "0 or less": lambda sums: sums <= 0}


def cells(title: str) -> dict[str, list[str]]:
    """Return the rows of the table under a heading, by their first cell."""
    part = TEXT.split(f"## {title}")[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith('| `"')]
    return {row[0].strip('`"'): row[1:] for row in rows}


def test_examples_print_what_they_say() -> None:
    """Every example of the page."""
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted >= 9
    assert result.failed == 0


def test_all_rewards_are_on_the_page() -> None:
    """And no others."""
    assert list(cells("What it adds up to")) == list(REWARD_NAMES)
    assert re.findall(r'^\| `"(\w+)"` \| the ', TEXT, re.MULTILINE)[: len(REWARD_NAMES)] == list(REWARD_NAMES)


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("reward", REWARD_NAMES)
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_sums_are_those_of_the_table(players: int, reward: str, dense: bool) -> None:
    """The sums over all seats, in random games to the end; both "less" and "0" occur."""
    batch = Batch(300, players, seed=5, reward=reward, dense=dense, restarts=False)
    arrays = batch.reset()
    total = arrays.rewards.astype(np.float64)
    while (arrays.movers >= 0).any():
        arrays = batch.step_random()
        total += arrays.rewards
    sums, said = np.round(total.sum(axis=1), 4), cells("What it adds up to")[reward][players - 1].strip()
    if said in SUMS:
        assert SUMS[said](sums).all()
        assert (sums < 0).any() == ("less" in said)
    else:
        assert said == ("the coins" if players == 1 else "all coins")
        assert (sums == batch.states["scores"].sum(axis=1)).all()


def test_margin_of_a_tie_is_zero() -> None:
    """For the winner by the tie-break and for the seat that it was tied with."""
    batch = Batch(3000, 2, seed=5, reward="margin", restarts=False)
    arrays = batch.reset()
    while (arrays.movers >= 0).any():
        arrays = batch.step_random()
    scores = batch.states["scores"][:, :2]
    is_tied = scores[:, 0] == scores[:, 1]
    assert (batch.states["winners"][is_tied] < 3).sum() > 5
    assert not arrays.rewards[is_tied].any()


def test_modules_point_to_the_page() -> None:
    """The modules of all interfaces link to the page."""
    for module in (aec, single, vector):
        assert "docs/rewards.md" in (module.__doc__ or "")
