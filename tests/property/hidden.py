"""Changes of a game that one seat cannot notice, written without the engine's own re-dealing.

Every card is named by its position in the deck's order, also after it was drawn. Nor can a seat notice that another one
has chosen an action and is asked which card it flips.
"""

from __future__ import annotations

import random

import numpy as np

from crypt_env.rules.actions import PEEK
from property.play import FACE_UP, SLOTS, look, step


def down_positions(state: np.void) -> list[int]:
    """Return the deck positions of the cards that were drawn face-down, in draw order."""
    players = int(state["players"])
    return [place for place in range(state["drawn"]) if place % SLOTS[players] >= FACE_UP[players]]


def is_flipped(state: np.void, down: int) -> bool:
    """Return whether a card that was drawn face-down has been flipped since."""
    return int(state["down_place"][down]) == 6


def has_seen(state: np.void, down: int, seat: int) -> bool:
    """Return whether a seat has seen a card that was drawn face-down."""
    return bool(int(state["down_seen"][down]) >> seat & 1)


def unseen_downs(state: np.void, seat: int) -> list[int]:
    """Return the deck positions of drawn cards whose value a seat has not seen."""
    places = enumerate(down_positions(state))
    return [place for down, place in places if not is_flipped(state, down) and not has_seen(state, down, seat)]


def shuffled_deck(rng: random.Random, state: np.void, seat: int) -> list[int]:
    """Return the deck's order with everything that a seat cannot know shuffled; the top card's type is public."""
    deck = state["deck"][: state["deck_size"]].tolist()
    top = int(state["drawn"])
    behind = deck[top + 1 :]
    rng.shuffle(behind)
    deck[top + 1 :] = behind
    for kind in range(6):
        places = [
            place for place in unseen_downs(state, seat) + list(range(top, len(deck))) if deck[place] // 4 == kind
        ]
        cards = [deck[place] for place in places]
        rng.shuffle(cards)
        for place, card in zip(places, cards, strict=True):
            deck[place] = card
    return deck


def put_deck(states: np.ndarray, deck: list[int]) -> None:
    """Give a game another deck order, and the face-down cards the values that follow from it."""
    state = states[0]
    state["deck"][: len(deck)] = deck
    for down, place in enumerate(down_positions(state)):
        state["down_card"][down] = deck[place]
    for slot in range(SLOTS[int(state["players"])]):
        if state["card"][slot] >= 0 and state["down"][slot] >= 0:
            state["card"][slot] = state["down_card"][state["down"][slot]]


def new_chance(rng: random.Random, states: np.ndarray) -> None:
    """Give a game another past and future of its generators."""
    for name, bits in (("chance", 64), ("choice", 64), ("seed", 64), ("index", 32), ("episode", 32)):
        states[name] = rng.getrandbits(bits)


def other_choice(rng: random.Random, states: np.ndarray) -> np.ndarray:
    """Undo the choice of the seat that decides; then, perhaps, let it choose an action that asks for a flip."""
    other = states.copy()
    other["chosen"] = other["first_flip"] = -1
    if other["mover"][0] < 0:
        return other
    legal = np.flatnonzero(look(other, [int(other["mover"][0])])[1][0])
    for action in rng.sample(legal[legal >= PEEK].tolist(), int((legal >= PEEK).sum())):
        asked = other.copy()
        step(asked, action)
        if asked["chosen"][0] >= 0 and rng.random() < 0.7:
            return asked
    return other


def lookalike(rng: random.Random, states: np.ndarray, seat: int) -> np.ndarray:
    """Return a game that differs from another in everything that a seat cannot know."""
    other = states.copy()
    put_deck(other, shuffled_deck(rng, states[0], seat))
    if seat != states["mover"][0]:
        other = other_choice(rng, other)
    other["decisions"] = rng.randrange(1000)
    new_chance(rng, other)
    return other
