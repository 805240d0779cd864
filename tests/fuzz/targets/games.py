"""Records of games as bytes, rows of a batch, and what seats see."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypt_env import Batch, Game, View, check_states, describe
from crypt_env.rules.state import GAME
from fuzz import samples
from fuzz.mutate import damaged_bytes, odd_value
from fuzz.play_on import play_on
from fuzz.target import Target, require

States = NDArray[np.void]
_FIELDS: dict[str, Any] = dict(GAME.fields or {})
_STEPS = 12


# -- states -----------------------------------------------------------------------------------------------------------


def _states() -> list[States]:
    """Return the records of games from real play."""
    return [game.state for game in samples.games()]


def _near_state(rng: Random, valid: list[States]) -> States:
    """Return a record with some numbers changed."""
    state = rng.choice(valid).copy()
    other = rng.choice(valid)
    for _ in range(rng.randint(0, 3)):
        name = rng.choice(GAME.names or ())
        if rng.random() < 0.2:
            state[name] = other[name]
            continue
        numbers = state[name].reshape(-1)
        place, limits = rng.randrange(len(numbers)), np.iinfo(numbers.dtype)
        near = int(numbers[place]) + rng.choice((-1, 1, 2))
        value = rng.choice((near, near, -1, 0, limits.min, limits.max, rng.randint(-2, 50)))
        numbers[place] = min(max(value, limits.min), limits.max)
        state[name] = numbers.reshape(state[name].shape)
    return state


def _state(rng: Random, valid: list[States]) -> Any:
    """Return a damaged record of a game, or something else."""
    kind = rng.random()
    if kind < 0.6:
        return _near_state(rng, valid)
    if kind < 0.9:
        data = damaged_bytes(rng, rng.choice(valid).tobytes(), [rng.choice(valid).tobytes()])
        return np.frombuffer(data[: GAME.itemsize].ljust(GAME.itemsize, b"\0"), GAME).copy()
    if kind < 0.97:
        return np.frombuffer(rng.randbytes(GAME.itemsize), GAME).copy()
    whole = rng.choice(valid)
    return rng.choice((whole[:0], np.concatenate([whole, whole]), whole[0], whole.reshape(1, 1), odd_value(rng)))


def _use_state(game: Game) -> None:
    """Play on from a record; its position need not be reachable."""
    rng = Random(game.state.tobytes())
    if not (game.is_over and game.state["winners"][0] == 0):  # a game that was broken off has no winner
        play_on(game, rng, least=1)
        check_states(game.state)
    str(game)
    require(game.copy() == game, "a copy of a game is another one")


def _rows(rng: Random, valid: list[States]) -> Any:
    """Return records for the rows of a batch."""
    if rng.random() < 0.03:
        return odd_value(rng)
    return np.concatenate([_near_state(rng, valid) for _ in range(rng.randint(1, 4))])


def _checked_rows(states: Any) -> Batch:
    """Check records as those of a stranger must be, and put them into a batch."""
    check_states(states)
    batch = Batch(len(states), 2, seed=1)
    batch.reset()
    batch.states[:] = states
    return batch


def _use_batch(batch: Batch) -> None:
    """Step through the games, some of them to their ends and into the next."""
    rows = np.arange(len(batch))
    arrays = batch.arrays
    batch.view(rows, np.maximum(batch.states["mover"], 0).astype(np.int8), arrays.observations, arrays.masks)
    for _ in range(_STEPS):
        arrays = batch.step_random()
        require((arrays.observations >= 0).all(), "a seat sees numbers below 0")
        require(np.isfinite(arrays.rewards).all(), "a reward is not a number")
        require(arrays.masks[arrays.movers >= 0].sum(axis=1).min(initial=2) > 1, "a seat is asked that has no choice")
    batch.reset()
    batch.step_random()


# -- views ------------------------------------------------------------------------------------------------------------


def _views() -> list[NDArray[np.int8]]:
    """Return what seats saw in real play."""
    return [game.observation(seat) for game in samples.games()[::5] for seat in range(game.players)]


def _vector(rng: Random, valid: list[NDArray[np.int8]]) -> Any:
    """Return a damaged observation, or something else."""
    kind, vector = rng.random(), rng.choice(valid).copy()
    if kind < 0.65:
        for _ in range(rng.randint(0, 4)):
            vector[rng.randrange(len(vector))] = rng.choice((0, 1, 2, 4, 6, 24, 127, -1, -128, rng.randint(0, 8)))
        return vector
    if kind < 0.75:
        return np.frombuffer(damaged_bytes(rng, vector.tobytes(), [rng.choice(valid).tobytes()]), np.int8)
    if kind < 0.8:
        return np.random.default_rng(rng.getrandbits(32)).integers(0, 3, len(vector)).astype(np.int8)
    if kind < 0.95:
        dtype = rng.choice(("i8", "u1", "f4", "f8", "c16", "U3", "O", "?", "M8[s]", ">i4"))
        return rng.choice((vector.astype(dtype), vector[:, None], vector[::-1], vector.tolist(), [vector], vector[0]))
    return odd_value(rng)


class _Described(NamedTuple):
    """A view and its words."""

    view: View
    words: str


def _describe(vector: Any) -> _Described:
    """Describe a vector, as words and as a picture."""
    view = View(vector)
    return _Described(view, describe(vector))


def _use_view(described: _Described) -> None:
    """Ask a view for everything."""
    require(str(described.view) == described.words, "a view has other words than its vector")
    require(len(described.words) < 10_000, f"the words are {len(described.words)} characters")
    for name in described.view.keys():  # noqa: SIM118
        require(described.view[name].size > 0, f"part {name} is empty")


TARGETS = (
    Target("states", _states, _state, Game.from_state, _use_state, quick=300),
    Target("batch rows", _states, _rows, _checked_rows, _use_batch, quick=300),
    Target("views", _views, _vector, _describe, _use_view, quick=600),
)
