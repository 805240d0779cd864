"""Local best response by playouts: what is won by knowing a network's policy and trying out its likeliest actions.

In every decision this agent takes the actions that the network finds likeliest, plays each of them to the end of the
game many times, with the network in all seats, and chooses the one that pays most on average. All candidates meet the
same futures: the same determinization of what the seat cannot know, the same dice. What the agent wins against that
network is a lower bound of what a best response wins.

``lbr:64:net:duel``        8 candidates, 64 playouts each, against the network's likeliest actions
``lbr:64:net:duel:draw``   the same against the network that samples its actions
``lbr:64:reach:net:duel``  hidden cards are weighed by how the network would have played to get here, see `reach`
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .base import Actions, Agent, Decisions
from .lookahead import Lookahead
from .network import Network, load_network
from .policy import CANDIDATES, Policy
from .reach import deals
from .registry import Form
from .search import checked_inputs

MOST_PLAYOUTS = 4096
TOGETHER = 8192
"""Games that are played out at the same time at most, unless those of one decision are more."""


class LocalResponse(Agent):
    """Exploits a policy by playouts, see this module."""

    needs_games = True
    name = "lbr"

    def __init__(
        self,
        network: Network,
        playouts: int = 64,
        draws: bool = False,
        candidates: int = CANDIDATES,
        weighs: bool = False,
    ) -> None:
        """Exploit a network.

        Args:
            network: the target.
            playouts: of each candidate.
            draws: whether the target samples its actions.
            candidates: how many actions are tried.
            weighs: whether hidden cards are weighed by reach probabilities, where the decisions of others are known.
        """
        self._policy, self._lookahead = Policy(network, draws), Lookahead(network, None, draws)
        self._playouts, self._candidates, self.needs_past = playouts, candidates, weighs

    def act(self, decisions: Decisions) -> Actions:
        """Try the candidates of each decision."""
        games, bits = checked_inputs(self, decisions)
        past = decisions.past if self.needs_past else None
        order, counts = self._policy.likeliest(decisions.observations, decisions.masks, self._candidates)
        actions = np.empty(len(order), np.int64)
        together = max(1, TOGETHER // (self._candidates * self._playouts))
        for start in range(0, len(order), together):
            places = np.arange(start, min(start + together, len(order)))
            is_tried = np.arange(order.shape[1]) < counts[places, None]
            dealt = deals(self._policy, games, bits, past, places, self._playouts)
            means = np.where(is_tried, self._try(dealt, order[places], is_tried), -np.inf)
            actions[places] = order[places, means.argmax(axis=1)]
        return actions

    def _try(self, dealt: NDArray[np.void], order: Actions, is_tried: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the mean payoff of each candidate in these futures. [n, candidates]"""
        shape = (*order.shape, self._playouts)
        states = np.broadcast_to(dealt.reshape(len(order), 1, -1), shape)[is_tried].ravel()
        paid = self._lookahead.play(states, np.repeat(order[is_tried], self._playouts))
        means = np.zeros(order.shape)
        means[is_tried] = paid.reshape(-1, self._playouts).mean(axis=1)
        return means


def response_form(kind: str, amount: str, most: int) -> Form:
    """Return the form of an agent that responds to a network.

    Args:
        kind: the agent's name.
        amount: what its number counts.
        most: the highest number allowed.
    """
    return Form(
        r"(?P<amount>[1-9][0-9]{0,5}):(?P<reach>reach:)?net:(?P<network>(?!:draw$).+?)(?P<draws>:draw)?",
        f"allowed is '{kind}:N:net:NAME' with N {amount}, a whole number from 1 to {most}, and the name of the network "
        f"to exploit or its path, which has a slash; '{kind}:N:reach:net:NAME' weighs hidden cards; ':draw' at the end "
        "if the network samples its actions",
        {"amount": most},
    )


RESPONSE_FORM = response_form("lbr", "playouts of each candidate", MOST_PLAYOUTS)


def local_response(amount: str, reach: str | None, network: str, draws: str | None) -> Agent:
    """Make the agent of a text such as ``lbr:N:net:NAME``."""
    return LocalResponse(load_network(network), int(amount), draws is not None, weighs=reach is not None)
