"""The tree of a search: its nodes, selection, expansion and backup.

It is an open-loop tree over information sets: a node is the sequence of decisions since the root, each a seat and an
action. What is re-dealt for every simulation, and dice, are not nodes. The legal actions at a node may differ from one
simulation to the next, so a child counts how often it was available, and its score uses that count. Every seat
maximizes its own payoff.

Nothing here knows the rules or allocates: nodes come from a pool that the caller provides. The nodes of a tree are
contiguous in it, the root first.
"""

from __future__ import annotations

import math

import numpy as np

from crypt_env.rules.actions import ACTIONS
from crypt_env.rules.compiled import entry, int64, row, rule

# Where there is none: a root has no parent, and no seat took an action to come to it.
NO_NODE, NO_ACTION, NO_SEAT = int64(-1), int64(-1), int64(-1)

# What a tree needs after a descent: nothing, the value of its leaf, or its value and the priors of its actions.
NOTHING, VALUE, VALUE_AND_PRIORS = int64(0), int64(1), int64(2)

NODE = np.dtype(
    [
        ("value", "f8"),  # sum of the payoffs to the seat that moved here
        ("prior", "f8"),
        ("visits", "i4"),
        ("available", "i4"),  # how often the action was legal when its parent was visited
        ("parent", "i4"),  # number of the node in the pool, -1 for a root
        ("child", "i4"),  # the latest child, -1 if there is none
        ("sibling", "i4"),  # the child of the same parent that was made before, -1 if none
        ("action", "i2"),
        ("mover", "i1"),  # the seat that took the action
    ],
    align=True,
)

TREE = np.dtype(
    [
        ("low", "f8"),  # the least and the highest payoff seen
        ("high", "f8"),
        ("deals", "i8"),  # deals made so far
        ("share", "i8"),  # flat search: playouts between two halvings
        ("root", "i4"),
        ("used", "i4"),  # nodes in use
        ("capacity", "i4"),  # nodes in all
        ("alive", "i4"),  # flat search: candidates left, the first ones after the root
        ("leaf", "i4"),  # the node that the last descent reached
        ("drawn", "i1"),  # cards that had left the deck at the root; they identify the round
        ("mover", "i1"),  # the seat to move at the leaf
        ("players", "i1"),
        ("waits", "i1"),
    ],
    align=True,
)

UCB_WEIGHT = 0.25
"""Exploration constant where playouts give the values."""
PRIOR_WEIGHT = 1.5
"""Exploration constant where an evaluator gives priors."""


@rule
def plant(tree: np.record, nodes: np.ndarray, root: int, capacity: int, players: int, drawn: int) -> None:
    """Start a tree whose nodes are the ``capacity`` ones from ``root`` on."""
    tree.low = np.inf
    tree.high = -np.inf
    tree.deals = 0
    tree.share = 0
    tree.root = root
    tree.used = 0
    tree.capacity = capacity
    tree.alive = 0
    tree.leaf = root
    tree.drawn = drawn
    tree.players = players
    tree.waits = NOTHING
    add_node(tree, nodes, NO_NODE, NO_SEAT, NO_ACTION, 1.0)


@rule
def add_node(tree: np.record, nodes: np.ndarray, parent: int, mover: int, action: int, prior: float) -> int:
    """Add a child to a node, and return its number. There must be room for it."""
    number = int64(tree.root) + int64(tree.used)
    tree.used += 1
    node = row(nodes, number)
    node.value = 0.0
    node.prior = prior
    node.visits = 0
    node.available = 1
    node.parent = parent
    node.child = NO_NODE
    node.sibling = NO_NODE
    node.action = action
    node.mover = mover
    if parent >= 0:
        above = row(nodes, parent)
        node.sibling = above.child
        above.child = number
    return number


# -- flat search ------------------------------------------------------------------------------------------------------


@rule
def add_candidates(tree: np.record, nodes: np.ndarray, mover: int, mask: np.ndarray) -> None:
    """Make every legal action a child of the root."""
    for action in range(ACTIONS):
        if mask[action]:
            add_node(tree, nodes, int64(tree.root), mover, action, 1.0)
            tree.alive += 1


@rule
def halve(tree: np.record, nodes: np.ndarray) -> None:
    """Keep the better half of the candidates, best first; all of them were played on the same deals.

    Only actions, visits and values are swapped: a flat search has no deeper nodes.
    """
    first, alive = int64(tree.root) + 1, int64(tree.alive)
    kept = (alive + 1) // 2
    for place in range(first, first + kept):
        best = place
        for other in range(place + 1, first + alive):
            if row(nodes, other).value > row(nodes, best).value:
                best = other
        _exchange(row(nodes, place), row(nodes, best))
    tree.alive = kept


