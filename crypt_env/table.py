"""`Table` and other arguments of callers: checked once, and converted to the numbers of the record."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard, cast

import numpy as np
from numpy.typing import NDArray

from .errors import CryptError, counted, quoted, shortened
from .rules.cards import KINDS, MAX_PLAYERS
from .rules.state import REWARD_NAMES

RANDOM = "random"
DRAWN = -1


def is_whole(number: object) -> TypeGuard[int]:
    """Return whether something is a whole number; True and False do not count."""
    return isinstance(number, (int, np.integer)) and not isinstance(number, bool)


def flag(name: str, value: bool) -> bool:
    """Check a boolean."""
    if not isinstance(value, (bool, np.bool_)):
        raise CryptError(f"{name}={quoted(value)} is not possible; allowed are True and False")
    return bool(value)


def player_count(players: int) -> int:
    """Check a number of players."""
    if not is_whole(players) or not 1 <= players <= MAX_PLAYERS:
        raise CryptError(f"players={quoted(players)} is not possible; allowed are 1 (against the Ghost), 2, 3 and 4")
    return int(players)


def _player_counts(players: int | Sequence[int]) -> int | tuple[int, ...]:
    """Check the number of players of all games, or of each."""
    is_list = isinstance(players, Sequence) and not isinstance(players, (str, bytes))
    if is_list or (isinstance(players, np.ndarray) and players.ndim):
        return tuple(player_count(count) for count in cast(Sequence[int], players))
    return player_count(cast(int, players))


def parse_sides(collectors: str) -> list[int]:
    """Return the side of each Collector, 0 for A and 1 for B."""
    text = collectors.strip().upper() if isinstance(collectors, str) else ""
    if text in ("A", "B"):
        text *= KINDS
    if len(text) != KINDS or set(text) - set("AB"):
        raise CryptError(
            f"collectors={quoted(collectors)} is not a table; allowed are six letters A or B (Idol, Jewelry, "
            "Manuscript, Pottery, Remains, Tapestry) as in 'AABBAB', 'A' or 'B' for all six, or 'random'"
        )
    return ["AB".index(letter) for letter in text]


def sides_text(state: np.void) -> str:
    """Return the Collectors' sides of a game as six letters."""
    return "".join("AB"[side] for side in state["sides"])


def table_rule(collectors: str) -> int:
    """Return the record's number for a choice of Collector sides."""
    if isinstance(collectors, str) and collectors == RANDOM:
        return DRAWN
    return sum(side << kind for kind, side in enumerate(parse_sides(collectors)))


def seat_rule(seat: int | str, players: int, name: str = "seat") -> int:
    """Return the record's number for a choice of a seat, such as the first Leader's; -1 means random."""
    if isinstance(seat, str) and seat == RANDOM:
        return DRAWN
    if not is_whole(seat) or not 0 <= seat < players:
        seats = "seat 0" if players == 1 else f"the seats 0 to {players - 1}"
        raise CryptError(
            f"{name}={quoted(seat)} is not possible with {counted(players, 'player')}; allowed are {seats} and 'random'"
        )
    return int(seat)


def player_seat(seat: int, players: int) -> int:
    """Check the seat of a player in a game."""
    if not is_whole(seat) or not 0 <= seat < players:
        raise CryptError(f"no player on seat {quoted(seat)}; seats are 0 to {players - 1}")
    return int(seat)


def reward_rule(reward: str) -> int:
    """Return the record's number for a kind of reward."""
    if not isinstance(reward, str) or reward not in REWARD_NAMES:
        raise CryptError(f"reward={quoted(reward)} is not known; allowed are {', '.join(map(repr, REWARD_NAMES))}")
    return REWARD_NAMES.index(reward)


def seed_bits(seed: int) -> int:
    """Check a seed."""
    if not is_whole(seed) or not 0 <= seed < 2**64:
        raise CryptError(f"seed={quoted(seed)} is not possible; allowed are integers from 0 to 2**64 - 1")
    return int(seed)


