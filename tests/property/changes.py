"""Changes of a game that one seat may notice, each of one thing; None where a position has no such thing."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from crypt_env.rules.actions import FLIP, PEEK, REROLL, REVIVE, TAKE
from crypt_env.rules.flips import PUBLIC
from crypt_env.rules.state import ANSWER
from property.hidden import down_positions, has_seen, is_flipped, put_deck, unseen_downs
from property.play import SLOTS

Change = Callable[[random.Random, np.ndarray, int], "np.ndarray | None"]
CHANGES: dict[str, Change] = {}


def change(function: Change) -> Change:
    """Register a change under its name."""
    CHANGES[function.__name__] = function
    return function


def _pick(rng: random.Random, items: list) -> object:
    """Return one of the items, or None."""
    return rng.choice(items) if items else None


def _swapped(states: np.ndarray, one: int, two: int) -> np.ndarray:
    """Exchange two cards of the deck, wherever they are now."""
    other = states.copy()
    deck = other["deck"][0, : other["deck_size"][0]].tolist()
    deck[one], deck[two] = deck[two], deck[one]
    put_deck(other, deck)
    return other


def _swap_values(rng: random.Random, states: np.ndarray, known: list[int], unknown: list[int]) -> np.ndarray | None:
    """Exchange a known card with an unknown one of the same type and another value."""
    deck = states["deck"][0]
    pairs = [
        (one, two) for one in known for two in unknown if deck[one] // 4 == deck[two] // 4 and deck[one] != deck[two]
    ]
    pair = _pick(rng, pairs)
    return None if pair is None else _swapped(states, *pair)


def _seen_downs(state: np.void, seat: int, is_held: bool) -> list[int]:
    """Return deck positions of hidden cards that a seat has seen, in a collection or elsewhere."""
    return [
        place
        for down, place in enumerate(down_positions(state))
        if has_seen(state, down, seat) and not is_flipped(state, down) and (state["down_place"][down] < 4) == is_held
    ]


def _not_held(state: np.void) -> list[int]:
    """Return deck positions of cards that were drawn face-down and lie in no collection."""
    return [place for down, place in enumerate(down_positions(state)) if state["down_place"][down] >= 4]


def _unknown(state: np.void, seat: int) -> list[int]:
    """Return deck positions of all cards whose value a seat does not know."""
    return unseen_downs(state, seat) + list(range(state["drawn"], state["deck_size"]))


@change
def value_of_a_seen_card_in_a_collection(rng: random.Random, states: np.ndarray, seat: int) -> np.ndarray | None:
    """A hidden card that the seat has collected or peeked at has another value."""
    return _swap_values(rng, states, _seen_downs(states[0], seat, True), _unknown(states[0], seat))


@change
def value_of_a_seen_card_elsewhere(rng: random.Random, states: np.ndarray, seat: int) -> np.ndarray | None:
    """A peeked card in the Crypt or among the discards has another value."""
    return _swap_values(rng, states, _seen_downs(states[0], seat, False), _unknown(states[0], seat))


@change
def value_of_a_face_up_card(rng: random.Random, states: np.ndarray, seat: int) -> np.ndarray | None:
    """A face-up card of the Crypt has the value of one that the seat does not know."""
    state = states[0]
    slots = [slot for slot in range(SLOTS[int(state["players"])]) if state["card"][slot] >= 0 > state["down"][slot]]
    pairs = [
        (slot, place)
        for slot in slots
        for place in range(state["drawn"], state["deck_size"])
        if state["deck"][place] // 4 == state["card"][slot] // 4 and state["deck"][place] != state["card"][slot]
    ]
    pair = _pick(rng, pairs)
    if pair is None:
        return None
    other = states.copy()
    slot, place = pair
    old, new = int(state["card"][slot]), int(state["deck"][place])
    other["card"][0, slot] = new
    other["deck"][0, place] = old
    other["unseen"][0, old] += 1
    other["unseen"][0, new] -= 1
    return other


@change
def who_has_seen_a_card(rng: random.Random, states: np.ndarray, seat: int) -> np.ndarray | None:
    """Another seat has or has not seen a face-down card, in the Crypt, in a collection or among the discards."""
    state = states[0]
    others = [other for other in range(state["players"]) if other != seat]
    lying = [down for down in range(state["downs"]) if not is_flipped(state, down)]
    if not others or not lying:
        return None
    other = states.copy()
    other["down_seen"][0, rng.choice(lying)] ^= 1 << rng.choice(others)
    return other


@change
def whether_the_seat_has_seen_a_card(rng: random.Random, states: np.ndarray, seat: int) -> np.ndarray | None:
    """The seat itself has or has not seen a card that was drawn face-down and was not flipped."""
    state = states[0]
    downs = [down for down in range(state["downs"]) if not is_flipped(state, down)]
    if not downs:
        return None
    other = states.copy()
    other["down_seen"][0, rng.choice(downs)] ^= 1 << seat
    return other


@change
def value_of_a_card_that_it_saw_discarded(rng: random.Random, states: np.ndarray, seat: int) -> np.ndarray | None:
    """A discarded card that the seat has peeked at has another value."""
    state = states[0]
    places = enumerate(down_positions(state))
    known = [place for down, place in places if state["down_place"][down] == 5 and has_seen(state, down, seat)]
    return _swap_values(rng, states, known, _unknown(state, seat))


@change
def who_peeked_at_a_discarded_card(rng: random.Random, states: np.ndarray, seat: int) -> np.ndarray | None:
    """One seat more, or one less, has peeked at a card that was discarded."""
    state = states[0]
    downs = [down for down in range(state["downs"]) if state["down_place"][down] == 5]
    if not downs:
        return None
    other = states.copy()
    other["down_seen"][0, rng.choice(downs)] ^= 1 << rng.randrange(state["players"])
    return other


@change
def who_holds_a_hidden_card(rng: random.Random, states: np.ndarray, seat: int) -> np.ndarray | None:
    """A hidden card lies in the collection of another seat."""
    state = states[0]
    held = [down for down in range(state["downs"]) if state["down_place"][down] < 4]
    if not held or state["players"] == 1:
        return None
    other = states.copy()
    down = rng.choice(held)
    owners = [owner for owner in range(state["players"]) if owner != state["down_place"][down]]
    other["down_place"][0, down] = rng.choice(owners)
    return other


@change
def type_of_the_top_card(rng: random.Random, states: np.ndarray, seat: int) -> np.ndarray | None:
    """The deck's top card is of another type."""
    state, top = states[0], int(states["drawn"][0])
    places = [
        place for place in range(top + 1, state["deck_size"]) if state["deck"][place] // 4 != state["deck"][top] // 4
    ]
    place = _pick(rng, places)
    return None if place is None else _swapped(states, top, place)


