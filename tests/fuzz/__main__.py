"""``make fuzz``: gives damaged inputs to all parsers for a given time, and reports the results.

``python -m fuzz --seconds 600`` goes through all targets in turn; ``--target positions`` through one alone; with
``--seed 7 --number 123`` as well, one input is given to it in this very process, and the traceback is shown.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import sys
import tempfile
import time
import traceback
from collections import defaultdict
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from . import targets
from .harness import Finding, Tally, run_tasks
from .limits import Limits
from .target import judge
from .worker import Task

FOLDER = Path(".fuzz")
SLICE = 30.0
"""Seconds for which a process works on one target before it moves to the next."""
STRIDE = 10_000_000
"""The inputs of each turn begin this many numbers after those of the one before."""


def turns(names: list[str], seed: int, seconds: float, inputs: int) -> Iterator[list[Task]]:
    """Yield the tasks, until time is up or every target was given its inputs."""
    end, part = time.monotonic() + seconds, min(SLICE, seconds / len(names))
    for turn in itertools.count():
        for name in names:
            if time.monotonic() >= end or (inputs and turn):
                return
            stop = turn * STRIDE + (inputs or STRIDE)
            yield [Task(name, seed, turn * STRIDE, stop, 1e9 if inputs else part)]


def table(tallies: dict[str, Tally]) -> str:
    """Return how many inputs every target was given, and their results."""
    head = ("target", "inputs", "accepted", "refused", "a second", "findings")
    rows = [head]
    for name, tally in tallies.items():
        speed = tally.done / max(tally.seconds, 1e-9)
        numbers = (tally.done, tally.accepted, tally.done - tally.accepted, round(speed), len(tally.findings))
        rows.append((name, *(f"{number:,}" for number in numbers)))
    sums = (sum(tally.done for tally in tallies.values()), sum(tally.accepted for tally in tallies.values()))
    findings = sum(len(tally.findings) for tally in tallies.values())
    rows.append(("all", *(f"{number:,}" for number in (*sums, sums[0] - sums[1])), "", f"{findings:,}"))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(_aligned(row, widths) for row in rows)


def _aligned(row: tuple[str, ...], widths: list[int]) -> str:
    """Return a row of the table, the numbers to the right."""
    first, *numbers = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
    return "  ".join([first.strip().ljust(widths[0]), *numbers])


def described(finding: Finding) -> str:
    """Return a finding in words, with what reproduces it."""
    target = f"'{finding.target}'" if " " in finding.target else finding.target
    return (
        f"{finding.target}: {finding.kind} in {finding.place or 'an unknown place'}, {finding.count} times: "
        f"{finding.what}\n  input: {finding.input or 'not kept'}\n"
        f"  again: make fuzz FUZZ='--target {target} --seed {finding.seed} --number {finding.number}'"
    )


def report(tallies: dict[str, Tally], folder: Path) -> int:
    """Print the table and all findings, and keep their tracebacks; return how many there are."""
    print(table(tallies))
    findings = [finding for tally in tallies.values() for finding in tally.findings.values()]
    for number, finding in enumerate(findings, 1):
        print(f"\n{number}. {described(finding)}")
        if finding.trace and finding.input:
            Path(f"{finding.input}.trace").write_text(finding.trace, encoding="utf-8", errors="replace")
    if findings:
        print(f"\n{len(findings)} findings; inputs and tracebacks are in {folder}")
    return len(findings)


def give_one(name: str, seed: int, number: int) -> int:
    """Give one input to a target, without limits; return whether something is wrong with it."""
    os.chdir(tempfile.mkdtemp())
    target = targets.load(name)
    given = target.input(seed, number, target.samples())
    print(f"{name} {number} of seed {seed}: {ascii(given)[:2000]}")
    is_accepted, fault = judge(target, given)
    if fault is None:
        print("accepted" if is_accepted else "refused, as it should be")
        return 0
    print(f"{fault.kind}: {fault.what}")
    traceback.print_exception(fault.error)
    return 1


def parse() -> argparse.Namespace:
    """Return the command line."""
    known = targets.names(with_torch=find_spec("torch") is not None)
    parser = argparse.ArgumentParser(prog="make fuzz", description="Give damaged inputs to all parsers.")
    parser.add_argument("--seconds", type=float, default=3600.0, help="how long (default an hour)")
    parser.add_argument("--inputs", type=int, default=0, help="stop after this many for each target, at any time")
    parser.add_argument("--target", action="append", metavar="NAME", help="only this one; can be given several times")
    parser.add_argument("--seed", type=int, help="of all inputs (default: a new one)")
    parser.add_argument("--number", type=int, help="give only this input to the target, and show what happens")
    parser.add_argument(
        "--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes (default: one a core)"
    )
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder for inputs that something is wrong with")
    options = parser.parse_args()
    options.target = options.target or known
    try:
        for name in options.target:
            targets.load(name)
    except KeyError:
        parser.error(f"there is no target {name!r}; known are {', '.join(known)}")
    if options.number is not None and (options.seed is None or len(options.target) != 1):
        parser.error("--number needs --seed and one --target")
    return options


def main() -> int:
    """Fuzz; return 1 if anything was found."""
    options = parse()
    if options.number is not None:
        return give_one(options.target[0], options.seed, options.number)
    seed = random.SystemRandom().randrange(10**6) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    tallies: dict[str, Tally] = defaultdict(Tally)
    todo = turns(options.target, seed, options.seconds, options.inputs)
    try:
        run_tasks(todo, options.out, options.jobs, Limits(), tallies)
    except KeyboardInterrupt:
        print()
    finally:
        findings = report(tallies, options.out)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
