"""RLCard's games."""

from __future__ import annotations

import random
from collections.abc import Callable

import rlcard
from loop import Play, main

GAMES = ("leduc-holdem", "gin-rummy", "uno")


def game(name: str) -> Callable[[], Play]:
    """Return what makes the loop of a game."""

    def make() -> Play:
        env = rlcard.make(name, config={"seed": 1})

        def play() -> int:
            state, _ = env.reset()
            decisions = 0
            while not env.is_over():
                state, _ = env.step(random.choice(list(state["legal_actions"])))
                decisions += 1
            return decisions

        return play

    return make


main({name: game(name) for name in GAMES}, ("rlcard",))
