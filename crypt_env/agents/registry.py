"""Agents by name: a short text such as ``greedy`` or ``search:200`` names an agent wherever one is expected.

A text is a registered name, optionally followed by a colon and arguments in the form of that agent; or a user's module
and the callable that makes the agent, ``my_agents:Cautious``; or, with a slash in it, the path of a network or of a
training run's folder, which means its best network: ``runs/duel``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from types import MappingProxyType
from typing import NamedTuple

from crypt_env.errors import CryptError, quoted
from crypt_env.files import shown

from .base import Agent, Choose, FunctionAgent
from .network_names import BEST, find_network, is_path, is_there

Factory = Callable[..., Agent]
"""Makes an agent from the text after the colon, empty if there is none; or, if the agent has a `Form`, from
the named groups of its pattern as keywords."""

AnyAgent = str | Agent | Choose
"""What is accepted wherever an agent is wanted: its name, an agent, or a function of observations and masks."""

_IDENTIFIER = r"[^\W\d]\w*"
_OF_MODULE = re.compile(rf"{_IDENTIFIER}(\.{_IDENTIFIER})*:{_IDENTIFIER}")
_EXAMPLE = "'my_package.my_agents:Cautious'"


class Form(NamedTuple):
    """What may follow the name of an agent."""

    pattern: str
    """A regular expression that must match all of it."""
    allowed: str
    """The end of the message that refuses anything else: "allowed ..."."""
    limits: Mapping[str, int] = MappingProxyType({})
    """The highest numbers allowed, by group."""

    def fields(self, text: str) -> dict[str, str | None] | None:
        """Return the named groups of the text after a name, None if it does not match."""
        match = re.fullmatch(self.pattern, text, re.DOTALL)
        if match is None:
            return None
        fields: dict[str, str | None] = match.groupdict()
        return fields if all(int(fields[name] or 0) <= most for name, most in self.limits.items()) else None


class _Registered(NamedTuple):
    """A registered name."""

    factory: Factory
    runs_code: bool
    form: Form | None


_REGISTERED: dict[str, _Registered] = {}


def register_agent(name: str, factory: Factory, runs_code: bool = False, form: Form | None = None) -> None:
    """Register a new name; a name that is already taken is refused.

    Args:
        name: the text before the colon.
        factory: makes an agent from the text after it.
        runs_code: whether that text can name code that would then run, such as a module or a pickle. Texts from files
            are then refused, see `make_agent`.
        form: what may follow the colon; anything if not given.

    >>> register_agent("always-first", lambda text: FunctionAgent(lambda observations, masks: masks.argmax(axis=1)))
    """
    if not name or ":" in name or "." in name or name != name.strip():
        raise CryptError(f"an agent cannot be named {name!r}; a name has no colon, no dot and no blanks around it")
    if name in _REGISTERED:
        raise CryptError(f"there is an agent {name!r} already")
    _REGISTERED[name] = _Registered(factory, runs_code, form)


def agent_names() -> list[str]:
    """Return the names of all registered agents; `agent_forms` says what may follow them.

    These come with the package:

    - ``random``, ``ghost``, ``greedy``, ``tuned``: heuristics, from the weakest to the strongest;
    - ``search:200``, ``search:50ms``, ``search:200:random``: flat Monte Carlo, see `agents.search`;
    - ``ismcts:1000`` and so on: a tree over information sets;
    - ``net:duel``, ``net:duel:draw``, ``net:runs/mine/best``: a network, playing its likeliest action or drawing one;
    - ``puct:100:net:duel``: a tree whose leaves a network evaluates;
    - ``gumbel:256:net:duel``, ``gumbel:100ms:net:duel``: sequential halving in short playouts of a network;
    - ``lbr:64:net:duel``, ``tbr:512:net:duel``: exploit a network whose policy they know, by playouts and by a tree;
    - ``sb3:model.zip``: a saved MaskablePPO of sb3-contrib;
    - ``openspiel:mcts:200``, ``openspiel:ismcts:200``: OpenSpiel's search.
    """
    return sorted(_REGISTERED)


def agent_forms() -> dict[str, str]:
    """Return the allowed form of each registered agent, by name, in words; an empty text if anything is allowed."""
    return {name: _REGISTERED[name].form.allowed if _REGISTERED[name].form else "" for name in agent_names()}  # type: ignore[union-attr]


def network_path(agent: str) -> Path | None:
    """Return the file of the network in an agent's name, such as ``net:solo`` or ``puct:50:net:solo``, if any."""
    network = network_of(agent)
    try:
        return None if network is None else find_network(network)
    except CryptError:
        return None  # `make_agent` reports the error


def network_of(agent: str) -> str | None:
    """Return the name or path of the network in an agent's name, if any; it need not exist."""
    return _fields(agent).get("network")


def file_path(agent: str) -> Path | None:
    """Return the file that an agent's name makes it from, if any: a network's or a saved model's, ``sb3:FILE``."""
    model = _fields(agent).get("file")
    if model is not None:
        return Path(model) if is_there(Path(model)) else None
    return network_path(agent)


def _fields(agent: str) -> Mapping[str, str | None]:
    """Return the named groups of the text after a registered name; none if it has no form or does not match."""
    try:
        _, registered, rest = _looked_up(agent.strip())
    except CryptError:
        return {}  # `make_agent` reports the error
    form = None if registered is None else registered.form
    return (form.fields(rest) if form is not None else None) or {}


