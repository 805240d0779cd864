"""Everything that a seat may know, computed by the referee: a second implementation that tracks who has seen each card.

`Table` is a referee's game that remembers what only the engine's observation speaks of; `expected` states every part of
an observation in the terms of RULES.md section 6, from the referee's cards, slots and players alone. While a player is
asked which card it flips, all others know what they knew before it chose its action: `Payment` keeps that.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from crypt_env import Game, action_text
from crypt_env.notation.events import GhostRoll, Reroll, Roll, Tiebreak
from referee.pieces import Card, Player, Slot
from referee.table import FACE_UP, GHOST
from referee.table import Game as RefereeGame

TYPES = "IJMPRT"
BEFORE, CLAIM, AFTER, COLLECT, ANSWER = range(5)
PAID = ("take", "peek", "revive", "reroll")
WAYS = 18
Judge = Callable[["Table", "int | None", list[str]], None]
Policy = Callable[[random.Random, Game], int]


class Payment(NamedTuple):
    """An action that a seat has chosen, and what all seats knew before."""

    seat: int
    action: str
    known: list[dict[str, np.ndarray]]
    """What the parts of each seat's observation were."""
    public: list[Card]
    flipped: list[Card]
    """Its cards that were public, and flipped."""


class Driver:
    """A referee's source: chooses actions for both games, and hands the engine's dice to the referee."""

    def __init__(self, game: Game, rng: random.Random, policy: Policy, judge: Judge) -> None:
        self.game = game
        self.policy = policy
        self.rng = rng
        self.judge = judge
        self.table: Table | None = None
        self.rolls: list = []
        self.action = ""
        self.verbs: Counter[str] = Counter()

    def choose(self, seat: int, legal: list[str]) -> str:
        """Judge the position, choose an action, and let the engine play it."""
        assert self.rolls == [], "the engine rolled dice that the referee did not ask for"
        assert self.table is not None
        self.judge(self.table, seat, legal)
        action = action_text(self.policy(self.rng, self.game))
        known = len(self.game.events)
        self.game.play(action)
        self.rolls = list(self.game.events[known + 1 :])
        self.verbs[f"{self.table.phase} {action.split()[0]}"] += 1
        self.action = action
        return action

    def roll(self, seat: int, slot: int, effort: int, count: int) -> list[int]:
        """Hand out a roll of dice on a card."""
        event = self.rolls.pop(0)
        assert isinstance(event, Roll)
        assert event[:3] == (seat, slot, effort)
        assert len(event.results) == count
        return list(event.results)

    def reroll(self, seat: int, effort: int) -> int:
        """Hand out a roll of one failed die."""
        event = self.rolls.pop(0)
        assert isinstance(event, Reroll)
        assert event[:2] == (seat, effort)
        assert self.table is not None
        self.table.rerolled(seat, effort, event.result)
        return event.result

    def ghost(self, count: int) -> list[int]:
        """Hand out a roll of the Ghost."""
        event = self.rolls.pop(0)
        assert isinstance(event, GhostRoll)
        assert len(event.results) == count
        return list(event.results)

    def tiebreak(self, dice: list[tuple[int, int]]) -> list[list[int]]:
        """Hand out a round of the tie-break."""
        event = self.rolls.pop(0)
        assert isinstance(event, Tiebreak)
        assert [(seat, len(results)) for seat, results in event.rolls] == dice
        return [list(results) for _, results in event.rolls]


