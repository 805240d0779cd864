"""Sums over many workers: those of one machine add in shared memory, and one of each machine talks to the others.

So a sum takes as many messages over the network as there are machines, not cores, and none if there is one machine.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from .meeting import Meeting

_MEMORY = Path("/dev/shm")
"""Where files are memory, on Linux; elsewhere the folder for temporary files does."""


class Machines:
    """The processes of torch.distributed by machines; all of them make one at the same time."""

    def __init__(self, size: int, between: torch.dtype = torch.float32) -> None:
        """Find out who is on this machine.

        Args:
            size: how many numbers are added at a time.
            between: their type on the way between machines.
        """
        self._between = between
        rank = dist.get_rank()
        handle, name = tempfile.mkstemp(prefix="crypt-sum-", dir=_MEMORY if _MEMORY.is_dir() else None)
        os.close(handle)
        paths: list[Any] = [None] * dist.get_world_size()
        dist.all_gather_object(paths, name)
        leaders: list[Any] = list(paths)
        dist.all_gather_object(leaders, next(number for number, path in enumerate(paths) if Path(path).exists()))
        machines = [[number for number, found in enumerate(leaders) if found == one] for one in sorted(set(leaders))]
        self._leaders = dist.new_group([machine[0] for machine in machines])
        self._is_leader, self._is_many = leaders[rank] == rank, len(machines) > 1
        mine = next(machine for machine in machines if rank in machine)
        self._meeting = Meeting([Path(f"{paths[number]}.socket") for number in mine], mine.index(rank), dist.barrier)
        self._map(Path(paths[mine[0]]), len(mine), mine.index(rank), size)
        dist.barrier()
        Path(name).unlink()  # the memory stays as long as somebody uses it

    def _map(self, path: Path, workers: int, place: int, size: int) -> None:
        """Take the memory of this machine: a row for each worker, and one for the sum."""
        if self._is_leader:
            os.truncate(path, 4 * (workers + 1) * size)
        dist.barrier()
        rows = torch.from_file(str(path), shared=True, size=(workers + 1) * size).view(workers + 1, size)
        self._rows, self._sum, self._mine = rows[:workers], rows[workers], rows[place]
        bounds = [size * number // workers for number in range(workers + 1)]
        self._part = slice(bounds[place], bounds[place + 1])

    def add(self, numbers: torch.Tensor) -> torch.Tensor:
        """Return the sum over all workers; the next call overwrites it.

        Each adds a part of the numbers for its machine. Two meetings are enough, as no row is written before all have
        added, or a sum before all have read the one before.

        Raises:
            ConnectionError: another worker has ended.
        """
        self._mine.copy_(numbers)
        self._meeting.wait()
        torch.sum(self._rows[:, self._part], 0, out=self._sum[self._part])
        self._meeting.wait()
        if self._is_many:
            if self._is_leader:
                sent = self._sum.to(self._between)
                dist.all_reduce(sent, group=self._leaders)
                self._sum.copy_(sent)
            self._meeting.wait()
        return self._sum
