"""The one compiled entry of all searches: a search mode, some games, and the memory to work in.

Every entry with the rules in it takes seconds to compile, so there is only one, and an argument selects the mode.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypt_env.rules.actions import ACTIONS
from crypt_env.rules.cards import MAX_PLAYERS
from crypt_env.rules.chance import choose_below
from crypt_env.rules.choice import write_mask
from crypt_env.rules.compiled import entry, int64, part, prepare, row, rule
from crypt_env.rules.flow import advance, apply
from crypt_env.rules.observe import FEATURES, write_observation
from crypt_env.rules.score import earned_coins, write_rewards
from crypt_env.rules.state import GAME, OVER

from .playouts import DEALT, PLAYED, TABLE_ROWS, policy_action, redeal, write_payoffs
from .tree import (
    NO_ACTION,
    NODE,
    NOTHING,
    TREE,
    VALUE,
    VALUE_AND_PRIORS,
    add_candidates,
    add_node,
    back_up,
    back_up_rows,
    best_rows,
    choose_child,
    count_visits,
    first_candidate,
    first_deals,
    halve_rows,
    meet_children,
    most_visited,
    next_deals,
    next_phase,
    plant,
)

# Search modes: flat search to the end of its budget; a number of further deals of it; a number of further simulations
# of a tree with playouts; one descent to a leaf that an evaluator judges.
HALVING, DEALS, GROWING, DESCENT = 0, 1, 2, 3

AT_ONCE = 4096
"""Playouts in one call of compiled code, which cannot be interrupted: about a tenth of a second."""
_CANDIDATES = 64
"""A typical number of legal actions in a decision with many."""

WIDENING = 1.0
"""Progressive widening below the root: a node may have up to sqrt(this times its visits) children."""


class Workspace(NamedTuple):
    """The working memory of a search."""

    trees: NDArray[np.void]
    """[T], `tree.TREE`: one if decisions are made one after the other, otherwise one for each."""
    nodes: NDArray[np.void]
    """[T * n], `tree.NODE`: the pool."""
    table: NDArray[np.void]
    """[TABLE_ROWS], `rules.state.GAME`: the games that are played."""
    observations: NDArray[np.int8]
    """[T, FEATURES]: what the seat to move at a leaf may know."""
    masks: NDArray[np.bool_]
    """[T, ACTIONS]: its legal actions."""
    spare: NDArray[np.bool_]
    """[ACTIONS]: its actions without a node."""
    payoffs: NDArray[np.float64]
    """[T, MAX_PLAYERS]: the payoffs of a terminal leaf; of any other leaf of a solo game, the coins already earned,
    since an evaluator may predict only what is still to come."""


def new_workspace(trees: int, nodes: int) -> Workspace:
    """Return the memory for a number of trees at a time, each with a number of nodes."""
    return Workspace(
        np.zeros(trees, TREE),
        np.empty(trees * nodes, NODE),
        np.zeros(TABLE_ROWS, GAME),
        np.zeros((trees, FEATURES), np.int8),
        np.zeros((trees, ACTIONS), np.bool_),
        np.zeros(ACTIONS, np.bool_),
        np.zeros((trees, MAX_PLAYERS), np.float64),
    )


@rule
def _any_of(game: np.record, untried: np.ndarray) -> int:
    """Draw an untried action uniformly."""
    count = 0
    for action in range(ACTIONS):
        count += int64(untried[action])
    chosen = choose_below(game, count)
    for action in range(ACTIONS):
        chosen -= int64(untried[action])
        if chosen < 0:
            return action
    return 0


@rule
def _is_wide(nodes: np.ndarray, number: int, met: int) -> bool:
    """Return whether a node has enough children for now. A root tries all actions."""
    node = row(nodes, number)
    return met > 0 and node.parent >= 0 and met * met > WIDENING * node.visits


@part
def _follow(
    tree: np.record, nodes: np.ndarray, game: np.record, mask: np.ndarray, untried: np.ndarray, uses_priors: bool
) -> int:
    """Choose a child of the tree's leaf and make it the leaf. Returns `NO_ACTION` if the leaf stays.

    It stays at a decision with an untried action that is to be expanded, and at the first decision of the next round:
    what a round reveals is re-dealt each time, so statistics by action would mean nothing there. ``mask`` is then that
    of the leaf, and ``untried`` holds its actions without a node.
    """
    write_mask(game, mask)
    untried[:] = mask
    leaf, mover = int64(tree.leaf), int64(game.mover)
    tree.mover = mover
    met = meet_children(nodes, leaf, mover, untried)
    can_grow = tree.used < tree.capacity and untried.any()
    if game.drawn != tree.drawn or (met == 0 and not can_grow):
        tree.waits = VALUE
        return NO_ACTION
    if can_grow and (uses_priors or not _is_wide(nodes, leaf, met)):
        tree.waits = VALUE_AND_PRIORS
        return NO_ACTION
    tree.leaf = choose_child(tree, nodes, leaf, mover, mask, uses_priors)
    return int64(row(nodes, int64(tree.leaf)).action)


@part
def _simulate(
    tree: np.record,
    nodes: np.ndarray,
    game: np.record,
    observation: np.ndarray,
    mask: np.ndarray,
    untried: np.ndarray,
    way: int,
    policy: int,
) -> None:
    """Play a game on: down the tree to a leaf, then by the playout policy unless an evaluator judges the leaf.

    In a flat search the leaf is the candidate.
    """
    is_inside = way > DEALS
    action = NO_ACTION if is_inside else int64(row(nodes, int64(tree.leaf)).action)
    tree.waits = NOTHING
    while game.phase != OVER:
        if is_inside:
            action = _follow(tree, nodes, game, mask, untried, way == DESCENT)
            if action < 0 and way == DESCENT:
                break
        if action < 0:
            action = policy_action(game, policy, observation, mask)
            if is_inside and tree.waits == VALUE_AND_PRIORS:
                if not untried[action]:
                    action = _any_of(game, untried)
                tree.leaf = add_node(tree, nodes, int64(tree.leaf), int64(tree.mover), action, 1.0)
            is_inside = False
        apply(game, action)
        advance(game, False)
        action = NO_ACTION


@part
def _finish(
    tree: np.record, nodes: np.ndarray, game: np.record, observation: np.ndarray, payoffs: np.ndarray, way: int
) -> None:
    """Back up the payoffs; or write the evaluator's inputs, or the payoffs if the game is over."""
    if way != DESCENT:
        write_payoffs(game, payoffs)
        back_up(tree, nodes, payoffs)
    elif tree.waits == NOTHING:
        write_rewards(game, payoffs)
    else:
        mover = int64(game.mover)
        write_observation(game, mover, observation)
        payoffs[mover] = earned_coins(game, mover) if game.players == 1 else 0


