"""Texts about a game keep its secrets, unless everything is requested."""

import copy
import pickle

import numpy as np
import pytest

from crypt_env import Batch, Game, IllegalActionError
from crypt_env.agents import load_network

CALLS = [
    lambda game: game.play("done"),
    lambda game: game.play("pass"),
    lambda game: game.play(108),
    lambda game: game.play(1000),
    lambda game: game.play(None),
]


def check_secrets(text, game):
    """Check that a text contains nothing of the deck, the seed or the generator."""
    state = game.state[0]
    for secret in ("crypt1", "deck", "".join(game.deck[3:]), str(game.seed), f"{state['chance']:x}"):
        assert secret not in text


@pytest.mark.parametrize("call", CALLS)
def test_a_refused_action_tells_what_is_legal_and_no_more(call):
    game = Game(2, "AAAAAA", seed=987654321987654321)
    with pytest.raises(IllegalActionError) as caught:
        call(game)
    error = caught.value
    assert "legal: place 0 1x1" in str(error)
    for text in (str(error), repr(error), repr(error.args)):
        check_secrets(text, game)
    assert error.position == game.text()
    assert Game.from_text(error.position) == game
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (str(again), again.position) == (str(error), error.position)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_keeps_the_position_of_the_game_that_refused(threads):
    batch = Batch(3, 2, "AAAAAA", seed=987654321987654321, threads=threads)
    batch.reset()
    actions = np.array([109, 108, 109])
    with pytest.raises(IllegalActionError) as caught:
        batch.step(actions)
    game = Game.from_state(batch.states[1:2])
    assert str(caught.value).startswith("game 1: illegal action 'done' for seat ")
    check_secrets(str(caught.value), game)
    assert caught.value.position == game.text()


def test_an_error_without_a_position():
    assert IllegalActionError("no").position is None


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_repr_is_short_and_keeps_secrets(players):
    game = Game(players, "AABBAB", leader=0, seed=987654321987654321)
    text = repr(game)
    assert text.startswith(f"<Game: {players} player{'s' * (players > 1)}, Collectors AABBAB, round 1, seat ")
    assert len(text) < 100
    check_secrets(text, game)
    check_secrets(repr([game]), game)
    while not game.is_over:
        game.play(game.random_action())
    assert repr(game).endswith(", over>")


def test_other_descriptions_are_short():
    """What a shell shows instead of an address: batches, views and networks."""
    game = Game(3, "AABBAB", leader=0, seed=987654321987654321)
    assert repr(game.view(1)) == "<View: 3 players, Collectors AABBAB, 8 more rounds, Leader: seat +2>"
    assert repr(Batch(1, players=1)) == "<Batch: 1 game of 1 player>"
    batch = Batch(5, players=[2, 4, 4, 2, 2], seed=987654321987654321)
    batch.reset()
    assert repr(batch) == "<Batch: 5 games of 2 or 4 players>"
    assert repr(load_network("duel")).startswith("<Network 'duel': 2 players, ")
