"""The tasks of Crypt-64, version 1: frozen.

Nothing on this page changes within a version: neither a task, nor its tables, deals, opponents or budgets. Any change
makes version 2, and version 1 is kept beside it. A test compares `protocol_digest` with the one that was
published.
"""

from __future__ import annotations

from typing import NamedTuple

from crypt_env.arena.designs import orthogonal_tables
from crypt_env.errors import CryptError, quoted
from crypt_env.rules.deal import TABLES

PROTOCOL, VERSION = "Crypt-64", 1

BUDGETS = {"1M": 10**6, "10M": 10**7, "100M": 10**8, "1B": 10**9}
"""How many decisions a training may play, in all seats; games that select among its own networks count."""
NO_BUDGET = "open"
"""The budget of what was not trained, or not within one of the budgets: programs, searches, other trainings."""

SIZES = ("full", "quick")
"""How many deals are played: all of them, or the first few of each table."""
DEALS_OF_A_TABLE = {
    "full": {1: 64, 2: 16, 3: 8, 4: 8},
    "quick": {1: 8, 2: 2, 3: 2, 4: 2},
}
"""By size and number of players. Each deal is played in as many seatings as there are seats."""

ZERO, ONE = "random", "tuned"
"""The agents whose scores are 0 and 1."""


class Lineup(NamedTuple):
    """The opponents of an agent, clockwise from its seat."""

    others: tuple[str, ...]
    is_held_out: bool
    """Whether the others are kept from training."""

    @property
    def name(self) -> str:
        """Return what tables call it."""
        different = list(dict.fromkeys(self.others))
        counts = [self.others.count(name) for name in different]
        parts = [name if count == 1 else f"{count} x {name}" for name, count in zip(different, counts, strict=True)]
        return ", ".join(parts) if parts else "the Ghost"


_SPECIALISTS = {2: "net:duel", 3: "net:trio", 4: "net:quartet"}


def _lineups(players: int) -> tuple[Lineup, ...]:
    """Return the line-ups for a number of players."""
    if players == 1:
        return (Lineup((), False),)
    rest = players - 1
    public = tuple(Lineup((name,) * rest, False) for name in ("greedy", "tuned", _SPECIALISTS[players]))
    mixed = ("search:5", *("tuned",) * (rest - 1))
    return (*public, Lineup(("ghost",) * rest, True), Lineup(mixed, True))


LINEUPS = {players: _lineups(players) for players in (1, 2, 3, 4)}
"""The panel by number of players: ``greedy``, ``tuned`` and a network in all other seats may be met in training;
``ghost`` in all of them, and ``search:5`` (with ``tuned`` at larger tables), are held out. There are no
other mixed tables: the agent after ``greedy`` profits from its mistakes, so the order of the seats would decide."""


class Task(NamedTuple):
    """What is trained, and how it is evaluated."""

    name: str
    players: int
    tables: tuple[int, ...]
    """Those that a training may use. All 64 are judged, with the same deals in all tasks of as many players."""

    @property
    def lineups(self) -> tuple[Lineup, ...]:
        """Return the panel."""
        return LINEUPS[self.players]

    @property
    def generalizes(self) -> bool:
        """Return whether there are tables that a training may not use."""
        return len(self.tables) < TABLES

    @property
    def unseen(self) -> tuple[int, ...]:
        """Return the tables that a training may not use."""
        return tuple(table for table in range(TABLES) if table not in self.tables)

    def deals(self, size: str) -> int:
        """Return how many deals are played."""
        return TABLES * DEALS_OF_A_TABLE[size][self.players]

    def games(self, size: str) -> int:
        """Return how many games an agent plays against the whole panel."""
        return self.deals(size) * self.players * len(self.lineups)


_NAMES = {1: "solo", 2: "duel", 3: "trio", 4: "quartet"}
TASKS = {
    task.name: task
    for count in (64, 32, 16, 8)
    for players, name in _NAMES.items()
    for task in (Task(f"{name}-{count}", players, orthogonal_tables(count)),)
}
"""``solo-64``, ``duel-64``, ``trio-64``, ``quartet-64``, and the same with 32, 16 and 8 tables to train on."""


def find_task(name: object) -> Task:
    """Return a task by its name.

    Raises:
        CryptError: there is none.
    """
    task = TASKS.get(name) if isinstance(name, str) else None
    if task is None:
        raise CryptError(f"task {quoted(name)} is not known; allowed are {', '.join(TASKS)}")
    return task


def check_size(size: object) -> str:
    """Check a size."""
    if not isinstance(size, str) or size not in SIZES:
        raise CryptError(f"size={quoted(size)} is not possible; allowed are {' and '.join(SIZES)}")
    return size


def check_budget(budget: object, decisions: object) -> None:
    """Raise an error unless there is such a budget and it allows this many decisions."""
    if not isinstance(budget, str) or budget not in (*BUDGETS, NO_BUDGET):
        raise CryptError(f"budget={quoted(budget)} is not possible; allowed are {', '.join(BUDGETS)} and {NO_BUDGET}")
    if type(decisions) is not int or not 0 <= decisions <= 10**15:
        raise CryptError(f"decisions={quoted(decisions)} is not possible; a whole number from 0 on is needed")
    if budget in BUDGETS and not decisions:
        raise CryptError(f"decisions=0 are not possible with the budget {budget}; give how many the training played")
    if budget in BUDGETS and decisions > BUDGETS[budget]:
        raise CryptError(f"{decisions} decisions are more than the budget {budget} allows, {BUDGETS[budget]}")
