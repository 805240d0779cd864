"""``crypt replay``: check records against the rules; or show one as a page or an animated GIF."""

from __future__ import annotations

import argparse
import json
import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import cast

from crypt_env.console.arguments import count
from crypt_env.errors import CryptError, shortened
from crypt_env.files import shown, write_bytes, write_text
from crypt_env.notation.record import Record, check_file, check_records, open_lines, text_lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("files", nargs="+", metavar="FILE", help=".jsonl, .jsonl.gz, or - for standard input")
    show = parser.add_argument_group("showing a game")
    show.add_argument("--html", metavar="PAGE", help="write a one-file page that replays it, and skip the check")
    show.add_argument("--gif", metavar="PICTURE", help="write it as an animated GIF")
    show.add_argument("--game", type=count, default=1, help="which game of the file, counted from 1 (default 1)")
    show.add_argument("--seat", type=int, help="as this seat saw it: the file then reveals nothing else")
    show.add_argument("--agent", help="show in the page this agent's evaluation of each decision, such as net:duel")


def run(options: argparse.Namespace) -> int:
    """Replay records; return 1 if any differs, 2 if a file cannot be read in full or has no records."""
    if options.html is not None or options.gif is not None:
        return _show(options)
    if options.seat is not None or options.agent is not None:
        raise CryptError("--seat and --agent say how a game is shown; --html or --gif is needed with them")
    return _check(options)


def _show(options: argparse.Namespace) -> int:
    if len(options.files) > 1:
        raise CryptError(f"one file is needed to show a game of, not {len(options.files)}")
    _check_outputs(options)
    record = _record(options.files[0], options.game)
    if options.html is not None:
        from crypt_env.web.replays import replay_html

        write_text(options.html, replay_html(record, options.seat, options.agent))
        print(f"wrote {shown(options.html)}")
    if options.gif is not None:
        from crypt_env.web.replays import replay_gif

        write_bytes(options.gif, replay_gif(record, options.seat))
        print(f"wrote {shown(options.gif)}")
    return 0


def _check_outputs(options: argparse.Namespace) -> None:
    """Refuse an output that would replace the records, or the other output."""
    known = {} if options.files[0] == "-" else {_file(options.files[0]): "the file of records"}
    for option, name in (("--html", options.html), ("--gif", options.gif)):
        if name is not None and (taken := known.setdefault(_file(name), option)) != option:
            raise CryptError(f"{option} {shown(name)} is not possible: it is {taken}; another name is needed")


def _file(name: str) -> tuple[int, int] | str:
    """Return what tells a file from all others: names and links of the same file give the same."""
    path = Path(name)
    try:
        status = path.stat()
    except (OSError, ValueError):  # not there yet, or not a path at all, which is refused when it is opened
        return os.path.realpath(path)
    return status.st_dev, status.st_ino


def _record(name: str, number: int) -> Record:
    """Return a record of a file, counted from 1; it is not checked against the rules."""
    with open_lines(name) if name != "-" else nullcontext(sys.stdin.buffer) as file:
        lines = [line for line in text_lines(file) if line.strip()]
    if number > len(lines):
        raise CryptError(f"--game {number} is not possible; {shortened(name)} has {len(lines)}")
    try:
        return cast(Record, json.loads(lines[number - 1]))
    except ValueError as error:
        raise CryptError(f"game {number} of {shortened(name)} is not JSON: {error}") from None
    except RecursionError:
        raise CryptError(f"game {number} of {shortened(name)} is not a record: it is nested too deep") from None


def _check(options: argparse.Namespace) -> int:
    records = differences = failures = 0
    for name in options.files:
        found, shown = 0, shortened(name)
        try:
            for difference in check_records(text_lines(sys.stdin.buffer)) if name == "-" else check_file(name):
                found += 1
                if difference is not None:
                    differences += 1
                    print(f"{shown}:{difference.line}: {difference.reason}")
            if not found:
                raise ValueError("there is no record in it")
        except BrokenPipeError:  # from the output, not from this file
            raise
        except (OSError, EOFError, ValueError) as error:
            failures += 1
            reason = getattr(error, "strerror", None) or error
            where = f" (after {found} records)" if found else ""
            print(f"crypt replay: {shown}: {reason}{where}", file=sys.stderr)
        records += found
    if records:
        print(f"{records} records, {differences} differences")
    return 2 if failures else min(differences, 1)
