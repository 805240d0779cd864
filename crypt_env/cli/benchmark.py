"""``crypt benchmark``: the protocol Crypt-64."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from pathlib import Path

from crypt_env.arena.on_ray import RAY_HELP, RayCrew
from crypt_env.benchmark import TASKS, read_result, run_task, table_text, verify
from crypt_env.benchmark.leaderboard import as_leaderboard
from crypt_env.benchmark.report import as_report
from crypt_env.benchmark.results import check_distinct
from crypt_env.benchmark.tasks import BUDGETS, NO_BUDGET, SIZES, find_task
from crypt_env.console.arguments import path_name
from crypt_env.console.progress import Progress
from crypt_env.errors import CryptError, counted
from crypt_env.files import check_writable, write_text

from . import INTERRUPTED


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.description = "Evaluates agents by the protocol Crypt-64, reports results and verifies them."
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    tasks = verbs.add_parser("tasks", help="list the tasks")
    tasks.add_argument("--tables", action="store_true", help="also show the tables to train on")
    _add_run(verbs.add_parser("run", help="evaluate agents on a task and write a result"))
    report = verbs.add_parser("report", help="compare results of one task, as stated in their result.json")
    verifier = verbs.add_parser("verify", help="replay all games of results and recompute all numbers")
    board = verbs.add_parser("leaderboard", help="verify results and write the page about them")
    for command in (report, verifier, board):
        command.add_argument("folders", nargs="+", type=path_name, metavar="FOLDER", help="a result")
    verifier.add_argument(
        "--reask",
        action="store_true",
        help="also ask the evaluated agents again: programs of this package, and networks in the folder",
    )
    board.add_argument("--out", type=path_name, metavar="FILE", help="write the page there (default: standard output)")
    for command in (verifier, board):
        command.add_argument("--quiet", action="store_true", help="show no progress")


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Evaluates one agent, or several from the same training with different seeds. An agent of a module, "
        "such as my_module:MyAgent, and a saved model, sb3:FILE, run the code in them."
    )
    parser.add_argument("task", help="such as duel-64; 'crypt benchmark tasks' lists them")
    parser.add_argument("agents", nargs="+", metavar="AGENT", help="as in: greedy net:runs/mine/best my_module:MyAgent")
    parser.add_argument("--out", type=path_name, metavar="FOLDER", required=True, help="of the result; new or empty")
    parser.add_argument("--size", choices=SIZES, default="full", help="how many deals (default: full)")
    parser.add_argument("--name", help="of the method (default: the first agent)")
    parser.add_argument("--description", default="", help="how the agents were made, on one line")
    parser.add_argument("--budget", choices=(*BUDGETS, NO_BUDGET), default=NO_BUDGET, help="of the training")
    parser.add_argument("--decisions", type=int, default=0, help="decisions played in the training of each agent")
    parser.add_argument("--seeds", type=int, nargs="+", metavar="SEED", help="of the trainings, one for each agent")
    parser.add_argument("--ray", action="store_true", help=RAY_HELP)
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def run(options: argparse.Namespace) -> int:
    """Run the subcommand."""
    verbs = {"tasks": _tasks, "run": _run, "report": _report, "verify": _verify, "leaderboard": _leaderboard}
    progress = Progress(quiet=getattr(options, "quiet", True))
    try:
        return verbs[options.verb](options, progress)
    except KeyboardInterrupt:
        progress.end()
        left = "folders that are not listed were not verified" if options.verb == "verify" else "nothing was finished"
        print(f"crypt benchmark: interrupted; {left}", file=sys.stderr)
        return INTERRUPTED
    finally:
        progress.end()


def _tasks(options: argparse.Namespace, _: Progress) -> int:
    for task in TASKS.values():
        print(
            f"{task.name:<11} {counted(task.players, 'player') + ',':<10} {len(task.tables):>2} tables to train on; "
            f"{task.games('full')} games for each run, {task.games('quick')} with --size quick"
        )
        if options.tables:
            print(f"            {' '.join(map(table_text, task.tables))}")
    return 0


def _run(options: argparse.Namespace, progress: Progress) -> int:
    find_task(options.task)
    with RayCrew() if options.ray else nullcontext() as crew:
        result = run_task(
            options.task,
            options.agents,
            options.out,
            options.size,
            options.name,
            options.description,
            options.budget,
            options.decisions,
            options.seeds,
            progress.update,
            crew,
        )
    progress.end()
    print(as_report([result]), end="")
    return 0


def _report(options: argparse.Namespace, _: Progress) -> int:
    print(as_report([read_result(folder) for folder in options.folders]), end="")
    return 0


def _verify(options: argparse.Namespace, progress: Progress) -> int:
    failures = 0
    for folder in options.folders:
        try:
            result = verify(folder, options.reask, progress.begin(f"{Path(folder).name}: "))
        except CryptError as error:
            failures += 1
            progress.say(f"refused: {error}")
        else:
            value, low, high = result.numbers["parts"]["score"]
            progress.say(f"verified: {folder}: {result.task.name}, score {value:.3f} [{low:.3f}, {high:.3f}]")
    return min(failures, 1)


def _leaderboard(options: argparse.Namespace, progress: Progress) -> int:
    if options.out is not None:
        check_writable(options.out)
    check_distinct([read_result(folder) for folder in options.folders])
    results = [verify(folder, update=progress.begin(f"{Path(folder).name}: ")) for folder in options.folders]
    progress.end()
    page = as_leaderboard(results)
    if options.out is None:
        print(page, end="")
    else:
        write_text(options.out, page)
    return 0
