"""Local best response by playouts: what is won by knowing a network's policy and trying out its likeliest actions.

In every decision this agent takes the actions that the network finds likeliest, plays each of them to the end of the
game many times, with the network in all seats, and chooses the one that pays most on average. All candidates meet the
same futures: the same determinization of what the seat cannot know, the same dice. What the agent wins against that
network is a lower bound of what a best response wins.

``lbr:64:net:duel``        8 candidates, 64 playouts each, against the network's likeliest actions
``lbr:64:net:duel:draw``   the same against the network that samples its actions
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crypt_env.rules.actions import SKIP
from crypt_env.rules.arrays import Arrays, new_arrays
from crypt_env.rules.batch import decision_bits, step_rows
from crypt_env.rules.observe import FEATURES
from crypt_env.rules.resample import resample_rows
from crypt_env.rules.state import STAYS

from .base import Actions, Agent, Decisions, draw
from .network import Network, load_network
from .registry import Form
from .search import searched

CANDIDATES = 8
"""How many of the network's likeliest actions are tried."""
MOST_PLAYOUTS = 4096
TOGETHER = 8192
"""Games that are played out at the same time at most, unless those of one decision are more."""
_ROWS = 512
"""Positions that the network evaluates at a time: what it computes then stays in the cache."""
_FUTURES = np.uint64(0x9E3779B97F4A7C15)


class Policy:
    """How a network plays: its likeliest actions, or actions sampled from its policy."""

    def __init__(self, network: Network, draws: bool) -> None:
        """Play a network."""
        self.network, self.draws = network, draws

    def choose(self, states: NDArray[np.void], rows: NDArray[np.int64], arrays: Arrays) -> NDArray[np.int64]:
        """Return the actions in the games listed, which a step has written to these arrays."""
        actions = np.empty(len(rows), np.int64)
        for start in range(0, len(rows), _ROWS):
            some = rows[start : start + _ROWS]
            observations, masks = arrays.observations[some], arrays.masks[some]
            if self.draws:
                bits = np.empty(len(some), np.uint64)
                decision_bits(states, some, bits)
                chosen = draw(self.network.probabilities(observations, masks).astype(np.float64), bits)
            else:
                chosen = np.where(masks, self.network.evaluate(observations)[0], -np.inf).argmax(axis=1)
            actions[start : start + _ROWS] = chosen
        return actions

    def play_out(self, states: NDArray[np.void], first: NDArray[np.int64]) -> NDArray[np.float32]:
        """Play the first actions, then this policy in all seats; return what each seat is paid. [n, MAX_PLAYERS]

        The games are changed; those that are over must stay so.
        """
        arrays = new_arrays(len(states))._replace(finals=np.zeros((0, FEATURES), np.int8))
        memory, paid = states.view(np.uint8), np.zeros_like(arrays.rewards)
        actions, running = first.copy(), np.arange(len(states))
        while len(running):
            step_rows(memory, 0, len(states), *arrays, actions)
            has_ended = arrays.dones[running]
            ended, running = running[has_ended], running[~has_ended]
            paid[ended], actions[ended] = arrays.rewards[ended], SKIP
            actions[running] = self.choose(states, running, arrays)
        return paid


class LocalResponse(Agent):
    """Exploits a policy by playouts, see this module."""

    needs_games = True
    name = "lbr"

    def __init__(self, network: Network, playouts: int = 64, draws: bool = False, candidates: int = CANDIDATES) -> None:
        """Exploit a network.

        Args:
            network: the target.
            playouts: of each candidate.
            draws: whether the target samples its actions.
            candidates: how many actions are tried.
        """
        self._policy = Policy(network, draws)
        self._playouts, self._candidates = playouts, candidates

    def act(self, decisions: Decisions) -> Actions:
        """Try the candidates of each decision."""
        games, bits = searched(self, decisions)
        probabilities = self._policy.network.probabilities(decisions.observations, decisions.masks)
        order = np.argsort(-probabilities, axis=1, kind="stable")[:, : self._candidates]
        counts = decisions.masks.sum(axis=1)
        actions = np.empty(len(order), np.int64)
        together = max(1, TOGETHER // (self._candidates * self._playouts))
        for start in range(0, len(order), together):
            some = slice(start, start + together)
            is_tried = np.arange(order.shape[1]) < counts[some, None]
            means = np.where(is_tried, self._try(games[some], bits[some], order[some], is_tried), -np.inf)
            actions[some] = np.take_along_axis(order[some], means.argmax(axis=1)[:, None], axis=1)[:, 0]
        return actions

    def _try(
        self, games: NDArray[np.void], bits: NDArray[np.uint64], order: Actions, is_tried: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Return the mean payoff of each candidate. [n, candidates]"""
        shape = (*order.shape, self._playouts)
        dealt = futures(games, bits, self._playouts)
        states = np.broadcast_to(dealt.reshape(len(games), 1, -1), shape)[is_tried].ravel()
        movers = states["mover"].astype(np.int64)
        paid = self._policy.play_out(states, np.repeat(order[is_tried], self._playouts))
        means = np.zeros(order.shape)
        means[is_tried] = paid[np.arange(len(paid)), movers].reshape(-1, self._playouts).mean(axis=1)
        return means


def futures(games: NDArray[np.void], bits: NDArray[np.uint64], count: int) -> NDArray[np.void]:
    """Return determinizations of each game for the seat to move, one game's after the other's. [n * count]"""
    dealt = np.repeat(games, count)
    numbers = np.tile(np.arange(1, count + 1, dtype=np.uint64), len(games))
    resample_rows(dealt, 0, len(dealt), dealt["mover"].copy(), np.repeat(bits, count) ^ (numbers * _FUTURES))
    dealt["restarts"], dealt["pauses"], dealt["dense"], dealt["paid"] = STAYS, 0, 0, 0
    return dealt


RESPONSE_FORM = Form(
    r"(?P<amount>[1-9][0-9]{0,5}):net:(?P<network>(?!:draw$).+?)(?P<draws>:draw)?",
    f"allowed is 'lbr:N:net:NAME' with N playouts of each candidate, a whole number from 1 to {MOST_PLAYOUTS}, and the "
    "name of the network to exploit or its path, which has a slash; ':draw' behind it if that one samples its actions",
    {"amount": MOST_PLAYOUTS},
)


def local_response(amount: str, network: str, draws: str | None) -> Agent:
    """Make the agent of a text ``lbr:N:net:NAME`` or ``lbr:N:net:NAME:draw``."""
    return LocalResponse(load_network(network), int(amount), draws is not None)
