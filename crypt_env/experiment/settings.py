"""The settings of a training run: a YAML file in `configs/`, changed by ``key=value`` on the command line."""

from __future__ import annotations

import math
import typing
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from crypt_env import CryptError
from crypt_env.agents import make_agent

from .plain_yaml import MAX_LENGTH, read_yaml, shorten


@dataclass
class Settings:
    """All settings. What a field is for stands behind it and is printed by ``python -m training.train --help``."""

    name: str = "run"
    "name of the run and of its network"
    players: list[int] = field(default_factory=lambda: [2])
    "numbers of players at the tables; several make a generalist"
    collectors: str = "random"
    "tables to train on: six letters, A, B, or random"
    reward: str = "win"
    "what games pay: win, margin or coins (solo games always pay coins)"
    dense: bool = False
    "pay as soon as it is certain instead of at the end, where a win always is paid"
    reward_scale: float = 1.0
    "what one unit of reward counts"
    decisions: int = 20_000_000
    "decisions to play while it learns; those of agents in the league, of which it does not learn, are among them"
    minutes: float = 0.0
    "stop after so many minutes although decisions are left, schedules follow the clock then; 0 for no limit"
    games: int = 512
    "games that are played side by side"
    steps: int = 64
    "decisions of each game in a rollout"
    minibatch: int = 4096
    "decisions for each move of the weights"
    epochs: int = 4
    "how often each rollout is learned from"
    learning_rate: float = 5e-4
    "at the start"
    final_learning_rate: float = 0.0
    "at the end; in between it falls evenly"
    weight_decay: float = 0.0
    "how fast weights fall that nothing holds up (AdamW); it keeps units alive in long runs at high learning rates"
    gamma: float = 1.0
    "discount for each own decision"
    gae_lambda: float = 0.95
    "how far advantages look ahead"
    clip: float = 0.2
    "clip range of the policy"
    value_clip: float = 0.0
    "clip range of the value; 0 for none"
    entropy: float = 0.01
    "weight of the entropy at the start"
    final_entropy: float = 0.001
    "weight of the entropy at the end; in between it falls evenly"
    value_weight: float = 0.5
    "weight of the value's loss"
    max_grad_norm: float = 0.5
    "longest gradient"
    target_kl: float = 0.0
    "stop learning from a rollout beyond one and a half times this divergence; 0 for never"
    widths: list[int] = field(default_factory=lambda: [256, 256])
    "hidden layers"
    thermometers: bool = False
    "show the network, instead of each number, whether it is above 0, above 1 and so on"
    without: list[str] = field(default_factory=list)
    "parts of the observation that the network does not see"
    start: str = ""
    "network to start from, a name or a path with a slash; its value is kept if it was trained on the same reward"
    teachers: list[str] = field(default_factory=list)
    "networks that it is to come close to as well, each at the tables that it was trained for"
    teaching: float = 1.0
    "weight of the divergence from the teachers at the start"
    final_teaching: float = 0.0
    "weight of it at the end; in between it falls evenly"
    trainer: str = "fast"
    "fast, or stock for sb3-contrib's own loop with a seat-aware buffer"
    workers: int = 2
    "threads that share the work of the fast trainer"
    precision: str = "auto"
    "bf16, fp32, or auto, for the fast trainer"
    league_share: float = 0.0
    "share of the games that are played against other agents"
    league_agents: list[str] = field(default_factory=list)
    "agents in the league from the start, such as greedy"
    league_snapshots: int = 8
    "how many past selves play in the league at most"
    league_power: float = 1.0
    "how strongly hard opponents are preferred"
    snapshot_every: int = 2_000_000
    "decisions between snapshots for the league"
    evaluate_every: int = 2_000_000
    "decisions between evaluations"
    evaluate_games: int = 2048
    "games of an evaluation against each opponent"
    opponents: list[str] = field(default_factory=lambda: ["random", "greedy"])
    "whom evaluations are played against"
    compare: list[str] = field(default_factory=list)
    "agents that the finished network is compared with"
    checkpoint_every: int = 2_000_000
    "decisions between checkpoints"
    seed: int = 1
    "the same seed gives the same network on the same machine, but not with a limit of minutes"
    tensorboard: bool = True
    "write curves for TensorBoard"
    wandb: str = ""
    "project of Weights & Biases to report to; none if empty"


_POSITIVE = (
    *("decisions", "games", "steps", "minibatch", "epochs", "learning_rate", "reward_scale", "clip"),
    *("evaluate_every", "checkpoint_every", "snapshot_every", "evaluate_games", "max_grad_norm"),
)
_MOST = {
    "games": 2**20,
    "steps": 2**16,
    "minibatch": 2**24,
    "epochs": 1000,
    "evaluate_games": 10**8,
    **dict.fromkeys(("decisions", "evaluate_every", "checkpoint_every", "snapshot_every"), 10**15),
}
"""Beyond these nothing useful is left, only memory that is not there."""
_MOST_LAYERS, _MOST_UNITS = 16, 2**14
MOST_IN_LEAGUE = 100
"""Agents and snapshots together."""
_MOST_LISTED = 100
"""Entries of any list."""
_MOST_CHARACTERS = 1000
_NAME_LENGTH = 100
_AGENTS = ("opponents", "league_agents", "compare")
TYPES = typing.get_type_hints(Settings)


