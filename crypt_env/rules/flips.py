"""Which cards are flipped to pay for a reward. [R9]

*Flip order*: public cards first, then those that more other seats have seen, then the first drawn. Where there is no
choice, cards are flipped in this order without asking; otherwise the player names a value. A hidden card is identified
by its number among the cards drawn face-down; public ones are interchangeable.
"""

from __future__ import annotations

import numpy as np

from .actions import FLIP, PEEK, REROLL, REVIVE
from .cards import IDOL, MANUSCRIPT, MAX_FACE_DOWN, POTTERY, REMAINS, kind_of, value_of
from .compiled import int64, part, rule
from .state import NONE, REVEALED

PUBLIC = int64(MAX_FACE_DOWN)
"""Stands for a card whose value is public."""
ASK = int64(-2)
"""Stands for no card: the player chooses which card it flips."""
ANY_VALUE = int64(0)
_ALL = int64(127)


@rule
def _belongs(game: np.record, down: int, seat: int, kind: int) -> bool:
    """Return whether a card that was drawn face-down is of a type and hidden in a seat's collection."""
    return game.down_place[down] == seat and kind_of(game.down_card[down]) == kind


@rule
def _others_who_saw(game: np.record, down: int, seat: int) -> int:
    """Return how many other seats have seen a card that was drawn face-down."""
    seen = int64(game.down_seen[down]) & ~(1 << seat)
    return (seen & 1) + (seen >> 1 & 1) + (seen >> 2 & 1) + (seen >> 3 & 1)


@rule
def _first_hidden(game: np.record, seat: int, kind: int, value: int, decided: int) -> int:
    """Return the first hidden card in flip order of a type and a value, without the one already decided on, or -1."""
    first, most = NONE, -1
    for down in range(int64(game.downs)):
        if not _belongs(game, down, seat, kind) or down == decided:
            continue
        watchers = _others_who_saw(game, down, seat)
        if watchers > most and (value == ANY_VALUE or value_of(game.down_card[down]) == value):
            first, most = down, watchers
    return first


@rule
def _next_flip(game: np.record, seat: int, kind: int, left: int, decided: int) -> int:
    """Return the next of the ``left`` cards to be flipped, or `ASK` where the player chooses.

    ``decided`` is the card that will be flipped before it, or -1.
    """
    public = int64(game.unflipped[seat, kind]) - int64(decided == PUBLIC)
    hidden, values = 0, 0
    for down in range(int64(game.downs)):
        if _belongs(game, down, seat, kind):
            public -= 1
            if down != decided:
                hidden += 1
                values |= 1 << value_of(game.down_card[down])
    if public > 0:
        return PUBLIC
    first = _first_hidden(game, seat, kind, ANY_VALUE, decided)
    has_one_value = values & (values - 1) == 0
    if hidden <= left or has_one_value or _others_who_saw(game, first, seat) == game.players - 1:
        return first
    return ASK


@rule
def _turn_over(game: np.record, seat: int, kind: int, card: int) -> None:
    """Flip a card of a type, which makes its value public."""
    game.unflipped[seat, kind] -= 1
    if card != PUBLIC:
        revealed = int64(game.down_card[card])
        game.down_place[card] = REVEALED
        game.public[seat, revealed] += 1
        game.unseen[revealed] -= 1


@part
def flip_unasked(game: np.record, seat: int, kind: int) -> None:
    """Flip the first card of a type in flip order."""
    _turn_over(game, seat, kind, _next_flip(game, seat, kind, _ALL, int64(NONE)))


# -- paying for an action ---------------------------------------------------------------------------------------------


@rule
def _type_paid_with(action: int) -> int:
    """Return the type of the cards that are flipped for an action."""
    if action == PEEK:
        return MANUSCRIPT
    if action == REVIVE:
        return REMAINS
    return POTTERY if action < REROLL else IDOL


@rule
def _price(action: int) -> int:
    """Return how many cards are flipped for an action."""
    return 1 if action == PEEK or action >= REROLL else 2


@rule
def can_flip(game: np.record, seat: int, value: int) -> bool:
    """Return whether a seat has a card of a value to flip for the action that it has chosen."""
    kind = _type_paid_with(int64(game.chosen))
    return _first_hidden(game, seat, kind, value, int64(game.first_flip)) >= 0


@rule
def pay(game: np.record, seat: int, action: int) -> bool:
    """Decide which cards pay for the chosen action, until the player must choose one; return whether all are flipped.

    ``action`` is the chosen one itself or an answer ``flip V``. Cards are flipped once all are decided on: the others
    learn of the action and its price at the same time, and so cannot tell whether the player was asked.
    """
    chosen = int64(game.chosen)
    kind = _type_paid_with(chosen)
    if action >= FLIP:
        card = _first_hidden(game, seat, kind, action - FLIP + 1, int64(game.first_flip))
    else:
        card = _next_flip(game, seat, kind, _price(chosen), int64(NONE))
    if card != ASK and _price(chosen) == 2 and game.first_flip < 0:
        game.first_flip = card
        card = _next_flip(game, seat, kind, int64(1), card)
    if card == ASK:
        return False
    if game.first_flip >= 0:
        _turn_over(game, seat, kind, int64(game.first_flip))
        game.first_flip = NONE
    _turn_over(game, seat, kind, card)
    return True
