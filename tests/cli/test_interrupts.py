"""Ctrl-C ends a command with one line and exit code 130."""

import errno
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from cli.processes import environment
from crypt_env import random_game, to_record
from crypt_env.cli import main as cli

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")


def start(*arguments):
    """Start a command."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-m", "crypt_env", *arguments], text=True, env=environment(), **pipes)


def interrupt(process):
    """Send Ctrl-C; return the exit code and what came out."""
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_records():
    process = start("records", "--games", "1000000")
    assert json.loads(process.stdout.readline())["players"] == 2
    code, _, err = interrupt(process)
    assert (code, err) == (130, "crypt records: interrupted\n")


def test_replay():
    process = start("replay", "-")
    wrong = to_record(random_game(2)) | {"scores": [1, 2]}
    process.stdin.write((json.dumps(wrong) + "\n") * 200)  # enough output to flush the buffer
    process.stdin.flush()
    assert process.stdout.readline().startswith("-:1: scores")
    code, _, err = interrupt(process)
    assert (code, err) == (130, "crypt replay: interrupted\n")


def test_bench():
    process = start("bench", "--no-start", "--seconds", "600", "--games", "8")
    time.sleep(4)
    code, out, err = interrupt(process)
    assert (code, out) == (130, "")
    assert err.splitlines()[-1] in ("crypt bench: interrupted", "crypt: interrupted")
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "busy"),
    [
        (["bench"], "crypt_env.cli.bench.measure"),
        (["replay", os.devnull], "crypt_env.cli.replay.check_file"),
        (["records"], "crypt_env.cli.records.random_game"),
    ],
)
def test_every_command_ends_with_one_line(arguments, busy, monkeypatch, capsys):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(busy, stop)
    assert cli.main(arguments) == 130
    assert capsys.readouterr() == ("", f"crypt {arguments[0]}: interrupted\n")


def test_too_little_memory_is_a_sentence(capsys, monkeypatch):
    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr("crypt_env.cli.bench.measure", fail)
    assert cli.main(["bench"]) == 2
    assert capsys.readouterr().err.startswith("crypt bench: there is not enough memory")


def test_a_broken_pipe_that_is_not_the_output_is_an_error(capsys, monkeypatch):
    def fail(*_, **__):
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr("crypt_env.cli.bench.measure", fail)
    assert cli.main(["bench"]) == 2
    assert capsys.readouterr().err == "crypt bench: Broken pipe\n"


@pytest.mark.parametrize("seconds", ["nan", "inf", "0", "-1", "1e999"])
def test_seconds_of_a_bench(seconds, capsys):
    with pytest.raises(SystemExit):
        cli.main(["bench", f"--seconds={seconds}"])
    assert f"'{seconds}' is not possible; a number above 0" in capsys.readouterr().err


def test_a_start_that_fails_is_a_sentence(capsys, monkeypatch):
    monkeypatch.setattr("crypt_env.cli.bench._START", "raise SystemError('no')")
    monkeypatch.setattr("crypt_env.cli.bench._contestants", lambda games: {})
    assert cli.main(["bench", "--json"]) == 2
    expected = "crypt bench: a fresh process could not play its first step: SystemError: no\n"
    assert capsys.readouterr().err == expected
