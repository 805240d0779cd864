"""The best play alone by trying out every action and every roll in the engine: the judge of the bound.

The deck is in the game's record, so trying out all actions there is playing with the deck known.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement
from math import factorial

import numpy as np

from crypt_env.benchmark.bound.holdings import NEXT, PAYS, SPENT
from crypt_env.benchmark.bound.layout import layout
from crypt_env.rules.actions import ACTIONS, DRAW
from crypt_env.rules.batch import new_arrays, roll_row, sheet_rows, step_rows, view_rows
from crypt_env.rules.cards import CARDS, KINDS, VALUES
from crypt_env.rules.observe import FEATURES
from crypt_env.rules.score import SHEET_LINES
from crypt_env.rules.state import COLLECT_ROLL, GAME, GHOST_ROLL, NEW, NONE, OVER
from crypt_env.table import Table

DICE_LINE = SHEET_LINES.index("dice")
LIGHTS_OUT = 2
ARRAYS = new_arrays(1)


def step(state, action=DRAW):
    """Return the state that follows."""
    after = state.copy()
    assert step_rows(after.view(np.uint8), 0, 1, *ARRAYS, np.array([action])) == -1
    return after


def deal(sides, seed):
    """Return a new game that stops at every roll."""
    states = np.zeros(1, GAME)
    Table(1, sides).write(states)
    for field, value in (("seed", seed), ("pauses", 1), ("phase", NEW), ("mover", NONE), ("restarts", 0)):
        states[field] = value
    return step(states)


def starts(sides, seed):
    """Return the positions at the start of each round of a random game."""
    state, found = deal(sides, seed), []
    while state[0]["phase"] != OVER:
        if state[0]["round_number"] == len(found):
            found.append(state.copy())
        if state[0]["mover"] < 0:
            roll_row(state, 0)
        state = step(state)
    return found


def coins(state):
    """Return the coins that are certain, without dice."""
    sheets = np.zeros((1, 4, len(SHEET_LINES)), np.int16)
    sheet_rows(state, 0, 1, sheets)
    return int(sheets[0, 0].sum() - sheets[0, 0, DICE_LINE])


def own_cards(state):
    """Return the cards of the player."""
    hidden = state[0]["down_card"][state[0]["down_place"] == 0]
    return [*np.flatnonzero(state[0]["public"][0]), *hidden]


def collection(state):
    """Return the states of a collection as the bound counts them, type by type, and the coins that it was paid."""
    sides, held, paid = state[0]["sides"], np.zeros(KINDS, np.int64), 0
    for card in own_cards(state):
        kind = card // VALUES
        paid += PAYS[kind, sides[kind], held[kind], card % VALUES]
        held[kind] = NEXT[kind, sides[kind], held[kind], card % VALUES]
    for kind in range(KINDS):
        if (kind, int(sides[kind])) in SPENT:
            held[kind] = state[0]["unflipped"][0, kind]
    return held, paid


def dice_at_start(state):
    """Return how many dice were ready when the round began; a player that leads without any has recovered since."""
    has_passed = state[0]["phase"] == GHOST_ROLL and state[0]["turn"] == 1
    return 0 if has_passed else int(state[0]["ready"][0])


def layout_of(state, counts_peeks=False):
    """Return the deal of a game as the bound sees it."""
    return layout(state[0]["sides"].astype(np.int64), state[0]["deck"][:CARDS].astype(np.int64), counts_peeks)


def bound(found, values, state):
    """Return what the bound says of a position at the start of a round, with the coins that are certain."""
    held, number = collection(state)[0], int(state[0]["round_number"])
    place = sum(found.places[number, kind, held[kind]] for kind in range(KINDS))
    return coins(state) + float(values[number, place, dice_at_start(state)])


def rolls(dice):
    """Yield the rolls of dice with their probabilities."""
    for roll in combinations_with_replacement(range(1, 7), dice):
        ways = factorial(dice)
        for count in Counter(roll).values():
            ways //= factorial(count)
        yield roll, ways / 6**dice


def pending(state):
    """Return how many dice are rolled."""
    game = state[0]
    if game["phase"] == GHOST_ROLL:
        return int(game["ghost_pushed"]) if game["turn"] == LIGHTS_OUT else 3
    return int(game["dice"][game["turn"]]) if game["phase"] == COLLECT_ROLL else 1


def legal(state):
    """Return the legal actions."""
    mask = np.zeros((1, ACTIONS), np.bool_)
    view_rows(state, np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros((1, FEATURES), np.int8), mask)
    return np.flatnonzero(mask[0])


class Judge:
    """Values the positions of one round by trying out everything; what comes after it is given by a function."""

    def __init__(self, round_number, following):
        self.round, self.following, self.known = round_number, following, {}

    def value(self, state):
        """Return what a position is worth, with all coins of the game."""
        if state[0]["phase"] == OVER:
            return float(state[0]["scores"][0])
        if state[0]["round_number"] > self.round:
            return self.following(state)
        plain = state.copy()
        for field in ("chance", "choice", "decisions", "rolled"):
            plain[field] = 0
        key = plain.tobytes()
        if key not in self.known:
            self.known[key] = self._best(state) if state[0]["mover"] >= 0 else self._mean(state)
        return self.known[key]

    def _best(self, state):
        return max(self.value(step(state, action)) for action in legal(state))

    def _mean(self, state):
        total = 0.0
        for roll, probability in rolls(pending(state)):
            rolled = state.copy()
            rolled["rolled"][0, : len(roll)] = roll
            total += probability * self.value(step(rolled))
        return total
