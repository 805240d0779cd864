"""A training run: its folder, evaluations, checkpoints, and what it says while it goes on."""

from __future__ import annotations

import csv
import io
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from crypt_env.agents import Agent
from crypt_env.agents.network import save_network
from crypt_env.arena import Estimate, play_match, round_robin
from crypt_env.files import replace_file
from crypt_env.ppo.checkpoint import save_checkpoint
from crypt_env.ppo.checkpoint_file import NAME, OLD_NAME
from crypt_env.ppo.export import agent_of, facts_of, weights_of
from crypt_env.ppo.league import SNAPSHOT

from .history import FILE, Session
from .report import IDENTITY
from .settings import Settings
from .setup import reward_facts
from .stopping import PROGRAM, Stop, Stopped

EVALUATION_SEED = 2_000_000_000
"""Far from the seeds of training, so that no evaluation is played on games that were learned from."""


def evaluate(agent: Agent, settings: Settings) -> dict[str, Estimate]:
    """Return how an agent plays evenly over all tables: alone its coins, else its share of the wins."""
    scores = {}
    for players in settings.players:
        if players == 1:
            solo = round_robin([agent], 1, settings.evaluate_games, "even", EVALUATION_SEED).solos[0]
            scores["coins"] = solo.coins
            continue
        for opponent in settings.opponents:
            match = play_match(agent, opponent, players, settings.evaluate_games, "even", EVALUATION_SEED)
            scores[_label(settings, opponent, players)] = match.share
    return scores


def _label(settings: Settings, opponent: str, players: int) -> str:
    """Return what a share of the wins is called."""
    return opponent if len(settings.players) == 1 else f"{opponent} ({players} players)"


def overall(scores: dict[str, Estimate], settings: Settings) -> float:
    """Return by what networks of a run are compared: solo the coins, else the wins against the last opponent named.

    With several numbers of players it is their mean; a coin then counts as much as a hundredth of the wins.
    """
    if settings.players == [1]:
        return scores["coins"].value
    counted = {_label(settings, settings.opponents[-1], players) for players in settings.players}
    values = [score.value / 100 if name == "coins" else score.value for name, score in scores.items()]
    is_counted = [name == "coins" or name in counted for name in scores]
    return float(np.mean(np.array(values)[is_counted]))


PARTIAL = ".part"
"""How files end that `replace_file` has not finished."""
_OUTPUTS = (
    *(NAME, OLD_NAME, FILE, IDENTITY, "model.zip", "curves.csv", "curves.png", "result.json"),
    *("best.safetensors", "last.safetensors", "log/progress*.csv", "log/*tfevents*"),
)
_LOSSES = ("entropy_loss", "approx_kl", "explained_variance", "clip_fraction")
"""What an evaluation tells about the updates before it."""


def clear_run(folder: Path) -> None:
    """Remove what an earlier run left in its folder; what others wrote stays."""
    for pattern in _OUTPUTS:
        for path in folder.glob(pattern):
            path.unlink()


def clear_halves(folder: Path) -> None:
    """Remove what is left of files that a killed process was writing."""
    for pattern in _OUTPUTS:
        place = folder / pattern
        for path in place.parent.glob(f".{place.name}.*{PARTIAL}"):
            path.unlink()


