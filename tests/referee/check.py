"""Checking a crypt-record/1 game against the rules."""

from __future__ import annotations

from typing import Any

from .pieces import TYPES
from .table import Counts, Game, full_deck

KEYS = ("format", "players", "collectors", "leader", "seed", "deck", "events", "scores", "winners")


class Difference(Exception):
    """The record is not what the rules say; the text is the whole sentence."""


class CutShort(Exception):
    """A record without scores ended properly before a decision."""


def is_int(value: Any) -> bool:
    """Whether a JSON value is an integer (true and false are not)."""
    return isinstance(value, int) and not isinstance(value, bool)


def show(value: Any) -> str:
    """A value in few characters."""
    text = repr(value)
    return text if len(text) <= 160 else text[:157] + "..."


def check_dice(where: str, results: Any, count: int) -> list[int]:
    """A list of results of the right length, each 1 to 6."""
    if not isinstance(results, list) or len(results) != count:
        raise Difference(f"{where}: expected {count} dice results, found {show(results)}.")
    for result in results:
        if not is_int(result) or not 1 <= result <= 6:
            raise Difference(f"{where}: expected dice results from 1 to 6, found {show(results)}.")
    return results


class Reader:
    """A Source that takes everything from recorded events and checks each one."""

    def __init__(self, events: list[Any], cut: bool) -> None:
        """Start before the first event."""
        self.events = events
        self.cut = cut
        self.position = 0

    def where(self) -> str:
        """The name of the event read last."""
        return f"events[{self.position - 1}]"

    def next(self, fields: list[Any], free: tuple[int, int], wanted: str) -> list[Any]:
        """The next event, which must start with these fields and go on with a number of others in a range."""
        if self.position == len(self.events):
            raise Difference(f"events[{self.position}]: expected {wanted}, found the end of the events.")
        event = self.events[self.position]
        self.position += 1
        if (
            not isinstance(event, list)
            or not free[0] <= len(event) - len(fields) <= free[1]
            or event[: len(fields)] != fields
            or any(isinstance(item, (bool, float)) for item in event)
        ):
            raise Difference(f"{self.where()}: expected {wanted}, found {show(event)}.")
        return event

    def choose(self, seat: int, legal: list[str]) -> str:
        """The recorded decision; with no event left, a game cut short ends here."""
        if self.cut and self.position == len(self.events):
            raise CutShort
        wanted = f"a decision of seat {seat} among {len(legal)} actions ({', '.join(legal[-4:])}...)"
        event = self.next(["act", seat], (1, 2), wanted)
        if not isinstance(event[2], str) or event[2] not in legal:
            raise Difference(f"{self.where()}: expected {wanted}, found the illegal {show(event[2])}.")
        if len(event) == 4:
            self.check_legal(event[3], legal)
        return event[2]

    def check_legal(self, found: Any, legal: list[str]) -> None:
        """The recorded list of legal actions must be the same set, without duplicates."""
        if found == legal:
            return
        if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
            raise Difference(f"{self.where()}: expected a list of legal actions, found {show(found)}.")
        for text in sorted(set(legal) - set(found)):
            raise Difference(f"{self.where()}: expected {text!r} listed as legal, found it missing.")
        for text in sorted(set(found) - set(legal)):
            raise Difference(f"{self.where()}: expected only legal actions, found {show(text)} listed.")
        if len(found) != len(legal):
            raise Difference(f"{self.where()}: expected each legal action once, found {show(found)}.")

    def roll(self, seat: int, slot: int, effort: int, count: int) -> list[int]:
        """The recorded roll of the dice on a claimed card."""
        wanted = f"a roll of seat {seat} on slot {slot}, {count} dice of effort {effort}"
        event = self.next(["roll", seat, slot, effort], (1, 1), wanted)
        return check_dice(self.where(), event[4], count)

    def reroll(self, seat: int, effort: int) -> int:
        """The recorded result of a re-rolled die."""
        wanted = f"a reroll of seat {seat} against effort {effort}"
        event = self.next(["reroll", seat, effort], (1, 1), wanted)
        return check_dice(self.where(), event[3:], 1)[0]

    def ghost(self, count: int) -> list[int]:
        """The recorded roll of the Ghost."""
        event = self.next(["ghost"], (1, 1), f"a roll of the Ghost with {count} dice")
        return check_dice(self.where(), event[1], count)

    def tiebreak(self, dice: list[tuple[int, int]]) -> list[list[int]]:
        """The recorded round of the tie-break."""
        wanted = f"a tie-break among seats {[seat for seat, _ in dice]}"
        rows = self.next(["tiebreak"], (1, 1), wanted)[1]
        if not isinstance(rows, list) or len(rows) != len(dice):
            raise Difference(f"{self.where()}: expected {wanted}, found {show(rows)}.")
        for row, (seat, _) in zip(rows, dice, strict=True):
            if not isinstance(row, list) or len(row) != 2 or not is_int(row[0]) or row[0] != seat:
                raise Difference(f"{self.where()}: expected {wanted}, found {show(rows)}.")
        return [check_dice(self.where(), row[1], count) for row, (_, count) in zip(rows, dice, strict=True)]


