"""Checkpoints: everything that a run needs to go on as if it had never stopped.

What a checkpoint holds follows from the ``state_dict`` of the run and that of the model, which asks its games, which
ask their league. So a new part of the state is added to the ``state_dict`` of its class, and nothing is listed here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crypt_env.errors import CryptError, quoted, shortened
from crypt_env.ppo.base import SelfPlayPPO
from crypt_env.ppo.checks import whole_in

from .checkpoint_file import NAME, read_checkpoint, write_checkpoint
from .settings import Settings, checked_settings, settings_from

if TYPE_CHECKING:
    from .run import Run

FIXED = (
    *("trainer", "games", "steps", "players", "collectors", "reward", "dense", "widths", "thermometers", "without"),
    *("weight_decay", "league_agents", "teachers", "seed", "start"),
)
"""Settings that cannot change when a run continues."""

_MISFITS = (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError, RuntimeError)
"""The errors that a malformed state can lead to."""


def save_checkpoint(folder: Path, run: Run) -> None:
    """Write a checkpoint; the one before stays until the new one is whole. Of several workers the first one writes."""
    content = {"settings": run.settings.model_dump(), "run": run.state_dict(), "model": run.learner.state_dict()}
    if run.is_first:
        write_checkpoint(folder / NAME, content)


def load_checkpoint(folder: Path) -> dict[str, Any]:
    """Read a checkpoint.

    Raises:
        CryptError: there is none, or it is damaged.
    """
    if not has_checkpoint(folder):
        raise no_checkpoint(folder)
    return read_checkpoint(folder / NAME)


def progress_in(folder: Path) -> tuple[int, int]:
    """Return how many decisions the run in a folder was to play, and how many it has played.

    Raises:
        CryptError: there is no checkpoint, or it is damaged.
    """
    content = load_checkpoint(folder)
    try:
        return checked_settings(content["settings"]).decisions, whole_in(content["model"], "decisions")
    except (KeyError, TypeError, ValueError) as error:
        raise CryptError(f"the checkpoint in {str(folder)!r} is not valid: {shortened(str(error))}") from error


def no_checkpoint(folder: Path) -> CryptError:
    """Return the error about a folder without a checkpoint."""
    return CryptError(f"there is no checkpoint in {str(folder)!r}; a run that was stopped has a file {NAME}")


def has_checkpoint(folder: Path) -> bool:
    """Return whether there is a checkpoint in a folder."""
    return (folder / NAME).exists()


def resumed_settings(folder: Path, changed: Mapping[str, Any], allow_code: bool = False) -> Settings:
    """Return the settings with which a run continues: those that it had, with some changes.

    Args:
        folder: of the run.
        changed: the changes, typed by a person.
        allow_code: whether the checkpoint may name agents that run code, as a settings file may with --allow-code.

    Raises:
        CryptError: there is no checkpoint, or the settings are not possible.
    """
    before = load_checkpoint(folder).get("settings")
    if not isinstance(before, dict):
        raise CryptError(f"the checkpoint in {str(folder)!r} holds no settings")
    content = {**before, **changed}
    return settings_from(content) if allow_code else settings_from(content, changed.keys())


def restore(content: Mapping[str, Any], run: Run, model: SelfPlayPPO) -> Settings:
    """Bring a run, a model and its games to the state in a checkpoint; return the settings that they had then.

    Raises:
        CryptError: it is of a run with other games or another network, or its content is not valid.
    """
    try:
        before = checked_settings(content["settings"])
    except (KeyError, TypeError, ValueError) as error:
        raise CryptError(f"the checkpoint's settings are not valid: {shortened(str(error))}") from error
    _check_settings(before, run.settings)
    try:
        run.load_state_dict(content["run"], before)
        model.load_state_dict(content["model"])
    except _MISFITS as error:
        reason = shortened(str(error))
        raise CryptError(f"the checkpoint does not fit this run and this version: {reason}") from error
    return before


def _check_settings(before: Settings, now: Settings) -> None:
    for name in FIXED:
        old, new = getattr(before, name), getattr(now, name)
        if old != new:
            raise CryptError(
                f"{name}={quoted(new)} is not possible; this run has {name}={quoted(old)}, which cannot change when "
                "it continues"
            )
    for name, part in (("magnet", "magnet"), ("league_share", "league")):
        old, new = getattr(before, name), getattr(now, name)
        if (old > 0) != (new > 0):
            has = "has a" if old > 0 else "has no"
            raise CryptError(
                f"{name}={new} is not possible; this run {has} {part}, which cannot change when it continues"
            )
