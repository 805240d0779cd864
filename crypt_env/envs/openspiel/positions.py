"""Small positions as games of their own: ``crypt_endgame(position=bluff)``.

| parameter | default | meaning |
|---|---|---|
| `position` | `last_turn` | a name below, or any position of a duel as `position_parameter` writes it |
| `open_deck` | true | whether everybody knows the rest of the deck; otherwise chance draws it |
| `reward` | `margin` | what a game pays: `win`, `margin` or `coins` |

Chance first deals the values that not both players know; then the game goes on by the rules. Small positions can be
solved exactly.
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

POSITIONS: dict[str, str] = {
    # The Leader holds two cards and knows the face-down third; the other seat, which does not, goes first.
    "last_turn": (
        "crypt1 players=2 collectors=AABAAA deck=I1M2I2J1P2I3J3J4I4M1P3M3R1R3M4R4T1T2T3T4P4R2J2P1 "
        "round=8 leader=0 phase=claim turn=1 crypt=0:1x6,0:1x6,. downs=x,x,x,x,x,x,x,c+0 dice=1/0,1/2 "
        "public=M2,- flipped=M1,- decisions=20"
    ),
    # The other seat may look at the face-down card before it claims.
    "peek": (
        "crypt1 players=2 collectors=AABAAA deck=P2T1T2T3R1M4R2I4I1M2J4P3P4R4I3I2M3J2J1R3P1J3T4M1 "
        "round=8 leader=1 phase=claim turn=1 crypt=1:1x5,.,. downs=x,0+0,f+0,x,f+0,1+01,1+1,c dice=0/3,0/2 "
        "public=I1I3I4M2M3R3T1T3,I2J4P2R1R2R4 flipped=I3M1,- decisions=34"
    ),
    # The last Claim turn, with Idols that re-roll a failed die.
    "rerolls": (
        "crypt1 players=2 collectors=AABABA deck=T1M2I4M4P3P2J3R3I1R2P1M3M1T4J2T3R1P4J4R4I2I3T2J1 "
        "round=8 leader=1 phase=claim turn=2 crypt=.,0:1x3,. downs=f+0,0+01,f+0,f+1,0+0,0+01,0+0,c dice=2/0,3/0 "
        "public=I1I4J3P1,M2M3P3R2R4T1T3T4 flipped=I2,M2 decisions=25"
    ),
    # Most of a last round: three cards, and dice that push each other out.
    "last_round": (
        "crypt1 players=2 collectors=ABBBBB deck=J3T3P4J4T2M4R2I4T4I3M2P2I2J2M1M3T1I1P3R3R1J1R4P1 "
        "round=8 leader=1 phase=claim turn=1 crypt=1:1x5,.,. downs=1+1,f+1,x,0+01,f+0,0+01,1+01,c dice=2/1,0/2 "
        "public=I4J3M1P3T2,M2M4R2T1T3 flipped=I1M1,M2 decisions=25"
    ),
    # From the re-rolls of the last round but one; everybody knows the last three cards.
    "two_rounds": (
        "crypt1 players=2 collectors=ABBBBB deck=P2I3T3J3T2I2R1P4T1R2T4M2R4J1M4I4M3P1M1P3J4R3I1J2 "
        "round=7 leader=0 phase=collect turn=1 crypt=0:2x6,0:1x2,1:2x5 downs=1+1,x,x,f+0,x,x,1+01 dice=0/3,1/2 "
        "public=M1M2P2P3P4R2R4T2,I4J1J3T4 flipped=M1P2,- decisions=22"
    ),
}
"""Positions by name."""

_ESCAPED = str.maketrans({" ": "_", "=": "~", ",": "!"})
_BACK = str.maketrans({"_": " ", "~": "=", "!": ","})


def position_parameter(position: str) -> str:
    """Return a position, as `Game.text` writes it, as a parameter: OpenSpiel allows no space, comma or equals sign."""
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
