"""The examples of the AEC environment print what they claim."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def run(name: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Run an example; return what it prints."""
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    return capsys.readouterr().out


def test_random_loop(capsys: pytest.CaptureFixture[str]) -> None:
    """In each of a hundred games an agent receives the win and, unless all share it, the others the loss."""
    rows = [line.split() for line in run("random_loop.py", capsys).splitlines()[1:]]
    assert [row[0] for row in rows] == ["2", "3", "4"]
    for players, _, again, winners, losers, total in rows:
        assert 0 < int(again.rstrip("%")) < 100
        assert int(winners) >= 95
        assert int(winners) + int(losers) <= 100 * int(players)
        assert int(losers) >= 95 * (int(players) - 1)
        assert total == "0.0"


def test_aec_by_hand(capsys: pytest.CaptureFixture[str]) -> None:
    """The scripted game goes as the text says, up to both agents' last steps."""
    out = run("aec_by_hand.py", capsys)
    assert "player_0: 55 legal actions, dtype int8" in out
    assert "player_1: 0 legal actions" in out
    assert "player_0 plays 'done'; next is player_1" in out
    paid = re.findall(r"^  (player_\d): reward ([+-]1), termination True", out, re.MULTILINE)
    assert sorted(reward for _, reward in paid) == ["+1", "-1"]
    assert out.rstrip().endswith("agents left: []")
