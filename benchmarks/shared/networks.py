"""Results of networks, which count as long as the files of the networks are the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from crypt_env.agents.network_names import find_network
from crypt_env.benchmark.frozen import file_digest
from crypt_env.errors import CryptError
from crypt_env.files import write_text

DIGITS = 16
MATCH_HEADER = ("agent", "opponents", "players", "wins", "games")


def files_of(*agents: str) -> dict[str, str]:
    """Return the networks that agents play, with the first digits of the SHA-256 of their files.

    A network that is trained further keeps its name, and its results are then those of another one.
    """
    parts = [agent.partition("net:") for agent in agents]
    names = {name.removesuffix(":draw") for _, is_network, name in parts if is_network}
    return {name: file_digest(find_network(name))[:DIGITS] for name in sorted(names)}


def kept_rows(file: Path) -> list[dict[str, Any]]:
    """Return the results so far of networks as they are now; each has under "files" what `files_of` says."""
    rows: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
    return [row for row in rows if _is_current(row["files"])]


def _is_current(files: dict[str, str]) -> bool:
    """Return whether networks are there, and the same as when they were measured."""
    try:
        return files == files_of(*(f"net:{name}" for name in files))
    except CryptError:
        return False


def add_row(file: Path, row: dict[str, Any]) -> list[dict[str, Any]]:
    """Add a result to those that another process may have added by now; return all of them."""
    rows = [*kept_rows(file), row]
    write_text(file, "[\n" + ",\n".join(json.dumps(each) for each in rows) + "\n]\n")
    return rows


def match_cells(row: dict[str, Any]) -> tuple[object, ...]:
    """Return the cells of a match in a table."""
    value, low, high = (100 * number for number in row["share"])
    agents = (f"`{row['agent']}`", f"`{row['opponent']}`")
    return (*agents, row["players"], f"{value:.1f} [{low:.1f}, {high:.1f}]%", row["games"])
