"""Upper bounds of the length and the payoffs of a game, which OpenSpiel asks for before it begins."""

from __future__ import annotations

from typing import NamedTuple

from crypt_env.rules.actions import DICE
from crypt_env.rules.cards import COPIES, FACE_DOWN, FACE_UP, KINDS, MAX_FACE_DOWN, ROUNDS, VALUES

_SOLO_TURNS, _DUEL_TURNS = 2, 3
_BEST_BONUS = 5 + 4 + 8 + 10 + 7 + DICE
"""Coins for Idols, the best Jewelry, Pottery, Remains, Tapestries and dice at most; for Jewelry B see below."""


class Limits(NamedTuple):
    """Limits of a game."""

    decisions: int
    chances: int
    rows: int
    """Entries of the log that a seat can see."""
    coins: int
    """No seat has more."""


def limits(players: int, rounds: int | None = None) -> Limits:
    """Return the limits of a game for some players, or of its last rounds."""
    rounds = int(ROUNDS[players]) if rounds is None else rounds
    slots = int(FACE_UP[players] + FACE_DOWN[players])
    copies = COPIES[players].tolist()
    of_a_type = sum(copies[:VALUES])
    cards = slots * int(ROUNDS[players])
    turns = {1: _SOLO_TURNS, 2: _DUEL_TURNS}.get(players, players)
    # A turn is three placements, or fewer and `done`. Each card pays once, and the seat may be asked which one to flip.
    # In each window every seat ends with one `done`; each take is answered by every other seat.
    claims = DICE * turns * rounds
    paid = 2 * of_a_type + 2 * of_a_type + 2 * (3 * of_a_type // 2)
    declined = 3 * players * rounds + (players - 1) * of_a_type // 2
    decisions = claims + paid + declined
    ghost = 2 * rounds if players == 1 else 0
    rolls = slots * rounds + of_a_type + ghost + 1
    deal = KINDS + 1 + cards + int(ROUNDS[players]) + MAX_FACE_DOWN
    values = sum(count * (card % VALUES + 1) for card, count in enumerate(copies))
    # Manuscripts may count 4 instead of their value, and each Jewelry 1 more.
    coins = values + _BEST_BONUS + VALUES * of_a_type + of_a_type
    return Limits(decisions, deal + rolls, decisions + deal + rolls + MAX_FACE_DOWN, coins)
