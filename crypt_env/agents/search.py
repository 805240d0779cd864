"""Agents that search: each thinks about a decision by playing what the seat does not know in many ways.

``search:200``          flat Monte Carlo: 200 playouts a candidate on average, best candidates more
``search:50ms``         the same for 50 milliseconds a decision
``ismcts:1000``         a tree over information sets, 1000 simulations a decision
``search:200:random``   uniformly random playouts instead of those of the tuned player; also for a tree

`NetworkSearch` is a tree whose leaves somebody's network evaluates. With a number of playouts or simulations a
decision follows from its bits alone; with milliseconds it depends on the machine.
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
"""Nodes of a tree at most; when they are used up, it goes on without new ones."""
POOL = 1 << 22
"""Nodes of all trees that grow together, at most, if there are several."""
NODES_A_LEAF = 64
"""Nodes in the pool for each leaf that an evaluator sees: more than seats have legal actions on average."""

MOST_AMOUNT = 10**7
"""Playouts or simulations for a decision at most, so that no count of visits overflows."""
MOST_MILLISECONDS = 3_600_000
MOST_EVALUATED = (POOL - 1 - ACTIONS) // NODES_A_LEAF
"""Simulations for a decision at most where an evaluator sees the leaves: the nodes of its tree fill the pool."""


class Budget(NamedTuple):
    """How long to think about a decision, and what plays the playouts."""

    amount: int
    is_time: bool = False
    """Whether the amount is in milliseconds."""
    policy: str = "tuned"


def search_form(name: str, unit: str) -> Form:
    """Return how the agents of a search are written; it spends such units where no time is given."""
    number = "[1-9][0-9]{0,15}"
    policies = " or ".join(repr(f":{policy}") for policy in POLICIES)
    return Form(
        f"((?P<amount>{number})|(?P<milliseconds>{number})ms|(?=$))(:(?P<policy>{'|'.join(POLICIES)}))?",
        f"allowed are '{name}', '{name}:N' with N {unit}, a whole number from 1 to {MOST_AMOUNT}, '{name}:Nms' with N "
        f"milliseconds a decision, from 1 to {MOST_MILLISECONDS}, and either followed by {policies}",
        {"amount": MOST_AMOUNT, "milliseconds": MOST_MILLISECONDS},
    )


def _searched(agent: Agent, decisions: Decisions) -> tuple[NDArray[np.void], NDArray[np.uint64]]:
    """Return the games to search in, and the bits.

    Raises:
        CryptError: they were not given, or are not what is needed.
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
    """Thinks about one decision after the other by playouts, up to a number of them or for some time."""

    imagines = True
    way: int
    default: int
    """How much it spends if nothing is said."""

    def __init__(self, budget: Budget) -> None:
        """Remember how long to think, and have the code ready."""
        self._budget = budget
        self._policy = int(POLICIES[budget.policy])
        get_ready()

    @classmethod
    def from_fields(cls: type[_Made], amount: str | None, milliseconds: str | None, policy: str | None) -> _Made:
        """Make the agent from the groups of its form."""
        spent = int(milliseconds or amount or cls.default)
        return cls(Budget(spent, milliseconds is not None, policy or "tuned"))

    @abstractmethod
    def _workspace(self) -> Workspace:
        """Return memory for one decision at a time."""

    @abstractmethod
    def _act_until(self, end: float, game: NDArray[np.void], bits: NDArray[np.uint64], workspace: Workspace) -> int:
        """Think about one decision up to a time of the clock."""

    def act(self, decisions: Decisions) -> Actions:
        """Think about each decision by itself."""
        games, bits = _searched(self, decisions)
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
    """Flat Monte Carlo: plays all legal actions to the end on the same deals, and the promising ones on more."""

    name = "search"
    way = HALVING
    default = 100

    def _workspace(self) -> Workspace:
        """Return memory for one decision at a time."""
        return new_workspace(1, FLAT_NODES)

    def _act_until(self, end: float, game: NDArray[np.void], bits: NDArray[np.uint64], workspace: Workspace) -> int:
        """Play deals, and drop half of the candidates after each equal part of the time, until one is left."""
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
        """Judge positions by what the seat that is asked may know.

        Args:
            observations: [n, FEATURES]
            masks: [n, ACTIONS]

        An evaluator with an attribute ``adds_earned`` that is true values in solo games what is still to be paid: the
        search adds the coins that are certain already.

        Returns:
            priors [n, ACTIONS], not negative, of which those of legal actions count, and need not sum to 1; and values
            [n]: what the game will pay that seat at the end.
        """
        ...


class NetworkSearch(Agent):
    """A tree a decision, whose leaves an evaluator judges, those of all decisions in one call (PUCT).

    At the end of a game counts what it pays. A value is that of one seat; the others are taken to share what it wins,
    as it is with rewards that sum to zero. A decision is the same in any batch if the evaluator's answers are.
    """

    imagines = True
    name = "puct"

    def __init__(self, evaluator: Evaluator, simulations: int) -> None:
        """Search with an evaluator, so many simulations a decision.

        Raises:
            CryptError: that is none, or more than fit into memory.
        """
        self._evaluator = evaluator
        self._adds_earned = bool(getattr(evaluator, "adds_earned", False))
        self._simulations = positive("simulations", simulations)
        if self._simulations > MOST_EVALUATED:
            raise CryptError(
                f"simulations={simulations} are not possible; allowed are 1 to {MOST_EVALUATED}, "
                f"for which the tree of a decision takes {POOL * NODE.itemsize >> 20} MiB"
            )
        get_ready()

    def act(self, decisions: Decisions) -> Actions:
        """Return the actions that were visited most."""
        return self.search(decisions)[0]

    def search(self, decisions: Decisions) -> tuple[Actions, NDArray[np.int64]]:
        """Return for each decision the action that was visited most, and how often each one was: [n], [n, ACTIONS]."""
        games, bits = _searched(self, decisions)
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
        """Run the simulations: all trees go down to a leaf each, the leaves are evaluated, the values go back up."""
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
        """Ask the evaluator, and check its answers.

        Raises:
            CryptError: they are not what is needed.
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