@change
def type_of_a_hidden_card(rng: random.Random, states: np.ndarray, seat: int) -> np.ndarray | None:
    """A face-down card that is still in the Crypt or was discarded is of a type that one in the deck is of."""
    state = states[0]
    downs = [place for place in unseen_downs(state, seat) if place in _not_held(state)]
    pairs = [
        (one, two)
        for one in downs
        for two in range(state["drawn"], state["deck_size"])
        if state["deck"][one] // 4 != state["deck"][two] // 4
    ]
    pair = _pick(rng, pairs)
    if pair is None:
        return None
    other = _swapped(states, *pair)
    other["deck_kinds"][0, state["deck"][pair[0]] // 4] += 1
    other["deck_kinds"][0, state["deck"][pair[1]] // 4] -= 1
    return other


@change
def dice_on_the_player_cards(rng: random.Random, states: np.ndarray, seat: int) -> np.ndarray | None:
    """A die of some seat is exhausted instead of ready, or ready instead of exhausted."""
    other = states.copy()
    one = rng.randrange(states["players"][0])
    if not states["ready"][0, one] and not states["exhausted"][0, one]:
        return None
    step = 1 if states["ready"][0, one] > 0 else -1
    other["ready"][0, one] -= step
    other["exhausted"][0, one] += step
    return other


def _dice_change(field: str) -> Change:
    """Return the change of dice that lie on a slot."""

    def changed(rng: random.Random, states: np.ndarray, seat: int) -> np.ndarray | None:
        state = states[0]
        slots = [slot for slot in range(len(state["dice"])) if state["dice"][slot] > 0]
        if not slots:
            return None
        limits = {"holder": range(state["seats"]), "dice": range(1, 4), "effort": range(1, 7)}
        slot = rng.choice(slots)
        other = states.copy()
        other[field][0, slot] = rng.choice([value for value in limits[field] if value != state[field][slot]])
        return other

    changed.__name__ = f"{field}_of_dice_on_a_slot"
    return changed


for _field in ("holder", "dice", "effort"):
    change(_dice_change(_field))


def _field_change(name: str, field: str, values: range, is_seat: bool = False) -> None:
    """Register another value of one number of a field; only when a seat decides."""

    def changed(rng: random.Random, states: np.ndarray, seat: int) -> np.ndarray | None:
        if states["mover"][0] < 0:
            return None
        numbers = states.copy()[field].reshape(-1)
        place = rng.randrange(int(states["players"][0]) if len(numbers) == 4 else len(numbers))
        limit = range(states["seats"][0]) if is_seat else values
        value = rng.choice([value for value in limit if value != numbers[place]])
        numbers[place] = value
        other = states.copy()
        other[field] = numbers.reshape(other[field].shape)
        return other

    changed.__name__ = name
    change(changed)


_field_change("leader_torch", "leader", range(4), is_seat=True)
_field_change("seat_that_decides", "mover", range(4), is_seat=True)
_field_change("phase", "phase", range(4))
_field_change("side_of_a_collector", "sides", range(2))
_field_change("slots_closed_in_this_turn", "last_slot", range(-1, 5))
_field_change("ghost_dice_pushed", "ghost_pushed", range(4))
_field_change("coins_from_idols", "idol_bonus", range(6))


def _answered(states: np.ndarray) -> np.ndarray | None:
    """Return a copy of a game in which a take may be answered, None if it is none."""
    return states.copy() if states["phase"][0] == ANSWER else None


@change
def who_takes_a_card(rng: random.Random, states: np.ndarray, seat: int) -> np.ndarray | None:
    """Another seat takes the card to which others may answer."""
    other = _answered(states)
    if other is not None:
        other["taker"] = (other["taker"] + 1) % other["players"]
    return other


@change
def which_card_is_taken(rng: random.Random, states: np.ndarray, seat: int) -> np.ndarray | None:
    """The card that is taken lies in another slot."""
    other = _answered(states)
    if other is not None:
        other["taking"] = (other["taking"] + 1) % other["slots"]
    return other


def _chosen_by(states: np.ndarray, seat: int) -> np.ndarray | None:
    """Return a copy of a game in which this very seat is asked which card it flips, None if it is none."""
    return states.copy() if states["chosen"][0] >= 0 and states["mover"][0] == seat else None


@change
def own_action_that_is_paid_for(rng: random.Random, states: np.ndarray, seat: int) -> np.ndarray | None:
    """The seat has chosen another action, or has yet to choose."""
    other = _chosen_by(states, seat)
    if other is not None:
        actions = [-1, PEEK, REVIVE, *range(TAKE, TAKE + int(states["slots"][0])), *range(REROLL, FLIP)]
        other["chosen"] = rng.choice([action for action in actions if action != states["chosen"][0]])
    return other


@change
def own_card_that_is_flipped_first(rng: random.Random, states: np.ndarray, seat: int) -> np.ndarray | None:
    """The seat has decided on a card of another value for the first of two, or has not decided."""
    other = _chosen_by(states, seat)
    if other is None or states["first_flip"][0] < 0:
        return None
    first = int(states["first_flip"][0])
    value = -1 if first == PUBLIC else states["down_card"][0, first]
    downs = [down for down in range(states["downs"][0]) if states["down_card"][0, down] % 4 != value % 4]
    other["first_flip"] = rng.choice([*downs, -1] if value >= 0 else downs)
    return other


@change
def flipped_cards(rng: random.Random, states: np.ndarray, seat: int) -> np.ndarray | None:
    """One card more of a collection was flipped."""
    state = states[0]
    unflipped = [(one, kind) for one in range(state["players"]) for kind in range(6) if state["unflipped"][one, kind]]
    place = _pick(rng, unflipped)
    if place is None:
        return None
    other = states.copy()
    other["unflipped"][0, place[0], place[1]] -= 1
    return other


@change
def who_holds_a_public_card(rng: random.Random, states: np.ndarray, seat: int) -> np.ndarray | None:
    """A collected card whose value everybody knows belongs to another seat."""
    state = states[0]
    held = [(one, card) for one in range(state["players"]) for card in range(24) if state["public"][one, card]]
    place = _pick(rng, held)
    if place is None or state["players"] == 1:
        return None
    owner, card = place
    other = states.copy()
    other["public"][0, owner, card] -= 1
    other["public"][0, (owner + 1) % int(state["players"]), card] += 1
    return other
