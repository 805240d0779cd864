"""Agents: what plays a seat. Each answers a batch of decisions at once, and is named by a short text.

>>> from crypt_env import Game
>>> from crypt_env.agents import make_agent
>>> game = Game(players=2, seed=7)
>>> game = game.play(make_agent("random").choose(game))
"""

from crypt_env.errors import CryptError

from .base import Agent, Decisions, FunctionAgent
from .random import RandomAgent
from .registry import AnyAgent, agent_names, make_agent, register_agent

__all__ = [
    "Agent",
    "AnyAgent",
    "Decisions",
    "FunctionAgent",
    "RandomAgent",
    "agent_names",
    "make_agent",
    "register_agent",
]


def _without_text(name: str, agent: type[Agent]) -> None:
    """Register an agent that takes nothing behind its name."""

    def make(text: str) -> Agent:
        if text:
            raise CryptError(f"agent {name!r} takes nothing behind its name, but ':{text}' was given")
        return agent()

    register_agent(name, make)


_without_text("random", RandomAgent)
