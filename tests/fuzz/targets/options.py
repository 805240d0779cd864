"""Options of everything that makes games: the engine's own constructors, and those of the environments."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import numpy as np

from crypt_env import Batch, Game, crypt_v0, random_game
from crypt_env.agents import make_agent
from crypt_env.envs.single import SeatEnv
from crypt_env.envs.vector import SeatVectorEnv
from crypt_env.notation.record import to_record
from crypt_env.rules.cards import card_text, deck_of
from crypt_env.rules.state import REWARD_NAMES
from fuzz.mutate import damaged_json, damaged_text, odd_value
from fuzz.play_on import comes_back, play_on
from fuzz.target import Target, require

_PLENTY = 100
"""More games than that are not an invalid option; they only need more memory than there is."""

Values = Callable[[Random], Any]


class Call(NamedTuple):
    """A constructor and what it is given."""

    name: str
    arguments: dict[str, Any]


# -- values that are right, and those that are nearly so --------------------------------------------------------------


def _players(rng: Random) -> Any:
    """Return a number of players, or one for each of some games."""
    return rng.choice((1, 2, 3, 4, np.int64(2), [2, 3], np.array([1, 2, 3]), (4,)))


def _collectors(rng: Random) -> Any:
    """Return a choice of tables."""
    text = rng.choice(("AABBAB", "A", "B", "random", "bbbbbb"))
    return text if rng.random() < 0.7 else damaged_text(rng, text)


def _deck(rng: Random) -> Any:
    """Return a deck, mostly one that is not quite right."""
    deck = [card_text(card) for card in deck_of(rng.randint(1, 4))]
    rng.shuffle(deck)
    return deck if rng.random() < 0.4 else damaged_json(rng, deck)


def _opponents(rng: Random) -> Any:
    """Return who plays the other seats."""
    names = ["random", "greedy", "ghost", "search:1", "net:none", "", "sb3:x", "a.b:c"]
    weight: Any = rng.choice((1, 0, -1, 0.5, float("nan"), float("inf"), 1e308, "1", None, True))
    lists = [rng.choice(names) for _ in range(rng.randint(0, 4))]
    return rng.choice((rng.choice(names), lists, dict.fromkeys(lists, weight), make_agent("random"), {}))


_COUNTS: Values = lambda rng: rng.randint(1, 4)  # noqa: E731
_TABLE: dict[str, Values] = {
    "players": _players,
    "collectors": _collectors,
    "leader": lambda rng: rng.choice((0, 1, 2, 3, "random", -1, 4)),
}
_PAYMENT: dict[str, Values] = {
    "reward": lambda rng: rng.choice((*REWARD_NAMES, "Win", "")),
    "dense": lambda rng: rng.choice((True, False, np.True_, 0, 1, "false")),
}
_SEED: dict[str, Values] = {"seed": lambda rng: rng.choice((0, 7, 2**64 - 1, 2**64, -1, None, np.uint64(5), 1.0))}
_INDEX: Values = lambda rng: rng.choice((0, 1, 2**32 - 1, 2**32, -1, 2**32 - 4))  # noqa: E731
_SEAT: dict[str, Values] = {
    "seat": lambda rng: rng.choice((0, 1, 2, 3, 4, -1, "random", "0")),
    "opponents": _opponents,
    "illegal": lambda rng: rng.choice(("end", "raise", "End", None)),
    "render_mode": lambda rng: rng.choice((None, "ansi", "human", "rgb_array", "none")),
    "index": _INDEX,
}
_OPTIONS: dict[str, dict[str, Values]] = {
    "Game": {**_TABLE, **_SEED, "deck": _deck, "index": _INDEX},
    "Batch": {
        "games": _COUNTS,
        **_TABLE,
        **_SEED,
        **_PAYMENT,
        "restarts": _PAYMENT["dense"],
        "threads": lambda rng: rng.choice((1, 1, 2, 0, -1)),
        "first_index": _INDEX,
    },
    "random_game": {"players": _players, "collectors": _collectors, **_SEED, "index": _INDEX},
    "raw_env": {**_TABLE, **_PAYMENT, "render_mode": lambda rng: rng.choice((None, "ansi", "svg"))},
}
_SEATED: dict[str, dict[str, Values]] = {
    "SeatEnv": {**_TABLE, **_PAYMENT, **_SEAT},
    "SeatVectorEnv": {
        "num_envs": _COUNTS,
        **_TABLE,
        **_PAYMENT,
        **_SEAT,
        "autoreset_mode": lambda rng: rng.choice(("SameStep", "NextStep", "Disabled", "next", None)),
    },
}


def _is_plenty(value: Any) -> bool:
    """Return whether a value is a number of games that would only cost memory."""
    return isinstance(value, (int, np.integer)) and _PLENTY < value < 2**40


def _call(rng: Random, makers: dict[str, dict[str, Values]]) -> Call:
    """Return a call with a few options, most of them possible, some of them not at all."""
    name = rng.choice(sorted(makers))
    options = makers[name]
    arguments: dict[str, Any] = {"games": 2} if "games" in options else {}
    if name == "random_game":
        arguments["players"] = 2
    for option in rng.sample(sorted(options), rng.randint(1, min(4, len(options)))):
        value = options[option](rng) if rng.random() < 0.75 else odd_value(rng)
        if option in ("games", "num_envs", "threads") and _is_plenty(value):
            value = _PLENTY + 1
        arguments[option] = value
    return Call(name, arguments)


# -- the engine -------------------------------------------------------------------------------------------------------


class _Made(NamedTuple):
    """What a call has made."""

    call: Call
    made: Any


def _make(call: Call) -> _Made:
    """Make a call."""
    makers: dict[str, Callable[..., Any]] = {
        "Game": Game,
        "Batch": Batch,
        "random_game": random_game,
        "raw_env": crypt_v0.raw_env,
        "SeatEnv": SeatEnv,
        "SeatVectorEnv": SeatVectorEnv,
    }
    return _Made(call, makers[call.name](**call.arguments))


def _use_made(made: _Made) -> None:
    """Play with what was made."""
    rng = Random(7)
    if isinstance(made.made, Game):
        comes_back(made.made)
        require(to_record(made.made)["players"] == made.made.players, "the record has another number of players")
        play_on(made.made, rng)
    elif isinstance(made.made, Batch):
        arrays = made.made.reset()
        require((arrays.movers >= 0).all(), "no seat is asked in a new game")
        for _ in range(3):
            made.made.step_random()
    else:
        made.made.reset(seed=1)
        agent = made.made.agent_selection
        made.made.step(int(np.flatnonzero(made.made.observe(agent)["action_mask"])[0]))


# -- seats ------------------------------------------------------------------------------------------------------------


def _use_seats(made: _Made) -> None:
    """Play some steps with legal actions."""
    env = made.made
    if made.call.arguments.get("render_mode") == "human":
        return
    if made.call.arguments.get("opponents") is len:  # a function can be an agent; what this one raises is its own
        return
    _, info = env.reset(seed=3)
    for _ in range(3):
        masks = np.atleast_2d(info["action_mask"])
        if not masks.any(axis=1).all():
            return
        actions = masks.argmax(axis=1)
        _, rewards, _, _, info = env.step(actions if made.call.name == "SeatVectorEnv" else int(actions[0]))
        require(np.isfinite(rewards).all(), "a reward is not a number")


def _nothing() -> None:
    """Return no samples. All that is compiled when it is first needed is compiled now."""
    for opponent in ("random", "greedy", "ghost", "search:1"):
        SeatEnv(2, opponent).reset(seed=1)


TARGETS = (
    Target("options", _nothing, lambda rng, _: _call(rng, _OPTIONS), _make, _use_made, quick=400),
    Target("seats", _nothing, lambda rng, _: _call(rng, _SEATED), _make, _use_seats, quick=200),
)
