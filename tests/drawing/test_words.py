"""The picture in words: for screen readers, and beside the picture."""

from __future__ import annotations

import re

import pytest

from crypt_env.drawing import scene_of_game
from crypt_env.drawing.words import ghost_words, headline, question
from drawing.moments import CASES, all_scenes
from property.play import COUNTS, rich_positions


@pytest.mark.parametrize(("players", "kind"), CASES)
def test_the_headline_is_whole_sentences(players: int, kind: str) -> None:
    for scene in all_scenes(players, kind):
        words = headline(scene)
        assert not re.search(r"[?.:][?.:]|: \.|  ", words), words
        assert " In the Crypt: " in words
        rolling = headline(scene._replace(phase="rolling"))
        assert not re.search(r"[?.:][?.:]|: \.|  ", rolling), rolling


@pytest.mark.parametrize(("pushed", "words"), [(1, "1 of its dice was"), (2, "2 of its dice were")])
def test_dice_of_the_ghost_that_were_pushed_off(pushed: int, words: str) -> None:
    scene = next(iter(all_scenes(1, "claim")))._replace(pushed_ghosts=pushed)
    assert ghost_words(scene).startswith(words)


@pytest.mark.parametrize("players", COUNTS)
def test_recovering_is_named_where_it_is_legal(players: int) -> None:
    found = set()
    for game in rich_positions(players, seed=3):
        scene = scene_of_game(game, game.to_move)
        if scene.phase == "claim" and scene.payment is None:
            is_legal = "recover" in game.legal()
            assert ("recover" in question(scene)) == is_legal
            found.add(is_legal)
    assert found == {True, False}
