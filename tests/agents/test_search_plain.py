"""Searches as plain Python: they decide as the compiled ones do; and what they would do without re-dealing."""

from __future__ import annotations

import numpy as np
import pytest

from agents.search_reference import CoinsAhead, extreme_deals, look, middle
from agents.trials import random_bits
from crypt_env.agents import NetworkSearch, make_agent, playouts
from crypt_env.agents.base import Decisions
from property.play import run_elsewhere

AGENTS = ("search:1:random", "ismcts:12:random", "ismcts:3", "puct")


def answers(agent: str, games: np.ndarray) -> list[int]:
    made = NetworkSearch(CoinsAhead(), 6) if agent == "puct" else make_agent(agent)
    return made.act(Decisions(*look(games), random_bits(len(games), 61), games)).tolist()


def fingerprint() -> str:
    games = np.concatenate([middle(players, 1, steps, seed=62) for players, steps in ((1, 9), (2, 20), (4, 40))])
    return repr([[answers(agent, games[row : row + 1]) for row in range(len(games))] for agent in AGENTS])


def looking_fingerprint() -> str:
    """Return the decisions for two deals that look the same, made without re-dealing."""
    playouts.resample = lambda game, viewer, bits: None
    return repr([answers("search:2:random", np.repeat(deal, 3)) for deal in extreme_deals()])


def in_plain_python(function: str) -> str:
    code = f"from agents.test_search_plain import {function}; print({function}())"
    return run_elsewhere(f"import sys; sys.path.insert(0, 'tests'); {code}", NUMBA_DISABLE_JIT="1")


@pytest.mark.slow
def test_plain_python_decides_as_compiled_code_does():
    assert in_plain_python("fingerprint") == fingerprint()


@pytest.mark.slow
def test_a_search_that_does_not_redeal_is_found_out():
    one, other = eval(in_plain_python("looking_fingerprint"))
    assert one != other
