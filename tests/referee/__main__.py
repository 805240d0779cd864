"""Command line: check records, or play random games."""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections.abc import Iterator

from .check import check_record
from .play import random_record


def lines_of(name: str) -> Iterator[str]:
    """The lines of a file, plain or gzipped, or of the standard input for '-'."""
    if name == "-":
        yield from sys.stdin
        return
    with (gzip.open if name.endswith(".gz") else open)(name, "rt", encoding="utf-8") as file:
        yield from file


def check_line(line: str) -> str | None:
    """Check one line of JSON."""
    try:
        record = json.loads(line)
    except ValueError as error:
        return f"record: expected JSON, found an error ({error})."
    return check_record(record)


def check_files(names: list[str]) -> int:
    """Check all records of all files, print the differences; the exit status."""
    records = differences = 0
    for name in names:
        for number, line in enumerate(lines_of(name), 1):
            if not line.strip():
                continue
            records += 1
            sentence = check_line(line)
            if sentence:
                differences += 1
                print(f"{name}:{number}: {sentence}")
    print(f"{records} records, {differences} differences")
    return 1 if differences else 0


def play_games(players: list[int], games: int, seed: int, collectors: str) -> int:
    """Print random games, so many for each number of players, seeded with seed, seed + 1 and so on."""
    for number in players:
        for game in range(games):
            print(json.dumps(random_record(number, collectors, seed + game)))
    return 0


def table_name(text: str) -> str:
    """Six letters A or B, or the word random."""
    if text != "random" and not re.fullmatch("[AB]{6}", text):
        raise argparse.ArgumentTypeError("six letters A or B, or random")
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
    play.add_argument("--collectors", type=table_name, default="random", help="as AABBAB, or random")
    options = parser.parse_args()
    if options.command == "check":
        return check_files(options.files)
    players = [1, 2, 3, 4] if options.players == "all" else [int(options.players)]
    return play_games(players, options.games, options.seed, options.collectors)


if __name__ == "__main__":
    sys.exit(main())
