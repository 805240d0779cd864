"""Carry a network over from observation layout 0 to the one of this package: ``carry_network.py OLD NEW``.

    python tools/carry_network.py OLD.safetensors NEW.safetensors [--no-new-inputs]

NEW plays as OLD does: each input is mapped to the new layout by the name of its part and its position in it, and each
action keeps its index. New inputs, for the new columns that can vary at its tables, have zero weights, so that
training can continue from NEW and learn to use them. All new actions are equally likely. OLD is one file, or the older
form of two, with the metadata in a file of the same name that ends in .json.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crypt_env import ACTIONS, CryptError
from crypt_env.agents.network import limits_of, save_network, whole_numbers
from crypt_env.agents.network_file import KEY, MAX_HEADER, Facts, Weights, parse_facts, read_tensors, reading
from crypt_env.agents.network_names import with_ending
from crypt_env.notation.view import thermometer, used_columns
from crypt_env.rules.cards import MAX_PLAYERS
from crypt_env.rules.observe import LAYOUT, LAYOUT_VERSION

OLD_LAYOUT = 0
OLD_ACTIONS = 123
OLD_PARTS: tuple[tuple[str, tuple[int, ...], int], ...] = (
    ("players", (4,), 1),
    ("sides", (6,), 1),
    ("rounds_left", (1,), 8),
    ("phase", (4,), 1),
    ("mover", (4,), 1),
    ("leader", (4,), 1),
    ("lights_out", (1,), 1),
    ("slots_passed", (1,), 5),
    ("ghost_pushed", (1,), 3),
    ("deck_types", (6,), 8),
    ("deck_top", (6,), 1),
    ("unseen", (24,), 2),
    ("slot_type", (6, 6), 1),
    ("slot_value", (6,), 4),
    ("slot_face_down", (6,), 1),
    ("slot_seen_by", (6, 3), 1),
    ("slot_holder", (6, 4), 1),
    ("slot_dice", (6,), 3),
    ("slot_effort", (6,), 6),
    ("ready", (4,), 3),
    ("exhausted", (4,), 3),
    ("idol_bonus", (4,), 5),
    ("idol_now", (1,), 1),
    ("unflipped", (4, 6), 8),
    ("cards", (4, 24), 2),
    ("unknown", (4, 6), 8),
    ("hidden_owner", (16, 4), 1),
    ("hidden_type", (16,), 6),
    ("hidden_value", (16,), 4),
    ("hidden_seen_by", (16, 3), 1),
)
"""Names, shapes and highest values of the parts of layout 0, in their order."""
OLD_FORMATS = ("crypt-network/1", "crypt-network/2")


def new_places() -> NDArray[np.int64]:
    """Return for each column of layout 0 the column of this package with the same meaning.

    Raises:
        CryptError: a part is missing, smaller, or has a different range.
    """
    parts = {part.name: part for part in LAYOUT}
    places = []
    for name, shape, high in OLD_PARTS:
        part = parts.get(name)
        is_there = part is not None and part.high == high and len(part.shape) == len(shape)
        if part is None or not is_there or not np.less_equal(shape, part.shape).all():
            raise CryptError(f"part {name!r} of observation layout {OLD_LAYOUT} is not in layout {LAYOUT_VERSION}")
        numbers = np.arange(part.start, part.stop).reshape(part.shape)
        places.append(numbers[tuple(slice(size) for size in shape)].ravel())
    return np.concatenate(places)


def read_old(path: Path) -> tuple[Weights, Facts]:
    """Return the weights and the facts of a network of layout 0, in one file or in two.

    Raises:
        CryptError: it cannot be read, or has another layout.
    """
    weights, metadata = read_tensors(path)
    with reading(path):
        facts = parse_facts(metadata[KEY] if KEY in metadata else _text_beside(path))
        if facts.get("format") not in OLD_FORMATS:
            raise ValueError(f"its format is {facts.get('format')!r}; allowed are {', '.join(OLD_FORMATS)}")
        found = facts["layout_version"], facts["actions"]
        if found != (OLD_LAYOUT, OLD_ACTIONS):
            raise ValueError(
                f"it is for observation layout {found[0]} and {found[1]} actions; "
                f"layout {OLD_LAYOUT} and {OLD_ACTIONS} actions are needed"
            )
    return weights, facts


def _text_beside(path: Path) -> str:
    """Return the facts of a network of two files."""
    beside = path.with_suffix(".json")
    if not beside.is_file():
        raise ValueError(f"it has no facts in it, and there is no {beside.name} beside it")
    with beside.open("rb") as file:
        content = file.read(MAX_HEADER + 1)
    if len(content) > MAX_HEADER:
        raise ValueError(f"{beside.name} beside it is longer than {MAX_HEADER} bytes")
    return content.decode()


def carry(weights: Weights, facts: Facts, has_new_inputs: bool = True) -> tuple[Weights, Facts]:
    """Return weights and facts of layout 0 as those of the layout of this package.

    Args:
        weights: of the network.
        facts: about it.
        has_new_inputs: whether to add inputs for the new columns, with zero weights.

    Raises:
        CryptError: they are not those of a network.
    """
    places = new_places()
    columns = places[whole_numbers(facts, "columns", 0, len(places) - 1)].tolist()
    above = limits_of(facts)
    carried = {**facts, "layout_version": LAYOUT_VERSION, "actions": ACTIONS, "columns": columns}
    if above is not None:
        carried["above"] = above.tolist()
    added = 0
    if has_new_inputs:
        inputs = _new_inputs(whole_numbers(facts, "players", 1, MAX_PLAYERS), set(places.tolist()), above is not None)
        added = len(inputs["columns"])
        carried |= {name: carried[name] + numbers for name, numbers in inputs.items()}
    return _carried_weights(weights, added), carried


def _new_inputs(players: Sequence[int], known: set[int], has_limits: bool) -> dict[str, list[int]]:
    """Return the inputs for columns that are not known and tell anything at these tables, by their names in facts."""
    columns = [column for column in used_columns(players).tolist() if column not in known]
    if not has_limits:
        return {"columns": columns}
    columns, above = thermometer(columns)
    return {"columns": columns, "above": above}


def _carried_weights(weights: Weights, added: int) -> Weights:
    """Return weights with this many more inputs, and for the actions of this package; those for what is new are 0."""
    more = ACTIONS - OLD_ACTIONS
    growth = {"policy.weight": [(0, more), (0, 0)], "policy.bias": [(0, more)]}
    for name in ["hidden.0"] if "hidden.0.weight" in weights else ["policy", "value"]:
        rows = growth.get(f"{name}.weight", [(0, 0)])[0]
        growth[f"{name}.weight"] = [rows, (0, added)]
    return {name: np.pad(array, growth[name]) if name in growth else array for name, array in weights.items()}


def carry_file(old: Path, new: Path, has_new_inputs: bool = True) -> Facts:
    """Carry a network over from one file to another; return the facts of the new one.

    Raises:
        CryptError: it cannot be read, has another layout, or is damaged.
    """
    weights, facts = carry(*read_old(old), has_new_inputs)
    facts["carried_from"] = {"layout_version": OLD_LAYOUT, "sha256": hashlib.sha256(old.read_bytes()).hexdigest()}
    save_network(new, weights, facts)
    return facts


def main(arguments: list[str] | None = None) -> int:
    """Carry a network over; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python tools/carry_network.py",
        description=f"Carry a network over from observation layout {OLD_LAYOUT} to layout {LAYOUT_VERSION}.",
    )
    parser.add_argument("old", metavar="OLD", help="its file; the file NAME.json beside it is read if it has no facts")
    parser.add_argument("new", metavar="NEW", help="the file to write")
    parser.add_argument("--no-new-inputs", action="store_true", help="add no inputs for the new columns")
    options = parser.parse_args(arguments)
    old, new = with_ending(options.old), with_ending(options.new)
    try:
        facts = carry_file(old, new, not options.no_new_inputs)
    except (CryptError, OSError) as error:
        print(f"carry_network: {error}", file=sys.stderr)
        return 2
    print(f"written: {new}, with {len(facts['columns'])} inputs and {ACTIONS} actions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
