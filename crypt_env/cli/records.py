"""``crypt records``: games that agents play, as records."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Generator

from crypt_env.console.arguments import count, path_name
from crypt_env.notation.record import line_of, random_game, to_record

FEW = 64
"""Random games that are played here at once; agents, processes and progress are loaded only for more."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.description = (
        "Plays games and writes their records, one on each line, to standard output or to a file. 'crypt dataset' "
        "makes arrays of them. An agent of a module, such as my_module:MyAgent, and a saved model, sb3:FILE, run the "
        "code in them."
    )
    parser.add_argument(
        "agents",
        nargs="*",
        metavar="AGENT",
        help="one for all seats, or one for each (default random): greedy net:duel",
    )
    parser.add_argument("--players", type=int, default=2, help="1 to 4 (default 2)")
    parser.add_argument("--collectors", default="random", help="six letters, 'A', 'B' or 'random' (default)")
    parser.add_argument("--games", type=count, default=1, help="how many (default 1)")
    parser.add_argument("--seed", type=int, default=0, help="the games are those of this seed (default 0)")
    parser.add_argument("--rotate", action="store_true", help="move the agents one seat on with each game")
    parser.add_argument("--legal", action="store_true", help="add the list of legal actions to every decision")
    parser.add_argument("--out", type=path_name, metavar="FILE", help=".jsonl or .jsonl.gz, instead of standard output")
    parser.add_argument("--jobs", type=int, help="processes (default: one for each core)")
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def run(options: argparse.Namespace) -> int:
    """Play games and write them."""
    if options.agents or options.out or options.jobs is not None or options.games > FEW:
        return _play(options)
    for index in range(options.games):
        game = random_game(options.players, options.collectors, options.seed, index)
        print(line_of(to_record(game, options.legal)))
    return 0


def _play(options: argparse.Namespace) -> int:
    """Play games of any agents in several processes, with progress."""
    from crypt_env.arena.cluster import cores
    from crypt_env.console.progress import Progress
    from crypt_env.datasets import record_games

    progress = Progress(quiet=options.quiet or (options.out is None and sys.stdout.isatty()))
    lines = record_games(
        options.agents or "random",
        options.players,
        options.games,
        options.collectors,
        seed=options.seed,
        rotate=options.rotate,
        with_legal=options.legal,
        jobs=cores() if options.jobs is None else options.jobs,
        progress=progress.update,
    )
    try:
        _write(lines, options.out)
    finally:
        lines.close()
        progress.end()
    return 0


def _write(lines: Generator[bytes, None, None], out: str | None) -> None:
    """Write lines to a file or to standard output."""
    from crypt_env.datasets.outputs import new_lines

    if out is None:
        for line in lines:
            sys.stdout.write(line.decode())
    else:
        with new_lines(out) as file:
            file.writelines(lines)
