"""All targets by their names. A module of them is imported when it is needed: some need torch."""

from __future__ import annotations

from importlib import import_module

from fuzz.target import Target

ROOMS: dict[str, tuple[str, ...]] = {
    "texts": ("actions", "positions"),
    "records": ("records", "record lines", "record files"),
    "games": ("states", "batch rows", "views"),
    "options": ("options", "seats"),
    "moves": ("moves",),
    "commands": ("commands",),
    "agents": ("agents", "networks"),
    "tournaments": ("stores", "reports"),
    "training": ("settings", "changes", "curves"),
    "checkpoints": ("checkpoints",),
}
"""The targets in each module."""
WITH_TORCH = ("training", "checkpoints")
"""Modules that need what is only installed for training."""


def names(with_torch: bool = True) -> list[str]:
    """Return the names of all targets."""
    return [name for room, held in ROOMS.items() if with_torch or room not in WITH_TORCH for name in held]


def load(name: str) -> Target:
    """Return a target; one that is none of these is sought among those by which the harness is tested."""
    room = next((room for room, held in ROOMS.items() if name in held), "broken")
    found: dict[str, Target] = {target.name: target for target in import_module(f"fuzz.targets.{room}").TARGETS}
    return found[name]
