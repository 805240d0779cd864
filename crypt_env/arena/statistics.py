"""Estimates with intervals, from numbers that are independent only across deals.

The games of one deal are correlated, across seatings and across line-ups. So everything here takes one number for each
deal, and the intervals come from the variance between deals. With even tables deal ``k`` belongs to stratum ``k % 64``:
differences between tables are then not part of the error, because each table has the same number of deals.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95

Numbers = NDArray[np.float64]


class Estimate(NamedTuple):
    """A number and its confidence interval."""

    value: float
    low: float | None
    """None, like `high`, if there is only one deal, so that the error is unknown."""
    high: float | None

    def mirrored(self, total: float) -> Estimate:
        """Return the estimate of a total minus this number."""
        low, high = (None if bound is None else total - bound for bound in (self.high, self.low))
        return Estimate(total - self.value, low, high)


def usable_strata(deals: int, strata: int) -> int:
    """Return the number of strata to use: 1 if they have too few deals, or unequal numbers of them.

    Ignoring strata is not wrong; it only gives wider intervals.
    """
    return strata if deals >= 2 * strata and deals % strata == 0 else 1


def student_quantile(probability: float, freedom: int) -> float:
    """Return a quantile of Student's distribution: an expansion around the normal one, exact for 1 and 2 degrees.

    Its error is below 1% for 3 degrees of freedom and 0.1% from 6 on.
    """
    if freedom <= 2:
        centre = 2 * probability - 1
        if freedom == 2:
            return centre * sqrt(2 / (1 - centre**2))
        return float(np.tan(np.pi * centre / 2))
    z, v = NormalDist().inv_cdf(probability), freedom
    return z + sum(
        (
            (z**3 + z) / (4 * v),
            (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2),
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3),
            (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * v**4),
        )
    )


def _error(by_deal: Numbers, strata: int) -> tuple[float, int]:
    """Return the standard error of the mean over all deals, and its degrees of freedom."""
    strata = usable_strata(len(by_deal), strata)
    spread = by_deal.reshape(-1, strata).var(axis=0, ddof=1).mean()  # [deals of a stratum, strata]
    return sqrt(spread / len(by_deal)), len(by_deal) - strata


def mean_estimate(by_deal: Numbers, strata: int = 1, confidence: float = CONFIDENCE) -> Estimate:
    """Return the mean of one number for each deal, with Student's interval."""
    value = float(by_deal.mean())
    if len(by_deal) < 2:
        return Estimate(value, None, None)
    error, freedom = _error(by_deal, strata)
    reach = student_quantile((1 + confidence) / 2, freedom) * error
    return Estimate(value, value - reach, value + reach)


def share_estimate(by_deal: Numbers, strata: int = 1, confidence: float = CONFIDENCE) -> Estimate:
    """Return the mean of one share between 0 and 1 for each deal, with Wilson's interval.

    Wilson's interval assumes independent games; here it uses the effective number of games, which has the error found
    between deals. If all deals were won, or all lost, each counts as one game.
    """
    value = float(by_deal.mean())
    if len(by_deal) < 2:
        return Estimate(value, None, None)
    error, freedom = _error(by_deal, strata)
    if not error and 0 < value < 1:
        return Estimate(value, value, value)
    games = value * (1 - value) / error**2 if error else len(by_deal)
    z = student_quantile((1 + confidence) / 2, freedom)
    centre = (value + z**2 / (2 * games)) / (1 + z**2 / games)
    reach = z * sqrt(value * (1 - value) / games + z**2 / (4 * games**2)) / (1 + z**2 / games)
    return Estimate(value, min(value, max(0.0, centre - reach)), max(value, min(1.0, centre + reach)))


def resampled_totals(by_deal: Numbers, strata: int, replicates: int, generator: np.random.Generator) -> Numbers:
    """Return the totals over all deals in bootstrap tournaments of resampled deals.

    Of ``n`` deals of a stratum ``n - 1`` are drawn, each then counted ``n / (n - 1)`` times: so the variance
    of the totals is right even if a stratum has few deals (Rao and Wu 1988).

    Args:
        by_deal: [D, columns], at least two deals.
        strata: as everywhere in this module.
        replicates: how many tournaments.
        generator: the random generator.

    Returns:
        [replicates, columns].
    """
    deals = len(by_deal)
    strata = usable_strata(deals, strata)
    size = deals // strata
    totals = np.empty((replicates, by_deal.shape[1]))
    for replicate in range(replicates):
        drawn = np.arange(strata)[:, None] + strata * generator.integers(0, size, (strata, size - 1))
        totals[replicate] = np.bincount(drawn.ravel(), minlength=deals) @ by_deal
    return totals * (size / (size - 1))
