"""``crypt replay``: whether records agree with the rules."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from crypt_env.errors import shortened
from crypt_env.notation.record import Difference, check_file, check_records, text_lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("files", nargs="+", metavar="FILE", help=".jsonl, .jsonl.gz, or - for standard input")


def run(options: argparse.Namespace) -> int:
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
    return check_records(text_lines(sys.stdin.buffer)) if name == "-" else check_file(name)
