"""The command line ``crypt``, for commands that finish at once: no tournament and no measurement is started."""

from __future__ import annotations

from random import Random

from crypt_env.cli.main import main
from fuzz.answers import Said, require_answer, run_quietly
from fuzz.mutate import HUGE_NUMBERS, odd_text
from fuzz.target import Target

_VALID: tuple[list[str], ...] = (
    ["records", "--players", "2", "--collectors", "AABBAB", "--seed", "3"],
    ["records", "--players", "1", "--legal"],
    ["records", "greedy", "random", "--rotate", "--jobs", "1"],
    ["dataset", "/dev/null", "--out", "/dev/full", "--agent", "random", "--discount", "0.5"],
    ["replay", "missing.jsonl"],
    ["replay", "/dev/null"],
    ["arena", "random", "missing", "--quiet"],
    ["arena", "random", "sb3:none.zip", "--quiet", "--players", "3"],
    ["bench", "--games", "0"],
    ["--version"],
)
_WORDS = ("0", "1", "-1", "5", "random", "--legal", "--players", "-", "--seed", "=", "")


def _command(rng: Random, _: None) -> list[str]:
    """Return a damaged command line."""
    line = list(rng.choice(_VALID))
    for _ in range(rng.randint(1, 2)):
        place = rng.randrange(1, len(line) + 1)
        word = rng.choice(
            (*HUGE_NUMBERS, "0", "1", "-1", "5", "random", "--legal", "--players", "-", "--seed", "=", "")
        )
        new = odd_text(rng) if rng.random() < 0.3 else word
        if "arena" in line or "bench" in line:
            line.insert(place, new if not new.startswith(("-", "random")) else "missing")
        else:
            line[place : place + rng.randint(0, 1)] = [new]
    return [word.replace("\0", "0") for word in line]  # no program can be given these


def _run(line: list[str]) -> Said:
    """Run a command."""
    return run_quietly(main, line)


TARGETS = (Target("commands", lambda: None, _command, _run, require_answer, refusals=(), quick=100),)
