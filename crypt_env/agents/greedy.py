"""The greedy agent: a heuristic simple enough for a beginner.

Everything is estimated in coins, from what is visible on the table:

* A card is worth its coins, or the average of its type's unseen cards; what it earns at once with its Collector; and
  its share of what the Collector pays for a whole set, as long as the set can still be completed (`collector_coins`).
* Claimed cards may be lost to opponents who still move and have dice ready: the more effort a card has, the less
  likely (`chance_to_keep`).
* Each die that may exhaust costs its chance to do so, (effort - 1) / 6, times what a die is worth (`price_of_die`).
* Recovering is worth that price for each exhausted die.

It places the dice to maximize the sum, or recovers where that is worth more. It never waits for something better: it
peeks, revives and re-rolls whenever it may, and takes a face-down card where that is worth more than two coins. It
answers a take with a peek only if that shows a card that stays. Asked which card to flip, it reveals as little as
possible: the card that most others have seen, then the one closest to what they expect (`reading.least_telling_flip`).
"""

from __future__ import annotations

import numpy as np

from crypt_env.rules.actions import DICE, DONE, EFFORTS, PEEK, PLACES, RECOVER, REROLL, REVIVE, TAKE
from crypt_env.rules.cards import IDOL, JEWELRY, MANUSCRIPT, MAX_PLAYERS, MAX_SLOTS, POTTERY, REMAINS, TAPESTRY
from crypt_env.rules.compiled import entry, int64, rule
from crypt_env.rules.state import CLAIM, SIDE_A

from .base import CompiledAgent, fits
from .reading import (
    AT,
    cards_held,
    coins_held,
    coins_in,
    highest_held,
    holder_of,
    kind_in,
    kind_to_flip,
    least_telling_flip,
    most_ready_after,
    peek_shows_more,
    player_count,
    slot_count,
    turn_number,
)

_SIDES, _ROUNDS_LEFT, _PHASE = AT["sides"], AT["rounds_left"], AT["phase"]
_LIGHTS_OUT, _SLOTS_PASSED, _GHOST_PUSHED = AT["lights_out"], AT["slots_passed"], AT["ghost_pushed"]
_DECK_TYPES, _SLOT_DICE, _READY, _EXHAUSTED = AT["deck_types"], AT["slot_dice"], AT["ready"], AT["exhausted"]
_IDOL_BONUS, _IDOL_NOW = AT["idol_bonus"], AT["idol_now"]

_NEVER = -1e9
_TOP_VALUE = 4.0
_WORTH_TAKING = 2.0
_SPARED = 0.5
_GHOST_DICE = int64(DICE)

# [cards held]: what one more Pottery adds on side A, counting a first one as half a pair.
_POTTERY_STEPS = np.array([1.0, 1.5, 2.0, 4.0, 0.0])


# -- what a card is worth ---------------------------------------------------------------------------------------------


@rule
def _share_of_set(observation: np.ndarray, kind: int, size: int, coins: float) -> float:
    """Return an even share of what a set pays, as long as it is not complete and enough of its cards may still come."""
    held = cards_held(observation, int64(0), kind)
    can_come = 1 + int64(observation[_DECK_TYPES + kind])
    return coins / size if held < size <= held + can_come else 0.0


@rule
def _idol_coins(observation: np.ndarray) -> float:
    """Return what an Idol adds: a re-roll saves half a die; or half of five coins, two if another seat was first."""
    if observation[_SIDES + IDOL] == SIDE_A:
        return 0.5
    is_gone = False
    for place in range(1, MAX_PLAYERS):
        is_gone = is_gone or (observation[_IDOL_BONUS + place] != 0 and observation[_IDOL_NOW] == 0)
    return _share_of_set(observation, IDOL, int64(2), 2.0 if is_gone else 5.0)


@rule
def _jewelry_coins(observation: np.ndarray, coins: float) -> float:
    """Return what Jewelry adds: one coin each; or what the highest one, which scores twice, gains."""
    if observation[_SIDES + JEWELRY] != SIDE_A:
        return 1.0
    held = cards_held(observation, int64(0), JEWELRY)
    highest = float(highest_held(observation, int64(0), JEWELRY))
    if held == 0:
        return coins / 2
    return max(coins, highest) if held == 1 else max(0.0, coins - highest)


