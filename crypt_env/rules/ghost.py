"""Chapter 5 of the rules: the Only Child's opponent."""

from __future__ import annotations

from functools import lru_cache
from itertools import product

import numpy as np

from .actions import DICE, EFFORTS
from .cards import CARDS, VALUES
from .claim import effort_on, is_lights_out, place_dice
from .compiled import int64, part, rule
from .state import GHOST

# [face-down, card]: twice what a card counts for in the arrangement; a face-down one counts for 2.5 coins.
RANKS = np.array([[2 * (card % VALUES + 1) for card in range(CARDS)], [5] * CARDS], np.int8)


@lru_cache
def _groups(dice: tuple[int, ...]) -> list[tuple[int, int]]:
    """Join equal dice; return the groups as (count, face), most worth first, of equal worth more dice first."""
    groups = [(dice.count(face), face) for face in set(dice) - {0}]
    groups.sort(key=lambda group: (group[0] * group[1], group[0]), reverse=True)
    return groups + [(0, 0)] * (DICE - len(groups))


# [first, second, third die, group, 2]: count and face of each group; a die that is not rolled is 0.
_GROUPS = np.array(
    [_groups(tuple(sorted(dice))) for dice in product(range(EFFORTS + 1), repeat=DICE)], np.int8
).reshape((EFFORTS + 1,) * DICE + (DICE, 2))


@rule
def _rank(game: np.record, slot: int) -> int:
    """Return how far to the left a card belongs."""
    return int64(RANKS[int64(game.down[slot] >= 0), game.card[slot]])


@part
def arrange(game: np.record) -> None:
    """Put the Crypt's cards in order, the most valuable first; of equal cards the first drawn goes left.

    `laid_order` gives the same order, for Python; tests/rules/test_ghost.py compares the two for all Crypts.
    """
    for slot in range(1, int64(game.slots)):
        left = slot
        while left > 0 and _rank(game, left - 1) < _rank(game, left):
            game.card[left - 1], game.card[left] = game.card[left], game.card[left - 1]
            game.down[left - 1], game.down[left] = game.down[left], game.down[left - 1]
            left -= 1


def laid_order(cards: np.ndarray, is_down: np.ndarray, slots: np.ndarray | int) -> np.ndarray:
    """Return which of the cards drawn for a round is in each slot, as `arrange` puts them. [N, slots]

    Args:
        cards: in the order drawn, [N, slots].
        is_down: whether each is face-down.
        slots: how many there are, [N, 1]; entries beyond stay in place.
    """
    ranks = np.where(np.arange(cards.shape[1]) < slots, RANKS[is_down.astype(np.int8), cards], -1)
    return np.argsort(-ranks, axis=1, kind="stable")


@rule
def dice_to_roll(game: np.record) -> int:
    """Return how many dice the Ghost rolls in this turn."""
    return int64(game.ghost_pushed) if is_lights_out(game) else DICE


@part
def _place_group(game: np.record, count: int, effort: int) -> None:
    """Place a group on the leftmost card that it can have; it is set aside if there is none."""
    for slot in range(int64(game.slots)):
        if game.card[slot] >= 0 and game.holder[slot] != GHOST and effort_on(game, slot) < count * effort:
            place_dice(game, GHOST, slot, count, effort)
            return


@part
def settle_ghost_roll(game: np.record) -> None:
    """Place the groups of the rolled dice; on the Lights Out turn only the first of them."""
    dice = dice_to_roll(game)
    second = int64(game.rolled[1]) if dice > 1 else 0
    third = int64(game.rolled[2]) if dice > 2 else 0
    groups = 1 if is_lights_out(game) else dice
    if is_lights_out(game):
        game.ghost_pushed = 0
    for group in range(groups):
        count = int64(_GROUPS[game.rolled[0], second, third, group, 0])
        if count > 0:
            _place_group(game, count, int64(_GROUPS[game.rolled[0], second, third, group, 1]))
