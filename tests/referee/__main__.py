"""Command line: check records, or play random games."""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator

from .check import check_record
from .play import random_record
from .table import Counts

MOMENTS = {
    "before Claim": ("take", "peek", "done"),
    "answer to a take": ("peek", "done"),
    "Claim turn": ("place", "done", "recover", "peek", "revive"),
    "after Claim": ("peek", "done"),
    "Collect": ("reroll", "done"),
    "flip to pay for": ("reroll", "peek", "take", "revive"),
}
"""When players are asked, and what they choose; flips are told apart by what they pay for."""


def lines_of(name: str) -> Iterator[str]:
    """The lines of a file, plain or gzipped, or of the standard input for '-'."""
    if name == "-":
        yield from sys.stdin
        return
    with (gzip.open if name.endswith(".gz") else open)(name, "rt", encoding="utf-8") as file:
        yield from file


def check_line(line: str, counts: Counts) -> str | None:
    """Check one line of JSON; its decisions are added to `counts`."""
    try:
        record = json.loads(line)
    except ValueError as error:
        return f"record: expected JSON, found an error ({error})."
    return check_record(record, counts)


def summary(counts: Counts) -> list[str]:
    """One line for each moment of a game: how often each choice was made."""
    return [
        f"{moment}: " + ", ".join(f"{choice} {counts[moment, choice]}" for choice in choices)
        for moment, choices in MOMENTS.items()
    ]


def check_files(names: list[str]) -> int:
    """Check all records of all files, print the differences and what was decided; the exit status."""
    records = differences = 0
    counts: Counts = Counter()
    for name in names:
        for number, line in enumerate(lines_of(name), 1):
            if not line.strip():
                continue
            records += 1
            sentence = check_line(line, counts)
            if sentence:
                differences += 1
                print(f"{name}:{number}: {sentence}")
    print(*summary(counts), f"{records} records, {differences} differences", sep="\n")
    return 1 if differences else 0


def play_games(options: argparse.Namespace) -> int:
    """Print random games, this many for each number of players, seeded with seed, seed + 1 and so on."""
    for players in [1, 2, 3, 4] if options.players == "all" else [int(options.players)]:
        for game in range(options.games):
            record = random_record(
                players,
                options.collectors,
                options.seed + game,
                legal=options.legal,
                eager=options.policy == "eager",
                hidden=options.hidden,
            )
            print(json.dumps(record))
    return 0


def table_name(text: str) -> str:
    """Six letters A or B, or ? for either; or the word random."""
    if text != "random" and not re.fullmatch("[AB?]{6}", text):
        raise argparse.ArgumentTypeError("six letters A, B or ?, or random")
    return text


def hidden_types(text: str) -> str:
    """Letters of types that pay for rewards, or ? for another one."""
    if not re.fullmatch("[IMPR?]{0,4}", text):
        raise argparse.ArgumentTypeError("at most four letters I, M, P, R or ?")
    return text


def main() -> int:
    """Parse the arguments and do what they ask."""
    parser = argparse.ArgumentParser(prog="referee", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="check records")
    check.add_argument("files", nargs="+", metavar="FILE", help=".jsonl, .jsonl.gz, or - for standard input")
    play = commands.add_parser("play", help="write random games as JSON lines")
    play.add_argument("--players", choices=["1", "2", "3", "4", "all"], required=True)
    play.add_argument("--games", type=int, required=True, help="games for each number of players")
    play.add_argument("--seed", type=int, required=True, help="of the first game; the next has one more")
    play.add_argument("--collectors", type=table_name, default="random", help="as AABBAB or A?BBA?, or random")
    play.add_argument("--policy", choices=["uniform", "eager"], default="uniform", help="eager: rewards come up often")
    play.add_argument("--hidden", type=hidden_types, default="", help="types that are mostly face-down, as MP or M?")
    play.add_argument("--no-legal", action="store_false", dest="legal", help="leave out the legal lists")
    options = parser.parse_args()
    return check_files(options.files) if options.command == "check" else play_games(options)


if __name__ == "__main__":
    sys.exit(main())
