"""Search by sequential halving: a network's likeliest actions, tried in playouts of the network.

All candidates of a decision meet the same futures: the same determinizations of what the seat cannot know, the same
dice. Half of them are dropped after each equal share of the playouts, until one is left. The score that decides is the
mean of the playouts plus the log of the network's probability; the less the playouts can be trusted, the more the
network counts. That is how Gumbel AlphaZero chooses at the root, without its noise.

``gumbel:256:net:duel``         256 playouts a decision, each up to the seat's fourth own decision, see `lookahead`
``gumbel:100ms:net:duel``       the same for 100 milliseconds a decision
``gumbel:256:depth2:net:duel``  playouts up to the seat's second own decision
``gumbel:256:end:net:duel``     playouts to the end of the game, without the network's value
``gumbel:256:net:duel:draw``    in playouts, all seats sample their actions from the network's probabilities
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from crypt_env.rules.chance import STEP
from crypt_env.rules.resample import resample_rows
from crypt_env.rules.state import STAYS
from crypt_env.table import positive

from .base import Actions, Agent, Decisions
from .lookahead import Lookahead
from .network import Network, load_network
from .network_search import value_is_usable
from .policy import CANDIDATES
from .registry import Form
from .search import MOST_MILLISECONDS, Budget, checked_inputs

DEPTH = 4
"""The own decision of the seat at which playouts stop."""
MOST_PLAYOUTS = 1 << 20
MOST_DEPTH = 99
BIAS = 0.025
"""Squared error of the network's value, as a difference between two actions, at the seat's first own decision after
them; it falls with the depth. In units of `Lookahead.unit`, like all that follows."""
NOISE = 0.06
"""Expected variance of a difference between two actions in one future, for each own decision of the playout."""
END_NOISE = 1.0
"""The same for playouts to the end."""
NOISE_WEIGHT = 4
"""Observations that the expected variance counts as."""
PRIOR_WEIGHT = 1.3
"""Payoff, divided by the variance of its estimate, that outweighs one unit of log probability."""
TOGETHER = 4096
"""Games that are played out at the same time at most."""
_DECISIONS = 512
"""Decisions searched at the same time."""
_FIRST = 4
"""Futures before the speed is known, if there is a time limit."""


class Race:
    """The candidates of some decisions, and what their playouts have paid so far."""

    def __init__(
        self,
        lookahead: Lookahead,
        games: NDArray[np.void],
        bits: NDArray[np.uint64],
        order: Actions,
        logs: NDArray[np.float64],
    ) -> None:
        """Begin.

        Args:
            lookahead: plays the playouts.
            games: [n]
            bits: [n]
            order: [n, candidates]: actions.
            logs: [n, candidates]: the logs of their probabilities, minus infinity if there are fewer candidates.
        """
        self._lookahead, self._bits, self.order, self._logs = lookahead, bits, order, logs
        self._games = games.copy()
        lookahead.prepare(self._games)
        for name, setting in (("restarts", STAYS), ("pauses", 0)):
            self._games[name] = setting
        self.alive = np.isfinite(logs)
        self._sums = np.zeros(order.shape)
        self._futures = np.zeros(len(games), np.int64)
        self._unit = lookahead.unit(self._games)
        depth = lookahead.depth
        expected = END_NOISE if depth is None else NOISE * depth
        self._bias = np.zeros(len(games)) if depth is None else BIAS / depth * self._unit**2
        self._squares, self._degrees = NOISE_WEIGHT * expected * self._unit**2, np.full(len(games), NOISE_WEIGHT)

    def play(self, futures: NDArray[np.int64]) -> None:
        """Play the candidates that are left in further futures of each decision. ``futures`` is [n]."""
        decisions, candidates = np.nonzero(self.alive & (futures[:, None] > 0))
        counts = futures[decisions]
        owners, tried = np.repeat(decisions, counts), np.repeat(candidates, counts)
        numbers = np.arange(len(owners)) - np.repeat(counts.cumsum() - counts, counts)
        paid = np.empty(len(owners))
        for start in range(0, len(owners), TOGETHER):
            part = slice(start, start + TOGETHER)
            states = self._deal(owners[part], numbers[part])
            paid[part] = self._lookahead.play(states, self.order[owners[part], tried[part]])
        self._note(futures, owners, tried, numbers, paid)

    def _deal(self, owners: NDArray[np.int64], numbers: NDArray[np.int64]) -> NDArray[np.void]:
        """Return determinized games: one more future for each number. [rows]"""
        states = self._games[owners]
        seeds = (self._futures[owners] + numbers + 1).astype(np.uint64) * STEP
        resample_rows(states, 0, len(states), states["mover"].copy(), self._bits[owners] ^ seeds)
        return states

    def _note(
        self,
        futures: NDArray[np.int64],
        owners: NDArray[np.int64],
        tried: NDArray[np.int64],
        numbers: NDArray[np.int64],
        paid: NDArray[np.float64],
    ) -> None:
        """Add payoffs to the sums; and to the variance what neither the candidate nor the future explains."""
        count, width = self.order.shape
        alive = np.maximum(self.alive.sum(axis=1), 1)
        sums = np.bincount(owners * width + tried, paid, count * width).reshape(count, width)
        first = futures.cumsum() - futures
        of_future = np.bincount(first[owners] + numbers, paid, futures.sum())
        per_future = np.maximum(futures, 1)
        squares = np.bincount(owners, paid**2, count) - (sums**2).sum(axis=1) / per_future
        squares -= np.bincount(np.repeat(np.arange(count), futures), of_future**2, count) / alive
        squares += sums.sum(axis=1) ** 2 / (per_future * alive)
        self._squares += 2 * np.maximum(squares, 0)  # a difference has twice the variance
        self._degrees += (alive - 1) * np.maximum(futures - 1, 0)
        self._sums += sums
        self._futures += futures

    def halve(self) -> None:
        """Drop the worse half of the candidates of each decision."""
        ranks = np.argsort(np.argsort(-self._scores(), axis=1, kind="stable"), axis=1)
        self.alive &= ranks < (self.alive.sum(axis=1, keepdims=True) + 1) // 2

    def _scores(self) -> NDArray[np.float64]:
        """Return the mean payoffs, and what the network's probabilities add. [n, candidates]"""
        logs = np.where(self.alive, self._logs, -np.inf)
        return np.asarray(self._means() + self._weights()[:, None] * logs)

    def _means(self) -> NDArray[np.float64]:
        """Return the mean payoffs. [n, candidates]"""
        return np.asarray(self._sums / np.maximum(self._futures, 1)[:, None])

    def _weights(self) -> NDArray[np.float64]:
        """Return the payoff that outweighs one unit of log probability. [n]"""
        variances = self._bias + self._squares / self._degrees / np.maximum(self._futures, 1)
        return np.asarray(PRIOR_WEIGHT * variances / self._unit)

    def probabilities(self) -> NDArray[np.float64]:
        """Return what the network's probabilities become by the payoffs. [n, candidates]

        Of all policies it is the one whose mean payoff, less its divergence from the network's, is highest. The
        divergence has the weight that `winners` gives to the log probabilities.
        """
        logits = self._scores() / self._weights()[:, None]
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))

    def winners(self) -> Actions:
        """Return the best action left of each decision. [n]"""
        return np.asarray(self.order[np.arange(len(self.order)), self._scores().argmax(axis=1)])


