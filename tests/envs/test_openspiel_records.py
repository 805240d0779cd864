"""Games played in OpenSpiel are games of ours: records, returns, odds of dice."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

from crypt_env import Batch, CryptError, Game
from crypt_env.envs.openspiel import game_of_state, record_of_state, state_of_record
from crypt_env.envs.openspiel.odds import failures, ghost_dice, ghost_rolls, tie_break
from crypt_env.notation.record import random_game, replay, to_record
from crypt_env.rules.cards import MAX_PLAYERS
from crypt_env.rules.state import OVER, REWARD_NAMES
from envs.spiel import TABLES, load, walk


@pytest.mark.parametrize("text", TABLES)
def test_games_played_there_pass_replay(text: str) -> None:
    """A record of each, finished or not, is accepted, and its result is what OpenSpiel paid."""
    game = load(text)
    for seed in range(10):
        *_, before, end = walk(game, Random(seed))
        played = replay(record_of_state(end))
        assert [event.text for event in played.events if hasattr(event, "text")] == [
            end.action_to_string(item.player, item.action) for item in end.full_history() if item.player >= 0
        ]
        outcome = played.outcome()
        assert outcome is not None
        for seat, paid in enumerate(end.returns()):
            if game.num_players() > 1 and "reward=win" in str(game):
                assert (paid > 0) == (seat in outcome.winners) or not any(end.returns())
            elif "coins" in str(game):
                assert paid == outcome.scores[seat]
        middle = next(state for state in walk(game, Random(seed)) if state.is_player_node())
        assert not game_of_state(middle).is_over
        if before.is_chance_node():
            with pytest.raises(CryptError, match="only a state of the game 'crypt'"):
                game_of_state(before)


def test_a_position_in_the_middle_has_no_record() -> None:
    """Its first decisions are not known."""
    *_, end = walk(load("crypt_endgame"), Random(1))
    with pytest.raises(CryptError, match="only a state of the game 'crypt'"):
        record_of_state(end)


@pytest.mark.slow
def test_returns_equal_those_of_the_engine() -> None:
    """A thousand games of a batch, played again in OpenSpiel, pay the same: all table sizes and rewards."""
    for players, reward in product(range(1, 5), REWARD_NAMES):
        games = 84
        batch = Batch(games, players=players, reward=reward, seed=5, restarts=False)
        batch.reset()
        paid = np.zeros((games, MAX_PLAYERS))
        while (batch.states["phase"] != OVER).any():
            paid += batch.step_random().rewards
        for index in range(games):
            state = state_of_record(to_record(random_game(players, seed=5, index=index)), reward)
            assert state.is_terminal()
            np.testing.assert_allclose(state.returns(), paid[index, :players], atol=1e-6)


def test_an_unfinished_record_leads_to_its_last_decision() -> None:
    """What it knows is played, and then a seat decides."""
    record = to_record(Game(players=3, collectors="AAABBB", seed=4).play("place 0 1x2"))
    state = state_of_record(record)
    assert state.is_player_node()
    assert record_of_state(state)["events"] == record["events"]


@pytest.mark.parametrize("dice", [1, 2, 3])
def test_odds_of_failing(dice: int) -> None:
    """They are the shares of all rolls."""
    for effort in range(1, 7):
        rolls = Counter(sum(face < effort for face in roll) for roll in product(range(1, 7), repeat=dice))
        assert dict(failures(dice, effort)) == pytest.approx({failed: n / 6**dice for failed, n in rolls.items()})


@pytest.mark.parametrize("dice", [1, 2, 3])
def test_odds_of_the_ghost(dice: int) -> None:
    """They are the shares of all rolls, in any order."""
    rolls = Counter(tuple(sorted(roll)) for roll in product(range(1, 7), repeat=dice))
    assert {ghost_dice(dice)[place]: share for place, share in ghost_rolls(dice)} == pytest.approx(
        {roll: n / 6**dice for roll, n in rolls.items()}
    )


def test_odds_of_a_tie_break() -> None:
    """Two equal seats win equally often; a seat without a die cannot win; the rest follows from all rolls."""
    assert tie_break(((0, 1), (1, 1))) == ((0, 0.5), (1, 0.5))
    assert tie_break(((0, 0), (2, 3))) == ((2, 1.0),)
    assert dict(tie_break(((0, 2), (1, 2), (3, 2)))) == pytest.approx({0: 1 / 3, 1: 1 / 3, 3: 1 / 3})
    # One die against two: of 216 rolls 15 + ... the single die is higher in 20, equal in 15.
    higher = sum(first > second + third for first, second, third in product(range(1, 7), repeat=3))
    equal = sum(first == second + third for first, second, third in product(range(1, 7), repeat=3))
    assert dict(tie_break(((0, 1), (1, 2))))[0] == pytest.approx(higher / (216 - equal))


def test_odds_of_a_tie_break_of_three() -> None:
    """Three seats with 1, 2 and 2 dice: solved by going through all rolls."""
    tied = ((0, 1), (1, 2), (2, 2))
    total = Counter[tuple[tuple[int, int], ...]]()
    for roll in product(range(1, 7), repeat=5):
        sums = (roll[0], roll[1] + roll[2], roll[3] + roll[4])
        total[tuple(member for member, points in zip(tied, sums, strict=True) if points == max(sums))] += 1
    share = sum(n * dict(tie_break(left)).get(0, 0) for left, n in total.items() if left != tied and len(left) > 1)
    share += total[((0, 1),)]
    assert dict(tie_break(tied))[0] == pytest.approx(share / (6**5 - total[tied]))
