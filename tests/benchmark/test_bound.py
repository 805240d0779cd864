"""The bound of the coins alone: its model of the game is the engine's, and what it charges is zero on average."""

from __future__ import annotations

from itertools import permutations

import numba
import numpy as np
import pytest

from benchmark.expectimax import Judge, bound, coins, collection, dice_at_start, layout_of, starts
from crypt_env.benchmark.bound import measure as measuring
from crypt_env.benchmark.bound.fitting import PRIOR, fitted
from crypt_env.benchmark.bound.guess import charge_for_face_down, no_guess
from crypt_env.benchmark.bound.layout import DOWN, SLOTS, SOLO_ROUNDS, layout
from crypt_env.benchmark.bound.moves import moves
from crypt_env.benchmark.bound.rounds import tables, work
from crypt_env.benchmark.bound.sieve import sifted
from crypt_env.benchmark.bound.solve import add_mean_guess, copied, solve, subtract_drawn
from crypt_env.rules.actions import DICE
from crypt_env.rules.cards import CARDS, KINDS, VALUES

# Positions of random games: sides, seed, round. In them a face-down card can be taken, a die revived or re-rolled.
POSITIONS = [
    ("AABBAB", 116, 5),
    ("AABBAB", 116, 6),
    ("BBABAA", 7, 6),
    ("AAAAAA", 1, 1),
    ("AABBAB", 20, 7),
    ("ABABBA", 18, 7),
]
SIDES = np.array([0, 0, 0, 1, 1, 0])


