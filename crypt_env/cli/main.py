"""The command line: ``crypt`` or ``python -m crypt_env``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from crypt_env.console.signals import signals_unwind
from crypt_env.console.streams import prepare_streams
from crypt_env.errors import CryptError, shortened

from . import INTERRUPTED

COMMANDS = {
    "play": "play in the browser, or in the terminal",
    "watch": "watch agents play, in the terminal",
    "records": "let agents play, and write the records",
    "dataset": "turn records into arrays: npz, Parquet or a Minari dataset",
    "replay": "check records against the rules; make a page or a picture of a game",
    "warm": "compile everything ahead of use, on all cores",
    "bench": "measure decisions a second, and cold and warm start",
    "arena": "play agents against each other: wins, coins, ratings",
    "benchmark": "evaluate agents by the protocol Crypt-64; verify and report results",
}
"""Each has a module of its name in this package, loaded when the command is run."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit code."""
    prepare_streams()
    with signals_unwind():
        return _run(arguments)


def _run(arguments: Sequence[str] | None) -> int:
    name = "crypt"
    try:
        _check_folder()
        options = _parser(sys.argv[1:] if arguments is None else arguments).parse_args(arguments)
        name = f"crypt {options.command}"
        code: int = options.run(options)
        sys.stdout.flush()
        return code
    except BrokenPipeError as error:
        if _has_reader():
            return _refusal(name, error)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print(f"{name}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except MemoryError as error:
        print(f"{name}: there is not enough memory; {error}", file=sys.stderr)
        return 2
    except (OSError, EOFError, ValueError) as error:
        return _refusal(name, error)


def _has_reader() -> bool:
    """Return whether standard output can be written: a reader such as head may have closed the pipe.

    An empty line tells: a flush does not if the text that failed is gone already.
    """
    try:
        print(flush=True)
    except BrokenPipeError:
        return False
    return True


def _refusal(name: str, error: Exception) -> int:
    """Print an error as one sentence, with the file that it is about; return the exit code."""
    reason = getattr(error, "strerror", None) or error
    file = getattr(error, "filename", None)
    print(f"{name}: {shortened(f'{reason}' if file is None else f'{file}: {reason}')}", file=sys.stderr)
    return 2


def _check_folder() -> None:
    """Raise CryptError if the current folder was deleted."""
    try:
        Path.cwd()
    except FileNotFoundError as error:
        raise CryptError("the current folder does not exist any more; change to another one") from error


class _Version(argparse.Action):
    """Looks up the version only on request."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from crypt_env import __version__

        print(f"crypt-env {__version__}")
        parser.exit()


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="crypt", description="Crypt, a board game as an environment for research.")
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    asked = next((argument for argument in arguments if not argument.startswith("-")), None)
    for name, line in COMMANDS.items():
        command = commands.add_parser(name, help=line)
        if name == asked:
            module = import_module(f".{name}", __package__)
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    return parser
