"""A network for playouts: the outputs of `Network.evaluate` for many positions, in a third of the time.

Of the inputs of a network that reads thermometers few are 1, and those of one feature are 1 up to its value. So what
they add to the first layer is looked up: there is a row for each feature and value, and the rows of a position are
summed. The sums differ from those of a matrix product in the last bits, as those of two machines do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crypt_env.rules.compiled import entry, int64, prepare
from crypt_env.rules.observe import FEATURES

from .network import Network

Floats = NDArray[np.float32]
AT_A_TIME = 512
"""Positions that are best evaluated at a time: what is computed then stays in the cache."""


class QuickNetwork:
    """Evaluates positions, see this module."""

    def __init__(self, network: Network) -> None:
        """Take a network; one without thermometers or hidden layers is evaluated as usual."""
        self._network = network
        self._is_looked_up = network.above is not None and len(network.hidden) > 0
        if network.above is None or not self._is_looked_up:
            return
        (matrix, self._bias), *self._others = network.hidden
        self._features, self._lowest, self._first, self._table = _rows_of(network.columns, network.above, matrix)
        heads = zip(network.policy, network.value, strict=True)
        self._heads, self._heads_bias = (np.concatenate(both, axis=-1) for both in heads)
        none = np.zeros((0, FEATURES), np.int8), np.zeros(0, np.int64), np.zeros((0, len(self._bias)), np.float32)
        prepare(sum_rows, *self._arguments(*none))

    def evaluate(self, observations: NDArray[np.int8], rows: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Return logits [n, ACTIONS] and values [n] of the rows listed of observations [N, FEATURES]."""
        if not self._is_looked_up:
            return self._network.evaluate(observations[rows])
        hidden = np.empty((len(rows), len(self._bias)), np.float32)
        sum_rows(*self._arguments(observations, rows, hidden))
        for matrix, bias in self._others:
            hidden = hidden @ matrix
            hidden += bias
            np.maximum(hidden, 0, out=hidden)
        outputs = hidden @ self._heads
        outputs += self._heads_bias
        return outputs[:, :-1], outputs[:, -1]

    def _arguments(
        self, observations: NDArray[np.int8], rows: NDArray[np.int64], hidden: Floats
    ) -> tuple[NDArray[np.generic], ...]:
        """Return the arguments of `sum_rows`."""
        return observations, rows, self._features, self._lowest, self._first, self._table, self._bias, hidden


def _rows_of(
    columns: NDArray[np.int64], above: NDArray[np.int8], matrix: Floats
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Floats]:
    """Return what each value of a feature adds to the first layer, and where it stands.

    Args:
        columns: the feature that each input belongs to. [inputs]
        above: the value above which it is 1. [inputs]
        matrix: what it adds then. [inputs, width]

    Returns:
        The features; the highest value of each that adds nothing; the first row of each, and one more for the end;
        the rows, float32 [rows, width], of the values after that one, where the last counts for all higher ones.
    """
    features = np.unique(columns)
    lowest, first = [], [0]
    rows: list[Floats] = []
    for feature in features:
        inputs = np.flatnonzero(columns == feature)
        limits = above[inputs].astype(np.int64)
        lowest.append(limits.min())
        values = range(limits.min() + 1, limits.max() + 2)
        rows.extend(matrix[inputs[limits < value]].sum(axis=0) for value in values)
        first.append(len(rows))
    return features, np.array(lowest), np.array(first), np.array(rows, np.float32)


@entry
def sum_rows(
    observations: np.ndarray,
    rows: np.ndarray,
    features: np.ndarray,
    lowest: np.ndarray,
    first: np.ndarray,
    table: np.ndarray,
    bias: np.ndarray,
    hidden: np.ndarray,
) -> None:
    """Write the first layer of some positions, after its ReLU.

    Args:
        observations: int8 [N, FEATURES].
        rows: int64 [n], the positions.
        features: int64 [features], and the next two, as `_rows_of` returns them.
        lowest: int64 [features].
        first: int64 [features + 1].
        table: float32 [rows, width].
        bias: float32 [width].
        hidden: float32 [n, width], written.
    """
    width = len(bias)
    zero = np.float32(0)
    found = np.empty(len(features) + 3, np.int64)
    for place in range(len(rows)):
        vector, sums = observations[rows[place]], hidden[place]
        count = 0
        for number in range(len(features)):
            step = int64(vector[features[number]]) - lowest[number]
            if step > 0:
                found[count] = min(first[number] + step, first[number + 1]) - 1
                count += 1
        for column in range(width):
            sums[column] = bias[column]
        for start in range(0, count - 3, 4):  # four at a time: a sum is loaded and stored once for all of them
            one, two = table[found[start]], table[found[start + 1]]
            three, four = table[found[start + 2]], table[found[start + 3]]
            for column in range(width):
                sums[column] += (one[column] + two[column]) + (three[column] + four[column])
        for number in range(count - count % 4, count):
            one = table[found[number]]
            for column in range(width):
                sums[column] += one[column]
        for column in range(width):
            sums[column] = max(sums[column], zero)
