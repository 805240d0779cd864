"""What both trainers have in common: schedules that may follow the clock, and weights that must stay numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from sb3_contrib import MaskablePPO

from crypt_env import CryptError


def checked_number(name: str, value: Any, least: float, most: float = math.inf) -> float:
    """Return a number of an argument.

    Raises:
        CryptError: it is no number, or not in the range.
    """
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not (least <= value <= most and math.isfinite(value)):
        limits = f"from {least:g} on" if most == math.inf else f"from {least:g} to {most:g}"
        raise CryptError(f"{name}={value!r} is not possible; a number {limits} is needed")
    return float(value)


BROKEN = "training broke: the weights are no numbers any more; a lower learning_rate may help"


class SelfPlayPPO(MaskablePPO):
    """MaskablePPO for self-play; see `FastMaskablePPO` and `SeatMaskablePPO`."""

    reward_scale: float
    """What one unit of reward counts."""
    teaching = 0.0
    """What the divergence from teachers counts, if there are any."""
    time_used = 0.0
    """Share of the time that the training may take, if it has a limit; schedules then follow the clock."""

    def _excluded_save_params(self) -> list[str]:
        """Return what is not part of the zip."""
        return [*super()._excluded_save_params(), "_rng", "rollout_buffer_class", "time_used"]

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        """Note how much is left, of the decisions or of the time, whatever is less; the last rollout may overshoot."""
        super()._update_current_progress_remaining(num_timesteps, total_timesteps)
        self._current_progress_remaining = max(0.0, min(self._current_progress_remaining, 1.0 - self.time_used))

    def check_sound(self, losses: Iterable[float] = ()) -> None:
        """Check that losses and weights are numbers, before anything is made of them.

        Raises:
            CryptError: some are not.
        """
        is_sound = all(map(math.isfinite, losses)) and all(part.isfinite().all() for part in self.policy.parameters())
        if not is_sound:
            raise CryptError(BROKEN)
