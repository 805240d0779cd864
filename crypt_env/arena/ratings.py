"""Ratings on the Elo scale: the strengths that make the wins of a tournament most likely.

The model is Bradley-Terry for two players and Luce for more: every seat has the strength of its agent, and its
probability of winning is its share of the total strength at the table. Ten times the strength is 400 rating points. A
shared win counts as a fraction of a win.

One drawn game is added to each line-up, so that an agent that has won, or lost, everything has a rating too. Next to
thousands of games that is negligible; a rating that depends on it has a very wide interval.
"""

from __future__ import annotations

import numpy as np

from .statistics import CONFIDENCE, Estimate, Numbers, resampled_totals

ELO = 400 / np.log(10)
"""Rating points for a factor of e in strength."""
REPLICATES = 1000
_TOGETHER = 2**23
"""Bootstrap tournaments, times line-ups, times agents, that are fitted at once: that takes some 400 MB."""
_LONGEST_STEP = 2.0
_STEPS = 200


def fit_strengths(wins: Numbers, seats: Numbers, anchor: int = 0, start: Numbers | None = None) -> Numbers:
    """Return the maximum-likelihood log strengths; that of the anchor is 0.

    Args:
        wins: [tournaments, line-ups, agents]: wins and parts of wins. Every agent must be connected to every other by
            line-ups in which both have wins.
        seats: [line-ups, agents]: how many seats each agent has.
        anchor: the agent whose strength is 1.
        start: [agents], an initial guess of the log strengths; it only affects the time.

    Returns:
        [tournaments, agents].
    """
    games = wins.sum(axis=2, keepdims=True)
    free = np.flatnonzero(np.arange(seats.shape[1]) != anchor)
    logs = np.tile(np.zeros(seats.shape[1]) if start is None else start, (len(wins), 1))
    for _ in range(_STEPS):
        worth = seats * np.exp(logs)[:, None, :]
        probabilities = worth / worth.sum(axis=2, keepdims=True)
        expected = games * probabilities
        slope = (wins - expected).sum(axis=1)[:, free]
        curvature = -np.einsum("tla,tlb->tab", expected, probabilities)
        curvature[:, range(seats.shape[1]), range(seats.shape[1])] += expected.sum(axis=1)
        step = np.linalg.solve(curvature[:, free[:, None], free], slope[:, :, None])[:, :, 0]
        longest = np.abs(step).max(axis=1, keepdims=True, initial=0)
        logs[:, free] += step * np.minimum(1, _LONGEST_STEP / np.maximum(longest, 1e-12))
        if longest.max() < 1e-9:
            break
    return logs


def rate(
    wins: Numbers,
    seats: Numbers,
    anchor: int = 0,
    strata: int = 1,
    replicates: int = REPLICATES,
    seed: int = 0,
    confidence: float = CONFIDENCE,
) -> list[Estimate]:
    """Return the rating of every agent; that of the anchor is 0. Intervals come from a bootstrap over deals.

    Args:
        wins: [D, columns]: wins and parts of wins on each deal, one column for each number in `seats` that is not 0,
            line-up after line-up.
        seats: [line-ups, agents].
        anchor: index of the agent that all others are compared with.
        strata: as everywhere in `statistics`.
        replicates: number of bootstrap tournaments, each of resampled deals.
        seed: of the bootstrap.
        confidence: of the intervals.
    """
    drawn_game = seats / seats.sum(axis=1, keepdims=True)
    logs = fit_strengths(_placed(wins.sum(axis=0)[None], seats) + drawn_game, seats, anchor)[0]
    values = ELO * logs
    if len(wins) < 2:
        return [Estimate(float(value), None, None) for value in values]
    generator = np.random.default_rng(seed)
    totals = resampled_totals(wins, strata, replicates, generator)
    weights = generator.exponential(size=(replicates, len(seats), 1))
    together = max(1, _TOGETHER // seats.size)
    parts = [slice(start, start + together) for start in range(0, replicates, together)]
    fitted = [
        fit_strengths(_placed(totals[part], seats) + weights[part] * drawn_game, seats, anchor, logs) for part in parts
    ]
    replicated = np.concatenate(fitted)
    lows, highs = ELO * np.quantile(replicated, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    return [Estimate(*map(float, bounds)) for bounds in zip(values, lows, highs, strict=True)]


def _placed(totals: Numbers, seats: Numbers) -> Numbers:
    """Return totals, [tournaments, columns], with each column in place. [tournaments, line-ups, agents]"""
    placed = np.zeros((len(totals), *seats.shape))
    lineups, agents = np.nonzero(seats)
    placed[:, lineups, agents] = totals
    return placed
