"""The settings of a training run: a YAML file in `configs/`, changed by ``key=value`` on the command line."""

from __future__ import annotations

import math
import typing
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import yaml

from crypt_env import CryptError
from crypt_env.agents import make_agent


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
TYPES = typing.get_type_hints(Settings)


def describe_settings() -> str:
    """Return all settings with their defaults and what they are for."""
    source = Path(__file__).read_text(encoding="utf-8").splitlines()
    lines = []
    for entry, default in asdict(Settings()).items():
        place = next(number for number, line in enumerate(source) if line.startswith(f"    {entry}: "))
        lines.append(f"  {entry}={default}".ljust(34) + source[place + 1].strip().strip('"'))
    return "\n".join(lines)


def load_settings(path: str | Path, changes: Sequence[str] = ()) -> Settings:
    """Read settings from a file and change some.

    Raises:
        CryptError: there is no such file, it is no YAML, a name is not known or a value is not possible.
    """
    try:
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8")) or {}
    except OSError as error:
        known = ", ".join(sorted(file.name for file in Path("configs").glob("*.yaml")))
        raise CryptError(f"settings {str(path)!r} cannot be read: {error.strerror}; in configs/ are {known}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise CryptError(f"settings {str(path)!r} are no YAML: {' '.join(str(error).split())}") from None
    if not isinstance(content, dict):
        raise CryptError(f"settings {str(path)!r} are no list of names and values")
    for change in changes:
        name, sign, text = change.partition("=")
        if not sign:
            raise CryptError(f"{change!r} changes nothing; settings are changed by name=value")
        try:
            content[name.strip()] = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise CryptError(f"{change!r} is no YAML: {' '.join(str(error).split())}") from None
    return settings_from(content)


def settings_from(content: dict[str, Any]) -> Settings:
    """Return settings with these values; checks names and values."""
    unknown = [name for name in content if name not in TYPES]
    if unknown:
        raise CryptError(f"setting {unknown[0]!r} is not known; known are {', '.join(TYPES)}")
    settings = Settings(**{name: _typed(name, value) for name, value in content.items()})
    _check(settings)
    return settings


def _typed(name: str, value: Any) -> Any:
    """Return a value as its setting wants it."""
    wanted = TYPES[name]
    if typing.get_origin(wanted) is list:
        (inner,) = typing.get_args(wanted)
        items = value if isinstance(value, list) else [value]
        if all(_is(item, inner) for item in items):
            return [inner(item) for item in items]
    elif _is(value, wanted):
        return wanted(value)
    elif wanted is int and isinstance(value, float) and value.is_integer():
        return int(value)
    elif wanted is float and isinstance(value, str):
        try:
            return float(value)  # YAML takes 3e-4 for a text
        except ValueError:
            pass
    raise CryptError(f"{name}={value!r} is not possible; {_kind(wanted)} is needed")


def _is(value: Any, wanted: type) -> bool:
    """Return whether a value is of a type; an integer will do for a number."""
    if wanted is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool))


def _kind(wanted: Any) -> str:
    """Describe a type."""
    names = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}
    return names.get(wanted) or f"a list, each entry {names[typing.get_args(wanted)[0]]},"


def _check(settings: Settings) -> None:
    """Raise an error for values that are not possible."""
    for name, wanted in TYPES.items():
        if wanted is float and not 0 <= getattr(settings, name) < math.inf:
            raise CryptError(f"{name}={getattr(settings, name)} is not possible; a number from 0 on is needed")
    for name in _POSITIVE:
        if getattr(settings, name) <= 0:
            raise CryptError(f"{name}={getattr(settings, name)} is not possible; a number above 0 is needed")
    choices = {"trainer": ("fast", "stock"), "precision": ("auto", "bf16", "fp32"), "workers": (1, 2)}
    for name, allowed in choices.items():
        if getattr(settings, name) not in allowed:
            listed = ", ".join(map(str, allowed))
            raise CryptError(f"{name}={getattr(settings, name)!r} is not possible; allowed are {listed}")
    if not settings.widths or min(settings.widths) < 1:
        raise CryptError(
            f"widths={settings.widths} is not possible; at least one layer of at least one number is needed"
        )
    _check_tables(settings)
    for name in ("league_share", "gamma", "gae_lambda"):
        if getattr(settings, name) > 1:
            raise CryptError(f"{name}={getattr(settings, name)} is not possible; a number from 0 to 1 is needed")
    if not 0 <= settings.seed < 2**32:
        raise CryptError(f"seed={settings.seed} is not possible; a whole number from 0 to 2**32 - 1 is needed")
    _check_agents(settings)


def _check_tables(settings: Settings) -> None:
    """Raise an error for tables that are not possible."""
    if not settings.players or not set(settings.players) <= {1, 2, 3, 4}:
        raise CryptError(f"players={settings.players} is not possible; some of 1, 2, 3 and 4 are needed")
    if len(set(settings.players)) < len(settings.players):
        raise CryptError(f"players={settings.players} is not possible; each number of players can be named once")
    if settings.workers > settings.games:
        raise CryptError(f"games={settings.games} is not possible; each of {settings.workers} workers needs one")
    if len(settings.players) > settings.games:
        raise CryptError(f"games={settings.games} is not possible; each of players={settings.players} needs one")


def _check_agents(settings: Settings) -> None:
    """Raise an error for agents that are not possible."""
    if max(settings.players) > 1 and not settings.opponents:
        raise CryptError(
            "opponents=[] is not possible; with two players and more somebody to be measured against is needed"
        )
    for name in ("opponents", "league_agents", "compare"):
        agents = getattr(settings, name)
        for agent in agents:
            make_agent(agent)  # whatever is wrong with one is found out now, not when it is first needed
        twice = [agent for agent in agents if agents.count(agent) > 1]
        if twice:
            raise CryptError(f"{name}={agents} is not possible; {twice[0]} is in it twice")
    if settings.teachers and settings.trainer != "fast":
        raise CryptError(f"teachers={settings.teachers} is not possible with trainer={settings.trainer}")
    if settings.name in settings.opponents:
        raise CryptError(f"name={settings.name!r} is not possible; an opponent is called so")
    if settings.league_snapshots < 0:
        raise CryptError(f"league_snapshots={settings.league_snapshots} is not possible; a number from 0 on is needed")
    if settings.league_share > 0 and settings.players == [1]:
        raise CryptError(f"league_share={settings.league_share} is not possible; alone nobody has a seat to give away")
    if settings.league_share > 0 and not settings.league_agents and not settings.league_snapshots:
        raise CryptError(f"league_share={settings.league_share} needs league_agents or league_snapshots")
