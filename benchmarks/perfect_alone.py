"""How close to perfect solo play: an upper bound of the mean coins of any player of the Only Child.

    python benchmarks/perfect_alone.py [--scenarios N] [--fit N] [--seed S] [--jobs J] [--json FILE]

The bound is what the best player gets who knows the order of the deck and is charged for that (docs/studies.md).
It is averaged over deals at all 64 tables. The same seed gives the same numbers, however many jobs there are.
"""

from __future__ import annotations

import argparse
import json
import sys
from math import hypot
from pathlib import Path
from typing import Any

from crypt_env.arena import Estimate, round_robin
from crypt_env.arena.formats import estimate_cell, markdown_table
from crypt_env.benchmark.bound.measure import DIGITS, measure
from crypt_env.console.arguments import count, new_file
from crypt_env.files import write_json
from crypt_env.rules.deal import TABLES

RESULTS = Path(__file__).resolve().parent / "results"
NETWORK, SEARCH = "net:solo", "gumbel:256:net:solo"
GAMES = 8192
"""Of the network."""


def players() -> dict[str, list[float]]:
    """Return the coins of the best players and their intervals.

    The network plays many games. The search on top of it is slow; by how much it is ahead is known from deals that
    both have played.
    """
    report = round_robin([NETWORK], games=GAMES, players=1, collectors="even", seed=0)
    solo = report.solos[0].coins
    measured = json.loads((RESULTS / "search-solo-gumbel.json").read_text(encoding="utf-8"))
    (ahead,) = (-difference["coins"]["value"] for difference in measured["differences"])
    (most,) = (-difference["coins"]["low"] for difference in measured["differences"])
    reach = hypot(most - ahead, solo.value - (solo.low or 0))
    value = solo.value + ahead
    return {
        SEARCH: [round(number, DIGITS) for number in (value, value - reach, value + reach)],
        NETWORK: [round(number or 0, DIGITS) for number in solo],
    }


def table(found: dict[str, Any]) -> str:
    """Return the bound above the players as a table in Markdown."""
    rows = {
        "the best player that knows the deck": found["free"],
        "the same, charged for knowing it: **the bound**": found["bound"],
        **{f"`{agent}`": coins for agent, coins in found["players"].items()},
    }
    return markdown_table(("", "coins"), [(name, estimate_cell(Estimate(*each), ".2f")) for name, each in rows.items()])


def left(found: dict[str, Any]) -> str:
    """Return by how much the bound is above the best player, with the interval of the difference."""
    value, _, high = found["players"][SEARCH]
    gap, reach = found["bound"][0] - value, hypot(high - value, found["bound"][2] - found["bound"][0])
    return f"{gap:.2f} [{gap - reach:.2f}, {gap + reach:.2f}]"


def main() -> None:
    """Compute the bound, print it and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenarios", type=count, default=2 * TABLES, help="deals, a multiple of 64 (default 128)")
    parser.add_argument(
        "--fit", type=count, default=512, help="other deals for each round, to fit the charges to (default 512)"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=count, default=1, help="processes (default 1)")
    parser.add_argument("--json", type=new_file, metavar="FILE", help="write the results")
    options = parser.parse_args()
    if options.scenarios < 2 * TABLES or options.scenarios % TABLES:
        parser.error(f"--scenarios is {options.scenarios}; allowed are multiples of {TABLES}, from {2 * TABLES} on")
    found = measure(
        options.scenarios,
        options.fit,
        options.seed,
        options.jobs,
        lambda line: print(line, file=sys.stderr, flush=True),
    )
    found["players"] = players()
    print(table(found))
    print(f"left above {SEARCH}: {left(found)} coins")
    if options.json is not None:
        write_json(options.json, found)


if __name__ == "__main__":
    main()
