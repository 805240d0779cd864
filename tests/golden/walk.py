"""Counts trees a second time, with the referee: every path is played again from the position on.

This shares nothing with the engine, not even the reading of a position.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

from referee.pieces import Card, Player, Slot
from referee.table import FACE_DOWN, FACE_UP, Game


@cache
def _all_results(dice: int) -> list[tuple[int, ...]]:
    """Return all results of a roll."""
    return list(product(range(1, 7), repeat=dice))


class TiedAgain(Exception):
    """A second round of the tie-break would be rolled."""


class Walker:
    """A Source that goes through all choices and all dice, one path a time."""

    def __init__(self) -> None:
        """Start before the first path."""
        self.script: list[tuple[int, list[Any]]] = []
        self.position = 0
        self.ties = 0
        self.counts = dict.fromkeys(("decisions", "rolls", "outcomes", "ends"), 0)
        self.results: set[Any] = set()

    def pick(self, options: list[Any], kind: str) -> Any:
        """Return the choice of this path here; new points of the tree are counted."""
        if self.position == len(self.script):
            self.script.append((0, options))
            self.counts[kind] += 1
            if kind == "rolls":
                self.counts["outcomes"] += len(options)
        taken, known = self.script[self.position]
        assert known is options or known == options
        self.position += 1
        return options[taken]

    def advance(self) -> bool:
        """Advance to the next path; return whether there is one."""
        while self.script and self.script[-1][0] == len(self.script[-1][1]) - 1:
            self.script.pop()
        if not self.script:
            return False
        taken, options = self.script.pop()
        self.script.append((taken + 1, options))
        self.position = self.ties = 0
        return True

    def dice(self, count: int) -> list[int]:
        """Return one result of a roll."""
        return list(self.pick(_all_results(count), "rolls"))

    def choose(self, seat: int, legal: list[str]) -> str:
        """Decide."""
        return self.pick(legal, "decisions")

    def roll(self, seat: int, slot: int, effort: int, count: int) -> list[int]:
        """Roll the dice on a card."""
        return self.dice(count)

    def reroll(self, seat: int, effort: int) -> int:
        """Roll one die again."""
        return self.dice(1)[0]

    def ghost(self, count: int) -> list[int]:
        """Roll the Ghost's dice."""
        return self.dice(count)

    def tiebreak(self, dice: list[tuple[int, int]]) -> list[list[int]]:
        """Roll the first round of the tie-break."""
        self.ties += 1
        if self.ties > 1:
            raise TiedAgain
        results = self.dice(sum(count for _, count in dice))
        return [[results.pop(0) for _ in range(count)] for _, count in dice]


def _cards(text: str) -> list[str]:
    """Split cards that are written without spaces."""
    return [] if text == "-" else [text[place : place + 2] for place in range(0, len(text), 2)]


def _collections(fields: dict[str, str], game: Game) -> None:
    """Give the players their cards."""
    for player, public, flipped in zip(
        game.players, fields["public"].split(","), fields["flipped"].split(","), strict=True
    ):
        player.cards = [Card(text[0], int(text[1]), -1, public=True) for text in _cards(public)]
        for kind, number in _cards(flipped):
            for card in player.of(kind)[: int(number)]:
                card.flipped = True


def _face_down(fields: dict[str, str], game: Game, deck: list[Card]) -> None:
    """Give the players their face-down cards, and set who has seen which."""
    up, down = FACE_UP[game.number], FACE_DOWN[game.number]
    for number, text in enumerate(fields["downs"].split(",")):
        place, _, seen = text.partition("+")
        card = deck[number // down * (up + down) + up + number % down]
        card.known_by = {int(seat) for seat in seen}
        if place.isdigit():
            game.players[int(place)].cards.append(card)


def _crypt(fields: dict[str, str], game: Game, deck: list[Card]) -> None:
    """Lay out the Crypt and the dice on it."""
    up, size = FACE_UP[game.number], FACE_UP[game.number] + FACE_DOWN[game.number]
    drawn = deck[(game.round - 1) * size : game.round * size]
    game.crypt = [Slot(card, place >= up) for place, card in enumerate(drawn)]
    for card in drawn[:up]:
        card.public = True
    if game.number == 1:
        game.crypt.sort(key=lambda slot: -2.5 if slot.face_down else -slot.card.value)
    for slot, text in zip(game.crypt, fields["crypt"].split(","), strict=True):
        if ":" not in text:
            continue
        seat, dice = int(text[0]), (int(text[2]), int(text[4]))
        if fields["phase"] == "collect":
            game.players[seat].failed += [dice[1]] * dice[0]
        else:
            slot.holder, (slot.count, slot.effort) = seat, dice


def from_text(text: str, source: Walker) -> tuple[Game, str, int]:
    """Return the referee's game in a position, the phase and the turn."""
    fields = dict(word.split("=") for word in text.split()[1:])
    deck = [Card(card[0], int(card[1]), index) for index, card in enumerate(_cards(fields["deck"]))]
    game = Game(int(fields["players"]), fields["collectors"], int(fields["leader"]), _cards(fields["deck"]), source)
    game.round = int(fields["round"])
    game.deck = deck[game.round * (FACE_UP[game.number] + FACE_DOWN[game.number]) :]
    game.ghost_pushed = int(fields.get("pushed", "0"))
    dice = [tuple(map(int, part.split("/"))) for part in fields["dice"].split(",")]
    game.players = [Player(ready, exhausted) for ready, exhausted in dice[: game.number]]
    _collections(fields, game)
    _face_down(fields, game, deck)
    _crypt(fields, game, deck)
    if "idols" in fields:
        reached, _, coins = fields["idols"].partition(":")
        game.idol_round = int(reached)
        game.idol_first = {seat for seat, coin in enumerate(coins.split(",")) if coin == "5"}
    return game, fields["phase"], int(fields["turn"])


def _finish_round(game: Game, phase: str, turn: int) -> None:
    """Play the rest of a round from a seat's turn on; no seat before it may have anything left to do in a window."""
    order = game.from_leader()
    if game.seats == 2:
        order.append(game.leader)
    if phase == "before":
        game.before_claim()
        game.check_idols()
        turn = 0
    for place in range(turn, len(order)) if phase in ("before", "claim") else ():
        if order[place] < game.number:
            game.human_turn(order[place], place == len(order) - 1)
        else:
            game.ghost_turn(place == len(order) - 1)
    if phase == "collect":
        for seat in game.from_leader()[:turn]:
            if seat < game.number:
                game.players[seat].failed = []  # it has declined
        game.reroll_window()
    else:
        game.after_claim()
        game.collect()
    game.leader = (game.leader + 1) % game.seats


def count(text: str) -> str:
    """Return the counts of the tree of a position, as `trees.Tree` writes them."""
    walker = Walker()
    more = True
    while more:
        game, phase, turn = from_text(text, walker)
        try:
            _finish_round(game, phase, turn)
            scores, winners = game.play()
            result: Any = (tuple(scores), tuple(winners))
        except TiedAgain:
            result = "tied"
        walker.counts["ends"] += 1
        walker.results.add(result)
        more = walker.advance()
    return ", ".join([f"{n:,} {name}" for name, n in walker.counts.items()] + [f"{len(walker.results):,} results"])
