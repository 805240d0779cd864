"""The committed files are those that the source produces, and have no imports."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

from tools.web_engine.entries import natural_log
from tools.web_engine.facts import all_facts, versions
from tools.web_engine.linking import HOW_TO_GET, linker, sections
from web.node import WEB, needs_node, run

REPOSITORY = Path(__file__).resolve().parents[2]
REBUILD = "the source has changed since the engine was built; rebuild it with: python -m tools.web_engine"
IMPORTS, CODE = 2, 10


def committed() -> dict:
    """Return the facts of the committed engine."""
    return json.loads((WEB / "engine.json").read_text(encoding="utf-8"))


def test_the_engine_is_that_of_the_source():
    facts, found = all_facts(), committed()
    assert found["source"] == facts["source"], REBUILD
    expected = json.loads(json.dumps({**facts, "built_with": found["built_with"]}))
    assert found == expected, REBUILD


@pytest.mark.slow
def test_building_again_gives_the_same_bytes(tmp_path):
    if linker() is None:
        pytest.skip(f"there is no wasm-ld; {HOW_TO_GET}")
    here, there = versions(), committed()["built_with"]
    if here != there:
        pytest.skip(f"the bytes depend on the versions: the engine was built with {there}, here are {here}")
    command = [sys.executable, "-m", "tools.web_engine", "--into", str(tmp_path)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name in ("engine.wasm", "engine.json"):
        assert (tmp_path / name).read_bytes() == (WEB / name).read_bytes(), REBUILD


def test_the_engine_needs_nothing_from_outside():
    module = (WEB / "engine.wasm").read_bytes()
    assert module[:8] == b"\0asm\x01\0\0\0"
    numbers = [number for number, _ in sections(module)]
    assert CODE in numbers
    assert IMPORTS not in numbers


def test_no_place_of_the_machine_is_in_it():
    module = (WEB / "engine.wasm").read_bytes()
    for stranger in (b"/home", b"/root", b"/work", b"/tmp", b".py", str(REPOSITORY).encode()):
        assert stranger not in module


def test_the_logarithm_is_one():
    for number in (*range(1, 3000), 10**6, 2**52 + 1, 0.3, 1e-9):
        assert math.isclose(natural_log(float(number)), math.log(number), rel_tol=5e-16, abs_tol=0)


@needs_node
def test_refusals_leave_no_trace():
    """Neither the stack nor the array memory fills up, no matter how often an entry fails or a search allocates."""
    found = run("endurance.mjs", times=20000)
    assert found["refusals"] == 2 * 20000
    assert found["is_alive"]
    assert found["pages"] == found["pages_before"]
