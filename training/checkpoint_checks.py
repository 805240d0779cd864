"""What is checked before anything from a checkpoint is used: somebody may have made it to do harm."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from crypt_env.errors import PositionError
from crypt_env.plausible import parse_position
from crypt_env.position import format_position
from crypt_env.rules.actions import ACTIONS, DICE, EFFORTS
from crypt_env.rules.cards import (
    CARDS,
    DECK_SIZES,
    DECKS,
    FACE_DOWN,
    FACE_UP,
    KINDS,
    MAX_DECK,
    MAX_FACE_DOWN,
    MAX_PLAYERS,
    MAX_SLOTS,
    ROUNDS,
    VALUES,
)
from crypt_env.rules.flips import PUBLIC
from crypt_env.rules.state import ANSWER, GAME, NONE, REVEALED

from .plain_yaml import shorten

_SAME = (
    *("seed", "index", "players", "table_rule", "leader_rule", "reward_rule", "dense", "restarts", "pauses"),
    *("deck_given", "learner"),
)
"""Fields of games that the settings decide about."""

_UNTOLD = (*_SAME, "rolled", "paid", "spare")
"""Fields that the text of a position does not tell: those above, and what nothing depends on but payment."""

_COPIES = 2
_MOST_COINS = 1000
_RANGES = {
    "decisions": (0, 2**15 - 1),
    "sides": (0, 1),
    "deck": (NONE, CARDS - 1),
    "deck_kinds": (0, MAX_DECK // KINDS),
    "unseen": (0, _COPIES),
    "phase": (0, ANSWER),  # a seat decides in every game of a checkpoint
    "turn": (0, MAX_PLAYERS),
    "last_slot": (NONE, MAX_SLOTS - 1),
    "chosen": (NONE, ACTIONS - 1),
    "first_flip": (NONE, PUBLIC),
    "taking": (NONE, MAX_SLOTS - 1),
    "card": (NONE, CARDS - 1),
    "dice": (0, DICE),
    "effort": (0, DICE * EFFORTS),
    "ready": (0, DICE),
    "exhausted": (0, DICE),
    "ghost_pushed": (0, MAX_SLOTS * DICE),
    "idol_round": (NONE, max(ROUNDS)),
    "idol_bonus": (0, 100),
    "held": (0, _COPIES * VALUES),
    "unflipped": (0, _COPIES * VALUES),
    "public": (0, _COPIES),
    "downs": (0, MAX_FACE_DOWN),
    "down_card": (NONE, CARDS - 1),
    "down_place": (NONE, REVEALED),
    "down_seen": (0, 2**MAX_PLAYERS - 1),
    "rolled": (0, EFFORTS),
    "paid": (-_MOST_COINS, _MOST_COINS),
    "spare": (0, 0),
    "winners": (0, 2**MAX_PLAYERS - 1),
}
"""What the numbers in a game's record can be; those that depend on the table are in `check_games`."""

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
            if type(name) is not str or type(value) not in (int, float):
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
        states: the games of a checkpoint.
        wanted: those of the run, before they were dealt.
    """
    for name in _SAME:
        if (states[name] != wanted[name]).any():
            raise ValueError(f"{name} of its games is different")
    for name, (low, high) in _RANGES.items():
        _check_range(states, name, low, high)
    players = states["players"].astype(np.int64)
    seats, slots, size = np.maximum(players, 2), (FACE_UP + FACE_DOWN)[players], DECK_SIZES[players]
    rounds = ROUNDS[players]
    for name, right in (("seats", seats), ("slots", slots), ("deck_size", size)):
        _check_range(states, name, right, right)
    _check_range(states, "round_number", 0, rounds - 1)
    _check_range(states, "drawn", slots * (states["round_number"] + 1), slots * (states["round_number"] + 1))
    for name, least, most in (("leader", 0, seats - 1), ("mover", 0, players - 1), ("taker", NONE, seats - 1)):
        _check_range(states, name, least, most)
    _check_range(states, "holder", NONE, seats[:, None] - 1)
    _check_range(states, "down", NONE, states["downs"][:, None] - 1)
    if (np.sort(states["deck"], axis=1) != np.sort(DECKS[players], axis=1)).any():
        raise ValueError("deck of its games is none")
    for number in range(len(states)):
        _check_plausible(states[number : number + 1], number)


def _check_range(states: NDArray[np.void], name: str, low: Any, high: Any) -> None:
    """Raise a ValueError unless a field of all games is in a range."""
    values = states[name]
    if ((values < low) | (values > high)).any():
        raise ValueError(f"{name} of its games is out of range")


def _check_plausible(state: NDArray[np.void], number: int) -> None:
    """Raise a ValueError unless a game, each of whose numbers is possible by itself, can come up as a whole."""
    try:
        read = parse_position(format_position(state))
    except PositionError as error:
        raise ValueError(f"game {number} cannot come up: {error}") from error
    for name in GAME.names or ():
        if name not in _UNTOLD and (read[name] != state[name]).any():
            raise ValueError(f"{name} of game {number} does not fit the rest of it")
