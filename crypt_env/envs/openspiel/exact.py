"""Exact best responses on small positions, and how near other players come to them; OpenSpiel computes them.

>>> from crypt_env.envs.openspiel.exact import measure_response  # doctest: +SKIP
>>> measure_response("last_turn", "lbr:64:net:duel", "net:duel")  # doctest: +SKIP
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import pyspiel
from numpy.typing import NDArray
from open_spiel.python import policy
from open_spiel.python.algorithms import expected_game_score
from open_spiel.python.algorithms.best_response import BestResponsePolicy

from crypt_env.agents.base import Decisions
from crypt_env.agents.network import NetworkAgent
from crypt_env.agents.policy import Policy
from crypt_env.agents.registry import AnyAgent, make_agent
from crypt_env.errors import CryptError, quoted
from crypt_env.rules.actions import DRAW
from crypt_env.rules.batch import views
from crypt_env.rules.resample import resample_rows

from .game import CryptState
from .positions import POSITIONS, position_parameter

CONTESTED: dict[str, str] = {
    "push": (
        "crypt1 players=2 collectors=BAAABB deck=J4P3T4I3I4M3M4J1P2P1R2J2M2I1R3R4T2I2T3M1P4R1T1J3 round=8 "
        "leader=1 phase=claim turn=1 crypt=.,1:1x6,1:1x6 downs=1+1,x,0+0,0+0,1+1,1+1,0+0,c dice=1/2,0/1 "
        "public=J4M2M4P3R4T3,I1I3I4J1M1P1T2 flipped=-,I2 idols=2:0,5 decisions=35"
    ),
    "answer": (
        "crypt1 players=2 collectors=BBBBBA deck=M1J2I1M2J3R2M4J1M3R1R4J4I3T1T3P4I2R3T2I4P1P2P3T4 round=8 "
        "leader=1 phase=claim turn=2 crypt=0:1x1,0:1x1,. downs=f+1,1+1,0+0,1+1,0+0,0+01,0+0,c dice=0/1,3/0 "
        "public=I2J2J3M1M2R4T2,I1I3I4J1M4P4R1 flipped=M1,I2M1 idols=5:0,5 decisions=44"
    ),
    "last_word": (
        "crypt1 players=2 collectors=BBBAAA deck=T3I4T2J4R3J2I3M2P2P4M3P1J3R1R4I1I2M4R2M1T4J1T1P3 round=8 "
        "leader=1 phase=claim turn=2 crypt=.,1:1x1,0:1x6 downs=0+0,1+1,1+1,1+1,f+0,0+0,0+0,c dice=0/2,2/0 "
        "public=I1I3I4M2R1R4,I2J3J4P4T3 flipped=I2R2,- idols=3:5,0 decisions=37"
    ),
    "long_odds": (
        "crypt1 players=2 collectors=AAAAAA deck=I2P2I3T3J2R4J3M3T4P3P1R3J4I4T1T2P4M1M4J1M2I1R2R1 round=8 "
        "leader=0 phase=claim turn=2 crypt=0:1x1,1:1x6,1:2x5 downs=f+0,0+0,1+1,1+1,x,0+0,x,c dice=2/0,0/0 "
        "public=I3M3P3T2T3,I2J3J4M4P2P4 flipped=I1,I1 decisions=38"
    ),
    "half_turn": (
        "crypt1 players=2 collectors=ABAABA deck=I1T4T1I3J2J4P3M4P4M2I2I4J1R4J3P1M1T2M3R1R3P2T3R2 round=8 "
        "leader=1 phase=claim turn=1 placed=0 crypt=0:1x6,1:1x6,. downs=0+0,1+1,0+0,x,0+0,1+1,0+0,c dice=2/0,1/1 "
        "public=I1I3J1J2M1M4,M2M3P3R4T4 flipped=I2,- decisions=39"
    ),
}
"""Positions from games of a network in which the win is still open; in most of them the network can be exploited."""


class AgentPolicy(policy.Policy):  # type: ignore[misc]
    """An agent as a policy of OpenSpiel; the agent is asked when a state is first looked up.

    Its random bits follow from what the seat has seen, so it plays the same in all states that the seat cannot tell
    apart, unless it sees what it must not.
    """

    def __init__(self, game: Any, agent: AnyAgent) -> None:
        """Make a policy for all seats of a game."""
        super().__init__(game, list(range(game.num_players())))
        self._agent = make_agent(agent)
        found = self._agent
        self._policy = Policy(found.network, found.draws) if isinstance(found, NetworkAgent) else None
        self._known: dict[str, dict[int, float]] = {}

    def action_probabilities(self, state: CryptState, player_id: int | None = None) -> dict[int, float]:
        """Return the probability of each legal action."""
        key = str(state)
        if key not in self._known:
            self._known[key] = self._asked(state)
        return self._known[key]

    def _asked(self, state: CryptState) -> dict[int, float]:
        """Ask the agent."""
        row = state.point.row
        observations, masks = views(row)
        if self._policy is not None:
            probabilities = self._policy.probabilities(observations, masks)[0]
            return {action: float(probabilities[action]) for action in np.flatnonzero(masks[0]).tolist()}
        action = self._played(row, observations, masks, crc32(state.information_state_string().encode()))
        legal = np.flatnonzero(masks[0]).tolist()
        if action == DRAW:
            return dict.fromkeys(legal, 1 / len(legal))
        return {each: float(each == action) for each in legal}

    def _played(
        self, row: NDArray[np.void], observations: NDArray[np.int8], masks: NDArray[np.bool_], number: int
    ) -> int:
        """Return what the agent plays with these random bits."""
        bits = np.array([number], np.uint64)
        games = row.copy()
        resample_rows(games, 0, 1, games["mover"].copy(), bits)
        games["pauses"] = 0
        memory = np.zeros((1, self._agent.memory_size), np.float32)
        decisions = Decisions(observations, masks, bits, games if self._agent.needs_games else None, memory)
        return int(self._agent.act(decisions)[0])


class Measured(NamedTuple):
    """What a seat is paid on average in a small position against the target in the other seat."""

    position: str
    seat: int
    even: float
    """If the target plays both seats."""
    response: float
    """If the responder plays the seat."""
    best: float
    """If the seat plays a best response: the most that is possible."""

    @property
    def found(self) -> float | None:
        """The part of a best response's gain that the responder finds; None if there is nothing to gain."""
        gain = self.best - self.even
        return (self.response - self.even) / gain if gain > 1e-9 else None


