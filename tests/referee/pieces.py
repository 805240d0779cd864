"""Cards, places in the Crypt and players."""

from __future__ import annotations

from dataclasses import dataclass, field

TYPES = "IJMPRT"
DICE = 3


@dataclass
class Card:
    """A Treasure card; `public` once its value was seen by all, `known_by` the seats that saw it alone."""

    kind: str
    value: int
    index: int
    public: bool = False
    flipped: bool = False
    known_by: set[int] = field(default_factory=set)

    def known_to(self, seat: int) -> bool:
        """Whether this seat has seen the value."""
        return self.public or seat in self.known_by

    def flip(self) -> None:
        """Turn the card face-up; its value becomes public."""
        self.flipped = self.public = True


@dataclass
class Slot:
    """A place in the Crypt, a gap once its card was taken with Pottery B."""

    card: Card
    face_down: bool
    gap: bool = False
    holder: int | None = None
    count: int = 0
    effort: int = 0

    @property
    def total(self) -> int:
        """Total effort of the dice on the card."""
        return self.count * self.effort


@dataclass
class Player:
    """One human player; the dice that are neither available nor exhausted lie on cards."""

    available: int = DICE
    exhausted: int = 0
    cards: list[Card] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)

    def of(self, kind: str) -> list[Card]:
        """All own cards of a type."""
        return [card for card in self.cards if card.kind == kind]

    def unflipped(self, kind: str) -> list[Card]:
        """Own cards of a type that can still pay for a reward."""
        return [card for card in self.of(kind) if not card.flipped]

    def recover(self, number: int) -> None:
        """Take exhausted dice back."""
        self.exhausted -= number
        self.available += number
