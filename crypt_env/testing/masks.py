"""Checks of the action masks: right for every agent, and neither too wide nor too narrow."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Literal

import numpy as np

from .compare import Env, Seen, actions_of, allowed_by, mask_of, snapshot
from .findings import Finding
from .trial import Moment, SkipCheck, Trial, Walk, described

# A step that is only replayed costs less than a copy.
STEPS_PER_TRY = 10


def waiting_masks(trial: Trial) -> Iterator[Finding]:
    """Demand that the mask of every agent that is not selected is all zeros, at every step.

    A waiting agent has no legal action. Batched and simultaneous wrappers read the masks of all agents; one that is
    not empty lets a policy choose for an agent that does not decide.
    """
    seen = 0
    for walk in trial.walks():
        for moment in walk:
            for agent in list(walk.env.agents):
                mask = mask_of(walk.env, agent)
                if mask is None or agent == moment.agent:
                    continue
                seen += 1
                if mask.any():
                    allowed = allowed_by(mask, actions_of(walk.env, agent))
                    text = f"not selected, yet its mask allows {_listed(allowed)}"
                    yield trial.finding(text, moment, agent=agent, action=None)
    if not seen:
        raise SkipCheck("no agent that waits has an action mask")


def mover_masks(trial: Trial) -> Iterator[Finding]:
    """Demand that the selected agent, if alive, always has a mask that allows something.

    An empty mask makes all probabilities zero, and training stops with NaN or an invalid distribution after hours.
    """
    is_masked = False
    for walk in trial.walks():
        for moment in walk:
            if moment.mask is None:
                if moment.alive and is_masked:
                    yield trial.finding("has to act and has no mask, while there was one before", moment)
                continue
            is_masked = True
            if moment.alive and not moment.mask.any():
                yield trial.finding("has to act, and its mask allows nothing", moment)
    if not is_masked:
        raise SkipCheck("there is no action mask, neither in the observation nor in the info")


def allowed_actions(trial: Trial) -> Iterator[Finding]:
    """Demand that every action that a mask allows is accepted, each tried on a copy.

    Random play meets a rare wrong mask long after the check; brute force meets it here. If illegal actions are declared
    to be ignored, an allowed one must change something.
    """
    attempts = _Attempts(trial, "allowed")
    for walk in trial.walks():
        blamed = set()
        for moment in walk:
            for action, twin, before in attempts.at(walk, moment):
                try:
                    twin.step(action)
                except Exception as error:
                    blamed.add((moment.step, action))
                    yield trial.finding(
                        f"its mask allows this, and step raised {described(error)}", moment, action=action
                    )
                    continue
                if trial.subject.illegal == "ignore" and snapshot(twin) == before:
                    yield trial.finding("its mask allows this, and step ignored it", moment, action=action)
        if walk.error and walk.last and walk.last.alive and (walk.last.step, walk.last.action) not in blamed:
            yield trial.finding(f"its mask allows this, and step raised {described(walk.error)}", walk.last)
    attempts.close()


def forbidden_actions(trial: Trial) -> Iterator[Finding]:
    """Demand that every action that a mask forbids is refused, each tried on a copy.

    A legal action that the mask hides is never learned. To refuse is to raise an error, to end the agent's game or to
    change nothing; `illegal` names the one that this environment promises.
    """
    promise = trial.subject.illegal
    if promise == "unchecked":
        raise SkipCheck('illegal="unchecked"')
    attempts = _Attempts(trial, "forbidden")
    for walk in trial.walks():
        for moment in walk:
            for action, twin, before in attempts.at(walk, moment):
                answer = _answer(twin, moment, action, before)
                if answer is None:
                    yield trial.finding("its mask forbids this, and step played it", moment, action=action)
                elif promise not in ("any", answer):
                    text = f'its mask forbids this, and step answered with "{answer}", not "{promise}"'
                    yield trial.finding(text, moment, action=action)
    attempts.close()


def _answer(env: Env, moment: Moment, action: int, before: Seen) -> str | None:
    """Return how an environment refuses an action; None if it does not."""
    try:
        env.step(action)
    except Exception:
        return "raise"
    if env.terminations.get(moment.agent, True) or env.truncations.get(moment.agent, True):
        return "end"
    return "ignore" if snapshot(env) == before else None


class _Attempts:
    """All actions that masks allow, or all that they forbid; a random share of them if the budget is too small."""

    def __init__(self, trial: Trial, kind: Literal["allowed", "forbidden"]) -> None:
        self.trial = trial
        self.kind = kind
        self.tried = 0
        self.total, cost = self._count()
        if not self.total:
            raise SkipCheck(f"there is no action that a mask has {kind}")
        self._share = min(1.0, trial.subject.tries / cost)
        self._chance = np.random.default_rng([trial.subject.seed, len(kind)])

    def at(self, walk: Walk, moment: Moment) -> Iterator[tuple[int, Env, Seen]]:
        """Yield the actions to try now, each with a copy of the environment and what was seen before."""
        picked = [action for action in self._candidates(walk.env, moment) if self._chance.random() < self._share]
        before = snapshot(walk.env) if picked else {}
        for action in picked:
            twin = self._twin(walk, moment)
            if self.trial.subject.copies or snapshot(twin) == before:
                self.tried += 1
                yield action, twin, before
            if not self.trial.subject.copies:
                twin.close()

    def close(self) -> None:
        """Note how many were tried."""
        if not self.tried:
            raise SkipCheck("neither copies nor replays from the seed come to the same position")
        self.trial.remarks.append(f"{self.tried} of {self.total} {self.kind} actions tried")

    def _candidates(self, env: Env, moment: Moment) -> list[int]:
        if not moment.alive:
            return []
        actions = actions_of(env, moment.agent)
        allowed = allowed_by(moment.mask, actions)
        if self.kind == "allowed":
            return allowed
        # An empty mask is for `mover_masks`.
        return sorted(set(actions) - set(allowed)) if allowed else []

    def _count(self) -> tuple[int, float]:
        """Return how many actions there are, and the cost of trying them all."""
        count, cost = 0, 0.0
        for walk in Trial(self.trial.subject, self.trial.check).walks():
            for moment in walk:
                found = len(self._candidates(walk.env, moment))
                count += found
                cost += found * (1 if self.trial.subject.copies else 1 + moment.step / STEPS_PER_TRY)
        return count, cost

    def _twin(self, walk: Walk, moment: Moment) -> Env:
        """Return another environment that should be in the same position."""
        if self.trial.subject.copies:
            return copy.deepcopy(walk.env)
        env = self.trial.subject.make_env()
        env.reset(seed=self.trial.subject.seed + moment.game)
        for action in walk.actions:
            env.step(action)
        return env


def _listed(actions: list[int]) -> str:
    shown = ", ".join(map(str, actions[:5])) + (", ..." if len(actions) > 5 else "")
    return f"{len(actions)} actions: {shown}" if len(actions) > 1 else f"action {shown}"
