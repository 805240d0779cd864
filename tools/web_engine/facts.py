"""What JavaScript needs to know about the engine, from the Python source: the content of `engine.json`."""

from __future__ import annotations

import ast
import hashlib
import inspect
import platform
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np

from crypt_env import action_text
from crypt_env.agents import playouts, search, thinking, tree
from crypt_env.agents.network_file import FORMAT, KEY
from crypt_env.rules import actions, batch, cards, observe, score, state

from . import module
from .entries import ENTRIES
from .linking import linker_version

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


def all_facts() -> dict[str, Any]:
    """Return all facts."""
    numbers = {name: int(getattr(source, name)) for source, names in _NUMBERS.items() for name in names.split()}
    return {
        "source": source_digest(),
        "built_with": versions(),
        "entries": {entry.name: [_argument(*each) for each in entry.arguments.items()] for entry in ENTRIES},
        "records": {name: _record(dtype) for name, dtype in _RECORDS.items()},
        "numbers": {**numbers, "FAILED": module.FAILED},
        "phases": {name: int(getattr(state, name)) for name in _PHASES},
        "layout": [part._asdict() for part in observe.LAYOUT],
        "actions": [action_text(action) for action in range(actions.ACTIONS)],
        "cards": list(cards.CARD_TEXTS),
        "kinds": list(cards.KIND_NAMES),
        "decks": [cards.deck_of(players) for players in range(1, cards.MAX_PLAYERS + 1)],
        "sheet_lines": list(score.SHEET_LINES),
        "rewards": list(state.REWARD_NAMES),
        "policies": {name: int(number) for name, number in playouts.POLICIES.items()},
        "searches": {"search": search.SearchAgent.default, "ismcts": search.TreeSearchAgent.default},
        "network": {"key": KEY, "format": FORMAT},
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
    """Return the files that the engine is compiled from: all rules, and the entries with the files they import."""
    rules = Path(state.__file__).parent.glob("*.py")
    found = {*rules, Path(module.__file__)}
    waiting = {Path(inspect.getsourcefile(entry.function) or "") for entry in ENTRIES}
    while waiting:
        path = waiting.pop()
        found.add(path)
        waiting |= _imported(path) - found
    return sorted(found, key=lambda path: (path.parent.name, path.name))


def _imported(path: Path) -> set[Path]:
    """Return the files that a file imports from its own folder."""
    nodes = ast.walk(ast.parse(path.read_bytes()))
    names = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module}
    return {path.with_name(f"{name}.py") for name in names}


def _argument(name: str, sample: Any) -> dict[str, Any]:
    """Describe an argument; an array by its type and its shape, whose first axis may have any length."""
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
