"""``crypt play``: the game in a browser, or in the terminal."""

from __future__ import annotations

import argparse
import webbrowser

from crypt_env.console.arguments import path_name, refuse_given
from crypt_env.errors import CryptError
from crypt_env.files import shown, write_text

Options = dict[str, object]
SERVED: Options = {"port": 0, "no_browser": False}
WRITTEN: Options = {"html": None}
TYPED: Options = {"against": None, "solo": False, "seat": 0, "collectors": "random", "seed": None, "save": None}
"""The options of each way to play, with their defaults: on a served page, in a file, in the terminal."""


def port(text: str) -> int:
    """Parse a port number."""
    from crypt_env.web.server import MOST_PORT

    if not text.isdecimal() or int(text) > MOST_PORT:
        raise argparse.ArgumentTypeError(f"{text[:60]!r} is not possible; a number from 0 to {MOST_PORT} is needed")
    return int(text)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    page = parser.add_argument_group("in the browser")
    page.add_argument("--port", type=port, help="of the server on this machine (default: any free port)")
    page.add_argument("--no-browser", action="store_true", help="print the address and open nothing")
    page.add_argument(
        "--html", type=path_name, metavar="FILE", help="write the whole page to one file that needs no server, and stop"
    )
    text = parser.add_argument_group("in the terminal")
    text.add_argument("--terminal", action="store_true", help="play here")
    text.add_argument("--against", nargs="+", metavar="AGENT", help="one for each other seat (default: greedy)")
    text.add_argument("--solo", action="store_true", help="the Only Child: one player against the Ghost")
    text.add_argument("--seat", type=int, help="yours (default 0)")
    text.add_argument("--collectors", help="six letters, 'A', 'B' or 'random' (default)")
    text.add_argument("--seed", type=int, help="determines all randomness; random if not given")
    text.add_argument("--save", type=path_name, metavar="FILE", help="file for the record when you leave")
    parser.set_defaults(**SERVED, **WRITTEN, **TYPED)


def run(options: argparse.Namespace) -> int:
    """Play."""
    if options.terminal:
        refuse_given(options, SERVED | WRITTEN, "is for the browser; leave it out, or --terminal")
        return _play_here(options)
    refuse_given(options, TYPED, "is for a game in the terminal; add --terminal")
    if options.html is not None:
        refuse_given(options, SERVED, "is for a page that is served; leave it out, or --html")
        return _write_page(options.html)
    return _serve(options.port, not options.no_browser)


def _play_here(options: argparse.Namespace) -> int:
    from crypt_env.files import check_writable
    from crypt_env.game import Game

    from .terminal import TerminalGame, complete

    if options.solo and options.against:
        raise CryptError("--solo and --against exclude each other: the Only Child plays against the Ghost")
    opponents = [] if options.solo else options.against or ["greedy"]
    game = Game(len(opponents) + 1, options.collectors, seed=options.seed)
    if options.seat not in range(game.players):
        raise CryptError(f"--seat {options.seat} is not possible; seats are 0 to {game.players - 1}")
    if options.save is not None:
        check_writable(options.save)
    play = TerminalGame(game, options.seat, opponents, options.save)
    complete(play.words)
    play.run()
    return 0


def _write_page(path: str) -> int:
    from crypt_env.agents.network_names import shipped_networks
    from crypt_env.web.packed import game_page

    write_text(path, game_page(shipped_networks()))
    print(f"wrote {shown(path)}")
    return 0


def _serve(wanted: int, opens: bool) -> int:
    from crypt_env.web.server import PageServer

    with PageServer(wanted) as server:
        print(f"Crypt is played at {server.address} (stop with Ctrl-C)", flush=True)
        if opens:
            webbrowser.open(server.address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
    return 0
