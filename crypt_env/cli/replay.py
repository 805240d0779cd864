"""``crypt replay``: check records against the rules; or show one as a page or an animated GIF."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from typing import cast

from crypt_env.console.arguments import count, path_name, refuse_shared
from crypt_env.errors import CryptError, RecordError, counted, shortened
from crypt_env.files import shown, write_bytes, write_text
from crypt_env.notation.record import Record, check_file, check_records, open_lines, parsed_line, text_lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument(
        "files", nargs="+", type=path_name, metavar="FILE", help=".jsonl, .jsonl.gz, or - for standard input"
    )
    show = parser.add_argument_group("showing a game")
    show.add_argument(
        "--html", type=path_name, metavar="PAGE", help="write a one-file page that replays it, and skip the check"
    )
    show.add_argument("--gif", type=path_name, metavar="PICTURE", help="write it as an animated GIF")
    show.add_argument("--game", type=count, help="which game of the file, counted from 1 (default 1)")
    show.add_argument("--seat", type=int, help="as this seat saw it: the file then reveals nothing else")
    show.add_argument("--agent", help="show in the page this agent's evaluation of each decision, such as net:duel")


def run(options: argparse.Namespace) -> int:
    """Replay records; return 1 if any differs, 2 if a file cannot be read in full or has no records."""
    if options.html is not None or options.gif is not None:
        return _show(options)
    if any(given is not None for given in (options.game, options.seat, options.agent)):
        raise CryptError(
            "--game, --seat and --agent say what is shown of a game; add --html or --gif, or leave them out"
        )
    return _check(options)


def _show(options: argparse.Namespace) -> int:
    if len(options.files) > 1:
        raise CryptError(f"--html and --gif show a game of one file, but {len(options.files)} files were given")
    name = options.files[0]
    refuse_shared({"--html": options.html, "--gif": options.gif}, {} if name == "-" else {name: "the file of records"})
    record = _record(name, 1 if options.game is None else options.game)
    if options.html is not None:
        from crypt_env.web.replays import replay_html

        write_text(options.html, replay_html(record, options.seat, options.agent))
        print(f"wrote {shown(options.html)}")
    if options.gif is not None:
        from crypt_env.web.replays import replay_gif

        write_bytes(options.gif, replay_gif(record, options.seat))
        print(f"wrote {shown(options.gif)}")
    return 0


def _record(name: str, number: int) -> Record:
    """Return a record of a file, counted from 1; it is not checked against the rules."""
    try:
        with open_lines(name) if name != "-" else nullcontext(sys.stdin.buffer) as file:
            lines = [line for line in text_lines(file) if line.strip()]
    except (OSError, EOFError, RecordError) as error:
        raise RecordError(f"{shortened(name)}: {getattr(error, 'strerror', None) or error}") from error
    if number > len(lines):
        raise CryptError(f"--game {number} is not possible; {shortened(name)} has {counted(len(lines), 'record')}")
    try:
        return cast(Record, parsed_line(lines[number - 1]))
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
            where = f" (after {counted(found, 'record')})" if found else ""
            print(f"crypt replay: {shown}: {reason}{where}", file=sys.stderr)
        records += found
    if records:
        print(f"{counted(records, 'record')}, {counted(differences, 'difference')}")
    return 2 if failures else min(differences, 1)
