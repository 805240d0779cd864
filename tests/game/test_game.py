"""`Game`: dealing, playing, copying, undoing, and its properties."""

import copy
import pickle
import re

import numpy as np
import pytest

from crypt_env import ACTIONS, Batch, Game, Reason, Sheet, random_game
from crypt_env.notation.events import Act, GhostRoll, Reroll, Roll, Tiebreak, event_text

PLAYER_COUNTS = [1, 2, 3, 4]
ROUNDS = {1: 8, 2: 8, 3: 9, 4: 8}
DECKS = {1: 24, 2: 24, 3: 36, 4: 48}


def played(players, decisions, collectors="ABABAB", seed=5):
    """Return a game after some decisions."""
    game = Game(players, collectors, seed=seed)
    for _ in range(decisions):
        game.play(game.random_action())
    return game


def test_the_example_of_the_class():
    game = Game(players=2, collectors="AABBAB", leader=0, seed=7)
    assert game.to_move == 0
    assert game.play("place 0 2x3").play("done").to_move == 1


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_a_new_game(players):
    game = Game(players, "AABBAB", leader=0, seed=11)
    assert (game.players, game.collectors, game.seed, game.round) == (players, "AABBAB", 11, 1)
    assert (game.leader, game.first_leader, game.to_move) == (0, 0, 0)
    assert len(game.deck) == DECKS[players]
    assert game.is_from_deal
    assert not game.is_over
    assert game.outcome() is None
    assert game.events == ()
    assert all(sheet == Sheet(0, 0, 0, 0, 0, 0, 0, 3) for sheet in game.sheets())
    assert len(game.sheets()) == players
    assert game.state.shape == (1,)


def test_defaults_are_two_players_at_a_random_table():
    games = [Game() for _ in range(40)]
    assert {game.players for game in games} == {2}
    assert len({game.collectors for game in games}) > 5
    assert {game.first_leader for game in games} == {0, 1}
    assert len({game.seed for game in games}) > 30


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_the_same_seed_gives_the_same_game(players):
    assert random_game(players, seed=9).events == random_game(players, seed=9).events
    assert random_game(players, seed=9) == random_game(players, seed=9)
    assert random_game(players, seed=9).events != random_game(players, seed=10).events
    assert random_game(players, seed=9).events != random_game(players, seed=9, index=1).events


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_game_i_of_a_batch_is_the_game_with_that_index(players):
    batch = Batch(3, players, seed=12, restarts=False, first_index=4)
    batch.reset()
    while not (batch.states["mover"] < 0).all():
        batch.step_random()
    for row in range(3):
        game = random_game(players, seed=12, index=4 + row)
        assert game.outcome().scores == tuple(batch.states["scores"][row][:players])
        assert sum(1 << seat for seat in game.outcome().winners) == batch.states["winners"][row]


def test_the_deck_does_not_depend_on_table_and_leader():
    assert Game(2, "AAAAAA", leader=0, seed=3).deck == Game(2, "BBBBBB", leader=1, seed=3).deck


def test_a_given_deck_is_played():
    deck = tuple(sorted(Game(3, seed=1).deck))
    game = Game(3, "AAAAAA", leader=1, seed=2, deck=deck)
    assert game.deck == deck
    assert (game.view(1)["slot_value"][:4] == [1, 2, 2, 0]).all()


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_the_leader_moves_on_and_the_rounds_are_counted(players):
    game = Game(players, seed=4)
    rounds = []
    while not game.is_over:
        assert game.leader == (game.first_leader + game.round - 1) % max(2, players)
        rounds.append(game.round)
        game.play(game.random_action())
    assert rounds == sorted(rounds)
    assert max(rounds) <= ROUNDS[players] == game.round


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_whole_games_roll_back_to_their_start(players):
    game = Game(players, "ABABAB", seed=6)
    points, actions = [], []
    while not game.is_over:
        actions.append(game.random_action())
        points.append((game.text(), game.events, game.sheets()))
        game.play(actions[-1])
    end = game.copy()
    for text, events, sheets in reversed(points):
        assert game.undo() is game
        assert (game.events, game.sheets()) == (events, sheets)
        assert game.text() == text
        assert game.is_from_deal
    for action in actions:
        game.play(action)
    assert game.events == end.events
    assert without_choice(game) == without_choice(end)


def without_choice(game):
    """Return the position without the generator that only draws actions."""
    return re.sub(" choice=[0-9a-f]+", "", game.text())


def test_play_after_undo_continues_with_the_same_dice():
    game = Game(1, "AAAAAA", seed=5)
    first = game.play("recover").events
    assert game.undo().play("recover").events == first


@pytest.mark.parametrize("players", PLAYER_COUNTS)
@pytest.mark.parametrize("way", [Game.copy, copy.copy, copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game))])
def test_copies_continue_identically_and_apart(players, way):
    game = played(players, 7)
    other = way(game)
    assert other == game
    assert hash(other) == hash(game)
    assert other is not game
    assert (other.events, other.is_from_deal) == (game.events, True)
    before = game.text()
    while not other.is_over:
        other.play(other.random_action())
    assert game.text() == before
    while not game.is_over:
        game.play(game.random_action())
    assert game == other
    assert game.events == other.events
    for _ in range(7):
        other.undo()
    assert game.is_over


def test_games_differ_if_they_continue_differently():
    game = played(2, 5)
    assert game != played(2, 6)
    assert game != game.resample(0, 1)
    assert game != played(2, 5, seed=8)
    assert game != game.text()
    assert len({played(2, 5), played(2, 5), played(2, 6)}) == 2


