"""Checks of the bookkeeping: who is in the game, and who is paid what."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from numbers import Real
from typing import Any

import numpy as np

from .compare import Env
from .findings import Finding
from .trial import Moment, SkipCheck, Trial


def agents(trial: Trial) -> Iterator[Finding]:
    """Demand that the lists and dictionaries of agents agree, with finite rewards and an info for each agent.

    Training code indexes `rewards`, `terminations`, `truncations` and `infos` by the names in `agents`; a missing or
    left-over name crashes it, or pays an agent that has left, and only in the rare game that gets there.
    """
    for walk in trial.walks():
        gone: set[Any] = set()
        for moment in walk:
            here = set(walk.env.agents)
            for fault in _faults(walk.env):
                yield trial.finding(fault, moment, action=None)
            if back := gone & here:
                yield trial.finding(f"{sorted(map(str, back))} had left the game and is back in agents", moment)
            gone |= set(walk.env.possible_agents) - here
        if walk.is_finished:
            for fault in _key_faults(walk.env):
                yield trial.finding(f"after the end, {fault}", walk.last)


def _faults(env: Env) -> Iterator[str]:
    """Yield what is wrong with the lists at one moment."""
    here = list(env.agents)
    if len(set(here)) < len(here):
        yield f"agents names an agent twice: {here}"
    if strangers := [agent for agent in here if agent not in env.possible_agents]:
        yield f"agents has {strangers}, which possible_agents has not"
    if env.agent_selection not in here:
        yield f"agent_selection is {env.agent_selection}, who is not in agents"
    if env.num_agents != len(here):
        yield f"num_agents is {env.num_agents}, agents has {len(here)}"
    yield from _key_faults(env)
    for agent in here:
        reward = env.rewards.get(agent, 0)
        if not isinstance(reward, Real | np.number) or not math.isfinite(float(reward)):
            yield f"rewards[{agent!r}] is {reward!r}, not a finite number"
        if not isinstance(env.infos.get(agent, {}), dict):
            yield f"infos[{agent!r}] is {env.infos[agent]!r}, not a dictionary"
        for name in ("terminations", "truncations"):
            flag = getattr(env, name).get(agent, False)
            if not isinstance(flag, bool | np.bool_):
                yield f"{name}[{agent!r}] is {flag!r}, neither True nor False"


def _key_faults(env: Env) -> Iterator[str]:
    """Yield the dictionaries that do not name exactly the agents in the game."""
    for name in ("rewards", "terminations", "truncations", "infos"):
        keys = list(getattr(env, name))
        if set(keys) != set(env.agents):
            yield f"{name} names {keys}, agents is {list(env.agents)}"


def infos(trial: Trial) -> Iterator[Finding]:
    """Demand that all infos have the same keys, for every agent at every step, each with the same type and shape.

    Training code makes its buffers from the first info, for all agents and steps. A text, a list that changes its
    length, or a key that comes and goes stops it in mid-game, or makes it play another game.
    """
    forms: dict[str, str] | None = None
    for walk in trial.walks():
        for moment in walk:
            for agent, info in walk.env.infos.items():
                if not isinstance(info, dict):
                    continue  # the check `agents` reports this
                found = _forms(info)
                forms = found if forms is None else forms
                if fault := _info_fault(forms, found):
                    yield trial.finding(fault, moment, agent=agent, action=None)


def _forms(info: dict[Any, Any], path: str = "info") -> dict[str, str]:
    """Return the form of every entry of an info, by its place."""
    forms: dict[str, str] = {}
    for key, entry in info.items():
        place = f"{path}[{key!r}]"
        forms |= _forms(entry, place) if isinstance(entry, dict) else {place: _form(entry)}
    return forms


def _form(entry: Any) -> str:
    """Return the type and shape of an entry; "" if it does not fit an array of numbers."""
    if isinstance(entry, np.ndarray | np.generic) and entry.dtype.kind in "biufc":
        return f"{entry.dtype} with shape {entry.shape}"
    return type(entry).__name__ if isinstance(entry, bool | int | float) else ""


def _info_fault(expected: dict[str, str], found: dict[str, str]) -> str | None:
    """Return the first difference of an info from the first one, or the first entry that cannot be stacked."""
    for place, form in found.items():
        if not form:
            return f"{place} is neither a number nor an array of numbers"
        if place not in expected:
            return f"{place} is not in every info"
        if form != expected[place]:
            return f"{place} is {form}, elsewhere it is {expected[place]}"
    return next((f"{place} is missing here" for place in expected if place not in found), None)


def payment(trial: Trial) -> Iterator[Finding]:
    """Demand that every agent is told all that it is paid: the sum of `rewards` arrives through `last()`.

    An agent learns its reward from `last()` at its own steps, including the dead step after the end. Most training code
    has got this wrong at some time, and so do environments: the loser, who did not move last, is never told.
    `_cumulative_rewards` must be what `rewards` paid since the agent's last step began. With `zero_sum` every game must
    add up to zero; and if all games do, an agent that did not move last must be paid in one of them.
    """
    games: list[_Account] = []
    for walk in trial.walks():
        account = _Account(walk.env, trial, walk.game)
        for moment in walk:
            yield from account.settle()
            yield from account.collect(moment)
        if walk.error is None:
            yield from account.settle()
        if walk.is_finished:
            yield from account.close()
            games.append(account)
    if not games:
        raise SkipCheck(f"no game came to its end ({trial.note})")
    yield from _sums(trial, games)


def _sums(trial: Trial, games: list[_Account]) -> Iterator[Finding]:
    """Yield what is wrong with the games as a whole, if they are zero-sum."""
    unequal = [account for account in games if not _equal(account.total, 0.0)]
    if unequal and trial.subject.zero_sum:
        account = unequal[0]
        yield trial.finding(
            f"rewards add up to {account.total:g}, not to zero: {dict(account.paid)}", game=account.game
        )
    if not unequal and any(any(account.paid.values()) for account in games) and not any(a.pays_others for a in games):
        yield trial.finding(f"in {len(games)} zero-sum games only the agent that moved last was paid")


class _Account:
    """What one game paid, owes and has delivered, by agent."""

    def __init__(self, env: Env, trial: Trial, game: int) -> None:
        self.env = env
        self.game = game
        self.trial = trial
        self.paid: defaultdict[Any, float] = defaultdict(float)
        self.owed: defaultdict[Any, float] = defaultdict(float)
        self.received: defaultdict[Any, float] = defaultdict(float)
        self.mover: Moment | None = None
        self._moment: Moment | None = None

    @property
    def total(self) -> float:
        """What all agents together were paid."""
        return sum(self.paid.values())

    @property
    def pays_others(self) -> bool:
        """Whether an agent that did not move last received anything."""
        last = self.mover.agent if self.mover else None
        return any(reward for agent, reward in self.received.items() if agent != last)

    def collect(self, moment: Moment) -> Iterator[Finding]:
        """Note what the selected agent is told, before its step."""
        reward = float(self.env.last()[1])
        self.received[moment.agent] += reward
        if not _equal(reward, self.owed[moment.agent]):
            owed = self.owed[moment.agent]
            yield self.trial.finding(f"last() says {reward:g}, rewards paid {owed:g} since its last step", moment)
        self.owed[moment.agent] = 0.0
        self._moment = moment
        if moment.alive:
            self.mover = moment

    def settle(self) -> Iterator[Finding]:
        """Note what all agents were paid by the last step."""
        for agent, reward in self.env.rewards.items():
            self.paid[agent] += float(reward)
            self.owed[agent] += float(reward)
        for agent, reward in getattr(self.env, "_cumulative_rewards", {}).items():
            if agent in self.env.agents and not _equal(float(reward), self.owed[agent]):
                text = f"_cumulative_rewards is {float(reward):g}, rewards paid {self.owed[agent]:g}"
                yield self.trial.finding(f"after this step {text}", self._moment, agent=agent)

    def close(self) -> Iterator[Finding]:
        """Compare what was paid with what was delivered, after the end."""
        for agent, paid in self.paid.items():
            if not _equal(paid, self.received[agent]):
                text = f"was paid {paid:g} in this game, but was told {self.received[agent]:g} by last()"
                yield self.trial.finding(text, self._moment, agent=agent)


def _equal(one: float, other: float) -> bool:
    """Whether two sums of rewards are the same but for rounding."""
    return math.isclose(one, other, rel_tol=1e-5, abs_tol=1e-6)
