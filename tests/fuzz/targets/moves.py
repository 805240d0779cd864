"""Actions, seeds and options passed to games and environments in the middle of play."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from crypt_env import ACTIONS, DRAW, SKIP, Batch, CryptError, Game, action_text, crypt_v0
from crypt_env.envs.single import SeatEnv
from crypt_env.envs.vector import SeatVectorEnv
from fuzz.mutate import damaged_text, odd_value
from fuzz.play_on import comes_back, play_on
from fuzz.target import Target, require

_GAMES = 3


class Move(NamedTuple):
    """An input for a game: through which interface, how far into the game, by which method, and what."""

    face: str
    players: int
    decisions: int
    method: str
    given: Any


def _index(rng: Random) -> Any:
    """Return an action, a number that is none, or anything."""
    kind = rng.random()
    if kind < 0.3:
        return rng.randrange(ACTIONS)
    if kind < 0.5:
        return rng.choice((DRAW, SKIP, -3, ACTIONS, 2**31, 2**63, 2**64 - 1, -(2**63), 1.0, True, "done", None))
    return damaged_text(rng, action_text(rng.randrange(ACTIONS))) if kind < 0.6 else odd_value(rng)


def _array(rng: Random) -> Any:
    """Return actions for some games, mostly in an array that is not quite right."""
    size = rng.choice((_GAMES, _GAMES, _GAMES, 1, 0, _GAMES + 2))
    numbers = [rng.choice((DRAW, SKIP, rng.randrange(ACTIONS), rng.choice((-3, 127, 128, 10**6)))) for _ in range(size)]
    array = np.array(numbers, np.int64)
    dtype = rng.choice(("i8", "i8", "i8", "i4", "i1", "u8", "f8", "?", "O", "U3", ">i8", "c16"))
    if dtype != "i8":
        array = array.astype(dtype)
    shapes: tuple[Callable[[], Any], ...] = (
        *[lambda: array] * 5,
        lambda: array[::-1],
        lambda: array[:, None],
        lambda: np.repeat(array, 2)[::2],
        lambda: _frozen(array),
        lambda: array.tolist(),
        lambda: np.ma.array(array),
        lambda: odd_value(rng),
    )
    return rng.choice(shapes)()


def _frozen(array: np.ndarray) -> np.ndarray:
    """Return an array that cannot be written to."""
    array = array.copy()
    array.flags.writeable = False
    return array


def _options(rng: Random) -> Any:
    """Return arguments of a reset: a seed and options."""
    seed = rng.choice((None, 0, 5, -1, 2**64, [1, 2, 3], [1, None, 2], odd_value(rng)))
    options: Any = rng.choice(
        (
            None,
            {},
            {"collectors": rng.choice(("AAAAAA", "random", "x", odd_value(rng)))},
            {"leader": rng.choice((0, 1, 9, "random", odd_value(rng)))},
            {"reset_mask": rng.choice((np.array([True, False, True]), np.zeros(3, bool), [True] * 3, odd_value(rng)))},
            {"color": 1},
            odd_value(rng),
        )
    )
    return {"seed": seed, "options": options}


_METHODS: dict[str, dict[str, Callable[[Random], Any]]] = {
    "Game": {"play": _index, "observation": _index, "resample": _index, "dice": odd_value},
    "Batch": {"step": _array, "restart": _array, "reset": _index, "view": _array, "into": odd_value},
    "raw_env": {
        "step": _index,
        "reset": _options,
        "observe": lambda rng: odd_value(rng),
        "ask": lambda rng: odd_value(rng),
    },
    "env": {"step": _index},
    "SeatEnv": {"step": _index, "reset": _options},
    "SeatVectorEnv": {"step": _array, "reset": _options},
}


def _move(rng: Random, _: None) -> Move:
    """Return something to be played."""
    face = rng.choice(sorted(_METHODS))
    method = rng.choice(sorted(_METHODS[face]))
    return Move(face, rng.randint(1, 4), rng.choice((0, 0, 1, 3, 10)), method, _METHODS[face][method](rng))


# -- giving it --------------------------------------------------------------------------------------------------------


class Played(NamedTuple):
    """An interface of the game, and its input."""

    move: Move
    face: Any


def _play(move: Move) -> Played:
    """Give an input to an interface of the game. Refused inputs must not change anything."""
    face = _FACES[move.face](move)
    before = _state(face)
    try:
        _GIVE[move.face](face, move)
    except (CryptError, AssertionError):
        require(_state(face) == before, "a refusal has changed the game")
        _use(Played(move, face))
        raise
    return Played(move, face)


def _state(face: Any) -> bytes:
    """Return the games of an interface as bytes."""
    if isinstance(face, Game):
        return face.state.tobytes()
    batch = face if isinstance(face, Batch) else _batch_of(face)
    return bytes(batch.states.tobytes())


def _batch_of(face: Any) -> Batch:
    """Return the batch behind an environment."""
    inner = face.unwrapped
    return inner._batch if hasattr(inner, "_batch") else inner._games.batch


def _new_game(move: Move) -> Game:
    """Return a game in the middle."""
    game = Game(move.players, "random", seed=5)
    for _ in range(move.decisions):
        game.play(game.random_action())
    return game


def _give_game(game: Game, move: Move) -> None:
    """Give something to a game."""
    if move.method == "play":
        game.play(move.given)
    elif move.method == "observation":
        game.observation(move.given)
    elif move.method == "resample":
        game.resample(0, seed=move.given)
    else:
        game.play_with_dice(game.legal()[0], move.given if isinstance(move.given, list) else [move.given])


def _new_batch(move: Move) -> Batch:
    """Return games in the middle, in a few cases before the first deal."""
    batch = Batch(_GAMES, move.players, seed=5)
    if move.decisions:
        batch.reset()
    for _ in range(move.decisions):
        batch.step_random()
    return batch


def _give_batch(batch: Batch, move: Move) -> None:
    """Give something to a batch."""
    if move.method == "into":
        batch.step_random(into=move.given)
    elif move.method == "view":
        arrays = batch.arrays
        batch.view(move.given, np.zeros(getattr(move.given, "size", 1), np.int8), arrays.observations, arrays.masks)
    else:
        getattr(batch, move.method)(move.given)


def _new_aec(move: Move, make: Callable[..., Any] = crypt_v0.raw_env) -> Any:
    """Return a PettingZoo environment in the middle of a game."""
    env = make(players=move.players)
    env.reset(seed=5)
    for _ in range(move.decisions):
        env.step(_first_legal(env.observe(env.agent_selection)["action_mask"]))
    return env


def _give_env(env: Any, move: Move) -> None:
    """Give something to an environment."""
    if move.method == "reset" and isinstance(move.given, dict):
        env.reset(**move.given)
    elif move.method == "ask":
        text = move.given if isinstance(move.given, str) else ""  # a function may do anything
        env.ask(f"x{text}")  # no module of that name is there to be imported
    else:
        getattr(env, move.method)(move.given)


def _new_seat(move: Move) -> SeatEnv:
    """Return a Gymnasium environment in the middle of a game."""
    env = SeatEnv(move.players, illegal=("end", "raise")[move.decisions % 2])
    env.reset(seed=5)
    for _ in range(move.decisions):
        if not env.action_masks().any():
            break
        env.step(np.int64(_first_legal(env.action_masks())))
    return env


def _new_vector(move: Move) -> SeatVectorEnv:
    """Return a vector environment in the middle of its games."""
    modes = ("SameStep", "NextStep", "Disabled")
    envs = SeatVectorEnv(
        _GAMES, move.players, illegal=("end", "raise")[move.decisions % 2], autoreset_mode=modes[move.players % 3]
    )
    envs.reset(seed=5)
    for _ in range(move.decisions):
        masks = envs.action_masks()
        if not masks.any(axis=1).all():
            break
        envs.step(masks.argmax(axis=1))
    return envs


def _first_legal(mask: np.ndarray) -> int:
    """Return the first action that a mask allows."""
    return int(np.flatnonzero(mask)[0])


_FACES: dict[str, Callable[[Move], Any]] = {
    "Game": _new_game,
    "Batch": _new_batch,
    "raw_env": _new_aec,
    "env": lambda move: _new_aec(move, crypt_v0.env),
    "SeatEnv": _new_seat,
    "SeatVectorEnv": _new_vector,
}
_GIVE: dict[str, Callable[[Any, Move], None]] = {
    "Game": _give_game,
    "Batch": _give_batch,
    "raw_env": _give_env,
    "env": _give_env,
    "SeatEnv": _give_env,
    "SeatVectorEnv": _give_env,
}


# -- continuing -------------------------------------------------------------------------------------------------------


def _use(played: Played) -> None:
    """Demand that an interface of the game can be played on after any input."""
    face = played.face
    if isinstance(face, Game):
        comes_back(face)
        play_on(face, Random(3))
    elif isinstance(face, Batch):
        face.reset()
        face.step_random()
    elif isinstance(face, gymnasium.Env | gymnasium.vector.VectorEnv):
        _, info = face.reset(seed=9)
        masks = np.atleast_2d(info["action_mask"])
        actions = masks.argmax(axis=1)
        face.step(actions if isinstance(face, SeatVectorEnv) else int(actions[0]))
    else:
        face.reset(seed=9)
        face.step(_first_legal(face.observe(face.agent_selection)["action_mask"]))


def _nothing() -> None:
    """Return no samples."""


TARGETS = (Target("moves", _nothing, _move, _play, _use, refusals=(AssertionError, KeyError), quick=400),)
