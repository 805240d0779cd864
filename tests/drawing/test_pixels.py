"""Pixels: the right shape, the same every time, no system library or font."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import numpy as np
import pytest

from crypt_env import CryptError, Game
from crypt_env.drawing import draw_pixels, pixels, scene_of_game
from crypt_env.drawing.board import picture_of
from crypt_env.drawing.shapes import Text, text_width
from crypt_env.drawing.themes import THEMES
from drawing.moments import CASES, all_scenes, flat, game_at

pytest.importorskip("PIL")

DIGEST = """
from crypt_env import Game
from crypt_env.drawing import draw_pixels, scene_of_game
import hashlib
print(hashlib.sha256(draw_pixels(scene_of_game(Game(3, "AABBAB", 0, seed=5), 1))).hexdigest())
"""


def forget() -> None:
    """Clear the cache of rasterized shapes."""
    for kept in (pixels._rasterised, pixels._word, pixels._font):
        kept.cache_clear()


@pytest.mark.parametrize(("width", "height"), [(640, 480), (1280, 960), (64, 64), (333, 777), (1920, 1080)])
@pytest.mark.parametrize("dark", [False, True])
def test_the_shape_is_that_which_was_asked_for(width: int, height: int, dark: bool) -> None:
    frame = draw_pixels(scene_of_game(Game(4, seed=1)), width, height, dark)
    assert frame.shape == (height, width, 3)
    assert frame.dtype == np.uint8
    assert frame.flags.owndata
    assert frame.flags.writeable
    assert frame.flags.c_contiguous
    assert len(np.unique(frame.reshape(-1, 3), axis=0)) > 20


@pytest.mark.parametrize(("players", "kind"), CASES)
def test_every_position_can_be_drawn(players: int, kind: str) -> None:
    frames = [draw_pixels(scene, dark=bool(number % 2)) for number, scene in enumerate(all_scenes(players, kind))]
    assert all(frame.shape == (480, 640, 3) for frame in frames)


def test_frames_are_the_same_every_time_and_independent() -> None:
    scene = scene_of_game(game_at(3, "claim"), 2)
    first = draw_pixels(scene)
    kept = first.copy()
    first[:] = 7
    assert (draw_pixels(scene) == kept).all()
    draw_pixels(scene, 800, 600, True)
    forget()
    assert (draw_pixels(scene) == kept).all()


def test_other_processes_draw_the_same() -> None:
    done = subprocess.run([sys.executable, "-c", DIGEST], capture_output=True, text=True, check=True)
    frame = draw_pixels(scene_of_game(Game(3, "AABBAB", 0, seed=5), 1))
    assert done.stdout.strip() == hashlib.sha256(frame).hexdigest()


def test_what_is_left_over_has_the_colour_of_the_page() -> None:
    for dark in (False, True):
        page = tuple(bytes.fromhex(THEMES[dark]["page"][1:]))
        frame = draw_pixels(scene_of_game(Game(2, seed=1)), 1000, 300, dark)
        assert (frame[:, :250] == page).all()
        assert (frame[:, -250:] == page).all()
        assert not (frame == page).all()


@pytest.mark.parametrize(
    ("width", "height"),
    [
        ("9" * 100, 480),
        (0, 480),
        (63, 480),
        (640, 5000),
        (-1, 480),
        (640.0, 480),
        (True, 480),
        ("640", 480),
        (None, 480),
    ],
)
def test_sizes_that_are_not_possible(width: object, height: object) -> None:
    with pytest.raises(
        CryptError, match=r"^(width|height)=.{,70} is not possible; allowed are whole numbers from 64 to 4096$"
    ):
        draw_pixels(scene_of_game(Game(2, seed=1)), width, height)  # type: ignore[arg-type]


def test_numpy_sizes_are_sizes() -> None:
    assert draw_pixels(scene_of_game(Game(2, seed=1)), np.int64(640), np.int32(480)).shape == (480, 640, 3)


def test_without_pillow_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(CryptError, match=r"^drawing pixels needs Pillow; run pip install pillow$"):
        draw_pixels(scene_of_game(Game(2, seed=1)))


def test_the_font_comes_with_pillow() -> None:
    """It is read from memory, so that no system font can replace it."""
    from io import BytesIO

    from PIL import ImageFont

    font = ImageFont.load_default(20)
    assert isinstance(font, ImageFont.FreeTypeFont)
    assert isinstance(font.path, BytesIO)
    assert pixels._font(20.0).getname() == font.getname() == ("Aileron", "Regular")


def test_texts_are_no_wider_than_the_layout_expects() -> None:
    """Widths are computed without Pillow. Words of all pictures keep to them, and to letters that the font has."""
    texts = {
        (shape.text, shape.is_bold)
        for players, kind in CASES
        for scene in all_scenes(players, kind)
        for shape, *_ in flat(picture_of(scene))
        if isinstance(shape, Text)
    }
    assert len(texts) > 100
    missing = pixels._font(100.0).getmask("\uffff").getbbox()
    for text, is_bold in texts:
        assert pixels._font(100.0).getlength(text) <= text_width(text, 100, is_bold), text
        assert all(pixels._font(100.0).getmask(letter).getbbox() != missing for letter in text.replace(" ", "")), text


def test_few_sprites_are_kept() -> None:
    """The cache size depends on the number of kinds of sprites, not on the number of frames."""
    forget()
    sizes = []
    for _ in range(2):
        for players, kind in CASES:
            for scene in all_scenes(players, kind):
                draw_pixels(scene)
        sizes.append(pixels._rasterised.cache_info().currsize)
    assert sizes[0] == sizes[1] < 500
