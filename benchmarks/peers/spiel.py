"""OpenSpiel's games from Python, each decision with its observation as a tensor."""

from __future__ import annotations

import random
from collections.abc import Callable

import open_spiel.python.games  # noqa: F401 - registers the games that are written in Python
import pyspiel
from loop import Play, main

CPP = ("leduc_poker", "oh_hell", "hearts", "gin_rummy", "backgammon")
PYTHON = ("python_kuhn_poker", "python_liars_poker")


def game(name: str) -> Callable[[], Play]:
    """Return what makes the loop of a game."""

    def make() -> Play:
        spiel = pyspiel.load_game(name)
        has_observation = spiel.get_type().provides_observation_tensor

        def play() -> int:
            state, decisions = spiel.new_initial_state(), 0
            while not state.is_terminal():
                if state.is_chance_node():
                    outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(random.choices(outcomes, chances)[0])
                    continue
                if has_observation:
                    state.observation_tensor()
                else:
                    state.information_state_tensor()
                state.apply_action(random.choice(state.legal_actions()))
                decisions += 1
            return decisions

        return play

    return make


main({f"C++, {name}": game(name) for name in CPP} | {f"Python, {name}": game(name) for name in PYTHON}, ("open_spiel",))
