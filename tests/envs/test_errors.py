"""Invalid arguments: one clear error of the right class, which quotes what was given and says what is allowed."""

import pickle
import re

import numpy as np
import pytest

from crypt_env import (
    ACTIONS,
    Batch,
    CryptError,
    Game,
    IllegalActionError,
    PositionError,
    RecordError,
    new_arrays,
    random_game,
    to_record,
)
from crypt_env.errors import counted
from crypt_env.rules.actions import DONE
from crypt_env.rules.state import REWARD_NAMES

PLAYERS = "allowed are 1 (against the Ghost), 2, 3 and 4"
TABLES = (
    "six letters A or B (Idol, Jewelry, Manuscript, Pottery, Remains, Tapestry) as in 'AABBAB', "
    "'A' or 'B' for all six, or 'random'"
)
SEEDS = "allowed are integers from 0 to 2**64 - 1"
COUNTS = "allowed are whole numbers from 1 up"


def sentence(call, error=ValueError):
    """Return the one sentence of the error that a call raises."""
    with pytest.raises(error) as caught:
        call()
    message = str(caught.value)
    assert message
    assert "\n" not in message
    return message


def test_all_errors_are_value_errors_of_one_family():
    for error in (IllegalActionError, PositionError, RecordError):
        assert issubclass(error, CryptError)
    assert issubclass(CryptError, ValueError)


# -- tables -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [0, 5, -1, True, False, "2", 2.0, None, [2]])
def test_wrong_number_of_players(players):
    assert sentence(lambda: Game(players)) == f"players={players!r} is not possible; {PLAYERS}"
    if not isinstance(players, list | type(None) | float):
        assert PLAYERS in sentence(lambda: Batch(2, players))
    if isinstance(players, int):
        assert sentence(lambda: random_game(players)) == f"players={players!r} is not possible; {PLAYERS}"


@pytest.mark.parametrize("players", [None, 2.0])
def test_wrong_number_of_players_of_a_batch(players):
    """Neither one number nor a number for each game."""
    assert repr(players) in sentence(lambda: Batch(2, players))


@pytest.mark.parametrize("collectors", ["AAC", "AB", "", "AABBABA", "AABBAX", "rndom", None, 0, ["A"] * 6])
def test_wrong_collectors(collectors):
    message = sentence(lambda: Game(2, collectors))
    assert message == f"collectors={collectors!r} is not a table; allowed are {TABLES}"
    assert sentence(lambda: Batch(2, 2, collectors)) == message


@pytest.mark.parametrize("collectors", ["AABBAB", "aabbab", " AABBAB "])
def test_letter_case_of_collectors_does_not_matter(collectors):
    assert Game(2, collectors, seed=1).collectors == "AABBAB"
    assert Game(2, "b", seed=1).collectors == "BBBBBB"


WRONG_LEADERS = [(2, 2), (-1, 2), (4, 4), (1, 1), (True, 2), ("0", 2), ("Random", 3), (0.0, 2), (None, 2)]


@pytest.mark.parametrize(("leader", "players"), WRONG_LEADERS)
def test_wrong_leaders(leader, players):
    seats = "seat 0" if players == 1 else f"the seats 0 to {players - 1}"
    expected = f"leader={leader!r} is not possible with {counted(players, 'player')}; allowed are {seats} and 'random'"
    assert sentence(lambda: Game(players, leader=leader)) == expected
    assert sentence(lambda: Batch(3, players, leader=leader)) == expected


def test_the_leader_of_a_batch_sits_at_its_smallest_table():
    assert "leader=2 is not possible with 2 players" in sentence(lambda: Batch(2, [2, 4], leader=2))


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, "7", True, [7]])
def test_wrong_seeds(seed):
    expected = f"seed={seed!r} is not possible; {SEEDS}"
    assert sentence(lambda: Game(2, seed=seed)) == expected
    assert sentence(lambda: Batch(2, seed=seed)) == expected
    batch = Batch(2, seed=3)
    before = batch.reset().observations.copy()
    states = batch.states.copy()
    assert sentence(lambda: batch.reset(seed)) == expected
    assert (batch.states == states).all()
    assert (batch.reset().observations == before).all()
    game = Game(2, seed=3)
    assert sentence(lambda: game.resample(0, seed)) == expected


def test_the_largest_seed_is_possible():
    assert Game(2, seed=2**64 - 1).seed == 2**64 - 1
    assert Batch(2, seed=np.uint64(2**64 - 1)).seed == 2**64 - 1


@pytest.mark.parametrize("index", [-1, 2**32, "x", 1.5, None, True])
def test_wrong_index(index):
    """An index is a 32-bit integer."""
    message = sentence(lambda: Game(2, seed=1, index=index))
    assert repr(index) in message
    assert "index" in message


@pytest.mark.parametrize("first_index", [-1, 2**32])
def test_wrong_first_index(first_index):
    message = sentence(lambda: Batch(2, seed=1, first_index=first_index))
    assert str(first_index) in message


