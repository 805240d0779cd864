"""The page about drawing: its examples run, and its pictures are those that are drawn."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from docs.pages import load_generator

FOLDER = Path(__file__).resolve().parents[2] / "docs"


def test_the_examples_print_what_they_say() -> None:
    pytest.importorskip("PIL")
    result = doctest.testfile(str(FOLDER / "drawing.md"), module_relative=False)
    assert result.attempted > 8
    assert result.failed == 0


@pytest.mark.parametrize("name", ["pictures/board.svg", "pictures/seat.svg"])
def test_a_picture_is_up_to_date(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == load_generator().PICTURES[name]()
    assert f"]({name})" in (FOLDER / "drawing.md").read_text(encoding="utf-8")


def test_no_picture_is_left_over() -> None:
    drawn = {f"pictures/{path.name}" for path in (FOLDER / "pictures").glob("*.svg")}
    assert drawn == set(load_generator().PICTURES)