@rule
def _start(
    tree: np.record, nodes: np.ndarray, root: int, size: int, game: np.record, mask: np.ndarray, is_flat: bool
) -> None:
    """Plant the tree of a decision."""
    plant(tree, nodes, root, size, int64(game.players), int64(game.drawn))
    if is_flat:
        write_mask(game, mask)
        add_candidates(tree, nodes, int64(game.mover), mask)


@entry
def think_rows(
    games: np.ndarray,
    bits: np.ndarray,
    trees: np.ndarray,
    nodes: np.ndarray,
    table: np.ndarray,
    observations: np.ndarray,
    masks: np.ndarray,
    spare: np.ndarray,
    payoffs: np.ndarray,
    way: int,
    policy: int,
    budget: int,
    is_new: bool,
    actions: np.ndarray,
) -> None:
    """Search the decision in each game; write the best actions so far to ``actions``, int64 [n], except on a descent.

    In ``games`` [n] a seat decides; what it cannot know is re-dealt for every simulation, from ``bits`` [n]. The arrays
    after them are those of the `Workspace`. ``budget`` is playouts a candidate on average, further deals, or further
    simulations, depending on the mode. Unless ``is_new``, the search continues in the existing trees.
    """
    size = len(nodes) // len(trees)
    for index in range(len(games)):
        place = index if way == DESCENT else 0
        tree, observation, mask = row(trees, place), observations[place], masks[place]
        if is_new:
            _start(tree, nodes, place * size, size, row(games, index), mask, way <= DEALS)
        deals = first_deals(tree, budget) if way == HALVING else budget
        while deals > 0:
            for _ in range(deals):
                redeal(table, games[index], bits[index], int64(tree.deals))
                tree.deals += 1
                for candidate in range(max(1, int64(tree.alive))):
                    table[PLAYED] = table[DEALT]
                    tree.leaf = tree.root if way > DEALS else tree.root + 1 + candidate
                    _simulate(tree, nodes, row(table, PLAYED), observation, mask, spare, way, policy)
                    _finish(tree, nodes, row(table, PLAYED), observation, payoffs[place], way)
            deals = next_deals(tree, nodes) if way == HALVING else 0
        if way != DESCENT:
            actions[index] = most_visited(tree, nodes) if way == GROWING else first_candidate(tree, nodes)