class SmallPosition:
    """A position, and one target that plays in it."""

    def __init__(self, position: str, target: AnyAgent, reward: str = "win") -> None:
        """Load a position, by its name in `CONTESTED` or `POSITIONS`.

        Raises:
            CryptError: there is no such position.
        """
        if not isinstance(position, str) or position not in {*CONTESTED, *POSITIONS}:
            names = ", ".join([*CONTESTED, *POSITIONS])
            raise CryptError(f"position={quoted(position)} is not known; allowed are {names}")
        self.position = position
        parameter = position_parameter(CONTESTED[position]) if position in CONTESTED else position
        self.game = pyspiel.load_game(f"crypt_endgame(position={parameter},reward={reward})")
        self._target = AgentPolicy(self.game, target)

    @cached_property
    def even(self) -> list[float]:
        """What each seat is paid if the target plays both."""
        return self._values([self._target] * 2)

    @cached_property
    def best(self) -> list[float]:
        """What each seat is paid by a best response."""
        start = self.game.new_initial_state()
        return [float(BestResponsePolicy(self.game, seat, self._target, start).value(start)) for seat in range(2)]

    def measure(self, responder: AnyAgent) -> list[Measured]:
        """Measure a responder in each seat."""
        response = AgentPolicy(self.game, responder)
        values = [self._values([response, self._target]), self._values([self._target, response])]
        return [
            Measured(self.position, seat, self.even[seat], values[seat][seat], self.best[seat]) for seat in range(2)
        ]

    def _values(self, players: list[AgentPolicy]) -> list[float]:
        """Return what the seats are paid on average if these policies play them."""
        paid: NDArray[np.float64] = expected_game_score.policy_value(self.game.new_initial_state(), players)
        return [float(value) for value in paid]


def measure_response(position: str, responder: AnyAgent, target: AnyAgent, reward: str = "win") -> list[Measured]:
    """Return what a responder is paid against a target in each seat of a small position, and the most possible.

    Args:
        position: its name, one of `CONTESTED` or `POSITIONS`.
        responder: plays one seat.
        target: plays the other.
        reward: "win", "margin" or "coins".
    """
    return SmallPosition(position, target, reward).measure(responder)
