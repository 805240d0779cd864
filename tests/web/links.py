"""Links to games in which a certain action is legal."""

from __future__ import annotations

import random

import numpy as np

from crypt_env import Game, to_record
from crypt_env.notation.actions import parse_action

TABLE = "AABBAA"
"""All cards can be flipped for something."""


def link_to(wanted: str) -> str:
    """Return what stands after the # of a link to a game of two in which seat 0 may choose an action."""
    for seed in range(1, 1000):
        game, chance = Game(2, TABLE, leader=0, seed=seed), random.Random(seed)
        while not game.is_over:
            if game.to_move == 0 and wanted in game.legal():
                return _link(game, seed)
            game.play(chance.choice(game.legal()))
    raise AssertionError(f"{wanted} was never legal")


def _link(game: Game, seed: int) -> str:
    acts = [parse_action(event[2]) for event in to_record(game)["events"] if event[0] == "act"]
    texts = [np.base_repr(action, 36).lower() for action in acts]
    return f"#seed={seed}&players=2&table={TABLE}&leader=0&seats=you.greedy&actions={'.'.join(texts)}"
