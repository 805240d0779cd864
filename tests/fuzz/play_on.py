"""What must be possible with a game from any source."""

from __future__ import annotations

from random import Random

import numpy as np

from crypt_env import Game

from .target import require

PLAYED = 4
"""The usual number of decisions to play on."""
WHOLE_GAME = 1000
_TO_THE_END = 50
"""One in this many games is played to its end."""


def play_on(game: Game, rng: Random, least: int = 2) -> None:
    """Look at a game from every seat, and play on for a while; sometimes to the end.

    Args:
        game: is played.
        rng: chooses.
        least: how many actions there must be at the first decision; at those that follow there are always two or more.
    """
    look(game, rng)
    for _ in range(WHOLE_GAME if rng.randrange(_TO_THE_END) == 0 else PLAYED):
        if game.is_over:
            break
        legal = game.legal()
        require(len(legal) >= least, f"{len(legal)} actions are legal where a seat is asked")
        game.play(rng.choice(legal))
        least = 2
    look(game, rng)


def look(game: Game, rng: Random) -> None:
    """Demand that everything can be asked that a game answers."""
    require(game.is_over == (game.to_move is None), "a seat is asked although the game is over, or none before")
    for seat in range(game.players):
        view = game.observation(seat)
        require((view >= 0).all(), f"seat {seat} sees numbers below 0")
    require(len(game.sheets()) == game.players, "not every player has a score sheet")
    if game.is_over:
        outcome = game.outcome()
        require(outcome is not None and outcome.winners, "a game is over without winners")
    else:
        seat = rng.randrange(game.players)
        twin = game.resample(seat, seed=rng.getrandbits(64))
        require(np.array_equal(twin.observation(seat), game.observation(seat)), "a re-deal changes what a seat sees")


def comes_back(game: Game) -> None:
    """Demand that a game's text is read as the same game."""
    text = game.text()
    again = Game.from_text(text)
    require(again == game and again.text() == text, "the text of a position is read as another position")