def describe_settings() -> str:
    """Return all settings with their defaults and what they are for."""
    source = Path(__file__).read_text(encoding="utf-8").splitlines()
    lines = []
    for entry, default in asdict(Settings()).items():
        place = next(number for number, line in enumerate(source) if line.startswith(f"    {entry}: "))
        lines.append(f"  {entry}={default}".ljust(34) + source[place + 1].strip().strip('"'))
    return "\n".join(lines)


def load_settings(path: str | Path, changes: Sequence[str] = (), allow_code: bool = False) -> Settings:
    """Read settings from a file and change some.

    Args:
        path: of the file.
        changes: each as name=value; they may name agents that run code, because a person has typed them.
        allow_code: whether the file may do so, too.

    Raises:
        CryptError: there is no such file, it is no YAML, a name is not known or a value is not possible.
    """
    content = _read_file(Path(path))
    changed = read_changes(changes)
    trusted = _AGENTS if allow_code else changed.keys()
    return settings_from({**content, **changed}, trusted)


def _read_file(path: Path) -> dict[str, Any]:
    """Return the names and values in a file."""
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(MAX_LENGTH + 1)
    except OSError as error:
        known = ", ".join(sorted(file.name for file in path.parent.glob("*.yaml")))
        hint = f"; in {str(path.parent)!r} are {known}" if known else ""
        raise CryptError(f"settings {str(path)!r} cannot be read: {error.strerror}{hint}") from None
    except UnicodeDecodeError as error:
        raise CryptError(f"settings {str(path)!r} are no text in UTF-8: {error.reason}") from None
    except ValueError as error:  # a name that no file can have
        raise CryptError(f"settings {str(path)!r} cannot be read: {error}") from None
    content = read_yaml(text, f"settings {str(path)!r} are")
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise CryptError(f"settings {str(path)!r} are no list of names and values")
    return content


def read_changes(changes: Sequence[str]) -> dict[str, Any]:
    """Return what changes, each of the form name=value, say.

    Raises:
        CryptError: one has another form.
    """
    content = {}
    for change in changes:
        name, sign, text = change.partition("=")
        if not sign:
            raise CryptError(f"{shorten(change)} changes nothing; settings are changed by name=value")
        content[name.strip()] = read_yaml(text, f"{shorten(change)} is")
    return content


def settings_from(content: dict[str, Any], trusted: Collection[str] = _AGENTS) -> Settings:
    """Return settings with these values; checks names and values.

    Args:
        content: names and values; defaults stand for those that are not there.
        trusted: the lists of agents that may name some that run code, which they then do.

    Raises:
        CryptError: a name is not known, or a value is not possible.
    """
    settings = typed_settings(content)
    _check(settings, trusted)
    return settings


def typed_settings(content: dict[str, Any]) -> Settings:
    """Return settings with these values, of which only names and types are checked; no agent is made.

    Raises:
        CryptError: a name is not known, or a value is of another type.
    """
    unknown = [name for name in content if name not in TYPES]
    if unknown:
        raise CryptError(f"setting {shorten(unknown[0])} is not known; known are {', '.join(TYPES)}")
    return Settings(**{name: _typed(name, value) for name, value in content.items()})


def _typed(name: str, value: Any) -> Any:
    """Return a value as its setting wants it."""
    wanted = TYPES[name]
    if typing.get_origin(wanted) is list:
        (inner,) = typing.get_args(wanted)
        items = value if isinstance(value, list) else [value]
        if len(items) > _MOST_LISTED:
            raise CryptError(f"{name} has {len(items)} entries; at most {_MOST_LISTED} are allowed")
        if all(_is(item, inner) for item in items):
            _check_lengths(name, items)
            return [inner(item) for item in items]
    elif _is(value, wanted):
        _check_lengths(name, [value])
        with suppress(OverflowError):  # a whole number that is too large to be any other
            return wanted(value)
    elif wanted is int and isinstance(value, float) and value.is_integer():
        return int(value)
    elif wanted is float and isinstance(value, str):
        try:
            return float(value)  # YAML takes 3e-4 for a text
        except ValueError:
            pass
    raise CryptError(f"{name}={shorten(value)} is not possible; {_kind(wanted)} is needed")


def _check_lengths(name: str, values: Sequence[Any]) -> None:
    """Raise an error for a text that nothing needs to be so long."""
    if any(isinstance(value, str) and len(value) > _MOST_CHARACTERS for value in values):
        raise CryptError(f"{name} is not possible; a text of at most {_MOST_CHARACTERS} characters is needed")


def _is(value: Any, wanted: type) -> bool:
    """Return whether a value is of a type; an integer will do for a number."""
    if wanted is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool))


def _kind(wanted: Any) -> str:
    """Describe a type."""
    names = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}
    return names.get(wanted) or f"a list, each entry {names[typing.get_args(wanted)[0]]},"


