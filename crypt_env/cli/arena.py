"""``crypt arena``: tournaments on the command line."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from crypt_env.arena import as_markdown, as_text, build_ladder, round_robin
from crypt_env.arena.ladder import LADDER_COMMAND, LADDER_GAMES, page_path
from crypt_env.arena.on_ray import JOBS_HELP, RAY_HELP, crew
from crypt_env.arena.workers import Crew
from crypt_env.console.arguments import path_name, refuse_shared
from crypt_env.console.progress import Progress
from crypt_env.errors import CryptError
from crypt_env.files import check_writable, shown, write_text

from . import INTERRUPTED

_SETTINGS = ("players", "games", "collectors", "seed", "mixed", "chunk")
"""Options that are left to `round_robin` if they are not given; the ladder takes only the number of games."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.description = (
        "Plays every agent against every other on the same deals, in all seatings. An agent of a module, such as "
        "my_module:MyAgent, and a saved model, sb3:FILE, run the code in them."
    )
    parser.add_argument("agents", nargs="*", metavar="AGENT", help="as in: random greedy search:200 my_module:MyAgent")
    parser.add_argument("--players", type=int, help="1 (against the Ghost) to 4 (default 2)")
    parser.add_argument("--games", type=int, help="of each line-up, all seatings together (default 1000)")
    parser.add_argument(
        "--collectors", help="six letters, 'A', 'B', 'even', 'even-32', 'even-16', 'even-8' or 'random' (default)"
    )
    parser.add_argument("--seed", type=int, help="of the deals (default 0)")
    parser.add_argument("--mixed", action="store_true", default=None, help="also tables of 3 or 4 different agents")
    parser.add_argument("--jobs", type=int, help=JOBS_HELP)
    parser.add_argument("--ray", action="store_true", help=RAY_HELP)
    parser.add_argument("--chunk", type=int, help="deals that are played at once (default: a few seconds of play)")
    parser.add_argument(
        "--out", type=path_name, metavar="FOLDER", help="store finished chunks, to resume after an interruption"
    )
    parser.add_argument("--json", type=path_name, metavar="FILE", help="write the report as JSON")
    parser.add_argument("--markdown", type=path_name, metavar="FILE", help="write the report as Markdown")
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    parser.add_argument(
        "--ladder",
        nargs="?",
        type=path_name,
        const=".",
        metavar="SOURCES",
        help="play the ladder of all agents, for an hour or more, and write docs/ladder.md and benchmarks/results into "
        "this copy of the sources (default: the current folder)",
    )


def run(options: argparse.Namespace) -> int:
    """Play a tournament, or the ladder."""
    progress = Progress(quiet=options.quiet)
    play = _play_tournament if options.ladder is None else _play_ladder
    try:
        with crew(options.ray, options.jobs) as jobs:
            play(options, progress, jobs)
    except KeyboardInterrupt:
        progress.end()
        print(f"crypt arena: interrupted; {_way_on(options.out)}", file=sys.stderr)
        return INTERRUPTED
    finally:
        progress.end()
    return 0


def _way_on(out: str | None) -> str:
    """Return how to continue after an interruption."""
    if out is None:
        return "nothing was stored; '--out FOLDER' stores what is finished"
    if not Path(out).exists():
        return "nothing was finished yet"
    return f"{shown(out)} holds what is finished; the same command resumes from there"


def _play_tournament(options: argparse.Namespace, progress: Progress, jobs: int | Crew) -> None:
    refuse_shared({"--json": options.json, "--markdown": options.markdown})
    for path in (options.json, options.markdown):
        if path is not None:
            check_writable(path)
    given = {name: vars(options)[name] for name in _SETTINGS if vars(options)[name] is not None}
    report = round_robin(options.agents, **given, jobs=jobs, out=options.out, progress=progress.update)
    progress.end()
    try:
        if options.json is not None:
            write_text(options.json, report.as_json())
        if options.markdown is not None:
            write_text(options.markdown, as_markdown(report))
    finally:  # after the files, which are written even if the reader of this has left; also if they cannot be written
        print(as_text(report))


def _play_ladder(options: argparse.Namespace, progress: Progress, jobs: int | Crew) -> None:
    given = [f"agent {agent!r}" for agent in options.agents]
    given += [
        f"--{name}" for name in (*_SETTINGS, "json", "markdown") if name != "games" and vars(options)[name] is not None
    ]
    if given:
        raise CryptError(f"{given[0]} was given, but the ladder sets that itself; '{LADDER_COMMAND}' plays it")
    games = LADDER_GAMES if options.games is None else options.games
    build_ladder(options.ladder, games=games, jobs=jobs, out=options.out, progress=progress)
    progress.end()
    print(f"written: {page_path(options.ladder)}")
