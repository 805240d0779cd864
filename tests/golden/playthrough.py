"""A whole game as readable text: the board, all views, the legal actions and what happens."""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path

from crypt_env import Game
from crypt_env.notation.events import event_text

FOLDER = Path(__file__).parent / "games"
WIDTH = 118

# Number of players, table: the seed of the game. The seeds are chosen so that all verbs, windows and ends occur, and
# in the last three games flips that are asked and answers to a take.
GAMES = {
    (1, "AAAAAA"): 65,
    (1, "BBBBBB"): 17,
    (1, "ABABAB"): 30,
    (1, "BABABA"): 214,
    (2, "AAAAAA"): 176,
    (2, "BBBBBB"): 154,
    (2, "ABABAB"): 7,
    (2, "BABABA"): 143,
    (3, "AAAAAA"): 265,
    (3, "BBBBBB"): 25,
    (3, "ABABAB"): 58,
    (3, "BABABA"): 146,
    (4, "AAAAAA"): 72,
    (4, "BBBBBB"): 194,
    (4, "ABABAB"): 245,
    (4, "BABABA"): 258,
    (2, "AABBAA"): 682,
    (3, "AABBAA"): 2539,
    (4, "AABBAA"): 1400,
}


def file_of(players: int, collectors: str) -> Path:
    """Return the file of a game."""
    return FOLDER / f"{players}_players_{collectors}.txt"


def _ranges(numbers: list[int]) -> str:
    """Return numbers compactly: 1-3,5."""
    runs = [[number for _, number in run] for _, run in groupby(enumerate(numbers), key=lambda item: item[1] - item[0])]
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def compact(legal: tuple[str, ...]) -> str:
    """Return legal actions on one line: ``place 0 1x1-6 2x1-6; recover``."""
    places = [tuple(map(int, re.findall(r"\d", text))) for text in legal if text.startswith("place")]
    words = []
    for slot, ways in groupby(places, key=lambda way: way[0]):
        counts = [
            f"{count}x{_ranges([effort for _, _, effort in group])}"
            for count, group in groupby(ways, key=lambda way: way[1])
        ]
        words.append(f"place {slot} {' '.join(counts)}")
    return "; ".join(words + [text for text in legal if not text.startswith("place")])


def _indented(text: str, by: str) -> list[str]:
    """Return the lines of a text, indented, with long lines wrapped."""
    lines = []
    for line in text.splitlines():
        while len(line) > WIDTH:
            cut = line.rfind(" ", 0, WIDTH)
            lines.append(by + line[:cut])
            line = "    " + line[cut + 1 :]
        lines.append((by + line).rstrip())
    return lines


def _views(game: Game, seats: tuple[int, ...]) -> list[str]:
    """Return what seats may know, in words."""
    lines = []
    for seat in seats:
        lines += [f"seat {seat} knows:", *_indented(str(game.view(seat)), "    ")]
    return lines


def _board(game: Game) -> list[str]:
    """Return the board without its empty lines."""
    return ["", *(line.rstrip() for line in str(game).splitlines() if line.strip())]


def _beginning(game: Game) -> list[str]:
    """Return what is added at the first decision of a round."""
    if game.round == 4:
        return [*_indented(f"position: {game.text()}", ""), *_views(game, tuple(range(game.players)))]
    return _views(game, (game.to_move or 0,)) if game.round % 2 else []


def _decision(game: Game, is_new: bool) -> list[str]:
    """Return the board, if another seat or another kind of decision is asked for than before, and the legal actions."""
    board = _board(game) if is_new else []
    return [*board, f"legal for seat {game.to_move}: {compact(game.legal())}"]


def _ending(game: Game) -> list[str]:
    """Return the end of a game: the board, every view, the score sheets and the outcome."""
    lines = [*_board(game), "", *_views(game, tuple(range(game.players))), ""]
    for seat, sheet in enumerate(game.sheets()):
        words = ", ".join(f"{name} {coins}" for name, coins in zip(sheet._fields, sheet, strict=True))
        lines.append(f"seat {seat}: {words}; total {sheet.total}")
    return [*lines, f"outcome: {game.outcome()}", *_indented(f"position: {game.text()}", "")]


def playthrough(players: int, collectors: str, seed: int) -> list[str]:
    """Return the lines of a game in which every action is drawn by the game itself.

    At the first decision of odd rounds and of each kind of window the view of the seat that decides is added; after the
    first peek and at the first flip that is asked the views of all seats; in the fourth round and at the end these and
    the position.
    """
    game = Game(players, collectors, seed=seed)
    lines = [
        f"Crypt: {players} players, Collectors {collectors}, seed {seed}",
        *_indented(f"deck: {' '.join(game.deck)}", ""),
    ]
    last: tuple[object, ...] = ()
    windows: set[object] = set()
    while not game.is_over:
        asked = (game.round, int(game.state[0]["phase"]), int(game.state[0]["turn"]))
        if asked[:1] != last[:1]:
            lines += ["", f"---- round {game.round}", *_beginning(game)]
        lines += _decision(game, asked != last)
        if asked[1] not in windows:
            windows.add(asked[1])
            lines += [] if asked[0] == 1 else _views(game, (game.to_move or 0,))
        if game.legal()[0].startswith("flip") and "flip" not in windows:
            windows.add("flip")
            lines += _views(game, tuple(range(players)))
        last = asked
        before = len(game.events)
        game.play(game.random_action())
        lines += [f"  {event_text(event)}" for event in game.events[before:]]
        if game.events[before].text == "peek" and "peek" not in windows:
            windows.add("peek")
            lines += _views(game, tuple(range(players)))
    return [*lines, "", "---- the end", *_ending(game)]
