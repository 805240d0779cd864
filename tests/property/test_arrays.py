"""Contract "Arrays are the caller's": a step writes where it is asked to, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from crypt_env import ACTIONS, DRAW, FEATURES, SKIP, Arrays, Batch, CryptError, new_arrays
from crypt_env.rules.batch import check_rows, step_rows, view_rows
from crypt_env.rules.cards import MAX_PLAYERS
from crypt_env.rules.resample import resample_rows
from crypt_env.rules.state import GAME
from property.play import COUNTS, asked_games, fields_that_differ, look, nth_legal, scattered

CANARY = 77


def buffers(*leading: int) -> Arrays:
    """Return the arrays of a rollout, every byte a canary."""
    shapes = ((FEATURES,), (ACTIONS,), (), (MAX_PLAYERS,), (), (FEATURES,))
    types = (np.int8, np.bool_, np.int8, np.float32, np.bool_, np.int8)
    filled = []
    for shape, dtype in zip(shapes, types, strict=True):
        count = int(np.prod((*leading, *shape))) * np.dtype(dtype).itemsize
        filled.append(np.full(count, CANARY, np.uint8).view(dtype).reshape(*leading, *shape))
    return Arrays(*filled)


def part(arrays: Arrays, *where: object) -> Arrays:
    """Return the same part of every array."""
    return Arrays(*(array[where] for array in arrays))


def is_untouched(array: np.ndarray) -> bool:
    """Return whether every byte is still a canary."""
    return bool((np.ascontiguousarray(array).view(np.uint8) == CANARY).all()) if array.size else True


@pytest.mark.parametrize("threads", [1, 2])
def test_step_writes_only_the_rows_it_is_given(threads: int) -> None:
    """A rollout [T, N]: step t of two half batches writes their columns of row t; the rest keeps its canaries."""
    steps, games = 40, 12
    rollout = buffers(steps + 2, games + 4)
    alone = Batch(games, [1, 2, 3, 4] * 3, seed=6)
    halves = [
        Batch(6, ([1, 2, 3, 4] * 3)[start : start + 6], seed=6, first_index=start, threads=threads) for start in (0, 6)
    ]
    alone.reset()
    for batch in halves:
        batch.reset()
    for number in range(1, steps + 1):
        timestep = alone.step_random()
        for half, batch in enumerate(halves):
            columns = slice(2 + 6 * half, 8 + 6 * half)
            into = part(rollout, number, columns)
            returned = batch.step_random(into)
            assert all(one is other for one, other in zip(returned, into, strict=True))
            later = part(rollout, slice(number + 1, None))
            assert all(map(is_untouched, later))
        middle = part(rollout, number, slice(2, 14))
        for name, mine, theirs in zip(Arrays._fields[:-1], middle, timestep, strict=False):
            assert (mine == theirs).all(), name
        for row in range(games):
            if timestep.dones[row]:
                assert (middle.finals[row] == timestep.finals[row]).all()
            else:
                assert is_untouched(middle.finals[row])
    for guard in (part(rollout, 0), part(rollout, -1), *(part(rollout, slice(None), n) for n in (0, 1, -2, -1))):
        assert all(map(is_untouched, guard))


def test_range_of_rows_touches_no_other_row() -> None:
    """`step_rows(start, stop)` changes games and arrays of those rows alone."""
    batch = Batch(10, [1, 2, 3, 4, 4, 3, 2, 1, 2, 3], seed=3)
    batch.reset()
    for number in range(60):
        start, stop = sorted((number % 11, number * 7 % 11))
        before, arrays = batch.states.copy(), buffers(10)
        assert step_rows(batch.states.view(np.uint8), start, stop, *arrays, np.full(10, DRAW)) == -1
        for rows in (slice(0, start), slice(stop, 10)):
            assert fields_that_differ(batch.states[rows], before[rows]) == []
            assert all(map(is_untouched, part(arrays, rows)))
        assert not any(is_untouched(array[row]) for array in arrays[:5] for row in range(start, stop))
        assert (batch.states["decisions"][start:stop] != before["decisions"][start:stop]).all()


def test_looking_changes_no_game_and_writes_its_rows_alone() -> None:
    """`view_rows` and `check_rows` read; a view of k games writes the first k rows."""
    batch = Batch(8, [1, 2, 3, 4] * 2, seed=3)
    batch.reset()
    before, arrays = batch.states.tobytes(), buffers(8)
    view_rows(batch.states, np.array([6, 1, 3]), np.array([2, 0, 3], np.int8), arrays.observations, arrays.masks)
    assert check_rows(batch.states, 0, 8, np.full(8, ACTIONS - 1)) == 0
    assert batch.states.tobytes() == before
    assert is_untouched(arrays.observations[3:])
    assert is_untouched(arrays.masks[3:])
    for place, (row, seat) in enumerate(((6, 2), (1, 0), (3, 3))):
        observations, masks = look(batch.states[row : row + 1], [seat])
        assert (arrays.observations[place] == observations[0]).all()
        assert (arrays.masks[place] == masks[0]).all()


def test_resample_touches_no_other_row() -> None:
    """Re-dealing some games of a batch leaves the others as they are."""
    batch = Batch(8, 4, seed=3)
    batch.reset()
    before = batch.states.copy()
    resample_rows(batch.states, 2, 5, np.zeros(8, np.int8), np.arange(8, dtype=np.uint64))
    assert fields_that_differ(batch.states[:2], before[:2]) == []
    assert fields_that_differ(batch.states[5:], before[5:]) == []
    assert (batch.states["chance"][2:5] != before["chance"][2:5]).all()


OPTIONAL = ("observations", "masks", "finals")
TOO_SHORT = [(name, length) for name in Arrays._fields for length in (0, 3, 5) if length > 0 or name not in OPTIONAL]


@pytest.mark.parametrize("left_out", OPTIONAL)
def test_array_of_length_0_is_skipped(left_out: str) -> None:
    """Arrays without rows are not written; all others are written as usual."""
    whole, less = Batch(6, 3, seed=2), Batch(6, 3, seed=2)
    into = new_arrays(6)._replace(**{left_out: getattr(new_arrays(0), left_out)})
    whole.reset()
    less.reset(into=into)
    for _ in range(120):
        whole.step_random()
        less.step_random(into)
        assert fields_that_differ(whole.states, less.states) == []
        for name in Arrays._fields:
            if name != left_out:
                assert (getattr(whole.arrays, name) == getattr(into, name)).all()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("name", "length"), TOO_SHORT)
def test_array_that_is_too_short_is_refused_and_nothing_changes(name: str, length: int, threads: int) -> None:
    """Only observations, masks and finals may be left out; else every row needs its place, for any thread."""
    batch = Batch(6, [1, 2, 3, 4, 1, 2], seed=1, threads=threads)
    batch.reset()
    before, into = batch.states.tobytes(), new_arrays(6)
    short = into._replace(**{name: getattr(new_arrays(length), name)})
    with pytest.raises(CryptError, match=name):
        batch.step_random(short)
    assert batch.states.tobytes() == before
    assert not any(array.any() for array in into)


@pytest.mark.parametrize("players", COUNTS)
def test_finals_hold_what_the_learner_knew_at_the_end(players: int) -> None:
    """A game that restarts leaves its last observation, as its learner sees it; the next view is the new game's."""
    games = 4 * players
    ending, going = (Batch(games, players, seed=5, restarts=restarts) for restarts in (False, True))
    for batch in (ending, going):
        batch.states["learner"] = np.arange(games) % players
        batch.reset()
    fresh = Batch(games, players, seed=5)
    fresh.reset()
    fresh.restart(np.arange(games))
    ended = np.zeros(games, bool)
    for number in range(400):
        actions = nth_legal(ending.arrays.masks, scattered(number, ending.states["index"]))
        ending.step(actions)
        now = ending.arrays.dones & ~ended
        going.step(np.where(ended, DRAW, actions))
        assert (going.arrays.dones[~ended] == ending.arrays.dones[~ended]).all()
        observations, _ = look(ending.states, ending.states["learner"].tolist())
        for row in np.flatnonzero(now):
            assert (going.arrays.finals[row] == observations[row]).all()
            assert (ending.arrays.observations[row] == observations[row]).all()
            assert (going.arrays.observations[row] == fresh.arrays.observations[row]).all()
            assert (going.arrays.rewards[row] == ending.arrays.rewards[row]).all()
            assert going.arrays.movers[row] >= 0
        ended |= now
    assert ended.all()


