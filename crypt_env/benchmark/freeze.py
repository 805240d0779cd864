"""Writes ``frozen.json``: ``python -m crypt_env.benchmark.freeze``. Once for each version of the protocol.

Networks are frozen as they come with the package now, so a file that is there is never written again.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crypt_env.agents import make_agent
from crypt_env.agents.network_names import find_network
from crypt_env.files import write_text

from .frozen import FROZEN, PATH, behaviour_digest, file_digest, panel_names
from .matches import panel_blocks
from .playing import play_block
from .tasks import LINEUPS, ONE, VERSION, ZERO, Task

DIGITS = 6


def opponents() -> dict[str, str]:
    """Return a digest of every opponent as it is now."""
    return {
        name: file_digest(find_network(name[4:])) if name.startswith("net:") else behaviour_digest(name)
        for name in panel_names()
    }


def table_means(players: int, name: str) -> NDArray[np.float64]:
    """Return what an agent reaches against each line-up at each table. [line-ups, 64]"""
    task = Task("", players, ())
    agent = make_agent(name)
    return np.array([play_block(block, agent).values.mean(axis=0) for block in panel_blocks(task, "full")])


def main() -> None:
    """Measure everything and write the file, unless it is there."""
    if PATH.exists():
        sys.exit(
            f"version {VERSION} is frozen already, in {str(PATH)!r}; a new version has a new number, and no file yet"
        )
    FROZEN["opponents"] = opponents()
    measured: dict[str, Any] = {}
    for players in LINEUPS:
        measured[str(players)] = {
            name: [[round(mean, DIGITS) for mean in row] for row in table_means(players, name).tolist()]
            for name in (ZERO, ONE)
        }
        print(f"{players} players", flush=True)
    FROZEN["anchors"] = measured
    write_text(PATH, json.dumps(FROZEN, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
