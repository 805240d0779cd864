"""Plays blocks of the protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypt_env.agents import Agent
from crypt_env.agents.cast import NOBODY, Cast

from .frozen import frozen_agent
from .games import Games
from .matches import Block


class Played(NamedTuple):
    """What became of a block."""

    values: NDArray[np.float64]
    """[n, 64]: the agent's share of the win, or its coins alone, for each deal of each table, over all seatings."""
    lines: list[bytes]
    """The records of its games, in their order."""


def seat_block(block: Block, agents: Sequence[Agent | None]) -> Cast:
    """Return the agents of a block on their seats; a place in the circle without an agent is played by nobody."""
    known = list(dict.fromkeys(agent for agent in agents if agent is not None))
    cast = Cast(block.games, known)
    numbers = np.array([NOBODY if agent is None else known.index(agent) for agent in agents], np.int8)
    cast.owners[:, : block.players] = numbers[block.places()]
    return cast


def circle_of(block: Block, agent: Agent | None, other: Agent | None = None) -> list[Agent | None]:
    """Return who sits at a table, clockwise from the agent; ``other`` in cross-play."""
    if not block.others:
        return [agent] + [other] * (block.players - 1)
    return [agent, *(frozen_agent(name) for name in block.others)]


def play_block(block: Block, agent: Agent, other: Agent | None = None) -> Played:
    """Play all games of a block.

    Raises:
        CryptError: an agent does something that is not possible.
    """
    cast = seat_block(block, circle_of(block, agent, other))
    games = Games(block.players, block.deal_numbers())
    while len(rows := games.waiting):
        games.play(rows, games.answers(cast, rows), cast)
    return finished(block, games)


def finished(block: Block, games: Games) -> Played:
    """Return what became of a block whose games are over."""
    return Played(block.by_deal(games.values(block.seats())), [games.line(number) for number in range(block.games)])
