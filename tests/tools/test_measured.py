"""The numbers of the README, from results as the benchmarks write them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tools import measured

RATES = {
    "Crypt": {
        "batch, 2 players": 4.41e6,
        "batch, 4 players": 2.7e6,
        "one game a call, 2 players": 1.04e6,
        "AEC, 2 players": 1e5,
    },
    "PettingZoo": {"AEC, connect_four": 21_000.0, "AEC, hanabi": 4_800.0},
    "OpenSpiel": {"C++, leduc_poker": 405_000.0, "C++, backgammon": 74_000.0, "Python, python_kuhn_poker": 70_000.0},
    "RLCard": {"leduc-holdem": 99_000.0},
    "Pgx": {"batch, leduc_holdem": 2.151e6},
}
PEERS = {
    "date": "2026-01-02",
    "decisions a second": RATES,
    "projects": {name: {"versions": {name.lower(): "1.2"}, "megabytes": 300.4} for name in RATES},
    "failed": {},
}
RACE = {
    "cores": 2,
    "measured": {"ours": {"date": "2026-01-02"}, "theirs": {"date": "2026-01-03"}},
    "results": {
        "ours": [{"seconds": 2.0, "coins": 40.0}, {"seconds": 20.0, "coins": 46.0}, {"seconds": 100.0, "coins": 50.0}],
        "theirs": [{"seconds": 360.0, "coins": 44.0}],
    },
}


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with those results that the README always needs."""
    for name in ("ladder-1", "ladder-2", "ladder-3", "ladder-4", "ablations-solo", "ablations-duel", "training-speed"):
        shutil.copy(measured.RESULTS / f"{name}.json", tmp_path)
    monkeypatch.setattr(measured, "RESULTS", tmp_path)
    return tmp_path


def write(folder: Path, name: str, content: object) -> None:
    (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")


def test_peers_are_told_by_the_way_of_playing(results: Path) -> None:
    write(results, "peers", PEERS)
    assert measured.fast().startswith(
        "One core plays 4,410,000 decisions a second in a batch, observations and masks included, 1,040,000 one game "
        "at a time, and 100,000 in PettingZoo's loop. The fastest games of other projects reach 2,150,000, 405,000 and "
        "21,000."
    )
    rows = measured.speed().splitlines()
    assert rows[3:5] == [
        "| Crypt 1.2 | 2,700,000 (4 players) | 4,410,000 (2 players) |",
        "| Pgx 1.2 |  | 2,150,000 (leduc holdem) |",
    ]
    assert "| OpenSpiel C++ 1.2 | 74,000 (backgammon) | 405,000 (leduc poker) |" in rows
    assert "2026-01-02" in rows[-1]
    assert "RLCard 300" in rows[-1]


def test_a_race_names_the_time_or_that_it_was_too_short(results: Path) -> None:
    write(results, "time-to-strength", RACE)
    rows = measured.trainings().splitlines()
    assert rows[2:4] == ["| ours | 20 s | 1 min 40 s |", "| theirs | not in 6 min | not in 6 min |"]
    assert rows[-1].endswith("2026-01-02 to 2026-01-03.")
    assert "reaches 50 coins after 1 min 40 s on two cores; no other reached them." in measured.learns()


def test_a_race_names_the_next_best(results: Path) -> None:
    results_of = {"ours": [{"seconds": 100.0, "coins": 50.0}], "late": [{"seconds": 200.0, "coins": 51.0}]}
    write(results, "time-to-strength", {**RACE, "results": results_of})
    assert "after 1 min 40 s on two cores; the next best one needs 3 min 20 s." in measured.learns()


def test_commands_and_checks_have_their_numbers(results: Path) -> None:
    write(results, "clone", {"seconds": {"make train": 168.2, "make test": 843.0}})
    write(results, "crosscheck", {"games": 40_000, "decisions": 1_200_000, "differences": 0})
    assert "(2 min 50 s in a fresh clone)" in measured.commands()
    assert "(14 min in a fresh clone)" in measured.commands()
    assert "agrees in 1,200,000 decisions of 40,000 games." in measured.correct()


def test_texts_between_blocks_stay(results: Path) -> None:
    page = "a\n<!-- measured: strength -->\nold\n<!-- end -->\nb\n"
    filled = measured.filled(page)
    assert filled.startswith("a\n<!-- measured: strength -->\n| agent |")
    assert filled.endswith("|\n<!-- end -->\nb\n")
    assert measured.filled(filled) == filled
