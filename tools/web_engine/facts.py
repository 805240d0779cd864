"""What JavaScript has to know of the engine, read off the Python source: the content of `engine.json`."""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
import platform
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np

import crypt_env.agents
import crypt_env.rules
from crypt_env.agents import network_file, playouts, search, thinking, tree
from crypt_env.notation.actions import ACTION_TEXTS
from crypt_env.rules import actions, batch, cards, observe, score, state

from .entries import Entry
from .linking import linker_version
from .module import FAILED

_COMPILED = ("base", "ghost", "greedy", "playouts", "sight", "tables", "thinking", "tree", "tuned", "tuned_weights")
"""The modules of `crypt_env.agents` that the engine is made of, with all of `crypt_env.rules`."""

_RECORDS = {"GAME": state.GAME, "TREE": tree.TREE, "NODE": tree.NODE}
_PHASES = (
    *("BEFORE_CLAIM", "CLAIM", "AFTER_CLAIM", "COLLECT", "ANSWER"),
    *("GHOST_ROLL", "COLLECT_ROLL", "REROLL_ROLL", "TIEBREAK_ROLL", "OVER", "NEW"),
)
_NUMBERS: dict[Any, str] = {
    actions: "ACTIONS DRAW SKIP EFFORTS",
    batch: "MISFIT BUSY",
    cards: "KINDS MAX_PLAYERS MAX_SLOTS MAX_DECK",
    observe: "FEATURES LAYOUT_VERSION",
    state: "NONE STAYS",
    playouts: "TABLE_ROWS PLAYED",
    search: "FLAT_NODES MOST_NODES NODES_A_LEAF MOST_EVALUATED MOST_AMOUNT",
    thinking: "HALVING GROWING DESCENT",
    tree: "NOTHING VALUE_AND_PRIORS",
}


def facts_of(entries: list[Entry]) -> dict[str, Any]:
    """Return all facts."""
    numbers = {name: int(getattr(room, name)) for room, names in _NUMBERS.items() for name in names.split()}
    return {
        "source": source_digest(),
        "built_with": versions(),
        "entries": {entry.name: _arguments(entry) for entry in entries},
        "records": {name: _record(dtype) for name, dtype in _RECORDS.items()},
        "numbers": {**numbers, "FAILED": FAILED},
        "phases": {name: int(getattr(state, name)) for name in _PHASES},
        "layout": [part._asdict() for part in observe.LAYOUT],
        "actions": list(ACTION_TEXTS),
        "cards": list(cards.CARD_TEXTS),
        "kinds": list(cards.KIND_NAMES),
        "decks": [cards.deck_of(players) for players in range(1, cards.MAX_PLAYERS + 1)],
        "sheet_lines": list(score.SHEET_LINES),
        "rewards": list(state.REWARD_NAMES),
        "policies": {name: int(number) for name, number in playouts.POLICIES.items()},
        "searches": {"search": search.SearchAgent.default, "ismcts": search.TreeSearchAgent.default},
        "network": {"key": network_file.KEY, "format": network_file.FORMAT},
    }


def versions() -> dict[str, str]:
    """Return the versions on which the bytes of the module depend."""
    return {
        "python": ".".join(platform.python_version_tuple()[:2]),
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "linker": linker_version(),
    }


def source_digest() -> str:
    """Return a digest of the source that the engine is compiled from."""
    digest = hashlib.sha256()
    for path in _sources():
        digest.update(f"{path.parent.name}/{path.name}\n".encode())
        digest.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()


def _sources() -> list[Path]:
    """Return the files that the engine is compiled from."""
    rules = [f"crypt_env.rules.{module.name}" for module in pkgutil.iter_modules(crypt_env.rules.__path__)]
    names = sorted(rules) + [f"crypt_env.agents.{name}" for name in _COMPILED]
    return [Path(str(importlib.import_module(name).__file__)) for name in names]


def _arguments(entry: Entry) -> list[dict[str, Any]]:
    """Return the arguments of an entry: of an array its type and its shape, whose first axis may have any length."""
    return [_argument(name, sample) for name, sample in entry.arguments.items()]


def _argument(name: str, sample: Any) -> dict[str, Any]:
    """Describe an argument."""
    if not isinstance(sample, np.ndarray):
        return {"name": name}
    records = [record for record, dtype in _RECORDS.items() if sample.dtype == dtype]
    return {"name": name, "type": records[0] if records else sample.dtype.name, "shape": [None, *sample.shape[1:]]}


def _record(dtype: np.dtype[Any]) -> dict[str, Any]:
    """Describe a record: its size in bytes and where its fields are."""
    fields = {}
    for name in dtype.names or ():
        field, offset = dtype.fields[name][:2]  # type: ignore[index]
        fields[name] = {"offset": offset, "type": field.base.name, "shape": list(field.shape)}
    return {"size": dtype.itemsize, "fields": fields}