@pytest.mark.parametrize("players", COUNTS)
def test_game_that_is_over_stays_without_restarts(players: int) -> None:
    """It is done once, pays once, and is then the same in every step, with no seat to move and nothing to do."""
    batch = Batch(6, players, seed=9, restarts=False)
    arrays = batch.reset()
    dones = np.zeros(6, int)
    while (arrays.movers >= 0).any():
        arrays = batch.step_random()
        dones += arrays.dones
    assert (dones == 1).all()
    before, seen = batch.states.copy(), arrays.observations.copy()
    for _ in range(3):
        arrays = batch.step(np.full(6, 5, np.int64))
        assert fields_that_differ(batch.states, before) == []
        assert (arrays.observations == seen).all()
        assert not arrays.masks.any()
        assert not arrays.dones.any()
        assert (arrays.rewards == 0).all()
        assert (arrays.movers == -1).all()
        assert (arrays.finals == 0).all()


@pytest.mark.parametrize("players", COUNTS)
def test_movers_and_dones_tell_the_game(players: int) -> None:
    """The mover is the record's; a game is done in the step in which its episode goes up."""
    batch = Batch(8, players, seed=1)
    batch.reset()
    for _ in range(200):
        episodes = batch.states["episode"].copy()
        arrays = batch.step_random()
        assert (arrays.movers == batch.states["mover"]).all()
        assert (arrays.movers >= 0).all()
        assert (arrays.movers < players).all()
        assert (arrays.dones == (batch.states["episode"] == episodes + 1)).all()
    assert batch.states["episode"].min() > 0


