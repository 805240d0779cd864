"""The ladder: all agents of this package compared, for every number of players."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from crypt_env.agents.network import load_network
from crypt_env.agents.network_names import shipped_networks
from crypt_env.console.progress import Progress
from crypt_env.errors import CryptError
from crypt_env.files import check_writable, shown, write_text

from .formats import as_markdown
from .report import Report
from .steps import Step, play_steps, steps_as_json, steps_as_markdown
from .tournament import Folder, round_robin
from .workers import Crew

LADDER_AGENTS = ("random", "ghost", "greedy", "tuned", "search:20")
"""The agents on the ladder, from the lowest step up; the shipped networks are compared separately."""
LADDER_GAMES = 256
"""Of each line-up, and of each agent alone; rounded up to whole sets of tables."""
LADDER_SEEDS = (1, 2, 3, 4, 5)
"""Of the deals. All pairs play on those of the first seed, neighbors on all seeds."""
LADDER_COMMAND = "crypt arena --ladder"

_PLAYERS = (1, 2, 3, 4)
_SOLO_FACTOR = 4
"""How many times more solo games are played: they are cheap, and coins vary widely."""
_INTRODUCTION = f"""\
# The ladder

The fixed agents, `search:20` and all networks of this package against each other, on the same deals, at all 64 tables.
[Search](searching.md) compares the other searches. [arena.md](arena.md) explains the numbers;
`{LADDER_COMMAND}` regenerates this page and `benchmarks/results/ladder-*.json`.
"""


def page_path(root: Folder) -> Path:
    """Return the path of the page in a source tree."""
    return Path(root) / "docs" / "ladder.md"


def results_path(root: Folder, name: int | str) -> Path:
    """Return the path of the numbers in a source tree: for a number of players, or for the "steps"."""
    return Path(root) / "benchmarks" / "results" / f"ladder-{name}.json"


def ladder_networks(players: int) -> list[str]:
    """Return the shipped networks that were trained for tables with this number of players."""
    return [f"net:{name}" for name in shipped_networks() if players in load_network(name).players]


def _check_sources(root: Folder) -> None:
    if not (Path(root) / "pyproject.toml").is_file() or not (Path(root) / "crypt_env" / "arena").is_dir():
        raise CryptError(
            f"the ladder is written into a copy of Crypt's sources, docs/ladder.md and benchmarks/results, and "
            f"'{shown(root)}' is not one; run '{LADDER_COMMAND}' in a copy"
        )
    for path in (page_path(root), *(results_path(root, name) for name in (*_PLAYERS, "steps"))):
        check_writable(path)


def build_ladder(
    root: Folder,
    games: int = LADDER_GAMES,
    jobs: int | Crew = 1,
    out: Folder | None = None,
    progress: Progress | None = None,
) -> dict[int, Report]:
    """Play all tournaments of the ladder and write its files.

    Args:
        root: the source tree.
        games: of each line-up.
        jobs: processes.
        out: a folder for finished chunks, with a subfolder for each number of players.
        progress: the progress display.

    Returns:
        The reports by the number of players.

    Raises:
        CryptError: ``root`` is not a source tree, or is not writable.
    """
    _check_sources(root)
    reports: dict[int, Report] = {}
    steps: list[Step] = []
    for players in _PLAYERS:
        kept = None if out is None else Path(out) / str(players)
        count = games * _SOLO_FACTOR if players == 1 else games
        update = None if progress is None else progress.begin(f"{players} of {_PLAYERS[-1]}: ")
        agents = [*LADDER_AGENTS, *ladder_networks(players)]
        reports[players] = round_robin(
            agents, players, count, "even", LADDER_SEEDS[0], jobs=jobs, out=kept, progress=update
        )
        kept = None if out is None else Path(out) / f"{players}-steps"
        steps += play_steps(LADDER_AGENTS, players, count, LADDER_SEEDS, jobs, kept, update)
    for players, report in reports.items():
        write_text(results_path(root, players), report.as_json())
    write_text(results_path(root, "steps"), steps_as_json(steps, games, LADDER_SEEDS))
    write_text(page_path(root), ladder_page(reports, steps))
    return reports


def ladder_page(reports: dict[int, Report], steps: Sequence[Step]) -> str:
    """Return the page about these tournaments."""
    parts = [_INTRODUCTION]
    for players, report in reports.items():
        title = "One player: against the Ghost" if players == 1 else f"{players} players"
        parts.append(f"## {title}\n\n{as_markdown(report)}")
        parts.append(steps_as_markdown([step for step in steps if step.players == players], LADDER_SEEDS))
    return "\n".join(parts)
