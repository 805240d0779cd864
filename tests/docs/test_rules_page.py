"""The page of the rules: its labels are those that the rule tests cite, and its story is a round of the game."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from crypt_env import Game
from rules.paragraphs import PARAGRAPHS
from rules.scenes import deck

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
LABEL = re.compile(r'<a id="([^"]*)"></a><sub>\[([^]]*)\]</sub>')
RULINGS = [f"R{number}" for number in range(1, 13)]


def labels(page: str) -> list[str]:
    """Return the ids of a page in their order.

    Raises:
        ValueError: an anchor without its visible label, a label without its anchor, or two that differ.
    """
    pairs = LABEL.findall(page)
    wrong = [pair for pair in pairs if pair[0] != pair[1]]
    if wrong or not len(pairs) == page.count("<a id=") == page.count("<sub>["):
        raise ValueError(f"anchors and labels do not belong together: {wrong or 'one of the two is missing'}")
    return [name for name, _ in pairs]


def test_every_paragraph_stands_on_the_page() -> None:
    missing = [f"{name} ({text})" for name, text in PARAGRAPHS.items() if name not in labels(PAGE)]
    assert not missing


def test_every_label_of_the_page_is_a_paragraph() -> None:
    assert set(labels(PAGE)) <= set(PARAGRAPHS)


def test_no_label_stands_twice() -> None:
    assert not [name for name, count in Counter(labels(PAGE)).items() if count > 1]


def test_all_rulings_stand_on_the_page_with_reason_and_rulebooks() -> None:
    """Each ruling is a separate block, in order of its number, with its reason and its source."""
    assert [name for name in labels(PAGE) if name[0] == "R"] == RULINGS
    blocks = re.findall(r"^> \*\*Ruling (R\d+): (?:.*\n>)*.*", PAGE, re.MULTILINE)
    assert blocks == RULINGS
    for block in re.findall(r"^> \*\*Ruling R\d+: .*(?:\n>.*)*", PAGE, re.MULTILINE):
        assert "*Reason" in block, block
        assert "ulebooks:*" in block, block


def test_labels_stand_in_the_section_that_they_name() -> None:
    """The first digit of a label is the section."""
    sections = re.split(r"^## ", PAGE, flags=re.MULTILINE)
    for section in sections[1:]:
        for name in labels(section):
            assert name[0] == "R" or section.startswith(f"{name[0]}. "), (name, section[:30])


def test_a_paragraph_that_the_text_refers_to_exists() -> None:
    """References in parentheses, such as (3.peek-turn), are to labels of the page."""
    without_labels = LABEL.sub("", PAGE)
    references = re.findall(r"(?<![\w.`])\d\.[A-Za-z][\w.-]*[\w]", without_labels)
    assert len(references) > 10
    parts = {"2.I", "2.II", "2.III", "2.IV"}
    assert set(references) <= set(PARAGRAPHS) | parts


def test_the_story_is_a_round_of_the_game() -> None:
    """The actions of the story are legal, and the pictures are those that the program draws."""
    game = Game(3, "A", 0, seed=1, deck=deck(3, "T4 I2 J3 R3 P3 M1 T2 I3"))
    acts = re.findall(r"^seat (\d): (.*)$", PAGE, re.MULTILINE)
    assert len(acts) == 6
    rolls = {"place 3 1x3": [(5, 3), (1,), (6,)], "reroll 2": [(4,)]}
    for seat, text in acts:
        assert game.to_move == int(seat)
        game.play_with_dice(text, iter(rolls.get(text, [])))
        if text == "place 3 1x1":
            assert f"```text\n{game}\n```" in PAGE
    assert game.round == 2
    assert f"```text\n{game}\n```" in PAGE
    assert "rolls: slot 0: 5 3; slot 1: 1; slot 3: 6\n" in PAGE


@pytest.mark.parametrize("broken", ['<a id="1.x"></a>', "<sub>[1.x]</sub>", '<a id="1.x"></a><sub>[1.y]</sub>'])
def test_the_search_for_labels_can_fail(broken: str) -> None:
    assert labels('a <a id="1.x"></a><sub>[1.x]</sub> b') == ["1.x"]
    with pytest.raises(ValueError, match="do not belong together"):
        labels(broken)