class Table(RefereeGame):
    """A referee's game that also remembers the phase, the turn, which dice failed where, and every card."""

    def __init__(self, game: Game, driver: Driver) -> None:
        super().__init__(game.players, game.collectors, game.first_leader, list(game.deck), driver)
        driver.table = self
        self.driver = driver
        self.payment: Payment | None = None
        self.taker: int | None = None
        self.taking = 0
        self.all_cards: list[Card] = list(self.deck)
        self.phase = BEFORE
        self.lights_out = False
        self.passed = 0
        self.last_leader = self.leader
        self.failed_on: Counter[int] = Counter()
        self.late_idols: set[int] = set()

    def reveal(self) -> None:
        """Begin a round."""
        super().reveal()
        self.phase, self.last_leader = BEFORE, self.leader
        self.failed_on.clear()

    def check_idols(self) -> None:
        """Note who was late."""
        super().check_idols()
        if self.sides["I"] == "B" and self.idol_round is not None:
            holders = {seat for seat, player in enumerate(self.players) if len(player.of("I")) >= 2}
            self.late_idols |= holders - self.idol_first

    def pay(self, seat: int, reward: str) -> None:
        """Remember what was known before the action that is paid for was chosen."""
        cards = self.players[seat].cards
        self.payment = Payment(
            seat,
            self.driver.action,
            [expected(self, viewer, seat) for viewer in range(self.number)],
            [card for card in cards if card.public],
            [card for card in cards if card.flipped],
        )
        super().pay(seat, reward)
        self.payment = None

    def answers(self, taker: int, card: Card) -> None:
        """Note who takes what while the others answer."""
        self.phase, self.taker = ANSWER, taker
        self.taking = next(number for number, slot in enumerate(self.crypt) if slot.card is card)
        super().answers(taker, card)
        self.phase, self.taker = BEFORE, None

    def claim_phase(self) -> None:
        """Open the Claim."""
        self.phase = CLAIM
        super().claim_phase()

    def human_turn(self, seat: int, lights_out: bool) -> None:
        """Begin a Claim turn."""
        self.lights_out, self.passed = lights_out, 0
        super().human_turn(seat, lights_out)
        self.lights_out, self.passed = False, 0

    def ghost_turn(self, lights_out: bool) -> None:
        """Forget the pushed dice that the Ghost rolls again."""
        super().ghost_turn(lights_out)
        if lights_out:
            self.ghost_pushed = 0

    def place(self, seat: int, action: str) -> int:
        """Note that the slots up to this one are closed."""
        self.passed = super().place(seat, action) + 1
        return self.passed - 1

    def after_claim(self) -> None:
        """Open the window after the Claim."""
        self.phase = AFTER
        super().after_claim()

    def collect(self) -> None:
        """Open the Collect phase."""
        self.phase = COLLECT
        super().collect()

    def roll_dice(self, seat: int, number: int, slot: Slot) -> None:
        """Note on which slot dice failed."""
        before = len(self.players[seat].failed)
        super().roll_dice(seat, number, slot)
        self.failed_on[number] = len(self.players[seat].failed) - before

    def rerolled(self, seat: int, effort: int, result: int) -> None:
        """A die that did not fail again leaves the first slot on which one of its effort failed."""
        slots = [n for n, slot in enumerate(self.crypt) if (slot.holder, slot.effort) == (seat, effort)]
        if result >= effort:
            self.failed_on[next(number for number in slots if self.failed_on[number])] -= 1

    # -- what is on the table -----------------------------------------------------------------------------------------

    def dice_on(self, number: int, is_over: bool) -> int:
        """Return how many dice are on a slot; in the Collect phase those that failed."""
        if is_over:
            return 0
        return self.failed_on[number] if self.phase == COLLECT else self.crypt[number].count

    def lies_there(self, number: int) -> bool:
        """Return whether a slot still has its card."""
        return self.phase != COLLECT and not self.crypt[number].gap

    def is_in_crypt(self, card: Card) -> bool:
        """Return whether a card is in the Crypt."""
        return any(slot.card is card and self.lies_there(number) for number, slot in enumerate(self.crypt))

    def drawn_face_down(self) -> list[Card]:
        """Return the cards that were drawn face-down, in draw order."""
        drawn = self.all_cards[: len(self.all_cards) - len(self.deck)]
        up, slots = FACE_UP[self.number], len(self.crypt)
        return [card for card in drawn if card.index % slots >= up]

    def owner_of(self, card: Card) -> int | None:
        """Return in whose collection a card is."""
        owners = [seat for seat, player in enumerate(self.players) if any(own is card for own in player.cards)]
        return owners[0] if owners else None


def number_of(card: Card) -> int:
    """Return a card's place in the order of types and values."""
    return TYPES.index(card.kind) * 4 + card.value - 1


def expected(table: Table, viewer: int, mover: int | None) -> dict[str, np.ndarray]:
    """Return every part of an observation, in the order of the layout. ``mover`` is None when the game is over."""
    if table.payment is not None:
        return _with_payment(table, table.payment, viewer)
    parts = {name: np.zeros(shape, int) for name, shape in SHAPES.items()}
    seats = table.seats

    def place_of(seat: int) -> int:
        return (seat - viewer) % seats

    parts["players"][table.number - 1] = 1
    parts["sides"][:] = [table.sides[kind] == "B" for kind in TYPES]
    parts["rounds_left"][0] = len(table.deck) // len(table.crypt)
    parts["idol_now"][0] = table.idol_round == table.round
    parts["leader"][place_of(table.last_leader)] = 1
    if mover is not None:
        parts["phase"][table.phase] = 1
        parts["mover"][place_of(mover)] = 1
        parts["lights_out"][0] = table.lights_out
        parts["slots_passed"][0] = table.passed
        parts["ghost_pushed"][0] = table.ghost_pushed
    if table.taker is not None:
        parts["taker"][place_of(table.taker)] = 1
        parts["taking"][table.taking] = 1
    for card in table.deck:
        parts["deck_types"][TYPES.index(card.kind)] += 1
    if table.deck:
        parts["deck_top"][TYPES.index(table.deck[0].kind)] = 1
    for card in table.all_cards:
        parts["unseen"][number_of(card)] += not card.known_to(viewer)
    for number in range(len(table.crypt)):
        _expect_slot(table, viewer, number, mover is None, parts)
    for seat, player in enumerate(table.players):
        _expect_seat(table, viewer, seat, player, place_of(seat), parts)
    if table.number == 1:
        on_cards = sum(slot.count for slot in table.crypt if slot.holder == GHOST and table.phase != COLLECT)
        parts["ready"][1] = 3 - on_cards
    _expect_hidden(table, viewer, parts)
    return parts


