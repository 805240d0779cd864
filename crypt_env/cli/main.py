"""The command line: ``crypt`` or ``python -m crypt_env``."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from crypt_env.errors import shortened

from .arena import INTERRUPTED, add_arena

if TYPE_CHECKING:
    from crypt_env.notation.record import Difference

MOST_DIGITS = 9
"""Of a count."""
MOST_SECONDS, MOST_GAMES = 3600, 2**20
"""Of a measurement."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit code."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print(f"crypt {options.command}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except MemoryError as error:
        print(f"crypt {options.command}: there is not enough memory; {error}", file=sys.stderr)
        return 2
    except (OSError, EOFError, ValueError) as error:
        print(f"crypt {options.command}: {shortened(str(error))}", file=sys.stderr)
        return 2


class _Version(argparse.Action):
    """Looks the version up only where it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print the version and stop."""
        from crypt_env import __version__

        print(f"crypt-env {__version__}")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(prog="crypt", description="Crypt, a board game as an environment for research.")
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_records(commands)
    _add_replay(commands)
    _add_bench(commands)
    add_arena(commands)
    return parser


def _count(text: str) -> int:
    """Parse a number of things of which there must be at least one."""
    if not text.isdecimal() or len(text) > MOST_DIGITS or int(text) < 1:
        raise argparse.ArgumentTypeError(
            f"{text[:60]!r} is not possible; a whole number from 1 on is needed, with at most {MOST_DIGITS} digits"
        )
    return int(text)


def _seconds(text: str) -> float:
    """Parse a time."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds <= MOST_SECONDS:
        raise argparse.ArgumentTypeError(
            f"{text[:60]!r} is not possible; a number of seconds above 0, at most {MOST_SECONDS}, is needed"
        )
    return seconds


# -- records ----------------------------------------------------------------------------------------------------------


def _add_records(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command that writes random games."""
    command = commands.add_parser("records", help="write random games as crypt-record/1 to standard output")
    command.add_argument("--players", type=int, default=2, help="1 to 4 (default 2)")
    command.add_argument("--collectors", default="random", help="six letters, 'A', 'B' or 'random' (default)")
    command.add_argument("--games", type=_count, default=1, help="how many (default 1)")
    command.add_argument("--seed", type=int, default=0, help="the games are those of this seed (default 0)")
    command.add_argument("--legal", action="store_true", help="add the list of legal actions to every decision")
    command.set_defaults(run=_run_records)


def _run_records(options: argparse.Namespace) -> int:
    """Write random games."""
    from crypt_env.notation.record import random_game, to_record

    for index in range(options.games):
        game = random_game(options.players, options.collectors, options.seed, index)
        print(json.dumps(to_record(game, options.legal), separators=(",", ":")))
    return 0


# -- replay -----------------------------------------------------------------------------------------------------------


def _add_replay(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command that checks records."""
    command = commands.add_parser("replay", help="replay records and name the first difference of each from the rules")
    command.add_argument("files", nargs="+", metavar="FILE", help=".jsonl, .jsonl.gz, or - for standard input")
    command.set_defaults(run=_run_replay)


def _run_replay(options: argparse.Namespace) -> int:
    """Replay records; return 1 if any differs, 2 if a file cannot be read to its end or holds none."""
    records = differences = failures = 0
    for name in options.files:
        found, shown = 0, shortened(name)
        try:
            for difference in _replayed(name):
                found += 1
                if difference is not None:
                    differences += 1
                    print(f"{shown}:{difference.line}: {difference.reason}")
            if not found:
                raise ValueError("there is no record in it")
        except BrokenPipeError:  # not of this file, but of what is printed
            raise
        except (OSError, EOFError, ValueError) as error:
            failures += 1
            reason = getattr(error, "strerror", None) or error
            behind = f" (after {found} records)" if found else ""
            print(f"crypt replay: {shown}: {reason}{behind}", file=sys.stderr)
        records += found
    if records:
        print(f"{records} records, {differences} differences")
    return 2 if failures else min(differences, 1)


def _replayed(name: str) -> Iterator[Difference | None]:
    """Replay the records of a file, or of standard input."""
    from crypt_env.notation.record import check_file, check_records, text_lines

    return check_records(text_lines(sys.stdin.buffer)) if name == "-" else check_file(name)


# -- bench ------------------------------------------------------------------------------------------------------------


def _add_bench(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command that measures the engine."""
    command = commands.add_parser("bench", help="measure decisions a second, and cold and warm start")
    command.add_argument("--games", type=_count, default=1024, help="games in a batch (default 1024)")
    command.add_argument("--seconds", type=_seconds, default=1.0, help="time for each measurement (default 1)")
    command.add_argument("--repeats", type=_count, default=5, help="how often each is measured; the median counts")
    command.add_argument("--no-start", action="store_true", help="leave out the start of fresh processes")
    command.add_argument("--json", action="store_true", help="print JSON instead of tables")
    command.set_defaults(run=_run_bench)


def _run_bench(options: argparse.Namespace) -> int:
    """Measure the engine."""
    from .bench import as_table, measure

    if options.games > MOST_GAMES:
        raise ValueError(f"--games {options.games} is not possible; at most {MOST_GAMES} games fit into a batch")
    report = measure(options.games, options.seconds, options.repeats, with_start=not options.no_start)
    print(json.dumps(report, indent=1) if options.json else as_table(report))
    return 0
