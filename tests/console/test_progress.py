"""What is shown while something runs."""

import io
import re

import pytest

from cli.processes import run
from crypt_env.console.progress import Progress


class Broken(io.StringIO):
    """A stream whose disk is full, or whose reader has gone."""

    def write(self, text):
        raise BrokenPipeError

    def flush(self):
        raise BrokenPipeError


class Terminal(io.StringIO):
    """Claims to be a terminal."""

    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def _an_ordinary_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")


def shown_on_a_terminal(*games, note=""):
    """Return what a terminal shows in sequence, without colors and bars."""
    stream = Terminal()
    progress = Progress(stream=stream, every=0)
    for done in games:
        progress.update(done, 100, note)
    progress.end()
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", stream.getvalue())
    return [line.strip("━╸╺ ") for line in re.split(r"[\r\n]+", plain) if line.strip("━╸╺ ")]


def test_nothing_to_count_has_no_percentage():
    stream = Terminal()
    progress = Progress(stream=stream, every=0)
    progress.update(0, 0)
    progress.end()
    assert "0 of 0 games" in stream.getvalue()
    assert "%" not in stream.getvalue()


def test_progress_is_one_line_on_a_terminal():
    shown = shown_on_a_terminal(0, 40, 100)
    assert shown[0] == "0 of 100 games (0%)"
    assert any(re.fullmatch(r"40 of 100 games \(40%\), \d+ a second, 0 s to go", line) for line in shown)
    assert shown[-1].startswith("100 of 100 games (100%)")


def test_a_note_stands_behind_the_numbers_as_it_is():
    assert shown_on_a_terminal(0, note="[loss] 3")[0] == "0 of 100 games (0%), [loss] 3"


def test_progress_elsewhere_is_a_line_from_time_to_time():
    stream = io.StringIO()
    progress = Progress(stream=stream)
    progress.update(10, 100)
    progress.update(100, 100)
    progress.end()
    assert stream.getvalue() == ""
    progress = Progress("decisions", stream=stream, every=0)
    progress.begin("2 of 4: ")
    progress.update(10, 100)
    progress.update(60, 100)
    lines = stream.getvalue().splitlines()
    assert [text.split(" (")[0] for text in lines] == ["2 of 4: 10 of 100 decisions", "2 of 4: 60 of 100 decisions"]


@pytest.mark.parametrize("kind", [io.StringIO, Terminal])
def test_nothing_is_shown_quietly(kind):
    stream = kind()
    progress = Progress(quiet=True, stream=stream, every=0)
    progress.update(0, 100)
    progress.update(100, 100)
    progress.end()
    assert stream.getvalue() == ""


def test_a_terminal_that_cannot_draw_gets_lines(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    stream = Terminal()
    Progress(stream=stream, every=0).update(10, 100)
    assert stream.getvalue() == "10 of 100 games (10%)\n"


def test_what_is_said_stays(capsys):
    stream = Terminal()
    progress = Progress(stream=stream, every=0)
    progress.update(10, 100)
    progress.say("half of it")
    progress.update(60, 100)
    progress.end()
    assert capsys.readouterr().out == "half of it\n"


@pytest.mark.parametrize("is_terminal", [False, True])
def test_a_stream_that_fails_costs_text_alone(is_terminal, monkeypatch):
    stream = Broken()
    stream.isatty = lambda: is_terminal
    monkeypatch.setattr("sys.stdout", Broken())
    progress = Progress(stream=stream, every=0)
    progress.update(10, 100)
    progress.say("half of it")
    progress.update(60, 100)
    progress.end()


def test_games_that_were_there_already_do_not_count_as_fast():
    stream = io.StringIO()
    progress = Progress(stream=stream, every=0)
    progress.update(900, 1000)
    progress._start -= 10
    progress.update(950, 1000)
    assert stream.getvalue().splitlines()[1] == "950 of 1000 games (95%), 5 a second, 10 s to go"


def test_each_tournament_of_several_has_a_speed_of_its_own():
    stream = io.StringIO()
    progress = Progress(stream=stream, every=0)
    progress.update(990, 1000)
    progress.update(0, 1000)
    progress._start -= 10
    progress.update(50, 1000)
    assert stream.getvalue().splitlines()[2] == "50 of 1000 games (5%), 5 a second, 3 min 10 s to go"


def test_rich_is_loaded_for_a_terminal_alone():
    script = (
        "import io, sys; import crypt_env.arena; from crypt_env.console.progress import Progress; "
        "Progress(stream=io.StringIO(), every=0).update(1, 2); print('rich' in sys.modules)"
    )
    assert run("-c", script).stdout == "False\n"
