"""SVG: well-formed, the same every time, alike in both themes, without identifiers and without secrets."""

from __future__ import annotations

import json
import re
from collections import Counter
from xml.etree import ElementTree as ET

import pytest

from crypt_env import Batch, CryptError, Game
from crypt_env.drawing import draw_grid, draw_svg, scene_of_game, symbols_json
from crypt_env.drawing.board import picture_of
from crypt_env.drawing.shapes import Circle, Path, Put, Rect, Text, commands, outlines
from crypt_env.drawing.symbols import PIPS, SYMBOLS
from crypt_env.drawing.themes import THEMES
from crypt_env.rules.cards import KIND_NAMES
from drawing.moments import CASES, all_scenes, flat, game_at

SVG = "{http://www.w3.org/2000/svg}"
ALL_CARDS = (
    "crypt1 players=1 collectors=BAAABB deck=T2M4J2P1I1M3J4R2J3M2T4I4R4R1I3I2P4P3M1J1R3T3P2T1 round=8 leader=1 "
    "phase=over crypt=-,-,- downs=0+0,0+0,0+0,f+0,f+0,0+0,0+0,0+0 dice=3/0,3/0 "
    "public=I1I2I3I4J1J4M1M2M4P1P2P4R1R2R4T2T3T4 flipped=I2 idols=1:5 winners=0 decisions=12"
)
"""The end of a game in which a single player collected all cards: 103 coins."""


def words(svg: str) -> list[str]:
    """Return all texts and titles of a picture."""
    return [element.text or "" for element in ET.fromstring(svg).iter() if element.tag[len(SVG) :] in ("text", "title")]


@pytest.mark.parametrize(("players", "kind"), CASES)
@pytest.mark.parametrize("dark", [False, True])
def test_a_picture_is_well_formed(players: int, kind: str, dark: bool) -> None:
    for scene in all_scenes(players, kind):
        svg = draw_svg(scene, dark, 640)
        root = ET.fromstring(svg)
        assert root.tag == f"{SVG}svg"
        assert (root.get("width"), root.get("height"), root.get("viewBox")) == ("640", "480", "0 0 1280 960")
        assert f"round {scene.round} of {scene.rounds}" in (root.get("aria-label") or "")
        assert not re.search(r'\b(id|class|href|onload)="|<script|<style|<image', svg)
        assert svg == draw_svg(scene, dark, 640)
        assert len(svg) < 80_000


@pytest.mark.parametrize(("players", "kind"), CASES)
def test_titles_name_public_cards_and_no_hidden_ones(players: int, kind: str) -> None:
    """Every title that is a type and a value is a public card of the table, and all of them are there."""
    state = game_at(players, kind).state[0]
    cards = [int(card) for card, down in zip(state["card"], state["down"], strict=True) if card >= 0 > down]
    cards += [
        card for seat in range(players) for card, number in enumerate(state["public"][seat]) for _ in range(number)
    ]
    public = Counter(f"{KIND_NAMES[card // 4]} {card % 4 + 1}" for card in cards)
    shown = words(draw_svg(scene_of_game(game_at(players, kind))))
    assert Counter(text for text in shown if re.fullmatch(f"({'|'.join(KIND_NAMES)}) [1-4]", text)) == public
    assert not [text for text in shown if "face-down" in text and re.search(r" \d", text)]


def test_a_single_player_with_all_cards_is_the_magnificent() -> None:
    """The last title has no upper limit."""
    svg = draw_svg(scene_of_game(Game.from_text(ALL_CARDS)))
    assert "103 coins: The Magnificent" in svg
    assert svg.count(THEMES[False]["panel_mover"]) == 1
    shown = words(svg)
    assert [text for text in shown if re.fullmatch(r"\d+ (to \d+ coins|coins and more)", text)] == [
        "0 to 29 coins",
        "30 to 39 coins",
        "40 to 49 coins",
        "50 coins and more",
    ]


def test_what_a_seat_has_seen_is_in_its_picture() -> None:
    found = 0
    for players, kind in CASES:
        for scene in all_scenes(players, kind)[1:]:
            shown = Counter(words(draw_svg(scene)))
            hidden = [card for seat in scene.seats for cards in seat.collection for card in cards if not card.is_public]
            for card in hidden:
                name = KIND_NAMES[card.kind]
                assert any(
                    text.startswith(f"{name} {card.value}, face-down" if card.value else f"{name} of") for text in shown
                )
            found += len(hidden)
    assert found > 50


