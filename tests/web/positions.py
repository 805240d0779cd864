"""Positions in which seats decide, of random play."""

from __future__ import annotations

import numpy as np

from crypt_env import ACTIONS, FEATURES, Batch
from crypt_env.agents import Agent
from crypt_env.agents.base import Actions, ask
from crypt_env.rules.batch import view_rows


def positions(players: int, count: int) -> np.ndarray:
    """Return this many games, each at a different point."""
    batch = Batch(count, players, seed=players)
    batch.reset()
    kept = np.zeros(0, batch.states.dtype)
    for _ in range(25):
        batch.step_random()
        kept = np.concatenate([kept, batch.states])
    return kept[:: len(kept) // count][:count].copy()


def look(states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what the seats that are asked may know and do."""
    count = len(states)
    observations, masks = np.zeros((count, FEATURES), np.int8), np.zeros((count, ACTIONS), np.bool_)
    view_rows(states, np.arange(count), states["mover"].copy(), observations, masks)
    return observations, masks


def answers(agent: Agent, states: np.ndarray) -> Actions:
    """Return what an agent does."""
    memory = np.zeros((len(states), agent.memory_size), np.float32)
    return ask(agent, states, np.arange(len(states)), *look(states), memory)
