"""`check_states`: records of batches pass; random bytes and damaged records are refused, or harmless."""

from __future__ import annotations

import numpy as np
import pytest

from crypt_env import Batch, CryptError, Game, check_states
from crypt_env.rules.state import AFTER_CLAIM, BEFORE_CLAIM, COLLECT, GAME, OVER
from crypt_env.states import _ANY, _RANGES
from property.play import COUNTS, positions, run_elsewhere

DAMAGED = """
import numpy as np
from crypt_env import Batch, CryptError, Game, check_states
from crypt_env.rules.batch import sheet_rows
from crypt_env.rules.resample import resample_rows
from crypt_env.rules.state import GAME

tries, seed = TRIES, 5
rng = np.random.default_rng(seed)
passed = refused = 0
for players in (1, 2, 3, 4):
    batch = Batch(64, players, seed=seed, dense=True, reward="margin")
    arrays = batch.reset()
    for number in range(tries):
        arrays = batch.step_random()
        rows = batch.states.copy()
        memory = rows.view(np.uint8).reshape(64, GAME.itemsize)
        for row in range(64):
            for _ in range(1 + rng.integers(3)):
                place = rng.integers(52, GAME.itemsize)
                memory[row, place] = rng.choice([0, 1, 2, 3, 4, 5, 255, rng.integers(256)])
        sound = []
        for row in range(64):
            try:
                check_states(rows[row : row + 1])
                sound.append(row)
            except CryptError:
                refused += 1
        passed += len(sound)
        if not sound:
            continue
        other = Batch(len(sound), players)
        other.reset()
        other.states[:] = rows[sound]
        for row in range(len(sound)):
            if other.states["mover"][row] >= 0 and row % 8 == 0:
                game = Game.from_state(other.states[row : row + 1])
                for seat in range(players):
                    game.observation(seat), game.resample(seat, seed=1)
                game.play(game.random_action())
        copies = other.states.copy()
        resample_rows(copies, 0, len(copies), np.full(len(copies), rng.integers(players), np.int8),
                      np.arange(len(copies), dtype=np.uint64))
        sheet_rows(other.states, 0, len(copies), np.zeros((len(copies), 4, 8), np.int16))
        for _ in range(40):
            other.step_random()
print("passed" if passed > 100 and refused > 100 else f"too few: {passed} {refused}")
"""


def test_every_field_has_a_range() -> None:
    assert sorted([*_RANGES, *_ANY]) == sorted(GAME.names or ())


@pytest.mark.parametrize("players", COUNTS)
@pytest.mark.parametrize("restarts", [True, False])
def test_records_of_batches_pass(players: int, restarts: bool) -> None:
    batch = Batch(32, players, seed=players, dense=restarts, reward="margin", restarts=restarts)
    check_states(batch.states)
    batch.reset()
    for _ in range(150):
        batch.step_random()
        check_states(batch.states)


@pytest.mark.parametrize("players", COUNTS)
def test_records_of_games_pass(players: int) -> None:
    for game in positions(players, 5):
        check_states(game.state)
        assert Game.from_state(game.state) == game


@pytest.mark.parametrize("name", sorted(_RANGES))
def test_a_number_out_of_range_is_named(name: str) -> None:
    batch = Batch(3, 4, seed=1)
    batch.reset()
    least, most = _RANGES[name]
    info = np.iinfo(GAME[name].base)
    for number in {max(least - 1, info.min), min(most + 1, info.max), info.min, info.max}:
        if least <= number <= most:
            continue
        states = batch.states.copy()
        states[name][1] = number
        words = f"game 1: {name} is {number}; allowed are numbers from {least} to {most}"
        with pytest.raises(CryptError, match=f"^{words}$"):
            check_states(states)
        with pytest.raises(CryptError):
            Game.from_state(states[1:2])


@pytest.mark.parametrize(
    "given", [None, 5, [], np.zeros(408, np.uint8), np.zeros((1, 1), GAME), np.zeros(1), "crypt1", b"x" * 408]
)
def test_what_is_no_array_of_games_is_refused(given: object) -> None:
    with pytest.raises(CryptError, match=r"games are an array of crypt_env.rules.state.GAME with one dimension, not "):
        check_states(given)
    with pytest.raises(CryptError, match=r"one row of Batch.states is needed, not "):
        Game.from_state(given)


def test_random_bytes_are_not_a_game() -> None:
    rng = np.random.default_rng(1)
    for _ in range(300):
        states = np.frombuffer(rng.bytes(GAME.itemsize), GAME).copy()
        with pytest.raises(CryptError):
            Game.from_state(states)
        states["phase"], states["mover"] = rng.integers(6), rng.integers(4)
        with pytest.raises(CryptError):
            Game.from_state(states)


def test_a_game_that_was_broken_off_is_a_game() -> None:
    """As an interface ends a game after an illegal action."""
    batch = Batch(1, 3, seed=1)
    batch.reset()
    for _ in range(5):
        batch.step_random()
    batch.states["phase"], batch.states["mover"] = OVER, -1
    check_states(batch.states)


@pytest.mark.parametrize("players", COUNTS)
def test_a_seat_is_asked_only_where_it_can_pay(players: int) -> None:
    """[R3] [R7] [R10] A window is open only to a seat with cards to flip; inside, they are not counted again."""
    batch, found = Batch(256, players, seed=players), 0
    batch.reset()
    for _ in range(40):
        batch.step_random()
        for row in np.flatnonzero(np.isin(batch.states["phase"], (BEFORE_CLAIM, AFTER_CLAIM, COLLECT))):
            state = batch.states[row : row + 1].copy()
            seat = state["mover"][0]
            if state["chosen"] < 0 and not (state["down_place"] == seat).any():
                check_states(state)
                state["unflipped"][0, seat] = 0
                with pytest.raises(CryptError, match=r"nothing to decide here|Idols are flipped"):
                    check_states(state)
                found += 1
    assert found > 0


def test_damaged_records_do_not_crash_the_engine() -> None:
    """Those that pass the check are played on, viewed and re-dealt."""
    assert run_elsewhere(DAMAGED.replace("TRIES", "12")) == "passed"


@pytest.mark.slow
def test_damaged_records_stay_within_the_arrays(tmp_path) -> None:
    """The same for more records, with every index checked."""
    changes = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    assert run_elsewhere(DAMAGED.replace("TRIES", "60"), **changes) == "passed"
