"""Copy, undo, pickle, deepcopy and text position: at every step the same game, and independent of the original."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable

import numpy as np
import pytest

from crypt_env import Game
from crypt_env.rules.state import OVER
from property.play import (
    COUNTS,
    SCRATCH,
    WISHES,
    asked_games,
    fields_that_differ,
    is_asked_to_flip,
    look,
    play_on,
    positions,
    rich_game,
    spender,
)

WAYS: dict[str, Callable[[Game], Game]] = {
    "copy": Game.copy,
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "pickle": lambda game: pickle.loads(pickle.dumps(game)),
    "text": lambda game: Game.from_text(game.text()),
}
SEEDS = range(5)


def ignored(way: str) -> tuple[str, ...]:
    """Return the fields that a way of copying may lose."""
    return (*SCRATCH, *WISHES) if way == "text" else ()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("players", COUNTS)
def test_copy_is_the_same_game_and_ends_in_the_same_way(players: int, way: str) -> None:
    """At every step of whole games the copy is equal, looks equal, and plays on to the same end, dice included."""
    for seed in SEEDS:
        states, others = [], []
        for game in positions(players, seed):
            other = WAYS[way](game)
            assert other is not game
            assert other == game
            assert hash(other) == hash(game)
            assert fields_that_differ(other.state, game.state, ignored(way)) == []
            states.append(game.state)
            others.append(other.state)
        ends, other_ends = np.concatenate(states), np.concatenate(others)
        play_on(ends)
        play_on(other_ends)
        assert (ends["phase"] == OVER).all()
        assert fields_that_differ(ends, other_ends, ignored(way)) == []


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_copy_in_the_middle_of_a_flip_or_an_answer(players: int, way: str) -> None:
    """What was chosen, the card that was named for the first of two, and the take that is answered are kept."""
    for game in asked_games(players):
        other = WAYS[way](game)
        assert other == game
        assert fields_that_differ(other.state, game.state, ignored(way)) == []
        assert other.legal() == game.legal()
        for action in game.legal():
            one, two = game.copy().play(action), other.copy().play(action)
            assert fields_that_differ(one.state, two.state, ignored(way)) == []
            assert str(one) == str(two)
            assert one.undo() == game


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("players", COUNTS)
def test_copy_plays_the_same_events(players: int, way: str) -> None:
    """A copy from the middle, played through `Game` with the same actions, has the same events, outcome and text."""
    game = rich_game(players, seed=11)
    rng = random.Random(11)
    copies, actions, pending = [], [], []
    while not game.is_over:
        if is_asked_to_flip(game):
            pending.append(len(copies))
        copies.append((WAYS[way](game), len(game.events)))
        actions.append(spender(rng, game))
        game.play(actions[-1])
    assert pending or players == 1
    for number in {*range(0, len(copies), 6), *pending}:
        other, first = copies[number]
        for action in actions[number:]:
            other.play(action)
        assert other.events[first if way != "text" else 0 :] == game.events[first:]
        assert other.text() == game.text()
        if way != "text":
            assert other.outcome() == game.outcome()


@pytest.mark.parametrize("players", COUNTS)
def test_undo_returns_to_every_earlier_point(players: int) -> None:
    """Undone to the start, a game equals itself at every point; played again it comes to the same end."""
    for seed in SEEDS:
        rng = random.Random(seed)
        game = rich_game(players, seed)
        past, actions = [], []
        while not game.is_over:
            past.append((game.state, game.events))
            actions.append(spender(rng, game))
            game.play(actions[-1])
        end, events = game.state, game.events
        for state, kept_events in reversed(past):
            game.undo()
            assert fields_that_differ(game.state, state) == []
            assert game.events == kept_events
        assert game == rich_game(players, seed)
        for action in actions:
            game.play(action)
        assert fields_that_differ(game.state, end) == []
        assert game.events == events


@pytest.mark.parametrize("way", [way for way in WAYS if way != "text"])
@pytest.mark.parametrize("players", COUNTS)
def test_copy_can_be_undone_to_the_start(players: int, way: str) -> None:
    """A copy keeps the history: it can be undone as far as the original."""
    for seed in SEEDS:
        past = []
        for game in positions(players, seed):
            past.append(game.state)
        other = WAYS[way](game)
        for state in reversed(past[:-1]):
            assert fields_that_differ(other.undo().state, state) == []


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("players", COUNTS)
def test_copy_is_independent(players: int, way: str) -> None:
    """Nothing done to a copy changes the original, and the other way round."""
    for game in positions(players, 5):
        if game.is_over:
            break
        before, events = game.state, game.events
        other = WAYS[way](game)
        other.random_action()
        other.play(other.legal_actions()[-1])
        assert fields_that_differ(game.state, before) == []
        assert game.events == events
        third = WAYS[way](game)
        behind = third.state
        first = WAYS["copy"](game)
        first.play(first.legal_actions()[0])
        assert fields_that_differ(third.state, behind) == []


@pytest.mark.parametrize("way", [way for way in WAYS if way != "text"])
@pytest.mark.parametrize("players", COUNTS)
def test_copy_is_independent_when_it_is_undone_and_played_on(players: int, way: str) -> None:
    """A copy that is undone and played differently does not change the original's past."""
    past = []
    for game in positions(players, 5):
        past.append(game.state)
        if len(past) == 9:
            break
    other = WAYS[way](game)
    for _ in range(4):
        other.undo()
    while not other.is_over and len(other.events) < 40:
        other.play(other.legal_actions()[-1])
    for state in reversed(past[:-1]):
        assert fields_that_differ(game.undo().state, state) == []


@pytest.mark.parametrize("players", COUNTS)
def test_state_is_a_copy(players: int) -> None:
    """Changing the record that a game hands out changes nothing in the game."""
    game = Game(players, seed=1)
    text = game.text()
    state = game.state
    state["ready"] = 0
    state["deck"] = 0
    assert game.text() == text


@pytest.mark.parametrize("players", COUNTS)
def test_text_of_a_parsed_text_is_the_text(players: int) -> None:
    """text(parse(text)) == text, and what every seat sees and may do is the same, at every step of whole games."""
    for seed in SEEDS:
        for game in positions(players, seed):
            other = Game.from_text(game.text())
            assert other.text() == game.text()
            assert other.legal() == game.legal()
            seats = list(range(players))
            both = np.concatenate([game.state, other.state])
            for seat in seats:
                observations, masks = look(both, [seat, seat])
                assert (observations[0] == observations[1]).all()
                assert (masks[0] == masks[1]).all()
    outcome, other_outcome = game.outcome(), other.outcome()
    assert outcome is not None
    assert other_outcome is not None
    assert (outcome.scores, outcome.winners) == (other_outcome.scores, other_outcome.winners)


@pytest.mark.parametrize(("seed", "index"), [(2**64 - 1, 0), (0, 10**9 - 1), (1, 10**9), (2, 2**32 - 1)])
def test_text_carries_every_seed_and_index(seed: int, index: int) -> None:
    """Every seed and every number of a game that can be dealt can be written and read."""
    game = Game(2, seed=seed, index=index)
    assert Game.from_text(game.text()) == game


@pytest.mark.parametrize("players", COUNTS)
def test_equal_games_are_those_that_continue_in_the_same_way(players: int) -> None:
    """`==` notices a die, a generator, a hidden card: texts of different points of play are all different."""
    texts = [game.text() for game in positions(players, 13)]
    assert len(set(texts)) == len(texts)
    assert Game(players, seed=1) != Game(players, seed=2)
    assert Game(players, seed=1, index=1) != Game(players, seed=1)
