"""Text: 80 columns, all that a scene holds, colours that change nothing else."""

from __future__ import annotations

import re

import pytest

from crypt_env import Game
from crypt_env.drawing import draw_text, scene_of_game, scene_of_view
from drawing.moments import CASES, all_scenes, game_at
from property.play import positions


@pytest.mark.parametrize(("players", "kind"), CASES)
def test_text_fits_80_columns(players: int, kind: str) -> None:
    for scene in all_scenes(players, kind):
        lines = draw_text(scene).split("\n")
        assert max(map(len, lines)) <= 80
        assert all(line == line.rstrip() for line in lines[:-4])
        assert len(lines) <= 24


@pytest.mark.parametrize("players", [2, 4])
def test_text_fits_80_columns_in_whole_games(players: int) -> None:
    for seed in (1, 2):
        for game in positions(players, seed):
            for seat in range(players):
                for scene in (scene_of_game(game, seat), scene_of_view(game.view(seat))):
                    assert max(map(len, draw_text(scene).split("\n"))) <= 80


@pytest.mark.parametrize(("players", "kind"), CASES)
def test_colours_change_nothing_but_colours(players: int, kind: str) -> None:
    for scene in all_scenes(players, kind):
        coloured = draw_text(scene, color=True)
        assert "\x1b[" in coloured
        assert re.sub(r"\x1b\[\d*m", "", coloured) == draw_text(scene)
        assert "\x1b" not in draw_text(scene)


def test_a_board_in_full() -> None:
    game = Game(2, "AABBAB", 0, seed=7).play("place 0 2x3")
    assert draw_text(scene_of_game(game, 1)).split("\n") == [
        "Crypt, 2 players, Collectors AABBAB, round 1 of 8, Leader: seat 0",
        "Claim: seat 0 to decide",
        "",
        "  slot      0           1           2",
        "  card    Idol 2    Tapestry 2  Remains ?",
        "  dice  2x3 seat 0",
        "  deck  21 cards, Jewelry on top",
        "",
        "  seat 1 (you) ooo  no cards",
        "> seat 0       o    no cards",
    ]


def test_a_seat_reads_hidden_values_in_brackets() -> None:
    """Its own hidden cards, and those that it peeked at; the board of a game has question marks there."""
    found = 0
    for players, kind in CASES:
        game = game_at(players, kind)
        for seat in range(players):
            own = scene_of_game(game, seat).seats[0]
            hidden = [card for cards in own.collection for card in cards if not card.is_public]
            line = next(line for line in draw_text(scene_of_game(game, seat)).split("\n") if "(you) " in line)
            assert all(f"({card.value})" in draw_text(scene_of_game(game, seat)) for card in hidden)
            assert "?" not in line or "flipped for" in line
            found += len(hidden)
        assert not re.search(r"[A-Z]\d*\(\d\)|[a-z] \(\d\)", str(game))
    assert found > 5


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_the_end_is_a_score_sheet(players: int) -> None:
    game = game_at(players, "over")
    text = str(game)
    outcome = game.outcome()
    assert outcome is not None
    assert f"the game is over: {outcome}" in text.replace("\n", " ")
    rows = re.findall(r"^[* ] seat \d +((?:\d+ +)*\d+)$", text, re.MULTILINE)
    assert [tuple(map(int, row.split())) for row in rows] == [(*sheet, sheet.total) for sheet in game.sheets()]
    winners = [int(seat) for seat in re.findall(r"^\* seat (\d)", text, re.MULTILINE)]
    assert winners == (list(outcome.winners) if players > 1 else [])


def test_the_flip_that_is_asked_is_told_to_the_seat_that_is_asked() -> None:
    game = game_at(3, "flip")
    mover = game.to_move
    assert mover is not None
    for seat in range(3):
        assert ("which card is flipped for" in draw_text(scene_of_game(game, seat))) == (seat == mover)
    assert "which card is flipped" not in str(game)
