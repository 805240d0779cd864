"""Ctrl-C: an arena stops within a second, with one line and exit code 130, leaves no process, and can be resumed."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from arena.players import SLEEPER, THINKER, lasting
from cli.processes import environment, lines_in, wait_for_end_of_group, without_compiler
from crypt_env.agents import make_agent
from crypt_env.arena import round_robin
from crypt_env.arena.store import FILE_NAME

TESTS = Path(__file__).resolve().parents[1]


def limit():
    """Return how many seconds a shutdown may take: one, and more if the cores are busy."""
    return 1.5 + os.getloadavg()[0] / (os.cpu_count() or 1)


@contextmanager
def started(*arguments, **variables):
    """Start the command line as a terminal would, with all its processes in one group; end them all."""
    process = subprocess.Popen(
        [sys.executable, "-m", "crypt_env", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(PYTHONPATH=str(TESTS), **variables),
        start_new_session=True,
        # Where tests run in the background of a shell, Ctrl-C is ignored, and child processes inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    with process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def wait_until(is_so, process):
    """Wait until a condition holds, while a process runs."""
    deadline = time.monotonic() + 600
    while not is_so():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def interrupt(process):
    """Press Ctrl-C; return exit code, output, errors and how long it took."""
    start = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, without_compiler(err), time.monotonic() - start


@contextmanager
def thinking(agent, jobs, folder):
    """Start an arena, and wait until an agent is thinking."""
    make_agent(agent)  # now the code is compiled
    variables = {"THINKER": agent, "THINKING": folder / "thinking"}
    arguments = ("arena", THINKER, "random", "--jobs", jobs, "--out", folder / "out", "--quiet", "--chunk", 1)
    with started(*arguments, **variables) as process:
        wait_until(variables["THINKING"].exists, process)
        time.sleep(0.5)
        yield process


@pytest.mark.parametrize(("agent", "jobs"), [("search:200000", 1), ("search:200000", 2), ("ismcts:9000000", 1)])
def test_a_long_thought_is_interrupted_and_nothing_is_left_behind(agent, jobs, tmp_path):
    with thinking(agent, jobs, tmp_path) as process:
        code, out, err, seconds = interrupt(process)
        wait_for_end_of_group(process.pid)
    assert (code, out) == (130, "")
    assert err.startswith("crypt arena: interrupted; ")
    assert err.count("\n") == 1
    assert seconds < limit()


@pytest.mark.parametrize("delay", [0.0, 0.05, 0.2, 0.4, 0.8])
def test_an_interruption_while_processes_are_started_is_not_lost(delay, tmp_path):
    """The new processes do not receive it either: they would print tracebacks."""
    agents = (SLEEPER, "random")
    with started("arena", *agents, "--games", 10**5, "--jobs", 2, "--out", tmp_path, "--quiet") as process:
        wait_until((tmp_path / FILE_NAME).exists, process)
        time.sleep(delay)
        code, out, err, _ = interrupt(process)
        wait_for_end_of_group(process.pid)
    assert (code, out) == (130, "")
    assert err.startswith("crypt arena: interrupted; ")
    assert err.count("\n") == 1


def test_a_killed_arena_leaves_no_process_that_thinks_on(tmp_path):
    with thinking("search:200000", 2, tmp_path) as process:
        process.kill()
        process.wait()
        start = time.monotonic()
        wait_for_end_of_group(process.pid)
    assert time.monotonic() - start < limit()


def test_what_was_kept_before_several_interruptions_makes_the_same_report(tmp_path):
    agents, games = [SLEEPER, "random"], 24
    arguments = ["arena", *agents, "--games", games, "--chunk", 1, "--jobs", 2, "--out", tmp_path, "--quiet"]
    for wanted in (3, 6):
        with started(*arguments) as process:
            wait_until(lambda wanted=wanted: lines_in(tmp_path / FILE_NAME) > wanted, process)
            assert interrupt(process)[0] == 130
    report = round_robin(agents, games=games, chunk=1, out=tmp_path)
    assert lasting(report) == lasting(round_robin(agents, games=games))


def test_another_command_ends_with_one_line_too():
    with started("records", "--games", 10**8) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, without_compiler(err)) == (130, "crypt records: interrupted\n")
