"""A run whose training several workers share; the first of them evaluates with the others and writes all files."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

from crypt_env.agents import AnyAgent
from crypt_env.arena.chunks import MOST_GAMES, Chunks, Task
from crypt_env.arena.match import play_deals, ready_agents
from crypt_env.arena.schedule import Plan
from crypt_env.arena.workers import Crew, Done
from crypt_env.console.progress import Progress
from crypt_env.ppo.exchange import Exchange

from .checkpoint_file import NAME
from .desk import DeskClient
from .folder import outputs_in
from .run import Run
from .settings import Settings


class SharedRun(Run):
    """Follows a training together with the runs of the other workers."""

    def __init__(self, settings: Settings, folder: Path, exchange: Exchange, desk: DeskClient) -> None:
        """Follow a training.

        Args:
            settings: of the training.
            folder: for this worker alone; what the first one writes to its own is passed on.
            exchange: with the other workers.
            desk: takes what the first worker hands in.
        """
        super().__init__(settings, folder)
        self._exchange, self._desk = exchange, desk
        self.is_first, self.workers = exchange.rank == 0, exchange.size
        self.jobs = GroupCrew(exchange)
        self.progress = desk if self.is_first else Progress("decisions", quiet=True)  # type: ignore[assignment]
        self._agreed_seconds = 0.0
        self._sent: dict[Path, tuple[int, int]] = {}

    def _on_rollout_start(self) -> None:
        """Do what is due, all workers the same."""
        self._agree()
        super()._on_rollout_start()

    def _end_if_due(self) -> None:
        """Hand in what was written before the training may end."""
        self.hand_in()
        super()._end_if_due()

    def _on_training_end(self) -> None:
        """Count the last rollout and its update, too."""
        self._agree()

    def _agree(self) -> None:
        """Take the clock and the signals from the first worker."""
        self._show(self.model.num_timesteps)
        mine = (self._desk.step(), super().seconds) if self.is_first else None
        self.stop.number, self._agreed_seconds = self._exchange.share(mine)

    def load_state_dict(self, state: dict[str, Any], before: Settings) -> None:
        """Continue another run."""
        super().load_state_dict(state, before)
        self._agreed_seconds = self._seconds_before

    @property
    def seconds(self) -> float:
        """How long it has trained, as all workers have agreed."""
        return self._agreed_seconds

    def save(self, name: str, row: dict[str, Any]) -> None:
        """Write the network as it is now."""
        if self.is_first:
            super().save(name, row)

    def _write_table(self, file: str, rows: list[dict[str, Any]]) -> None:
        """Write a table."""
        if self.is_first:
            super()._write_table(file, rows)

    def hand_in(self, is_last: bool = False) -> None:
        """Give the desk what has changed since the last time, if there is a new checkpoint or evaluation."""
        if not self.is_first:
            return
        now = {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in outputs_in(self.folder)}
        changed = [path for path, mark in now.items() if self._sent.get(path) != mark]
        if is_last or any(path.name in (NAME, "curves.csv") for path in changed):
            self._desk.call("put", {str(path.relative_to(self.folder)): path.read_bytes() for path in changed})
            self._sent = now


class GroupCrew(Crew):
    """Workers of a training, each of which plays a part of the deals; all get the results of all."""

    def __init__(self, exchange: Exchange) -> None:
        """Play together with the others."""
        self._exchange = exchange

    def play_chunks(self, plan: Plan, agents: Sequence[AnyAgent], chunks: Chunks) -> Generator[Done]:
        """Play this worker's part of all deals, and yield all parts."""
        ready = ready_agents(agents, plan.players)
        start, stop = self._exchange.part(plan.deals)
        size = max(1, MOST_GAMES // plan.players)
        mine = []
        for number, lineup in enumerate(plan.lineups):
            for first in range(start, stop, size):
                task = Task(number, first, min(stop, first + size))
                mine.append(Done(task, play_deals(plan, lineup, ready, task.start, task.stop)))
        for dones in self._exchange.all(mine):
            yield from dones
