"""The words in the picture of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crypt_env.errors import counted
from crypt_env.rules.cards import KIND_NAMES

if TYPE_CHECKING:
    from .scene import Card, Scene

ROLLING, ENDED = "rolling", "over"
"""Phases of a scene besides those in which a seat decides."""

COLLECTORS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("flip 1: re-roll", "a failed die"), ("first to hold 2: +5", "later: +2")),
    (("2 or more: the", "highest twice"), ("+1 for each",)),
    (("2 or more:", "4 coins each"), ("flip 1: peek at", "face-down cards")),
    (("2, 3, 4 or more:", "+2, +4, +8"), ("flip 2: take a", "face-down card")),
    (("flip 2: recover", "an exhausted die"), ("4 or more:", "+10")),
    (("most coins in", "Tapestries: +5"), ("3 or more: +7,", "several: +4 each")),
)
"""What each Collector does, by type and side, in one or two lines."""

_QUESTIONS = {
    "before": "Pottery B: take a face-down card, or decline",
    "after": "Manuscript B: peek at face-down cards, or decline",
    "collect": "Idol A: re-roll a failed die, or decline",
}


def short_name(scene: Scene, seat: int) -> str:
    """Return the short name of a seat."""
    return "you" if scene.is_seat and seat == 0 else scene.seats[seat].name


def subject(scene: Scene, seat: int) -> str:
    """Return the name of a seat at the start of a sentence."""
    return sentence(short_name(scene, seat))


def title(scene: Scene) -> str:
    """Return who decides, or how the game ended."""
    if scene.phase == ENDED:
        return "The game is over"
    if scene.phase == ROLLING or scene.mover is None:
        return "Dice are rolled"
    return subject(scene, scene.mover) + (" decide" if short_name(scene, scene.mover) == "you" else " decides")


def question(scene: Scene) -> str:
    """Return the question to the deciding seat."""
    if scene.ending is not None:
        return sentence(scene.ending.words)
    if scene.payment is not None:
        first = f", besides one of value {scene.payment.first_value}" if scene.payment.first_value else ""
        return f"Which card is flipped for '{scene.payment.action}'{first}?"
    if scene.phase == "answer" and scene.taker is not None:
        verb = "take" if short_name(scene, scene.taker) == "you" else "takes"
        return f"{subject(scene, scene.taker)} {verb} the card in slot {scene.taking}; peek at it first?"
    if scene.phase == "claim":
        return _claim_question(scene)
    return _QUESTIONS.get(scene.phase, "")


def _claim_question(scene: Scene) -> str:
    if any(slot.is_closed for slot in scene.slots):  # the first dice of this turn are placed
        return "Claim more cards, or end the claim"
    return "Lights Out: claim one card, or recover" if scene.is_lights_out else "Claim cards with dice, or recover"


def sentence(words: str) -> str:
    """Return words with a capital first letter."""
    return words[:1].upper() + words[1:]


def whose_eyes(scene: Scene) -> str:
    """Return a text that says whose knowledge is drawn."""
    if not scene.is_seat:
        return "What all can see"
    name = scene.seats[0].name.removesuffix(" (you)")
    return "What you know" if name == "you" else f"What {name} knows"


def ghost_words(scene: Scene) -> str:
    """Return the note about the Ghost."""
    if scene.pushed_ghosts:
        were = "was" if scene.pushed_ghosts == 1 else "were"
        return f"{scene.pushed_ghosts} of its dice {were} pushed off and not rolled again."
    return "The Ghost collects nothing: what it holds at the end of a round is discarded."


def steps(scene: Scene) -> list[tuple[str, bool]]:
    """Return the phases in which seats of this table can decide, each with whether it is the current one."""
    if scene.phase == ENDED:
        return []
    now = {"answer": "before", ROLLING: ""}.get(scene.phase, scene.phase)
    names = [("before", "Before the Claim")] if scene.sides[3] == "B" else []
    names.append(("claim", "Claim"))
    names += [("after", "After the Claim")] if scene.sides[2] == "B" else []
    names += [("collect", "Collect")] if scene.sides[0] == "A" else []
    return [(words, name == now) for name, words in names]


def card_words(scene: Scene, card: Card) -> str:
    """Return a card in words: its type, its value if it is known, and who else has seen one that is not public."""
    name = KIND_NAMES[card.kind]
    if card.is_public:
        return f"{name} {card.value}"
    watchers = " and ".join(short_name(scene, seat) for seat in card.seen_by)
    known = f"{name} {card.value}, face-down" if card.value else f"{name} of hidden value"
    return known + (f", seen by {watchers}" if watchers else "")


def headline(scene: Scene) -> str:
    """Return the whole scene in words, for readers who cannot see the picture."""
    asked = question(scene)
    asked = f": {asked}" + "." * (not asked.endswith("?")) if asked else "."
    crypt = ", ".join(card_words(scene, slot.card) for slot in scene.slots if slot.card is not None)
    return (
        f"Crypt, {counted(scene.players, 'player')}, Collectors {scene.sides}, "
        f"round {scene.round} of {scene.rounds}. {title(scene)}{asked} In the Crypt: {crypt or 'nothing'}."
    )
