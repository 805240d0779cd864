"""Frozen measurements: the opponents, by digests, and the scores of 0 and 1.

``frozen.json`` has under "opponents" a digest of each: of a network the SHA-256 of its file, of a program a digest of
how it plays some games. Under "anchors" it has what `random` and `tuned` reach: by number of players and line-up, the
mean of each table over all deals of the size ``full``. ``python -m crypt_env.benchmark.freeze`` has written it.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crypt_env.agents import Agent, make_agent
from crypt_env.agents.cast import Cast
from crypt_env.agents.network import NetworkAgent, load_network
from crypt_env.agents.network_names import ENDING, SHIPPED
from crypt_env.errors import CryptError

from .games import Games
from .tasks import LINEUPS, ONE, PROTOCOL, VERSION, ZERO

PATH = Path(__file__).with_name("frozen.json")
NETWORKS = Path(__file__).with_name("networks")
"""The folder for networks of the panel that no longer come with the package under their names."""
FROZEN: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8")) if PATH.exists() else {}

_TRIED, _TRIED_SLOWLY = 8, 2
"""Deals on which the play of a program is compared, and of a search, which is slow."""
_NETWORK = "net:"


def panel_names() -> list[str]:
    """Return the names of all opponents."""
    return sorted({name for lineups in LINEUPS.values() for lineup in lineups for name in lineup.others})


def anchors(players: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the scores of 0 and 1: the means of `random` and `tuned`. [line-ups, 64] each"""
    found = FROZEN["anchors"][str(players)]
    return np.array(found[ZERO]), np.array(found[ONE])


@cache
def frozen_agent(name: str) -> Agent:
    """Return an opponent of the panel as it was frozen.

    Raises:
        CryptError: this version of the package has another one under this name.
    """
    wanted = FROZEN["opponents"][name]
    if name.startswith(_NETWORK):
        agent: Agent = NetworkAgent(load_network(_find_network(name, wanted)))
        agent.name = name
        return agent
    if behaviour_digest(name) != wanted:
        raise CryptError(
            f"{name!r} of this version of crypt_env does not play as the one of {PROTOCOL}, version {VERSION}; "
            "take the version of crypt_env that the result was made with"
        )
    return make_agent(name)


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def behaviour_digest(name: str) -> str:
    """Return a digest of how a program plays against itself, for all numbers of players with it in the panel."""
    digest, deals = hashlib.sha256(), _TRIED_SLOWLY if name.startswith("search") else _TRIED
    for players, lineups in LINEUPS.items():
        if any(name in lineup.others for lineup in lineups):
            games = Games(players, np.arange(deals))
            cast = Cast(deals, [name])
            cast.owners[:] = 0
            while len(rows := games.waiting):
                games.play(rows, games.answers(cast, rows), cast)
            for number in range(deals):
                digest.update(games.line(number))
    return digest.hexdigest()[:16]


def _find_network(name: str, digest: str) -> Path:
    places = (SHIPPED / f"{name.removeprefix(_NETWORK)}{ENDING}", *sorted(NETWORKS.glob(f"*{ENDING}")))
    for path in places:
        if path.is_file() and file_digest(path) == digest:
            return path
    raise CryptError(
        f"the network {name!r} of {PROTOCOL}, version {VERSION}, does not come with this version of crypt_env: no file "
        f"has the SHA-256 {digest[:16]}..."
    )
