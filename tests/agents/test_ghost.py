"""The Ghost as a player: its contract as an agent, and its rule in scenes with given dice."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from agents.trials import check_hidden, check_legal, check_plain, check_rows, random_bits, scores
from crypt_env import Game
from crypt_env.agents import GhostAgent, make_agent
from crypt_env.agents.base import Decisions
from crypt_env.notation.actions import ACTION_TEXTS
from property.play import look
from rules.scenes import play, scene

_ALL_BITS = 2**64 - 1


def dice_of(bits: int, number: int) -> list[int]:
    """Return the dice that follow from some bits: splitmix64, the upper half of each number scaled to a die."""
    dice = []
    for _ in range(number):
        bits = bits + 0x9E3779B97F4A7C15 & _ALL_BITS
        mixed = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9 & _ALL_BITS
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & _ALL_BITS
        dice.append(((mixed ^ mixed >> 31) >> 32) * 6 // 2**32 + 1)
    return dice


def bits_for(*dice: int) -> int:
    """Return bits that produce these dice, in any order."""
    return next(bits for bits in count() if sorted(dice_of(bits, len(dice))) == sorted(dice))


def turn(game: Game, *dice: int) -> list[str]:
    """Return what the Ghost plays in a turn in which it rolls these dice; the later decisions get other bits."""
    agent, memory = make_agent("ghost"), np.zeros((1, GhostAgent.memory_size), np.float32)
    seat, played = game.to_move, []
    for bits in [bits_for(*dice), *random_bits(3, seed=5).tolist()]:
        if game.is_over or game.to_move != seat or (played and "done" not in game.legal()):
            break
        observations, masks = look(game.state, [seat])
        decision = Decisions(observations, masks, np.array([bits], np.uint64), memory=memory)
        played.append(ACTION_TEXTS[int(agent.act(decision)[0])])
        game.play(played[-1])
    return played


# -- the contract of an agent -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_it_plays_only_legal_actions(players):
    check_legal("ghost", players)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_a_decision_depends_on_nothing_but_its_own_row(players):
    check_rows("ghost", players)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_hidden_cards_do_not_matter(players):
    check_hidden("ghost", players)


def test_plain_python_decides_alike():
    check_plain("ghost")


def test_it_is_known_by_name():
    assert isinstance(make_agent("ghost"), GhostAgent)


# -- the rule of section 5 --------------------------------------------------------------------------------------------


def test_groups_go_to_the_best_cards_in_order_of_worth():
    # The face-down card counts 2.5, no matter what it is.
    assert turn(scene(2, "A", "T4 I1 J4"), 5, 5, 3) == ["place 0 2x5", "place 2 1x3"]
    assert turn(scene(2, "A", "T1 I3 J4"), 6, 3, 1) == ["place 0 1x1", "place 1 1x6", "place 2 1x3"]
    assert turn(scene(2, "A", "T1 I3 J4"), 2, 2, 2) == ["place 1 3x2"]


def test_of_equal_worth_the_group_with_more_dice_goes_first():
    assert turn(scene(2, "A", "T4 I3 J1"), 2, 2, 4) == ["place 0 2x2", "place 1 1x4"]


def test_of_equal_cards_the_leftmost_is_the_best():
    assert turn(scene(2, "A", "T3 I3 J1"), 6, 5, 5) == ["place 0 2x5", "place 1 1x6"]


def test_an_opponent_is_pushed_off_only_by_more_effort():
    assert turn(scene(2, "A", "T4 I3 J1", turn=1, table="0:1x5,.,."), 5, 2, 1) == [
        "place 1 1x5",
        "place 2 1x2",
    ]
    assert turn(scene(2, "A", "T4 I3 J1", turn=1, table="0:1x4,.,."), 5, 2, 2)[0] == "place 0 1x5"


def test_a_group_that_fits_nowhere_is_set_aside():
    game = scene(2, "A", "T4 I3 J1", turn=1, table="0:1x4,0:1x4,0:1x4")
    assert turn(game, 5, 3, 1) == ["place 0 1x5", "done"]


def test_only_the_first_group_is_placed_on_lights_out():
    assert turn(scene(2, "A", "T4 I3 J1", turn=2), 6, 3, 2) == ["place 0 1x6"]
    assert turn(scene(2, "A", "T4 I3 J1", turn=2, table="1:1x6,1:1x6,1:1x6"), 6, 5, 4) == ["recover"]


def test_it_does_not_push_itself_off():
    game = scene(2, "A", "T4 I3 J1", turn=2, table="0:1x1,.,.")
    assert turn(game, 6, 2) == ["place 1 1x6"]


def test_only_available_dice_are_rolled():
    assert turn(scene(2, "A", "T4 I3 J1", exhausted=(2, 0)), 4) == ["place 0 1x4"]


def test_it_recovers_where_nothing_fits():
    game = scene(2, "A", "T4 I3 J1", turn=1, table="0:1x6,0:1x6,0:1x6", exhausted=(0, 1))
    assert turn(game, 2, 3) == ["recover"]


def test_it_recovers_without_dice():
    game = scene(2, "AABAAA", "T4 I3 J1", public=("M1 M2",), exhausted=(3, 0))
    assert "peek" in game.legal()
    assert turn(game) == ["recover"]


def test_it_plays_no_collectors():
    taking = scene(2, "AAABAA", "T4 I1 J3", public=("P1 P2",), phase="before")
    failed = play(scene(2, "A", "T4 J1 P1", turn=2, public=("I1 I2",)), "place 0 1x4", (3,))
    assert turn(taking) == ["done"]
    assert turn(failed) == ["done"]


def test_a_plan_does_not_outlive_its_turn():
    agent, memory = make_agent("ghost"), np.full((1, GhostAgent.memory_size), 18, np.float32)
    game = scene(2, "A", "T4 I3 J1", exhausted=(2, 0))
    observations, masks = look(game.state, [0])
    bits = np.array([bits_for(4)], np.uint64)
    assert ACTION_TEXTS[int(agent.act(Decisions(observations, masks, bits, memory=memory))[0])] == "place 0 1x4"


def test_a_turn_begun_by_another_player_is_finished_with_the_dice_that_are_left():
    game = scene(2, "A", "T4 I3 J1").play("place 0 1x2")
    assert turn(game, 6, 6) == ["place 1 2x6"]


# -- strength ---------------------------------------------------------------------------------------------------------


def test_it_beats_random_play_and_loses_to_greedy_play():
    assert scores("ghost", "random", players=2, games=384)[1] > 0.8
    assert scores("ghost", "greedy", players=2, games=384)[1] < 0.2
