"""Valid inputs from real play, for the targets to damage."""

from __future__ import annotations

from functools import cache

from crypt_env import Game
from crypt_env.notation.record import Record, to_record
from property.play import COUNTS, positions

_SEEDS = range(4)
"""Every other game is one in which flips are asked and takes are answered."""


@cache
def games() -> tuple[Game, ...]:
    """Return games at all of their decisions and at their ends, at tables of every size."""
    return tuple(game.copy() for players in COUNTS for seed in _SEEDS for game in positions(players, 40 + seed))


@cache
def records() -> tuple[Record, ...]:
    """Return records of finished games, and of some that are cut short."""
    played = games()
    ends = [game for game in played if game.is_over]
    return tuple(to_record(game, with_legal=number % 3 == 0) for number, game in enumerate([*ends, *played[::40]]))


@cache
def texts() -> tuple[str, ...]:
    """Return positions as texts."""
    return tuple(game.text() for game in games())
