"""Who meets whom on which deals: the plan of a tournament.

A *deal* is everything random before play starts: the deck, the table and the first Leader. Deal ``k`` is game ``k``
of a `Batch` with the tournament's seed, for any agents. A *line-up* is a set of agents at one table. Every line-up
plays the same deals, and each deal once in every seating: as many games as there are seats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypt_env.errors import CryptError, quoted
from crypt_env.rules.deal import TABLES
from crypt_env.table import RANDOM, flag, player_count, positive, seed_bits, table_rule

from .designs import EVEN, even_tables, table_text

MOST_LINEUPS = 100_000
MOST_RESULTS = 2**27
"""Deals times agents, over all line-ups: each takes about 24 bytes of memory."""

EVALUATION_SEED = 2_100_000_000
"""The seed of evaluation deals: far from the training seeds, so that no network has seen them."""
SELECTION_SEED = 2_000_000_000
"""The seed of the deals on which a training run selects its best network. Evaluation uses others, because selection
favors networks that were lucky on these."""


class Lineup(NamedTuple):
    """Agents at one table."""

    agents: tuple[int, ...]
    """The indices of the different agents in the plan. Of a pair the first has one seat, the second all others."""
    seats: tuple[int, ...]
    """How many seats each of them has."""

    def circles(self, deals: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return who sits clockwise from whom in each deal, as places in `agents`. [D, players]

        With more than two different agents all orders take turns, so that no agent always plays after the same one. The
        order changes after every 64 deals: with even tables, each order comes to each table.
        """
        if len(self.agents) <= 2:
            return np.tile(np.repeat(np.arange(len(self.agents)), self.seats), (len(deals), 1))
        orders = np.array([(0, *order) for order in permutations(range(1, len(self.agents)))])
        return np.asarray(orders[(deals + deals // TABLES) % len(orders)])

    def seatings(self, deals: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return who sits where in every game of some deals, as places in `agents`. [seatings, D, players]

        Seating ``s`` is the circle of the deal, turned so that it begins at seat ``s``: over all seatings each place
        of the circle, and so each agent, comes to every seat equally often.
        """
        circles = self.circles(deals)
        return np.stack([np.roll(circles, turn, axis=1) for turn in range(circles.shape[1])])


@dataclass(frozen=True)
class Plan:
    """Everything that decides the result of a tournament, except for the code that plays."""

    agents: tuple[str, ...]
    players: int
    games: int
    """How many games were asked for, for each line-up; `games_played` may be a few more."""
    collectors: str
    seed: int
    mixed: bool
    lineups: tuple[Lineup, ...]

    @property
    def deals(self) -> int:
        """How many deals there are: enough for the requested games; with even tables the same number for each."""
        deals = -(-self.games // self.players)
        return -(-deals // self.strata) * self.strata

    @property
    def games_played(self) -> int:
        """How many games each line-up plays: each deal in every seating."""
        return self.deals * self.players

    @property
    def total_games(self) -> int:
        """How many games there are in all."""
        return self.games_played * len(self.lineups)

    @property
    def tables(self) -> tuple[int, ...]:
        """The tables that the deals go through in turn, again and again; empty if there is no such set."""
        return even_tables(self.collectors)

    @property
    def strata(self) -> int:
        """How many groups the deals are drawn from: deal ``k`` belongs to group ``k % strata``."""
        return max(len(self.tables), 1)

    def seat_counts(self) -> NDArray[np.float64]:
        """Return how many seats each agent has in each line-up. [line-ups, agents]"""
        counts = np.zeros((len(self.lineups), len(self.agents)))
        for number, lineup in enumerate(self.lineups):
            counts[number, list(lineup.agents)] = lineup.seats
        return counts

    def as_json(self) -> dict[str, Any]:
        """Return the plan for a JSON file."""
        lineups = [[list(lineup.agents), list(lineup.seats)] for lineup in self.lineups]
        return {**vars(self), "agents": list(self.agents), "lineups": lineups}


def make_plan(
    agents: Sequence[str],
    players: int = 2,
    games: int = 1000,
    collectors: str = RANDOM,
    seed: int = 0,
    mixed: bool = False,
) -> Plan:
    """Plan a tournament in which every agent plays every other.

    Raises:
        CryptError: the arguments are not possible.
    """
    players = player_count(players)
    mixed = flag("mixed", mixed)
    lineups = _pairs(len(agents), players)
    if mixed:
        lineups += _mixtures(len(agents), players)
    return _checked(agents, players, games, collectors, seed, mixed, lineups)


def make_match_plan(
    agents: Sequence[str], players: int = 2, games: int = 1000, collectors: str = RANDOM, seed: int = 0
) -> Plan:
    """Plan a match: the first agent in one seat, the second in all others.

    Raises:
        CryptError: the arguments are not possible.
    """
    players = player_count(players)
    if players == 1:
        raise CryptError(
            "players=1 is not possible in a match, a solo game has one agent; evaluate it in a round robin"
        )
    return _checked(agents, players, games, collectors, seed, False, [Lineup((0, 1), (1, players - 1))])


def _pairs(agents: int, players: int) -> list[Lineup]:
    """Return the line-ups of all pairs. With more than two seats each agent of a pair takes the single seat once."""
    if players == 1:
        return [Lineup((number,), (1,)) for number in range(agents)]
    pairs = []
    for one, other in combinations(range(agents), 2):
        pairs.append(Lineup((one, other), (1, players - 1)))
        if players > 2:
            pairs.append(Lineup((other, one), (1, players - 1)))
    return pairs


def _mixtures(agents: int, players: int) -> list[Lineup]:
    if players < 3:
        raise CryptError(f"mixed tables with players={players} are not possible; they need 3 or 4 players")
    if agents < players:
        raise CryptError(f"mixed tables of {players} players need at least {players} agents; {agents} were given")
    if comb(agents, players) > MOST_LINEUPS:
        raise CryptError(
            f"{agents} agents have {comb(agents, players)} mixed tables of {players} players; "
            f"at most {MOST_LINEUPS} are possible"
        )
    return [Lineup(chosen, (1,) * players) for chosen in combinations(range(agents), players)]


def _checked(
    agents: Sequence[str], players: int, games: int, collectors: str, seed: int, mixed: bool, lineups: list[Lineup]
) -> Plan:
    for number, agent in enumerate(agents):
        if agent in agents[:number]:
            raise CryptError(f"agent {agent!r} was given twice; each agent of a tournament needs its own name")
    needed = 1 if players == 1 else 2
    if len(agents) < needed:
        given = f"only {agents[0]!r} was" if agents else "none was"
        raise CryptError(f"{'an agent is' if needed == 1 else 'at least two agents are'} needed, but {given} given")
    tables = check_tables(collectors)
    plan = Plan(tuple(agents), players, positive("games", games), tables, seed_bits(seed), mixed, tuple(lineups))
    results = plan.deals * sum(len(lineup.agents) for lineup in plan.lineups)
    if results > MOST_RESULTS:
        raise CryptError(
            f"games={quoted(games)} for each of {len(plan.lineups)} line-ups are {quoted(results)} results, for which "
            f"memory is too small; at most {MOST_RESULTS} are possible, with fewer games or fewer agents"
        )
    return plan


def check_tables(collectors: str) -> str:
    """Return a choice of tables in its canonical spelling.

    Raises:
        CryptError: it is none.
    """
    if collectors in (*EVEN, RANDOM):
        return collectors
    try:
        return table_text(table_rule(collectors))
    except CryptError as error:
        fewer = "'even-32', 'even-16' and 'even-8' for a balanced set of them"
        raise CryptError(f"{error}, or 'even' for all tables equally often; {fewer}") from None
