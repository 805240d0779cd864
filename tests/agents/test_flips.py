"""Which card the rules of thumb flip, and when they answer a take."""

from __future__ import annotations

import pytest

from crypt_env import Game
from crypt_env.agents import make_agent
from rules.payments import PENDING, TABLE, asked, choose
from rules.scenes import play, scene

RULES_OF_THUMB = ("greedy", "tuned", "ghost")
SIX = "T4 J2 T1 J1 J3 J4"


def choice(name: str, game: Game) -> str:
    """Return what an agent plays."""
    return make_agent(name).choose(game)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("kind", PENDING)
@pytest.mark.parametrize("name", RULES_OF_THUMB)
def test_every_flip_that_is_asked_is_answered(name: str, kind: str, players: int) -> None:
    game = PENDING[kind](players)
    while asked(game):
        assert choice(name, game) in game.legal()
        game.play(choice(name, game))


@pytest.mark.parametrize("name", RULES_OF_THUMB)
@pytest.mark.parametrize("reward", ["reroll", "peek"])
def test_the_card_that_most_others_have_seen_is_flipped(name: str, reward: str) -> None:
    """It tells least, though it is a 4: one of three others knows it already."""
    assert choice(name, choose(reward, "2:0 4:0+01 3:0", players=4)) == "flip 4"
    assert choice(name, choose(reward, "2:0+01 4:0 3:0+012", players=4)) == "flip 3"


@pytest.mark.parametrize("name", RULES_OF_THUMB)
@pytest.mark.parametrize("reward", ["reroll", "peek"])
def test_of_equally_secret_cards_the_most_ordinary_is_flipped(name: str, reward: str) -> None:
    """The others expect something between 2 and 3, so a 1 or a 4 would tell them most."""
    assert choice(name, choose(reward, "1:0 2:0 4:0", players=4)) == "flip 2"
    assert choice(name, choose(reward, "4:0 3:0 1:0", players=4)) == "flip 3"


@pytest.mark.parametrize("name", RULES_OF_THUMB)
def test_a_second_card_is_chosen_as_the_first_one_was(name: str) -> None:
    game = choose("take", "1:0 4:0+01 3:0", players=4)
    for text in ("flip 4", "flip 3"):
        assert choice(name, game) == text
        game.play(text)


@pytest.mark.parametrize(("public", "downs", "answer"), [("M1", "", "peek"), ("M1", "c,c+1", "done")])
def test_greedy_answers_a_take_if_it_sees_a_card_that_stays(public: str, downs: str, answer: str) -> None:
    """To see only what is gone at once is not worth a Manuscript."""
    game = scene(4, TABLE, SIX, phase="before", public=("P1 P2", public), downs=downs)
    assert choice("greedy", play(game, "take 4")) == answer


@pytest.mark.parametrize("name", ["greedy", "tuned", "ghost"])
def test_with_one_face_down_card_nobody_answers(name: str) -> None:
    game = scene(3, TABLE, "T4 J2 T1 J3", phase="before", public=("P1 P2", "M1"))
    assert choice(name, play(game, "take 3")) == "done"
