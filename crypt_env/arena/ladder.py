"""The ladder: all agents of this package compared, for every number of players."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from .progress import Progress
from .report import Report
from .schedule import EVEN
from .tables import as_markdown, check_writable, write_file
from .tournament import Folder, round_robin

LADDER_AGENTS = ("random", "ghost", "greedy", "tuned", "search:200")
"""Who stands on the ladder."""
LADDER_GAMES = 12_800
"""Of each line-up, and of each agent alone."""
LADDER_SEED = 1
LADDER_COMMAND = "python -m crypt_env arena --ladder"

_PLAYERS = (1, 2, 3, 4)
_INTRODUCTION = f"""\
# The ladder

All agents of this package against each other, on the same deals, at all 64 tables. How the numbers are made is
told in [arena.md](arena.md); `{LADDER_COMMAND}` makes this page anew, and `benchmarks/results/ladder-*.json` beside it.
"""


def page_path(root: Folder) -> Path:
    """Return where the page lies in a source tree."""
    return Path(root) / "docs" / "ladder.md"


def results_path(root: Folder, players: int) -> Path:
    """Return where the numbers for this many players lie in a source tree."""
    return Path(root) / "benchmarks" / "results" / f"ladder-{players}.json"


def build_ladder(
    root: Folder,
    agents: Sequence[str] | None = None,
    games: int = LADDER_GAMES,
    jobs: int = 1,
    out: Folder | None = None,
    progress: Callable[[int], Progress | None] = lambda players: None,
) -> dict[int, Report]:
    """Play all tournaments of the ladder and write its files.

    Args:
        root: the source tree.
        agents: `LADDER_AGENTS` if not given.
        games: of each line-up.
        jobs: processes.
        out: a folder that keeps what is finished, in a folder for each number of players.
        progress: returns what is told about the tournament of this many players.

    Returns:
        The reports by the number of players.
    """
    for path in (page_path(root), *(results_path(root, players) for players in _PLAYERS)):
        check_writable(path)
    reports = {}
    for players in _PLAYERS:
        kept = None if out is None else Path(out) / str(players)
        reports[players] = round_robin(
            agents or LADDER_AGENTS, players, games, EVEN, LADDER_SEED, jobs=jobs, out=kept, progress=progress(players)
        )
    for players, report in reports.items():
        write_file(results_path(root, players), report.as_json())
    write_file(page_path(root), ladder_page(reports))
    return reports


def ladder_page(reports: dict[int, Report]) -> str:
    """Return the page about these tournaments."""
    parts = [_INTRODUCTION]
    for players, report in reports.items():
        title = "One player: against the Ghost" if players == 1 else f"{players} players"
        parts.append(f"## {title}\n\n{as_markdown(report)}")
    return "\n".join(parts)
