"""``crypt watch``: watch agents play in the terminal."""

from __future__ import annotations

import argparse
import sys
import time

from crypt_env.agents.one_game import OneGame
from crypt_env.agents.registry import make_agent
from crypt_env.console.arguments import path_name
from crypt_env.drawing import draw_text, scene_of_game
from crypt_env.drawing.live import CLEAR, has_colors
from crypt_env.errors import CryptError
from crypt_env.files import check_writable, write_text
from crypt_env.game import Game
from crypt_env.notation.events import Act, Event, event_text
from crypt_env.notation.record import line_of, to_record

MOST_PLAYERS, MOST_PAUSE = 4, 60
SHOWN = 6
"""How many events are shown below the board."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("agents", nargs="+", metavar="AGENT", help="one for each seat; just one plays the Only Child")
    parser.add_argument("--collectors", default="random", help="six letters, 'A', 'B' or 'random' (default)")
    parser.add_argument("--seed", type=int, help="determines all randomness; random if not given")
    parser.add_argument("--pause", type=float, default=0.7, help="seconds for each decision (default 0.7)")
    parser.add_argument("--save", type=path_name, metavar="FILE", help="file for the record")


def run(options: argparse.Namespace) -> int:
    """Show a game."""
    if len(options.agents) > MOST_PLAYERS:
        raise CryptError(f"{len(options.agents)} agents are too many; there are at most {MOST_PLAYERS} seats")
    if not 0 <= options.pause <= MOST_PAUSE:
        raise CryptError(f"--pause {options.pause} is not possible; allowed are 0 to {MOST_PAUSE} seconds")
    if options.save is not None:
        check_writable(options.save)
    agents = OneGame([make_agent(name) for name in options.agents])
    game = Game(len(options.agents), options.collectors, seed=options.seed)
    try:
        _play(game, agents, options)
    finally:  # what was played is kept, also after an interruption
        if options.save is not None:
            write_text(options.save, line_of(to_record(game)) + "\n")
    return 0


def _play(game: Game, agents: OneGame, options: argparse.Namespace) -> None:
    """Play a game and show it."""
    _show(game, options.agents, 0)
    while game.to_move is not None:
        printed = len(game.events)
        if sys.stdout.isatty():
            time.sleep(options.pause)
        game.play(agents.choose(game))
        _show(game, options.agents, printed)
    print(f"\n{game.outcome()}")


def _show(game: Game, names: list[str], printed: int) -> None:
    """Show what is public: redraw in place on a terminal, print only new events elsewhere."""
    seats = ", ".join(f"seat {seat}: {name}" for seat, name in enumerate(names))
    if sys.stdout.isatty():
        events = [event_text(event) for event in game.events if is_public(event)][-SHOWN:]
        board = draw_text(scene_of_game(game), has_colors())
        print(CLEAR + "\n".join([seats, "", board, "", *events]), flush=True)
        return
    for event in game.events[printed:]:
        if is_public(event):
            print(event_text(event))
    if not printed or game.is_over:
        print(f"\n{seats}\n\n{draw_text(scene_of_game(game))}\n", flush=True)


def is_public(event: Event) -> bool:
    """Return whether an event is public: only the asked seat knows of its flips."""
    return not isinstance(event, Act) or not event.text.startswith("flip")
