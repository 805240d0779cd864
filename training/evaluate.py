"""Let agents play against each other: ``python -m training.evaluate AGENT [AGENT ...] [--players 2] [--games 10000]``.

An agent is any that the arena knows, as ``greedy`` or ``search:200``, or a network's path, which has a slash, as in
``runs/duel/last``. A run's folder means its best network. All pairs play the same deals, evenly over all tables; alone,
each agent plays against the Ghost.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from crypt_env import CryptError
from crypt_env.arena import EVALUATION_SEED, Report, as_text, round_robin
from crypt_env.arena.cluster import cores
from crypt_env.arena.on_ray import JOBS_HELP
from crypt_env.console.arguments import path_name
from crypt_env.console.progress import Progress
from crypt_env.experiment.stopping import end_program
from crypt_env.files import check_writable, write_text


def evaluate(
    agents: Sequence[str], players: int = 2, games: int = 10_000, seed: int = EVALUATION_SEED, jobs: int = 1
) -> Report:
    """Let agents play against each other.

    Args:
        agents: names, networks' paths or folders of runs.
        players: 1 to 4.
        games: of each pair, all seatings together; rounded up so that tables and seatings are even.
        seed: of the deals.
        jobs: processes.

    Raises:
        CryptError: an argument is not possible.
    """
    progress = Progress()
    try:
        return round_robin(agents, players, games, "even", seed, jobs=jobs, progress=progress.update)
    finally:
        progress.end()


def main(arguments: list[str] | None = None) -> int:
    """Evaluate; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m training.evaluate", description="Let agents play against each other."
    )
    parser.add_argument("agents", nargs="+", metavar="AGENT", help="such as runs/duel greedy search:200")
    parser.add_argument("--players", type=int, default=2, help="1 (against the Ghost) to 4 (default 2)")
    parser.add_argument("--games", type=int, default=10_000, help="of each pair, all seatings together (default 10000)")
    parser.add_argument("--seed", type=int, default=EVALUATION_SEED, help="of the deals")
    parser.add_argument("--jobs", type=int, default=cores(), help=JOBS_HELP)
    parser.add_argument("--json", type=path_name, metavar="FILE", help="write the report as JSON")
    options = parser.parse_args(arguments)
    try:
        if options.json is not None:
            check_writable(options.json)
        report = evaluate(options.agents, options.players, options.games, options.seed, options.jobs)
        try:
            if options.json is not None:
                write_text(options.json, report.as_json())
        finally:  # after the file, which is written even if the reader of this has left; also if it cannot be written
            print(as_text(report))
    except (CryptError, OSError) as error:
        print(f"evaluate: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    end_program(main())
