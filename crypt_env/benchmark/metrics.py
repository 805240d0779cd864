"""Numbers over runs and tables, as `rliable` defines them (Agarwal et al., 2021), with numpy alone.

Scores are an array [..., runs, tables], in which each run is an agent trained with its own seed. The tests compare
these functions with numbers that `rliable` has computed. The bootstrap draws from a counter, not from a generator of
numpy, so the same scores have the same intervals on every machine and in every version.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from crypt_env.arena.statistics import Estimate
from crypt_env.rules.chance import STEP

from .deals import mix

Scores = NDArray[np.float64]
Metric = Callable[..., NDArray[np.float64]]
"""From one array of scores or more to a number for each; leading axes stay."""

REPLICATES = 2000
CONFIDENCE = 0.95

_S32 = np.uint64(32)


# -- metrics ----------------------------------------------------------------------------------------------------------


def mean(scores: Scores) -> Scores:
    """Return the mean over runs and tables."""
    return np.asarray(scores.mean(axis=(-2, -1)))


def median(scores: Scores) -> Scores:
    """Return the median over tables of the mean over runs."""
    return np.asarray(np.median(scores.mean(axis=-2), axis=-1))


def interquartile_mean(scores: Scores) -> Scores:
    """Return the mean of the middle half of all scores of all runs."""
    every = np.sort(scores.reshape(*scores.shape[:-2], -1), axis=-1)
    cut = every.shape[-1] // 4
    return np.asarray(every[..., cut : every.shape[-1] - cut].mean(axis=-1))


def optimality_gap(scores: Scores) -> Scores:
    """Return by how much scores are below 1 on average, those above counted as 1."""
    return np.asarray(1 - np.minimum(scores, 1).mean(axis=(-2, -1)))


def profile(scores: Scores, marks: NDArray[np.float64]) -> Scores:
    """Return the share of all scores of all runs that is above each mark. [..., marks]"""
    return np.stack([(scores > mark).mean(axis=(-2, -1)) for mark in marks], axis=-1)


def improvement(scores: Scores, others: Scores) -> Scores:
    """Return the chance that a run of the first is better than one of the second, over all tables; ties are half."""
    ours, theirs = scores[..., :, None, :], others[..., None, :, :]
    better = (ours > theirs) + 0.5 * (ours == theirs)
    return np.asarray(better.mean(axis=(-3, -2, -1)))


# -- the bootstrap ----------------------------------------------------------------------------------------------------


def draws(stream: int, shape: tuple[int, ...], limit: int) -> NDArray[np.int64]:
    """Return numbers from 0 to ``limit - 1``: splitmix64 of a counter. Each stream has its own numbers."""
    with np.errstate(over="ignore"):
        counter = np.arange(1, 1 + int(np.prod(shape)), dtype=np.uint64) + (np.uint64(stream) << _S32)
        numbers = ((mix(counter * STEP) >> _S32) * np.uint64(limit)) >> _S32
    return numbers.astype(np.int64).reshape(shape)


def resampled(scores: Scores, stream: int = 0, replicates: int = REPLICATES) -> Scores:
    """Return scores with runs drawn again, for each table its own. [replicates, runs, tables]"""
    runs, tables = scores.shape
    return np.asarray(scores[draws(stream, (replicates, runs, tables), runs), np.arange(tables)])


def estimate(metric: Metric, *scores: Scores, replicates: int = REPLICATES, confidence: float = CONFIDENCE) -> Estimate:
    """Return a metric with the interval of a stratified bootstrap over runs; a single run each has none."""
    value = float(metric(*scores))
    if all(len(array) < 2 for array in scores):
        return Estimate(value, None, None)
    drawn = [resampled(array, stream, replicates) for stream, array in enumerate(scores)]
    return interval(value, metric(*drawn), confidence)


def profile_estimates(scores: Scores, marks: NDArray[np.float64], replicates: int = REPLICATES) -> list[Estimate]:
    """Return the profile at each mark, with intervals as in `estimate`."""
    values = profile(scores, marks).tolist()
    if len(scores) < 2:
        return [Estimate(value, None, None) for value in values]
    drawn = profile(resampled(scores, 0, replicates), marks)
    return [interval(value, drawn[:, number]) for number, value in enumerate(values)]


def interval(value: float, drawn: NDArray[np.float64], confidence: float = CONFIDENCE) -> Estimate:
    """Return a value with the percentiles of its replicates."""
    low, high = np.percentile(drawn, [50 * (1 - confidence), 50 * (1 + confidence)]).tolist()
    return Estimate(value, low, high)
