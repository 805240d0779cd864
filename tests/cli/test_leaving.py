"""However a command ends, what it was asked to keep is kept, and nothing half-written is left."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from cli.processes import environment, without_compiler
from crypt_env import replay
from crypt_env.cli.main import main

pty = pytest.importorskip("pty", reason="there are other signals", exc_type=ImportError)
SIGNALS = pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)], ids=["INT", "TERM", "HUP"]
)


def start(*arguments, **streams):
    """Start a command that signals reach, as they may be ignored in the shell of the tests."""

    def usual():
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | streams
    command = [sys.executable, "-m", "crypt_env", *map(str, arguments)]
    return subprocess.Popen(command, preexec_fn=usual, env=environment(PYTHONUNBUFFERED=1), **pipes)


def end(process, number):
    """Send a signal; return the exit code and the errors."""
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    return process.returncode, without_compiler(err)


def read_until(process, start):
    """Read lines until one that starts like this."""
    while not process.stdout.readline().startswith(start):
        assert process.poll() is None


@SIGNALS
def test_a_game_in_the_terminal_is_kept(number, code, tmp_path):
    file = tmp_path / "game.jsonl"
    with start("play", "--terminal", "--solo", "--seed", 3, "--save", file) as process:
        process.stdin.write("place 0 1x1\n")
        process.stdin.flush()
        read_until(process, "legal")
        read_until(process, "legal")
        time.sleep(0.2)
        assert end(process, number) == (code, "crypt play: interrupted\n" if number == signal.SIGINT else "")
    (events,) = (json.loads(line)["events"] for line in file.read_text().splitlines())
    assert any(event[0] == "act" for event in events)


@SIGNALS
def test_a_watched_game_is_kept(number, code, tmp_path):
    file = tmp_path / "game.jsonl"
    terminal, stdout = pty.openpty()
    with start("watch", "greedy", "random", "--pause", 60, "--save", file, stdout=stdout) as process:
        os.close(stdout)
        os.read(terminal, 100)
        time.sleep(0.5)
        assert end(process, number)[0] == code
    os.close(terminal)
    assert not replay(json.loads(file.read_text())).is_over


def test_a_watched_game_is_kept_if_its_reader_leaves(tmp_path):
    file = tmp_path / "game.jsonl"
    with start("watch", "greedy", "--save", file) as process:
        process.stdout.close()
        assert (process.wait(60), without_compiler(process.stderr.read())) == (0, "")
    assert file.exists()


def test_nothing_half_written_is_left(tmp_path):
    with start("records", "greedy", "--games", 100_000, "--out", tmp_path / "big.jsonl", "--jobs", 1) as process:
        deadline = time.monotonic() + 60
        while not list(tmp_path.glob(".*.part")):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert end(process, signal.SIGTERM)[0] == 143
    assert list(tmp_path.iterdir()) == []


def test_the_handlers_of_a_caller_stay(capsys):
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)]
    assert main(["records"]) == 0
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)] == before


def test_a_folder_that_was_deleted_is_one_sentence(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    assert main(["records"]) == 2
    assert capsys.readouterr().err == "crypt: the current folder does not exist any more; change to another one\n"
    monkeypatch.undo()
