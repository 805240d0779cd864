"""The tree of a search: its nodes, choosing among them, growing it and carrying values back.

It is an open-loop tree over information sets: a node is the sequence of decisions since the root, each a seat and an
action. What is dealt anew for every simulation, and dice, are no nodes. What is legal at a node may differ from one
simulation to the next, so a child counts how often it was available, and is judged by that. Every seat maximises its
own payoff.

Nothing here knows the rules or allocates: nodes come out of a pool that the caller provides. The nodes of a tree are
one after the other in it, the root first.
"""

from __future__ import annotations

import math

import numpy as np

from crypt_env.rules.actions import ACTIONS
from crypt_env.rules.compiled import entry, int64, row, rule

NOBODY = int64(-1)

# What a tree waits for after a descent: nothing, the value of its leaf, or its value and the priors of its actions.
NOTHING, VALUE, VALUE_AND_PRIORS = int64(0), int64(1), int64(2)

NODE = np.dtype(
    [
        ("value", "f8"),  # sum of the payoffs to the seat that moved here
        ("prior", "f8"),
        ("visits", "i4"),
        ("available", "i4"),  # how often the action was legal when its parent was passed
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
        ("room", "i4"),  # nodes in all
        ("alive", "i4"),  # flat search: candidates left, the first ones after the root
        ("leaf", "i4"),  # the node that the last descent reached
        ("drawn", "i1"),  # cards that had left the deck at the root; they tell the round
        ("mover", "i1"),  # the seat that is asked at the leaf
        ("players", "i1"),
        ("waits", "i1"),
    ],
    align=True,
)

UCB_WEIGHT = 0.25
"""How much rarely visited actions are favoured where playouts give the values."""
PRIOR_WEIGHT = 1.5
"""How much likely actions are favoured where an evaluator gives priors."""


@rule
def plant(tree: np.record, nodes: np.ndarray, root: int, room: int, players: int, drawn: int) -> None:
    """Start a tree whose nodes are the ``room`` ones from ``root`` on."""
    tree.low = np.inf
    tree.high = -np.inf
    tree.deals = 0
    tree.share = 0
    tree.root = root
    tree.used = 0
    tree.room = room
    tree.alive = 0
    tree.leaf = root
    tree.drawn = drawn
    tree.players = players
    tree.waits = NOTHING
    add_node(tree, nodes, NOBODY, NOBODY, NOBODY, 1.0)


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
    node.child = NOBODY
    node.sibling = NOBODY
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

    Only actions, visits and values change their places: a flat search has no deeper nodes.
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
    """Let two candidates change places."""
    value, visits, action = float(one.value), int64(one.visits), int64(one.action)
    one.value, one.visits, one.action = other.value, other.visits, other.action
    other.value, other.visits, other.action = value, visits, action


@rule
def first_deals(tree: np.record, playouts: int) -> int:
    """Return how many deals all candidates are played on, if there are so many playouts for each on average.

    Half of the candidates are dropped again and again until one is left. Between two times the same number of playouts
    is shared among those that are left: so good ones are played ever more often.
    """
    phases, left = 0, int64(tree.alive)
    while left > 1:
        left = (left + 1) // 2
        phases += 1
    tree.share = playouts * int64(tree.alive) // phases
    return max(int64(1), int64(tree.share) // int64(tree.alive))


@rule
def next_deals(tree: np.record, nodes: np.ndarray) -> int:
    """Drop half of the candidates; return how many deals the others are played on, 0 if it is only one."""
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
    """Return the action of the candidate that comes first."""
    return int64(row(nodes, int64(tree.root) + 1).action)


# -- choosing ---------------------------------------------------------------------------------------------------------


@rule
def meet_children(nodes: np.ndarray, parent: int, mover: int, mask: np.ndarray) -> int:
    """Count those children available that are legal for the seat that is asked; return how many there are.

    What remains in the mask are the legal actions that have no child yet.
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
    """Return a mean payoff on a scale from 0, the least payoff seen, to 1."""
    span = tree.high - tree.low
    return float((value - tree.low) / span) if span > 0.0 else 0.5


@rule
def _mean_of(nodes: np.ndarray, parent: int, mover: int) -> float:
    """Return the mean payoff of a seat's actions at a node so far."""
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
    """Return how much a child is worth a visit. One without visits is expected to do as well as its siblings did."""
    value = _scaled(tree, node.value / node.visits if node.visits > 0 else expected)
    if uses_priors:
        return float(value + PRIOR_WEIGHT * node.prior * math.sqrt(node.available) / (1.0 + node.visits))
    return float(value + UCB_WEIGHT * math.sqrt(math.log(node.available) / max(1, int64(node.visits))))


@rule
def choose_child(
    tree: np.record, nodes: np.ndarray, parent: int, mover: int, legal: np.ndarray, uses_priors: bool
) -> int:
    """Return the legal child that is most worth a visit; there must be one. ``legal`` is the whole mask."""
    expected = _mean_of(nodes, parent, mover) if uses_priors else 0.0
    best, best_score = NOBODY, -np.inf
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
    """Return the root's action with the most visits, of equal ones the better."""
    best = NOBODY
    number = int64(row(nodes, int64(tree.root)).child)
    while number >= 0:
        node = row(nodes, number)
        if best < 0 or _is_preferred(node, row(nodes, best)):
            best = number
        number = int64(node.sibling)
    return int64(row(nodes, best).action)


@rule
def _is_preferred(node: np.record, other: np.record) -> bool:
    """Return whether a child should be played rather than a sibling."""
    if node.visits != other.visits:
        return bool(node.visits > other.visits)
    return bool(node.value > other.value) or (bool(node.value == other.value) and bool(node.prior >= other.prior))


# -- values -----------------------------------------------------------------------------------------------------------


@rule
def back_up(tree: np.record, nodes: np.ndarray, payoffs: np.ndarray) -> None:
    """Carry the payoffs of all seats from the leaf to the root. ``payoffs`` is [MAX_PLAYERS]."""
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
    """Turn the value for the seat that is asked at the leaf into payoffs of all: the others share what it loses."""
    others = int64(tree.players) - 1
    for seat in range(int64(tree.players)):
        payoffs[seat] = value if seat == tree.mover else -value / others


@rule
def _expand(tree: np.record, nodes: np.ndarray, mask: np.ndarray, priors: np.ndarray) -> None:
    """Give the leaf a child for each legal action that has none, with its prior, as far as there is room."""
    leaf, mover = int64(tree.leaf), int64(tree.mover)
    total = 0.0
    for action in range(ACTIONS):
        if mask[action]:
            total += priors[action]
    meet_children(nodes, leaf, mover, mask)
    for action in range(ACTIONS):
        if mask[action] and tree.used < tree.room:
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
    """Finish the descents of all trees: expand their leaves and carry the values back.

    Args:
        trees: [T]; those listed in ``rows`` wait for an evaluation.
        nodes: the pool.
        masks: [T, ACTIONS], what is legal at the leaves; changed.
        payoffs: [T, MAX_PLAYERS], of the trees that wait for nothing; changed.
        rows: [n]
        priors: [n, ACTIONS]
        values: [n], for the seat that is asked at the leaf.
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
    """Write the action of each tree's root that was visited most. ``actions`` is int64 [T]."""
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