def _with_payment(table: Table, payment: Payment, viewer: int) -> dict[str, np.ndarray]:
    """Return what a seat knows while another one, or it itself, is asked which card it flips."""
    parts = {name: part.copy() for name, part in payment.known[viewer].items()}
    if viewer != payment.seat:
        return parts
    verb, *number = payment.action.split()
    parts["paying"][PAID.index(verb)] = 1
    if verb == "take":
        parts["taking"][int(number[0])] = 1
    if verb == "reroll":
        parts["paying_effort"][0] = int(number[0])
    for card in table.players[viewer].cards:
        if card.flipped and not any(card is other for other in (*payment.flipped, *payment.public)):
            parts["first_flip"][0] = card.value
    return parts


def _expect_slot(table: Table, viewer: int, number: int, is_over: bool, parts: dict[str, np.ndarray]) -> None:
    """State what is on a slot."""
    slot = table.crypt[number]
    if table.lies_there(number):
        parts["slot_type"][number, TYPES.index(slot.card.kind)] = 1
        parts["slot_value"][number] = slot.card.value if slot.card.known_to(viewer) else 0
        parts["slot_face_down"][number] = slot.face_down
        for seat in slot.card.known_by - {viewer}:
            parts["slot_seen_by"][number, (seat - viewer) % table.seats - 1] = 1
    dice = table.dice_on(number, is_over)
    if dice:
        assert slot.holder is not None
        parts["slot_holder"][number, (slot.holder - viewer) % table.seats] = 1
        parts["slot_dice"][number] = dice
        parts["slot_effort"][number] = slot.effort


def _expect_seat(
    table: Table, viewer: int, seat: int, player: Player, place: int, parts: dict[str, np.ndarray]
) -> None:
    """State what is known of a player."""
    parts["ready"][place] = player.available
    parts["exhausted"][place] = player.exhausted
    parts["idol_bonus"][place] = 5 if seat in table.idol_first else 2 if seat in table.late_idols else 0
    for card in player.cards:
        parts["unflipped"][place, TYPES.index(card.kind)] += not card.flipped
        if card.known_to(viewer):
            parts["cards"][place, number_of(card)] += 1
        else:
            parts["unknown"][place, TYPES.index(card.kind)] += 1


def _expect_hidden(table: Table, viewer: int, parts: dict[str, np.ndarray]) -> None:
    """State what is known of the cards that are not public, in collections or discarded after some seat saw them."""
    for down, card in enumerate(table.drawn_face_down()):
        owner = table.owner_of(card)
        if card.public or (owner is None and (table.is_in_crypt(card) or not card.known_by)):
            continue
        if owner is None:
            parts["hidden_discarded"][down] = 1
        else:
            parts["hidden_owner"][down, (owner - viewer) % table.seats] = 1
        parts["hidden_type"][down] = TYPES.index(card.kind) + 1
        parts["hidden_value"][down] = card.value if card.known_to(viewer) else 0
        for seat in card.known_by - {viewer}:
            parts["hidden_seen_by"][down, (seat - viewer) % table.seats - 1] = 1


SHAPES: dict[str, tuple[int, ...]] = {
    "players": (4,),
    "sides": (6,),
    "rounds_left": (1,),
    "phase": (5,),
    "mover": (4,),
    "taker": (4,),
    "taking": (6,),
    "paying": (4,),
    "paying_effort": (1,),
    "first_flip": (1,),
    "leader": (4,),
    "lights_out": (1,),
    "slots_passed": (1,),
    "ghost_pushed": (1,),
    "deck_types": (6,),
    "deck_top": (6,),
    "unseen": (24,),
    "slot_type": (6, 6),
    "slot_value": (6,),
    "slot_face_down": (6,),
    "slot_seen_by": (6, 3),
    "slot_holder": (6, 4),
    "slot_dice": (6,),
    "slot_effort": (6,),
    "ready": (4,),
    "exhausted": (4,),
    "idol_bonus": (4,),
    "idol_now": (1,),
    "unflipped": (4, 6),
    "cards": (4, 24),
    "unknown": (4, 6),
    "hidden_owner": (16, 4),
    "hidden_discarded": (16,),
    "hidden_type": (16,),
    "hidden_value": (16,),
    "hidden_seen_by": (16, 3),
}
