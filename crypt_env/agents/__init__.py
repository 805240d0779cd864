"""Agents: what plays a seat. Each answers a batch of decisions at once, and is named by a short text.

>>> from crypt_env import Game
>>> from crypt_env.agents import make_agent
>>> game = Game(players=2, seed=7)
>>> game = game.play(make_agent("random").choose(game))
"""

from crypt_env.errors import CryptError, quoted

from .base import Agent, Decisions, FunctionAgent
from .ghost_player import GhostAgent
from .greedy import GreedyAgent
from .network import Network, NetworkAgent, load_network, network_agent, save_network
from .network_search import NetworkEvaluator, network_search
from .openspiel import openspiel_agent
from .random import RandomAgent
from .registry import AnyAgent, agent_names, make_agent, register_agent
from .search import Evaluator, NetworkSearch, SearchAgent, TreeSearchAgent
from .tuned import TunedAgent

__all__ = [
    "Agent",
    "AnyAgent",
    "Decisions",
    "Evaluator",
    "FunctionAgent",
    "GhostAgent",
    "GreedyAgent",
    "Network",
    "NetworkAgent",
    "NetworkEvaluator",
    "NetworkSearch",
    "RandomAgent",
    "SearchAgent",
    "TreeSearchAgent",
    "TunedAgent",
    "agent_names",
    "load_network",
    "make_agent",
    "register_agent",
    "save_network",
]


def _without_text(name: str, agent: type[Agent]) -> None:
    """Register an agent that takes nothing behind its name."""

    def make(text: str) -> Agent:
        if text:
            given = quoted(f":{text}")
            raise CryptError(f"agent {name!r} takes nothing behind its name, but {given} was given")
        return agent()

    register_agent(name, make)


def _policy_agent(text: str) -> Agent:
    """Make the agent of a saved model of sb3-contrib, if that is installed."""
    if not text:
        raise CryptError("agent 'sb3:' names no model; 'sb3:FILE' with the zip file of a saved MaskablePPO is needed")
    try:
        from crypt_env.envs.sb3 import PolicyAgent
    except ImportError as error:
        raise CryptError(
            f"agent 'sb3:{text}' needs sb3-contrib and torch; pip install '.[train]' in a copy of the sources has them"
        ) from error
    try:
        return PolicyAgent(text)
    except Exception as error:  # what a pickle does when it is read is not known
        words = " ".join(str(error).split())
        reason = words if isinstance(error, CryptError) else f"it cannot be read: {type(error).__name__}: {words}"
        raise CryptError(f"agent 'sb3:{text}': {reason[:250]}") from error


_without_text("random", RandomAgent)
_without_text("ghost", GhostAgent)
_without_text("greedy", GreedyAgent)
_without_text("tuned", TunedAgent)
register_agent("search", SearchAgent.from_text)
register_agent("ismcts", TreeSearchAgent.from_text)
register_agent("net", network_agent)
register_agent("sb3", _policy_agent, runs_code=True)
register_agent("puct", network_search)
register_agent("openspiel", openspiel_agent)
