"""Sums over processes, on one machine and on what looks like two."""

from __future__ import annotations

import os
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from crypt_env.ppo import machines

SIZE, ROUNDS, WORKERS = 1001, 5, 4


def add(rank: int, folder: str, count: int, results: Any) -> None:
    """Add as one of the workers; with two machines, even and odd ranks see only the files of their own."""
    import torch
    import torch.distributed

    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", f"file://{folder}/meeting", rank=rank, world_size=WORKERS)
    mine = Path(folder) / str(rank % count)
    exists = Path.exists
    Path.exists = lambda path: exists(path) and (path.parent == mine or path.suffix != "")  # type: ignore[method-assign]
    machines._MEMORY = mine
    group = machines.Machines(SIZE)
    for number in range(ROUNDS):
        values = torch.arange(SIZE, dtype=torch.float32) * (rank + 1) + number
        results.put((rank, number, group.add(values).tolist()))
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


@pytest.mark.parametrize("count", [1, 2])
def test_all_get_the_sum_of_all(count: int, tmp_path: Path) -> None:
    """And no file is left."""
    for number in range(count):
        (tmp_path / str(number)).mkdir()
    context = get_context("spawn")
    results = context.SimpleQueue()
    arguments = [(rank, os.fspath(tmp_path), count, results) for rank in range(WORKERS)]
    workers = [context.Process(target=add, args=given) for given in arguments]
    for worker in workers:
        worker.start()
    found = [results.get() for _ in range(WORKERS * ROUNDS)]
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    for _, number, values in found:
        assert values == [10.0 * place + WORKERS * number for place in range(SIZE)]
    assert {rank for rank, _, _ in found} == set(range(WORKERS))
    assert not [path for number in range(count) for path in (tmp_path / str(number)).iterdir()]