@pytest.mark.parametrize(("players", "kind"), CASES)
def test_everything_lies_within_the_picture(players: int, kind: str) -> None:
    for scene in all_scenes(players, kind):
        picture = picture_of(scene)
        assert all(isinstance(shape, (Put, Text)) for shape in picture.shapes)
        for shape in picture.shapes:
            if isinstance(shape, Put):
                assert shape.x >= -1
                assert shape.x + shape.sprite.width * shape.scale <= picture.width + 1
                assert shape.y >= -1
                assert shape.y + shape.sprite.height * shape.scale <= picture.height + 1


@pytest.mark.parametrize(("players", "kind"), CASES)
def test_no_letters_are_too_small_to_read(players: int, kind: str) -> None:
    """In a picture of 640 x 480 words are at least eight pixels high, numbers on signs of seats a little less."""
    for scene in all_scenes(players, kind):
        for shape, _, _, scale in flat(picture_of(scene)):
            if isinstance(shape, Text):
                assert shape.size * scale >= (15 if len(shape.text) > 3 else 13) or len(shape.text) <= 3


def test_themes_have_the_same_colours_by_name() -> None:
    assert THEMES[False].keys() == THEMES[True].keys()
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for theme in THEMES.values() for colour in theme.values())
    scene = scene_of_game(Game(2, seed=1))
    light, dark = draw_svg(scene), draw_svg(scene, dark=True)
    assert light != dark
    assert re.sub("#[0-9a-f]{6}", "", light) == re.sub("#[0-9a-f]{6}", "", dark)


@pytest.mark.parametrize("width", [0, -1, "a", None, 640.5, True])
def test_widths_that_are_not_possible(width: object) -> None:
    scene = scene_of_game(Game(2, seed=1))
    sentence = "^width=.* is not possible; allowed are whole numbers from 1 up$"
    with pytest.raises(CryptError, match=sentence):
        draw_svg(scene, width=width)  # type: ignore[arg-type]
    with pytest.raises(CryptError, match=sentence):
        draw_grid([scene], width=width)  # type: ignore[arg-type]


def test_several_games_are_a_grid() -> None:
    scenes = [scene_of_game(Game(players, seed=1)) for players in (1, 2, 3, 4)]
    svg = draw_grid(scenes)
    for scene in scenes:
        assert f"round 1 of {scene.rounds}" in svg
    assert ET.fromstring(svg).get("width") == "1000"
    ET.fromstring(draw_grid(scenes[:1], dark=True))
    with pytest.raises(CryptError, match="nothing to draw: there are no scenes"):
        draw_grid([])


def test_notebooks_show_games_views_and_batches() -> None:
    game = Game(3, seed=5)
    assert game._repr_svg_() == draw_svg(scene_of_game(game))
    assert "What you know" in game.view(1)._repr_svg_()
    batch = Batch(9, players=2)
    assert batch._repr_svg_() is None
    batch.reset()
    shown = batch._repr_svg_()
    assert shown is not None
    assert shown.count("What all can see") == 4


# -- the artwork ------------------------------------------------------------------------------------------------------


def test_symbols_are_plain_data() -> None:
    table = json.loads(symbols_json())
    assert table["format"] == "crypt-symbols/1"
    assert set(table["symbols"]) == set(SYMBOLS) >= {name.lower() for name in KIND_NAMES}
    assert [len(pips) for pips in table["pips"]] == list(range(7)) == [len(pips) for pips in PIPS]
    kinds = {"rect": Rect, "circle": Circle, "path": Path}
    for name, shapes in table["symbols"].items():
        made = tuple(kinds[shape.pop("shape")](**shape) for shape in shapes)
        assert made == SYMBOLS[name]


@pytest.mark.parametrize("name", SYMBOLS)
def test_a_symbol_stays_in_its_box(name: str) -> None:
    for shape in SYMBOLS[name]:
        assert {shape.fill, shape.stroke} <= {"", "main", "shade", "light", *THEMES[False]}
        if isinstance(shape, Path):
            for points, _ in outlines(shape.data):
                assert all(0 <= value <= 100 for point in points for value in point)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("M0 0 H5", "not a path"),
        ("M0 0 l5 5", "not a path"),
        ("M0 0 Q1 1", "Q with 1"),
        ("L", "L with 0"),
        ("Z 1 1", "Z with 1"),
    ],
)
def test_other_paths_are_refused(data: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        list(commands(data))


def test_a_path_is_drawn_as_straight_lines() -> None:
    assert outlines("M0 0 L10 0 L10 10 Z M5 5 L6 6") == (
        (((0, 0), (10, 0), (10, 10)), True),
        (((5, 5), (6, 6)), False),
    )
    ((points, _),) = outlines("M0 0 Q10 0 10 10")
    assert points[-1] == (10, 10)
    assert points[5] == pytest.approx((7.5, 2.5))
