"""Contract "Seeds": game i of a seed plays the same wherever and however often it is played."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crypt_env import Batch, Game
from crypt_env.rules.batch import draw_row
from property.play import COUNTS, content, fields_that_differ, fingerprint, nth_legal, run_elsewhere, scattered

STEPS = 450
WATCHED = (0, 1, 2, 3, 4, 5, 6, 517, 1022, 1023)
FINGERPRINT = "from property.play import fingerprint; print(fingerprint())"


def counts_of(mixed: bool, games: int, players: int = 2) -> list[int]:
    """Return the number of players of each of the first games."""
    return [1 + index * 7 // 3 % 4 if mixed else players for index in range(games)]


def trace(counts: list[int], first: int, rows: list[int], is_drawn: bool, threads: int = 1, steps: int = STEPS) -> dict:
    """Play games and return, by index, everything that was written for each listed game."""
    batch = Batch(len(counts), counts, seed=77, first_index=first, threads=threads, dense=True, reward="margin")
    arrays = batch.reset()
    contents: dict[int, list[bytes]] = {first + row: [content(batch.states, arrays, row)] for row in rows}
    for number in range(steps):
        if is_drawn:
            arrays = batch.step_random()
        else:
            arrays = batch.step(nth_legal(arrays.masks, scattered(number, batch.states["index"])))
        for row in rows:
            contents[first + row].append(content(batch.states, arrays, row))
    assert steps < STEPS or batch.states["episode"][rows].min() >= 5, "too few restarts to prove anything"
    return contents


@pytest.mark.parametrize("is_drawn", [False, True], ids=["given", "drawn"])
def test_game_plays_the_same_in_batches_of_1_7_and_1024_with_mixed_players(is_drawn: bool) -> None:
    """For five episodes and more, no matter what else is in the batch or where it begins, with one thread or two."""
    counts = counts_of(True, 1024)
    assert {counts[index] for index in WATCHED} == set(COUNTS)
    whole = trace(counts, 0, list(WATCHED), is_drawn)
    assert trace(counts, 0, list(WATCHED), is_drawn, threads=2) == whole
    assert trace(counts[:7], 0, list(range(7)), is_drawn).items() <= whole.items()
    assert trace(counts[1017:], 1017, [5, 6], is_drawn).items() <= whole.items()
    for index in WATCHED:
        assert trace([counts[index]], index, [0], is_drawn) == {index: whole[index]}


@pytest.mark.parametrize("players", COUNTS)
def test_game_plays_the_same_among_games_of_one_player_count(players: int) -> None:
    """A batch of one player count is no different from a mixed one."""
    whole = trace(counts_of(False, 64, players), 0, [0, 40], False)
    assert trace([players], 40, [0], False) == {40: whole[40]}
    mixed = counts_of(True, 64)
    mixed[40] = players
    assert trace(mixed, 0, [40], False) == {40: whole[40]}


@pytest.mark.parametrize("players", COUNTS)
@settings(max_examples=12, deadline=None, derandomize=True, database=None)
@given(seed=st.integers(0, 2**64 - 1), index=st.integers(0, 2**32 - 1))
def test_game_alone_is_the_game_of_the_batch(players: int, seed: int, index: int) -> None:
    """`Game(index=i)` is the first episode of game i: cards, dice, observations, masks, drawn actions and the end."""
    batch = Batch(1, players, seed=seed, first_index=index, restarts=False)
    arrays = batch.reset()
    game = Game(players, seed=seed, index=index)
    number = 0
    while not game.is_over:
        seat = int(arrays.movers[0])
        assert game.to_move == seat
        assert (game.observation(seat) == arrays.observations[0]).all()
        assert (game.mask(seat) == arrays.masks[0]).all()
        assert fields_that_differ(game.state, batch.states, ("pauses", "rolled", "restarts")) == []
        if number % 2:
            game.play(game.random_action())
            arrays = batch.step_random()
        else:
            action = int(nth_legal(arrays.masks, scattered(number, np.array([index])))[0])
            game.play(action)
            arrays = batch.step(np.array([action]))
        number += 1
    assert arrays.dones[0]
    assert (game.observation(0) == arrays.observations[0]).all()
    assert fields_that_differ(game.state, batch.states, ("pauses", "rolled", "restarts")) == []


def test_reset_and_restart_deal_the_episodes_of_the_seed() -> None:
    """A reset deals episode 0 again, a restart by hand the episode that an automatic one would deal."""
    batch = Batch(5, [1, 2, 3, 4, 4], seed=3)
    first = batch.reset().observations.copy()
    for _ in range(300):
        batch.step_random()
    assert (batch.reset().observations == first).all()
    by_itself, by_hand = Batch(1, 3, seed=9), Batch(1, 3, seed=9)
    by_itself.reset()
    by_hand.reset()
    for _ in range(5):
        while not by_itself.step_random().dones[0]:
            pass
        arrays = by_hand.restart(np.array([0]))
        assert fields_that_differ(by_itself.states, by_hand.states, ("rolled",)) == []
        assert (arrays.observations == by_itself.arrays.observations).all()


def test_other_process_plays_the_same_bytes() -> None:
    """A second process writes the very same records, observations, masks, rewards and ends."""
    assert run_elsewhere(FINGERPRINT) == fingerprint()


def test_plain_python_plays_the_same_bytes() -> None:
    """With NUMBA_DISABLE_JIT=1 the rules write the same bytes as compiled ones, for every player count."""
    assert run_elsewhere(FINGERPRINT, NUMBA_DISABLE_JIT="1") == fingerprint()


def test_fingerprint_notices_another_seed() -> None:
    """The digest that is compared across processes depends on the games."""
    assert fingerprint(seed=12) != fingerprint(seed=11)


def test_chance_does_not_depend_on_who_draws_the_actions() -> None:
    """Actions drawn inside (DRAW) or given from outside: the same cards and dice, only `choice` stands still."""
    inside, outside, both = (Batch(64, [1, 2, 3, 4] * 16, seed=5) for _ in range(3))
    for batch in (inside, outside, both):
        batch.reset()
    half = np.arange(64) % 2 == 0
    for _ in range(300):
        draws = inside.states.copy()
        actions = np.array([draw_row(draws, row) for row in range(64)], np.int64)
        inside.step_random()
        outside.step(actions)
        both.step(np.where(half, -1, actions))
        for batch in (outside, both):
            assert fields_that_differ(inside.states, batch.states, ("choice",)) == []
            for mine, theirs in zip(inside.arrays, batch.arrays, strict=True):
                assert (mine == theirs).all()
        outside.states["choice"] = inside.states["choice"]
        both.states["choice"] = inside.states["choice"]
    assert inside.states["episode"].min() >= 4


@pytest.mark.parametrize("players", COUNTS)
def test_chance_stream_is_the_same_for_all_actions(players: int) -> None:
    """Two ways to play a game see the same decks and the same numbers from the stream, one after the other."""
    results = []
    for shift in (0, 1):
        game = Game(players, seed=21)
        number = 0
        while not game.is_over:
            legal = game.legal_actions()
            game.play(legal[(number * 31 + shift * 17) % len(legal)])
            number += 1
        rolled = [die for event in game.events for die in dice_of(event)]
        results.append((game.deck, rolled))
    (deck, dice), (other_deck, other_dice) = results
    shorter = min(len(dice), len(other_dice))
    assert deck == other_deck
    assert shorter > 5
    assert dice[:shorter] == other_dice[:shorter]


def dice_of(event: object) -> list[int]:
    """Return the results of a roll, in the order of the dice."""
    if hasattr(event, "results"):
        return list(event.results)
    if hasattr(event, "rolls"):
        return [die for _, results in event.rolls for die in results]
    return [event.result] if hasattr(event, "result") else []


@pytest.mark.parametrize("players", COUNTS)
def test_deck_does_not_depend_on_a_given_table_or_leader(players: int) -> None:
    """The deck and the stream behind it are those of the seed, also in later episodes."""
    drawn = Batch(16, players, seed=8)
    given = [
        Batch(16, players, collectors="ABABAB", seed=8),
        Batch(16, players, leader=players - 1, seed=8),
        Batch(16, players, collectors="B", leader=0, seed=8),
    ]
    for batch in (drawn, *given):
        batch.reset()
    for _ in range(5):
        for batch in given:
            assert (batch.states["deck"] == drawn.states["deck"]).all()
            assert (batch.states["chance"] == drawn.states["chance"]).all()
        for batch in (drawn, *given):
            batch.restart(np.arange(16))
    assert len({deck.tobytes() for deck in drawn.states["deck"]}) == 16
    assert len({sides.tobytes() for sides in drawn.states["sides"]}) > 1
