"""A training run: its evaluations, checkpoints and networks, and the progress that it shows."""

from __future__ import annotations

import csv
import io
import time
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from crypt_env.agents import Agent
from crypt_env.arena.workers import Crew
from crypt_env.console.progress import Progress
from crypt_env.errors import quoted
from crypt_env.files import replace_file
from crypt_env.ppo.checks import number_in, whole_in
from crypt_env.ppo.export import agent_of, export_network
from crypt_env.ppo.league import SNAPSHOT

from .checkpoint import has_checkpoint, save_checkpoint
from .evaluation import as_row, as_words, evaluate
from .history import Session
from .settings import Settings
from .setup import reward_facts
from .stopping import PROGRAM, Stop, Stopped

_LOSSES = ("entropy_loss", "approx_kl", "explained_variance", "clip_fraction")
"""Of the updates before an evaluation, kept with it."""


class StopTraining(Exception):
    """The run ends here, on purpose."""


class Run(BaseCallback):
    """Follows a training: evaluates, keeps checkpoints and the best network, shows the progress."""

    is_first = True
    """Whether this is the only worker of the training, or the first, which writes the files of all."""
    jobs: int | Crew = 1
    """Who plays the games of evaluations."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        super().__init__()
        self.settings, self.folder = settings, folder
        self.rows: list[dict[str, Any]] = []
        """The evaluations so far."""
        self.exploiters: list[dict[str, Any]] = []
        """What each exploiter so far has won against the network that it was trained against."""
        self.sessions: list[Session] = []
        self.best = -np.inf
        self.stop_reason = ""
        self.stop = Stop()
        self._seconds_before = 0.0
        self._losses_before: dict[str, float] = {}
        self.progress = Progress("decisions")

    # -- checkpoints --------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Return all that changes."""
        state = {"seconds": self.seconds, "rows": self.rows, "losses": self.losses(), "sessions": self.sessions}
        return {**state, "exploiters": self.exploiters} if self.exploiters else state

    def load_state_dict(self, state: dict[str, Any], before: Settings) -> None:
        """Continue another run.

        Args:
            state: of the other run.
            before: its settings; if it had other opponents, its scores no longer count.

        Raises:
            ValueError: the state is not possible; see `SelfPlayPPO.load_state_dict`.
        """
        self._seconds_before = number_in(state, "seconds")
        self.rows, self.sessions = list(state["rows"]), list(state["sessions"])
        self.exploiters = list(state.get("exploiters", []))
        _check_rows([*self.rows, *self.exploiters])
        for session in self.sessions:
            whole_in(session, "decisions")
        self._losses_before = {str(name): float(value) for name, value in state["losses"].items()}
        if before.opponents == self.settings.opponents:
            self.best = max((row["score"] for row in self.rows), default=-np.inf)

    # -- called by Stable-Baselines3 ----------------------------------------------------------------------------------

    def _on_training_start(self) -> None:
        """Start the clock."""
        self._start = time.monotonic()
        self._first = self.model.num_timesteps

    def _on_step(self) -> bool:
        """Continue."""
        return True

    def _on_rollout_start(self) -> None:
        """Do what is due between two rollouts, where nothing else runs."""
        done, settings = self.model.num_timesteps, self.settings
        if settings.minutes:
            self.learner.time_used = min(1.0, self.seconds / (settings.minutes * 60))
        is_new = done > self._first  # where a resumed run begins it was done before
        has_snapshots = settings.league_share > 0 and settings.league_snapshots > 0
        if has_snapshots and self.is_due(done, settings.snapshot_every) and (is_new or done == 0):
            self._add_snapshot(done)
        if self.learner.env.league is not None:
            self.learner.env.league.refresh()  # as a run that goes on from the checkpoint will do
        if done > 0 and self.is_due(done, settings.evaluate_every):
            self.evaluate_once()
        if is_new and self.is_due(done, settings.checkpoint_every):
            save_checkpoint(self.folder, self)
        self._show(done)
        self._end_if_due()

    def _on_rollout_end(self) -> None:
        """Note that a rollout was played."""
        if self.learner.env.league is not None:
            self.learner.env.league.fade()
        self.note_rollout()

    def note_rollout(self) -> None:
        """Note that from now on there is something to keep."""
        self.stop.is_worthwhile = True
        kept = f"the last checkpoint is in {self.folder}, and --resume continues from it"
        PROGRAM.remark = f" at once; {kept if has_checkpoint(self.folder) else 'there is no checkpoint yet'}"

    def is_due(self, done: int, every: int) -> bool:
        """Return whether the last rollout reached a multiple of ``every``."""
        rollout = self.settings.games * self.settings.steps
        return done // every > (done - rollout) // every

    def _end_if_due(self) -> None:
        """Raise `StopTraining` after a signal, or if the time is over."""
        minutes = self.settings.minutes
        if minutes and self.seconds > minutes * 60:
            self.stop_reason = f"{minutes:g} minutes are over; --resume with more minutes continues"
        if self.stop.is_asked or self.stop_reason:
            raise StopTraining

    def _show(self, done: int) -> None:
        minutes = self.settings.minutes
        note = f"{max(0.0, minutes - self.seconds / 60):.1f} min left at most" if minutes else ""
        self.progress.update(done, self.settings.decisions, note)

    # -- evaluations and files ----------------------------------------------------------------------------------------

    @property
    def learner(self) -> Any:
        """The model that learns."""
        return self.model

    @property
    def seconds(self) -> float:
        """How long it has trained."""
        return self._seconds_before + time.monotonic() - self._start

    def agent(self) -> Agent:
        """Return the network as it is now, playing its likeliest actions."""
        return agent_of(self.learner.policy, self.settings.players, self.settings.name)

    def _add_snapshot(self, done: int) -> None:
        snapshot = agent_of(self.learner.policy, self.settings.players, f"{SNAPSHOT} {done // 1000}k", draws=True)
        self.learner.env.league.add(snapshot, self.settings.league_snapshots)

    def evaluate_once(self) -> None:
        """Evaluate the network as it is now, unless that was done; if a signal ends this, it is done later."""
        if self.stop.is_asked or (self.rows and self.rows[-1]["decisions"] == self.model.num_timesteps):
            return
        try:
            with self.stop.breakable():
                scores = evaluate(self.agent(), self.settings, self.jobs)
        except Stopped:
            return
        row = {**self._now(), **as_row(scores, self.settings), **self.losses()}
        self.rows.append(row)
        self._log({f"evaluation/{name}": estimate.value for name, estimate in scores.items()})
        self._write_table("curves.csv", self.rows)
        self.save("last", row)
        if row["score"] > self.best:
            self.best = row["score"]
            self.save("best", row)
        train = (
            f"entropy {-row['entropy_loss']:.2f}, KL {row['approx_kl']:.4f}, explained {row['explained_variance']:.2f}"
        )
        place = f"{row['decisions'] / 1e6:6.2f} M decisions, {row['seconds']:5.0f} s"
        self.progress.say(f"{place}: {as_words(scores)} ({train})")

    def _now(self) -> dict[str, Any]:
        return {"decisions": self.model.num_timesteps, "seconds": round(self.seconds, 1)}

    def losses(self) -> dict[str, float]:
        """Return the losses of the last update; in a resumed run at first those before it was stopped."""
        values = self.model.logger.name_to_value
        return {
            name: round(float(values.get(f"train/{name}", self._losses_before.get(name, np.nan))), 5)
            for name in _LOSSES
        }

    def note_exploiter(self, row: dict[str, Any]) -> None:
        """Keep what an exploiter has won against the network as it is now."""
        self.exploiters.append(row)
        self._log({"exploiters/score": row["score"]})
        self._write_table("exploiters.csv", self.exploiters)

    def _log(self, values: dict[str, Any]) -> None:
        """Write to the log at once: the logger itself would write this with the next rollout."""
        done = self.model.num_timesteps
        excluded: dict[str, tuple[str, ...]] = {**dict.fromkeys(values, ()), "time/total_timesteps": ("tensorboard",)}
        for writer in self.model.logger.output_formats:
            writer.write({**values, "time/total_timesteps": done}, excluded, done)

    def save(self, name: str, row: dict[str, Any]) -> None:
        """Write the network as it is now."""
        settings = self.settings
        facts = {"name": settings.name, "reward": reward_facts(settings), "training": row}
        export_network(self.folder / name, self.learner.policy, settings.players, **facts)

    def save_last(self) -> None:
        """Write the network as it is now also if it was not evaluated."""
        if not self.rows or self.rows[-1]["decisions"] != self.model.num_timesteps:
            self.save("last", self._now())

    def _write_table(self, file: str, rows: list[dict[str, Any]]) -> None:
        text = io.StringIO()
        names = dict.fromkeys(name for row in rows for name in row)  # opponents may have changed on the way
        writer = csv.DictWriter(text, list(names), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        replace_file(self.folder / file, text.getvalue().encode())


def _check_rows(rows: list[dict[str, Any]]) -> None:
    """Raise a ValueError unless these are evaluations: numbers by their names."""
    for row in rows:
        whole_in(row, "decisions")
        number_in(row, "seconds")
        number_in(row, "score")
        for name, value in row.items():
            if type(name) is not str or not name.isprintable() or type(value) not in (int, float):
                raise ValueError(f"an evaluation has {quoted(name)}={quoted(value)}")