def get_ready() -> None:
    """Compile all code in advance, so that no search spends its time limit on compiling."""
    games, bits, actions = np.zeros(1, GAME), np.zeros(1, np.uint64), np.zeros(1, np.int64)
    workspace = new_workspace(1, 1)
    trees, nodes, _, _, masks, _, payoffs = workspace
    prepare(think_rows, games, bits, *workspace, HALVING, 0, 0, True, actions)
    prepare(halve_rows, trees, nodes)
    prepare(next_phase, trees, nodes, 0, True)
    prepare(best_rows, trees, nodes, actions)
    prepare(count_visits, trees, nodes, np.zeros((1, ACTIONS), np.int64))
    prepare(back_up_rows, trees, nodes, masks, payoffs, actions, np.zeros((1, ACTIONS)), np.zeros(1))


def think(
    games: NDArray[np.void],
    bits: NDArray[np.uint64],
    workspace: Workspace,
    way: int,
    policy: int,
    budget: int,
    is_new: bool,
) -> NDArray[np.int64]:
    """Search the decision in each game, see `think_rows`; return the actions.

    Long searches are split into several calls of compiled code, so that a keyboard interrupt is noticed in between.
    The result is the same. After an interrupt the workspace must not be used again.
    """
    actions = np.empty(len(games), np.int64)
    playouts = budget * (1 if way >= GROWING else _CANDIDATES)
    together = max(1, len(games) if way == DESCENT else AT_ONCE // playouts)
    for start in range(0, len(games), together):
        some = slice(start, start + together)
        if playouts <= AT_ONCE:
            think_rows(games[some], bits[some], *workspace, way, policy, budget, is_new, actions[some])
        else:
            actions[some] = _think_long(games[some], bits[some], workspace, way, policy, budget, is_new)
    return actions


def _think_long(
    game: NDArray[np.void],
    bits: NDArray[np.uint64],
    workspace: Workspace,
    way: int,
    policy: int,
    budget: int,
    is_new: bool,
) -> NDArray[np.int64]:
    """Search one decision in several calls; return the action."""
    trees, nodes, action = workspace.trees, workspace.nodes, np.empty(1, np.int64)
    piece = DEALS if way == HALVING else way
    if is_new and way != GROWING:  # the number of candidates sets how many deals are made at once
        think_rows(game, bits, *workspace, DEALS, policy, 0, True, action)
        is_new = False
    deals = next_phase(trees, nodes, budget, True) if way == HALVING else budget
    while deals > 0:
        most = max(1, AT_ONCE // max(1, int(trees[0]["alive"])))
        for done in range(0, deals, most):
            think_rows(game, bits, *workspace, piece, policy, min(most, deals - done), is_new, action)
            is_new = False
        deals = next_phase(trees, nodes, budget, False) if way == HALVING else 0
    return nodes["action"][1:2].astype(np.int64) if way == HALVING else action
