"""Simulated tournaments with known win probabilities, in which the games of a deal are correlated."""

from statistics import NormalDist

import numpy as np


def seeded(number):
    """Return a generator."""
    return np.random.default_rng(number)


def thresholds(chances):
    """Return the normal quantiles of some probabilities."""
    return np.vectorize(NormalDist().inv_cdf)(chances)


def deal_wins(generator, chances, deals, seatings, correlation):
    """Return how many of its seatings an agent wins on each deal, each with exactly its probability. [deals, chances]

    The latent variables of all games of a deal, also across columns, have this correlation.
    """
    chances = np.asarray(chances)
    common = generator.standard_normal((deals, 1, 1))
    own = generator.standard_normal((deals, seatings, len(chances)))
    luck = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own
    return (luck < thresholds(chances)).sum(axis=1)


def coverage(estimates, truth):
    """Return the share of the intervals that contain the true value."""
    return np.mean([estimate.low <= truth <= estimate.high for estimate in estimates])
