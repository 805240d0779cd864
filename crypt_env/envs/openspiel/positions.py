"""Small positions as games of their own: ``crypt_endgame(position=bluff)``.

| parameter | default | meaning |
|---|---|---|
| `position` | `last_turn` | a name below, or any position of a duel as `position_parameter` writes it |
| `open_deck` | true | whether everybody knows the rest of the deck; otherwise chance draws it |
| `reward` | `margin` | what a game pays: `win`, `margin` or `coins` |

Chance first deals the values that not both players know, then the game goes on by the rules. Small ones can be solved
exactly.
"""

from __future__ import annotations

from typing import Any

import pyspiel

from crypt_env.errors import CryptError, quoted
from crypt_env.game import Game
from crypt_env.rules.cards import ROUNDS
from crypt_env.table import flag, reward_rule

from .game import TableGame, game_type, utility_of
from .point import deal_hidden

NAME, LONG_NAME = "crypt_endgame", "Crypt, from a position on"
DEFAULTS: dict[str, Any] = {"position": "last_turn", "open_deck": True, "reward": "margin"}
GAME_TYPE = game_type(NAME, LONG_NAME, DEFAULTS, 2, utility_of(2, "margin"))
_PLAYERS = 2

POSITIONS: dict[str, str] = {}
"""Positions by name."""

_ESCAPED = str.maketrans({" ": "_", "=": "~", ",": "!"})
_BACK = str.maketrans({"_": " ", "~": "=", "!": ","})


def position_parameter(position: str) -> str:
    """Return a position, as `Game.text` writes it, as a parameter: OpenSpiel allows no blank, comma or equals sign."""
    return position.translate(_ESCAPED)


def _game_of(parameter: str) -> Game:
    """Return the game that a parameter describes.

    Raises:
        CryptError: there is no such position, it is not of a duel, or it is over.
    """
    if parameter in POSITIONS:
        return Game.from_text(POSITIONS[parameter])
    if not isinstance(parameter, str) or not parameter.startswith("crypt1"):
        raise CryptError(
            f"position={quoted(parameter)} is not known; allowed are {', '.join(POSITIONS)}, "
            "and what position_parameter makes of a position"
        )
    game = Game.from_text(parameter.translate(_BACK))
    if game.players != _PLAYERS or game.is_over:
        raise CryptError(
            f"position={quoted(parameter)} cannot be played here; it must be one of a duel that is not over"
        )
    return game


class EndgameGame(TableGame):
    """A duel from a position on."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        """Make the game with these parameters; those that are missing have their defaults."""
        given = {**DEFAULTS, **(params or {})}
        game = _game_of(given["position"])
        row = game.state
        row["reward_rule"] = reward_rule(given["reward"])
        first = deal_hidden(row, flag("open_deck", given["open_deck"]))
        kind = game_type(NAME, LONG_NAME, DEFAULTS, _PLAYERS, utility_of(_PLAYERS, given["reward"]))
        super().__init__(kind, first, given["reward"], int(ROUNDS[_PLAYERS]) - game.round + 1, params or {})


pyspiel.register_game(GAME_TYPE, EndgameGame)
