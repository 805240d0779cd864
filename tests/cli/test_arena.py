"""``crypt arena``, run as a user runs it."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import crypt_env.arena.ladder as ladder
from arena.players import FIRST, LAST, SLEEPER, lasting
from cli.processes import environment, lines_in, wait_for_end_of_group, without_compiler
from crypt_env.arena import Report, as_markdown, as_text, round_robin
from crypt_env.arena.store import FILE_NAME
from crypt_env.cli.main import main

TESTS = Path(__file__).resolve().parents[1]
SLOW = ["arena", SLEEPER, "random", "--games", "24", "--chunk", "1"]


def arena(capsys, *arguments):
    """Run the command in this process; return its exit code, output and errors."""
    try:
        code = main(["arena", *map(str, arguments)])
    except SystemExit as stop:
        code = stop.code
    output = capsys.readouterr()
    return code, output.out, without_compiler(output.err)


# -- what it prints and writes ----------------------------------------------------------------------------------------


def test_the_files_hold_the_report_and_the_text_shows_it(tmp_path, capsys):
    json_file, page = tmp_path / "new" / "report.json", tmp_path / "report.md"
    arguments = ["random", FIRST, LAST, "--players", 3, "--games", 30, "--seed", 3, "--mixed", "--collectors", "even"]
    code, out, err = arena(capsys, *arguments, "--jobs", 1, "--json", json_file, "--markdown", page)
    assert (code, err) == (0, "")
    report = Report.from_json(json_file.read_text())
    assert lasting(report) == lasting(
        round_robin(["random", FIRST, LAST], 3, 30, collectors="even", seed=3, mixed=True)
    )
    assert page.read_text() == as_markdown(report)
    assert out == as_text(report) + "\n"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["new", "report.json", "report.md"]


@pytest.mark.parametrize("players", [1, 2, 4])
def test_text_and_markdown_show_the_numbers_of_the_report(players):
    report = round_robin(["random", FIRST], players, 40)
    for drawn in (as_text(report), as_markdown(report)):
        if players == 1:
            coins = report.solo(FIRST).coins
            assert f"{coins.value:.2f} [{coins.low:.2f}, {coins.high:.2f}]" in drawn
            assert "The Magnificent" in drawn
        else:
            share, elo = report.pairings[0].share, report.rating(FIRST)
            assert f"{100 * share.value:.1f} [{100 * share.low:.1f}, {100 * share.high:.1f}]%" in drawn
            assert f"{elo.value:.0f} [{elo.low:.0f}, {elo.high:.0f}]" in drawn
            assert ("equal agents: 25.0%" in drawn) == (players == 4)


def test_markdown_tables_have_as_many_cells_in_every_line():
    for players in (1, 3):
        page = as_markdown(round_robin(["random", FIRST], players, 12))
        for table in page.split("\n\n"):
            lines = table.splitlines()
            if lines[0].startswith("|"):
                assert len({line.count("|") for line in lines}) == 1
    assert page.count("|---") > 5


def test_a_single_deal_has_no_intervals():
    assert "[unknown]" in as_text(round_robin(["random", FIRST], games=2))


def test_a_link_to_a_file_stays_a_link(tmp_path, capsys):
    (tmp_path / "real.md").write_text("old")
    (tmp_path / "link.md").symlink_to(tmp_path / "real.md")
    assert arena(capsys, "random", FIRST, "--games", 2, "--jobs", 1, "--markdown", tmp_path / "link.md")[0] == 0
    assert (tmp_path / "link.md").is_symlink()
    assert "| agent |" in (tmp_path / "real.md").read_text()


# -- wrong use --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "crypt arena: at least two agents are needed, but none was given"),
        (["random"], "crypt arena: at least two agents are needed, but only 'random' was given"),
        (["random", "random"], "crypt arena: agent 'random' was given twice"),
        (["random", "serch:200"], "crypt arena: agent 'serch:200' is not known; known are"),
        (["random", "random:3"], "crypt arena: agent 'random:3' is not possible; allowed is 'random' alone"),
        (["random", "no.module:Agent"], "crypt arena: agent 'no.module:Agent' cannot be made"),
        (["random", FIRST, "--players", "5"], "crypt arena: players=5 is not possible"),
        (["random", FIRST, "--players", "0"], "crypt arena: players=0 is not possible"),
        (["random", FIRST, "--games", "0"], "crypt arena: games=0 is not possible"),
        (["random", FIRST, "--games", "x"], "argument --games: invalid int value: 'x'"),
        (["random", FIRST, "--seed", "-1"], "crypt arena: seed=-1 is not possible"),
        (["random", FIRST, "--jobs", "0"], "crypt arena: jobs=0 is not possible"),
        (["random", FIRST, "--chunk", "-2"], "crypt arena: chunk=-2 is not possible"),
        (["random", FIRST, "--collectors", "odd"], "crypt arena: collectors='odd' is not a table"),
        (["random", FIRST, "--mixed"], "crypt arena: mixed tables with players=2 are not possible"),
        (["random", "--ladder"], "crypt arena: agent 'random' was given, but the ladder sets that itself"),
        (["--ladder", "--players", "3"], "crypt arena: --players was given, but the ladder sets that itself"),
        (["--ladder", "--seed", "0"], "crypt arena: --seed was given, but the ladder sets that itself"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_use_exits_2_with_one_sentence(arguments, words, capsys):
    code, out, err = arena(capsys, *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert err.startswith("usage: ") or err.count("\n") == 1


@pytest.mark.parametrize("option", ["--out", "--json", "--markdown"])
@pytest.mark.parametrize("place", ["file/below", "folder"])
def test_what_cannot_be_written_exits_2_before_a_game_is_played(option, place, tmp_path, capsys):
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / FILE_NAME).mkdir()
    code, out, err = arena(capsys, SLEEPER, "random", "--games", 10**6, option, tmp_path / place)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert str(tmp_path / place) in err


def test_two_reports_in_one_file_are_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code, out, err = arena(capsys, "random", FIRST, "--json", "same", "--markdown", "./same")
    assert (code, out) == (2, "")
    assert err == "crypt arena: --markdown ./same is not possible: it is --json; another name is needed\n"


def test_an_agent_that_is_not_known_leaves_no_folder(tmp_path, capsys):
    assert arena(capsys, "random", "nosuch", "--json", tmp_path / "new" / "sub" / "x.json")[0] == 2
    assert list(tmp_path.iterdir()) == []


def test_a_report_that_cannot_be_written_is_printed(tmp_path, monkeypatch, capsys):
    def fill(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fill)
    file = tmp_path / "report.json"
    code, out, err = arena(capsys, "random", FIRST, "--games", 2, "--jobs", 1, "--quiet", "--json", file)
    assert code == 2
    assert err == f"crypt arena: {file} cannot be written: No space left on device\n"
    assert out.startswith(as_text(round_robin(["random", FIRST], games=2)).splitlines()[0])


def test_a_pipe_or_device_is_not_replaced_by_a_file(tmp_path, capsys):
    os.mkfifo(tmp_path / "pipe")
    code, _, err = arena(capsys, "random", FIRST, "--json", tmp_path / "pipe")
    assert code == 2
    assert "it is there already and is not a file" in err
    assert (tmp_path / "pipe").is_fifo()


def test_a_different_command_in_the_same_folder_exits_2(tmp_path, capsys):
    assert arena(capsys, "random", FIRST, "--games", 4, "--jobs", 1, "--out", tmp_path)[0] == 0
    code, out, err = arena(capsys, "random", FIRST, "--games", 6, "--jobs", 1, "--out", tmp_path)
    assert (code, out) == (2, "")
    assert f"{tmp_path} holds another tournament: games 4 there, games 6 here" in err


# -- interruptions ----------------------------------------------------------------------------------------------------


def interrupted(folder, number, jobs):
    """Run the slow tournament and send a signal when some chunks are finished; return exit code and errors."""
    command = [sys.executable, "-m", "crypt_env", *SLOW, "--jobs", str(jobs), "--out", str(folder)]
    variables = environment(PYTHONPATH=str(TESTS))
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    # Where tests run in the background of a shell, Ctrl-C is ignored, and child processes inherit that.
    pipes["preexec_fn"] = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(command, **pipes, env=variables, start_new_session=True) as process:
        deadline = time.monotonic() + 120
        while lines_in(folder / FILE_NAME) < 4 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
        wait_for_end_of_group(process.pid)
    assert out == ""
    return process.returncode, without_compiler(err)


def finish(folder, capsys):
    """Continue the slow tournament; return its report."""
    found = lines_in(folder / FILE_NAME) - 1
    assert 3 <= found < 12
    code, _, err = arena(capsys, *SLOW[1:], "--jobs", 1, "--out", folder, "--json", folder / "report.json")
    assert (code, err) == (0, "")
    return lasting(Report.from_json((folder / "report.json").read_text()))


@pytest.fixture(scope="module")
def whole():
    """The report of the slow tournament when nothing interrupts it."""
    return lasting(round_robin([SLEEPER, "random"], games=24))


def test_an_interrupted_tournament_says_how_to_continue_and_does(tmp_path, capsys, whole):
    code, err = interrupted(tmp_path, signal.SIGINT, jobs=2)
    assert code == 130
    assert err == (
        f"crypt arena: interrupted; {tmp_path} holds what is finished; the same command resumes from there\n"
    )
    assert finish(tmp_path, capsys) == whole


@pytest.mark.slow
def test_a_killed_tournament_leaves_no_processes_and_continues_to_the_same_report(tmp_path, capsys, whole):
    code, _ = interrupted(tmp_path, signal.SIGKILL, jobs=2)
    assert code == -signal.SIGKILL
    assert finish(tmp_path, capsys) == whole


def test_an_interruption_without_a_folder_says_that_nothing_was_kept(monkeypatch, tmp_path, capsys):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("crypt_env.cli.arena.round_robin", stop)
    code, out, err = arena(capsys, "random", FIRST)
    assert (code, out) == (130, "")
    assert err == "crypt arena: interrupted; nothing was stored; '--out FOLDER' stores what is finished\n"
    code, out, err = arena(capsys, "random", FIRST, "--out", tmp_path / "new")
    assert (code, err) == (130, "crypt arena: interrupted; nothing was finished yet\n")


# -- ladder -----------------------------------------------------------------------------------------------------------


def make_sources(folder):
    """Make a folder look like a copy of the sources."""
    (folder / "crypt_env" / "arena").mkdir(parents=True)
    (folder / "pyproject.toml").touch()


def test_the_ladder_writes_its_page_and_its_numbers(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(ladder, "LADDER_AGENTS", ("random", FIRST))
    monkeypatch.setattr(ladder, "LADDER_SEEDS", (4, 5))
    monkeypatch.setattr(ladder, "shipped_networks", list)
    make_sources(tmp_path / "tree")
    arguments = ["--ladder", tmp_path / "tree", "--games", 8, "--jobs", 1, "--out", tmp_path / "kept"]
    code, out, err = arena(capsys, *arguments)
    page = tmp_path / "tree" / "docs" / "ladder.md"
    assert (code, out, err) == (0, f"written: {page}\n", "")
    text = page.read_text()
    results = tmp_path / "tree" / "benchmarks" / "results"
    for players in (1, 2, 3, 4):
        report = Report.from_json((results / f"ladder-{players}.json").read_text())
        assert (report.players, report.collectors, report.agents) == (players, "even", ("random", FIRST))
        assert (report.seed, as_markdown(report) in text) == (4, True)
        assert (tmp_path / "kept" / str(players) / FILE_NAME).exists()
    steps = json.loads((results / "ladder-steps.json").read_text())
    assert (steps["seeds"], len(steps["steps"])) == ([4, 5], 4)
    assert all((step["agent"], step["below"], len(step["gains"])) == (FIRST, "random", 2) for step in steps["steps"])


def test_the_ladder_is_built_here_if_no_folder_is_given(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(ladder, "LADDER_AGENTS", ("random", FIRST))
    monkeypatch.setattr(ladder, "LADDER_SEEDS", (1,))
    monkeypatch.setattr(ladder, "shipped_networks", list)
    make_sources(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert arena(capsys, "--games", 2, "--jobs", 1, "--ladder")[0] == 0
    assert (tmp_path / "docs" / "ladder.md").exists()


@pytest.mark.parametrize("arguments", [["--ladder"], ["--ladder", "results"], ["--ladder", "random"]])
def test_the_ladder_is_written_into_sources_alone(arguments, tmp_path, monkeypatch, capsys):
    (tmp_path / "results").mkdir()
    monkeypatch.chdir(tmp_path)
    code, out, err = arena(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    given = [*arguments, "."][1]
    assert (
        f"written into a copy of Crypt's sources, docs/ladder.md and benchmarks/results, and '{given}' is not one"
        in err
    )
    assert [path.name for path in tmp_path.rglob("*")] == ["results"]


def test_a_network_stands_on_the_ladder_for_the_tables_that_it_was_trained_for():
    assert "net:solo" in ladder.ladder_networks(1)
    assert "net:solo" not in ladder.ladder_networks(2)


def test_the_random_agent_stands_on_the_ladder():
    assert "random" in ladder.LADDER_AGENTS
    assert len(set(ladder.LADDER_AGENTS)) == len(ladder.LADDER_AGENTS)
