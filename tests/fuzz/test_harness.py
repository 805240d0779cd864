"""The harness finds what it should: parsers with one fault of each kind, shown by one input in ten."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz import targets
from fuzz.harness import TESTS, run_tasks
from fuzz.limits import Limits
from fuzz.mutate import as_text, damaged_bytes, damaged_json, damaged_text, odd_value
from fuzz.target import CRASH, GROWTH, HANG, LONG, UNUSABLE, WRONG
from fuzz.targets.broken import BAD, FAULTS
from fuzz.worker import Task

KINDS = {
    **dict.fromkeys(("wrong exception", "value error", "leave"), WRONG),
    **dict.fromkeys(("long message", "many lines", "says nothing"), LONG),
    **dict.fromkeys(("hang", "sleep"), HANG),
    "unusable": UNUSABLE,
    "grow": GROWTH,
    "crash": CRASH,
}
QUICK = Limits(seconds=1.0, wall_seconds=3.0, memory=2**28)
INPUTS = 80
ALIVE = sorted(set(KINDS) - {"crash", "hang", "sleep"})


def bad_inputs(name: str, digit: int = BAD) -> list[int]:
    """Return the numbers of the inputs that show the fault of a target."""
    target = targets.load(name)
    return [number for number in range(INPUTS) if target.input(1, number, None) % 10 == digit]


def test_every_kind_of_fault_has_a_parser() -> None:
    assert KINDS.keys() == {*FAULTS, "unusable"}
    assert set(KINDS.values()) == {WRONG, LONG, UNUSABLE, GROWTH, CRASH, HANG}


def test_faults_that_leave_a_worker_alive_are_all_counted(tmp_path: Path) -> None:
    tallies = run_tasks([[Task(name, 1, 0, INPUTS, 60.0) for name in ALIVE]], tmp_path, limits=QUICK)
    for name in ALIVE:
        (finding,) = tallies[name].findings.values()
        bad = bad_inputs(name, BAD - (name == "unusable"))
        assert (finding.kind, finding.number, finding.count) == (KINDS[name], bad[0], len(bad)), name
        assert tallies[name].done == INPUTS
        assert 0 < tallies[name].accepted < INPUTS
        assert Path(finding.input).is_file()
        assert "broken.py" in finding.trace or "target.py" in finding.trace


@pytest.mark.parametrize("name", ["crash", "hang", "sleep"])
def test_an_input_that_kills_its_worker_is_named_and_the_others_are_tried(name: str, tmp_path: Path) -> None:
    bad = bad_inputs(name)
    stop = bad[0] + 2
    tallies = run_tasks([[Task(name, 1, bad[0] - 1, stop, 60.0), Task("leave", 1, 0, 5, 60.0)]], tmp_path, limits=QUICK)
    (finding,) = tallies[name].findings.values()
    assert finding.kind == KINDS[name]
    assert finding.number == bad[0]
    assert Path(finding.input).read_bytes() == b"\x80\x04K" + bytes([targets.load(name).input(1, bad[0], None)]) + b"."
    assert tallies[name].done == stop - bad[0] + 1
    assert tallies["leave"].done == 5


def test_a_finding_is_reproduced_by_its_seed_and_number() -> None:
    (number, *_) = bad_inputs("wrong exception")
    command = [sys.executable, "-m", "fuzz", "--seed", "1", "--number", str(number)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])}
    command += ["--target", "wrong exception"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "wrong exception: KeyError: 'x'" in done.stdout


def test_time_ends_a_task(tmp_path: Path) -> None:
    tallies = run_tasks([[Task("leave", 1, 0, 10**9, 0.2)]], tmp_path, limits=QUICK)
    assert 0 < tallies["leave"].done < 10**9
    assert 0.2 <= tallies["leave"].seconds < 5


# -- damage -----------------------------------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.binary(), st.integers(0, 10**6))
def test_bytes_can_always_be_damaged_and_twice_in_the_same_way(data: bytes, seed: int) -> None:
    assert damaged_bytes(Random(seed), data, [b"other"]) == damaged_bytes(Random(seed), data, [b"other"])


@given(st.text(), st.integers(0, 10**6))
def test_texts_can_always_be_damaged_and_twice_in_the_same_way(text: str, seed: int) -> None:
    assert damaged_text(Random(seed), text, ["other 12"]) == damaged_text(Random(seed), text, ["other 12"])


@given(JSON, st.integers(0, 10**6))
def test_json_can_always_be_damaged_and_what_it_was_stays(value: object, seed: int) -> None:
    before = repr(value)
    texts = [as_text(Random(seed), damaged_json(Random(seed), value, [value])) for _ in range(2)]
    assert texts[0] == texts[1]
    assert repr(value) == before


@given(st.integers(0, 10**6))
def test_odd_values_can_always_be_made(seed: int) -> None:
    odd_value(Random(seed))
