"""The ids under which Gymnasium knows the environments; importing `crypt_env` registers them."""

from __future__ import annotations

import gymnasium

ONLY_CHILD = "crypt_env/OnlyChild-v0"
"""One player against the Ghost."""

TABLE = "crypt_env/Crypt-v0"
"""One seat at a table of two to four players, against given opponents."""


def register_all() -> None:
    """Register both ids: for one game (`gymnasium.make`) and for many (`gymnasium.make_vec`)."""
    for name, players in ((ONLY_CHILD, 1), (TABLE, 2)):
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point="crypt_env.gym_env:SeatEnv",
                vector_entry_point="crypt_env.vector:SeatVectorEnv",
                kwargs={"players": players},
            )
