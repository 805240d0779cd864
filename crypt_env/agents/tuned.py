"""The tuned agent: rates every plan of a turn by a sum of table entries in coins, with optimized weights.

In a Claim turn it considers all ways to spread its dice over the cards, adds up for each card

    chance to keep it x worth of it - price of the dice that may exhaust - price of pushing another player off

and adds the worth of the dice that stay ready. It plays the first placement of the best plan, or recovers if that is
worth more; asked again within its turn it finds the rest of the same plan. As a plan's worth is a sum over its cards,
the best one is found slot by slot, from the last to the first. It is fast enough for playouts within a search.

It answers a take with a peek only if that shows a card that stays. Asked which card to flip, it reveals as little as
possible: the card that most others have seen, then the one closest to what they expect (`reading.least_telling_flip`).
"""

from __future__ import annotations

import numpy as np

from crypt_env.rules.actions import DICE, DONE, EFFORTS, PEEK, PLACES, RECOVER, REROLL, REVIVE, TAKE
from crypt_env.rules.cards import IDOL, JEWELRY, KINDS, MANUSCRIPT, MAX_PLAYERS, MAX_SLOTS, POTTERY, REMAINS, TAPESTRY
from crypt_env.rules.compiled import entry, int64, rule
from crypt_env.rules.state import AFTER_CLAIM, CLAIM

