"""The Ghost as a player: the Only Child's opponent, at any table and within the rules of a seat.

In its Claim turn it rolls all its available dice, joins equal results into groups worth their sum, and places them in
order of worth; among equals the group with more dice goes first. Each group goes to the best card that is unoccupied or
on which an opponent's total is strictly lower: known values count in full, a card of unknown value 2.5; the leftmost
wins ties. A group that fits nowhere is set aside; on the Lights Out turn all but the first are. Unlike the Ghost it
exhausts dice, collects cards, and rolls all its dice on the Lights Out turn too, not only those that were pushed off.

It recovers when it has no dice ready or none of its groups fits. It never peeks, revives, takes or re-rolls: the Ghost
plays no Collectors. So it is never asked which card it flips, unless it takes over a game from another player; then it
reveals as little as possible (`reading.least_telling_flip`).

A turn is a sequence of placements, slots in increasing order, each with new random bits. So the whole turn is planned
at its first decision, and the plan is kept in the agent's memory: for each slot the placement to make there, 0 for
none. If a turn has begun without a plan, the remaining dice are rolled.
"""

from __future__ import annotations

import numpy as np

from crypt_env.rules.actions import DICE, DONE, EFFORTS, PLACES, RECOVER
from crypt_env.rules.cards import MAX_SLOTS
from crypt_env.rules.chance import following, scaled
from crypt_env.rules.compiled import entry, int64, rule
from crypt_env.rules.ghost import RANKS
from crypt_env.rules.state import CLAIM

from .base import CompiledAgent, fits
from .reading import AT, effort_in, holder_of, kind_in, kind_to_flip, least_telling_flip, player_count, slot_count

_PHASE, _LIGHTS_OUT, _SLOTS_PASSED = AT["phase"], AT["lights_out"], AT["slots_passed"]
_SLOT_VALUE, _READY = AT["slot_value"], AT["ready"]


@rule
def roll(bits: np.uint64, dice: int) -> int:
    """Return how many dice show each face: the count of face V is ``(result >> 2 * V) & 3``."""
    counts = 0
    for _ in range(dice):
        bits = following(bits)
        counts += 1 << 2 * (scaled(bits, int64(EFFORTS)) + 1)
    return counts


@rule
def _rank(observation: np.ndarray, slot: int) -> int:
    """Return what a card counts for in the Ghost's order."""
    value = int64(observation[_SLOT_VALUE + slot])
    return int64(RANKS[int64(value == 0), max(value - 1, 0)])  # the type makes no difference


@rule
def _best_slot(observation: np.ndarray, worth: int, plan: np.ndarray) -> int:
    """Return the slot of the best card that a group can claim, or -1."""
    best, chosen = 0, -1
    for slot in range(int64(observation[_SLOTS_PASSED]), slot_count(player_count(observation))):
        is_free = kind_in(observation, slot) >= 0 and holder_of(observation, slot) != 0 and plan[slot] == 0
        if is_free and effort_in(observation, slot) < worth and _rank(observation, slot) > best:
            best, chosen = _rank(observation, slot), slot
    return chosen


@rule
def plan_turn(observation: np.ndarray, counts: int, plan: np.ndarray) -> None:
    """Write for each slot the placement of the rolled dice there, 0 for none. ``plan`` is [MAX_SLOTS]."""
    plan[:] = 0
    for worth in range(DICE * EFFORTS, 0, -1):
        for count in range(DICE, 0, -1):
            face = worth // count
            if face > EFFORTS or face * count != worth or (counts >> 2 * face) & 3 != count:
                continue
            slot = _best_slot(observation, worth, plan)
            if slot >= 0:
                plan[slot] = (count - 1) * EFFORTS + face
            if observation[_LIGHTS_OUT] != 0:
                return


@rule
def ghost_action(observation: np.ndarray, mask: np.ndarray, bits: np.uint64, plan: np.ndarray) -> int:
    """Choose an action for one decision. ``plan`` is the memory, float32 [MAX_SLOTS], changed in place."""
    kind = kind_to_flip(observation)
    if kind >= 0:
        return least_telling_flip(observation, mask, kind)
    if observation[_PHASE + CLAIM] == 0:
        return DONE
    passed = int64(observation[_SLOTS_PASSED])
    if passed == 0 or not plan.any():
        plan_turn(observation, roll(bits, int64(observation[_READY])), plan)
    for slot in range(passed, MAX_SLOTS):
        if plan[slot] > 0:
            return slot * PLACES + int64(plan[slot]) - 1
    return DONE if mask[DONE] else RECOVER


@entry
def ghost_rows(
    observations: np.ndarray, masks: np.ndarray, bits: np.ndarray, plans: np.ndarray, actions: np.ndarray
) -> bool:
    """Choose an action for each decision; into ``actions``, int64 [n]. Return whether the arrays fit."""
    if not fits(observations, masks, bits, actions) or plans.shape != (len(actions), MAX_SLOTS):
        return False
    for index in range(len(actions)):
        actions[index] = ghost_action(observations[index], masks[index], bits[index], plans[index])
    return True


class GhostAgent(CompiledAgent):
    """Plays by the Ghost's rule."""

    name = "ghost"
    memory_size = MAX_SLOTS
    rows = staticmethod(ghost_rows)
