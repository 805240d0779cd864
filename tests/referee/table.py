"""The state of one game of Crypt and its rules, written in the most obvious way.

The game asks a Source for every decision and every roll, so the same code plays a game and replays one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Protocol

from .pieces import DICE, TYPES, Card, Player, Slot
from .score import scores

FACE_UP = {1: 2, 2: 2, 3: 3, 4: 4}
FACE_DOWN = {1: 1, 2: 1, 3: 1, 4: 2}
GHOST = 1
PRICE = {"reroll": ("I", 1), "peek": ("M", 1), "take": ("P", 2), "revive": ("R", 2)}

Counts = Counter[tuple[str, str]]


class Source(Protocol):
    """Where decisions and dice come from."""

    def choose(self, seat: int, legal: list[str]) -> str:
        """Pick one of at least two legal actions."""

    def roll(self, seat: int, slot: int, effort: int, count: int) -> list[int]:
        """Roll the dice on a claimed card."""

    def reroll(self, seat: int, effort: int) -> int:
        """Roll one failed die again."""

    def ghost(self, count: int) -> list[int]:
        """Roll the Ghost's dice."""

    def tiebreak(self, dice: list[tuple[int, int]]) -> list[list[int]]:
        """Roll for (seat, number of dice) pairs, one result list for each."""


def full_deck(players: int) -> list[str]:
    """The cards of the deck for a number of players, sorted [R1]."""
    twice = {1: (), 2: (), 3: (2, 3), 4: (1, 2, 3, 4)}[players]
    return sorted(f"{kind}{value}" for kind in TYPES for value in (1, 2, 3, 4, *twice))


@cache
def groups(number: int, available: int, above: int) -> tuple[str, ...]:
    """Placements on a slot with these dice at most and a total effort above this one."""
    return tuple(
        f"place {number} {count}x{effort}"
        for count in range(1, available + 1)
        for effort in range(1, 7)
        if count * effort > above
    )


