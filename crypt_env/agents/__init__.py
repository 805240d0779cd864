"""Agents play seats. Each answers a batch of decisions at once, and has a short text as its name.

>>> from crypt_env import Game
>>> from crypt_env.agents import make_agent
>>> game = Game(players=2, seed=7)
>>> game = game.play(make_agent("random").choose(game))
"""

from crypt_env.errors import CryptError, install_hint
from crypt_env.files import shown

from .base import Agent, Decisions, FunctionAgent
from .ghost_player import GhostAgent
from .greedy import GreedyAgent
from .halving import GUMBEL_FORM, HalvingSearch, halving_search
from .local_response import RESPONSE_FORM, LocalResponse, local_response
from .network import NETWORK_FORM, Network, NetworkAgent, load_network, network_agent, save_network
from .network_search import SEARCH_FORM, NetworkEvaluator, network_search
from .openspiel import FORM as OPENSPIEL_FORM
from .openspiel import openspiel_agent
from .random import RandomAgent
from .registry import AnyAgent, Form, agent_forms, agent_names, make_agent, network_path, register_agent
from .search import Evaluator, NetworkSearch, SearchAgent, TreeSearchAgent, search_form
from .tree_response import TREE_FORM, TreeResponse, tree_response
from .tuned import TunedAgent

__all__ = [
    "Agent",
    "AnyAgent",
    "Decisions",
    "Evaluator",
    "Form",
    "FunctionAgent",
    "GhostAgent",
    "GreedyAgent",
    "HalvingSearch",
    "LocalResponse",
    "Network",
    "NetworkAgent",
    "NetworkEvaluator",
    "NetworkSearch",
    "RandomAgent",
    "SearchAgent",
    "TreeResponse",
    "TreeSearchAgent",
    "TunedAgent",
    "agent_forms",
    "agent_names",
    "load_network",
    "make_agent",
    "network_path",
    "register_agent",
    "save_network",
]


def _saved_model(file: str) -> Agent:
    try:
        from crypt_env.envs.sb3 import PolicyAgent
    except ImportError as error:
        raise CryptError(f"agent 'sb3:{shown(file)}' needs sb3-contrib and torch; {install_hint('train')}") from error
    try:
        return PolicyAgent(file)
    except Exception as error:  # loading a pickle can raise anything
        words = " ".join(str(error).split())
        reason = words if isinstance(error, CryptError) else f"it cannot be read: {type(error).__name__}: {words}"
        raise CryptError(f"agent 'sb3:{shown(file)}': {reason[:250]}") from error


for _agent in (RandomAgent, GhostAgent, GreedyAgent, TunedAgent):
    register_agent(_agent.name, _agent, form=Form("", f"allowed is '{_agent.name}' alone"))
register_agent("search", SearchAgent.from_fields, form=search_form("search", "playouts a candidate on average"))
register_agent("ismcts", TreeSearchAgent.from_fields, form=search_form("ismcts", "simulations a decision"))
register_agent("net", network_agent, form=NETWORK_FORM)
register_agent("puct", network_search, form=SEARCH_FORM)
register_agent("gumbel", halving_search, form=GUMBEL_FORM)
register_agent("lbr", local_response, form=RESPONSE_FORM)
register_agent("tbr", tree_response, form=TREE_FORM)
register_agent(
    "sb3",
    _saved_model,
    runs_code=True,
    form=Form("(?P<file>.+)", "allowed is 'sb3:FILE' with the zip file of a saved MaskablePPO"),
)
register_agent("openspiel", openspiel_agent, form=OPENSPIEL_FORM)
