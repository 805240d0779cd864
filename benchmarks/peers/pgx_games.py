"""Pgx's games on the processor: a thousand at once, 32 steps a call, compiled."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import pgx
from loop import Play, main

GAMES = ("leduc_holdem", "sparrow_mahjong", "backgammon", "connect_four")
BATCH, STEPS = 1024, 32


def game(name: str) -> Callable[[], Play]:
    """Return what makes the loop of a game."""

    def make() -> Play:
        env = pgx.make(name)
        step = jax.vmap(pgx.experimental.auto_reset(env.step, env.init))

        def one(carry: tuple, _: None) -> tuple:
            state, key = carry
            key, draw, chance = jax.random.split(key, 3)
            logits = jnp.log(state.legal_action_mask.astype(jnp.float32))
            actions = jax.random.categorical(draw, logits, axis=1)
            state = step(state, actions, jax.random.split(chance, BATCH))
            return (state, key), state.observation.sum()

        @jax.jit
        def many(state: pgx.State, key: jax.Array) -> tuple:
            return jax.lax.scan(one, (state, key), None, length=STEPS)

        state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(1), BATCH))
        key = jax.random.PRNGKey(2)

        def play() -> int:
            nonlocal state, key
            (state, key), seen = many(state, key)
            seen.block_until_ready()
            return BATCH * STEPS

        return play

    return make


main({f"batch, {name}": game(name) for name in GAMES}, ("pgx", "jax"))
