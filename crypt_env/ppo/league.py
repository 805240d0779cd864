"""The league: agents that play some seats of some games against the learner."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crypt_env import Arrays, Batch
from crypt_env.agents.base import Agent
from crypt_env.agents.cast import NO_AGENT, Cast
from crypt_env.agents.network import Network, NetworkAgent
from crypt_env.errors import CryptError, quoted
from crypt_env.rules.batch import seat_bits
from crypt_env.rules.cards import MAX_PLAYERS
from crypt_env.table import checked_number

from .checks import check_all_like

SNAPSHOT = "snapshot"
"""What the names of past selves begin with."""

EXPLOITER = "exploiter"
"""What the names of networks begin with that were trained against a past self."""

MOST_AGENTS = 100
"""Agents, past selves and exploiters together."""

_PRIOR_GAMES = 20.0
"""Imagined games against each agent, half of them won, that are added to the results."""


class League:
    """Gives all seats but one to an agent in a share of the games; stronger agents are drawn more often.

    The draws follow from the games' seeds and the results so far, so a run can be repeated.
    """

    def __init__(self, agents: list[Agent], share: float, power: float = 1.0, memory: float = 1.0) -> None:
        """Make a league.

        Args:
            agents: the opponents.
            share: of the games that are not pure self-play.
            power: agents are drawn with weight (1 - the learner's share of wins) to this power; 0 is evenly.
            memory: what `fade` leaves of the results.

        Raises:
            CryptError: an argument is not possible.
        """
        self.share, self.power = checked_number("share", share, 0, 1), checked_number("power", power, 0)
        self._memory = checked_number("memory", memory, 0, 1)
        _check_count(len(agents))
        for agent in agents:
            _check_agent(agent)
        self._agents = list(agents)
        self.games = np.zeros(len(agents))
        """Games finished against each agent."""
        self.wins = np.zeros(len(agents))
        """The learner's wins among them, sole or shared if that pays."""
        self._counting = threading.Lock()

    def sit_down(self, batch: Batch) -> None:
        """Play in these games from now on."""
        self._batch = batch
        self._players = batch.states["players"].copy()
        self._cast = Cast(len(batch), self._agents)
        self._learners = np.zeros(len(batch), np.int8)
        self._opponents = np.full(len(batch), NO_AGENT, np.int64)
        self._paid = np.zeros((len(batch), MAX_PLAYERS))
        self.refresh()

    def refresh(self) -> None:
        """From now on, draw agents by the results so far. Until the next call these weights stay, for any thread."""
        self._limits = np.cumsum(self.weights())[:-1]

    def fade(self) -> None:
        """Have the results so far count less, if the league forgets; call it once for each rollout."""
        self.games *= self._memory
        self.wins *= self._memory

    def results(self) -> NDArray[np.float64]:
        """Return a copy of the games finished against each agent, and the learner's wins. [2, agents]"""
        return np.stack([self.games, self.wins])

    def count(self, results: NDArray[np.float64]) -> None:
        """Replace the results so far, such as by those of all workers' games."""
        self.games[:], self.wins[:] = results

    @property
    def owners(self) -> NDArray[np.int16]:
        """[N, seats]: the number of the agent that plays each seat, `NO_AGENT` for the learner."""
        return self._cast.owners

    @property
    def agents(self) -> list[Agent]:
        """Who plays."""
        return self._agents

    @property
    def names(self) -> list[str]:
        """The agents' names."""
        return [agent.name for agent in self._agents]

    def add(self, agent: Agent, most: int | None = None) -> None:
        """Add an agent, such as a snapshot of the learner; with ``most`` of its kind it replaces the easiest one.

        Raises:
            CryptError: it needs to know what was decided before, which checkpoints do not hold; or there are too many.
        """
        _check_agent(agent)
        kind = EXPLOITER if agent.name.startswith(EXPLOITER) else SNAPSHOT
        same = [number for number, other in enumerate(self._agents) if other.name.startswith(kind)]
        if most is None or len(same) < most:
            _check_count(len(self._agents) + 1)
            self._agents.append(agent)
            self.games, self.wins = np.append(self.games, 0.0), np.append(self.wins, 0.0)
            self._cast.add(agent)
            return
        easiest = same[int(np.argmax(((self.wins + _PRIOR_GAMES / 2) / (self.games + _PRIOR_GAMES))[same]))]
        self._agents[easiest] = self._cast.agents[easiest] = agent  # games that have begun go on against the new one
        self.games[easiest] = self.wins[easiest] = 0.0

    def weights(self) -> NDArray[np.float64]:
        """Return the chance of each agent to be drawn."""
        losses = 1 - (self.wins + _PRIOR_GAMES / 2) / (self.games + _PRIOR_GAMES)
        weights = np.maximum(losses, 0.02) ** self.power
        return np.asarray(weights / weights.sum())

    def seat(self, games: NDArray[np.int64]) -> None:
        """Decide who plays the games listed, which were just dealt."""
        self._paid[games] = 0
        if not self._agents:
            return
        bits = np.empty((len(games), 3), np.uint64)
        seat_bits(self._batch.states, games, bits)
        marks = (bits >> np.uint64(11)) / 2.0**53
        players = self._players[games]
        is_league = (marks[:, 0] < self.share) & (players > 1)
        drawn = np.searchsorted(self._limits, marks[:, 1], side="right")
        self._learners[games] = (marks[:, 2] * players).astype(np.int8)
        self._opponents[games] = np.where(is_league, drawn, NO_AGENT)
        seats = np.arange(MAX_PLAYERS)
        is_others = (seats != self._learners[games, None]) & (seats < players[:, None]) & is_league[:, None]
        self.owners[games] = np.where(is_others, drawn[:, None], NO_AGENT)
        self._cast.forget(games)

    def answer(self, arrays: Arrays, games: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Write the agents' actions of the games listed to their places."""
        if len(games):
            self._cast.answer(self._batch.states, arrays, games, actions)

    def follow(self, rewards: NDArray[np.float32], dones: NDArray[np.bool_], start: int = 0) -> None:
        """Note a step of the games from ``start`` on, and decide who plays the next episodes of those that ended.

        Args:
            rewards: what each seat was paid, [games, seats]; dense games pay bit by bit, and all of it counts.
            dones: which games ended.
            start: the number of the first game.
        """
        self._paid[start : start + len(dones)] += rewards
        games = start + np.flatnonzero(dones)
        if not len(games):
            return
        against = self._opponents[games]
        mine = against != NO_AGENT
        ended = games[mine]
        paid = self._paid[ended, self._learners[ended]]
        best = self._paid[ended].max(axis=1)
        with self._counting:
            np.add.at(self.games, against[mine], 1.0)
            np.add.at(self.wins, against[mine], (paid >= best) & (paid > 0))
        self.seat(games)

    # -- checkpoints --------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Return all that changes: snapshots and exploiters, results, who plays where, and the agents' memories."""
        snapshots = [
            {"name": agent.name, "facts": agent.network.facts, "weights": agent.network.weights}
            for agent in self._agents
            if isinstance(agent, NetworkAgent) and agent.name.startswith((SNAPSHOT, EXPLOITER))
        ]
        return {"snapshots": snapshots, **{name: array.copy() for name, array in self._arrays().items()}}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over the state of another league that began with the same agents.

        Raises:
            ValueError: the state is not possible; see `SelfPlayPPO.load_state_dict`.
        """
        snapshots = state["snapshots"]
        if len(self._agents) + len(snapshots) > MOST_AGENTS:
            raise ValueError(f"its league has {len(snapshots)} snapshots")
        for snapshot in snapshots:
            if not str(snapshot["name"]).startswith((SNAPSHOT, EXPLOITER)):
                raise ValueError(f"a snapshot is called {quoted(snapshot['name'])}")
            agent = NetworkAgent(Network(snapshot["weights"], snapshot["facts"]), draws=True)
            agent.name = snapshot["name"]
            self.add(agent)
        arrays = self._arrays()
        given = {name: array for name, array in state.items() if name != "snapshots"}
        check_all_like("league", given, arrays)
        self._check(given)
        for name, array in arrays.items():
            array[:] = given[name]
        self.owners[:] = given["owners"]

    def _arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that change, themselves; of the owners a copy, with a byte for each, as in checkpoints."""
        return {
            "games": self.games,
            "wins": self.wins,
            "learners": self._learners,
            "opponents": self._opponents,
            "owners": self.owners.astype(np.int8),
            "paid": self._paid,
            **{f"memory {number}": memory for number, memory in enumerate(self._cast._memories)},
        }

    def _check(self, arrays: dict[str, NDArray[Any]]) -> None:
        games, wins = arrays["games"], arrays["wins"]
        if (games < 0).any() or (wins < 0).any() or (wins > games).any():
            raise ValueError("the league's results are not possible")
        for name in ("opponents", "owners"):
            if (arrays[name] < NO_AGENT).any() or (arrays[name] >= len(self._agents)).any():
                raise ValueError(f"the league's {name} are not all among its {len(self._agents)} agents")
        if (arrays["learners"] < 0).any() or (arrays["learners"] >= self._players).any():
            raise ValueError("a learner sits on a seat that its table does not have")


def _check_count(count: int) -> None:
    """Raise CryptError if there are more agents than a checkpoint may have."""
    if count > MOST_AGENTS:
        raise CryptError(f"{count} agents are too many for a league; at most {MOST_AGENTS} are allowed")


def _check_agent(agent: Agent) -> None:
    """Raise CryptError for an agent of which a checkpoint would not hold all that it knows."""
    if agent.needs_past:
        raise CryptError(f"{agent.name} cannot play in a league: it weighs what was decided before in each game")
