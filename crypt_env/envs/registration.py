"""The ids under which Gymnasium knows the environments; importing `crypt_env` registers them."""

from __future__ import annotations

import gymnasium

ONLY_CHILD = "crypt_env/OnlyChild-v0"
"""One player against the Ghost."""

TABLE = "crypt_env/Crypt-v0"
"""One seat at a table, of two players unless told otherwise, against given opponents."""


_CLASSES = {ONLY_CHILD: ("OnlyChildEnv", "OnlyChildVectorEnv"), TABLE: ("SeatEnv", "SeatVectorEnv")}


def register_all() -> None:
    """Register both ids: for one game (`gymnasium.make`) and for many (`gymnasium.make_vec`)."""
    for name, (alone, together) in _CLASSES.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point=f"crypt_env.envs.single:{alone}",
                vector_entry_point=f"crypt_env.envs.vector:{together}",
            )