# -- decks ------------------------------------------------------------------------------------------------------------


def test_wrong_decks():
    deck = list(Game(2, seed=1).deck)
    for wrong in ([deck[0], *deck[:-1]], deck[:-1] + deck[:1]):
        assert re.fullmatch(
            r"not a deck for 2 players: found [02] of [A-Z]\d, expected 1; the deck has 24 cards",
            sentence(lambda wrong=wrong: Game(2, deck=wrong)),
        )
    assert "expected 1; the deck has 24 cards" in sentence(lambda: Game(2, deck=deck[:-1]))
    assert "not a deck for 1 player: " in sentence(lambda: Game(1, deck=deck * 2))
    assert "not a deck for 4 players: " in sentence(lambda: Game(4, deck=deck))
    assert "the deck has 36 cards" in sentence(lambda: Game(3, deck=[]))
    for card in ("T5", "t4", "X1", "", "T4 ", None, 4):
        assert sentence(lambda card=card: Game(2, deck=[card, *deck[1:]])) == (
            f"not a card: {card!r}; expected a type letter IJMPRT and a value 1-4, as in 'T4'"
        )
    assert Game(2, deck=tuple(deck)).deck == tuple(deck)


# -- batches ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [0, -1, 1.0, "2", True, None])
def test_wrong_numbers_of_games_and_threads(number):
    assert sentence(lambda: Batch(number)) == f"games={number!r} is not possible; {COUNTS}"
    assert sentence(lambda: Batch(2, threads=number)) == f"threads={number!r} is not possible; {COUNTS}"


@pytest.mark.parametrize("reward", ["x", "Win", "", None, 0])
def test_wrong_rewards(reward):
    expected = f"reward={reward!r} is not known; allowed are {', '.join(map(repr, REWARD_NAMES))}"
    assert sentence(lambda: Batch(2, reward=reward)) == expected


def test_players_for_each_game_must_be_as_many_as_the_games():
    expected = "players has 3 entries for 2 games; give one number, or one for each game"
    assert sentence(lambda: Batch(2, [2, 3, 4])) == expected
    assert PLAYERS in sentence(lambda: Batch(2, [2, 5]))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("action", [DONE, ACTIONS - 1, ACTIONS, 1000, -3])
def test_an_illegal_action_changes_no_game_of_a_batch(threads, action):
    batch = Batch(4, 2, "AAAAAA", seed=9, threads=threads)
    batch.reset()
    states = batch.states.copy()
    actions = np.array([109, 109, action, 109], np.int64)
    into = new_arrays(4)
    message = sentence(lambda: batch.step(actions, into), IllegalActionError)
    assert message.startswith("game 2: illegal action ")
    assert f"for seat {states['mover'][2]}; legal: place 0 1x1" in message
    assert "crypt1" not in message
    assert (f"{action}, which is not an action (0 to {ACTIONS - 1})" in message) == (not 0 <= action < ACTIONS)
    assert (batch.states == states).all()
    assert not into.observations.any()


# -- playing ----------------------------------------------------------------------------------------------------------


def refused(game, call, error=IllegalActionError):
    """Return the sentence of a refused call, which must leave the game as it was."""
    before, events, history = game.copy(), game.events, len(game._history)
    message = sentence(call, error)
    assert game == before
    assert (game.state == before.state).all()
    assert game.events == events
    assert len(game._history) == history
    return message


@pytest.mark.parametrize(
    "action", ["", "pass", "place 9 1x1", "place 0 1x7", None, True, False, 1.0, b"done", ["done"], -1]
)
def test_malformed_actions(action):
    game = Game(2, "AAAAAA", seed=1)
    for play in (game.play, lambda action: game.play_with_dice(action, [])):
        message = refused(game, lambda play=play: play(action))
        assert message.startswith(f"not an action: {action!r}; expected ")
        assert "legal: " in message
        assert "place 0 1x1" in message
        assert "recover" in message


@pytest.mark.parametrize("action", ["done", "peek", "revive", "take 0", "reroll 4", "place 3 1x1", "place 5 3x6", 108])
def test_illegal_actions(action):
    game = Game(2, "AAAAAA", seed=1)
    message = refused(game, lambda: game.play(action))
    text = action if isinstance(action, str) else "done"
    assert message.startswith(f"illegal action {text!r} for seat {game.to_move}; legal: place 0 1x1")
    assert "crypt1" not in message


@pytest.mark.parametrize("action", [ACTIONS, 1000, -2, -3, 2**31, 2**63 - 1, 2**63, 2**70, -(2**70), np.int8(-2)])
def test_numbers_that_are_not_actions(action):
    game = Game(2, "AAAAAA", seed=1)
    assert f"illegal action {action}, which is not an action (0 to {ACTIONS - 1})" in refused(
        game, lambda: game.play(action)
    )


