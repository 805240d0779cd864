"""What a caller may ask for, turned into the numbers of the record; wrong wishes get one clear sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard, cast

import numpy as np
from numpy.typing import NDArray

from .errors import CryptError
from .notation.quoting import quoted
from .rules.cards import KINDS, MAX_PLAYERS
from .rules.state import REWARD_NAMES

RANDOM = "random"
DRAWN = -1


def is_whole(number: object) -> TypeGuard[int]:
    """Return whether something is a whole number; True and False are none."""
    return isinstance(number, (int, np.integer)) and not isinstance(number, bool)


def flag(name: str, value: bool) -> bool:
    """Check a choice between True and False."""
    if not isinstance(value, (bool, np.bool_)):
        raise CryptError(f"{name}={quoted(value)} is not possible; allowed are True and False")
    return bool(value)


def player_count(players: int) -> int:
    """Check a number of players."""
    if not is_whole(players) or not 1 <= players <= MAX_PLAYERS:
        raise CryptError(f"players={quoted(players)} is not possible; allowed are 1 (against the Ghost), 2, 3 and 4")
    return int(players)


def player_counts(players: int | Sequence[int], games: int) -> NDArray[np.int8]:
    """Check the number of players of all games, or of each."""
    if isinstance(players, (int, np.integer)):
        return np.full(games, player_count(players), np.int8)
    is_list = isinstance(players, Sequence) and not isinstance(players, (str, bytes))
    if not is_list and not (isinstance(players, np.ndarray) and players.ndim):
        player_count(cast(int, players))
    counts = [player_count(count) for count in players]
    if len(counts) != games:
        raise CryptError(f"players has {len(counts)} entries for {games} games; give one number, or one for each game")
    return np.array(counts, np.int8)


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


def table_rule(collectors: str) -> int:
    """Return the record's number for a choice of Collector sides."""
    if isinstance(collectors, str) and collectors == RANDOM:
        return DRAWN
    return sum(side << kind for kind, side in enumerate(parse_sides(collectors)))


def leader_rule(leader: int | str, players: int) -> int:
    """Return the record's number for a choice of first Leader."""
    if isinstance(leader, str) and leader == RANDOM:
        return DRAWN
    if not is_whole(leader) or not 0 <= leader < players:
        seats = "seat 0" if players == 1 else f"a seat from 0 to {players - 1}"
        raise CryptError(
            f"leader={quoted(leader)} is not possible with {players} players; allowed are {seats}, or 'random'"
        )
    return int(leader)


def seat_rule(seat: int | str, players: NDArray[np.int8]) -> int:
    """Return the seat of a learner at tables with these numbers of players; -1 draws it."""
    least = int(players.min())
    if isinstance(seat, str) and seat == RANDOM:
        return DRAWN if players.max() > 1 else 0
    if not is_whole(seat) or not 0 <= seat < least:
        allowed = "seat 0" if least == 1 else f"a seat from 0 to {least - 1}"
        raise CryptError(
            f"seat={quoted(seat)} is not possible with {least} players; allowed are {allowed}, or 'random'"
        )
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
        drawn = leader_rule(options["leader"], players)
        fields["leader_rule"] = max(drawn, 0) if players == 1 else drawn
    return fields


def positive(name: str, number: int, most: int | None = None) -> int:
    """Check a number of things of which there must be at least one."""
    if not is_whole(number) or number < 1:
        raise CryptError(f"{name}={quoted(number)} is not possible; allowed are whole numbers from 1 on")
    if most is not None and number > most:
        raise CryptError(f"{name}={quoted(number)} is not possible; allowed are at most {most}")
    return int(number)


def game_index(name: str, index: int, games: int = 1) -> int:
    """Check the number of the first of some games."""
    if not is_whole(index) or not 0 <= index <= 2**32 - games:
        raise CryptError(f"{name}={quoted(index)} is not possible; allowed are whole numbers from 0 to {2**32 - games}")
    return int(index)
