"""A game played in the terminal, against agents."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from shlex import quote
from textwrap import fill
from typing import TYPE_CHECKING

from crypt_env.agents.one_game import OneGame
from crypt_env.agents.registry import make_agent
from crypt_env.drawing import draw_text, scene_of_game
from crypt_env.drawing.live import has_colors
from crypt_env.drawing.text import WIDTH
from crypt_env.errors import CryptError
from crypt_env.files import shown, write_text
from crypt_env.notation.actions import ACTION_TEXTS, parse_action, summary
from crypt_env.notation.events import Act, event_text
from crypt_env.notation.record import line_of, to_record
from crypt_env.web.replays import judgement

from .watch import is_public

if TYPE_CHECKING:
    from crypt_env.agents.base import Agent
    from crypt_env.game import Game

NETWORKS = ("", "solo", "duel", "trio", "quartet")
"""The network that gives hints, by the number of players."""
MOST_HINTS = 5
HELP = """Type an action, such as 'place 1 2x4' for two dice of effort 4 on slot 1, or:
  legal   list the legal actions         undo    take your last decision back
  hint    what the network would do      sheet   the score sheet, at the end
  board   draw the board again           save F  write the record to the file F
  help    this list                      quit    leave the game"""
COMMANDS = ("legal", "hint", "board", "undo", "sheet", "save", "help", "quit")

Read = Callable[[str], str]


class TerminalGame:
    """A person on one seat, agents on the others. Prints only what the person's seat may know."""

    def __init__(self, game: Game, seat: int, opponents: Sequence[str], save: str | None = None) -> None:
        """Take a game.

        Args:
            game: that has just been dealt.
            seat: of the person.
            opponents: names of agents, one for each other seat, clockwise from the person.
            save: the file for the record when the person leaves.

        Raises:
            CryptError: there is no such agent.
        """
        self.game = game
        self.seat = seat
        self._save = save
        others = [(seat + place) % game.players for place in range(1, game.players)]
        made = dict(zip(others, map(make_agent, opponents), strict=True))
        self._others = OneGame([made.get(place) for place in range(game.players)])
        self._names = dict(zip(others, opponents, strict=True))
        self._judge: Agent | None = None
        self._printed = 0
        self._is_left = False
        self._commands: dict[str, Callable[[str], None]] = {
            "legal": lambda _: self._legal(),
            "hint": lambda _: self._hint(),
            "board": lambda _: self._board(),
            "undo": lambda _: self._undo(),
            "sheet": lambda _: self._sheet(),
            "save": self._write,
            "help": lambda _: print(HELP),
            "quit": lambda _: self._leave(),
        }

    # -- the loop -----------------------------------------------------------------------------------------------------

    def run(self, read: Read = input) -> None:
        """Play until the person leaves or the input ends, and keep the record, also after an interruption."""
        try:
            self._play(read)
        finally:
            if self._save is not None:
                self._write(self._save)

    def _play(self, read: Read) -> None:
        print(HELP)
        for seat, name in self._names.items():
            print(f"seat {seat}: {name}")
        self._go_on()
        while not self._is_left:
            try:
                line = read("> ")
            except EOFError:
                print()
                break
            self._answer(line.strip())

    def _answer(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if not line:
            return
        try:
            if word in self._commands:
                self._commands[word](rest.strip())
            else:
                before = self.game.state
                self.game.play(line)
                self._others.keep(before, parse_action(line))
                self._go_on()
        except CryptError as error:
            print(error)

    def _go_on(self) -> None:
        """Have the others play until the person is to decide or the game is over; then draw the board."""
        self._tell()
        while not self.game.is_over and self.game.to_move != self.seat:
            self.game.play(self._others.choose(self.game))
            self._tell()
        self._board()

    def _tell(self) -> None:
        """Print the events since the last call, as far as the person may know of them."""
        for event in self.game.events[self._printed :]:
            if is_public(event) or (isinstance(event, Act) and event.seat == self.seat):
                print(event_text(event))
        self._printed = len(self.game.events)

    # -- commands -----------------------------------------------------------------------------------------------------

    def _board(self) -> None:
        print("\n" + draw_text(scene_of_game(self.game, self.seat), sys.stdout.isatty() and has_colors()))
        if self.game.is_over:
            print(f"\n{self.game.outcome()}")
            print("'save FILE' keeps the record, 'undo' goes back, 'quit' leaves.")
        else:
            print()
            self._legal()

    def _legal(self) -> None:
        print(fill(f"legal: {summary(self.game.legal_actions())}", WIDTH - 1, subsequent_indent="  "))

    def _hint(self) -> None:
        if self.game.is_over:
            raise CryptError("the game is over; there is nothing to decide")
        self._judge = self._judge or make_agent(f"net:{NETWORKS[self.game.players]}")
        opinion = judgement(self._judge, self.game)
        likeliest = sorted(opinion["probabilities"], key=lambda each: -each[1])[:MOST_HINTS]
        print("  ".join(f"{ACTION_TEXTS[action]} {chance:.0%}" for action, chance in likeliest))
        if opinion["chance"] is not None:
            print(f"chance to win: {opinion['chance']:.0%}")
        if opinion["coins"] is not None:
            print(f"coins expected in the end: {opinion['coins']:.0f}")

    def _undo(self) -> None:
        if not any(isinstance(event, Act) and event.seat == self.seat for event in self.game.events):
            raise CryptError("nothing to undo: you have decided nothing yet")
        self.game.undo()
        while self.game.to_move != self.seat:
            self.game.undo()
        self._others.forget()
        self._printed = len(self.game.events)
        self._board()

    def _sheet(self) -> None:
        """Print the score sheets; before the end no seat knows them."""
        if not self.game.is_over:
            raise CryptError("the score sheet is counted at the end: before that, no seat knows all cards")
        self._board()

    def _write(self, path: str) -> None:
        if not path:
            raise CryptError("a file is needed, as in 'save game.jsonl'")
        write_text(path, line_of(to_record(self.game)) + "\n")
        print(f"saved to {shown(path)}; look at it with: crypt replay {quote(shown(path))} --html game.html")

    def _leave(self) -> None:
        self._is_left = True

    # -- completion ---------------------------------------------------------------------------------------------------

    def words(self) -> tuple[str, ...]:
        """Return the possible inputs."""
        return (*self.game.legal(), *COMMANDS)


def complete(words: Callable[[], Sequence[str]]) -> None:
    """Set up tab completion of these words, if the terminal supports it."""
    with suppress(ImportError):
        import readline

        def completed(text: str, state: int) -> str | None:
            begun = readline.get_line_buffer()[: readline.get_begidx()]
            found = [word[len(begun) :] for word in words() if word.startswith(begun + text)]
            return found[state] if state < len(found) else None

        readline.set_completer(completed)
        readline.parse_and_bind("tab: complete")
