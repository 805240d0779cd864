"""Where the processes of one machine wait for each other, without asking the network.

A barrier of torch.distributed takes a millisecond where another process computes, as a thread of its own must first get
a core. Here the kernel wakes the process that waits, and the end of another one is noticed at once.
"""

from __future__ import annotations

import socket
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path


class Meeting:
    """Processes of one machine; all of them make one at the same time.

    In round ``k`` of a barrier, process ``i`` tells process ``i + 2**k`` of its own arrival and of all that it has
    heard of. So after log2(n) rounds, rounded up, everyone knows about everyone.
    """

    def __init__(self, paths: Sequence[Path], place: int, barrier: Callable[[], object]) -> None:
        """Connect to the others.

        Args:
            paths: files that do not exist yet, one for each process.
            place: which of them is this process's.
            barrier: waits for all processes in any other way; called twice.
        """
        steps = [1 << number for number in range((len(paths) - 1).bit_length())]
        with socket.socket(socket.AF_UNIX) as door:
            door.bind(str(paths[place]))
            door.listen(len(steps) + 1)
            barrier()
            self._next = [_connected(paths[(place + step) % len(paths)]) for step in steps]
            for number, after in enumerate(self._next):
                after.sendall(bytes([number]))
            guests = [door.accept()[0] for _ in steps]
        self._previous = sorted(guests, key=lambda guest: guest.recv(1))
        weakref.finalize(self, _close, [*self._next, *self._previous])
        barrier()
        paths[place].unlink()

    def wait(self) -> None:
        """Wait until all have come.

        Raises:
            ConnectionError: one of them has ended.
        """
        for after, before in zip(self._next, self._previous, strict=True):
            after.sendall(b".")
            if not before.recv(1):
                raise ConnectionError("another worker of this machine has ended")


def _connected(path: Path) -> socket.socket:
    """Return a connection to the process that listens there."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(path))
    return connection


def _close(connections: Sequence[socket.socket]) -> None:
    """Close connections, so that the others know that this process has ended."""
    for connection in connections:
        connection.close()