@rule
def _exchange(one: np.record, other: np.record) -> None:
    value, visits, action = float(one.value), int64(one.visits), int64(one.action)
    one.value, one.visits, one.action = other.value, other.visits, other.action
    other.value, other.visits, other.action = value, visits, action


@rule
def first_deals(tree: np.record, playouts: int) -> int:
    """Return how many deals all candidates are played on, for this average number of playouts each.

    Sequential halving: half of the candidates are dropped until one is left, and every phase shares the same number of
    playouts among those that are left, so good ones get more and more.
    """
    phases, left = 0, int64(tree.alive)
    while left > 1:
        left = (left + 1) // 2
        phases += 1
    tree.share = playouts * int64(tree.alive) // phases
    return max(int64(1), int64(tree.share) // int64(tree.alive))


@rule
def next_deals(tree: np.record, nodes: np.ndarray) -> int:
    """Drop half of the candidates; return how many deals the others are played on, 0 if only one is left."""
    halve(tree, nodes)
    return max(int64(1), int64(tree.share) // int64(tree.alive)) if tree.alive > 1 else int64(0)


@entry
def next_phase(trees: np.ndarray, nodes: np.ndarray, playouts: int, is_first: bool) -> int:
    """Return `first_deals` of the first tree, or from the second phase on its `next_deals`."""
    tree = row(trees, 0)
    return first_deals(tree, playouts) if is_first else next_deals(tree, nodes)


@entry
def halve_rows(trees: np.ndarray, nodes: np.ndarray) -> None:
    """Keep the better half of the candidates of each tree, best first."""
    for index in range(len(trees)):
        halve(row(trees, index), nodes)


@rule
def first_candidate(tree: np.record, nodes: np.ndarray) -> int:
    """Return the action of the first candidate."""
    return int64(row(nodes, int64(tree.root) + 1).action)


# -- choosing ---------------------------------------------------------------------------------------------------------


@rule
def meet_children(nodes: np.ndarray, parent: int, mover: int, mask: np.ndarray) -> int:
    """Count the children that are legal for the seat to move as available; return their number.

    Leaves in the mask the legal actions that have no child yet.
    """
    met = 0
    number = int64(row(nodes, parent).child)
    while number >= 0:
        node = row(nodes, number)
        if node.mover == mover and mask[node.action]:
            mask[node.action] = False
            node.available += 1
            met += 1
        number = int64(node.sibling)
    return met


@rule
def _scaled(tree: np.record, value: float) -> float:
    """Return a mean payoff scaled so that the lowest payoff seen is 0 and the highest is 1."""
    span = tree.high - tree.low
    return float((value - tree.low) / span) if span > 0.0 else 0.5


@rule
def _mean_of(nodes: np.ndarray, parent: int, mover: int) -> float:
    """Return the mean payoff so far of a seat's actions at a node."""
    value, visits = 0.0, 0
    number = int64(row(nodes, parent).child)
    while number >= 0:
        node = row(nodes, number)
        if node.mover == mover:
            value += node.value
            visits += int64(node.visits)
        number = int64(node.sibling)
    return float(value / visits) if visits > 0 else 0.0


@rule
def _score(tree: np.record, node: np.record, expected: float, uses_priors: bool) -> float:
    """Return the selection score of a child. One without visits is assumed to do as well as its siblings."""
    value = _scaled(tree, node.value / node.visits if node.visits > 0 else expected)
    if uses_priors:
        return float(value + PRIOR_WEIGHT * node.prior * math.sqrt(node.available) / (1.0 + node.visits))
    return float(value + UCB_WEIGHT * math.sqrt(math.log(node.available) / max(1, int64(node.visits))))


@rule
def choose_child(
    tree: np.record, nodes: np.ndarray, parent: int, mover: int, legal: np.ndarray, uses_priors: bool
) -> int:
    """Return the legal child with the highest score; there must be one. ``legal`` is the whole mask."""
    expected = _mean_of(nodes, parent, mover) if uses_priors else 0.0
    best, best_score = NO_NODE, -np.inf
    number = int64(row(nodes, parent).child)
    while number >= 0:
        node = row(nodes, number)
        if node.mover == mover and legal[node.action]:
            score = _score(tree, node, expected, uses_priors)
            if best < 0 or score >= best_score:
                best, best_score = number, score
        number = int64(node.sibling)
    return best


@rule
def most_visited(tree: np.record, nodes: np.ndarray) -> int:
    """Return the root's most visited action; the mean payoff breaks ties."""
    best = NO_NODE
    number = int64(row(nodes, int64(tree.root)).child)
    while number >= 0:
        node = row(nodes, number)
        if best < 0 or _is_preferred(node, row(nodes, best)):
            best = number
        number = int64(node.sibling)
    return int64(row(nodes, best).action)


@rule
def _is_preferred(node: np.record, other: np.record) -> bool:
    """Return whether a child is preferred to a sibling."""
    if node.visits != other.visits:
        return bool(node.visits > other.visits)
    return bool(node.value > other.value) or (bool(node.value == other.value) and bool(node.prior >= other.prior))


# -- values -----------------------------------------------------------------------------------------------------------


@rule
def back_up(tree: np.record, nodes: np.ndarray, payoffs: np.ndarray) -> None:
    """Back up the payoffs of all seats from the leaf to the root. ``payoffs`` is [MAX_PLAYERS]."""
    for seat in range(int64(tree.players)):
        tree.low = min(float(tree.low), float(payoffs[seat]))
        tree.high = max(float(tree.high), float(payoffs[seat]))
    number = int64(tree.leaf)
    while number != tree.root:
        node = row(nodes, number)
        node.visits += 1
        node.value += payoffs[node.mover]
        number = int64(node.parent)
    row(nodes, number).visits += 1


@rule
def _spread(tree: np.record, value: float, payoffs: np.ndarray) -> None:
    """Turn the value for the seat to move at the leaf into payoffs of all seats: the others share the opposite."""
    others = int64(tree.players) - 1
    for seat in range(int64(tree.players)):
        payoffs[seat] = value if seat == tree.mover else -value / others


@rule
def _expand(tree: np.record, nodes: np.ndarray, mask: np.ndarray, priors: np.ndarray) -> None:
    """Add a child with its prior for each legal action of the leaf that has none, while there is room."""
    leaf, mover = int64(tree.leaf), int64(tree.mover)
    total = 0.0
    for action in range(ACTIONS):
        if mask[action]:
            total += priors[action]
    meet_children(nodes, leaf, mover, mask)
    for action in range(ACTIONS):
        if mask[action] and tree.used < tree.capacity:
            add_node(tree, nodes, leaf, mover, action, priors[action] / total if total > 0.0 else 0.0)


@entry
def back_up_rows(
    trees: np.ndarray,
    nodes: np.ndarray,
    masks: np.ndarray,
    payoffs: np.ndarray,
    rows: np.ndarray,
    priors: np.ndarray,
    values: np.ndarray,
) -> None:
    """Finish the descents of all trees: expand their leaves and back up the values.

    Args:
        trees: [T]; those listed in ``rows`` need an evaluation.
        nodes: the pool.
        masks: [T, ACTIONS], the legal actions at the leaves; modified.
        payoffs: [T, MAX_PLAYERS], of the trees that need no evaluation; modified.
        rows: [n]
        priors: [n, ACTIONS]
        values: [n], for the seat to move at the leaf.
    """
    for place in range(len(rows)):
        tree = row(trees, int64(rows[place]))
        if tree.waits == VALUE_AND_PRIORS:
            _expand(tree, nodes, masks[rows[place]], priors[place])
        _spread(tree, float(values[place]), payoffs[rows[place]])
    for index in range(len(trees)):
        back_up(row(trees, index), nodes, payoffs[index])


@entry
def best_rows(trees: np.ndarray, nodes: np.ndarray, actions: np.ndarray) -> None:
    """Write the most visited action of each tree's root. ``actions`` is int64 [T]."""
    for index in range(len(trees)):
        actions[index] = most_visited(row(trees, index), nodes)


@entry
def count_visits(trees: np.ndarray, nodes: np.ndarray, visits: np.ndarray) -> None:
    """Write how often each action was taken at the root of each tree. ``visits`` is int64 [T, ACTIONS], zeros."""
    for index in range(len(trees)):
        number = int64(row(nodes, int64(row(trees, index).root)).child)
        while number >= 0:
            node = row(nodes, number)
            visits[index, node.action] += int64(node.visits)
            number = int64(node.sibling)