def test_too_weak_a_placement_and_a_second_visit_to_a_slot():
    game = Game(2, "AAAAAA", seed=1).play("place 1 1x3")
    assert "illegal action 'place 0 1x1'" in refused(game, lambda: game.play("place 0 1x1"))
    assert "illegal action 'place 1 2x6'" in refused(game, lambda: game.play("place 1 2x6"))
    assert "illegal action 'recover'" in refused(game, lambda: game.play("recover"))
    game.play("done")
    assert "illegal action 'place 1 1x3'" in refused(game, lambda: game.play("place 1 1x3"))
    assert "illegal action 'place 1 3x1'" in refused(game, lambda: game.play("place 1 3x1"))
    assert game.play("place 1 2x2").events[-1].text == "place 1 2x2"


def test_undo_at_the_start():
    expected = "nothing to undo: no decision was made since the game began"
    game = Game(2, seed=1)
    assert refused(game, game.undo, CryptError) == expected
    game.play(game.random_action()).undo()
    assert refused(game, game.undo, CryptError) == expected
    middle = Game.from_text(Game(2, seed=1).play("recover").text())
    assert refused(middle, middle.undo, CryptError) == expected


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_nothing_can_be_played_after_the_end(players):
    game = random_game(players, seed=2)
    for action in ("done", "nonsense", 0, None):
        message = refused(game, lambda action=action: game.play(action))
        assert message == f"the game is over ({game.outcome()}); {action!r} cannot be played"
    assert "no action to draw" in refused(game, game.random_action, CryptError)
    assert "the game is over; there is nothing left to deal again" in refused(
        game, lambda: game.resample(0, 1), CryptError
    )
    assert game.legal() == ()
    assert game.legal_actions() == []
    assert game.to_move is None
    assert not any(game.mask(seat).any() for seat in range(players))


@pytest.mark.parametrize("seat", [2, -1, "0", None, True, 0.0])
def test_resampling_for_a_seat_that_does_not_exist(seat):
    game = Game(2, seed=1)
    assert refused(game, lambda: game.resample(seat, 1), CryptError) == f"no player on seat {seat!r}; seats are 0 to 1"


# -- given dice -------------------------------------------------------------------------------------------------------


@pytest.fixture
def before_roll():
    """A solo game in which the Ghost rolls three dice after the next decision."""
    return Game(1, "AAAAAA", seed=1)


@pytest.mark.parametrize(
    "dice", [[], [[]], [[1]], [[1, 2]], [[1, 2, 3, 4]], [[0, 1, 2]], [[7, 1, 2]], [["1", "2", "3"]], [(1, 2, None)]]
)
def test_dice_that_do_not_fit(before_roll, dice):
    message = refused(before_roll, lambda: before_roll.play_with_dice("recover", dice), CryptError)
    shown = list(dice[0]) if dice else []
    assert message == f"given dice {shown} do not fit: 3 results from 1 to 6 are needed here"


@pytest.mark.parametrize("dice", [[5], [None], [[1, 2, [3]]]])
def test_dice_that_are_not_dice_leave_the_game_as_it_was(before_roll, dice):
    message = refused(before_roll, lambda: before_roll.play_with_dice("recover", dice), CryptError)
    assert message == f"given dice {dice[0]} do not fit: 3 results from 1 to 6 are needed here"


@pytest.mark.parametrize("dice", [3, None, 1.5])
def test_dice_that_are_not_a_list_leave_the_game_as_it_was(before_roll, dice):
    message = refused(before_roll, lambda: before_roll.play_with_dice("recover", dice), CryptError)
    assert message == f"given dice {dice} do not fit: a list with the results of each roll is needed"


def test_dice_whose_source_fails_leave_the_game_as_it_was(before_roll):
    def failing():
        yield from ()
        raise OSError("no dice today")

    before = before_roll.copy()
    with pytest.raises(OSError, match="no dice today"):
        before_roll.play_with_dice("recover", failing())
    assert before_roll == before
    assert before_roll.events == ()


def test_dice_that_fit_are_used(before_roll):
    game = before_roll.play_with_dice("recover", [[6, 6, 2]])
    assert game.events[1].results == (6, 6, 2)


# -- records and pickles ----------------------------------------------------------------------------------------------


def test_a_position_has_no_record():
    game = Game.from_text(Game(2, seed=1).text())
    expected = "a game that began with a position has no record: its first decisions are not known"
    assert sentence(lambda: to_record(game), RecordError) == expected
    assert sentence(lambda: to_record(Game(2, seed=1).resample(0, 1)), RecordError) == expected
    assert sentence(lambda: to_record(pickle.loads(pickle.dumps(game))), RecordError) == expected


@pytest.mark.parametrize("error", [CryptError, IllegalActionError, PositionError, RecordError])
def test_errors_survive_a_pickle(error):
    again = pickle.loads(pickle.dumps(error("what was given and what is allowed")))
    assert type(again) is error
    assert str(again) == "what was given and what is allowed"
