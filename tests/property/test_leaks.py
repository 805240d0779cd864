"""Contract "Observations": nothing that a seat cannot know, and everything that it may know makes a difference."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from crypt_env import Batch, Game, action_text, describe
from property.changes import CHANGES
from property.hidden import lookalike, new_chance, put_deck, shuffled_deck
from property.play import COUNTS, asked_games, fields_that_differ, is_asked_to_flip, look, positions, sample, step

GAMES = {1: 10, 2: 6, 3: 4, 4: 3}


def words(observations: np.ndarray) -> list[str]:
    """Return observations in words."""
    return [describe(vector) for vector in observations]


def check_that_lookalikes_look_alike(rng: random.Random, first: np.ndarray, players: int) -> int:
    """Compare what each seat sees in a game and in others that differ in what it cannot know; count new values."""
    changes = 0
    for seat in range(players):
        others = [lookalike(rng, first, seat) for _ in range(3)]
        changes += sum(int((other["down_card"] != first["down_card"]).any()) for other in others)
        observations, masks = look(np.concatenate([first, *others]), [seat] * 4)
        assert (observations == observations[0]).all()
        assert (masks == masks[0]).all()
        assert len(set(words(observations))) == 1
    return changes


@pytest.mark.parametrize("players", COUNTS)
def test_what_a_seat_cannot_know_changes_nothing_that_it_sees(players: int) -> None:
    """At every step, for every seat: hidden values, the deck's order, all chance, and what another has chosen."""
    hidden_changes = 0
    for seed in range(GAMES[players]):
        rng = random.Random(seed)
        for game in positions(players, seed):
            hidden_changes += check_that_lookalikes_look_alike(rng, game.state, players)
    assert hidden_changes > 100
    for game in asked_games(players):
        check_that_lookalikes_look_alike(rng, game.state, players)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_lookalikes_differ_in_what_another_has_chosen(players: int) -> None:
    """The games that are compared do take a choice back, and make another one."""
    rng = random.Random(players)
    found: Counter[tuple[bool, bool]] = Counter()
    for game in asked_games(players):
        first = game.state
        for seat in range(players):
            for _ in range(20):
                other = lookalike(rng, first, seat)
                kept = bool((other["chosen"] == first["chosen"]).all())
                found[kept, bool(other["chosen"][0] >= 0)] += 1
                assert kept or seat != first["mover"][0]
    assert min(found[False, False], found[False, True], found[True, True]) > 10


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_pending_flip_is_seen_by_its_owner_alone(players: int) -> None:
    """From the action on until all is paid for, every other seat's vector, mask and words are those from before it."""
    asked: Counter[str] = Counter()
    for game in pending_walks(players):
        if not is_asked_to_flip(game):
            before = game.state
            continue
        now, owner = game.state, int(game.state["mover"][0])
        assert owner == before["mover"][0]
        for seat in range(players):
            observations, masks = look(np.concatenate([before, now]), [seat, seat])
            is_owner = seat == owner
            assert (observations[0] == observations[1]).all() != is_owner
            assert (masks[0] == masks[1]).all() != is_owner
            one, two = words(observations)
            assert (one == two) != is_owner
        assert str(game) == str(Game.from_state(before)), "the board is open to all"
        asked[action_text(int(now["chosen"][0])).split()[0]] += 1
    assert min(asked[verb] for verb in ("take", "peek", "revive", "reroll")) >= 2, asked


def pending_walks(players: int) -> Iterator[Game]:
    """Yield games step by step: many walks, and those that lead to each kind of question."""
    for seed in range(1, 30, 2):
        yield from positions(players, seed)
    for game in asked_games(players):
        back = game.copy()
        while is_asked_to_flip(back):
            back.undo()
        yield back
        yield game


@pytest.mark.parametrize("players", [2, 3, 4])
def test_nothing_happens_while_flips_are_asked(players: int) -> None:
    """The record is as it was before the action was chosen, except for the choice and the number of decisions."""
    asked = 0
    for game in pending_walks(players):
        if not is_asked_to_flip(game):
            before = game.state
            continue
        asked += 1
        assert fields_that_differ(game.state, before, ("chosen", "first_flip", "decisions")) == []
    assert asked > 15


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
            if before["chosen"][0] >= 0 or batch.states["chosen"][0] >= 0:
                continue  # with other cards another flip would be asked
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
        for game in (*sample(players), *asked_games(players) * 2):
            seat = rng.choice((rng.randrange(players), game.to_move or 0))
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
    """`describe` is injective on the vectors that occur in play: no two of them have the same words."""
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
