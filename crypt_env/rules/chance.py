"""A game's own generator: splitmix64, eight bytes in the game's record.

Two streams a game: ``chance`` deals and rolls, ``choice`` draws actions where a caller lets the engine draw them. So
a game's deck and dice do not depend on who chooses its actions. Both follow from (seed, game index, episode) alone.
"""

from __future__ import annotations

import numpy as np

from .actions import EFFORTS
from .compiled import part, rule, wraps_around

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_CHOICE_STREAM = np.uint64(0xD1B54A32D192ED03)
_DECISION_STREAM = np.uint64(0x8CB92BA72F3D8DD7)
_SEAT_STREAM = np.uint64(0xE7037ED1A0B428DB)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@wraps_around
@rule
def mix(bits: np.uint64) -> np.uint64:
    """Scramble 64 bits; a bijection."""
    bits = (bits ^ (bits >> _S30)) * _MIX_1
    bits = (bits ^ (bits >> _S27)) * _MIX_2
    return bits ^ (bits >> _S31)


@wraps_around
@rule
def following(state: np.uint64) -> np.uint64:
    """Return the state that comes after this one."""
    return state + _STEP


@wraps_around
@rule
def _first_bits(game: np.record) -> np.uint64:
    """Return the 64 bits from which all chance of a game follows."""
    bits = mix(np.uint64(game.seed) + _STEP)
    bits = mix((bits ^ np.uint64(game.index)) + _STEP)
    return mix((bits ^ np.uint64(game.episode)) + _STEP)


@wraps_around
@rule
def seed_streams(game: np.record) -> None:
    """Start both streams of a game from its seed, index and episode."""
    game.chance = _first_bits(game)
    game.choice = mix(game.chance ^ _CHOICE_STREAM)


@wraps_around
@rule
def scaled(state: np.uint64, limit: int) -> int:
    """Turn a stream's state into a number from 0 to ``limit - 1``."""
    return np.int64(((mix(state) >> _S32) * np.uint64(limit)) >> _S32)  # type: ignore[return-value]


@rule
def below(game: np.record, limit: int) -> int:
    """Draw a number from 0 to ``limit - 1`` from the game's chance."""
    game.chance = following(game.chance)
    return scaled(game.chance, limit)


@rule
def choose_below(game: np.record, limit: int) -> int:
    """Draw a number from 0 to ``limit - 1`` for choosing an action."""
    game.choice = following(game.choice)
    return scaled(game.choice, limit)


@part
def roll_die(game: np.record) -> int:
    """Roll one die, 1 to 6."""
    return below(game, EFFORTS) + 1


@rule
def shuffle(game: np.record, cards: np.ndarray, start: int, stop: int) -> None:
    """Shuffle ``cards[start:stop]`` in place, every order equally likely."""
    for last in range(stop - 1, start, -1):
        other = start + below(game, last - start + 1)
        cards[last], cards[other] = cards[other], cards[last]


@wraps_around
@rule
def bits_of_decision(game: np.record) -> np.uint64:
    """Return 64 bits for whoever makes this decision. They follow from the seed and depend on nothing that is drawn.

    Half of the bits of two numbers each: the deck and the dice cannot be computed back from them.
    """
    bits = _first_bits(game) ^ _DECISION_STREAM ^ np.uint64(game.decisions)
    return (mix(bits + _STEP) >> _S32 << _S32) | (mix(bits ^ _CHOICE_STREAM) >> _S32)


@wraps_around
@rule
def bits_of_seats(game: np.record, number: int) -> np.uint64:
    """Return the n-th 64 bits for choosing who sits where in an episode of a game."""
    return mix(mix(_first_bits(game) ^ _SEAT_STREAM) + np.uint64(number) * _STEP)
