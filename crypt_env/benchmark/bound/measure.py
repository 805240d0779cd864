"""The bound itself: its mean over deals, each of the 64 tables equally often."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from crypt_env.arena.statistics import mean_estimate
from crypt_env.rules.actions import DICE
from crypt_env.rules.cards import KINDS, VALUES
from crypt_env.rules.deal import TABLES

from .fitting import fitted
from .guess import Guess, no_guess
from .layout import layout
from .moves import Ints
from .solve import solve

DIGITS = 4
_FIT, _DEALS = 0, 1
Deal = tuple[Ints, Ints]
"""The sides of the Collectors, and the deck in draw order."""


def deals(count: int, seed: int) -> Iterator[Deal]:
    """Yield deals; deal ``k`` is at table ``k % 64``."""
    rng = np.random.default_rng([seed, _DEALS])
    for number in range(count):
        yield np.array([number >> kind & 1 for kind in range(KINDS)]), rng.permutation(KINDS * VALUES)


def values_of(guess: Guess, deal: Deal) -> tuple[float, float]:
    """Return what a player who knows the deck gets on average, and what is left when it is charged for that."""
    sides, deck = deal
    free = solve(layout(sides, deck, False), no_guess())
    charged = solve(layout(sides, deck, True), guess)
    return float(free[0, 0, DICE]), float(charged[0, 0, DICE])


def measure(scenarios: int, fit: int, seed: int, jobs: int, tell: Callable[[str], None]) -> dict[str, Any]:
    """Return the bound and what belongs to it, as numbers for JSON.

    Args:
        scenarios: how many deals the mean is over, at least two for each table.
        fit: how many other deals the guess is fitted to, for each round.
        seed: determines all of them.
        jobs: how many processes share the work.
        tell: called with a line on the progress.
    """
    guess = fitted(fit, np.random.default_rng([seed, _FIT]), tell)
    found = []
    with ProcessPoolExecutor(jobs) as pool:
        work = map if jobs == 1 else pool.map
        for pair in work(partial(values_of, guess), deals(scenarios, seed)):
            found.append(pair)
            if len(found) % TABLES == 0:
                tell(f"{len(found)} deals: {np.mean(found, axis=0).round(3)}")
    free, charged = np.array(found).T
    return {
        "scenarios": scenarios,
        "fit": fit,
        "seed": seed,
        "bound": _numbers(charged),
        "free": _numbers(free),
        "charge": _numbers(free - charged),
        "spread": [_spread(free), _spread(charged)],
        "tables": [round(float(charged[table::TABLES].mean()), DIGITS) for table in range(TABLES)],
    }


def _spread(by_deal: np.ndarray[Any, Any]) -> float:
    """Return the standard deviation between the deals of a table. With a perfect guess the bound has none."""
    return round(float(np.sqrt(by_deal.reshape(-1, TABLES).var(axis=0, ddof=1).mean())), DIGITS)


def _numbers(by_deal: np.ndarray[Any, Any]) -> list[float | None]:
    """Return a mean and its 95% interval."""
    return [None if number is None else round(number, DIGITS) for number in mean_estimate(by_deal, TABLES)]
