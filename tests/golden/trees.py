"""Counted trees: all continuations of a position, every decision and every roll.

``decisions`` are the points at which a seat is asked, ``rolls`` those at which dice are rolled, ``outcomes`` all
results of those rolls together, ``ends`` the finished games, each counted as often as it is reached, and
``results`` how many different scores and winners there are. A tie-break that leaves more than one seat rolls forever,
so a tree goes through the first round of it only; one that ties again is an end with the result "tied".

The positions and the counts are in ``trees.txt``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import numpy as np

from crypt_env import ACTIONS, DRAW, Batch, Game, action_text
from crypt_env.rules.batch import roll_row
from crypt_env.rules.state import GHOST_ROLL, OVER, TIEBREAK_ROLL

FILE = Path(__file__).parent / "trees.txt"
COUNTS = ("decisions", "rolls", "outcomes", "ends")


@dataclass
class Tree:
    """What follows from a position."""

    decisions: int = 0
    rolls: int = 0
    outcomes: int = 0
    ends: int = 0
    results: frozenset = frozenset()

    def add(self, other: Tree) -> None:
        """Count a part of the tree."""
        for name in COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.results |= other.results

    def __str__(self) -> str:
        """Return the counts on one line."""
        words = [f"{getattr(self, name):,} {name}" for name in COUNTS]
        return ", ".join([*words, f"{len(self.results):,} results"])


def whole(split: dict[str, Tree]) -> Tree:
    """Return the tree of a position from the trees of its actions."""
    tree = Tree(decisions=1)
    for part in split.values():
        tree.add(part)
    return tree


class Engine:
    """Counts trees on the engine's own record, in which a game pauses wherever dice are rolled.

    Equivalent points are counted once and cached.
    """

    def __init__(self) -> None:
        """Start with an empty cache."""
        self._known: dict[bytes, Tree] = {}
        self._batch = Batch(1, restarts=False)

    def split(self, text: str) -> dict[str, Tree]:
        """Return the tree after every legal action of a position."""
        states = Game.from_text(text).state
        return {action_text(action): self._behind(states, action) for action in self._legal(states)}

    def _legal(self, states: np.ndarray) -> list[int]:
        """Return what the seat that is asked may do."""
        masks = np.zeros((1, ACTIONS), np.bool_)
        self._batch.states[:] = states
        self._batch.view(np.zeros(1, np.int64), states["mover"], self._batch.arrays.observations, masks)
        return np.flatnonzero(masks[0]).tolist()

    def _behind(self, states: np.ndarray, action: int, is_second_tie: bool = False) -> Tree:
        """Return the tree after an action, or after the dice in ``rolled``."""
        self._batch.states[:] = states
        self._batch.step(np.array([action], np.int64))
        after = self._batch.states.copy()
        if is_second_tie and after["phase"][0] != OVER:
            return Tree(ends=1, results=frozenset(["tied"]))
        return self._from(after)

    def _from(self, states: np.ndarray) -> Tree:
        """Return the tree that begins at a decision, a roll or the end."""
        state = states[0]
        state["chance"] = state["choice"] = state["decisions"] = 0
        state["rolled"] = 0
        key = states.tobytes()
        if key not in self._known:
            if state["phase"] == OVER:
                tree = Tree(ends=1, results=frozenset([_result(state)]))
            elif GHOST_ROLL <= state["phase"] < OVER:
                tree = self._from_roll(states)
            else:
                tree = Tree(decisions=1)
                for action in self._legal(states):
                    tree.add(self._behind(states, action))
            self._known[key] = tree
        return self._known[key]

    def _from_roll(self, states: np.ndarray) -> Tree:
        """Return the tree that begins with a roll."""
        dice = int(roll_row(states, 0))
        tree = Tree(rolls=1, outcomes=6**dice)
        is_tie = bool(states["phase"][0] == TIEBREAK_ROLL)
        for results in product(range(1, 7), repeat=dice):
            states["rolled"][0, :dice] = results
            tree.add(self._behind(states, DRAW, is_tie))
        return tree


def _result(state: np.void) -> tuple:
    """Return the scores and the winners."""
    players = int(state["players"])
    winners = tuple(seat for seat in range(players) if state["winners"] >> seat & 1)
    return tuple(int(score) for score in state["scores"][:players]), winners


# -- the file ---------------------------------------------------------------------------------------------------------


@dataclass
class Kept:
    """A position of the file and what is known of its tree."""

    name: str
    notes: list[str] = field(default_factory=list)
    position: str = ""
    counts: str = ""
    split: dict[str, str] = field(default_factory=dict)


def read() -> list[Kept]:
    """Return all trees of the file."""
    return list(_parse(FILE.read_text(encoding="utf-8")))


def _parse(text: str) -> Iterator[Kept]:
    """Yield the trees of a text: blocks of lines, each with a key in front."""
    for block in text.strip().split("\n\n"):
        tree = Kept("")
        for line in block.splitlines():
            key, _, rest = line.strip().partition(" ")
            if key == "tree":
                tree.name = rest
            elif key == "#":
                tree.notes.append(rest)
            elif key == "crypt1":
                tree.position = line.strip()
            elif key == "counts":
                tree.counts = rest
            else:
                action, _, counts = line.strip().partition(": ")
                tree.split[action] = counts
        yield tree


def lines_of(split: dict[str, Tree]) -> list[str]:
    """Return the counts of a tree and of the part after every action, in the format of the file."""
    return [f"counts {whole(split)}", *(f"  {action}: {tree}" for action, tree in split.items())]


def written(kept: Kept) -> str:
    """Return a tree with recomputed counts, in the format of the file."""
    notes = [f"# {note}" for note in kept.notes]
    return "\n".join([f"tree {kept.name}", *notes, kept.position, *lines_of(Engine().split(kept.position))])


def rewrite() -> bool:
    """Recompute all counts and write them; return whether anything changed."""
    text = "\n\n".join(written(kept) for kept in read()) + "\n"
    if text == FILE.read_text(encoding="utf-8"):
        return False
    FILE.write_text(text, encoding="utf-8")
    return True
