"""``crypt dataset``: records as arrays for learning."""

from __future__ import annotations

import argparse

from crypt_env.console.arguments import path_name
from crypt_env.console.progress import Progress
from crypt_env.datasets import DecisionReader, write_arrays, write_minari
from crypt_env.datasets.arrays import writer_for
from crypt_env.errors import CryptError, counted
from crypt_env.files import check_writable, shown
from crypt_env.rules.state import REWARD_NAMES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.description = (
        "Turns records into arrays: observations, masks, actions, seats, rewards, returns and games, one row for each "
        "decision. Every record is checked against the rules."
    )
    parser.add_argument(
        "files", nargs="+", type=path_name, metavar="FILE", help=".jsonl or .jsonl.gz, as 'crypt records' writes them"
    )
    output = parser.add_mutually_exclusive_group(required=True)
    output.add_argument("--out", type=path_name, metavar="FILE", help=".npz or .parquet")
    output.add_argument("--minari", metavar="ID", help="a new Minari dataset, such as crypt/duel/expert-v0")
    parser.add_argument("--agent", metavar="NAME", help="only the seats that this agent played")
    parser.add_argument("--seat", type=int, help="only this seat")
    parser.add_argument("--winners", action="store_true", help="only the seats that won")
    parser.add_argument("--reward", default="win", choices=REWARD_NAMES, help="what is paid (default win)")
    parser.add_argument("--dense", action="store_true", help="pay as soon as coins are certain")
    parser.add_argument("--discount", type=float, default=1.0, help="of the returns (default 1)")
    parser.add_argument("--opponents", metavar="AGENT", help="with --minari: who plays in the environment it recovers")
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def run(options: argparse.Namespace) -> int:
    """Read records and write a dataset."""
    if options.opponents is not None and options.minari is None:
        raise CryptError(
            "--opponents says who plays in the environment of a Minari dataset; --minari is needed with it"
        )
    progress = Progress("records", quiet=options.quiet)
    reader = DecisionReader(
        options.files,
        options.reward,
        options.dense,
        options.discount,
        options.agent,
        options.seat,
        options.winners,
        progress.update,
    )
    try:
        if options.minari is not None:
            write_minari(reader, options.minari, options.opponents)
        else:
            writer_for(options.out)
            check_writable(options.out)
            write_arrays(reader, options.out)
    finally:
        progress.end()
    left_out = f", without {counted(reader.unfinished, 'unfinished game')}" if reader.unfinished else ""
    name = shown(options.out) if options.minari is None else f"Minari dataset {options.minari}"
    print(f"{name}: {counted(reader.decisions, 'decision')} of {counted(reader.games, 'game')}{left_out}")
    return 0