@pytest.mark.parametrize(("sides", "seed", "number"), POSITIONS)
def test_a_round_is_worth_what_the_engine_makes_of_it(sides, seed, number):
    """Every action and every roll is tried out in the engine; the next round counts as the bound values it."""
    state = starts(sides, seed)[number]
    found = layout_of(state)
    values = solve(found, no_guess(), number)
    judge = Judge(number, lambda after: bound(found, values, after))
    assert bound(found, values, state) == pytest.approx(judge.value(state), abs=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_collections_are_paid_card_by_card(seed):
    """In every round of random games, at tables of all kinds."""
    for state in starts(f"{seed * 11 % 64:06b}".replace("0", "A").replace("1", "B"), seed):
        assert collection(state)[1] == coins(state)


def test_the_first_round_begins_with_nothing():
    state = starts("ABABAB", 3)[0]
    assert dice_at_start(state) == DICE
    assert layout_of(state).counts[0].prod() == 1


# -- charges ----------------------------------------------------------------------------------------------------------


def some_guess():
    """Return a guess that is far from the truth."""
    rng, guess = np.random.default_rng(5), no_guess(True)
    for part in (guess.worth, guess.top, guess.dice):
        part[1:SOLO_ROUNDS] = rng.normal(size=part[1:SOLO_ROUNDS].shape)
    guess.worth[1:SOLO_ROUNDS] += PRIOR[..., None]
    return guess


@numba.njit
def reveal_charges(tables, found, other, guess, number, held, work, charges):
    """Write what is charged for the cards of a round and the next type, negative."""
    other.left[:] = found.left
    charges[:] = 0.0
    subtract_drawn(tables, found, other, guess, number, held, work, charges)
    add_mean_guess(tables, other, guess, number, held, work, charges)


@numba.njit
def face_down_charge(guess, found, number, held, cards):
    """Return what is charged for the value of the face-down card."""
    return charge_for_face_down(guess, found, number, held, cards)


def orders(deck, number):
    """Yield the decks that are equally likely when the cards of the earlier rounds and the next type are known."""
    start = SLOTS * number
    for rest in permutations(deck[start:]):
        if rest[0] // VALUES == deck[start] // VALUES:
            yield np.concatenate([deck[:start], rest])


def some_collection(found, number):
    """Return the last collection of a round."""
    return np.array([found.states[number, kind, found.counts[number, kind] - 1] for kind in range(KINDS)])


@pytest.mark.parametrize("number", [6, 7])
def test_what_the_reveal_is_charged_with_is_zero_on_average(number):
    guess, deck, total = some_guess(), np.random.default_rng(2).permutation(CARDS), []
    for order in orders(deck, number):
        found, charges = layout(SIDES, order, True), np.zeros(DICE + 1)
        reveal_charges(tables(), found, copied(found), guess, number, some_collection(found, number), work(), charges)
        total.append(charges)
    assert np.abs(total).max() > 0.1
    assert np.mean(total, axis=0) == pytest.approx(np.zeros(DICE + 1), abs=1e-9)


@pytest.mark.parametrize("collects", [False, True])
def test_what_the_face_down_card_is_charged_with_is_zero_on_average(collects):
    """Over the values that it can have, which all leave the same to see."""
    guess, number = some_guess(), 3
    deck = np.array([*(card for card in range(CARDS) if card not in (4, 0, 1, 2, 3)), 4, 0, 1, 2, 3])
    place, charges = SLOTS * number + DOWN, []
    for card in range(4):
        order = deck.copy()
        order[[place, CARDS - 4 + card]] = order[[CARDS - 4 + card, place]]
        found = layout(SIDES, order, True)
        cards = 1 << found.down[number] if collects else 0
        charges.append(face_down_charge(guess, found, number, some_collection(found, number), cards))
    assert np.abs(charges).max() > 0.1
    assert np.mean(charges) == pytest.approx(0, abs=1e-9)


def test_a_guess_that_is_right_leaves_nothing_to_chance():
    """In the last round dice are coins, so the guess is right: charged for, every order is worth nearly the same."""
    guess, deck, free, charged = no_guess(True), np.random.default_rng(4).permutation(CARDS), [], []
    guess.dice[SOLO_ROUNDS] = np.arange(DICE + 1)
    number = SOLO_ROUNDS - 1
    for order in orders(deck, number):
        for found, values in ((layout(SIDES, order, False), free), (layout(SIDES, order, True), charged)):
            held = some_collection(found, number)
            place = sum(found.places[number, kind, held[kind]] for kind in range(KINDS))
            values.append(solve(found, guess if values is charged else no_guess(), number)[number, place])
    assert np.ptp(free, axis=0).max() > 0.2
    assert np.ptp(charged, axis=0).max() < 0.02


def test_the_plans_that_the_guess_looks_at_are_plans():
    """They are fewer, for each number of dice and each roll at least one, and their chances add up."""
    every, some = moves(SLOTS), sifted(moves(SLOTS))
    assert len(some.lead_plans.items) < len(every.lead_plans.items) / 3
    for lists in (some.lead_plans, some.follow_plans):
        assert np.diff(lists.starts).min() >= 1
    for lists in (every.lead, every.follow, some.lead, some.follow):
        assert np.add.reduceat(lists.weights, lists.starts[:-1]) == pytest.approx(1)
    assert some.returns.sum(axis=1) == pytest.approx(1)


# -- measuring --------------------------------------------------------------------------------------------------------


def test_the_fit_is_the_same_for_the_same_seed():
    one, other = (fitted(1, np.random.default_rng(1), lambda line: None) for _ in range(2))
    for part in ("worth", "top", "dice"):
        assert np.array_equal(getattr(one, part), getattr(other, part))


def test_the_measure_is_a_mean_over_all_tables(monkeypatch):
    """Differences between tables are no part of the error."""
    monkeypatch.setattr(measuring, "fitted", lambda deals, rng, tell: no_guess(True))
    monkeypatch.setattr(measuring, "values_of", lambda guess, deal: (60.0 + deal[0][0], 55.0 + deal[0][0]))
    lines = []
    found = measuring.measure(128, 4, 0, 1, lines.append)
    assert found["bound"] == [55.5, 55.5, 55.5]
    assert found["free"] == [60.5, 60.5, 60.5]
    assert found["charge"] == [5, 5, 5]
    assert found["spread"] == [0, 0]
    assert found["tables"][:2] == [55, 56]
    assert len(lines) == 2