from .base import CompiledAgent, fits
from .reading import (
    AT,
    NO_PLAYER,
    cards_held,
    coins_held,
    coins_in,
    effort_in,
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
from .tuned_table import (
    BLOCKS,
    COUNTS,
    HELD,
    IDOL_GONE,
    LEADS,
    LEFT,
    ROUNDS,
    STAGES,
    TABLE_SIZE,
    TOTALS,
    read_weights,
    table_of,
)

_TABLES = np.zeros((MAX_PLAYERS + 1, TABLE_SIZE))
"""By number of players."""
for _players, _weights in read_weights().items():
    _TABLES[_players] = table_of(_weights, _players)

_KEEP, _RISK, _LEFT, _RECOVER = (BLOCKS[name].start for name in ("keep", "risk", "left", "recover"))
_PUSH, _GAIN, _USE, _SHARE, _LEAD = (BLOCKS[name].start for name in ("push", "gain", "use", "share", "lead"))
_DENY, _SHIELD, _TAKE, _REVIVE, _PEEK, _REROLL = (
    BLOCKS[name].start for name in ("deny", "shield", "take", "revive", "peek", "reroll")
)
_SIDES, _ROUNDS_LEFT, _PHASE, _LIGHTS_OUT = AT["sides"], AT["rounds_left"], AT["phase"], AT["lights_out"]
_SLOTS_PASSED, _GHOST_PUSHED, _DECK_TYPES = AT["slots_passed"], AT["ghost_pushed"], AT["deck_types"]
_READY, _EXHAUSTED, _UNFLIPPED = AT["ready"], AT["exhausted"], AT["unflipped"]
_IDOL_BONUS, _IDOL_NOW = AT["idol_bonus"], AT["idol_now"]
_SLOT_DICE = AT["slot_dice"]
_NEVER = -1e9
_TAPESTRY_COINS = 5.0
_TOP_VALUE = 4.0
_HIGH = 2.4


# -- what a card is worth ---------------------------------------------------------------------------------------------


@rule
def _collector(observation: np.ndarray, place: int, kind: int) -> int:
    """Return the row of a Collector in the tables."""
    side = int64(observation[_SIDES + kind])
    if kind == IDOL and side == 1 and observation[_IDOL_NOW] == 0:
        for other in range(MAX_PLAYERS):
            if other != place and observation[_IDOL_BONUS + other] != 0:
                return IDOL_GONE
    return 2 * kind + side


@rule
def _tapestry_lead(observation: np.ndarray, players: int, place: int) -> float:
    """Return by how many coins in Tapestries a player leads the best other one."""
    best = 0.0
    for other in range(players):
        if other != place:
            best = max(best, coins_held(observation, other, TAPESTRY))
    return coins_held(observation, place, TAPESTRY) - best


@rule
def _worth_of_lead(lead: float, left: int, table: np.ndarray) -> float:
    """Return the table's worth of a lead in Tapestries."""
    middle = LEADS // 2
    return float(table[_LEAD + left * LEADS + min(max(int64(np.floor(lead + 0.5)), -middle), middle) + middle])


@rule
def _tapestry_gain(
    observation: np.ndarray, players: int, place: int, coins: float, left: int, table: np.ndarray
) -> float:
    """Return what a Tapestry adds to the worth of the lead, on side A."""
    if players == 1:
        is_first = cards_held(observation, place, TAPESTRY) == 0
        return float(table[_SHARE + 2 * TAPESTRY]) * _TAPESTRY_COINS if is_first else 0.0
    lead = _tapestry_lead(observation, players, place)
    return _worth_of_lead(lead + coins, left, table) - _worth_of_lead(lead, left, table)


@rule
def _bonus(observation: np.ndarray, players: int, place: int, kind: int, coins: float, table: np.ndarray) -> float:
    """Return what a card adds to the expected coins of a player from the Collector of its type."""
    collector = _collector(observation, place, kind)
    left = min(int64(observation[_DECK_TYPES + kind]), LEFT - 1)
    held = min(cards_held(observation, place, kind), HELD - 1)
    use = float(table[_USE + collector * ROUNDS + int64(observation[_ROUNDS_LEFT])])
    if collector == 2 * TAPESTRY:
        return use + _tapestry_gain(observation, players, place, coins, left, table)
    if held > 0 and collector == 2 * JEWELRY:
        highest = float(highest_held(observation, place, kind))
        more = max(coins, highest) if held == 1 else max(0.0, coins - highest)
        return use + float(table[_SHARE + collector]) * more
    if held > 0 and collector == 2 * MANUSCRIPT:
        more = _TOP_VALUE - coins
        if held == 1:
            more += _TOP_VALUE - coins_held(observation, place, kind)
        return use + float(table[_SHARE + collector]) * more
    if (
        collector == 2 * IDOL
        or collector == 2 * MANUSCRIPT + 1
        or collector == 2 * POTTERY + 1
        or collector == 2 * REMAINS
    ):
        held = int64(observation[_UNFLIPPED + place * KINDS + kind])
    return use + float(table[_GAIN + (collector * HELD + held) * LEFT + left])


@rule
def _worth(
    observation: np.ndarray, players: int, turn: int, kind: int, coins: float, holder: int, table: np.ndarray
) -> float:
    """Return what a card is worth to the observer: its coins, its set, and denying it to opponents."""
    worth = coins + _bonus(observation, players, int64(0), kind, coins, table)
    if players == 1:
        return worth
    deny = float(table[_DENY + turn * 2 + int64(holder != NO_PLAYER)])
    if players == 2:
        return worth + deny * (coins + _bonus(observation, players, int64(1), kind, coins, table))
    return worth + deny * coins


# -- the Claim turn ---------------------------------------------------------------------------------------------------


@rule
def _stage(observation: np.ndarray) -> int:
    """Return 0 in the last round, 1 in the last but one, else 2."""
    return min(int64(observation[_ROUNDS_LEFT]), STAGES - 1)


@rule
def _price_of_exhausting(observation: np.ndarray, context: int, table: np.ndarray) -> float:
    """Return the price of exhausting a die in this round."""
    price = float(table[_RISK + context * COUNTS + int64(observation[_EXHAUSTED])])
    if observation[_SIDES + IDOL] == 0 and observation[_UNFLIPPED + IDOL] > 0:
        return price * float(table[_SHIELD])
    return price


@rule
def _keep_row(observation: np.ndarray, players: int, turn: int, slot: int, coins: float) -> int:
    """Return the table index of the probabilities of keeping the card in a slot, which follow by its effort."""
    if players == 1:
        threat = slot if turn == 0 else (int64(observation[_GHOST_PUSHED]) if turn == 1 else 0)
    else:
        threat = most_ready_after(observation, players, turn)
        if players == 2 and turn == 1:
            threat = min(threat + int64(observation[_SLOT_DICE + slot]), DICE)
    return _KEEP + ((turn * COUNTS + threat) * 2 + int64(coins > _HIGH)) * TOTALS


@rule
def _best_effort(count: int, total: int, worth: float, price: float, keep: int, table: np.ndarray) -> tuple[float, int]:
    """Return the worth of the best way to place some dice where a total effort must be exceeded, and that way."""
    best, chosen = _NEVER, 0
    for effort in range(total // count + 1, EFFORTS + 1):
        chance = table[keep + count * effort]
        score = chance * worth - price * count * (effort - 1)
        if score > best:
            best, chosen = score, effort
        if chance >= 1.0:
            break
    return best, (count - 1) * EFFORTS + chosen - 1


@rule
def _best_placement(
    observation: np.ndarray, players: int, turn: int, context: int, ready: int, table: np.ndarray
) -> tuple[float, int]:
    """Return the worth of the best plan that places any dice, and its first placement; -1 if there is none.

    Goes from the last slot to the first: ``rest_n`` is the most that n dice are worth, on later slots or kept ready.
    """
    price = _price_of_exhausting(observation, context, table) / EFFORTS
    rest = _LEFT + (context * 2 + int64(observation[_EXHAUSTED] > 0)) * COUNTS
    rest_0, rest_1, rest_2 = table[rest], table[rest + 1], table[rest + 2]
    best, chosen = _NEVER, -1
    for slot in range(slot_count(players) - 1, int64(observation[_SLOTS_PASSED]) - 1, -1):
        kind, holder, total = kind_in(observation, slot), holder_of(observation, slot), effort_in(observation, slot)
        if kind < 0 or holder == 0 or total >= EFFORTS * ready:
            continue
        coins = coins_in(observation, slot, kind)
        worth = _worth(observation, players, turn, kind, coins, holder, table)
        push = float(table[_PUSH + turn * COUNTS + int64(observation[_SLOT_DICE + slot])])
        keep = _keep_row(observation, players, turn, slot, coins)
        one, way = _best_effort(int64(1), total, worth, price, keep, table)
        two, way_2 = _best_effort(int64(2), total, worth, price, keep, table) if ready > 1 else (_NEVER, way)
        three, way_3 = _best_effort(int64(3), total, worth, price, keep, table) if ready > 2 else (_NEVER, way)
        score = one + (rest_0 if ready == 1 else (rest_1 if ready == 2 else rest_2))
        if two + (rest_0 if ready == 2 else rest_1) > score:
            score, way = two + (rest_0 if ready == 2 else rest_1), way_2
        if three + rest_0 > score:
            score, way = three + rest_0, way_3
        if score - push > best:
            best, chosen = score - push, slot * PLACES + way
        if observation[_LIGHTS_OUT] == 0:
            rest_2 = max(rest_2, max(one + rest_1, two + rest_0) - push)
            rest_1 = max(rest_1, one + rest_0 - push)
    return best, chosen


@rule
def _claim_action(observation: np.ndarray, mask: np.ndarray, players: int, table: np.ndarray) -> int:
    """Choose in a Claim turn."""
    turn = turn_number(observation, players)
    context = turn * STAGES + _stage(observation)
    if mask[PEEK] and table[_PEEK + turn] > 0.0:
        return PEEK
    if mask[REVIVE] and table[_REVIVE + context] > 0.0:
        return REVIVE
    ready, exhausted = int64(observation[_READY]), int64(observation[_EXHAUSTED])
    best, chosen = _best_placement(observation, players, turn, context, ready, table)
    if mask[DONE]:
        stay = table[_LEFT + (context * 2 + int64(exhausted > 0)) * COUNTS + ready]
        return chosen if best > stay else DONE
    return chosen if best > table[_RECOVER + (context * COUNTS + ready) * COUNTS + exhausted] else RECOVER


# -- windows ----------------------------------------------------------------------------------------------------------


@rule
def _window_action(observation: np.ndarray, mask: np.ndarray, players: int, table: np.ndarray) -> int:
    """Choose in a window: peek, take the best face-down card, re-roll the likeliest die, or be done."""
    window = int64(observation[_PHASE + AFTER_CLAIM] != 0)
    if mask[PEEK] and peek_shows_more(observation) and table[_PEEK + 4 + window] > 0.0:
        return PEEK
    best, chosen = table[_TAKE + int64(observation[_ROUNDS_LEFT])], DONE
    for slot in range(MAX_SLOTS):
        if mask[TAKE + slot]:
            kind = kind_in(observation, slot)
            coins = coins_in(observation, slot, kind)
            worth = _worth(observation, players, int64(0), kind, coins, NO_PLAYER, table)
            if worth > best:
                best, chosen = worth, TAKE + slot
    for effort in range(2, EFFORTS + 1):
        if mask[REROLL + effort - 2]:
            return REROLL + effort - 2 if table[_REROLL + effort] > 0.0 or observation[_ROUNDS_LEFT] == 0 else DONE
    return chosen


@rule
def weighted_action(observation: np.ndarray, mask: np.ndarray, players: int, table: np.ndarray) -> int:
    """Choose an action with the table of given weights."""
    kind = kind_to_flip(observation)
    if kind >= 0:
        return least_telling_flip(observation, mask, kind)
    if observation[_PHASE + CLAIM] != 0:
        return _claim_action(observation, mask, players, table)
    return _window_action(observation, mask, players, table)


@rule
def tuned_action(observation: np.ndarray, mask: np.ndarray, bits: np.uint64) -> int:
    """Choose an action for one decision. It is deterministic, so ``bits`` do not matter."""
    players = player_count(observation)
    return weighted_action(observation, mask, players, _TABLES[players])


@entry
def tuned_rows(observations: np.ndarray, masks: np.ndarray, bits: np.ndarray, actions: np.ndarray) -> bool:
    """Choose an action for each decision; into ``actions``, int64 [n]. Return whether the arrays fit."""
    if not fits(observations, masks, bits, actions):
        return False
    for index in range(len(actions)):
        actions[index] = tuned_action(observations[index], masks[index], bits[index])
    return True


class TunedAgent(CompiledAgent):
    """Plays the plan of a turn that a weighted sum rates best."""

    name = "tuned"
    rows = staticmethod(tuned_rows)
