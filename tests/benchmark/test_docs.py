"""The pages say what the code does."""

import re
from pathlib import Path

from crypt_env.benchmark import TASKS, protocol_digest, read_result
from crypt_env.benchmark.leaderboard import as_leaderboard
from crypt_env.benchmark.tasks import DEALS_OF_A_TABLE

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "benchmark.md").read_text(encoding="utf-8")


def test_the_page_names_the_digest_and_all_tasks():
    assert f"`crypt_env.benchmark.protocol_digest()` is `{protocol_digest()}`" in PAGE
    for task in TASKS.values():
        assert f"`{task.name}`" in PAGE


def test_the_page_counts_games():
    for name in ("solo", "duel", "trio", "quartet"):
        task = TASKS[f"{name}-64"]
        (line,) = re.findall(rf"\| `{task.name}` \| .* \| 64 \| ([\d,]+) \| ([\d,]+) \|", PAGE)
        assert line == (f"{task.games('full'):,}", f"{task.games('quick'):,}")


def test_the_page_counts_deals():
    assert list(DEALS_OF_A_TABLE["full"].values()) == [64, 16, 8, 8]
    assert "`full` has 64, 16, 8 and 8 deals of each table" in PAGE
    assert list(DEALS_OF_A_TABLE["quick"].values()) == [8, 2, 2, 2]
    assert "the first 8, 2, 2\nand 2 of them" in PAGE


def test_the_page_shows_the_panel():
    for task in (TASKS["duel-64"], TASKS["trio-64"], TASKS["quartet-64"]):
        (line,) = (line for line in PAGE.splitlines() if line.startswith(f"| {task.players} | ") and "greedy" in line)
        for lineup in task.lineups:
            words = lineup.name.replace(", ", " and ")
            assert words in line.replace("`", "")


def test_the_leaderboard_is_that_of_the_results():
    folders = sorted((ROOT / "benchmarks" / "results" / "crypt-64").glob("*/*"))
    page = (ROOT / "docs" / "leaderboard.md").read_text(encoding="utf-8")
    assert len(folders) > 5
    assert page == as_leaderboard([read_result(folder) for folder in folders])
