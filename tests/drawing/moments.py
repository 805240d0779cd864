"""Positions of all kinds, for drawing them."""

from __future__ import annotations

from functools import cache

import numpy as np

from crypt_env import Game
from crypt_env.drawing import Scene, scene_of_game
from crypt_env.drawing.shapes import Put, Shape, Sprite
from property.play import COUNTS, rich_positions

KINDS = ("deal", "before", "claim", "lights out", "after", "collect", "answer", "flip", "over")
LONGEST = 400
"""The number of games after which the search for a kind of position ends."""


def kind_of(game: Game) -> str:
    """Return what kind of position a game is in."""
    if game.is_over:
        return "over"
    state = game.state[0]
    if int(state["chosen"]) >= 0:
        return "flip"
    if not game.events:
        return "deal"
    scene = scene_of_game(game)
    return "lights out" if scene.is_lights_out else scene.phase


def can_be(players: int, kind: str) -> bool:
    """Return whether such a position can occur: the Ghost answers no take and asks for no flip."""
    return players > 1 or kind not in ("answer", "flip")


@cache
def moments(players: int) -> dict[str, bytes]:
    """Return one position of each kind, late in a game if possible, as the bytes of its state."""
    found: dict[str, bytes] = {}
    late: set[str] = set()
    for seed in range(1, LONGEST):
        for game in rich_positions(players, seed):
            kind = kind_of(game)
            if kind not in found or (kind not in late and game.round >= 5):
                found[kind] = game.state.tobytes()
                late |= {kind} if game.round >= 5 or kind == "deal" else set()
        if late >= {kind for kind in KINDS if can_be(players, kind)}:
            return found
    return found


def states_at(players: int, kind: str) -> np.ndarray:
    """Return the state of a position, an array of one row."""
    from crypt_env.rules.state import GAME

    return np.frombuffer(moments(players)[kind], GAME).copy()


def game_at(players: int, kind: str) -> Game:
    """Return a position as a game without a past."""
    return Game.from_state(states_at(players, kind))


def all_scenes(players: int, kind: str) -> list[Scene]:
    """Return the public scene and that of every seat."""
    game = game_at(players, kind)
    return [scene_of_game(game), *(scene_of_game(game, seat) for seat in range(players))]


CASES = [(players, kind) for players in COUNTS for kind in KINDS if can_be(players, kind)]
"""Every kind of position with every number of players."""


def flat(sprite: Sprite, x: float = 0, y: float = 0, scale: float = 1) -> list[tuple[Shape, float, float, float]]:
    """Return all shapes of a picture with the place and the scale of their box."""
    found: list[tuple[Shape, float, float, float]] = []
    for shape in sprite.shapes:
        if isinstance(shape, Put):
            found += flat(shape.sprite, x + shape.x * scale, y + shape.y * scale, scale * shape.scale)
        else:
            found.append((shape, x, y, scale))
    return found