class HalvingSearch(Agent):
    """Tries a network's likeliest actions in playouts, see this module."""

    needs_games = True
    name = "gumbel"

    def __init__(
        self,
        network: Network,
        budget: Budget,
        depth: int | None = DEPTH,
        draws: bool = False,
        candidates: int = CANDIDATES,
    ) -> None:
        """Search on top of a network.

        Args:
            network: gives the candidates, and plays the playouts.
            budget: playouts of a decision, or milliseconds.
            depth: the own decision of the seat at which playouts stop; None for the end of the game.
            draws: whether playouts sample their actions.
            candidates: how many actions are tried.

        Raises:
            CryptError: the budget is below 1; or there is a depth, and the network's value does not tell what a game
                will pay.
        """
        positive("budget", budget.amount)
        self._budget, self._candidates = budget, candidates
        self._lookahead = Lookahead(network, depth, draws)

    def act(self, decisions: Decisions) -> Actions:
        """Search each decision."""
        games, bits = checked_inputs(self, decisions)
        actions = np.empty(len(games), np.int64)
        together = 1 if self._budget.is_time else max(1, min(_DECISIONS, 8 * TOGETHER // self._budget.amount))
        for start in range(0, len(games), together):
            part = slice(start, start + together)
            begun = time.perf_counter()
            order, logs = self._candidates_of(decisions.observations[part], decisions.masks[part])
            race = Race(self._lookahead, games[part], bits[part], order, logs)
            if self._budget.is_time:
                self._race_until(begun, begun + self._budget.amount / 1000, race)
            else:
                self._race(race)
            actions[part] = race.winners()
        return actions

    def _candidates_of(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> tuple[Actions, NDArray[np.float64]]:
        """Return the likeliest actions and the logs of their probabilities. Both are [n, candidates]."""
        logits = np.where(masks, self._lookahead.network.evaluate(observations)[0].astype(np.float64), -np.inf)
        order = np.argsort(-logits, axis=1, kind="stable")[:, : self._candidates]
        logs = logits - logits.max(axis=1, keepdims=True)
        return order, np.take_along_axis(logs, order, axis=1)

    def _race(self, race: Race) -> None:
        """Play the budget, an equal share of it between any two halvings."""
        phases = phases_of(race.alive)
        for _ in range(phases.max(initial=0)):
            alive = race.alive.sum(axis=1)
            share = self._budget.amount // np.maximum(phases, 1)
            race.play(np.where(alive > 1, np.maximum(1, share // alive), 0))
            race.halve()

    def _race_until(self, begun: float, end: float, race: Race) -> None:
        """Play a single decision until a deadline, for the same time between any two halvings."""
        phases, pace = int(phases_of(race.alive)[0]), 0.0
        for phase in range(1, phases + 1):
            until, futures = begun + (end - begun) * phase / phases, _FIRST
            alive = int(race.alive.sum())
            while True:
                start = time.perf_counter()
                if pace:
                    futures = min(int((until - start) / (pace * alive)), TOGETHER // alive)
                if futures < 1:
                    break
                race.play(np.array([futures]))
                pace = (time.perf_counter() - start) / (futures * alive)
            race.halve()


def phases_of(alive: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return how often the candidates of each decision can be halved. [n]"""
    return np.ceil(np.log2(np.maximum(alive.sum(axis=1), 1))).astype(np.int64)


GUMBEL_FORM = Form(
    r"((?P<amount>[1-9][0-9]{0,6})|(?P<milliseconds>[1-9][0-9]{0,6})ms)(:depth(?P<depth>[1-9][0-9]?)|:(?P<end>end))?"
    r":net:(?P<network>(?!:draw$).+?)(?P<draws>:draw)?",
    f"allowed are 'gumbel:N:net:NAME' with N playouts a decision, a whole number from 1 to {MOST_PLAYOUTS}, and "
    f"'gumbel:Nms:net:NAME' with N milliseconds, from 1 to {MOST_MILLISECONDS}, and the name of a network or its path, "
    f"which has a slash; before ':net' also ':depthK' with K own decisions in a playout, from 1 to {MOST_DEPTH}, or "
    "':end' for playouts to the end; ':draw' at the end if playouts sample their actions",
    {"amount": MOST_PLAYOUTS, "milliseconds": MOST_MILLISECONDS, "depth": MOST_DEPTH},
)


def halving_search(
    amount: str | None,
    milliseconds: str | None,
    depth: str | None,
    end: str | None,
    network: str,
    draws: str | None,
) -> Agent:
    """Make the agent of a text such as ``gumbel:N:net:NAME``.

    Without a depth, a network whose value does not tell what a game will pay plays to the end.
    """
    loaded = load_network(network)
    stops = int(depth) if depth else None if end or not value_is_usable(loaded) else DEPTH
    return HalvingSearch(loaded, Budget(int(milliseconds or amount or 0), amount is None), stops, draws is not None)
