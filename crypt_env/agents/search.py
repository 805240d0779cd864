"""Agents that search: each decision is simulated on many determinizations of what the seat does not know.

``search:200``          flat Monte Carlo: 200 playouts a candidate on average, the best ones get more
``search:50ms``         the same for 50 milliseconds a decision
``ismcts:1000``         a tree over information sets, 1000 simulations a decision
``search:200:random``   uniformly random playouts instead of those of the tuned player; also for a tree

`NetworkSearch` is a tree whose leaves an evaluator, such as a network, judges. With a number of playouts or
simulations a decision depends only on its bits; with milliseconds it also depends on the machine.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from crypt_env.errors import CryptError
from crypt_env.rules.actions import ACTIONS
from crypt_env.rules.state import GAME
from crypt_env.table import positive

from .base import Actions, Agent, Decisions, plain_array
from .playouts import POLICIES
from .registry import Form
from .thinking import DEALS, DESCENT, GROWING, HALVING, Workspace, get_ready, new_workspace, think
from .tree import NODE, NOTHING, back_up_rows, best_rows, count_visits, halve_rows

CHUNK = 256
"""Playouts between two looks at the clock."""
FLAT_NODES = 1 + ACTIONS
MOST_NODES = 1 << 20
"""Maximum nodes of a tree; when they are used up, the search continues without new ones."""
POOL = 1 << 22
"""Maximum nodes of all trees that grow together, if there are several."""
NODES_A_LEAF = 64
"""Nodes in the pool for each leaf that an evaluator sees: more than seats have legal actions on average."""

MOST_AMOUNT = 10**7
"""Maximum playouts or simulations for a decision, so that visit counts cannot overflow."""
MOST_MILLISECONDS = 3_600_000
MOST_EVALUATED = (POOL - 1 - ACTIONS) // NODES_A_LEAF
"""Maximum simulations for a decision with an evaluator: the nodes of its tree fill the pool."""


class Budget(NamedTuple):
    """How much to search for a decision, and the playout policy."""

    amount: int
    is_time: bool = False
    """Whether the amount is in milliseconds."""
    policy: str = "tuned"


def search_form(name: str, unit: str) -> Form:
    """Return the form of a search agent's text; ``unit`` is what it counts where no time is given."""
    number = "[1-9][0-9]{0,15}"
    policies = " or ".join(repr(f":{policy}") for policy in POLICIES)
    return Form(
        f"((?P<amount>{number})|(?P<milliseconds>{number})ms|(?=$))(:(?P<policy>{'|'.join(POLICIES)}))?",
        f"allowed are '{name}', '{name}:N' with N {unit}, a whole number from 1 to {MOST_AMOUNT}, '{name}:Nms' with N "
        f"milliseconds a decision, from 1 to {MOST_MILLISECONDS}, and either followed by {policies}",
        {"amount": MOST_AMOUNT, "milliseconds": MOST_MILLISECONDS},
    )


def checked_inputs(agent: Agent, decisions: Decisions) -> tuple[NDArray[np.void], NDArray[np.uint64]]:
    """Return the games to search in, and their random bits.

    Raises:
        CryptError: they were not given, or are malformed.
    """
    if decisions.games is None:
        raise CryptError(f"agent {agent.name!r} searches in games, but Decisions.games was not given")
    count = len(decisions.games)
    games = plain_array("games", decisions.games, GAME, count)
    movers = games["mover"]
    if count and movers.min() < 0:
        raise CryptError(
            f"agent {agent.name!r} searches where a seat decides, but in game {movers.argmin()} of {count} none does"
        )
    return games, plain_array("bits", decisions.bits, np.uint64, count)


_Made = TypeVar("_Made", bound="_PlayoutAgent")


