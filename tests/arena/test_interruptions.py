"""Ctrl-C: an arena ends within a second, with one line and exit code 130, leaves no process behind, and goes on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from api.processes import environment
from arena.test_command import lines_in, wait_for_end_of_group, without_compiler
from arena.test_tournament import lasting
from crypt_env.arena import round_robin
from crypt_env.arena.store import FILE_NAME

TESTS = Path(__file__).resolve().parents[1]
LIMIT = 3.0
"""Seconds; one is meant, the rest is for other work on the machine."""
CHILDREN = Path("/proc/self/task").exists()


def started(*arguments):
    """Start the command line as a terminal would, with all its processes in one group."""
    return subprocess.Popen(
        [sys.executable, "-m", "crypt_env", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(PYTHONPATH=str(TESTS)),
        start_new_session=True,
        # Where tests run in the background of a shell, Ctrl-C is ignored, and what is started there inherits that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def wait_until(is_so, process):
    """Wait until something is so, while a process runs."""
    deadline = time.monotonic() + 120
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


def children_of(process):
    """Return the processes that a process has started and that are playing, by their number."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = status.read_text().rpartition(")")
            command = (status.parent / "cmdline").read_bytes()
        except OSError:
            continue
        if int(rest.split()[1]) == process.pid and b"spawn_main" in command:
            found.append(int(name.split(" ")[0]))
    return found


@pytest.mark.parametrize(("agent", "jobs"), [("search:200000", 1), ("search:200000", 2), ("ismcts:9000000", 1)])
def test_a_long_thought_is_interrupted_and_nothing_is_left_behind(agent, jobs, tmp_path):
    with started("arena", agent, "random", "--jobs", jobs, "--out", tmp_path, "--quiet", "--chunk", 1) as process:
        wait_until((tmp_path / FILE_NAME).exists, process)
        time.sleep(3)
        code, out, err, seconds = interrupt(process)
        wait_for_end_of_group(process.pid)
    assert (code, out) == (130, "")
    assert err.startswith("crypt arena: interrupted; ")
    assert err.count("\n") == 1
    assert seconds < LIMIT


@pytest.mark.parametrize("delay", [0.0, 0.05, 0.2, 0.4, 0.8])
def test_an_interruption_while_processes_are_started_is_not_lost(delay, tmp_path):
    """Nor do the new processes see it: they would print tracebacks."""
    agents = ("arena.players:Sleeper", "random")
    with started("arena", *agents, "--games", 10**5, "--jobs", 2, "--out", tmp_path, "--quiet") as process:
        wait_until((tmp_path / FILE_NAME).exists, process)
        time.sleep(delay)
        code, out, err, _ = interrupt(process)
        wait_for_end_of_group(process.pid)
    assert (code, out) == (130, "")
    assert err.startswith("crypt arena: interrupted; ")
    assert err.count("\n") == 1


@pytest.mark.skipif(not CHILDREN, reason="processes are found as Linux tells them")
def test_a_killed_arena_leaves_no_process_that_thinks_on(tmp_path):
    with started("arena", "search:200000", "random", "--jobs", 2, "--out", tmp_path, "--quiet") as process:
        wait_until(lambda: len(children_of(process)) == 2, process)
        time.sleep(3)
        process.kill()
        process.communicate()
        start = time.monotonic()
        wait_for_end_of_group(process.pid)
    assert time.monotonic() - start < LIMIT


def test_what_was_kept_before_several_interruptions_makes_the_same_report(tmp_path):
    agents, games = ["arena.players:Sleeper", "random"], 24
    arguments = ["arena", *agents, "--games", games, "--chunk", 1, "--jobs", 2, "--out", tmp_path, "--quiet"]
    for wanted in (3, 6):
        with started(*arguments) as process:
            wait_until(lambda wanted=wanted: lines_in(tmp_path / FILE_NAME) > wanted, process)
            assert interrupt(process)[0] == 130
    report = round_robin(agents, games=games, chunk=1, out=tmp_path)
    assert lasting(report) == lasting(round_robin(agents, games=games))


@pytest.mark.parametrize("arguments", [["records", "--games", 10**8], ["bench", "--seconds", 3000, "--no-start"]])
def test_other_commands_end_with_one_line_too(arguments):
    with started(*arguments) as process:
        if arguments[0] == "records":
            process.stdout.readline()
        else:
            time.sleep(6)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, without_compiler(err)) == (130, f"crypt {arguments[0]}: interrupted\n")
    assert time.monotonic() - start < LIMIT
