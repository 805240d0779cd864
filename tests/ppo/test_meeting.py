"""Barriers of the processes of one machine; threads stand in for the processes, as sockets do not care."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from crypt_env.ppo.meeting import Meeting

ROUNDS = 20


def met(folder: Path, count: int) -> list[Meeting]:
    """Return the meetings of this many members."""
    barrier, paths = threading.Barrier(count), [folder / str(number) for number in range(count)]
    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(lambda place: Meeting(paths, place, barrier.wait), range(count)))


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
def test_all_wait_until_the_last_one_has_come(count: int, tmp_path: Path) -> None:
    """Again and again, no matter who is last; no file is left."""
    arrived = [0] * count

    def come(place: int, meeting: Meeting) -> list[int]:
        seen = []
        for number in range(ROUNDS):
            time.sleep(0.002 * ((place + number) % count == 0))
            arrived[place] += 1
            meeting.wait()
            seen.append(min(arrived))
        return seen

    with ThreadPoolExecutor(count) as threads:
        found = list(threads.map(come, range(count), met(tmp_path, count)))
    assert all(least >= number + 1 for seen in found for number, least in enumerate(seen))
    assert not list(tmp_path.iterdir())


def test_a_member_that_has_ended_is_noticed(tmp_path: Path) -> None:
    """Instead of waiting for it for ever."""
    members = met(tmp_path, 3)
    del members[2]
    with ThreadPoolExecutor(2) as threads:
        waits = [threads.submit(members.pop().wait) for _ in range(2)]
        ends = [wait.exception(10) for wait in waits]
    assert any(isinstance(end, ConnectionError) for end in ends)