@rule
def _manuscript_coins(observation: np.ndarray, coins: float) -> float:
    """Return what a Manuscript adds: what it lacks of four coins, and a second one also lifts the first; or a peek."""
    if observation[_SIDES + MANUSCRIPT] != SIDE_A:
        return 0.5
    held = cards_held(observation, int64(0), MANUSCRIPT)
    if held == 0:
        return (_TOP_VALUE - coins) / 2
    first = _TOP_VALUE - coins_held(observation, int64(0), MANUSCRIPT) if held == 1 else 0.0
    return _TOP_VALUE - coins + first


@rule
def _pottery_coins(observation: np.ndarray) -> float:
    """Return what Pottery adds: its step on the scale; or half a card, unless the game is about to end."""
    if observation[_SIDES + POTTERY] != SIDE_A:
        return 1.0 if observation[_ROUNDS_LEFT] > 0 else 0.0
    return float(_POTTERY_STEPS[min(cards_held(observation, int64(0), POTTERY), 4)])


@rule
def _tapestry_coins(observation: np.ndarray, players: int, coins: float) -> float:
    """Return what a Tapestry adds: five coins for the lead, spread over two cards; or a third of seven coins."""
    if observation[_SIDES + TAPESTRY] != SIDE_A:
        return _share_of_set(observation, TAPESTRY, int64(3), 7.0)
    own, best = coins_held(observation, int64(0), TAPESTRY), 0.0
    for place in range(1, players):
        best = max(best, coins_held(observation, place, TAPESTRY))
    if players == 1:
        return 5.0 if own == 0 else 0.0
    return 2.5 if own <= best + 2 and own + coins >= best else 0.0


@rule
def collector_coins(observation: np.ndarray, players: int, kind: int, coins: float) -> float:
    """Return what the Collector of a type adds for one more card with these coins on it."""
    if kind == IDOL:
        return _idol_coins(observation)
    if kind == JEWELRY:
        return _jewelry_coins(observation, coins)
    if kind == MANUSCRIPT:
        return _manuscript_coins(observation, coins)
    if kind == POTTERY:
        return _pottery_coins(observation)
    if kind == TAPESTRY:
        return _tapestry_coins(observation, players, coins)
    return 0.5 if observation[_SIDES + REMAINS] == SIDE_A else _share_of_set(observation, REMAINS, int64(4), 10.0)


@rule
def worth_of_card(observation: np.ndarray, players: int, slot: int) -> float:
    """Return what the card in a slot is worth: its coins and what its Collector adds."""
    kind = kind_in(observation, slot)
    coins = coins_in(observation, slot, kind)
    return coins + collector_coins(observation, players, kind, coins)


# -- what it costs ----------------------------------------------------------------------------------------------------


@rule
def price_of_die(observation: np.ndarray) -> float:
    """Return the worth of a die that is not exhausted: one coin at the end, more while it can still claim cards."""
    return 1.0 if observation[_ROUNDS_LEFT] == 0 else 2.0


@rule
def threatening_dice(observation: np.ndarray, players: int, turn: int, slot: int) -> int:
    """Return how many dice an opponent still to move could place on a slot; dice that are pushed off come back."""
    if players == 1:
        pushed = int64(observation[_GHOST_PUSHED]) + int64(observation[_SLOT_DICE + slot])
        return _GHOST_DICE if turn == 0 else (pushed if turn == 1 else 0)
    dice = most_ready_after(observation, players, turn)
    return min(dice + int64(observation[_SLOT_DICE + slot]), DICE) if players == 2 and turn == 1 else dice


@rule
def opponents_to_come(players: int, turn: int) -> int:
    """Return how many opponents' turns remain in this Claim."""
    return int64(turn < 2) if players <= 2 else players - 1 - turn


@rule
def chance_to_keep(total: int, dice: int, opponents: int) -> float:
    """Return the probability of not being pushed off by opponents with this many dice; 1 if they cannot beat the total.

    Otherwise each of them leaves the card alone half of the time, more often if its total is close to their maximum.
    """
    most = EFFORTS * dice
    if total >= most:
        return 1.0
    chance = 1.0
    for _ in range(opponents):
        chance *= _SPARED + (1.0 - _SPARED) * total / most
    return chance


# -- the Claim turn ---------------------------------------------------------------------------------------------------


@rule
def _best_way(
    mask: np.ndarray,
    slot: int,
    count: int,
    worth: float,
    threat: int,
    opponents: int,
    price: float,
    bits: np.uint64,
) -> tuple[float, int]:
    """Return the coins of the best effort for some dice on a slot, and that action; the bits break ties."""
    best, chosen = _NEVER, -1
    for effort in range(1, EFFORTS + 1):
        action = slot * PLACES + (count - 1) * EFFORTS + effort - 1
        if not mask[action]:
            continue
        coins = chance_to_keep(count * effort, threat, opponents) * worth - price * count * (effort - 1) / EFFORTS
        is_drawn = coins == best and (bits >> np.uint64(action % 64)) & np.uint64(1) != 0
        if coins > best or is_drawn:
            best, chosen = coins, action
    return best, chosen


