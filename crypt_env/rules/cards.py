"""The Treasure cards: types, values, the deck of each table, and their text form.

A card is the integer ``4 * kind + value - 1``, so the 24 different cards are 0 to 23. Copies are alike. [R1]
"""

from __future__ import annotations

import numpy as np

from .compiled import int64, rule

KINDS = 6
# Typed integers: the compiler makes a copy of a function for every plain constant that is passed to it.
IDOL, JEWELRY, MANUSCRIPT, POTTERY, REMAINS, TAPESTRY = (int64(kind) for kind in range(KINDS))
KIND_NAMES = ("Idol", "Jewelry", "Manuscript", "Pottery", "Remains", "Tapestry")
KIND_LETTERS = "IJMPRT"
VALUES = 4
CARDS = KINDS * VALUES

MAX_PLAYERS = 4
MAX_DECK = 48
MAX_SLOTS = 6
MAX_FACE_DOWN = 16

# Indexed by the number of players, from 1 on.
FACE_UP = np.array([0, 2, 2, 3, 4], np.int8)
FACE_DOWN = np.array([0, 1, 1, 1, 2], np.int8)


def _copies(players: int) -> list[int]:
    """Return how many copies of each value 1 to 4 are in the deck. [R1]"""
    return {1: [1, 1, 1, 1], 2: [1, 1, 1, 1], 3: [1, 2, 2, 1], 4: [2, 2, 2, 2]}[players]


def deck_of(players: int) -> list[int]:
    """Return all cards of the deck for this number of players, in order of the cards."""
    copies = _copies(players)
    return [card for card in range(CARDS) for _ in range(copies[card % VALUES])]


# [players, position]: the unshuffled decks, padded with -1, and their sizes.
DECKS = np.array([[-1] * MAX_DECK] + [(deck_of(p) + [-1] * MAX_DECK)[:MAX_DECK] for p in range(1, 5)], np.int8)
DECK_SIZES = np.array([0] + [len(deck_of(players)) for players in range(1, 5)], np.int8)
ROUNDS = DECK_SIZES // np.maximum(FACE_UP + FACE_DOWN, 1)
# [players, card]: copies in the deck.
COPIES = np.array([[deck.count(card) for card in range(CARDS)] for deck in DECKS.tolist()], np.int8)


@rule
def kind_of(card: int) -> int:
    """Return the type of a card, 0 to 5."""
    return int64(card) >> 2


@rule
def value_of(card: int) -> int:
    """Return the coins on a card, 1 to 4."""
    return (int64(card) & 3) + 1


def card_text(card: int) -> str:
    """Return a card as text: type letter, then value."""
    return f"{KIND_LETTERS[card // VALUES]}{card % VALUES + 1}"


CARD_TEXTS = tuple(card_text(card) for card in range(CARDS))
CARD_FORM = f"a type letter {KIND_LETTERS} and a value 1-4, as in 'T4'"
_CARD_BY_TEXT = {text: card for card, text in enumerate(CARD_TEXTS)}


def parse_card(text: str) -> int:
    """Return the card that a text names.

    Raises:
        ValueError: the text is not a card.
    """
    try:
        return _CARD_BY_TEXT[text]
    except (KeyError, TypeError):
        raise ValueError(f"not a card: {text!r:.80}; expected {CARD_FORM}") from None


def check_deck(deck: list[int], players: int) -> None:
    """Raise ValueError unless the deck holds exactly the cards of this number of players."""
    wanted = deck_of(players)
    for card in sorted(set(deck) | set(wanted)):
        found, right = deck.count(card), wanted.count(card)
        if found != right:
            raise ValueError(
                f"not a deck for {players} player{'s' * (players > 1)}: found {found} of {card_text(card)}, "
                f"expected {right}; the deck has {len(wanted)} cards"
            )
