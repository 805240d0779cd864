"""Plays blocks of the protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypt_env.agents import Agent
from crypt_env.agents.cast import NO_AGENT, Cast

from .frozen import frozen_agent
from .games import Games
from .matches import Block


class Played(NamedTuple):
    """The results of a block."""

    values: NDArray[np.float64]
    """[n, 64]: the agent's share of the win, or its coins alone, for each deal of each table, over all seatings."""
    lines: list[bytes]
    """The records of its games, in their order."""


Part = tuple[NDArray[np.float64], list[bytes]]
"""Of some games of a block: what counts for the agent, and the records."""


def seat_block(block: Block, agents: Sequence[Agent | None], part: slice = slice(None)) -> Cast:
    """Return the agents of a block on their seats; a place in the circle without an agent stays empty."""
    places = block.places()[part]
    known = list(dict.fromkeys(agent for agent in agents if agent is not None))
    cast = Cast(len(places), known)
    numbers = np.array([NO_AGENT if agent is None else known.index(agent) for agent in agents], np.int8)
    cast.owners[:, : block.players] = numbers[places]
    return cast


def circle_of(block: Block, agent: Agent | None, other: Agent | None = None) -> list[Agent | None]:
    """Return the agents at a table, clockwise from the evaluated one; ``other`` in cross-play."""
    if not block.others:
        return [agent] + [other] * (block.players - 1)
    return [agent, *(frozen_agent(name) for name in block.others)]


def play_block(block: Block, agent: Agent, other: Agent | None = None) -> Played:
    """Play all games of a block.

    Raises:
        CryptError: an agent gives an action that is not possible.
    """
    return joined(block, [play_part(block, agent, other)])


def play_part(block: Block, agent: Agent, other: Agent | None = None, part: slice = slice(None)) -> Part:
    """Play some games of a block."""
    cast = seat_block(block, circle_of(block, agent, other), part)
    games = Games(block.players, block.deal_numbers()[part])
    while len(rows := games.waiting):
        games.play(rows, games.answers(cast, rows), cast)
    return finished_part(block, games, part)


def finished_part(block: Block, games: Games, part: slice = slice(None)) -> Part:
    """Return what became of some games of a block, which are over."""
    return games.values(block.seats()[part]), [games.line(number) for number in range(len(games.batch))]


def joined(block: Block, parts: Sequence[Part]) -> Played:
    """Return what became of a block whose games were played in parts, in their order."""
    values = np.concatenate([values for values, _ in parts])
    return Played(block.by_deal(values), [line for _, lines in parts for line in lines])


def finished(block: Block, games: Games) -> Played:
    """Return the results of a block whose games are over."""
    return joined(block, [finished_part(block, games)])
