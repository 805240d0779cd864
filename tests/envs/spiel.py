"""Games of OpenSpiel, played at random, for its tests."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pyspiel

import crypt_env.envs.openspiel  # noqa: F401, registers the games
from crypt_env.envs.openspiel import POSITIONS

TABLES = [
    "crypt(players=1)",
    "crypt",
    "crypt(players=2,collectors=AABBAB,leader=0,reward=margin)",
    "crypt(players=3,collectors=BBBBBB,reward=coins)",
    "crypt(players=3,reward=margin)",
    "crypt(players=4,collectors=ABABAB)",
]
ENDGAMES = [f"crypt_endgame(position={name})" for name in POSITIONS]
HIDDEN_DECK = "crypt_endgame(position=two_rounds,open_deck=False)"


def walk(game: Any, random: Random) -> Iterator[Any]:
    """Yield the states of a game that is played at random, each a clone."""
    state = game.new_initial_state()
    while True:
        yield state.clone()
        if state.is_terminal():
            return
        state.apply_action(random.choice(state.legal_actions()))


def tree(state: Any) -> Iterator[Any]:
    """Yield a state and all that can follow from it."""
    yield state
    if not state.is_terminal():
        for action in state.legal_actions():
            yield from tree(state.child(action))


def load(text: str) -> Any:
    """Return a game by its name and parameters."""
    return pyspiel.load_game(text)
