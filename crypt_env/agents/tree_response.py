"""Best response by tree search against a policy that is known: information-set Monte Carlo tree search for one seat.

The tree holds the decisions of the seat alone, by what it sees then; in all other seats, and after the leaves, the
network plays. So, unlike `local_response`, it also exploits with what it does later, above all in the same turn. The
candidates of the first decision meet the same futures, and half of them are dropped after each third of the budget.

``tbr:512:net:duel``        512 simulations a decision, against the network's likeliest actions
``tbr:512:net:duel:draw``   the same against the network that samples its actions
``tbr:512:reach:net:duel``  hidden cards are weighed by how the network would have played to get here, see `reach`
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from crypt_env.rules.actions import SKIP
from crypt_env.rules.batch import Arrays, arrays_without_finals, step_rows

from .base import Actions, Agent, Decisions
from .local_response import response_form
from .network import Network, load_network
from .policy import CANDIDATES, Policy
from .reach import deals
from .search import checked_inputs

MOST_SIMULATIONS = 65_536
EXPLORATION = 0.7
"""How much a decision tries actions that it has seldom tried; payoffs are scaled to lie between 0 and 1."""
_TOGETHER = 64
"""Decisions whose trees grow at the same time."""


class _Node:
    """A later decision of the seat: the actions it chooses from, how often each was tried and what it was paid."""

    __slots__ = ("actions", "paid", "visits")

    def __init__(self, actions: list[int]) -> None:
        """Try nothing yet."""
        self.actions = actions
        self.visits = [0] * len(actions)
        self.paid = [0.0] * len(actions)

    def choose(self, low: float, high: float) -> int:
        """Return the place of the action to try next: the untried ones in order, then by upper confidence bounds."""
        total = sum(self.visits)
        if total < len(self.actions):
            return self.visits.index(0)
        span, logarithm = (high - low) or 1.0, log(total)
        scores = [
            (paid / visits - low) / span + EXPLORATION * sqrt(logarithm / visits)
            for paid, visits in zip(self.paid, self.visits, strict=True)
        ]
        return scores.index(max(scores))


class _Tree:
    """The tree of one decision."""

    def __init__(self, actions: list[int]) -> None:
        """Start with the candidates of the decision itself."""
        self.root = _Node(actions)
        self.alive = list(range(len(actions)))
        self.nodes: dict[tuple[int, bytes], _Node] = {}
        self.low, self.high = np.inf, -np.inf

    def halve(self) -> None:
        """Drop the worse half of the candidates; all of them were tried equally often."""
        self.alive.sort(key=lambda place: -self.root.paid[place])
        del self.alive[(len(self.alive) + 1) // 2 :]

    def back_up(self, path: list[tuple[_Node, int]], paid: float) -> None:
        """Count what a simulation was paid."""
        self.low, self.high = min(self.low, paid), max(self.high, paid)
        for node, place in path:
            node.visits[place] += 1
            node.paid[place] += paid


class TreeResponse(Agent):
    """Exploits a policy by tree search, see this module."""

    needs_games = True
    name = "tbr"

    def __init__(self, network: Network, simulations: int = 512, draws: bool = False, weighs: bool = False) -> None:
        """Exploit a network.

        Args:
            network: the target.
            simulations: of each decision.
            draws: whether the target samples its actions.
            weighs: whether hidden cards are weighed by reach probabilities, where the decisions of others are known.
        """
        self._policy, self._simulations, self.needs_past = Policy(network, draws), simulations, weighs

    def act(self, decisions: Decisions) -> Actions:
        """Grow a tree for each decision."""
        games, bits = checked_inputs(self, decisions)
        order, counts = self._policy.likeliest(decisions.observations, decisions.masks, CANDIDATES)
        actions = np.empty(len(games), np.int64)
        for start in range(0, len(games), _TOGETHER):
            places = np.arange(start, min(start + _TOGETHER, len(games)))
            trees = [_Tree(order[place, : counts[place]].tolist()) for place in places]
            count = sum(self._shares())
            dealt = deals(self._policy, games, bits, decisions.past if self.needs_past else None, places, count)
            self._grow(trees, dealt.reshape(len(places), -1))
            actions[places] = [tree.root.actions[tree.alive[0]] for tree in trees]
        return actions

    def _shares(self) -> list[int]:
        """Return how many futures are played in each phase; half of the candidates are dropped after it."""
        phases = (CANDIDATES - 1).bit_length()
        return [max(1, self._simulations // phases // (CANDIDATES >> phase)) for phase in range(phases)]

    def _grow(self, trees: list[_Tree], dealt: NDArray[np.void]) -> None:
        """Play the futures of each tree, [trees, futures], with all candidates that are left."""
        future = 0
        for share in self._shares():
            for _ in range(share):
                self._simulate([tree for tree in trees if len(tree.alive) > 1], trees, dealt[:, future])
                future += 1
            for tree in trees:
                tree.halve()

    def _simulate(self, growing: list[_Tree], trees: list[_Tree], dealt: NDArray[np.void]) -> None:
        """Play one future of each tree that grows with each of its candidates."""
        rows = [(tree, place) for tree in growing for place in tree.alive]
        if not rows:
            return
        number = {id(tree): place for place, tree in enumerate(trees)}
        states = dealt[[number[id(tree)] for tree, _ in rows]]
        paths = [[(tree.root, place)] for tree, place in rows]
        first = np.array([tree.root.actions[place] for tree, place in rows])
        paid = _Simulation(self._policy, [tree for tree, _ in rows], paths).play(states, first)
        for (tree, _), path, payoff in zip(rows, paths, paid.tolist(), strict=True):
            tree.back_up(path, payoff)


class _Simulation:
    """Games that are played at the same time, each along a path through a tree and then on as the policy plays."""

    def __init__(self, policy: Policy, trees: list[_Tree], paths: list[list[tuple[_Node, int]]]) -> None:
        """Begin after the first action of each path."""
        self._policy, self._trees, self._paths = policy, trees, paths
        self._is_inside = np.ones(len(trees), np.bool_)
        """Whether a game is still in its tree."""

    def play(self, states: NDArray[np.void], first: Actions) -> NDArray[np.float32]:
        """Play to the end; return what the deciding seat is paid in each game."""
        arrays = arrays_without_finals(len(states))
        seats, memory = states["mover"].astype(np.int64), states.view(np.uint8)
        paid = np.zeros(len(states), np.float32)
        actions, running = first.copy(), np.arange(len(states))
        while len(running):
            step_rows(memory, 0, len(states), *arrays, actions)
            has_ended = arrays.dones[running]
            ended, running = running[has_ended], running[~has_ended]
            paid[ended], actions[ended] = arrays.rewards[ended, seats[ended]], SKIP
            decides = self._is_inside[running] & (arrays.movers[running] == seats[running])
            plays, mine = running[~decides], running[decides]
            actions[mine] = self._descend(arrays, mine)
            left = mine[actions[mine] == SKIP]  # those that have just left their trees
            plays = np.concatenate((plays, left))
            actions[plays] = self._policy.choose(states, plays, arrays)
        return paid

    def _descend(self, arrays: Arrays, rows: NDArray[np.int64]) -> Actions:
        """Return the actions that trees choose; `SKIP` where a decision is new, which is then added."""
        chosen = np.full(len(rows), SKIP)
        new: list[int] = []
        for place, row in enumerate(rows.tolist()):
            tree, root = self._trees[row], self._paths[row][0][1]
            node = tree.nodes.get((root, arrays.observations[row].tobytes()))
            if node is None:
                new.append(row)
                continue
            best = node.choose(tree.low, tree.high)
            self._paths[row].append((node, best))
            chosen[place] = node.actions[best]
        if new:
            self._add(arrays, new)
        return chosen

    def _add(self, arrays: Arrays, rows: list[int]) -> None:
        """Add decisions that were met for the first time, and leave the trees there."""
        order, counts = self._policy.likeliest(arrays.observations[rows], arrays.masks[rows], CANDIDATES)
        for place, row in enumerate(rows):
            key = (self._paths[row][0][1], arrays.observations[row].tobytes())
            self._trees[row].nodes[key] = _Node(order[place, : counts[place]].tolist())
            self._is_inside[row] = False


TREE_FORM = response_form("tbr", "simulations a decision", MOST_SIMULATIONS)


def tree_response(amount: str, reach: str | None, network: str, draws: str | None) -> Agent:
    """Make the agent of a text such as ``tbr:N:net:NAME``."""
    return TreeResponse(load_network(network), int(amount), draws is not None, weighs=reach is not None)