def make_agent(agent: AnyAgent, *, allow_code: bool = True) -> Agent:
    """Return the agent with a name, an agent as given, or a function wrapped as an agent.

    A name may be followed by a colon and arguments, as in ``search:200``. A text such as
    ``my_package.my_agents:Cautious`` imports that module, which runs its code, and calls what is named there.

    Args:
        agent: its name, an agent, or a function of observations and masks.
        allow_code: whether a name may run code that is not part of this package: a module (``my_agents:Cautious``) or
            a saved model, which is a pickle (``sb3:model.zip``). Fine for names typed by a
            user. Pass False for names read from a file that may be untrusted, such as a report or settings: such a
            name is then refused before anything is imported or opened. Agents and functions are always accepted.

    Raises:
        CryptError: there is no such agent, it cannot be made, or it would run code that is not allowed to.
    """
    if isinstance(agent, Agent):
        return agent
    if isinstance(agent, str):
        made = _from_text(agent.strip(), allow_code)
        made.name = agent.strip()
        return made
    if callable(agent) and not isinstance(agent, type):
        return FunctionAgent(agent)
    raise CryptError(
        f"{quoted(agent)} is not an agent; allowed are a name such as 'random', an Agent, "
        "or a function of observations and masks"
    )


def _from_text(text: str, allow_code: bool) -> Agent:
    name, registered, rest = _looked_up(text)
    if registered is None and "." not in name and _OF_MODULE.fullmatch(text) is None:
        raise _unknown(text)
    if not allow_code and (registered is None or registered.runs_code):
        raise CryptError(
            f"agent {quoted(text)} would run code from a module or a saved model, which a file must not ask for; "
            f"allowed there are {', '.join(name for name in agent_names() if not _REGISTERED[name].runs_code)}"
        )
    if registered is None or registered.runs_code:
        _look_here_too()
    if registered is None:
        return _imported(text)
    if registered.form is None:
        return registered.factory(rest)
    fields = registered.form.fields(rest)
    if fields is None:
        raise CryptError(f"agent {quoted(text)} is not possible; {registered.form.allowed}")
    return registered.factory(**fields)


def _looked_up(text: str) -> tuple[str, _Registered | None, str]:
    """Return the name in a text, what is registered under it, and what follows it."""
    name, _, rest = (text if text.partition(":")[0] in _REGISTERED else in_full(text)).partition(":")
    return name, _REGISTERED.get(name), rest


def in_full(text: str) -> str:
    """Return the full name of the network at a path or in a training run's folder; any other text unchanged.

    Raises:
        CryptError: there is no network in the folder.
    """
    path, _, how = text.rpartition(":") if text.endswith(":draw") else (text, "", "")
    if not is_path(path.partition(":")[0]) and not Path(path).is_absolute():
        return text
    if is_there(Path(path), Path.is_dir):
        if not (Path(path) / BEST).is_file():
            raise CryptError(f"the folder '{shown(path)}' holds no network; that of a training run has a file {BEST}")
        path = f"{path.rstrip('/')}/{Path(BEST).stem}"
    return f"net:{path}" + (f":{how}" if how else "")


def _unknown(text: str, reason: str = "") -> CryptError:
    return CryptError(
        f"agent {quoted(text)} is not known{reason}; known are {', '.join(agent_names())}, "
        f"and agents of a module of yours as in {_EXAMPLE}"
    )


# -- modules ----------------------------------------------------------------------------------------------------------


def _look_here_too() -> None:
    """Search the current folder for modules, after everything else, unless Python was run with `-P`.

    The script ``crypt`` would search only its own folder. The current one is added only for code that a user has named:
    libraries try to import optional modules, and must not find a stranger's.
    """
    here = str(Path.cwd())
    if not getattr(sys.flags, "safe_path", False) and not {"", here} & set(sys.path):
        sys.path.append(here)


def _imported(text: str) -> Agent:
    if _OF_MODULE.fullmatch(text) is None:
        raise _unmade(text, f"the name of a module, a colon and what makes the agent are needed, as in {_EXAMPLE}")
    module, _, attribute = text.partition(":")
    try:
        factory = getattr(import_module(module), attribute, None)
    except ModuleNotFoundError as error:
        raise _not_found(text, module, error.name or "") from error
    except (Exception, SystemExit) as error:  # a user's module can raise anything on import
        raise _unmade(text, f"the import of {quoted(module)} failed with {_told(error)}") from error
    if factory is None:
        raise _unmade(text, f"module {quoted(module)} has no attribute {quoted(attribute)}")
    if not callable(factory):
        raise CryptError(f"{quoted(text)} is {type(factory).__name__}; a callable that makes an Agent is needed")
    try:
        made = factory()
    except CryptError:
        raise
    except (Exception, SystemExit) as error:
        raise _unmade(text, f"the call of {attribute}() without arguments failed with {_told(error)}") from error
    if not isinstance(made, Agent):
        raise CryptError(f"{quoted(text)} made {type(made).__name__}; an Agent is needed")
    return made


def _not_found(text: str, module: str, missing: str) -> CryptError:
    """Return the error about a missing module: the one that was named, or one that it imports."""
    if not f"{module}.".startswith(f"{missing}."):
        return _unmade(text, f"module {quoted(module)} needs {quoted(missing)}, which is not installed")
    if "." in module:
        return _unmade(text, f"No module named {quoted(missing)}")
    return _unknown(text, f", and no module named {quoted(module)} is found")


def _unmade(text: str, reason: str) -> CryptError:
    return CryptError(f"agent {quoted(text)} cannot be made: {reason}")


def _told(error: BaseException) -> str:
    """Return in one line what failed in a user's code, and where."""
    first, *_ = [*str(error).splitlines(), ""]
    words = f"{type(error).__name__}: {first}" if first else type(error).__name__
    place = extract_tb(error.__traceback__)[-1]
    if isinstance(error, SyntaxError) or place.filename == __file__:  # its text says where; or it is not in user code
        return words
    return f"{words} ({Path(place.filename).name}, line {place.lineno})"
