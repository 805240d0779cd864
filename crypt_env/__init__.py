"""Crypt: a board game of dice, bluff and hidden cards for one to four players, as an environment for research.

Importing the package registers the environments with Gymnasium. Everything else is loaded on first use, so that a
program, such as one command of ``crypt``, loads only what it needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING

import gymnasium

if TYPE_CHECKING:
    from .batch import Batch
    from .errors import CryptError, IllegalActionError, PositionError, RecordError
    from .game import Game
    from .notation.actions import action_text, decode_action, parse_action
    from .notation.outcome import Outcome, Reason, Sheet
    from .notation.record import random_game, replay, to_record
    from .notation.view import View, describe
    from .rules.actions import ACTIONS, DRAW, SKIP
    from .rules.batch import Arrays, new_arrays
    from .rules.observe import FEATURES, LAYOUT
    from .rules.state import GAME
    from .states import check_states

_HOMES = {
    "batch": ("Batch",),
    "errors": ("CryptError", "IllegalActionError", "PositionError", "RecordError"),
    "game": ("Game",),
    "notation.actions": ("action_text", "decode_action", "parse_action"),
    "notation.outcome": ("Outcome", "Reason", "Sheet"),
    "notation.record": ("random_game", "replay", "to_record"),
    "notation.view": ("View", "describe"),
    "rules.actions": ("ACTIONS", "DRAW", "SKIP"),
    "rules.batch": ("Arrays", "new_arrays"),
    "rules.observe": ("FEATURES", "LAYOUT"),
    "rules.state": ("GAME",),
    "states": ("check_states",),
}
"""The module of each public name; a test compares it with the imports for type checkers above."""
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "ACTIONS",
    "DRAW",
    "FEATURES",
    "GAME",
    "LAYOUT",
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

ENVIRONMENTS = {
    "crypt_env/OnlyChild-v0": ("OnlyChildEnv", "OnlyChildVectorEnv"),
    "crypt_env/Crypt-v0": ("SeatEnv", "SeatVectorEnv"),
}
"""The Gymnasium ids, one player against the Ghost and one seat at any table, with the classes for one game
(`gymnasium.make`) and for many (`gymnasium.make_vec`)."""


def _register_environments() -> None:
    """Register the ids with Gymnasium, unless they already are."""
    for name, (alone, together) in ENVIRONMENTS.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point=f"crypt_env.envs.single:{alone}",
                vector_entry_point=f"crypt_env.envs.vector:{together}",
            )


_register_environments()


def _version() -> str:
    """Return the version of the installed package."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("crypt-env")
    except PackageNotFoundError:  # a source tree that was never installed
        return "0+unknown"


def __getattr__(name: str) -> object:
    """Load a public name on first use; also the version, which takes longer to find than the rules to import."""
    if name == "__version__":
        value: object = _version()
    elif name in _HOME:
        value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return all names, including those not loaded yet."""
    return sorted({*globals(), *__all__})
