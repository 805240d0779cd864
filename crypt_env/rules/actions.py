"""The 127 actions: index, text and meaning. One layout for every table, so that one network can play them all.

| index | text | meaning |
|---|---|---|
| 18 S + 6 (C - 1) + (V - 1) | ``place S CxV`` | C dice of effort V on slot S |
| 108 | ``done`` | end the Claim, or decline in a window |
| 109 | ``recover`` | take the exhausted dice back |
| 110 | ``peek`` | Manuscript B: see all face-down cards |
| 111 | ``revive`` | Remains A: recover one die |
| 112 + S | ``take S`` | Pottery B: take the face-down card in slot S |
| 118 + V - 2 | ``reroll V`` | Idol A: re-roll a failed die of effort V |
| 123 + V - 1 | ``flip V`` | flip a card of value V to pay for the action just chosen |
"""

from __future__ import annotations

from .cards import MAX_SLOTS, VALUES

DICE = 3
EFFORTS = 6
PLACES = DICE * EFFORTS
"""Ways to place dice on one slot."""

DONE = MAX_SLOTS * PLACES
RECOVER = DONE + 1
PEEK = DONE + 2
REVIVE = DONE + 3
TAKE = DONE + 4
REROLL = TAKE + MAX_SLOTS
FLIP = REROLL + EFFORTS - 1
ACTIONS = FLIP + VALUES

DRAW = -1
"""Not an action: asks a batch to draw one of the legal actions, each equally likely."""

SKIP = -2
"""Not an action: asks a batch to leave the game, and its rows of the arrays, as they are."""


def place(slot: int, count: int, effort: int) -> int:
    """Return the action that places ``count`` dice of ``effort`` on ``slot``."""
    return slot * PLACES + (count - 1) * EFFORTS + effort - 1
