"""What is checked before anything from a checkpoint is used: somebody may have made it to do harm."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from crypt_env.experiment.plain_yaml import shorten
from crypt_env.notation.view import LAYOUT_VERSION
from crypt_env.rules.state import ANSWER, GAME
from crypt_env.states import check_states

_SAME = (
    *("seed", "index", "players", "table_rule", "leader_rule", "reward_rule", "dense", "restarts", "pauses"),
    *("deck_given", "learner"),
)
"""Fields of games that the settings decide about."""

_MOST = 2**53
"""Whole numbers are exact up to here, whatever program has read and written them."""


def whole_in(content: Mapping[str, Any], name: str) -> int:
    """Return a whole number from 0 on.

    Raises:
        ValueError: it is none.
    """
    value = content[name]
    if type(value) is not int or not 0 <= value <= _MOST:
        raise ValueError(f"{name} is {shorten(value)}, no whole number from 0 on")
    return value


def number_in(content: Mapping[str, Any], name: str) -> float:
    """Return a number from 0 on.

    Raises:
        ValueError: it is none.
    """
    value = content[name]
    if type(value) not in (int, float) or not 0 <= value < math.inf:
        raise ValueError(f"{name} is {shorten(value)}, no number from 0 on")
    return float(value)


def check_rows(rows: Any) -> None:
    """Raise a ValueError unless these are evaluations: numbers by their names."""
    for row in rows:
        whole_in(row, "decisions")
        number_in(row, "seconds")
        number_in(row, "score")
        for name, value in row.items():
            if type(name) is not str or not name.isprintable() or type(value) not in (int, float):
                raise ValueError(f"an evaluation has {shorten(name)}={shorten(value)}")


def check_sessions(sessions: Any) -> None:
    """Raise a ValueError unless these are starts of a run."""
    for session in sessions:
        whole_in(session, "decisions")


def check_tensor(name: str, tensor: Any, wanted: torch.Tensor) -> None:
    """Raise a ValueError unless a tensor has the type and the shape that are wanted, and holds numbers."""
    if not isinstance(tensor, torch.Tensor):
        raise ValueError(f"{name} is {type(tensor).__name__}, no tensor")
    if tensor.dtype != wanted.dtype or tensor.shape != wanted.shape:
        raise ValueError(
            f"{name} is of {tensor.dtype} and {tuple(tensor.shape)}, not of {wanted.dtype} and {tuple(wanted.shape)}"
        )
    if tensor.is_floating_point() and not tensor.isfinite().all():
        raise ValueError(f"{name} holds what is no number")


def check_tensors(what: str, tensors: Any, wanted: Mapping[str, torch.Tensor]) -> None:
    """Raise a ValueError unless these are tensors with the names, types and shapes that are wanted."""
    if tensors.keys() != wanted.keys():
        names = sorted(tensors.keys() ^ wanted.keys())
        raise ValueError(
            f"{what} has {len(tensors)} tensors, not {len(wanted)}; {shorten(names[0])} is one too many or missing"
        )
    for name, tensor in tensors.items():
        check_tensor(f"{what} {name}", tensor, wanted[name])


def check_league(state: Mapping[str, torch.Tensor], agents: int, players: NDArray[np.int8]) -> None:
    """Raise a ValueError unless results are possible, and whoever plays is in the league."""
    if (state["games"] < 0).any() or (state["wins"] < 0).any() or (state["wins"] > state["games"]).any():
        raise ValueError("the league's results are not possible")
    for name in ("opponents", "owners"):
        if (state[name] < -1).any() or (state[name] >= agents).any():
            raise ValueError(f"the league's {name} are not all among its {agents} agents")
    learners = state["learners"].numpy()
    if (learners < 0).any() or (learners >= players).any():
        raise ValueError("a learner sits on a seat that its table does not have")


def check_games(states: NDArray[np.void], wanted: NDArray[np.void]) -> None:
    """Raise a ValueError unless these are games of a run, and such that the engine can go on with them.

    Args:
        states: the games of a checkpoint; in each of them a seat decides.
        wanted: those of the run, before they were dealt.
    """
    for name in _SAME:
        if (states[name] != wanted[name]).any():
            raise ValueError(f"{name} of its games is different")
    check_states(states)
    if (states["phase"] > ANSWER).any():
        raise ValueError("nobody decides in some of its games")


def record_layout() -> str:
    """Return a text that tells apart versions of the game's record and of the observation."""
    return f"{LAYOUT_VERSION}-{hashlib.sha256(str(GAME.descr).encode()).hexdigest()[:16]}"
