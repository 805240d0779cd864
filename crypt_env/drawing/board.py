"""The picture of a table: everything that changes during a game, drawn over the `ground`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from crypt_env.errors import counted
from crypt_env.rules.cards import KIND_NAMES, KINDS, VALUES

from .ground import KEYSTONE_WIDTH, collector, ground, keystone, legend
from .pieces import (
    CARD_HEIGHT,
    CARD_WIDTH,
    CHIP_HEIGHT,
    CHIP_WIDTH,
    badge,
    card,
    chip,
    die,
    exhausted_die,
    plate,
    ready_die,
)
from .plan import (
    DECK_WIDTH,
    HEAD_WIDTH,
    HEADER_TOP,
    HEIGHT,
    INSIDE,
    LEDGE_HEIGHT,
    MARGIN,
    SMALL,
    WIDTH,
    Plan,
    plan_of,
)
from .shapes import Put, Sprite, Text, fitting, text_width
from .sheet import sheet_items
from .symbols import put_symbol, tinted
from .themes import GHOST
from .words import ENDED, ROLLING, card_words, ghost_words, question, short_name, steps, subject, title, whose_eyes

if TYPE_CHECKING:
    from .scene import Card, Scene, Seat, Slot

Items: TypeAlias = Iterator[Put | Text]

_CHIPS_IN_A_LINE = 4
_NOTE_HEIGHT = 24


def picture_of(scene: Scene) -> Sprite:
    """Return the picture of a scene: sprites and texts."""
    plan = plan_of(len(scene.seats), len(scene.slots))
    items: list[Put | Text] = [Put(ground(plan, scene.players == 1, scene.ending is None), 0, 0)]
    items += _header(scene)
    if scene.ending is None:
        items += _deck(scene, plan)
        for number in range(len(scene.slots)):
            items += _slot(scene, plan, number)
    else:
        items += sheet_items(scene, plan)
    items += _head_of_rows(scene, plan)
    for place in range(len(scene.seats)):
        items += _row(scene, plan, place)
    items += _pool(scene, plan)
    return Sprite(WIDTH, HEIGHT, tuple(items))


def _header(scene: Scene) -> Items:
    """Yield the round, the deciding seat, the question, and the phase."""
    words = f"Round {scene.round} of {scene.rounds}"
    yield Text(MARGIN + 4, HEADER_TOP + 77, words, 22, "ink")
    left = MARGIN + 8 + text_width(words, 22)
    step = (HEAD_WIDTH - 22 - left + MARGIN) / scene.rounds
    for number in range(scene.rounds):
        colour = "accent" if number < scene.round else "panel_edge"
        yield Put(plate(step - 3, 14, colour, radius=3), left + number * step, HEADER_TOP + 63)
    x, y = MARGIN + HEAD_WIDTH, HEADER_TOP
    yield _sign(scene, x + 43, y + 42)
    yield Text(x + 88, y + 37, title(scene), 29, "ink", "start", True)
    yield Text(x + 88, y + 68, question(scene), fitting(question(scene), 22, INSIDE - HEAD_WIDTH - 100), "muted")
    yield from _steps(scene, WIDTH - MARGIN - 12, y + 10)


def _sign(scene: Scene, x: float, y: float) -> Put:
    """Return the sign of the deciding seat; a crown at the end, a die while dice are rolled."""
    if scene.phase == ENDED and scene.players > 1:
        return put_symbol(tinted("crown", "gold", "gold_dark", "gold_light"), x, y, 56)
    if scene.phase == ROLLING:
        return put_symbol(tinted("die0", "spent", "muted"), x, y, 52)
    seat = scene.seats[scene.mover or 0]
    return put_symbol(badge(seat.owner, seat.label), x, y, 58)


def _steps(scene: Scene, right: float, top: float) -> Items:
    """Yield the phases of a round, the current one marked."""
    for words, is_now in reversed(steps(scene)):
        width = round(text_width(words, SMALL, is_bold=True) + 20)
        right -= width
        colour, ink = ("accent", "panel") if is_now else ("page", "muted")
        yield Put(plate(width, 32, colour, radius=16), right, top)
        yield Text(right + width / 2, top + 23, words, SMALL, ink, "middle", True)
        right -= 8


# -- the Crypt --------------------------------------------------------------------------------------------------------


def _deck(scene: Scene, plan: Plan) -> Items:
    """Yield the deck: the back of its top card and how many cards it has."""
    count = sum(scene.deck)
    scale = min(plan.card_scale, 0.86)
    middle = MARGIN + 6 + DECK_WIDTH / 2
    top = plan.crypt_top + (plan.crypt_height - CARD_HEIGHT * scale - 68) / 2
    if scene.top is not None:
        words = f"Deck: {counted(count, 'card')}, {KIND_NAMES[scene.top]} on top"
        for layer in range(min(3, (count - 1) // 4), -1, -1):
            left = middle - CARD_WIDTH * scale / 2 + 5 * layer - 7
            yield Put(card(scene.top, 0, True), left, top + 5 * layer, scale, words)
    words = f"Deck: {counted(count, 'card')}" if count else "Deck: empty"
    top += CARD_HEIGHT * scale + 32
    yield Put(plate(158, 34, "ledge", "niche_edge", 2.5, 8), middle - 79, top)
    yield Text(middle, top + 24, words, fitting(words, SMALL, 146), "wall_ink", "middle")


def _slot(scene: Scene, plan: Plan, number: int) -> Items:
    """Yield the card in a slot, the dice on it, and who takes it."""
    slot = scene.slots[number]
    middle, top, scale = plan.slot_middle(number), plan.card_top, plan.card_scale
    if slot.is_closed:
        yield Put(keystone(number, True), middle - KEYSTONE_WIDTH / 2, plan.crypt_top + 2, 1, "passed in this turn")
    if slot.card is not None:
        left = middle - CARD_WIDTH * scale / 2
        shown = card(slot.card.kind, slot.card.value, not slot.card.is_public)
        yield Put(shown, left, top, scale, card_words(scene, slot.card))
        yield from _watchers(scene, slot.card, left + CARD_WIDTH * scale - 5, top + 5)
    if scene.taking == number and scene.taker is not None:
        yield from _taken(scene, plan, number, scene.taker)
    yield from _dice(scene, plan, slot, middle)


def _watchers(scene: Scene, shown: Card, right: float, top: float) -> Items:
    """Yield who has seen a face-down card: an eye, and below it the signs of seats."""
    if not shown.seen_by:
        return
    yield Put(plate(32, 30 + 29 * len(shown.seen_by), "face", "face_edge", 2, 8), right - 32, top)
    yield put_symbol(tinted("eye", "face_ink", "face_ink", "face"), right - 16, top + 15, 23)
    for place, number in enumerate(shown.seen_by):
        seat = scene.seats[number]
        yield put_symbol(badge(seat.owner, seat.label), right - 16, top + 42 + 29 * place, 24)


def _taken(scene: Scene, plan: Plan, number: int, taker: int) -> Items:
    """Yield who takes a card, in place of its dice."""
    width = plan.slot_width - 22
    left, top = plan.slot_middle(number) - width / 2, plan.ledge_top + (LEDGE_HEIGHT - 44) / 2
    words = "you take it" if short_name(scene, taker) == "you" else "takes it"
    seat = scene.seats[taker]
    yield Put(plate(width, 44, "panel", "accent", 3, 9), left, top)
    yield put_symbol(badge(seat.owner, seat.label), left + 22, top + 22, 30)
    yield Text(left + width / 2 + 16, top + 29, words, fitting(words, SMALL, width - 52), "ink", "middle")


def _dice(scene: Scene, plan: Plan, slot: Slot, middle: float) -> Items:
    """Yield the dice on a card, their owner and their total."""
    if slot.dice is None:
        return
    seat = scene.seats[slot.dice.seat]
    is_failed = scene.phase == "collect"
    size, top = 36, plan.ledge_top
    left = middle - (slot.dice.number * (size + 5) - 5) / 2
    for place in range(slot.dice.number):
        yield Put(die(seat.owner, slot.dice.effort, is_failed), left + place * (size + 5), top + 4, size / 100)
    end = "failed" if is_failed else f"total {slot.dice.number * slot.dice.effort}"
    words = f"{short_name(scene, slot.dice.seat)}: {end}"
    yield Text(middle, top + 58, words, fitting(words, SMALL, plan.slot_width - 18), "wall_ink", "middle")


# -- the rows ---------------------------------------------------------------------------------------------------------


def _head_of_rows(scene: Scene, plan: Plan) -> Items:
    """Yield the viewer, the legend, and the Collectors as column heads."""
    yield Text(MARGIN + 4, plan.matrix_top + 21, whose_eyes(scene), 23, "ink", "start", True)
    yield Put(legend(), MARGIN + 4, plan.matrix_top + 32)
    for kind, side in enumerate(scene.sides):
        head = collector(kind, "AB".index(side), plan.column_width - 6)
        yield Put(head, plan.column_left(kind) + 3, plan.matrix_top)


def _row(scene: Scene, plan: Plan, place: int) -> Items:
    """Yield a seat: its sign, name, torches, dice and collection."""
    seat, top, height = scene.seats[place], plan.row_top(place), plan.row_height
    if place == scene.mover:
        yield Put(plate(HEAD_WIDTH, height, "panel_mover", "accent", 4, 9), MARGIN, top)
    yield put_symbol(badge(seat.owner, seat.label), MARGIN + 42, top + height / 2, 58)
    left = MARGIN + 80
    yield Text(left, top + height / 2 - 14, subject(scene, place), 25, "ink", "start", True)
    yield from _torches(scene, place, MARGIN + HEAD_WIDTH - 8, top + height / 2 - 22)
    yield from _own_dice(scene, place, left, top + height / 2 - 2)
    if seat.owner == GHOST:
        yield Text(plan.column_left(0) + 20, top + height / 2 + 8, ghost_words(scene), 22, "muted")
        return
    for kind in range(KINDS):
        yield from _collected(scene, seat, plan, kind, top)


def _torches(scene: Scene, place: int, right: float, middle: float) -> Items:
    """Yield the Torch cards of a seat, from right to left."""
    held = [("lights_out", "Lights Out")] * (place == scene.lights_out) + [("torch", "Leader")] * (
        place == scene.leader
    )
    for number, (name, words) in enumerate(held):
        yield put_symbol(tinted(name, "ink"), right - 18 - 30 * number, middle, 42, words)


def _own_dice(scene: Scene, place: int, left: float, top: float) -> Items:
    """Yield the dice of a seat that are on no card."""
    seat = scene.seats[place]
    shown = [ready_die(seat.owner)] * seat.ready + [exhausted_die(seat.owner)] * seat.exhausted
    for number, sprite in enumerate(shown):
        yield Put(sprite, left + number * 42, top, 0.37, "ready" if number < seat.ready else "exhausted")


def _collected(scene: Scene, seat: Seat, plan: Plan, kind: int, top: float) -> Items:
    """Yield the cards of a type that a seat has collected, smaller if there are many."""
    cards = seat.collection[kind]
    lines = [cards[start : start + _CHIPS_IN_A_LINE] for start in range(0, len(cards), _CHIPS_IN_A_LINE)]
    note = _NOTE_HEIGHT if seat.flipped[kind] or (kind == 0 and seat.idol_bonus) else 0
    scale = min(1.0, (plan.row_height - 6 - note) / (max(1, len(lines)) * (CHIP_HEIGHT + 2)))
    step_x, step_y = (CHIP_WIDTH + 4) * scale, (CHIP_HEIGHT + 2) * scale
    upper = top + (plan.row_height - len(lines) * step_y - note) / 2 + 1
    for line, chips in enumerate(lines):
        left = plan.column_left(kind) + (plan.column_width - len(chips) * step_x + 4 * scale) / 2
        for place, shown in enumerate(chips):
            sprite, words = chip(kind, shown.value, shown.is_public), card_words(scene, shown)
            yield Put(sprite, left + place * step_x, upper + line * step_y, scale, words)
    if note:
        yield from _note(seat, kind, plan, upper + len(lines) * step_y)


def _note(seat: Seat, kind: int, plan: Plan, top: float) -> Items:
    """Yield how many cards of a type are flipped, and the bonus of Idol B."""
    words = [f"{seat.flipped[kind]} flipped"] * bool(seat.flipped[kind])
    words += [f"+{seat.idol_bonus}"] * (kind == 0 and bool(seat.idol_bonus))
    text = ", ".join(words)
    middle = plan.column_left(kind) + plan.column_width / 2
    size = fitting(text, SMALL, plan.column_width - 34)
    width = text_width(text, size)
    if seat.flipped[kind]:
        yield put_symbol(tinted("flipped", "muted"), middle - width / 2 - 4, top + 9, 21)
        middle += 10
    yield Text(middle, top + 17, text, size, "muted", "middle")


def _pool(scene: Scene, plan: Plan) -> Items:
    """Yield what is left in the deck by type, and the values that have not been seen."""
    top = plan.pool_top
    yield Text(MARGIN + 12, top + 25, "Left in the deck", SMALL, "ink")
    yield Text(MARGIN + 12, top + 48, "Values not seen" if scene.is_seat else "Values not public", SMALL, "muted")
    for kind in range(KINDS):
        middle = plan.column_left(kind) + plan.column_width / 2
        counts = scene.unseen[kind * VALUES : (kind + 1) * VALUES]
        values = " ".join(str(value + 1) for value, count in enumerate(counts) for _ in range(count)) or "-"
        yield Text(middle, top + 25, str(scene.deck[kind]), SMALL, "ink", "middle", True)
        yield Text(middle, top + 48, values, SMALL, "muted", "middle")
