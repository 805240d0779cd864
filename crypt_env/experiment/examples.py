"""Examples for a network to learn from: decisions in games that a search on top of another network has played.

They are kept in files, one for each part of the games. A part depends only on the network, the number of futures, the
seed and its own number, so parts can be played in any order, by several processes, and need not be repeated.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypt_env import ACTIONS, FEATURES, Batch
from crypt_env.agents.base import draw
from crypt_env.agents.improving import Improver
from crypt_env.agents.network import Network, load_network
from crypt_env.agents.policy import CANDIDATES
from crypt_env.arena.designs import even_tables
from crypt_env.errors import CryptError
from crypt_env.rules.actions import SKIP
from crypt_env.rules.batch import decision_bits
from crypt_env.rules.cards import MAX_PLAYERS

from .checkpoint_file import read_checkpoint, write_checkpoint

GAMES = 128
"""Of a part: two at each table."""


class Examples(NamedTuple):
    """Decisions, a row for each."""

    numbers: NDArray[np.int8]
    """[n, columns]: what the seat may know, in the columns of the observation that the network reads."""
    masks: NDArray[np.uint8]
    """[n, ACTIONS / 8]: the legal actions, as bits."""
    order: NDArray[np.int16]
    """[n, CANDIDATES]: the likeliest actions."""
    probabilities: NDArray[np.float32]
    """[n, CANDIDATES]: of these, after the search."""
    is_searched: NDArray[np.bool_]
    """[n]: whether the search has tried more than one action."""
    paid: NDArray[np.float32]
    """[n]: what the seat was paid from there to the end, in units of the network's value."""


def columns_of(network: Network) -> NDArray[np.int64]:
    """Return the columns of the observation that examples for a network have."""
    return np.unique(network.columns)


def example_player(name: str, futures: int, seed: int) -> Callable[[int], Examples]:
    """Return a function that plays a part of the games, given its number, and returns all decisions in it."""
    network = load_network(name)
    improver = Improver(network, futures)

    def play(part: int) -> Examples:
        return _play(network, improver, part, seed)

    return play


def _play(network: Network, improver: Improver, part: int, seed: int) -> Examples:
    """Play the games of a part to the end; all seats draw their actions from the improved probabilities."""
    reward = network.facts.get("reward", {})
    players = network.players[part % len(network.players)]
    pays = {"reward": reward.get("kind", "win"), "dense": reward.get("dense", False)}
    batch = Batch(GAMES, players, seed=seed, restarts=False, first_index=part * GAMES, **pays)
    tables = np.array(even_tables("even"))
    batch.states["table_rule"] = tables[np.arange(GAMES) % len(tables)]
    columns, arrays = columns_of(network), batch.reset()
    paid, bits = np.zeros((GAMES, MAX_PLAYERS), np.float32), np.empty(GAMES, np.uint64)
    rows = np.arange(GAMES)
    steps: list[tuple[NDArray[np.generic], ...]] = []
    seats: list[tuple[NDArray[np.int64], NDArray[np.int8], NDArray[np.float32]]] = []
    while len(rows):
        decision_bits(batch.states, rows, bits[: len(rows)])
        seen, masks, drawn = arrays.observations[rows], arrays.masks[rows], bits[: len(rows)]
        improved = improver.improve(seen, masks, batch.states[rows], drawn)
        steps.append((seen[:, columns], np.packbits(masks, axis=1), *improved))
        movers = arrays.movers[rows].copy()
        seats.append((rows, movers, paid[rows, movers]))
        actions = np.full(GAMES, SKIP)
        actions[rows] = improved.order[np.arange(len(rows)), draw(improved.probabilities, drawn)]
        arrays = batch.step(actions)
        paid[rows] += arrays.rewards[rows]
        rows = np.flatnonzero(arrays.movers >= 0)
    left = np.concatenate([paid[games, movers] - before for games, movers, before in seats])
    numbers, legal, order, probabilities, is_searched = map(np.concatenate, zip(*steps, strict=True))
    return Examples(
        numbers,
        legal,
        order.astype(np.int16),
        probabilities.astype(np.float32),
        is_searched,
        left * np.float32(reward.get("scale", 1.0)),
    )


# -- files ------------------------------------------------------------------------------------------------------------


def save_examples(path: Path, examples: Examples) -> None:
    """Write a part to a file."""
    write_checkpoint(path, {"examples": examples._asdict()})


def load_examples(path: Path, network: Network) -> Examples:
    """Read a part.

    Raises:
        CryptError: the file is damaged, or its examples are not for this network.
    """
    content = read_checkpoint(path).get("examples")
    if not isinstance(content, dict) or list(content) != list(Examples._fields):
        raise CryptError(f"{str(path)!r} holds no examples")
    examples = Examples(**content)
    count, columns = np.size(examples.paid), len(columns_of(network))
    shapes = ((columns,), (-(-ACTIONS // 8),), (CANDIDATES,), (CANDIDATES,), (), ())
    kinds = (np.int8, np.uint8, np.int16, np.float32, np.bool_, np.float32)
    for name, array, shape, kind in zip(Examples._fields, examples, shapes, kinds, strict=True):
        if not isinstance(array, np.ndarray) or array.shape != (count, *shape) or array.dtype != kind:
            raise CryptError(f"the examples in {str(path)!r} are not for this network: {name} does not fit")
    if count and not (examples.order.min() >= 0 and examples.order.max() < ACTIONS):
        raise CryptError(f"the examples in {str(path)!r} have actions that do not exist")
    return examples


def joined(parts: list[Examples]) -> Examples:
    """Return the examples of several parts as one."""
    return Examples(*map(np.concatenate, zip(*parts, strict=True)))


def observations_of(examples: Examples, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.int8]:
    """Return the observations of some rows; other columns than these are 0. [n, FEATURES]"""
    observations = np.zeros((len(rows), FEATURES), np.int8)
    observations[:, columns] = examples.numbers[rows]
    return observations


def targets_of(examples: Examples, rows: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """Return the legal actions of some rows and the probabilities to learn. Both are [n, ACTIONS]."""
    masks = np.unpackbits(examples.masks[rows], axis=1, count=ACTIONS).astype(np.bool_)
    targets = np.zeros(masks.shape, np.float32)
    np.put_along_axis(targets, examples.order[rows].astype(np.int64), examples.probabilities[rows], axis=1)
    return masks, targets