def check_header(record: Any) -> None:
    """Everything outside the course of the game."""
    if not isinstance(record, dict):
        raise Difference(f"record: expected an object, found {show(record)}.")
    for key in KEYS:
        if key not in record:
            raise Difference(f"{key}: expected it in the record, found it missing.")
    if record["format"] != "crypt-record/1":
        raise Difference(f"format: expected 'crypt-record/1', found {show(record['format'])}.")
    players, leader = record["players"], record["leader"]
    if not is_int(players) or not 1 <= players <= 4:
        raise Difference(f"players: expected 1 to 4, found {show(players)}.")
    if not is_int(leader) or not 0 <= leader < players:
        raise Difference(f"leader: expected a seat from 0 to {players - 1}, found {show(leader)}.")
    if record["seed"] is not None and not is_int(record["seed"]):
        raise Difference(f"seed: expected an integer or null, found {show(record['seed'])}.")
    sides = record["collectors"]
    if not isinstance(sides, str) or len(sides) != len(TYPES) or set(sides) - set("AB"):
        raise Difference(f"collectors: expected six letters A or B, found {show(sides)}.")
    check_deck(record["deck"], players)
    if not isinstance(record["events"], list):
        raise Difference(f"events: expected a list, found {show(record['events'])}.")
    if (record["scores"] is None) != (record["winners"] is None):
        raise Difference("winners: expected scores and winners both null or both lists, found one of each.")


def check_deck(deck: Any, players: int) -> None:
    """The deck must hold exactly the right cards."""
    if not isinstance(deck, list) or not all(isinstance(card, str) for card in deck):
        raise Difference(f"deck: expected a list of cards, found {show(deck)}.")
    right = full_deck(players)
    for card in sorted(set(deck) | set(right)):
        if deck.count(card) != right.count(card):
            raise Difference(f"deck: expected {right.count(card)} of {show(card)}, found {deck.count(card)}.")


def check_result(record: dict[str, Any], scores: list[int], winners: list[int]) -> None:
    """The recorded result must be the one the game came to."""
    for key, right in (("scores", scores), ("winners", winners)):
        found = record[key]
        if found is None:
            raise Difference(f"{key}: expected {right} as the game ran to its end, found null.")
        if not isinstance(found, list) or not all(map(is_int, found)) or found != right:
            raise Difference(f"{key}: expected {right}, found {show(found)}.")


def check_record(record: dict[str, Any], counts: Counts | None = None) -> str | None:
    """None if the record is right, or one sentence naming the first difference (events count from 0).

    The decisions checked are added to `counts`, also those before a difference.
    """
    try:
        check_header(record)
        reader = Reader(record["events"], record["scores"] is None)
        game = Game(record["players"], record["collectors"], record["leader"], record["deck"], reader, counts)
        scores, winners = game.play()
        if reader.position < len(reader.events):
            extra = show(reader.events[reader.position])
            raise Difference(f"events[{reader.position}]: expected the end of the events, found {extra}.")
        check_result(record, scores, winners)
    except CutShort:
        return None
    except Difference as difference:
        return str(difference)
    return None
