"""Processes that end too early: the command that started them says so in one sentence."""

import multiprocessing
from contextlib import contextmanager
from operator import methodcaller

import pytest

from crypt_env import CryptError
from crypt_env.agents import make_agent
from crypt_env.arena.processes import in_order, receive, send, start_workers, stop_workers


@contextmanager
def started(make, *arguments):
    """Start one process, and end it."""
    workers = start_workers(make, arguments, 1)
    try:
        yield workers[0]
    finally:
        stop_workers(workers)


def end_all():
    """Kill all processes that were started here."""
    for process in multiprocessing.active_children():
        process.kill()
        process.join()


def test_a_task_for_a_process_that_was_killed():
    with started(methodcaller, "bit_length") as worker:
        send(worker.line, 5)
        assert receive(worker.line) == 3
        end_all()
        with pytest.raises(CryptError, match=r"a process .* was ended from outside"):
            send(worker.line, 6)


def test_processes_that_are_killed_while_they_wait_for_their_tasks():
    def tasks():
        yield 1
        end_all()
        yield 2

    with pytest.raises(CryptError, match=r"a process .* was ended from outside"):
        list(in_order(methodcaller, ("bit_length",), tasks(), jobs=2))


def test_a_process_that_ended_before_its_task_still_says_why():
    with started(make_agent, "nosuch") as worker:
        worker.process.join()
        with pytest.raises(CryptError, match="agent 'nosuch' is not known"):
            send(worker.line, 5)
