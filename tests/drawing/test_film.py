"""Games as animated GIFs."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest

from crypt_env import CryptError, Game, random_game
from crypt_env.drawing import draw_gif, draw_pixels, scene_of_game

Image = pytest.importorskip("PIL.Image")


def test_every_scene_is_a_picture_and_the_last_one_stays_longer():
    game = Game(3, seed=1)
    scenes = [scene_of_game(game)]
    while len(scenes) < 5:
        game.play(game.random_action())
        scenes.append(scene_of_game(game))
    with Image.open(BytesIO(draw_gif(scenes, 320, 240, dark=True, seconds=0.5))) as film:
        assert (film.size, film.n_frames) == ((320, 240), 5)
        pauses = []
        for number in range(film.n_frames):
            film.seek(number)
            pauses.append(film.info["duration"])
    assert pauses == [500, 500, 500, 500, 2000]


def test_colours_are_those_of_all_pictures():
    """Also where the first picture has none of them."""
    game = random_game(4, "AAAAAA", seed=3)
    scenes = [scene_of_game(Game(1, seed=1)), scene_of_game(game, 2), scene_of_game(game, 3)]
    with Image.open(BytesIO(draw_gif(scenes))) as film:
        for number, scene in enumerate(scenes):
            film.seek(number)
            shown = np.asarray(film.convert("RGB")).astype(int)
            assert np.abs(shown - draw_pixels(scene)).max() < 40


def test_nothing_is_no_film():
    with pytest.raises(CryptError, match="there are no scenes"):
        draw_gif([])


@pytest.mark.parametrize("seconds", [-1, "x", None, True, float("nan"), float("inf"), 101])
def test_times_that_are_not_possible(seconds):
    with pytest.raises(CryptError, match=r"seconds=.* is not possible; a number from 0 to 100 is needed"):
        draw_gif([scene_of_game(Game(1, seed=1))], seconds=seconds)


def test_the_longest_time_can_be_stored():
    with Image.open(BytesIO(draw_gif([scene_of_game(Game(1, seed=1))], 320, 240, seconds=100))) as film:
        assert film.info["duration"] == 400_000
