"""The engine and the referee check each other's random games.

Game ``n`` of a run has ``n % 4 + 1`` players and a random table. It is played twice: once by the engine, written down
with all legal lists and checked by the referee, and once by the referee and replayed by the engine. Run as a command,
it does so for any number of games: ``python tests/golden/crosscheck.py --games 100000 --jobs 2``. With ``--eager`` the
tables have Manuscript B, Pottery B and Idol A or Remains A, and players peek, take, re-roll and revive often, mostly
with cards that they must choose from.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from crypt_env import CryptError, Game, random_game, replay, to_record
from referee.__main__ import summary
from referee.check import check_record
from referee.play import REWARDS, random_deck, random_record, table_of
from referee.table import Counts

PLAYER_COUNTS = 4
CHUNK = 40
EAGER_TABLES = (("A?BB??", "MP"), ("A?BBA?", "??"), ("??BBA?", "MP"), ("A?BBA?", "M?"))
"""Sides of the Collectors, and types of which most cards lie face-down; a ? is drawn."""
EAGERNESS = 0.4


class Tally(NamedTuple):
    """What came out of some games."""

    engine: int = 0
    """Games of the engine that the referee checked."""
    referee: int = 0
    """Games of the referee that the engine replayed."""
    decisions: int = 0
    counts: Counts = Counter()
    """How often each choice was made in the games of the engine."""
    differences: tuple[str, ...] = ()

    def plus(self, other: Tally) -> Tally:
        """Add up."""
        return Tally(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))

    def __str__(self) -> str:
        """Return the counts on one line."""
        return (
            f"{self.engine} games of the engine, {self.referee} games of the referee, {self.decisions} decisions, "
            f"{len(self.differences)} differences"
        )


def players_of(number: int) -> int:
    """Return how many players game ``number`` has."""
    return number % PLAYER_COUNTS + 1


def decisions_in(record: dict) -> int:
    """Return how many decisions a record holds."""
    return sum(event[0] == "act" for event in record["events"])


def eager_game(players: int, collectors: str, hidden: str, seed: int) -> Game:
    """Return a finished game in which rewards were often paid for, played by the engine."""
    rng = random.Random(seed)
    game = Game(players, table_of(collectors, rng), seed=seed, deck=random_deck(players, hidden, rng))
    while not game.is_over:
        rewards = [text for text in game.legal() if text.startswith(REWARDS)]
        is_eager = bool(rewards) and rng.random() < EAGERNESS
        game.play(rng.choice(rewards if is_eager else game.legal()))
    return game


def check_engine(number: int, seed: int, eager: bool, counts: Counts) -> tuple[int, str | None]:
    """Have the referee check a game of the engine; return its decisions and the first difference."""
    if eager:
        collectors, hidden = EAGER_TABLES[number // PLAYER_COUNTS % len(EAGER_TABLES)]
        game = eager_game(players_of(number), collectors, hidden, seed * 1_000_003 + number)
    else:
        game = random_game(players_of(number), seed=seed, index=number)
    record = json.loads(json.dumps(to_record(game, with_legal=True)))
    return decisions_in(record), check_record(record, counts)


def check_referee(number: int, seed: int, eager: bool) -> tuple[int, str | None]:
    """Have the engine replay a game of the referee; return its decisions and the first difference."""
    collectors, hidden = EAGER_TABLES[number // PLAYER_COUNTS % len(EAGER_TABLES)] if eager else ("random", "")
    played = random_record(players_of(number), collectors, seed * 1_000_003 + number, eager=eager, hidden=hidden)
    record = json.loads(json.dumps(played))
    try:
        replay(record)
    except CryptError as error:
        return decisions_in(record), str(error)
    return decisions_in(record), None


def crosscheck(numbers: Iterable[int], seed: int, eager: bool = False) -> Tally:
    """Check these games in both directions."""
    games = decisions = 0
    counts: Counts = Counter()
    differences = []
    for number in numbers:
        results = {"engine": check_engine(number, seed, eager, counts), "referee": check_referee(number, seed, eager)}
        for name, (count, difference) in results.items():
            decisions += count
            if difference is not None:
                differences.append(f"{name}, seed {seed}, game {number}, {players_of(number)} players: {difference}")
        games += 1
    return Tally(games, games, decisions, counts, tuple(differences))


def _check_chunk(task: tuple[int, int, int, bool]) -> Tally:
    """Check a run of games; for a pool of processes."""
    start, stop, seed, eager = task
    return crosscheck(range(start, stop), seed, eager)


def _tallies(games: int, seed: int, jobs: int, eager: bool) -> Iterator[Tally]:
    """Yield the results, chunk by chunk."""
    tasks = [(start, min(start + CHUNK, games), seed, eager) for start in range(0, games, CHUNK)]
    if jobs == 1:
        yield from map(_check_chunk, tasks)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap_unordered(_check_chunk, tasks)


def main(arguments: list[str] | None = None) -> int:
    """Check the requested number of games; return 1 if any differs."""
    parser = argparse.ArgumentParser(description="The engine and the referee check each other's random games.")
    parser.add_argument("--games", type=int, default=2000, help="games in each direction (default 2000)")
    parser.add_argument("--seed", type=int, default=0, help="of the first game (default 0)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--eager", action="store_true", help="tables and players that often choose cards to flip")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write how many games and decisions were compared")
    options = parser.parse_args(arguments)
    total, last_word = Tally(), time.monotonic()
    for tally in _tallies(options.games, options.seed, options.jobs, options.eager):
        total = total.plus(tally)
        for difference in tally.differences:
            print(difference, flush=True)
        if time.monotonic() - last_word > 10:
            last_word = time.monotonic()
            print(f"{total.engine} of {options.games}: {total}", file=sys.stderr, flush=True)
    print(*summary(total.counts), total, sep="\n")
    if options.json:
        compared = {"games": total.engine + total.referee, "decisions": total.decisions}
        result = {"date": date.today().isoformat(), **compared, "differences": len(total.differences)}
        options.json.write_text(json.dumps({**result, "seed": options.seed}, indent=1) + "\n", encoding="utf-8")
    return 1 if total.differences else 0


if __name__ == "__main__":
    sys.exit(main())
