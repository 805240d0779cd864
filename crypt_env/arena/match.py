"""Plays a line-up on some deals as one batch."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypt_env.agents import Agent, AnyAgent, Decisions, make_agent
from crypt_env.agents.cast import Cast
from crypt_env.batch import Batch
from crypt_env.game import Game
from crypt_env.rules.actions import SKIP
from crypt_env.rules.state import NONE
from crypt_env.table import RANDOM

from .schedule import Lineup, Plan

WHOLE_WIN = 12
"""A win in whole numbers that one to four winners can share."""


class Played(NamedTuple):
    """The results of some deals, for each agent of a line-up."""

    shares: NDArray[np.int64]
    """[D, agents]: wins in parts of `WHOLE_WIN`, over all seatings of the deal and all seats of the agent."""
    coins: NDArray[np.int64]
    """[D, agents]: coins, over the same."""
    decisions: NDArray[np.int64]
    """[agents]: how many decisions they made."""
    seconds: NDArray[np.float64]
    """[agents]: processor time that those took."""


class _Timed(Agent):
    """An agent that measures its own time."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self.name, self.needs_games, self.memory_size = agent.name, agent.needs_games, agent.memory_size
        self.needs_past = agent.needs_past
        self.decisions = 0
        self.seconds = 0.0

    def act(self, decisions: Decisions) -> NDArray[np.int64]:
        """Ask the agent."""
        start = time.process_time()
        actions = self._agent.act(decisions)
        self.seconds += time.process_time() - start
        self.decisions += len(decisions.masks)
        return actions


def ready_agents(agents: Sequence[AnyAgent], players: int) -> list[Agent]:
    """Make agents, and let the named ones decide once, so that compiling is not part of their cost."""
    made = [make_agent(agent) for agent in agents]
    for agent, ready in zip(agents, made, strict=True):
        if isinstance(agent, str):
            ready.choose(Game(players=players, seed=0))
    return made


def deal_batch(plan: Plan, deals: NDArray[np.int64]) -> Batch:
    """Return a batch with these deals of a plan, not dealt yet. A deal may be listed several times."""
    batch = Batch(len(deals), plan.players, RANDOM if plan.tables else plan.collectors, seed=plan.seed, restarts=False)
    batch.states["index"] = deals
    if plan.tables:
        batch.states["table_rule"] = np.array(plan.tables)[deals % len(plan.tables)]
    return batch


def play_deals(plan: Plan, lineup: Lineup, agents: Sequence[Agent], start: int, stop: int) -> Played:
    """Play the deals ``start`` to ``stop - 1`` in every seating of a line-up.

    Args:
        plan: the tournament.
        lineup: one of its line-ups.
        agents: all its agents.
        start: the first deal.
        stop: the one after the last.
    """
    deals = np.arange(start, stop)
    seated = lineup.seatings(deals)
    turns = len(seated)
    batch = deal_batch(plan, np.tile(deals, turns))
    timed = [_Timed(agents[number]) for number in lineup.agents]
    cast = Cast(len(batch), timed)
    cast.owners[:, : plan.players] = owners = seated.reshape(len(batch), plan.players)
    _play(batch, cast)
    shares, coins = win_shares(batch, plan.players), batch.states["scores"][:, : plan.players].astype(np.int64)
    of_agent = owners[:, :, None] == np.arange(len(timed))  # [games, seats, agents]
    by_deal = (turns, len(deals), len(timed))
    return Played(
        (shares[:, :, None] * of_agent).sum(axis=1).reshape(by_deal).sum(axis=0),
        (coins[:, :, None] * of_agent).sum(axis=1).reshape(by_deal).sum(axis=0),
        np.array([agent.decisions for agent in timed]),
        np.array([agent.seconds for agent in timed]),
    )


def _play(batch: Batch, cast: Cast) -> None:
    arrays = batch.reset()
    actions = np.full(len(batch), SKIP, np.int64)
    waiting = np.flatnonzero(arrays.movers != NONE)
    while len(waiting):
        cast.answer(batch.states, arrays, waiting, actions)
        cast.step(batch, actions)
        actions[waiting] = SKIP
        waiting = waiting[arrays.movers[waiting] != NONE]


def win_shares(batch: Batch, players: int) -> NDArray[np.int64]:
    """Return each seat's share of the win, in parts of `WHOLE_WIN`. [games, players]"""
    has_won = batch.states["winners"][:, None].astype(np.int64) >> np.arange(players) & 1
    return np.asarray(has_won * (WHOLE_WIN // has_won.sum(axis=1, keepdims=True)))
