"""Ray, for those who outgrow one machine: a cluster that is running, or processes of this machine alone."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from crypt_env.errors import CryptError, install_hint, shortened

_DEFAULTS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # else Ray warns of a future change that does not concern us
    "RAY_TRAIN_V2_ENABLED": "1",
    "RAY_TRAIN_WORKER_GROUP_START_TIMEOUT_S": "600",
    "RAY_CHDIR_TO_TRIAL_DIR": "0",
}
"""What Ray reads from the environment when it is imported."""
_MEMORY = 2**28
"""Bytes of the object store on this machine: what is passed around is small."""


def import_ray() -> Any:
    """Return the module `ray`.

    Raises:
        CryptError: it is not installed.
    """
    if find_spec("ray") is None:
        raise CryptError(f"Ray is not installed; {install_hint('ray')}, or pip install 'ray[train]' anywhere")
    for name, value in _DEFAULTS.items():
        os.environ.setdefault(name, value)
    import ray

    return ray


@contextmanager
def ray_cluster(processes: int | None = None) -> Iterator[Any]:
    """Connect to a cluster, and yield the module `ray`.

    The cluster is the one that this process is connected to already, else the one at RAY_ADDRESS, which Ray sets for
    submitted jobs. If there is none, processes of this machine are one until the end of the block.

    Args:
        processes: how many may run at a time on this machine at least, if it is the cluster.

    Raises:
        CryptError: Ray is not installed, or there is no cluster at RAY_ADDRESS.
    """
    with _signals_kept():
        ray = import_ray()
        is_connected = ray.is_initialized()
        if not is_connected:
            _connect(ray, processes)
    try:
        yield ray
    finally:
        if not is_connected:
            ray.shutdown()


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Keep what signals do: Ray takes SIGTERM when it is imported, and when it connects."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _connect(ray: Any, processes: int | None) -> None:
    """Connect to a cluster, or start one."""
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    address = os.environ.get("RAY_ADDRESS") or "local"
    if address.startswith("ray://"):
        raise CryptError(
            f"RAY_ADDRESS={address!r} is not possible; run the program in the cluster: ray job submit -- COMMAND"
        )
    if address == "local":
        count = max(cores(), processes or 0)
        ray.init(address=address, num_cpus=count, include_dashboard=False, object_store_memory=_MEMORY, **quiet)
        return
    try:
        ray.init(address=address, **quiet)
    except (ConnectionError, RuntimeError, ValueError) as error:
        reason = shortened(str(error).partition("\n")[0])
        raise CryptError(f"there is no Ray cluster at RAY_ADDRESS={address!r}: {reason}") from error


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def beside_driver(ray: Any) -> Any:
    """Return how an actor is kept on the machine of this process."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    return NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
