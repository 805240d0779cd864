"""Standard streams that are closed, full, or of few characters."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli.processes import environment

ROOT = Path(__file__).resolve().parents[2]
LONG = """
import os, sys
from crypt_env.console.streams import outlive_streams, prepare_streams

prepare_streams()
outlive_streams("long")
for number in range(3):
    print("x" * 10_000, "±", flush=True)
print("more, for the last flush")
open({done!r}, "w").close()
"""


def outlived(tmp_path, stdout, **changes):
    """Run a program that prints much; return its errors, after a check that it went on to its end."""
    done = tmp_path / "done"
    code = LONG.format(done=str(done))
    result = subprocess.run(
        [sys.executable, "-c", code], stdout=stdout, stderr=subprocess.PIPE, env=environment(**changes)
    )
    assert (result.returncode, done.exists()) == (0, True)
    return result.stderr.decode()


def test_work_goes_on_without_a_reader(tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as file:
        assert outlived(tmp_path, file) == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device")
def test_work_goes_on_with_a_full_disk(tmp_path):
    with Path("/dev/full").open("wb") as file:
        said = outlived(tmp_path, file)
    assert said == "long: standard output cannot be written any more, and is left out: No space left on device\n"


def test_characters_that_a_stream_does_not_have_are_escaped(tmp_path):
    file = tmp_path / "out"
    with file.open("wb") as opened:
        assert outlived(tmp_path, opened, PYTHONIOENCODING="ascii") == ""
    assert b"x \\xb1\n" in file.read_bytes()


@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
@pytest.mark.parametrize(
    "command",
    ["records >&-", "records 2>&-", "watch random >&-", "play --terminal <&-", "arena random greedy --games 8 2>&-"],
)
def test_closed_streams_are_as_the_null_device(command):
    done = run_shell(command)
    assert (done.returncode, done.stderr) == (0, "")


def run_shell(command):
    """Run a command in a shell."""
    return subprocess.run(
        f"{sys.executable} -m crypt_env {command}", shell=True, capture_output=True, text=True, env=environment()
    )


@pytest.mark.parametrize("command", ["-m crypt_env arena --quiet", "-m training.evaluate"])
def test_a_report_is_saved_even_if_nobody_reads_it(command, tmp_path):
    if "training" in command:
        pytest.importorskip("sb3_contrib")
    file = tmp_path / "report.json"
    arguments = [*command.split(), "random", "greedy", "--games", "8", "--jobs", "1", "--json", file]
    assert run_unread(arguments).returncode == 0
    assert file.exists()


def run_unread(arguments):
    """Run Python with a standard output without a reader."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, *map(str, arguments)]
    with os.fdopen(writer, "wb") as file:
        return subprocess.run(command, stdout=file, stderr=subprocess.PIPE, env=environment(), cwd=ROOT)