def _check(settings: Settings, trusted: Collection[str]) -> None:
    """Raise an error for values that are not possible."""
    _check_numbers(settings)
    choices = {"trainer": ("fast", "stock"), "precision": ("auto", "bf16", "fp32"), "workers": (1, 2)}
    for name, allowed in choices.items():
        if getattr(settings, name) not in allowed:
            listed = ", ".join(map(str, allowed))
            raise CryptError(f"{name}={shorten(getattr(settings, name))} is not possible; allowed are {listed}")
    widths = settings.widths
    if not 1 <= len(widths) <= _MOST_LAYERS or not all(1 <= width <= _MOST_UNITS for width in widths):
        raise CryptError(
            f"widths={shorten(widths)} is not possible; at least one layer and at most {_MOST_LAYERS}, each of 1 to "
            f"{_MOST_UNITS} numbers, are needed"
        )
    _check_name(settings.name)
    _check_tables(settings)
    _check_agents(settings, trusted)
    _check_league(settings)


def _check_numbers(settings: Settings) -> None:
    """Raise an error for numbers that are too small or too large."""
    for name in _POSITIVE:
        if getattr(settings, name) <= 0:
            raise CryptError(f"{name}={shorten(getattr(settings, name))} is not possible; a number above 0 is needed")
    for name, wanted in TYPES.items():
        value = getattr(settings, name)
        if wanted is float and not 0 <= value < math.inf:
            raise CryptError(f"{name}={value} is not possible; a number from 0 on is needed")
        if wanted is int and not 0 <= value <= _MOST.get(name, 2**32 - 1):
            raise CryptError(
                f"{name}={shorten(value)} is not possible; a whole number from 0 to {_MOST.get(name, '2**32 - 1')} is "
                "needed"
            )
    for name in ("league_share", "gamma", "gae_lambda"):
        if getattr(settings, name) > 1:
            raise CryptError(f"{name}={getattr(settings, name)} is not possible; a number from 0 to 1 is needed")


def _check_name(name: str) -> None:
    """Raise an error for a name that would lead out of the folder for runs."""
    is_plain = name.isprintable() and not set(name) & set("/\\:") and not name.startswith(".")
    if not name.strip() or not is_plain or len(name) > _NAME_LENGTH:
        raise CryptError(
            f"name={shorten(name)} is not possible; up to {_NAME_LENGTH} characters without slashes and colons are "
            "needed, no dot first; --out names the folder of a run"
        )


def _check_tables(settings: Settings) -> None:
    """Raise an error for tables that are not possible."""
    if not settings.players or not set(settings.players) <= {1, 2, 3, 4}:
        raise CryptError(f"players={shorten(settings.players)} is not possible; some of 1, 2, 3 and 4 are needed")
    if len(set(settings.players)) < len(settings.players):
        raise CryptError(f"players={settings.players} is not possible; each number of players can be named once")
    if settings.workers > settings.games:
        raise CryptError(f"games={settings.games} is not possible; each of {settings.workers} workers needs one")
    if len(settings.players) > settings.games:
        raise CryptError(f"games={settings.games} is not possible; each of players={settings.players} needs one")


def _check_agents(settings: Settings, trusted: Collection[str]) -> None:
    """Raise an error for agents that are not possible, or run code although they may not."""
    if max(settings.players) > 1 and not settings.opponents:
        raise CryptError(
            "opponents=[] is not possible; with two players and more somebody to be measured against is needed"
        )
    for name in _AGENTS:
        agents = getattr(settings, name)
        for agent in agents:
            _try_agent(agent, name in trusted)
        twice = [agent for agent in agents if agents.count(agent) > 1]
        if twice:
            raise CryptError(f"{name}={shorten(agents)} is not possible; {twice[0]} is in it twice")
    if settings.teachers and settings.trainer != "fast":
        raise CryptError(f"teachers={settings.teachers} is not possible with trainer={settings.trainer}")
    if settings.name in settings.opponents:
        raise CryptError(f"name={settings.name!r} is not possible; an opponent is called so")


def _try_agent(agent: str, may_run_code: bool) -> None:
    """Make an agent, so that what is wrong with it is found out now, not when it is first needed."""
    try:
        make_agent(agent, allow_code=may_run_code)
    except CryptError as error:
        hint = "; --allow-code trusts the file" if "would run code" in str(error) else ""
        raise CryptError(f"{error}{hint}") from error


def _check_league(settings: Settings) -> None:
    """Raise an error for a league that is not possible."""
    if len(settings.league_agents) + settings.league_snapshots > MOST_IN_LEAGUE:
        raise CryptError(
            f"league_snapshots={settings.league_snapshots} is not possible; at most {MOST_IN_LEAGUE} agents and "
            "snapshots together are allowed"
        )
    if settings.league_share > 0 and settings.players == [1]:
        raise CryptError(f"league_share={settings.league_share} is not possible; alone nobody has a seat to give away")
    if settings.league_share > 0 and not settings.league_agents and not settings.league_snapshots:
        raise CryptError(f"league_share={settings.league_share} needs league_agents or league_snapshots")
