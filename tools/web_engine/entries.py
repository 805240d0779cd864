"""The exports of the module: entries of the rules and of the agents, each with sample arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from crypt_env.agents.ghost_player import ghost_rows
from crypt_env.agents.greedy import greedy_rows
from crypt_env.agents.thinking import new_workspace, think_rows
from crypt_env.agents.tree import back_up_rows, best_rows, count_visits
from crypt_env.agents.tuned import tuned_rows
from crypt_env.rules import batch
from crypt_env.rules.actions import ACTIONS
from crypt_env.rules.batch import new_arrays
from crypt_env.rules.cards import MAX_PLAYERS, MAX_SLOTS
from crypt_env.rules.compiled import int64, row
from crypt_env.rules.resample import resample_rows
from crypt_env.rules.score import SHEET_LINES, earned_coins
from crypt_env.rules.state import GAME


class Entry(NamedTuple):
    """A function that JavaScript calls."""

    function: Callable[..., object]
    """As Python source."""
    samples: tuple[Any, ...]
    """Arguments of the right types. Arrays may have any length; their other axes are as here."""

    @property
    def name(self) -> str:
        """Return the name of the function."""
        return str(self.function.__name__)

    @property
    def arguments(self) -> dict[str, Any]:
        """Return the arguments by name."""
        return dict(zip(inspect.signature(self.function).parameters, self.samples, strict=True))


def earned_row(states: np.ndarray, index: int, seat: int) -> int:
    """Return what a seat has earned so far, in coins: what a game with dense rewards has paid it."""
    return earned_coins(row(states, int64(index)), int64(seat))


def natural_log(number: float) -> float:
    """Return the natural logarithm of a positive number.

    WebAssembly has none. This is the method of FreeBSD's e_log.c: a power of two, and a polynomial for what is left.
    """
    exponent = 0
    while number >= 1.4142135623730951:
        number *= 0.5
        exponent += 1
    while number < 0.7071067811865476:
        number *= 2.0
        exponent -= 1
    f = number - 1.0
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    odd = z * (
        0.6666666666666735130 + w * (0.2857142874366239149 + w * (0.1818357216161805012 + w * 0.1479819860511658591))
    )
    even = w * (0.3999999999940941908 + w * (0.2222219843214978396 + w * 0.1531383769920937332))
    half = 0.5 * f * f
    low = s * (half + (even + odd)) + exponent * 1.90821492927058770002e-10
    return exponent * 6.93147180369123816490e-01 - ((half - low) - f)


def _source(function: Any) -> Callable[..., object]:
    """Return what an entry was compiled from."""
    source: Callable[..., object] = getattr(function, "py_func", function)
    return source


def _entries() -> list[Entry]:
    """Return all entries."""
    states, arrays, actions = np.zeros(1, GAME), new_arrays(1), np.zeros(1, np.int64)
    rows, seats, bits = np.zeros(1, np.int64), np.zeros(1, np.int8), np.zeros(1, np.uint64)
    observations, masks = arrays.observations, arrays.masks
    plans = np.zeros((1, MAX_SLOTS), np.float32)
    sheets = np.zeros((1, MAX_PLAYERS, len(SHEET_LINES)), np.int16)
    work = new_workspace(1, 1)
    all_actions = np.zeros((1, ACTIONS), np.int64)
    listed: list[tuple[Any, tuple[Any, ...]]] = [
        (batch.step_rows, (states.view(np.uint8), 0, 1, *arrays, actions)),
        (batch.view_rows, (states, rows, seats, observations, masks)),
        (batch.check_rows, (states, 0, 1, actions)),
        (batch.draw_row, (states, 0)),
        (batch.roll_row, (states, 0)),
        (batch.sheet_rows, (states, 0, 1, sheets)),
        (resample_rows, (states, 0, 1, seats, bits)),
        (batch.decision_bits, (states, rows, bits)),
        (earned_row, (states, 0, 0)),
        (greedy_rows, (observations, masks, bits, actions)),
        (tuned_rows, (observations, masks, bits, actions)),
        (ghost_rows, (observations, masks, bits, plans, actions)),
        (think_rows, (states, bits, *work, 0, 0, 0, True, actions)),
        (back_up_rows, (work.trees, work.nodes, masks, work.payoffs, rows, np.zeros((1, ACTIONS)), np.zeros(1))),
        (best_rows, (work.trees, work.nodes, actions)),
        (count_visits, (work.trees, work.nodes, all_actions)),
    ]
    return [Entry(_source(function), samples) for function, samples in listed]


ENTRIES = _entries()