class _PlayoutAgent(Agent):
    """Decides one game after the other by playouts, up to a number of them or a time limit."""

    needs_games = True
    way: int
    default: int
    """The default budget."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._policy = int(POLICIES[budget.policy])
        get_ready()

    @classmethod
    def from_fields(cls: type[_Made], amount: str | None, milliseconds: str | None, policy: str | None) -> _Made:
        """Make the agent from the named groups of its form."""
        spent = int(milliseconds or amount or cls.default)
        return cls(Budget(spent, milliseconds is not None, policy or "tuned"))

    @abstractmethod
    def _workspace(self) -> Workspace:
        """Return memory for one decision at a time."""

    @abstractmethod
    def _act_until(self, end: float, game: NDArray[np.void], bits: NDArray[np.uint64], workspace: Workspace) -> int:
        """Search one decision until a deadline."""

    def act(self, decisions: Decisions) -> Actions:
        """Search each decision independently."""
        games, bits = checked_inputs(self, decisions)
        workspace = self._workspace()
        if not self._budget.is_time:
            return think(games, bits, workspace, self.way, self._policy, self._budget.amount, True)
        actions = np.empty(len(games), np.int64)
        for index in range(len(games)):
            end = time.perf_counter() + self._budget.amount / 1000
            only = slice(index, index + 1)
            actions[index] = self._act_until(end, games[only], bits[only], workspace)
        return actions


class SearchAgent(_PlayoutAgent):
    """Flat Monte Carlo: plays out all legal actions on the same deals, and the promising ones on more."""

    name = "search"
    way = HALVING
    default = 100

    def _workspace(self) -> Workspace:
        """Return memory for one decision at a time."""
        return new_workspace(1, FLAT_NODES)

    def _act_until(self, end: float, game: NDArray[np.void], bits: NDArray[np.uint64], workspace: Workspace) -> int:
        """Play deals, and drop half of the candidates after each equal share of the time, until one is left."""
        start, tree = time.perf_counter(), workspace.trees[0]
        think(game, bits, workspace, DEALS, self._policy, 1, True)
        phases = (int(tree["alive"]) - 1).bit_length()
        for phase in range(1, phases + 1):
            while time.perf_counter() < start + (end - start) * phase / phases:
                think(game, bits, workspace, DEALS, self._policy, max(1, CHUNK // int(tree["alive"])), False)
            halve_rows(workspace.trees, workspace.nodes)
        return int(workspace.nodes[1]["action"])


class TreeSearchAgent(_PlayoutAgent):
    """Information-set Monte Carlo tree search: playouts from the leaves of one tree a decision, see `tree`."""

    name = "ismcts"
    way = GROWING
    default = 1000

    def _workspace(self) -> Workspace:
        """Return memory for one decision at a time: a simulation adds at most one node."""
        return new_workspace(1, MOST_NODES if self._budget.is_time else min(1 + self._budget.amount, MOST_NODES))

    def _act_until(self, end: float, game: NDArray[np.void], bits: NDArray[np.uint64], workspace: Workspace) -> int:
        """Simulate until the time is up, at least once."""
        action = think(game, bits, workspace, self.way, self._policy, CHUNK, True)
        while time.perf_counter() < end:
            action = think(game, bits, workspace, self.way, self._policy, CHUNK, False)
        return int(action[0])


# -- with a network ---------------------------------------------------------------------------------------------------


class Evaluator(Protocol):
    """What `NetworkSearch` asks at the leaves: a network, or anything else."""

    def evaluate(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]]:
        """Evaluate positions by what the seat to move may know.

        Args:
            observations: [n, FEATURES]
            masks: [n, ACTIONS]

        If an evaluator's attribute ``adds_earned`` is true, its values in solo games are what is still to be paid, and
        the search adds the coins that are already certain. If it has ``reward_rule``, the number of a reward, its
        values are about that one, and games that end in the search pay it too; otherwise they pay their own.

        Returns:
            priors [n, ACTIONS], not negative; only those of legal actions count, and they need not sum to 1. And values
            [n]: the expected payoff to that seat at the end.
        """
        ...


class NetworkSearch(Agent):
    """PUCT: one tree per decision; the evaluator judges the leaves of all trees in one batch.

    At the end of a game its actual payoff counts. A value is that of one seat; the others are assumed to share the
    opposite, as in a zero-sum game. A decision is the same in any batch if the evaluator's answers are.
    """

    needs_games = True
    name = "puct"

    def __init__(self, evaluator: Evaluator, simulations: int) -> None:
        """Search with an evaluator, a fixed number of simulations per decision.

        Raises:
            CryptError: the number is below 1, or does not fit into memory.
        """
        self._evaluator = evaluator
        self._rule: int | None = getattr(evaluator, "reward_rule", None)
        self._adds_earned = bool(getattr(evaluator, "adds_earned", False))
        self._simulations = positive("simulations", simulations)
        if self._simulations > MOST_EVALUATED:
            raise CryptError(
                f"simulations={simulations} are not possible; allowed are 1 to {MOST_EVALUATED}, "
                f"for which the tree of a decision takes {POOL * NODE.itemsize >> 20} MiB"
            )
        get_ready()

    def act(self, decisions: Decisions) -> Actions:
        """Return the most visited actions."""
        return self.search(decisions)[0]

    def search(self, decisions: Decisions) -> tuple[Actions, NDArray[np.int64]]:
        """Return for each decision the most visited action, and all visit counts: [n], [n, ACTIONS]."""
        games, bits = checked_inputs(self, decisions)
        if self._rule is not None:
            games = games.copy()
            games["reward_rule"] = self._rule
        actions = np.empty(len(games), np.int64)
        visits = np.zeros((len(games), ACTIONS), np.int64)
        size = 1 + ACTIONS + NODES_A_LEAF * self._simulations
        together = max(1, POOL // size)
        for start in range(0, len(games), together):
            part = slice(start, start + together)
            workspace = new_workspace(len(games[part]), size)
            self._grow(games[part], bits[part], workspace)
            best_rows(workspace.trees, workspace.nodes, actions[part])
            count_visits(workspace.trees, workspace.nodes, visits[part])
        return actions, visits

    def _grow(self, games: NDArray[np.void], bits: NDArray[np.uint64], workspace: Workspace) -> None:
        """Run the simulations: every tree selects a leaf, one batch evaluates them, the values are backed up."""
        trees, nodes, _, observations, masks, _, payoffs = workspace
        for simulation in range(self._simulations):
            think(games, bits, workspace, DESCENT, 0, 1, simulation == 0)
            rows = np.flatnonzero(trees["waits"] != NOTHING)
            priors, values = self._evaluate(observations[rows], masks[rows])
            if self._adds_earned:
                values += payoffs[rows, trees["mover"][rows]]
            back_up_rows(trees, nodes, masks, payoffs, rows, priors, values)

    def _evaluate(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Call the evaluator, and check its answers.

        Raises:
            CryptError: they are malformed.
        """
        if not len(masks):
            return np.empty((0, ACTIONS)), np.empty(0)
        answer = self._evaluator.evaluate(observations, masks)
        priors, values = (np.array(array, np.float64) for array in answer)
        if priors.shape != masks.shape or values.shape != (len(masks),):
            raise CryptError(
                f"the evaluator answered priors of shape {priors.shape} and values of shape {values.shape} to "
                f"{len(masks)} positions; {masks.shape} and {(len(masks),)} are needed"
            )
        if not np.isfinite(values).all() or not np.isfinite(priors[masks]).all() or (priors[masks] < 0).any():
            raise CryptError("the evaluator answered a prior below 0, or a prior or value that is not finite")
        return priors, values
