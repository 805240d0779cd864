"""Tables for notebooks: well-formed, with all text escaped."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np
import pytest

from crypt_env import random_game
from crypt_env.agents import make_agent
from crypt_env.agents.base import FunctionAgent
from crypt_env.agents.network import Network
from crypt_env.arena import round_robin
from crypt_env.drawing.tables import html_table

NASTY = "<script>alert('1 & 2')</script>"


def cells(html: str) -> list[list[str]]:
    """Return the cells of all lines of all tables."""
    root = ET.fromstring(f"<div>{html}</div>")
    return [["".join(cell.itertext()) for cell in line] for line in root.iter("tr")]


def test_a_table_has_its_cells_and_sides() -> None:
    html = html_table("Two", ("name", "coins", "share"), [("a", "3", "+1.5"), ("b", "12", "")])
    assert cells(html) == [["name", "coins", "share"], ["a", "3", "+1.5"], ["b", "12", ""]]
    assert html.count("text-align:right") == 6
    assert "<caption" not in html_table("", ("a",), [])
    assert cells(html_table("", ("a", "b"), [])) == [["a", "b"]]


def test_nothing_is_taken_for_html() -> None:
    html = html_table(NASTY, (NASTY,), [(NASTY,)])
    assert "<script" not in html
    assert cells(html) == [[NASTY], [NASTY]]


@pytest.mark.parametrize("players", [1, 2, 4])
def test_outcomes_and_sheets(players: int) -> None:
    game = random_game(players, seed=2)
    outcome = game.outcome()
    assert outcome is not None
    shown = cells(outcome._repr_html_())
    assert [int(row[1]) for row in shown[1:]] == list(outcome.scores)
    assert [seat for seat, row in enumerate(shown[1:]) if row[2] == "wins"] == list(outcome.winners)
    assert str(outcome) in outcome._repr_html_()
    for sheet in game.sheets():
        heads, coins = cells(sheet._repr_html_())
        assert heads == [*sheet._fields, "total"]
        assert [int(cell) for cell in coins] == [*sheet, sheet.total]


def test_a_report_escapes_the_names_of_agents() -> None:
    nasty = FunctionAgent(lambda observations, masks: masks.argmax(axis=1))
    nasty.name = NASTY
    html = round_robin([nasty, "random"], players=2, games=4)._repr_html_()
    assert "<script" not in html
    assert any(NASTY in row for row in cells(html))
    assert "2 players, 4 games" in html


def test_a_network_tells_its_layers_and_facts() -> None:
    network = make_agent("net:duel").network  # type: ignore[attr-defined]
    shown = cells(network._repr_html_())
    assert shown[0] == ["layer", "inputs", "outputs"]
    assert [row[1:] for row in shown if row[0] == "hidden.0"] == [["642", "512"]]
    facts = dict(row for row in shown if len(row) == 2)
    assert facts["name"] == "duel"
    assert facts["reward: kind"] == "win"
    nasty = Network(network.weights, {**network.facts, NASTY: NASTY, "more": {NASTY: [NASTY] * 9}})
    assert "<script" not in nasty._repr_html_()
    assert np.isfinite(len(nasty._repr_html_()))
