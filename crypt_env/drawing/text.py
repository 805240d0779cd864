"""The board as text for a terminal: all that lies open on the table, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crypt_env.rules.cards import CARD_TEXTS, KIND_LETTERS, KIND_NAMES, KINDS, VALUES
from crypt_env.rules.state import AFTER_CLAIM, ANSWER, BEFORE_CLAIM, CLAIM, COLLECT

if TYPE_CHECKING:
    import numpy as np

    from crypt_env.game import Game

_PHASES = {
    BEFORE_CLAIM: "before the Claim",
    CLAIM: "Claim",
    AFTER_CLAIM: "after the Claim",
    COLLECT: "Collect",
}


def draw_board(game: Game) -> str:
    """Return the board. Values that are not public are drawn as ``?``.

    A seat's own hidden cards are in `Game.view`.
    """
    state = game.state[0]
    lines = [_headline(game, state), ""]
    lines += _crypt(state)
    lines += [""]
    lines += [_seat(game, state, seat) for seat in range(int(state["seats"]))]
    return "\n".join(lines)


def seat_name(players: int, seat: int) -> str:
    """Return what a seat is called."""
    return "Ghost" if seat >= players else f"seat {seat}"


def _headline(game: Game, state: np.void) -> str:
    """Return the table, the round and whose turn it is."""
    rounds = int(state["deck_size"] // state["slots"])
    words = [f"Crypt, {game.players} player{'s' * (game.players > 1)}", f"Collectors {game.collectors}"]
    words.append(f"round {game.round} of {rounds}")
    if game.is_over:
        return ", ".join(words) + f": {game.outcome()}"
    words.append(f"Leader: {seat_name(game.players, game.leader)}")
    return ", ".join(words) + f"; {_phase(game, state)}: {seat_name(game.players, game.to_move or 0)} to decide"


def _phase(game: Game, state: np.void) -> str:
    """Return what a seat is asked about: the phase, or the take that it may answer."""
    if state["phase"] == ANSWER:
        return f"{seat_name(game.players, int(state['taker']))} takes the card in slot {state['taking']}"
    return _PHASES[int(state["phase"])]


def _crypt(state: np.void) -> list[str]:
    """Return the Crypt as a table, one column for each slot."""
    columns = [_slot(state, slot) for slot in range(int(state["slots"]))]
    widths = [max(map(len, column)) for column in columns]
    rows = zip(*columns, strict=True)
    heads = ("slot", "card", "dice")
    return [
        f"  {head}  {'  '.join(text.center(width) for text, width in zip(row, widths, strict=True))}".rstrip()
        for head, row in zip(heads, rows, strict=True)
    ]


def _slot(state: np.void, slot: int) -> tuple[str, str, str]:
    """Return the number, the card and the dice of a slot."""
    card = int(state["card"][slot])
    if card < 0:
        text = "-"
    elif state["down"][slot] >= 0:
        text = f"{KIND_NAMES[card // VALUES]} ?"
    else:
        text = f"{KIND_NAMES[card // VALUES]} {card % VALUES + 1}"
    dice = int(state["dice"][slot])
    held = (
        f"{dice}x{state['effort'][slot]} {seat_name(int(state['players']), int(state['holder'][slot]))}" if dice else ""
    )
    return str(slot), text, held


def _seat(game: Game, state: np.void, seat: int) -> str:
    """Return one seat: its dice and its collection."""
    marks = ">" if game.to_move == seat else " "
    ready, exhausted = int(state["ready"][seat]), int(state["exhausted"][seat])
    dice = "o" * ready + "x" * exhausted
    name = seat_name(game.players, seat)
    if seat >= game.players:
        return f"{marks} {name:<7} {dice:<3}"
    return f"{marks} {name:<7} {dice:<3}  {_collection(state, seat)}"


def _collection(state: np.void, seat: int) -> str:
    """Return a collection by type: the public values, a ``?`` for each hidden card, and how many are flipped."""
    words = []
    for kind in range(KINDS):
        held, unflipped = int(state["held"][seat][kind]), int(state["unflipped"][seat][kind])
        public = state["public"][seat][kind * VALUES : (kind + 1) * VALUES]
        values = "".join(CARD_TEXTS[kind * VALUES + place][1] * int(count) for place, count in enumerate(public))
        if held:
            text = KIND_LETTERS[kind] + values + "?" * (held - int(public.sum()))
            words.append(text + (f" ({held - unflipped} flipped)" if held > unflipped else ""))
    if state["idol_bonus"][seat]:
        words.append(f"+{state['idol_bonus'][seat]} coins from Idol B")
    return "  ".join(words) or "no cards"
