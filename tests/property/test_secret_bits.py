"""The random bits that agents get: they follow from the seed, but reveal neither the seed nor the deck nor the dice."""

from __future__ import annotations

import numpy as np
import pytest

from crypt_env import Batch, Game
from crypt_env.rules.batch import decision_bits, seat_bits
from crypt_env.rules.resample import resample_rows
from crypt_env.rules.state import GAME

ALL = 2**64 - 1
STEP = 0x9E3779B97F4A7C15
MIX = (30, 0xBF58476D1CE4E5B9, 27, 0x94D049BB133111EB, 31)


def mix(bits: int) -> int:
    """The scrambling of the games' own generator."""
    bits = (bits ^ bits >> MIX[0]) * MIX[1] & ALL
    bits = (bits ^ bits >> MIX[2]) * MIX[3] & ALL
    return bits ^ bits >> MIX[4]


def _unshift(bits: int, places: int) -> int:
    """Take ``bits ^ bits >> places`` back."""
    found = bits
    for _ in range(64 // places):
        found = bits ^ found >> places
    return found


def unmix(bits: int) -> int:
    """Take the scrambling back."""
    bits = _unshift(bits, MIX[4]) * pow(MIX[3], -1, 2**64) & ALL
    bits = _unshift(bits, MIX[2]) * pow(MIX[1], -1, 2**64) & ALL
    return _unshift(bits, MIX[0])


def sip_hash(key: bytes, message: bytes) -> int:
    """SipHash-2-4 as its authors describe it, slowly, for any message."""

    def rounds(count: int) -> None:
        for _ in range(count):
            v[0] = v[0] + v[1] & ALL
            v[1] = (v[1] << 13 | v[1] >> 51) & ALL ^ v[0]
            v[0] = (v[0] << 32 | v[0] >> 32) & ALL
            v[2] = v[2] + v[3] & ALL
            v[3] = (v[3] << 16 | v[3] >> 48) & ALL ^ v[2]
            v[0] = v[0] + v[3] & ALL
            v[3] = (v[3] << 21 | v[3] >> 43) & ALL ^ v[0]
            v[2] = v[2] + v[1] & ALL
            v[1] = (v[1] << 17 | v[1] >> 47) & ALL ^ v[2]
            v[2] = (v[2] << 32 | v[2] >> 32) & ALL

    keys = [int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")]
    text = b"somepseudorandomlygeneratedbytes"
    v = [int.from_bytes(text[8 * place : 8 * place + 8], "big") ^ keys[place % 2] for place in range(4)]
    padded = message + bytes(7 - len(message) % 8) + bytes([len(message) % 256])
    for place in range(0, len(padded), 8):
        word = int.from_bytes(padded[place : place + 8], "little")
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def expected(seed: int, index: int, episode: int, purpose: int, number: int) -> int:
    """The bits for a purpose: 1 are decisions, 2 seats."""
    key = seed.to_bytes(8, "little") + mix(seed).to_bytes(8, "little")
    message = (index << 32 | episode).to_bytes(8, "little") + (purpose << 32 | number).to_bytes(8, "little")
    return sip_hash(key, message)


def test_the_slow_function_is_siphash() -> None:
    """Published outputs for the key 00 01 .. 0f and the messages 00 01 .. of 0, 15 and 16 bytes."""
    key = bytes(range(16))
    assert sip_hash(key, b"") == 0x726FDB47DD0E0E31
    assert sip_hash(key, bytes(range(15))) == 0xA129CA6149BE45E5
    assert sip_hash(key, bytes(range(16))) == 0x3F2ACC7F57C29BDB


@pytest.mark.parametrize("seed", [0, 1, 2**63 + 5, ALL])
def test_bits_are_siphash_with_the_seed_as_key(seed: int) -> None:
    states = np.zeros(3, GAME)
    states["seed"] = seed
    states["index"] = [0, 7, 2**32 - 1]
    states["episode"] = [0, 2**32 - 1, 3]
    states["decisions"] = [0, 250, 32767]
    bits, seats = np.zeros(3, np.uint64), np.zeros((3, 5), np.uint64)
    decision_bits(states, np.arange(3), bits)
    seat_bits(states, np.arange(3), seats)
    for row, state in enumerate(states):
        of_game = (seed, int(state["index"]), int(state["episode"]))
        assert int(bits[row]) == expected(*of_game, 1, int(state["decisions"]))
        assert seats[row].tolist() == [expected(*of_game, 2, number) for number in range(5)]


def test_bits_cannot_be_taken_back_as_the_generator_can() -> None:
    """The generator's own outputs lead back to its state; those for agents and seats lead nowhere near it."""
    assert all(unmix(mix(bits)) == bits for bits in (0, 1, STEP, ALL))
    batch = Batch(64, 2, seed=0xC0FFEE123456789)
    batch.reset()
    rows = np.arange(64)
    bits, seats = np.zeros(64, np.uint64), np.zeros((64, 2), np.uint64)
    decision_bits(batch.states, rows, bits)
    seat_bits(batch.states, rows, seats)
    near = set()
    for given in (*bits.tolist(), *seats.ravel().tolist()):
        for _ in range(3):
            near |= {(given + steps * STEP) & ALL for steps in range(-60, 60)}
            given = unmix(given)
    states = {int(state) for name in ("chance", "choice") for state in batch.states[name]}
    assert not near & states


def test_drawn_seeds_have_64_bits() -> None:
    seeds = [Game(2, "A").seed for _ in range(20)]
    assert len(set(seeds)) == 20
    assert max(seeds) >= 2**48


@pytest.mark.parametrize("reward", ["margin", "coins"])
def test_nothing_of_what_others_were_paid_stays_in_a_resampled_game(reward: str) -> None:
    """Neither in a row of a dense batch that became a game, nor in one that was re-dealt unchanged."""
    batch = Batch(8, 4, "AAAAAA", seed=3, reward=reward, dense=True, restarts=False)
    batch.reset()
    for _ in range(30):
        batch.step_random()
    paid = batch.states["paid"].any(axis=1) & (batch.states["mover"] >= 0)
    assert paid.any()
    for row in np.flatnonzero(paid):
        game = Game.from_state(batch.states[row : row + 1])
        assert not game.state["paid"].any()
        for seat in range(4):
            assert not game.resample(seat, seed=1).state["paid"].any()
    sparse = batch.states.copy()
    sparse["dense"] = 0
    resample_rows(sparse, 0, 8, np.zeros(8, np.int8), np.arange(8, dtype=np.uint64))
    assert not sparse["paid"].any()
