"""``crypt play``, ``crypt watch`` and replays that are shown."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from io import BytesIO

import pytest

from cli.processes import crypt, environment
from crypt_env import Game, random_game, replay, to_record
from crypt_env.cli.main import main
from crypt_env.cli.terminal import TerminalGame
from crypt_env.notation.actions import parse_action


def typed(*lines):
    """Return a reader that returns these lines, as if they were typed, and then ends."""
    left = iter(lines)

    def read(_prompt):
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    return read


@pytest.fixture
def record(tmp_path):
    """A file with two records."""
    file = tmp_path / "games.jsonl"
    games = [random_game(2, seed=1), random_game(3, seed=2)]
    file.write_text("".join(json.dumps(to_record(game)) + "\n" for game in games))
    return file


# -- in the terminal --------------------------------------------------------------------------------------------------


def test_a_whole_game_in_the_terminal(tmp_path, capsys):
    file = tmp_path / "mine.jsonl"
    play = TerminalGame(Game(3, seed=5), 1, ["greedy", "tuned"], str(file))

    def read(_prompt):
        return "quit" if play.game.is_over else play.game.legal()[-1]

    play.run(read)
    printed = capsys.readouterr().out
    assert "total" in printed
    assert "seat 2: greedy" in printed
    assert replay(json.loads(file.read_text())).is_over


def test_commands(capsys, tmp_path):
    play = TerminalGame(Game(2, "AAAAAA", 0, seed=4), 0, ["greedy"])
    file = tmp_path / "game.jsonl"
    play.run(typed("", "hint", "legal", "place 0 1x2", "undo", "undo", "nonsense", "sheet", "save", f"save {file}"))
    printed = capsys.readouterr().out
    assert "chance to win" in printed
    assert "nothing to undo" in printed
    assert "not an action: 'nonsense'" in printed
    assert "a file is needed" in printed
    assert "counted at the end" in printed
    assert json.loads(file.read_text())["events"] == []


def test_undo_takes_back_what_others_did(capsys):
    play = TerminalGame(Game(2, "AAAAAA", 0, seed=4), 0, ["greedy"])
    before = play.game.text()
    play.run(typed("recover", "undo"))
    assert play.game.text() == before
    assert capsys.readouterr().out


def test_nothing_hidden_is_printed(capsys):
    """Two games that differ only in what the seat cannot know look the same."""
    printed = []
    game = Game(2, "AAAAAA", 0, seed=4)
    for each in (game, game.resample(0, seed=9)):
        TerminalGame(each, 0, ["greedy"]).run(typed("board", "legal"))
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]


def test_words_to_complete():
    words = TerminalGame(Game(2, leader=0, seed=4), 0, ["greedy"]).words()
    assert {"place 0 1x1", "recover", "undo", "hint"} <= set(words)


def test_play_from_the_command_line(tmp_path):
    file = tmp_path / "game.jsonl"
    done = crypt("play", "--terminal", "--solo", "--seed", "3", "--save", file, text="place 0 1x1\nquit\n")
    assert done.returncode == 0, done.stderr
    assert "Ghost" in done.stdout
    assert crypt("replay", file).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["play", "--terminal", "--seat", "2"], "seats are 0 to 1"),
        (["play", "--terminal", "--solo", "--against", "greedy"], "exclude each other"),
        (["play", "--terminal", "--against", "missing"], "missing"),
        (["play", "--port", "70000"], "0 to 65535"),
        (["play", "--seat", "1"], "--seat is for a game in the terminal; add --terminal"),
        (["play", "--html", "x.html", "--against", "tuned"], "--against is for a game in the terminal"),
        (["play", "--html", "x.html", "--no-browser"], "--no-browser is for a page that is served"),
        (["play", "--terminal", "--html", "x.html"], "--html is for the browser"),
        (["watch", *["random"] * 5], "at most 4 seats"),
        (["watch", "random", "--pause", "-1"], "0 to 60"),
        (["watch", "missing"], "missing"),
    ],
)
def test_what_is_not_possible_is_said_in_one_sentence(arguments, words):
    done = crypt(*arguments, text="")
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_watch(tmp_path):
    file = tmp_path / "game.jsonl"
    done = crypt("watch", "net:duel", "greedy", "--seed", "4", "--save", file)
    assert done.returncode == 0, done.stderr
    assert "seat 0: net:duel, seat 1: greedy" in done.stdout
    assert replay(json.loads(file.read_text())).is_over


@pytest.mark.parametrize("agents", [("ghost",) * 2, ("lbr:2:reach:net:duel", "greedy")])
def test_agents_remember_what_they_did(agents, tmp_path):
    """Watched or recorded, the same agents play the same game, also those that follow a plan or weigh the past."""
    files = [tmp_path / "watched.jsonl", tmp_path / "recorded.jsonl"]
    assert main(["watch", *agents, "--seed", "5", "--pause", "0", "--save", str(files[0])]) == 0
    assert main(["records", *dict.fromkeys(agents), "--games", "1", "--seed", "5", "--out", str(files[1])]) == 0
    watched, recorded = (json.loads(file.read_text()) for file in files)
    assert watched["events"] == recorded["events"]


def test_opponents_know_what_the_person_did(capsys):
    """Until a decision is taken back, which clears all that they remember."""
    play = TerminalGame(Game(2, "AAAAAA", 0, seed=4), 0, ["lbr:1:reach:net:duel"])
    play.run(typed("recover"))
    log = play._others._cast._log
    assert log._actions[0][0] == parse_action("recover")
    assert len(log._actions[0]) > 1
    play.run(typed("undo"))
    assert log._actions == [[]]
    assert capsys.readouterr().out


# -- in the browser ---------------------------------------------------------------------------------------------------


def test_a_port_that_is_taken():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = crypt("play", "--no-browser", "--port", port)
    assert done.returncode == 2
    assert f"port {port} cannot be used: Address already in use; another one is needed, or 0 for any" in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="there is no such signal")
def test_the_page_is_served_until_interrupted():
    command = [sys.executable, "-m", "crypt_env", "play", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as process:
        line = process.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+/", line)[0]
        with urllib.request.urlopen(address) as answer:
            assert b"<title>Crypt</title>" in answer.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0


def test_the_page_as_one_file(tmp_path):
    file = tmp_path / "crypt.html"
    assert crypt("play", "--html", file).returncode == 0
    assert 'id="file:networks/solo.safetensors"' in file.read_text()


# -- replays ----------------------------------------------------------------------------------------------------------


def test_a_replay_is_written(record, tmp_path):
    page, picture = tmp_path / "game.html", tmp_path / "game.gif"
    done = crypt("replay", record, "--game", "2", "--html", page, "--gif", picture, "--agent", "net:trio")
    assert done.returncode == 0, done.stderr
    assert 'id="file:game.json"' in page.read_text()
    image = pytest.importorskip("PIL.Image").open(BytesIO(picture.read_bytes()))
    assert image.size == (640, 480)
    assert image.n_frames > 20
    image.close()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--game", "3"], "has 2"),
        (["--seat", "5"], "seats 0 to 1"),
        (["--agent", "missing"], "missing"),
    ],
)
def test_a_replay_that_cannot_be_written(record, tmp_path, more, words):
    done = crypt("replay", record, "--html", tmp_path / "game.html", *more)
    assert done.returncode == 2
    assert words in done.stderr
    assert not (tmp_path / "game.html").exists()


def test_outputs_replace_neither_the_records_nor_each_other(record, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    before = record.read_bytes()
    for option in ("--html", "--gif"):
        for name in (str(record), os.path.relpath(record)):
            assert main(["replay", str(record), option, name]) == 2
            assert "is not possible: it is the file of records" in capsys.readouterr().err
    assert main(["replay", str(record), "--html", "same", "--gif", "./same"]) == 2
    assert capsys.readouterr().err == (
        "crypt replay: --gif ./same is not possible: it is --html; another name is needed\n"
    )
    assert record.read_bytes() == before
    assert not (tmp_path / "same").exists()


def test_a_file_that_cannot_be_shown_is_named(tmp_path, capsys):
    (tmp_path / "text.jsonl.gz").write_text("hello")
    for path, reason in (("text.jsonl.gz", "Not a gzipped file (b'he')"), ("", "Is a directory")):
        assert main(["replay", str(tmp_path / path), "--html", str(tmp_path / "a.html")]) == 2
        assert capsys.readouterr().err == f"crypt replay: {tmp_path / path}: {reason}\n"


def test_a_mark_of_the_byte_order_is_refused_by_all_readers(record, tmp_path, capsys):
    marked = tmp_path / "marked.jsonl"
    marked.write_bytes(b"\xef\xbb\xbf" + record.read_bytes())
    for arguments in (["replay"], ["replay", "--html", tmp_path / "x.html"], ["dataset", "--out", tmp_path / "x.npz"]):
        assert main([*map(str, arguments), str(marked)]) in (1, 2)
        assert "BOM" in "".join(capsys.readouterr())
    assert list(tmp_path.glob("x.*")) == []


def test_a_game_that_is_nested_too_deep_is_not_shown(tmp_path, capsys):
    (tmp_path / "deep.jsonl").write_text("[" * 100_000 + "\n")
    assert main(["replay", str(tmp_path / "deep.jsonl"), "--html", str(tmp_path / "a.html")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("is not a record: it is nested too deep")
    assert not (tmp_path / "a.html").exists()


def test_options_that_need_others(record):
    for option in ("--seat", "--game"):
        assert "add --html or --gif" in crypt("replay", record, option, "1").stderr
    several = crypt("replay", record, record, "--html", "x.html").stderr
    assert several == "crypt replay: --html and --gif show a game of one file, but 2 files were given\n"


def test_the_command_that_shows_a_saved_game_can_be_copied(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    TerminalGame(Game(1), 0, [], None)._write("a b c.jsonl")
    assert capsys.readouterr().out.endswith("look at it with: crypt replay 'a b c.jsonl' --html game.html\n")
