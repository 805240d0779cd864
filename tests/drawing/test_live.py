"""What environments render, and boards that are updated in place."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from crypt_env import Game
from crypt_env.drawing import draw_pixels, draw_text, live, render, scene_of_game, show

GAME = Game(3, "AABBAB", seed=4)
SCENE = scene_of_game(GAME)


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Watch nothing yet, do not sleep, and list the times that would have been slept."""
    slept: list[float] = []
    monkeypatch.setattr(live, "_WATCHED", live._Watched())
    monkeypatch.setattr(live.time, "sleep", slept.append)
    return slept


def test_modes_that_return_something() -> None:
    assert render(GAME.state, "ansi") == str(GAME) == draw_text(SCENE)
    pytest.importorskip("PIL")
    frame = render(GAME.state, "rgb_array")
    assert isinstance(frame, np.ndarray)
    assert (frame == draw_pixels(SCENE)).all()


def test_a_file_gets_plain_boards(capsys: pytest.CaptureFixture[str], naps: list[float]) -> None:
    assert render(GAME.state, "human") is None
    show(SCENE)
    assert capsys.readouterr().out == f"{GAME}\n\n" * 2
    assert naps == []


class Terminal:
    """A stream that is a terminal."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_colours_in_place(monkeypatch: pytest.MonkeyPatch, naps: list[float]) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    show(SCENE)
    assert terminal.text == f"{live.CLEAR}{draw_text(SCENE, color=True)}\n"
    show(SCENE)
    assert naps[0] == 0
    assert 0 < naps[1] <= 0.5
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        monkeypatch.setenv(name, value)
        terminal.text = ""
        show(SCENE)
        assert terminal.text == f"{live.CLEAR}{draw_text(SCENE)}\n"


def test_a_notebook_gets_one_picture_for_each_cell(monkeypatch: pytest.MonkeyPatch, naps: list[float]) -> None:
    shown: list[tuple[str, Any]] = []
    shell = SimpleNamespace(kernel=object(), execution_count=1)

    def display(scene: Any, display_id: bool) -> SimpleNamespace:
        assert display_id
        shown.append(("new", scene))
        return SimpleNamespace(update=lambda scene: shown.append(("update", scene)))

    package, module = ModuleType("IPython"), ModuleType("IPython.display")
    package.get_ipython = lambda: shell  # type: ignore[attr-defined]
    module.display = display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    show(SCENE)
    show(SCENE)
    shell.execution_count = 2
    show(SCENE)
    assert shown == [("new", SCENE), ("update", SCENE), ("new", SCENE)]
    assert len(naps) == 3


def test_a_plain_shell_is_no_notebook(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], naps: list[float]
) -> None:
    package = ModuleType("IPython")
    package.get_ipython = lambda: SimpleNamespace(execution_count=1)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", package)
    show(SCENE)
    assert capsys.readouterr().out == f"{GAME}\n\n"