@rule
def _best_placement(observation: np.ndarray, mask: np.ndarray, players: int, bits: np.uint64) -> tuple[float, int]:
    """Return the coins of the best way to spread the dice, and its first placement; -1 if nothing can be placed.

    Goes from the last slot to the first: ``later_n`` is what n dice can earn on later slots; 0 after Lights Out.
    """
    turn = turn_number(observation, players)
    opponents = opponents_to_come(players, turn)
    price = price_of_die(observation)
    ready = int64(observation[_READY])
    later_1, later_2 = 0.0, 0.0
    best, chosen = _NEVER, -1
    for slot in range(slot_count(players) - 1, int64(observation[_SLOTS_PASSED]) - 1, -1):
        if kind_in(observation, slot) < 0 or holder_of(observation, slot) == 0:
            continue
        worth = worth_of_card(observation, players, slot)
        threat = threatening_dice(observation, players, turn, slot)
        one, way_1 = _best_way(mask, slot, int64(1), worth, threat, opponents, price, bits)
        two, way_2 = _best_way(mask, slot, int64(2), worth, threat, opponents, price, bits)
        three, way_3 = _best_way(mask, slot, int64(3), worth, threat, opponents, price, bits)
        with_one = one + (0.0 if ready == 1 else (later_1 if ready == 2 else later_2))
        with_two = two + (later_1 if ready == 3 else 0.0)
        if with_one > best:
            best, chosen = with_one, way_1
        if with_two > best:
            best, chosen = with_two, way_2
        if three > best:
            best, chosen = three, way_3
        if observation[_LIGHTS_OUT] == 0:
            later_2 = max(later_2, one + later_1, two)
            later_1 = max(later_1, one)
    return best, chosen


@rule
def _claim_action(observation: np.ndarray, mask: np.ndarray, bits: np.uint64) -> int:
    """Choose in a Claim turn."""
    if mask[PEEK]:
        return PEEK
    if mask[REVIVE]:
        return REVIVE
    best, chosen = _best_placement(observation, mask, player_count(observation), bits)
    if mask[DONE]:
        return chosen if best > 0.0 else DONE
    recovered = price_of_die(observation) * int64(observation[_EXHAUSTED])
    return chosen if best > recovered else RECOVER


# -- windows ----------------------------------------------------------------------------------------------------------


@rule
def _window_action(observation: np.ndarray, mask: np.ndarray) -> int:
    """Choose in a window: peek first, take the best face-down card, re-roll the likeliest die, otherwise be done."""
    if mask[PEEK] and peek_shows_more(observation):
        return PEEK
    for effort in range(2, EFFORTS + 1):
        if mask[REROLL + effort - 2]:
            return REROLL + effort - 2
    players = player_count(observation)
    best, chosen = _WORTH_TAKING if observation[_ROUNDS_LEFT] > 0 else 0.0, DONE
    for slot in range(MAX_SLOTS):
        if mask[TAKE + slot]:
            worth = worth_of_card(observation, players, slot)
            if worth > best:
                best, chosen = worth, TAKE + slot
    return chosen


@rule
def greedy_action(observation: np.ndarray, mask: np.ndarray, bits: np.uint64) -> int:
    """Choose an action for one decision; the 64 random bits break ties between efforts."""
    kind = kind_to_flip(observation)
    if kind >= 0:
        return least_telling_flip(observation, mask, kind)
    if observation[_PHASE + CLAIM] != 0:
        return _claim_action(observation, mask, bits)
    return _window_action(observation, mask)


@entry
def greedy_rows(observations: np.ndarray, masks: np.ndarray, bits: np.ndarray, actions: np.ndarray) -> bool:
    """Choose an action for each decision; into ``actions``, int64 [n]. Return whether the arrays fit."""
    if not fits(observations, masks, bits, actions):
        return False
    for index in range(len(actions)):
        actions[index] = greedy_action(observations[index], masks[index], bits[index])
    return True


class GreedyAgent(CompiledAgent):
    """Plays what seems to earn the most coins in this turn."""

    name = "greedy"
    rows = staticmethod(greedy_rows)