def test_record_is_small() -> None:
    """A game is at most 1024 bytes, so that thousands fit into a cache."""
    assert GAME.itemsize <= 1024


def test_row_copied_elsewhere_plays_on_alone() -> None:
    """Copying a game is copying a row: it plays on the same in another array, and changes nothing behind it."""
    batch = Batch(4, [1, 2, 3, 4], seed=6, restarts=False)
    batch.reset()
    for _ in range(5):
        batch.step_random()
    other = Batch(4, [1, 2, 3, 4], seed=0, restarts=False)
    other.reset()
    other.states[:] = batch.states[::-1]
    before = batch.states.copy()
    while (other.step_random().movers >= 0).any():
        pass
    assert fields_that_differ(batch.states, before) == []
    while (batch.step_random().movers >= 0).any():
        pass
    assert fields_that_differ(other.states[::-1], batch.states) == []


def test_games_that_are_skipped_are_not_touched() -> None:
    """`SKIP` leaves a game and its rows of the arrays as they are, while the others play on."""
    batch = Batch(6, players=2, seed=5)
    batch.reset()
    before, arrays = batch.states.copy(), [array.copy() for array in batch.arrays]
    actions = np.array([SKIP, DRAW, SKIP, DRAW, DRAW, SKIP])
    batch.step(actions)
    waiting = actions == SKIP
    assert (batch.states[waiting] == before[waiting]).all()
    assert (batch.states[~waiting]["decisions"] == before[~waiting]["decisions"] + 1).all()
    for now, then in zip(batch.arrays, arrays, strict=True):
        assert (now[waiting] == then[waiting]).all()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_games_begin_afresh_from_the_middle_of_a_flip_or_an_answer(players: int) -> None:
    """Neither a reset nor a restart keeps a chosen action, or a card that was being taken."""
    asked = [game.state[0] for game in asked_games(players)]
    fresh, batch = (Batch(len(asked), players, "AABBAA", seed=4) for _ in range(2))
    for deal in (lambda batch: batch.reset(), lambda batch: batch.restart(np.arange(len(asked)))):
        deal(fresh)
        kept = batch.states[["index", "episode", "seed", "table_rule", "leader_rule", "restarts", "pauses"]].copy()
        batch.states[:] = asked
        batch.states["deck_given"] = 0
        batch.states["pauses"] = 0
        for name in kept.dtype.names:
            batch.states[name] = kept[name]
        deal(batch)
        assert fields_that_differ(batch.states, fresh.states) == []
        assert (batch.arrays.observations == fresh.arrays.observations).all()
        assert (batch.arrays.masks == fresh.arrays.masks).all()


def test_restart_deals_the_next_episode_of_some_games_alone() -> None:
    """`restart` deals what an automatic restart would have dealt, and leaves the other games as they are."""
    batch, restarting = Batch(5, players=3, seed=2, restarts=False), Batch(5, players=3, seed=2)
    batch.reset()
    restarting.reset()
    while not restarting.step_random().dones.any():
        batch.step_random()
    over = np.flatnonzero(batch.step_random().dones)
    before = batch.states.copy()
    batch.restart(over)
    others = np.setdiff1d(np.arange(5), over)
    assert len(over) > 0
    assert (batch.states[others] == before[others]).all()
    assert (batch.states[over]["deck"] == restarting.states[over]["deck"]).all()
    assert (batch.arrays.observations[over] == restarting.arrays.observations[over]).all()
    assert (batch.states[over]["episode"] == 1).all()