def test_the_state_is_a_copy():
    game = played(2, 5)
    before = game.text()
    game.state["ready"] = 0
    game.state[0]["deck"] = 0
    assert game.text() == before


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_events_are_the_log_of_the_game(players):
    game = Game(players, "ABABAB", seed=5)
    acts = []
    while not game.is_over:
        acts.append((game.to_move, game.random_action(), game.legal()))
        game.play(acts[-1][1])
    assert [tuple(event) for event in game.events if isinstance(event, Act)] == acts
    for event in game.events:
        assert isinstance(event, Act | Roll | Reroll | GhostRoll | Tiebreak)
        assert "\n" not in event_text(event)
        if isinstance(event, Roll):
            assert event.effort > 1
            assert 1 <= len(event.results) <= 3
        if isinstance(event, GhostRoll):
            assert players == 1


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (Act(1, "place 0 2x3", ("place 0 2x3", "recover")), "seat 1: place 0 2x3"),
        (Roll(0, 2, 4, (5, 1)), "seat 0 rolls 5 1 against 4 on slot 2"),
        (Reroll(3, 4, 2), "seat 3 re-rolls 2 against 4"),
        (GhostRoll((6, 6, 1)), "the Ghost rolls 6 6 1"),
        (Tiebreak(((0, (3, 4)), (2, ()))), "tie-break: seat 0 rolls 3 4, seat 2 rolls nothing"),
    ],
)
def test_events_in_words(event, words):
    assert event_text(event) == words


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_given_dice_are_used_and_the_generator_moves_on_alike(players):
    """Passing the dice that would have been rolled gives the same game."""
    rolled = random_game(players, "ABABAB", seed=5)
    game = Game(players, "ABABAB", seed=5)
    events = list(rolled.events)
    while events:
        act = events.pop(0)
        dice = []
        while events and not isinstance(events[0], Act):
            event = events.pop(0)
            if isinstance(event, Tiebreak):
                dice.append([result for _, results in event.rolls for result in results])
            else:
                dice.append([event.result] if isinstance(event, Reroll) else event.results)
        assert game.play_with_dice(act.text, dice) is game
    assert game.events == rolled.events
    assert without_choice(game) == without_choice(rolled)


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_the_end(players):
    reasons = set()
    for index in range(60):
        game = random_game(players, "ABABAB", seed=3, index=index)
        outcome = game.outcome()
        reasons.add(outcome.reason)
        assert outcome.scores == tuple(sheet.total for sheet in game.sheets())
        best = [seat for seat in range(players) if outcome.scores[seat] == max(outcome.scores)]
        assert set(outcome.winners) <= set(best)
        assert bool(outcome.tiebreak) <= (len(best) > 1)
        assert outcome.tiebreak == tuple(event for event in game.events if isinstance(event, Tiebreak))
        if players == 1:
            title = [Reason.FOOL] * 30 + [Reason.PETTY] * 10 + [Reason.AFFLUENT] * 10 + [Reason.MAGNIFICENT] * 100
            assert outcome.winners == (0,)
            assert outcome.reason is title[outcome.scores[0]]
            assert str(outcome) == f"{outcome.scores[0]} coins: {outcome.reason.value}"
        else:
            assert (outcome.reason is Reason.MOST_COINS) == (len(best) == 1)
            assert (outcome.reason is Reason.TIEBREAK) == (len(best) > 1 and len(outcome.winners) == 1)
            assert str(outcome).startswith(" and ".join(f"seat {seat}" for seat in outcome.winners) + " win")
            assert outcome.reason.value in str(outcome)
    assert len(reasons) > 1


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_the_board_shows_what_lies_open_and_nothing_else(players):
    game = Game(players, "AAAAAA", leader=0, seed=5)
    text = str(game)
    assert text.splitlines()[0].startswith(
        f"Crypt, {players} player{'s' * (players > 1)}, Collectors AAAAAA, round 1 of "
    )
    assert text.count("?") == (2 if players == 4 else 1)
    assert text.count("> seat") == 1
    assert ("Ghost" in text) == (players == 1)
    end = random_game(players, "AAAAAA", seed=5)
    assert str(end.outcome()) in str(end)
    assert "> seat" not in str(end)
    hidden = int(end.state[0]["held"].sum() - end.state[0]["public"].sum())
    assert str(end).count("?") == hidden


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_the_board_does_not_depend_on_what_is_hidden(players):
    game = played(players, 9)
    for seat in range(players):
        assert str(game.resample(seat, 3)) == str(game)


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_resampling_keeps_the_view_and_forgets_the_history(players):
    game = played(players, 9)
    for seat in range(players):
        other = game.resample(seat, seed=1)
        assert (other.observation(seat) == game.observation(seat)).all()
        assert (other.mask(seat) == game.mask(seat)).all()
        assert other.events == ()
        assert not other.is_from_deal
        assert other == game.resample(seat, seed=1)
        assert other != game.resample(seat, seed=2)
        assert other.deck != game.deck
        assert sorted(other.deck) == sorted(game.deck)
    assert played(players, 9) == game


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_masks_and_lists_say_the_same(players):
    game = Game(players, "BBBBBB", seed=8)
    while not game.is_over:
        actions = game.legal_actions()
        assert len(actions) == len(game.legal()) >= 2
        assert np.flatnonzero(game.mask(game.to_move)).tolist() == actions == sorted(actions)
        assert not any(game.mask(seat).any() for seat in range(players) if seat != game.to_move)
        drawn = game.copy().random_action()
        assert game.random_action() == drawn
        assert drawn in game.legal()
        game.play(drawn)


def test_every_action_that_is_not_listed_is_refused():
    for players in PLAYER_COUNTS:
        game = played(players, 6, "BBBBBB")
        legal = set(game.legal_actions())
        for action in range(ACTIONS):
            if action in legal:
                game.copy().play(action)
            else:
                with pytest.raises(ValueError, match="illegal action"):
                    game.play(action)
