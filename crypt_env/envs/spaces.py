"""The spaces of observations and actions, for all environments."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from crypt_env.rules.actions import ACTIONS
from crypt_env.rules.observe import FEATURES, LAYOUT


class ActionSpace(spaces.Discrete):  # type: ignore[type-arg]  # older releases of Gymnasium have no argument
    """The actions: like `gymnasium.spaces.Discrete`, but several times faster at sampling a legal one."""

    def contains(self, x: Any) -> bool:
        """Return whether this is an action; booleans are not."""
        try:
            return not isinstance(x, bool) and super().contains(x)
        except OverflowError:  # older releases of Gymnasium, from numbers with more than 64 bits
            return False

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """Sample an action uniformly, among those whose mask is 1 if there is a mask.

        The same seed gives the same actions as with `Discrete`.
        """
        if probability is None and isinstance(mask, np.ndarray) and mask.dtype == np.int8 and mask.shape == (self.n,):
            bits = mask.tobytes()
            ones = bits.count(1)
            if ones > 0 and ones + bits.count(0) == len(bits):
                legal: NDArray[np.int64] = mask.nonzero()[0]
                return np.int64(legal[self.np_random.integers(ones)])
        return np.int64(super().sample(mask, probability))


def observations() -> spaces.Box:
    """Return the space of what a seat may know, as a vector."""
    highs = np.concatenate([np.full(part.size, part.high, np.int8) for part in LAYOUT])
    return spaces.Box(np.zeros(FEATURES, np.int8), highs, dtype=np.int8)


def observation_with_mask() -> spaces.Dict:
    """Return the space of what a seat may know and do, in PettingZoo's form."""
    return spaces.Dict({"observation": observations(), "action_mask": spaces.Box(0, 1, (ACTIONS,), np.int8)})
