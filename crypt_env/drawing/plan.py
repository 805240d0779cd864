"""The layout of the picture of a table: a header, the Crypt, and a row for each seat below it.

The rows share six columns, one for each type, with the Collectors as column heads.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from crypt_env.rules.cards import KINDS

from .pieces import CARD_HEIGHT, CARD_WIDTH
from .shapes import Point

WIDTH, HEIGHT = 1280, 960
MARGIN = 16
GAP = 6
SMALL = 20
"""The smallest font size: ten pixels in a picture of 640 x 480."""

HEADER_TOP, HEADER_HEIGHT = 10, 84
HEAD_WIDTH = 242
"""Width of each row's head."""
COLLECTORS_HEIGHT = 110
POOL_HEIGHT = 58
DECK_WIDTH = 176
LEDGE_HEIGHT = 64
INSIDE = WIDTH - 2 * MARGIN

_ROW_HEIGHTS = {2: 118.0, 3: 104.0, 4: 95.0}
_ARCH = 34
"""Height of the area above a card."""


class Plan(NamedTuple):
    """The layout of a table with a number of seats and slots."""

    seats: int
    slots: int
    row_height: float
    crypt_top: float
    crypt_height: float
    matrix_top: float

    @property
    def column_width(self) -> float:
        """Width of the column of a type."""
        return (INSIDE - HEAD_WIDTH) / KINDS

    def column_left(self, kind: int) -> float:
        """Left edge of the column of a type."""
        return MARGIN + HEAD_WIDTH + kind * self.column_width

    def row_top(self, seat: int) -> float:
        """Top edge of the row of a seat."""
        return self.matrix_top + COLLECTORS_HEIGHT + GAP + seat * (self.row_height + GAP)

    @property
    def pool_top(self) -> float:
        """Top edge of the row of cards that belong to no seat."""
        return self.row_top(self.seats)

    @property
    def slot_width(self) -> float:
        """Width of a slot with all its parts."""
        return min(270.0, (INSIDE - DECK_WIDTH) / self.slots)

    def slot_middle(self, slot: int) -> float:
        """Horizontal center of a slot."""
        middle = MARGIN + DECK_WIDTH + (INSIDE - DECK_WIDTH) / 2
        return middle + (slot - (self.slots - 1) / 2) * self.slot_width

    @property
    def card_scale(self) -> float:
        """Scale of the cards in the Crypt."""
        height = self.crypt_height - _ARCH - LEDGE_HEIGHT - 22
        return min(height / CARD_HEIGHT, (self.slot_width - 40) / CARD_WIDTH)

    @property
    def card_top(self) -> float:
        """Top edge of the cards."""
        return self.crypt_top + _ARCH

    @property
    def torches(self) -> tuple[Point, ...]:
        """Positions of the torches on the wall: next to three slots there is room for two."""
        if self.slots > 3:
            return ()
        beside = self.slot_width * 1.5 + 58
        return tuple((self.slot_middle(1) + side * beside, self.crypt_top + 120) for side in (-1, 1))

    @property
    def ledge_top(self) -> float:
        """Top edge of the ledge for the dice."""
        return self.crypt_top + self.crypt_height - LEDGE_HEIGHT - 8


@cache
def plan_of(seats: int, slots: int) -> Plan:
    """Return the layout."""
    row_height = _ROW_HEIGHTS[seats]
    matrix_height = COLLECTORS_HEIGHT + GAP + seats * (row_height + GAP) + POOL_HEIGHT
    matrix_top = HEIGHT - 12 - matrix_height
    crypt_top = HEADER_TOP + HEADER_HEIGHT + 8
    return Plan(seats, slots, row_height, crypt_top, matrix_top - 8 - crypt_top, matrix_top)
