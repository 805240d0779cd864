"""Turns played games into a report."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from crypt_env.notation.outcome import TITLES, solo_reason

from .match import WHOLE_WIN
from .ratings import rate
from .report import Cost, Difference, Mixture, Pairing, Rating, Report, Solo
from .schedule import Plan
from .statistics import CONFIDENCE, Numbers, mean_estimate, share_estimate
from .store import code_digest
from .workers import Done

ANCHOR = "random"
"""The agent whose rating is 0; the first agent if it does not play."""
QUANTILES = (5, 25, 50, 75, 95)
HISTOGRAM_STEP = 5


class Tally:
    """All results so far: filled chunk by chunk, in any order."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        shapes = [(plan.deals, len(lineup.agents)) for lineup in plan.lineups]
        self._shares = [np.zeros(shape, np.int64) for shape in shapes]
        self._coins = [np.zeros(shape, np.int64) for shape in shapes]
        self._decisions = np.zeros(len(plan.agents), np.int64)
        self._seconds = np.zeros(len(plan.agents))
        self.games = 0
        """How many games were played."""

    def add(self, done: Done) -> None:
        """Add a chunk."""
        task, played = done
        agents = list(self.plan.lineups[task.lineup].agents)
        self._shares[task.lineup][task.start : task.stop] = played.shares
        self._coins[task.lineup][task.start : task.stop] = played.coins
        self._decisions[agents] += played.decisions
        self._seconds[agents] += played.seconds
        self.games += (task.stop - task.start) * self.plan.players

    # -- numbers of each deal -----------------------------------------------------------------------------------------

    def _share(self, number: int, place: int) -> Numbers:
        """Return an agent's share of the wins in a line-up, for each deal."""
        return np.asarray(self._shares[number][:, place] / (WHOLE_WIN * self.plan.players))

    def _margin(self, number: int, place: int) -> Numbers:
        """Return by how many coins an agent's seats were ahead of the mean of all others, for each deal."""
        coins, players = self._coins[number], self.plan.players
        seats = self.plan.lineups[number].seats[place]
        own = coins[:, place] / (seats * players)
        others = (coins.sum(axis=1) - coins[:, place]) / ((players - seats) * players)
        return np.asarray(own - others)

    def _wins(self) -> Numbers:
        """Return the wins of every agent of every line-up, for each deal, as `rate` takes them. [D, columns]"""
        ordered = [
            shares[:, np.argsort(lineup.agents)] for lineup, shares in zip(self.plan.lineups, self._shares, strict=True)
        ]
        return np.asarray(np.concatenate(ordered, axis=1) / WHOLE_WIN)

    # -- rows of the report -------------------------------------------------------------------------------------------

    def report(self, confidence: float = CONFIDENCE) -> Report:
        """Return the report; all deals of the plan must have been played."""
        plan = self.plan
        is_solo = plan.players == 1
        return Report(
            plan.players,
            plan.games_played,
            plan.deals,
            plan.collectors,
            plan.seed,
            code_digest(plan.agents),
            confidence,
            plan.agents,
            () if is_solo else self._pairings(confidence),
            self._mixtures(confidence),
            () if is_solo else self._ratings(confidence),
            self._solos(confidence) if is_solo else (),
            self._differences(confidence) if is_solo else (),
            self._costs(),
        )

    def _pairings(self, confidence: float) -> tuple[Pairing, ...]:
        plan, rows = self.plan, []
        for number, lineup in enumerate(plan.lineups):
            if len(lineup.agents) == 2:
                share = share_estimate(self._share(number, 0), plan.strata, confidence)
                margin = mean_estimate(self._margin(number, 0), plan.strata, confidence)
                one, other = (plan.agents[agent] for agent in lineup.agents)
                rows.append(Pairing(one, other, plan.games_played, share, margin))
        return tuple(rows)

    def _mixtures(self, confidence: float) -> tuple[Mixture, ...]:
        if not self.plan.mixed:
            return ()
        rows = []
        for agent, name in enumerate(self.plan.agents):
            mixed = [(n, lineup.agents) for n, lineup in enumerate(self.plan.lineups) if len(lineup.agents) > 2]
            at = [(number, agents.index(agent)) for number, agents in mixed if agent in agents]
            share = share_estimate(np.mean([self._share(*seat) for seat in at], axis=0), self.plan.strata, confidence)
            margin = mean_estimate(np.mean([self._margin(*seat) for seat in at], axis=0), self.plan.strata, confidence)
            rows.append(Mixture(name, len(at) * self.plan.games_played, share, margin))
        return tuple(rows)

    def _ratings(self, confidence: float) -> tuple[Rating, ...]:
        plan = self.plan
        anchor = plan.agents.index(ANCHOR) if ANCHOR in plan.agents else 0
        estimates = rate(self._wins(), plan.seat_counts(), anchor, plan.strata, confidence=confidence)
        rows = [Rating(agent, elo) for agent, elo in zip(plan.agents, estimates, strict=True)]
        return tuple(sorted(rows, key=lambda row: -row.elo.value))

    def _solos(self, confidence: float) -> tuple[Solo, ...]:
        return tuple(
            _solo(self.plan.agents[lineup.agents[0]], coins[:, 0], self.plan.strata, confidence)
            for lineup, coins in zip(self.plan.lineups, self._coins, strict=True)
        )

    def _differences(self, confidence: float) -> tuple[Difference, ...]:
        rows = []
        for one, other in combinations(range(len(self.plan.agents)), 2):
            more = (self._coins[one][:, 0] - self._coins[other][:, 0]).astype(np.float64)
            estimate = mean_estimate(more, self.plan.strata, confidence)
            rows.append(Difference(self.plan.agents[one], self.plan.agents[other], estimate))
        return tuple(rows)

    def _costs(self) -> tuple[Cost, ...]:
        return tuple(
            Cost(agent, int(decisions), float(seconds) / max(1, int(decisions)) * 1e6)
            for agent, decisions, seconds in zip(self.plan.agents, self._decisions, self._seconds, strict=True)
        )


def _solo(agent: str, coins: NDArray[np.int64], strata: int, confidence: float) -> Solo:
    reasons = np.array([solo_reason(amount).value for amount in coins.tolist()])
    steps = Counter((coins // HISTOGRAM_STEP * HISTOGRAM_STEP).tolist())
    quantiles = np.percentile(coins, QUANTILES, method="inverted_cdf")
    return Solo(
        agent,
        len(coins),
        mean_estimate(coins.astype(np.float64), strata, confidence),
        float(coins.std(ddof=1)) if len(coins) > 1 else 0.0,
        {str(percent): float(value) for percent, value in zip(QUANTILES, quantiles, strict=True)},
        {str(step): steps[step] for step in sorted(steps)},
        {
            title.value: share_estimate((reasons == title.value).astype(np.float64), strata, confidence)
            for _, title in TITLES
        },
    )
