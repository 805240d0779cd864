"""``crypt records``: random games as records."""

from __future__ import annotations

import argparse
import json

from crypt_env.notation.record import random_game, to_record

from . import count


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("--players", type=int, default=2, help="1 to 4 (default 2)")
    parser.add_argument("--collectors", default="random", help="six letters, 'A', 'B' or 'random' (default)")
    parser.add_argument("--games", type=count, default=1, help="how many (default 1)")
    parser.add_argument("--seed", type=int, default=0, help="the games are those of this seed (default 0)")
    parser.add_argument("--legal", action="store_true", help="add the list of legal actions to every decision")


def run(options: argparse.Namespace) -> int:
    """Write random games to standard output."""
    for index in range(options.games):
        game = random_game(options.players, options.collectors, options.seed, index)
        print(json.dumps(to_record(game, options.legal), separators=(",", ":")))
    return 0
