"""Damaged compiled code is compiled again: no error, no crash, and only once."""

import sys

import pytest

from cli.processes import environment, run

# A separate package: two one-line functions are compiled in a moment.
SMALL = """
from crypt_env.rules.compiled import entry

@entry
def double(number):
    return number + number
"""
PROGRAM = """
import os, pickle, random, shutil, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import small
from crypt_env.rules import compiled

kinds = KINDS

def call():
    '''Return what freshly loaded functions answer, how many were kept and how many had to be compiled.'''
    import importlib
    double = importlib.reload(small).double
    answers = [double(kind) for kind in kinds]
    assert answers == [2 * kind for kind in kinds], answers
    return sum(double.stats.cache_hits.values()), sum(double.stats.cache_misses.values())

def files():
    return sorted(Path(compiled.CACHE_FOLDER).rglob("small.double*.nb?"))

assert call() == (0, len(kinds)), "nothing was compiled into this cache"
assert call() == (len(kinds), 0)
assert len(files()) == 1 + len(kinds), files()
whole = {path: path.read_bytes() for path in files()}
rng = random.Random(1)

def damages(content):
    for stop in (0, 1, 10, len(content) // 2, len(content) - 33, len(content) - 32, len(content) - 1):
        yield f"cut at {stop}", content[:stop]
    for _ in range(FLIPS):
        place, bit = rng.randrange(len(content)), 1 << rng.randrange(8)
        yield f"bit {bit} of {place}", content[:place] + bytes([content[place] ^ bit]) + content[place + 1:]
    yield "zeros", bytes(len(content))
    yield "text", b"nonsense" * 40
    yield "another object", pickle.dumps({"a": 1})
    yield "longer", content + b"x"

for path in files():
    for name, content in damages(whole[path]):
        for other, right in whole.items():
            other.write_bytes(right)
        path.write_bytes(content)
        kept, compiled_again = call()
        assert kept + compiled_again == len(kinds) and compiled_again >= 1, (path.name, name, kept, compiled_again)
        assert call() == (len(kinds), 0), (path.name, name, "is not mended")

for path in files():  # what cannot even be replaced costs time, and nothing else
    content = path.read_bytes()
    path.unlink()
    path.mkdir()
    assert call()[1] >= 1
    path.rmdir()
    call()
print("mended")
"""


@pytest.mark.parametrize(("flips", "kinds"), [(12, "(3, 1.5)"), pytest.param(400, "(3,)", marks=pytest.mark.slow)])
def test_damaged_files_are_mended(tmp_path, flips, kinds):
    """The list of a function's code, and the code for each kind of number; many flips for one kind, as each costs."""
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "small.py").write_text(SMALL)
    program = PROGRAM.replace("FLIPS", str(flips)).replace("KINDS", kinds)
    quick = environment(NUMBA_CACHE_DIR=tmp_path / "cache", NUMBA_OPT="0")
    done = run("-c", program, tmp_path / "room", env=quick)
    assert (done.returncode, done.stdout.strip()) == (0, "mended"), done.stderr[-3000:]
    assert done.stderr.count("crypt_env: compiling the rules (some seconds, once) ...\n") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="a disk that is always full is called otherwise elsewhere")
def test_a_full_disk_costs_time_alone(tmp_path):
    """Nothing can be written: the code is compiled and used anyway."""
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "small.py").write_text(SMALL)
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import small, builtins, errno\n"
        "from numba.core import caching\n"
        "def full(*arguments, **named):\n"
        "    raise OSError(errno.ENOSPC, 'No space left on device')\n"
        "caching.IndexDataCacheFile._open_for_write = full\n"
        "print(small.double(4))"
    )
    done = run("-c", program, tmp_path / "room", env=environment(NUMBA_CACHE_DIR=tmp_path / "cache"))
    assert (done.returncode, done.stdout.strip()) == (0, "8"), done.stderr[-3000:]
