"""Agents by name: a short text such as ``greedy`` or ``search:200`` names an agent wherever one is wanted."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from crypt_env.errors import CryptError

from .base import Agent, Choose, FunctionAgent

Factory = Callable[[str], Agent]
"""Makes an agent from what stands behind the colon, an empty text if there is none."""

AnyAgent = str | Agent | Choose
"""What is accepted wherever an agent is wanted: its name, an agent, or a function of observations and masks."""

_FACTORIES: dict[str, Factory] = {}


def register_agent(name: str, factory: Factory) -> None:
    """Make agents of a new name known; a name that is taken already is refused.

    >>> register_agent("always-first", lambda text: FunctionAgent(lambda observations, masks: masks.argmax(axis=1)))
    """
    if not name or ":" in name or "." in name or name != name.strip():
        raise CryptError(f"an agent cannot be named {name!r}; a name has no colon, no dot and no blanks around it")
    if name in _FACTORIES:
        raise CryptError(f"there is an agent {name!r} already")
    _FACTORIES[name] = factory


def agent_names() -> list[str]:
    """Return the names of all agents that are known."""
    return sorted(_FACTORIES)


def make_agent(agent: AnyAgent) -> Agent:
    """Return the agent that is named, given, or made of a function.

    A name may be followed by a colon and what the agent makes of it, as in ``search:200``. A name with a dot is a
    module of yours: ``my_package.my_agents:Cautious`` imports the module and calls what is named there.

    Raises:
        CryptError: there is no such agent.
    """
    if isinstance(agent, Agent):
        return agent
    if isinstance(agent, str):
        return _from_text(agent.strip())
    if callable(agent) and not isinstance(agent, type):
        return FunctionAgent(agent)
    raise CryptError(
        f"{agent!r} is not an agent; allowed are a name such as 'random', an Agent, "
        "or a function of observations and masks"
    )


def _from_text(text: str) -> Agent:
    """Return the agent that a text names."""
    name, _, rest = text.partition(":")
    if "." in name:
        return _imported(name, rest)
    if name not in _FACTORIES:
        raise CryptError(
            f"agent {text!r} is not known; known are {', '.join(agent_names())}, "
            "and agents of a module of yours as in 'my_package.my_agents:Cautious'"
        )
    made = _FACTORIES[name](rest)
    made.name = text
    return made


def _imported(module: str, attribute: str) -> Agent:
    """Return the agent that a module's attribute makes when it is called."""
    try:
        factory = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, TypeError) as error:  # a TypeError if the module begins with a dot
        raise CryptError(f"agent '{module}:{attribute}' cannot be made: {error}") from error
    if not callable(factory):
        raise CryptError(f"'{module}:{attribute}' is {type(factory).__name__}; what makes an Agent is needed")
    made = factory()
    if not isinstance(made, Agent):
        raise CryptError(f"'{module}:{attribute}' made {type(made).__name__}; an Agent is needed")
    made.name = f"{module}:{attribute}"
    return made
