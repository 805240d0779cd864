"""A Ray cluster on this machine, one for all tests of a module."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import pytest

PATIENCE = 20.0
SETTINGS = {
    "RAY_worker_niceness": "0",  # a machine busy with other tests would starve the workers
    "RAY_TRAIN_HEALTH_CHECK_INTERVAL_S": "0.2",  # else Ray looks only every two seconds whether they have ended
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """The module `ray`, connected to a cluster that is for these tests alone, and leaves no process behind."""
    psutil = pytest.importorskip("psutil")
    from crypt_env.arena.cluster import import_ray, ray_cluster

    import_ray().shutdown()  # of tests before, if any
    address = os.environ.pop("RAY_ADDRESS", None)
    os.environ.update(SETTINGS)
    before = set(psutil.Process().children(recursive=True))
    with ray_cluster(4) as ray:
        yield ray
        started = set(psutil.Process().children(recursive=True)) - before
    if address is not None:
        os.environ["RAY_ADDRESS"] = address
    end = time.monotonic() + PATIENCE
    while (left := [process for process in started if process.is_running()]) and time.monotonic() < end:
        time.sleep(0.1)
    assert not left
