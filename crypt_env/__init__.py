"""Crypt: a board game of dice, bluff and hidden cards for one to four players, as an environment for research."""

from importlib.metadata import PackageNotFoundError, version

from .batch import Batch
from .errors import CryptError, IllegalActionError, PositionError, RecordError
from .game import Game, Outcome, Reason, Sheet
from .observation import FEATURES, View, describe
from .record import random_game, replay, to_record
from .rules.actions import ACTIONS, DRAW, action_text, parse_action
from .rules.arrays import Arrays, new_arrays

try:
    __version__ = version("crypt-env")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+unknown"

__all__ = [
    "ACTIONS",
    "DRAW",
    "FEATURES",
    "Arrays",
    "Batch",
    "CryptError",
    "Game",
    "IllegalActionError",
    "Outcome",
    "PositionError",
    "Reason",
    "RecordError",
    "Sheet",
    "View",
    "action_text",
    "describe",
    "new_arrays",
    "parse_action",
    "random_game",
    "replay",
    "to_record",
]
