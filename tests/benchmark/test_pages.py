"""Reports, the leaderboard and the command."""

import pytest

from benchmark.forging import change, copy_of
from cli.processes import crypt
from crypt_env import CryptError
from crypt_env.arena.formats import plain
from crypt_env.benchmark import read_result, run_task
from crypt_env.benchmark.leaderboard import as_leaderboard
from crypt_env.benchmark.report import as_report
from crypt_env.cli.main import main


def test_report_compares_results(solo, tmp_path):
    run_task("solo-64", ["random"], tmp_path / "random", "quick")
    report = as_report([read_result(solo), read_result(tmp_path / "random")])
    assert "solo-64, size quick: 512 deals at all 64 tables, 512 games for each run." in report
    assert "| greedy | open | 1 | 0." in report
    assert "| greedy | random | 1.000 [unknown] |" in report
    assert "| random | greedy | 0.000 [unknown] |" in report
    assert "**Performance profile" in report


def test_report_with_several_runs(tmp_path, quick_panel):
    run_task("duel-8", ["random", "greedy", "tuned"], tmp_path / "three", "quick", name="three")
    report = as_report([read_result(tmp_path / "three")])
    assert "**Cross-play of three: wins of the run, against the one in the other seat**" in report
    assert "| score (other tables) | training tables | gap |" in report
    assert "unknown" not in report


def test_report_is_about_one_task(solo, tmp_path):
    other = copy_of(solo, tmp_path / "other")
    change(other, lambda result: result.update(size="full"))
    with pytest.raises(CryptError, match=r"solo-64 \(full\) and solo-64 \(quick\) cannot be compared"):
        as_report([read_result(solo), read_result(other)])


def test_leaderboard_ranks_and_quotes(solo, tmp_path):
    other = copy_of(solo, tmp_path / "other")
    change(other, lambda result: result.update(name="a | <b> [c](d)", description="*x*"))
    change(other, lambda result: result["records"].update({"games-0.jsonl.gz": "0" * 64}))
    change(other, lambda result: result["numbers"]["parts"].update(score=[0.9, 0.8, 1.0]))
    page = as_leaderboard([read_result(solo), read_result(other)])
    first, second = (line for line in page.splitlines() if line.startswith("| ") and "quick" in line)
    assert first.startswith(r"| a \| \<b\> \[c\](d) | open | 1 | quick | 0.900 [0.800, 1.000] |")
    assert second.startswith("| greedy |")
    assert r"- a | \<b\> \[c\](d): \*x\*" in page
    assert "duel-64" not in page
    assert plain("`a_b`") == r"\`a\_b\`"


@pytest.mark.parametrize("page", [as_leaderboard, as_report])
def test_a_result_counts_once(page, solo, tmp_path):
    other = copy_of(solo, tmp_path / "other")
    change(other, lambda result: result.update(name="another"))
    with pytest.raises(CryptError, match="results 'greedy' and 'another' have the same games; give each result once"):
        page([read_result(solo), read_result(other)])


def test_an_interrupted_verification_says_what_is_left(monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("crypt_env.cli.benchmark.verify", interrupted)
    assert main(["benchmark", "verify", "folder", "--quiet"]) == 130
    assert "interrupted; folders that are not listed were not verified" in capsys.readouterr().err


def test_commands(tmp_path):
    folder = tmp_path / "result"
    done = crypt("benchmark", "run", "solo-8", "ghost", "--out", str(folder), "--size", "quick", "--quiet")
    assert done.returncode == 0, done.stderr
    assert "| ghost | open | 1 |" in done.stdout
    page = tmp_path / "board.md"
    done = crypt("benchmark", "leaderboard", str(folder), "--out", str(page), "--quiet")
    assert done.returncode == 0, done.stderr
    assert "## solo-8" in page.read_text(encoding="utf-8")
    change(folder, lambda result: result["numbers"]["panel"][0].__setitem__(0, 60))
    done = crypt("benchmark", "verify", str(folder), "--quiet")
    assert done.returncode == 1
    assert "refused: " in done.stdout
    assert "panel[0][0] is 60, the games make it 30" in done.stdout
    done = crypt("benchmark", "leaderboard", str(folder), "--quiet")
    assert done.returncode == 2
    assert done.stdout == ""


def test_tasks_are_listed():
    done = crypt("benchmark", "tasks", "--tables")
    assert done.returncode == 0
    assert (
        "duel-8      2 players,  8 tables to train on; 10240 games for each run, 1280 with --size quick" in done.stdout
    )
    assert "AAAAAA BBBAAA BAABBA ABBBBA ABABAB BABBAB BBAABB AABABB\n" in done.stdout