class Run(BaseCallback):
    """Follows a training: evaluates, keeps checkpoints and the best network, shows how far it is."""

    def __init__(self, settings: Settings, folder: Path, before: Mapping[str, Any] | None = None) -> None:
        """Follow a training into a folder; a resumed one goes on from the content of its checkpoint."""
        super().__init__()
        before = {} if before is None else before
        self.settings, self.folder = settings, folder
        self.rows: list[dict[str, Any]] = list(before.get("rows", ()))
        self.sessions: list[Session] = list(before.get("sessions", ()))
        is_same_score = before.get("settings", {}).get("opponents") == settings.opponents
        self.best = max((row["score"] for row in self.rows if is_same_score), default=-np.inf)
        self.stop_reason = ""
        self.stop = Stop()
        self._seconds_before = float(before.get("seconds", 0.0))
        self._losses_before: dict[str, float] = dict(before.get("losses", {}))
        self._shown = 0.0

    # -- what Stable-Baselines3 calls ----------------------------------------------------------------------------------

    def _on_training_start(self) -> None:
        """Note when it began."""
        self._start = time.monotonic()
        self._first = self.model.num_timesteps

    def _on_step(self) -> bool:
        """Go on."""
        return True

    def _on_rollout_start(self) -> None:
        """Do what is due, between two rollouts: everything stands still here."""
        done, settings = self.model.num_timesteps, self.settings
        self._follow_schedules(done)
        is_new = done > self._first  # where a resumed run begins it was done before
        has_snapshots = settings.league_share > 0 and settings.league_snapshots > 0
        if has_snapshots and self._is_due(done, settings.snapshot_every) and (is_new or done == 0):
            self._add_snapshot(done)
        if self.learner.env.league is not None:
            self.learner.env.league.refresh()  # as a run that goes on from the checkpoint will do
        if done > 0 and self._is_due(done, settings.evaluate_every):
            self.evaluate_once()
        if is_new and self._is_due(done, settings.checkpoint_every):
            save_checkpoint(self.folder, self)
        self._show()
        self._end_if_due()

    def _on_rollout_end(self) -> None:
        """Note that there is something to keep from now on."""
        self.stop.is_worthwhile = True
        PROGRAM.remark = f" at once; the last checkpoint is in {self.folder}, and --resume goes on from it"

    def _follow_schedules(self, done: int) -> None:
        """Set what changes in the course of a run."""
        settings = self.settings
        if settings.minutes:
            self.learner.time_used = min(1.0, self.seconds / (settings.minutes * 60))
        share = min(1.0, max(done / settings.decisions, self.learner.time_used))
        self.learner.ent_coef = settings.entropy + share * (settings.final_entropy - settings.entropy)
        self.learner.teaching = settings.teaching + share * (settings.final_teaching - settings.teaching)

    def _end_if_due(self) -> None:
        """End the training if a signal or the clock says so."""
        minutes = self.settings.minutes
        if minutes and self.seconds > minutes * 60:
            self.stop_reason = f"{minutes:g} minutes are over; --resume with more minutes goes on"
        if self.stop.is_asked or self.stop_reason:
            raise StopTraining

    def _is_due(self, done: int, every: int) -> bool:
        """Return whether a mark was passed in the last rollout."""
        rollout = self.settings.games * self.settings.steps
        return done // every > (done - rollout) // every

    # -- what is done -------------------------------------------------------------------------------------------------

    @property
    def learner(self) -> Any:
        """The model that learns."""
        return self.model

    @property
    def seconds(self) -> float:
        """How long it has trained."""
        return self._seconds_before + time.monotonic() - self._start

    def _add_snapshot(self, done: int) -> None:
        """Let the network as it is now play in the league."""
        league = self.learner.env.league
        name = f"{SNAPSHOT} {done // 1000}k"
        league.add(
            agent_of(self.learner.policy, self.settings.players, name, draws=True), self.settings.league_snapshots
        )

    def agent(self) -> Agent:
        """Return the network as it is now, playing its likeliest actions."""
        return agent_of(self.learner.policy, self.settings.players, self.settings.name)

    def evaluate_once(self) -> None:
        """Evaluate the network as it is now, unless that was done; a signal ends it, and it is done later."""
        if self.stop.is_asked or (self.rows and self.rows[-1]["decisions"] == self.model.num_timesteps):
            return
        try:
            with self.stop.breakable():
                scores = evaluate(self.agent(), self.settings)
        except Stopped:
            return
        self._note(scores)

    def _note(self, scores: dict[str, Estimate]) -> None:
        """Note the scores of an evaluation, and keep the network if it is the best."""
        row: dict[str, Any] = {
            "decisions": self.model.num_timesteps,
            "seconds": round(self.seconds, 1),
            "score": overall(scores, self.settings),
        }
        for name, estimate in scores.items():
            row[name] = round(estimate.value, 4)
            row[f"{name} low"], row[f"{name} high"] = round(estimate.low or 0, 4), round(estimate.high or 0, 4)
        row |= self.losses()
        self.rows.append(row)
        self._log(scores)
        self._write_curves()
        self.save("last", row)
        if row["score"] > self.best:
            self.best = row["score"]
            self.save("best", row)
        self._say(self._line(row, scores))

    def losses(self) -> dict[str, float]:
        """Return what the last updates came to; of a resumed run, those before it was stopped."""
        values = self.model.logger.name_to_value
        return {
            name: round(float(values.get(f"train/{name}", self._losses_before.get(name, np.nan))), 5)
            for name in _LOSSES
        }

    def _log(self, scores: dict[str, Estimate]) -> None:
        """Tell the log at once: what the logger is told between two rollouts it writes with the next one."""
        done = self.model.num_timesteps
        values: dict[str, Any] = {f"evaluation/{name}": estimate.value for name, estimate in scores.items()}
        excluded: dict[str, tuple[str, ...]] = {**dict.fromkeys(values, ()), "time/total_timesteps": ("tensorboard",)}
        for writer in self.model.logger.output_formats:
            writer.write({**values, "time/total_timesteps": done}, excluded, done)

    def save(self, name: str, row: dict[str, Any]) -> None:
        """Write the network as it is now."""
        policy = self.learner.policy
        settings = self.settings
        reward = reward_facts(settings)
        facts = facts_of(policy, settings.players, name=settings.name, reward=reward, training=row)
        save_network(self.folder / name, weights_of(policy), facts)

    def save_last(self) -> None:
        """Write the network as it is now also if it was not evaluated."""
        done = self.model.num_timesteps
        if not self.rows or self.rows[-1]["decisions"] != done:
            self.save("last", {"decisions": done, "seconds": round(self.seconds, 1)})

    def _write_curves(self) -> None:
        """Write all evaluations so far as a table."""
        text = io.StringIO()
        names = dict.fromkeys(name for row in self.rows for name in row)  # opponents may have changed on the way
        writer = csv.DictWriter(text, list(names), lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        replace_file(self.folder / "curves.csv", text.getvalue().encode())

    # -- what is said -------------------------------------------------------------------------------------------------

    def _line(self, row: dict[str, Any], scores: dict[str, Estimate]) -> str:
        """Return an evaluation as a line of text."""
        parts = [f"{name} {_rounded(estimate)}" for name, estimate in scores.items()]
        train = (
            f"entropy {-row['entropy_loss']:.2f}, KL {row['approx_kl']:.4f}, explained {row['explained_variance']:.2f}"
        )
        return f"{row['decisions'] / 1e6:6.2f} M decisions, {row['seconds']:5.0f} s: {', '.join(parts)} ({train})"

    def _show(self) -> None:
        """Show how far it is, from time to time."""
        now = time.monotonic()
        if now - self._shown < (1.0 if sys.stderr.isatty() else 30.0):
            return
        self._shown = now
        done = self.model.num_timesteps
        rate = (done - self._first) / max(now - self._start, 1e-9)
        share = max(done / self.settings.decisions, self.learner.time_used)
        speed = f", {rate / 1e3:.1f} k/s" if rate else ""
        text = f"{share:5.1%}  {done / 1e6:.2f} M decisions{speed}{self._left(done, rate)}"
        end = "\r" if sys.stderr.isatty() else "\n"
        print(text.ljust(78), end=end, file=sys.stderr, flush=True)

    def _left(self, done: int, rate: float) -> str:
        """Return how long it will go on, as far as that is known: not before the first rollout."""
        ends = [(self.settings.decisions - done) / rate] if rate else []
        if self.settings.minutes:
            ends.append(self.settings.minutes * 60 - self.seconds)
        return f", {max(0.0, min(ends)) / 60:.1f} min left" if ends else ""

    def _say(self, text: str) -> None:
        """Say something that stays."""
        print(text.ljust(78), flush=True)


class StopTraining(Exception):
    """The run ends here, on purpose."""


def _rounded(estimate: Estimate) -> str:
    """Return an estimate with its interval."""
    half = ((estimate.high or 0) - (estimate.low or 0)) / 2
    if estimate.value > 1:
        return f"{estimate.value:.2f} ± {half:.2f}"
    return f"{estimate.value:.1%} ± {half:.1%}"
