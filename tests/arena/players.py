"""Agents for the arena tests, as a user would write them; named like ``arena.players:first``."""

import json
import os
import time
from pathlib import Path

import numpy as np

from crypt_env import CryptError
from crypt_env.agents import Agent, FunctionAgent, make_agent

FIRST, LAST, MIXER = "arena.players:first", "arena.players:last", "arena.players:Mixer"
CHEAT, CLUMSY, SLEEPER = "arena.players:Cheat", "arena.players:Clumsy", "arena.players:Sleeper"
LONER, THINKER = "arena.players:Loner", "arena.players:Thinker"


def first_legal(observations, masks):
    """Play the first legal action."""
    return masks.argmax(axis=1)


def last_legal(observations, masks):
    """Play the last legal action."""
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def first():
    return FunctionAgent(first_legal, FIRST)


def last():
    return FunctionAgent(last_legal, LAST)


class Mixer(Agent):
    """Chooses by its random bits, by the number of its decisions in the game, and by a determinized game."""

    name = MIXER
    needs_games = True
    memory_size = 1

    def act(self, decisions):
        decisions.memory[:, 0] += 1
        wish = (
            decisions.bits + decisions.memory[:, 0].astype(np.uint64) + decisions.games["deck"][:, 0].astype(np.uint64)
        )
        counts = decisions.masks.sum(axis=1)
        ranks = np.cumsum(decisions.masks, axis=1) - 1
        return ((ranks == (wish % counts)[:, None]) & decisions.masks).argmax(axis=1)


class Cheat(Agent):
    """Answers with an illegal action."""

    def act(self, decisions):
        return decisions.masks.argmin(axis=1)


class Clumsy(Agent):
    """Decides once, and then fails."""

    def __init__(self):
        self.is_fresh = True

    def act(self, decisions):
        if not self.is_fresh:
            raise ZeroDivisionError("clumsy")
        self.is_fresh = False
        return decisions.masks.argmax(axis=1)


class Sleeper(Agent):
    """Plays the first legal action, slowly."""

    def act(self, decisions):
        time.sleep(0.005)
        return decisions.masks.argmax(axis=1)


class Thinker(Agent):
    """Plays as the agent named in the environment variable, and writes a file when it begins to think."""

    needs_games = True

    def __init__(self):
        self._agent = make_agent(os.environ["THINKER"])

    def act(self, decisions):
        Path(os.environ["THINKING"]).touch()
        return self._agent.act(decisions)


class Loner(Agent):
    """Plays the first legal action, in a process whose only other thread waits for the end of its parent."""

    def act(self, decisions):
        np.ones((512, 512)) @ np.ones((512, 512))
        threads = len(list(Path("/proc/self/task").iterdir()))
        if threads > 2:
            raise CryptError(f"there are {threads} threads")
        return decisions.masks.argmax(axis=1)


def lasting(report):
    """Return a report without its measured times."""
    content = json.loads(report.as_json())
    for row in content["costs"]:
        del row["microseconds"]
    return content