class Game:
    """One game from the shuffled deck to the winners."""

    def __init__(
        self,
        players: int,
        collectors: str,
        leader: int,
        deck: list[str],
        source: Source,
        counts: Counts | None = None,
    ) -> None:
        """Set the table; every decision asked is added to `counts` under its moment and what was chosen."""
        self.number = players
        self.seats = max(players, 2)
        self.sides = dict(zip(TYPES, collectors, strict=True))
        self.leader = leader
        self.deck = [Card(text[0], int(text[1]), index) for index, text in enumerate(deck)]
        self.source = source
        self.counts: Counts = Counter() if counts is None else counts
        self.players = [Player() for _ in range(players)]
        self.crypt: list[Slot] = []
        self.round = 0
        self.ghost_pushed = 0
        self.idol_round: int | None = None
        self.idol_first: set[int] = set()

    def play(self) -> tuple[list[int], list[int]]:
        """Play to the end; the scores and the winners."""
        while self.deck:
            self.round += 1
            self.reveal()
            self.before_claim()
            self.check_idols()
            self.claim_phase()
            self.after_claim()
            self.collect()
            self.leader = (self.leader + 1) % self.seats
        self.revive_at_end()
        result = scores(self.players, self.sides, self.idol_first)
        return result, self.winners(result)

    def ask(self, seat: int, legal: list[str], moment: str, counted_as: str = "") -> str:
        """A decision; a single legal action is played without asking [R12].

        It is counted under its moment and the first word of the choice, or `counted_as`.
        """
        if len(legal) == 1:
            return legal[0]
        action = self.source.choose(seat, legal)
        self.counts[moment, counted_as or action.split()[0]] += 1
        return action

    def from_leader(self) -> list[int]:
        """All seats in turn order, the Ghost's included."""
        return [(self.leader + step) % self.seats for step in range(self.seats)]

    def humans(self) -> Iterator[tuple[int, Player]]:
        """The human players with their seats, in turn order."""
        return ((seat, self.players[seat]) for seat in self.from_leader() if seat < self.number)

    # Phase I

    def reveal(self) -> None:
        """Draw the Crypt; the last ones stay face-down; solo it is arranged by value."""
        up = FACE_UP[self.number]
        drawn, self.deck = self.deck[: up + FACE_DOWN[self.number]], self.deck[up + FACE_DOWN[self.number] :]
        self.crypt = [Slot(card, position >= up) for position, card in enumerate(drawn)]
        for card in drawn[:up]:
            card.public = True
        if self.number == 1:
            # sorting is stable: of equal cards the first drawn stays left
            self.crypt.sort(key=lambda slot: 2.5 if slot.face_down else slot.card.value, reverse=True)
        self.ghost_pushed = 0
        for player in self.players:
            player.failed = []

    # Flipping

    def flip_order(self, seat: int, kind: str) -> list[Card]:
        """Unflipped cards of a type: public ones, then those that more others have seen, then the first drawn [R9]."""
        cards = self.players[seat].unflipped(kind)
        return sorted(cards, key=lambda card: (not card.public, -len(card.known_by - {seat}), card.index))

    def flip_unasked(self, seat: int, kind: str, number: int) -> None:
        """Flip the first cards in flip order [R9]."""
        for card in self.flip_order(seat, kind)[:number]:
            card.flip()

    def pay(self, seat: int, reward: str) -> None:
        """Flip what a reward costs, card by card; the player is asked wherever it makes a difference [R9]."""
        kind, number = PRICE[reward]
        for left in range(number, 0, -1):
            cards = self.flip_order(seat, kind)
            if len(cards) == left or self.known_to_others(seat, cards[0]):
                cards[0].flip()
            else:
                self.flip_asked(seat, cards, reward)

    def known_to_others(self, seat: int, card: Card) -> bool:
        """Whether all other players have seen a card; solo there are none, so they have."""
        return all(card.known_to(other) for other in range(self.number) if other != seat)

    def flip_asked(self, seat: int, cards: list[Card], reward: str) -> None:
        """Flip the first card, in flip order, of the value that the player names; a single value is not asked [R12]."""
        legal = [f"flip {value}" for value in sorted({card.value for card in cards})]
        value = int(self.ask(seat, legal, "flip to pay for", reward).split()[1])
        next(card for card in cards if card.value == value).flip()

    # Windows of Manuscript B and Pottery B

    def hidden(self) -> list[int]:
        """Slots with a face-down card."""
        return [number for number, slot in enumerate(self.crypt) if slot.face_down and not slot.gap]

    def can_peek(self, seat: int, own_claims: bool) -> bool:
        """Whether a peek would show something new; own claims count on the own turn only [R10]."""
        if self.sides["M"] != "B" or not self.players[seat].unflipped("M"):
            return False
        slots = [self.crypt[number] for number in self.hidden()]
        return any(not slot.card.known_to(seat) and (own_claims or slot.holder != seat) for slot in slots)

    def peek(self, seat: int) -> None:
        """Flip a Manuscript and see every face-down card of the Crypt."""
        self.pay(seat, "peek")
        for number in self.hidden():
            self.crypt[number].card.known_by.add(seat)

    def before_claim(self) -> None:
        """Pottery B: players take face-down cards, in turn order [R3]."""
        if self.sides["P"] != "B":
            return
        for seat, player in self.humans():
            while len(player.unflipped("P")) >= 2 and self.hidden():
                legal = [f"take {number}" for number in self.hidden()] + ["done"]
                if self.can_peek(seat, own_claims=True):
                    legal.append("peek")
                action = self.ask(seat, legal, "before Claim")
                if action == "done":
                    break
                if action == "peek":
                    self.peek(seat)
                else:
                    self.take(seat, int(action.split()[1]))

    def take(self, seat: int, number: int) -> None:
        """Flip two Pottery, hear the others, and collect a face-down card; its slot becomes a gap."""
        self.pay(seat, "take")
        self.answers(seat, self.crypt[number].card)
        self.gain(seat, self.crypt[number].card)
        self.crypt[number].gap = True

    def answers(self, taker: int, card: Card) -> None:
        """The others' last look at a card that is about to be taken, in turn order [R10]."""
        for seat, _ in self.humans():
            if (
                seat != taker
                and self.can_answer(seat, card)
                and self.ask(seat, ["peek", "done"], "answer to a take") == "peek"
            ):
                self.peek(seat)

    def can_answer(self, seat: int, card: Card) -> bool:
        """Manuscript B: one to flip, and the card that is taken not yet known."""
        return self.sides["M"] == "B" and not card.known_to(seat) and bool(self.players[seat].unflipped("M"))

    def gain(self, seat: int, card: Card) -> None:
        """Put a card into a collection; the owner sees it."""
        card.known_by.add(seat)
        self.players[seat].cards.append(card)

    def after_claim(self) -> None:
        """Manuscript B: a last look before the cards go away, not in the last round [R10]."""
        if not self.deck:
            return
        for seat, _ in self.humans():
            if self.can_peek(seat, own_claims=False) and self.ask(seat, ["peek", "done"], "after Claim") == "peek":
                self.peek(seat)

    # Phase II

    def claim_phase(self) -> None:
        """One turn each, with two seats a second one for the Leader; the last is the Lights Out turn."""
        order = self.from_leader()
        if self.seats == 2:
            order.append(self.leader)
        for turn, seat in enumerate(order):
            lights_out = turn == len(order) - 1
            if seat < self.number:
                self.human_turn(seat, lights_out)
            else:
                self.ghost_turn(lights_out)

    def human_turn(self, seat: int, lights_out: bool) -> None:
        """Peek and revive as often as chosen, then recover, or place dice group by group."""
        while True:
            action = self.ask(seat, self.opening_actions(seat), "Claim turn")
            if action == "peek":
                self.peek(seat)
            elif action == "revive":
                self.pay(seat, "revive")
                self.players[seat].recover(1)
            else:
                break
        if action == "recover":
            self.players[seat].recover(self.players[seat].exhausted)
            return
        while action != "done":
            number = self.place(seat, action)
            more = [] if lights_out else self.placements(seat, number + 1)
            action = self.ask(seat, more + ["done"], "Claim turn")

    def opening_actions(self, seat: int) -> list[str]:
        """Legal actions of a Claim turn before the first die is placed."""
        legal = self.placements(seat, 0) + ["recover"]
        if self.can_peek(seat, own_claims=True):
            legal.append("peek")
        if self.can_revive(self.players[seat]):
            legal.append("revive")
        return legal

    def can_revive(self, player: Player) -> bool:
        """Remains A: two to flip and an exhausted die."""
        return self.sides["R"] == "A" and player.exhausted > 0 and len(player.unflipped("R")) >= 2

    def placements(self, seat: int, first: int) -> list[str]:
        """Legal placements from a slot number on."""
        available = self.players[seat].available
        legal: list[str] = []
        for number, slot in enumerate(self.crypt):
            if number >= first and not slot.gap and slot.holder != seat:
                legal.extend(groups(number, available, slot.total))
        return legal

    def place(self, seat: int, action: str) -> int:
        """Put a group of dice on a card; the slot number."""
        _, number, group = action.split()
        count, effort = map(int, group.split("x"))
        self.players[seat].available -= count
        self.occupy(int(number), seat, count, effort)
        return int(number)

    def occupy(self, number: int, seat: int, count: int, effort: int) -> None:
        """Move dice onto a card; the dice on it go back to their owner at once."""
        slot = self.crypt[number]
        if slot.holder is not None and slot.holder < self.number:
            self.players[slot.holder].available += slot.count
        elif slot.holder is not None:
            self.ghost_pushed += slot.count
        slot.holder, slot.count, slot.effort = seat, count, effort

    def ghost_turn(self, lights_out: bool) -> None:
        """The Ghost rolls and places its groups; on Lights Out only its pushed dice and one group."""
        dice = self.ghost_pushed if lights_out else DICE
        if dice == 0:
            return
        counted = Counter(self.source.ghost(dice))
        groups = sorted(((count * face, count, face) for face, count in counted.items()), reverse=True)
        for _, count, face in groups[:1] if lights_out else groups:
            self.ghost_place(count, face)

    def ghost_place(self, count: int, face: int) -> None:
        """Put a group on the leftmost card that is free or that the player holds with less, if any."""
        for number, slot in enumerate(self.crypt):
            if not slot.gap and slot.holder != GHOST and slot.total < count * face:
                self.occupy(number, GHOST, count, face)
                return

    # Phase III

    def collect(self) -> None:
        """Roll the dice and hand out the cards; what no player or the Ghost holds is discarded."""
        self.recover_pushed_out()
        for number, slot in enumerate(self.crypt):
            if slot.holder is not None and slot.holder < self.number:
                self.roll_dice(slot.holder, number, slot)
                self.gain(slot.holder, slot.card)
        self.check_idols()
        self.reroll_window()

    def recover_pushed_out(self) -> None:
        """Players without a die on any card take all their dice back [R6]."""
        holders = {slot.holder for slot in self.crypt}
        for seat, player in enumerate(self.players):
            if seat not in holders:
                player.recover(player.exhausted)

    def roll_dice(self, seat: int, number: int, slot: Slot) -> None:
        """Dice below their effort are exhausted, the others return; effort 1 is not rolled."""
        player = self.players[seat]
        results = [1] * slot.count
        if slot.effort > 1:
            results = self.source.roll(seat, number, slot.effort, slot.count)
        for result in results:
            if result < slot.effort:
                player.exhausted += 1
                player.failed.append(slot.effort)
            else:
                player.available += 1

    def check_idols(self) -> None:
        """Idol B: who holds two in the first round in which anyone does flips them [R8]."""
        if self.sides["I"] != "B" or self.idol_round not in (None, self.round):
            return
        for seat, player in enumerate(self.players):
            if seat not in self.idol_first and len(player.of("I")) >= 2:
                self.flip_unasked(seat, "I", 2)
                self.idol_first.add(seat)
                self.idol_round = self.round

    def reroll_window(self) -> None:
        """Idol A: flip Idols to roll dice that failed this round again, in turn order [R7]."""
        if self.sides["I"] != "A":
            return
        for seat, player in self.humans():
            while player.failed and player.unflipped("I"):
                legal = [f"reroll {effort}" for effort in sorted(set(player.failed))] + ["done"]
                action = self.ask(seat, legal, "Collect")
                if action == "done":
                    break
                effort = int(action.split()[1])
                self.pay(seat, "reroll")
                if self.source.reroll(seat, effort) >= effort:
                    player.failed.remove(effort)
                    player.recover(1)

    def revive_at_end(self) -> None:
        """Remains A is used up for dice, which are worth a coin each [R10]."""
        for seat, player in enumerate(self.players):
            while self.can_revive(player):
                self.flip_unasked(seat, "R", 2)
                player.recover(1)

    # The end

    def winners(self, scores: list[int]) -> list[int]:
        """The seats that win; ties are rolled off with the dice left [R11]."""
        tied = [seat for seat, score in enumerate(scores) if score == max(scores)]
        while len(tied) > 1 and any(self.players[seat].available for seat in tied):
            rolls = self.source.tiebreak([(seat, self.players[seat].available) for seat in tied])
            sums = [sum(results) for results in rolls]
            tied = [seat for seat, total in zip(tied, sums, strict=True) if total == max(sums)]
        return tied
