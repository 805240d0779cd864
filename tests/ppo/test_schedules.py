"""Schedules: what follows them, by decisions and by the clock."""

from __future__ import annotations

from typing import Any

import pytest
from stable_baselines3.common.callbacks import BaseCallback

from crypt_env.experiment import process
from crypt_env.ppo import FastMaskablePPO, Linear, SeatMaskablePPO
from crypt_env.ppo.schedules import remaining
from ppo.small import GAMES, STEPS, small_env, small_model

ROLLOUT = GAMES * STEPS
BOTH = pytest.mark.parametrize("kind", [FastMaskablePPO, SeatMaskablePPO])


class Watch(BaseCallback):
    """Records the entropy weights, and advances the clock."""

    def __init__(self, time_used: float = 0.0) -> None:
        super().__init__()
        self.weights: list[float] = []
        self.time_used = time_used

    def _on_step(self) -> bool:
        return True

    def _on_training_start(self) -> None:
        model: Any = self.model
        model.time_used = self.time_used

    def _on_rollout_end(self) -> None:
        model: Any = self.model
        self.weights.append(model.ent_coef)


@BOTH
def test_the_entropy_follows_the_decisions(kind: type) -> None:
    """From its first value on; also in a resumed training run."""
    model, watch = small_model(small_env(), kind, ent_coef=Linear(0.5, 0.1)), Watch()
    model.learn(4 * ROLLOUT, callback=watch)
    assert watch.weights == pytest.approx([0.5, 0.4, 0.3, 0.2])
    model.learn(4 * ROLLOUT, callback=watch, reset_num_timesteps=False)
    assert watch.weights[4:] == pytest.approx([0.3, 0.25, 0.2, 0.15])


@BOTH
def test_all_follow_the_clock_if_it_is_ahead(kind: type) -> None:
    """The learning rate, too."""
    watch = Watch(time_used=0.75)
    model = small_model(small_env(), kind, ent_coef=Linear(0.4), learning_rate=Linear(0.01))
    model.learn(2 * ROLLOUT, callback=watch)
    assert watch.weights == pytest.approx([0.1, 0.1])
    assert model.policy.optimizer.param_groups[0]["lr"] == 0.0
    watch = Watch(time_used=0.75)
    model.learn(100 * ROLLOUT, callback=[watch, _End()])
    assert model._current_progress_remaining == 0.25


class _End(BaseCallback):
    """Ends a training after its second rollout."""

    def _on_step(self) -> bool:
        return self.num_timesteps < 2 * ROLLOUT


@BOTH
def test_a_number_stays(kind: type) -> None:
    """Also one that is set later."""
    model = small_model(small_env(), kind, ent_coef=0.03)
    model.learn(ROLLOUT)
    assert model.ent_coef == 0.03
    model.ent_coef = 0.01
    model.learn(ROLLOUT)
    assert model.ent_coef == 0.01


def test_what_is_left_is_never_less_than_nothing() -> None:
    """The last rollout may play more than was asked for."""
    assert [remaining(done, 100) for done in (0, 25, 100, 140)] == [1.0, 0.75, 0.0, 0.0]
    assert [remaining(50, 100, used) for used in (0.0, 0.5, 0.75, 1.0)] == [0.5, 0.5, 0.25, 0.0]


def test_a_model_changes_nothing_about_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs do that; where the C library has no such option, they do without it."""
    asked: list[str] = []

    def library(name: None) -> Any:
        asked.append("C library")
        raise OSError

    monkeypatch.setattr(process.ctypes, "CDLL", library)
    small_model(small_env())
    assert asked == []
    process.keep_memory()
    assert asked == ["C library"]
