"""What one input may cost. The operating system keeps these limits: compiled code that hangs cannot check them."""

from __future__ import annotations

import faulthandler
import math
import signal
import sys
import time
from typing import NamedTuple

if sys.platform != "win32":
    import resource


class Limits(NamedTuple):
    """What one input may cost."""

    seconds: float = 10.0
    """CPU time: a busy machine is not mistaken for a hang."""
    wall_seconds: float = 600.0
    """For an input that waits for something instead of working; long, because the machine may be busy."""
    memory: int = 2**30
    """Bytes of address space beyond what the process has when it begins."""


def begin_task(limits: Limits) -> None:
    """Limit the memory of this process from now on; say on standard error where it is when it is killed."""
    faulthandler.enable()
    if sys.platform == "win32":
        return
    faulthandler.register(signal.SIGXCPU, chain=True)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    used = _address_space()
    if used:
        resource.setrlimit(resource.RLIMIT_AS, (used + limits.memory, resource.RLIM_INFINITY))


def end_task() -> None:
    """Lift the limits: what is prepared for the next task may take long, such as compiling."""
    if sys.platform != "win32":
        for kind in (resource.RLIMIT_CPU, resource.RLIMIT_AS):
            resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def begin_input(limits: Limits) -> None:
    """Let the process be killed if it works longer than an input may take, counted from now."""
    if sys.platform != "win32":
        seconds = math.ceil(time.process_time() + limits.seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.RLIM_INFINITY))


def is_out_of_time(code: int) -> bool:
    """Return whether a process with this exit code was killed because an input took too long."""
    return sys.platform != "win32" and code == -signal.SIGXCPU


def _address_space() -> int:
    """Return the bytes of address space in use; 0 where that is not known."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0