@dataclass(frozen=True)
class Table:
    """The players, sides, leader and reward of a table, checked here and passed on as one object.

    Raises:
        CryptError: an argument is not possible.
    """

    players: int | Sequence[int] = 2
    """1 (the Only Child against the Ghost) to 4, for all games or for each."""
    collectors: str = RANDOM
    """Six letters such as "AABBAB", "A" or "B" for all, or "random", which draws them for each episode."""
    leader: int | str = RANDOM
    """The first Leader's seat, or "random". A solo game is always led by the player."""
    reward: str = "win"
    """The reward: "win", "margin" or "coins"; a solo game always pays coins."""
    dense: bool = False
    """Whether rewards are paid as soon as they are certain."""
    _fields: dict[str, int | tuple[int, ...]] = field(init=False, repr=False, compare=False)
    """The same as fields of a record."""

    def __post_init__(self) -> None:
        # Plain numbers are stored: they are immutable.
        counts = _player_counts(self.players)
        object.__setattr__(self, "players", counts)
        object.__setattr__(self, "dense", flag("dense", self.dense))
        least = counts if isinstance(counts, int) else min(counts, default=MAX_PLAYERS)
        leader = seat_rule(self.leader, least, "leader")
        fields: dict[str, int | tuple[int, ...]] = {
            "players": counts,
            "table_rule": table_rule(self.collectors),
            "leader_rule": 0 if counts == 1 else leader,
            "reward_rule": reward_rule(self.reward),
            "dense": self.dense,
        }
        object.__setattr__(self, "_fields", fields)

    def write(self, states: NDArray[np.void]) -> None:
        """Write the table into the records of games that are not dealt yet.

        Raises:
            CryptError: the numbers of players do not match the games.
        """
        counts = self._fields["players"]
        if isinstance(counts, tuple) and len(counts) != len(states):
            raise CryptError(
                f"players has {len(counts)} entries for {len(states)} games; give one number, or one for each game"
            )
        for name, numbers in self._fields.items():
            states[name] = numbers
        if isinstance(counts, tuple):
            states["leader_rule"][states["players"] == 1] = 0


_CHANGEABLE = ("collectors", "leader")
_IGNORED = "options"
"""PettingZoo's `api_test` resets every environment with the option of this name."""


def table_changes(options: Mapping[str, Any] | None, players: int) -> dict[str, int]:
    """Return the fields of the record that the options of a reset change; ``players`` sit at the smallest table."""
    options = {} if options is None else options
    if not isinstance(options, Mapping):
        raise CryptError(f"options={quoted(options)} is not possible; a dictionary is needed, or None")
    unknown = [name for name in options if name not in (*_CHANGEABLE, _IGNORED)]
    if unknown:
        raise CryptError(
            f"option {quoted(unknown[0])} is not known; allowed are {' and '.join(map(repr, _CHANGEABLE))}"
        )
    fields = {}
    if "collectors" in options:
        fields["table_rule"] = table_rule(options["collectors"])
    if "leader" in options:
        drawn = seat_rule(options["leader"], players, "leader")
        fields["leader_rule"] = max(drawn, 0) if players == 1 else drawn
    return fields


def positive(name: str, number: int, most: int | None = None) -> int:
    """Check a count that must be at least one."""
    if not is_whole(number) or number < 1:
        raise CryptError(f"{name}={quoted(number)} is not possible; allowed are whole numbers from 1 up")
    if most is not None and number > most:
        raise CryptError(f"{name}={quoted(number)} is not possible; allowed are at most {most}")
    return int(number)


def checked_number(name: str, number: float, least: float, most: float = math.inf) -> float:
    """Check a finite number that has limits."""
    is_number = isinstance(number, (int, float)) and not isinstance(number, bool)
    if not is_number or not least <= number <= min(most, sys.float_info.max):
        limits = f"from {least:g} on" if most == math.inf else f"from {least:g} to {most:g}"
        raise CryptError(f"{name}={quoted(number)} is not possible; a number {limits} is needed")
    return float(number)


def as_array(name: str, given: object) -> NDArray[Any]:
    """Return numbers of a caller as an array; their type and shape are not checked."""
    try:
        return np.asarray(given)
    except (ValueError, TypeError) as error:  # lists of different lengths, or nested too deep
        raise CryptError(f"{name}={quoted(given)} are not an array: {shortened(str(error))}") from None


def game_index(name: str, index: int, games: int = 1) -> int:
    """Check the index of the first of some games."""
    if not is_whole(index) or not 0 <= index <= 2**32 - games:
        raise CryptError(f"{name}={quoted(index)} is not possible; allowed are whole numbers from 0 to {2**32 - games}")
    return int(index)
