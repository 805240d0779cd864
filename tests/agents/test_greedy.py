"""The greedy agent: its contract as an agent, and scenes in which the right move is known."""

from __future__ import annotations

import pytest

from agents.trials import check_hidden, check_legal, check_plain, check_rows, scores
from crypt_env import Game
from crypt_env.agents import GreedyAgent, make_agent
from rules.scenes import play, scene


def choice(game: Game) -> str:
    """Return what the agent plays."""
    return make_agent("greedy").choose(game)


def whole_turn(game: Game) -> list[str]:
    """Return what the agent plays until another seat is asked, or its turn is over."""
    played, mover = [], game.to_move
    while not game.is_over and game.to_move == mover and (not played or "done" in game.legal()):
        played.append(choice(game))
        game.play(played[-1])
    return played


# -- the contract of an agent -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_it_plays_only_legal_actions(players):
    check_legal("greedy", players)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_a_decision_depends_on_nothing_but_its_own_row(players):
    check_rows("greedy", players)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_hidden_cards_do_not_matter(players):
    check_hidden("greedy", players)


def test_plain_python_decides_alike():
    check_plain("greedy")


def test_it_is_known_by_name():
    assert isinstance(make_agent("greedy"), GreedyAgent)
    assert make_agent("greedy").name == "greedy"


# -- claiming ---------------------------------------------------------------------------------------------------------


def test_on_lights_out_the_best_free_card_costs_one_die_of_effort_one():
    assert choice(scene(2, "A", "T4 I1 J1", turn=2)) == "place 0 1x1"


def test_where_effort_must_be_exceeded_the_smallest_risk_is_chosen():
    # 2x2 risks two sixths of a die, 1x4 three sixths.
    assert choice(scene(2, "A", "T4 I1 J1", turn=2, table="1:1x3,.,.")) == "place 0 2x2"


def test_nothing_is_risked_where_no_opponent_has_dice():
    game = scene(2, "B", "T4 I3 J1", turn=1, exhausted=(3, 0))
    assert whole_turn(game) == ["place 0 1x1", "place 1 1x1", "place 2 1x1"]


def test_more_effort_where_an_opponent_still_moves():
    # The opponent's last die could exceed 5, but not 6.
    crypt, table = "T4 I1 J1", ".,0:1x6,0:1x6"
    assert choice(scene(2, "A", crypt, turn=1, table=table, exhausted=(0, 2))) == "place 0 1x6"
    assert choice(scene(2, "A", crypt, turn=1, table=table, exhausted=(1, 2))) == "place 0 1x1"


def test_a_set_is_worth_more_than_a_coin():
    public = ("R1 R2 R3",)
    assert choice(scene(2, "B", "T3 R4 I1", public=public, turn=2)) == "place 1 1x1"
    assert choice(scene(2, "BBBBAB", "T4 R3 I1", public=("R1 R2 R4",), turn=2)) == "place 0 1x1"


# -- recovering -------------------------------------------------------------------------------------------------------


def test_it_recovers_when_only_a_poor_card_can_be_had():
    assert choice(scene(2, "A", "T4 M4 P1", turn=2, exhausted=(2, 0), table="1:1x6,1:1x6,.")) == "recover"


def test_it_continues_with_all_its_dice():
    assert choice(scene(2, "A", "T4 M4 P1", turn=2, table="1:1x6,1:1x6,.")) != "recover"


# -- Collectors that act ----------------------------------------------------------------------------------------------


def test_it_peeks_before_it_claims():
    assert choice(scene(2, "AABAAA", "T4 I1 J1", public=("M1 M2",))) == "peek"


def test_it_revives_a_die():
    assert choice(scene(2, "A", "T4 I1 J1", public=("R1 R2",), exhausted=(1, 0))) == "revive"


def test_it_takes_a_face_down_card():
    game = scene(2, "AAABAA", "T4 I1 J3", public=("P1 P2",), phase="before")
    assert choice(game) == "take 2"


def test_it_rerolls_the_die_that_is_likeliest_to_come_back():
    game = scene(2, "A", "T4 J1 P1", turn=2, table="0:1x3,0:1x6,.", public=("I1 I2 I3",))
    play(game, "place 2 1x2", (2,), (5,), (2,))
    assert game.legal() == ("done", "reroll 3", "reroll 6")
    assert choice(game) == "reroll 3"


# -- strength ---------------------------------------------------------------------------------------------------------


def test_it_beats_random_play():
    _, wins = scores("greedy", "random", players=2, games=384)
    assert wins > 0.95


def test_it_is_an_affluent_only_child():
    coins, _ = scores("greedy", "greedy", players=1, games=640)
    assert coins > 41
