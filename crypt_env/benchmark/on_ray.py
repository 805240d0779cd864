"""Plays the blocks of the protocol on a Ray cluster, in parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

from crypt_env.agents import Agent
from crypt_env.arena.on_ray import RayCrew

from .matches import Block
from .playing import Part, Played, joined, play_part

PART = 256
"""Games that are played at once."""


class Asked(NamedTuple):
    """A block, and who plays it: the numbers of an agent, and in cross-play of the other one."""

    block: Block
    one: int
    other: int | None


class _Task(NamedTuple):
    """Some games of a block."""

    number: int
    """Of the block, among all that were asked for."""
    asked: Asked
    games: slice


def play_on_ray(
    asked: Sequence[Asked], agents: Sequence[Agent], crew: RayCrew, count: Callable[[int], None]
) -> Iterator[Played]:
    """Yield what became of each block, in their order.

    Args:
        asked: the blocks.
        agents: all of them.
        crew: the processes.
        count: called with how many more games are finished.
    """
    tasks = [
        _Task(number, one, slice(start, start + PART))
        for number, one in enumerate(asked)
        for start in range(0, one.block.games, PART)
    ]
    parts: list[dict[int, Part]] = [{} for _ in asked]
    turn = 0
    with closing(crew.results(_player, (list(agents),), tasks)) as results:
        for place, part in results:
            task = tasks[place]
            parts[task.number][task.games.start] = part
            count(len(part[1]))
            while turn < len(asked) and len(parts[turn]) == -(-asked[turn].block.games // PART):
                yield joined(asked[turn].block, [parts[turn][start] for start in sorted(parts[turn])])
                parts[turn] = {}
                turn += 1


def _player(agents: Sequence[Agent]) -> Callable[[_Task], Part]:
    """Return a function that plays some games of a block."""

    def play(task: _Task) -> Part:
        block, one, other = task.asked
        return play_part(block, agents[one], None if other is None else agents[other], task.games)

    return play
