"""A game's own generator: splitmix64, eight bytes in the game's record.

Two streams a game: ``chance`` deals and rolls, ``choice`` draws actions where a caller lets the engine draw them. So
a game's deck and dice do not depend on who chooses its actions. Both follow from (seed, game index, episode) alone.

Agents, and the code that seats them, get random bits of their own, which must not reveal the deck and the dice.
Splitmix64 keeps no secret: it can be run backwards, so one output reveals its state, and two halves reveal it after a
search of seconds. These bits therefore come from SipHash-2-4, a keyed function: the game's seed is its key, and all
that is public (index, episode, number, purpose) its message. It cannot be inverted; the only known attack is to try
seeds until all bits seen so far match. Every game and every decision is a message of its own, so that seeing many of
them saves no trials. A seed drawn from all 64-bit numbers, as `Game` and the environments draw theirs, takes 2**64 of
them; a seed such as 7 falls to anyone who tries small numbers, and nothing here prevents that.
"""

from __future__ import annotations

import numpy as np

from .actions import EFFORTS
from .compiled import int64, part, rule, wraps_around

STEP = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
"""The numbers of splitmix64."""
_CHOICE_STREAM = np.uint64(0xD1B54A32D192ED03)
_DECISION_STREAM = np.uint64(1)
_SEAT_STREAM = np.uint64(2)
_SIP_0, _SIP_1 = np.uint64(0x736F6D6570736575), np.uint64(0x646F72616E646F6D)
_SIP_2, _SIP_3 = np.uint64(0x6C7967656E657261), np.uint64(0x7465646279746573)
_SIP_LENGTH = np.uint64(16 << 56)  # of the message, in bytes
_SIP_END = np.uint64(0xFF)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@wraps_around
@rule
def mix(bits: np.uint64) -> np.uint64:
    """Scramble 64 bits; a bijection."""
    bits = (bits ^ (bits >> _S30)) * MIX_1
    bits = (bits ^ (bits >> _S27)) * MIX_2
    return bits ^ (bits >> _S31)


@wraps_around
@rule
def following(state: np.uint64) -> np.uint64:
    """Return the next state."""
    return state + STEP


@wraps_around
@rule
def _first_bits(game: np.record) -> np.uint64:
    """Return the 64 bits that determine all chance of a game."""
    bits = mix(np.uint64(game.seed) + STEP)
    bits = mix((bits ^ np.uint64(game.index)) + STEP)
    return mix((bits ^ np.uint64(game.episode)) + STEP)


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


# -- bits for others --------------------------------------------------------------------------------------------------


@rule
def _turned(word: np.uint64, places: int) -> np.uint64:
    """Rotate 64 bits to the left."""
    return (word << np.uint64(places)) | (word >> np.uint64(64 - places))


@wraps_around
@rule
def _sip_round(
    a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Return the state of SipHash after one round."""
    a, c = a + b, c + d
    b, d = _turned(b, 13) ^ a, _turned(d, 16) ^ c
    a, c = _turned(a, 32) + d, c + b
    b, d = _turned(b, 17) ^ c, _turned(d, 21) ^ a
    return a, b, _turned(c, 32), d


@rule
def sip_hash(key_0: np.uint64, key_1: np.uint64, first: np.uint64, second: np.uint64) -> np.uint64:
    """Return SipHash-2-4 of a message of two words."""
    a, b, c, d = key_0 ^ _SIP_0, key_1 ^ _SIP_1, key_0 ^ _SIP_2, key_1 ^ _SIP_3
    for word in (first, second, _SIP_LENGTH):
        a, b, c, d = _sip_round(a, b, c, d ^ word)
        a, b, c, d = _sip_round(a, b, c, d)
        a ^= word
    c ^= _SIP_END
    for _ in range(4):
        a, b, c, d = _sip_round(a, b, c, d)
    return a ^ b ^ c ^ d


@wraps_around
@rule
def _secret_bits(game: np.record, stream: np.uint64, number: int) -> np.uint64:
    """Return 64 bits that follow from the seed, but reveal neither it nor a game's chance."""
    seed = np.uint64(game.seed)
    place = (np.uint64(game.index) << _S32) | np.uint64(game.episode)
    return sip_hash(seed, mix(seed), place, (stream << _S32) | np.uint64(number))


@rule
def bits_of_decision(game: np.record) -> np.uint64:
    """Return 64 bits for the agent that makes this decision.

    The bits of any number of decisions reveal neither the deck nor the dice.
    """
    return _secret_bits(game, _DECISION_STREAM, int64(game.decisions))


@rule
def bits_of_seats(game: np.record, number: int) -> np.uint64:
    """Return the n-th 64 bits for choosing who sits where in an episode of a game; they reveal no more."""
    return _secret_bits(game, _SEAT_STREAM, number)
