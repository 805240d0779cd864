"""Contract "Observations": nothing that a seat cannot know, and whatever it may know makes a difference."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from crypt_env import Batch, describe
from property.changes import CHANGES
from property.hidden import lookalike, new_chance, put_deck, shuffled_deck
from property.play import COUNTS, look, positions, sample, step

GAMES = {1: 10, 2: 6, 3: 4, 4: 3}


def words(observations: np.ndarray) -> list[str]:
    """Return observations in words."""
    return [describe(vector) for vector in observations]


@pytest.mark.parametrize("players", COUNTS)
def test_what_a_seat_cannot_know_changes_nothing_that_it_sees(players: int) -> None:
    """At every step, for every seat: hidden values, the deck's order and all chance leave what it sees alone."""
    hidden_changes = 0
    for seed in range(GAMES[players]):
        rng = random.Random(seed)
        for game in positions(players, seed):
            for seat in range(players):
                first = game.state
                others = [lookalike(rng, first, seat) for _ in range(3)]
                hidden_changes += sum(int((other["down_card"] != first["down_card"]).any()) for other in others)
                observations, masks = look(np.concatenate([first, *others]), [seat] * 4)
                assert (observations == observations[0]).all()
                assert (masks == masks[0]).all()
            assert len(set(words(observations[:2]))) == 1
    assert hidden_changes > 100


@pytest.mark.parametrize("reward", ["margin", "coins"])
@pytest.mark.parametrize("players", COUNTS)
def test_step_shows_and_pays_nothing_that_a_seat_cannot_know(players: int, reward: str) -> None:
    """Two games that differ in what a seat cannot know even after a step show and pay it the same in that step."""
    paid = 0
    rng = random.Random(players)
    for seed in range(4):
        batch = Batch(1, players, seed=seed, reward=reward, dense=True, restarts=False)
        batch.reset()
        while batch.states["mover"][0] >= 0:
            before = batch.states.copy()
            arrays = batch.step_random()
            if arrays.dones[0]:
                break
            for seat in range(players):
                other = before.copy()
                put_deck(other, shuffled_deck(rng, batch.states[0], seat))
                other_arrays = step(other)
                assert arrays.rewards[0, seat] == other_arrays.rewards[0, seat]
                paid += arrays.rewards[0, seat] != 0
                observations, masks = look(np.concatenate([batch.states, other]), [seat, seat])
                assert (observations[0] == observations[1]).all()
                assert (masks[0] == masks[1]).all()
    assert paid > 20


@pytest.mark.parametrize("players", COUNTS)
def test_lookalikes_are_games_of_the_same_cards(players: int) -> None:
    """The shuffler of these tests keeps the deck's cards and what a seat knows, and does change what it does not."""
    rng = random.Random(1)
    changed: Counter[str] = Counter()
    for game in positions(players, 3):
        first = game.state
        other = lookalike(rng, first, 0)
        size = int(first["deck_size"][0])
        assert sorted(first["deck"][0, :size]) == sorted(other["deck"][0, :size])
        changed.update(name for name in ("deck", "down_card", "card") if (first[name] != other[name]).any())
    assert min(changed[name] for name in ("deck", "down_card", "card")) > 0


@pytest.mark.parametrize("name", CHANGES)
def test_what_a_seat_may_know_makes_a_difference(name: str) -> None:
    """One thing that a seat may know is changed in a position of play: its vector and its words change."""
    rng = random.Random(7)
    met = 0
    for players in COUNTS:
        for game in sample(players):
            seat = rng.randrange(players)
            first = game.state
            other = CHANGES[name](rng, first, seat)
            if other is None:
                continue
            met += 1
            new_chance(rng, other)
            observations, _ = look(np.concatenate([first, other]), [seat, seat])
            assert (observations[0] != observations[1]).any(), f"seat {seat} does not see it: {game.text()}"
            one, two = words(observations)
            assert one != two
    assert met >= 10, "too rare to prove anything"


def test_words_tell_all_vectors_apart() -> None:
    """`describe` is injective on the vectors that come up in play: no two of them have the same words."""
    seen: dict[str, bytes] = {}
    for players in COUNTS:
        for seed in range(4):
            for game in positions(players, seed, is_eager=bool(seed % 2)):
                for seat in range(players):
                    vector = game.observation(seat)
                    text = describe(vector)
                    assert str(game.view(seat)) == text
                    assert seen.setdefault(text, vector.tobytes()) == vector.tobytes()
    assert len(set(seen.values())) > 1200
