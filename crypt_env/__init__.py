"""Crypt: a board game of dice, bluff and hidden cards for one to four players, as an environment for research."""

from .batch import Batch
from .envs.registration import register_all
from .errors import CryptError, IllegalActionError, PositionError, RecordError
from .game import Game
from .notation.actions import action_text, decode_action, parse_action
from .notation.record import random_game, replay, to_record
from .notation.view import FEATURES, View, describe
from .outcome import Outcome, Reason, Sheet
from .rules.actions import ACTIONS, DRAW, SKIP
from .rules.arrays import Arrays, new_arrays
from .states import check_states

__all__ = [
    "ACTIONS",
    "DRAW",
    "FEATURES",
    "SKIP",
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
    "check_states",
    "decode_action",
    "describe",
    "new_arrays",
    "parse_action",
    "random_game",
    "replay",
    "to_record",
]


register_all()


def __getattr__(name: str) -> str:
    """Look the version up when it is asked for: that takes longer than importing the rules."""
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("crypt-env")
        except PackageNotFoundError:  # a source tree that was never installed
            return "0+unknown"
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
