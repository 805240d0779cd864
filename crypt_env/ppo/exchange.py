"""What the workers of one training exchange: each plays games of its own, and all keep the same network.

`Exchange` is a worker alone, which has nothing to exchange. `Group` is one of several processes of torch.distributed.
The calls are collective: all workers make the same ones in the same order.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
import torch.distributed
from numpy.typing import NDArray

from crypt_env.errors import CryptError

from .machines import Machines

PRECISIONS = ("fp32", "bf16")
"""Of gradients on their way between machines."""


class Exchange:
    """A worker alone."""

    rank, size = 0, 1
    seconds = 0.0
    """How long this worker has exchanged gradients, waiting for the others included."""
    bytes = 0
    """Of the gradients it has added to the sums, in the precision in which they travel between machines."""

    def part(self, games: int) -> tuple[int, int]:
        """Return which of all games this worker plays: the first, and the one after the last."""
        bounds = np.linspace(0, games, self.size + 1).astype(int)
        return int(bounds[self.rank]), int(bounds[self.rank + 1])

    def add(self, gradients: Sequence[torch.Tensor]) -> None:
        """Replace gradients by their sums over all workers."""

    def total(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums of numbers over all workers."""
        return values

    def moments(self, values: NDArray[np.floating[Any]]) -> tuple[Any, Any]:
        """Return the mean and the variance of the values of all workers."""
        return values.mean(), values.var()

    def all(self, value: Any) -> list[Any]:
        """Return the values of all workers, in their order; any that can be pickled."""
        return [value]

    def gather(self, value: Any) -> list[Any]:
        """Return the values of all workers to the first one; to the others nothing."""
        return [value]

    def share(self, value: Any) -> Any:
        """Return the first worker's value to all."""
        return value


class Group(Exchange):
    """One of the processes that torch.distributed knows; that must have been initialized."""

    def __init__(self, precision: str = "fp32") -> None:
        """Join the others.

        Args:
            precision: of gradients on their way between machines, "fp32" or "bf16", which halves the bytes.

        Raises:
            CryptError: there is no such precision.
        """
        if precision not in PRECISIONS:
            raise CryptError(f"precision={precision!r} is not possible; allowed are {', '.join(PRECISIONS)}")
        self._type = torch.bfloat16 if precision == "bf16" else torch.float32
        self.rank, self.size = torch.distributed.get_rank(), torch.distributed.get_world_size()
        self._machines: Machines | None = None

    def add(self, gradients: Sequence[torch.Tensor]) -> None:
        """Replace gradients by their sums over all workers: one vector, so that the latency is paid once."""
        start = time.perf_counter()
        flat = torch.cat([gradient.reshape(-1) for gradient in gradients])
        if self._machines is None:
            self._machines = Machines(len(flat), self._type)
        summed = torch.split(self._machines.add(flat), [gradient.numel() for gradient in gradients])
        for gradient, total in zip(gradients, summed, strict=True):
            gradient.copy_(total.view_as(gradient))
        self.bytes += flat.numel() * self._type.itemsize
        self.seconds += time.perf_counter() - start

    def total(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums of numbers over all workers."""
        sums = torch.from_numpy(np.array(values, np.float64))
        torch.distributed.all_reduce(sums)
        return sums.numpy()

    def moments(self, values: NDArray[np.floating[Any]]) -> tuple[Any, Any]:
        """Return the mean and the variance of the values of all workers, in float32."""
        count, sum_of_all = self.total(np.array([len(values), values.sum(dtype=np.float64)]))
        mean = sum_of_all / count
        (squares,) = self.total(np.array([np.square(values - mean, dtype=np.float64).sum()]))
        return np.float32(mean), np.float32(squares / count)

    def all(self, value: Any) -> list[Any]:
        """Return the values of all workers, in their order."""
        values: list[Any] = [None] * self.size
        torch.distributed.all_gather_object(values, value)
        return values

    def gather(self, value: Any) -> list[Any]:
        """Return the values of all workers to the first one; to the others nothing."""
        values: list[Any] = [None] * self.size
        torch.distributed.gather_object(value, values if self.rank == 0 else None)
        return values if self.rank == 0 else []

    def share(self, value: Any) -> Any:
        """Return the first worker's value to all."""
        values = [value]
        torch.distributed.broadcast_object_list(values)
        return values[0]


# -- the state of all games, for a checkpoint -------------------------------------------------------------------------

_COMMON = ("layout", "games", "wins", "snapshots")
"""Parts of the state of games that are the same for all workers; all others are arrays by game."""


def joined(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the state of all games from those of the workers; see `SelfPlayVecEnv.state_dict`."""
    return {name: _joined(name, [part[name] for part in parts]) for name in parts[0]}


def _joined(name: str, values: list[Any]) -> Any:
    """Return one part of a state."""
    if values[0] is None or name in _COMMON:
        return values[0]
    return joined(values) if isinstance(values[0], dict) else np.concatenate(values)


def cut(state: dict[str, Any], start: int, stop: int, games: int) -> dict[str, Any]:
    """Return the state of the games from ``start`` to ``stop - 1`` from that of all games.

    Raises:
        ValueError: it is not the state of this many games.
    """
    return {name: _cut(name, value, start, stop, games) for name, value in state.items()}


def _cut(name: str, value: Any, start: int, stop: int, games: int) -> Any:
    """Return one part of a state."""
    if value is None or name in _COMMON:
        return value
    if isinstance(value, dict):
        return cut(value, start, stop, games)
    if not isinstance(value, np.ndarray) or value.ndim < 1 or len(value) % games:
        raise ValueError(f"{name} is not an array of {games} games")
    size = len(value) // games
    return value[start * size : stop * size].copy()
