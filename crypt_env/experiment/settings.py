"""The settings of a training run: a YAML file in `configs/`, changed by ``key=value`` on the command line."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from crypt_env.agents import make_agent
from crypt_env.arena.schedule import check_tables
from crypt_env.errors import CryptError, quoted
from crypt_env.ppo.league import MOST_AGENTS
from crypt_env.rules.state import RewardName

from .plain_yaml import MAX_LENGTH, read_yaml

_MANY, _MOST = 10**15, 2**32 - 1
"""Limits of decisions and of any other number; nothing useful is beyond them."""


def _as_whole(value: Any) -> Any:
    """Return a float without a fraction, such as 1.0e+6, as a whole number; refuse True."""
    if isinstance(value, bool):
        raise ValueError
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _as_number(value: Any) -> Any:
    """Return a whole number, or a text such as 3e-4, as a float; YAML reads the latter as a text."""
    if isinstance(value, (int, str)) and not isinstance(value, bool):
        with suppress(ValueError, OverflowError):
            return float(value)
    return value


def _as_list(value: Any) -> Any:
    """Return a list; a single entry becomes a list of one."""
    return value if isinstance(value, list) else [value]


def _check_name(name: str) -> str:
    """Refuse a name that would lead out of the folder for runs."""
    is_plain = name.isprintable() and not set(name) & set("/\\:") and not name.startswith(".")
    if not name.strip() or not is_plain or len(name) > 100:
        raise CryptError(
            f"name={quoted(name)} is not possible; up to 100 characters without slashes and colons are needed, no dot "
            "first; --out names the folder of a run"
        )
    return name


Whole = Annotated[int, BeforeValidator(_as_whole)]
Number = Annotated[float, BeforeValidator(_as_number)]
Text = Annotated[str, Field(max_length=1000)]
Texts = Annotated[list[Text], BeforeValidator(_as_list)]
Players = Annotated[list[Annotated[Literal[1, 2, 3, 4], BeforeValidator(_as_whole)]], BeforeValidator(_as_list)]
Widths = Annotated[list[Annotated[int, Field(ge=1, le=2**14), BeforeValidator(_as_whole)]], BeforeValidator(_as_list)]


class Settings(BaseModel):
    """All settings; ``python -m training.train --help`` prints them with their limits and defaults."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    name: Annotated[str, AfterValidator(_check_name)] = Field("run", description="name of the run and of its network")
    players: Players = Field(
        [2], min_length=1, max_length=4, description="numbers of players at the tables; several make a generalist"
    )
    collectors: Annotated[Text, AfterValidator(check_tables)] = Field(
        "random",
        description="tables to train on: six letters, A, B, random, or even for all in turn; even-32, even-16 and "
        "even-8 are the tables of Crypt-64's tasks, and evaluations then use the same ones",
    )
    reward: RewardName = Field("win", description="what games pay (solo games always pay coins)")
    dense: bool = Field(
        False, description="pay as soon as it is certain instead of at the end, where a win always is paid"
    )
    reward_scale: Number = Field(1.0, gt=0, description="a factor for rewards")
    decisions: Whole = Field(
        20_000_000,
        ge=1,
        le=_MANY,
        description="decisions to play while it learns, those of agents in the league among them",
    )
    minutes: Number = Field(
        0.0, ge=0, description="stop after this many minutes, and have schedules follow the clock; 0 for no limit"
    )
    games: Whole = Field(512, ge=1, le=2**20, description="games that are played side by side")
    steps: Whole = Field(64, ge=1, le=2**16, description="decisions of each game in a rollout")
    minibatch: Whole = Field(4096, ge=1, le=2**24, description="decisions for each step of the optimizer")
    epochs: Whole = Field(4, ge=1, le=1000, description="how often each rollout is learned from")
    learning_rate: Number = Field(5e-4, gt=0, description="at the start")
    final_learning_rate: Number = Field(0.0, ge=0, description="at the end; in between it falls evenly")
    weight_decay: Number = Field(
        0.0, ge=0, description="of AdamW; it keeps units alive in long runs at high learning rates"
    )
    gamma: Number = Field(1.0, ge=0, le=1, description="discount for each decision of the seat")
    gae_lambda: Number = Field(0.95, ge=0, le=1, description="how far advantages look ahead")
    clip: Number = Field(0.2, gt=0, description="clip range of the policy")
    value_clip: Number = Field(0.0, ge=0, description="clip range of the value; 0 for none")
    entropy: Number = Field(0.01, ge=0, description="weight of the entropy at the start")
    final_entropy: Number = Field(
        0.001, ge=0, description="weight of the entropy at the end; in between it falls evenly"
    )
    value_weight: Number = Field(0.5, ge=0, description="weight of the value's loss")
    max_grad_norm: Number = Field(0.5, gt=0, description="gradients are clipped to this norm")
    target_kl: Number = Field(
        0.0, ge=0, description="stop learning from a rollout beyond one and a half times this divergence; 0 for never"
    )
    widths: Widths = Field([256, 256], min_length=1, max_length=16, description="hidden layers")
    thermometers: bool = Field(
        False, description="show the network, instead of each number, whether it is above 0, above 1 and so on"
    )
    without: Texts = Field([], max_length=100, description="parts of the observation that the network does not see")
    start: Text = Field(
        "",
        description="network to start from, a name or a path with a slash; its value is kept if the reward is the same",
    )
    teachers: Texts = Field(
        [], max_length=100, description="networks to come close to, each at the tables that it was trained for"
    )
    teaching: Number = Field(1.0, ge=0, description="weight of the divergence from the teachers at the start")
    final_teaching: Number = Field(0.0, ge=0, description="weight of it at the end; in between it falls evenly")
    magnet: Number = Field(0.0, ge=0, description="weight of the divergence from a slow average of its own past")
    magnet_rate: Number = Field(
        0.002, ge=0, le=1, description="how far that average moves towards the network in each rollout"
    )
    trainer: Literal["fast", "stock"] = Field(
        "fast", description="stock is the reference on Stable-Baselines3's own loop"
    )
    workers: Annotated[Literal[1, 2], BeforeValidator(_as_whole)] = Field(
        2, description="threads that share the work of the fast trainer"
    )
    precision: Literal["auto", "bf16", "fp32"] = Field(
        "auto", description="of matrix products, for the fast trainer; auto is bf16 where the processor has it"
    )
    league_share: Number = Field(0.0, ge=0, le=1, description="share of the games that are played against other agents")
    league_agents: Texts = Field([], max_length=100, description="agents in the league from the start, such as greedy")
    league_snapshots: Whole = Field(8, ge=0, le=_MOST, description="how many past selves play in the league at most")
    league_power: Number = Field(1.0, ge=0, description="how much more often hard opponents are drawn; 0 for none")
    league_memory: Number = Field(
        1.0, ge=0, le=1, description="what each rollout leaves of the league's results; below 1 old games count less"
    )
    snapshot_every: Whole = Field(2_000_000, ge=1, le=_MANY, description="decisions between snapshots for the league")
    exploiters: Whole = Field(
        0,
        ge=0,
        le=_MOST,
        description="how many exploiters play in the league at most: networks trained against this one on the way",
    )
    exploit_every: Whole = Field(10_000_000, ge=1, le=_MANY, description="decisions between exploiters")
    exploit_decisions: Whole = Field(
        5_000_000, ge=1, le=_MANY, description="decisions that each exploiter is trained for; they come on top"
    )
    exploit_start: Literal["network", "scratch"] = Field(
        "network", description="what exploiters start from: the network itself as it is then, or random weights"
    )
    evaluate_every: Whole = Field(2_000_000, ge=1, le=_MANY, description="decisions between evaluations")
    evaluate_games: Whole = Field(2048, ge=1, le=10**8, description="games of an evaluation against each opponent")
    opponents: Texts = Field(
        ["random", "greedy"],
        max_length=100,
        description="agents that evaluations are played against; the last one decides what is best",
    )
    compare: Texts = Field([], max_length=100, description="agents that the finished network is compared with")
    checkpoint_every: Whole = Field(2_000_000, ge=1, le=_MANY, description="decisions between checkpoints")
    seed: Whole = Field(
        1,
        ge=0,
        le=_MOST,
        description="the same seed gives the same network on the same machine, but not with a limit of minutes",
    )
    tensorboard: bool = Field(True, description="write curves for TensorBoard")
    wandb: Text = Field("", description="project of Weights & Biases to report to; none if empty")

    @model_validator(mode="after")
    def _check_together(self) -> Settings:
        """Refuse values that are possible one by one, but not together."""
        for name in ("players", *AGENTS):
            listed = getattr(self, name)
            twice = [entry for entry in listed if listed.count(entry) > 1]
            if twice:
                raise CryptError(f"{name}={quoted(listed)} is not possible; {twice[0]} is in it twice")
        if max(self.workers, len(self.players)) > self.games:
            raise CryptError(
                f"games={self.games} is not possible; each worker and each number of players needs one, and there are "
                f"workers={self.workers} and players={self.players}"
            )
        if self.players != [1] and not self.opponents:
            raise CryptError("opponents=[] is not possible; evaluations of two players and more need an opponent")
        if self.name in self.opponents:
            raise CryptError(f"name={quoted(self.name)} is not possible; an opponent has that name")
        if self.teachers and self.trainer != "fast":
            raise CryptError(f"teachers={quoted(self.teachers)} is not possible with trainer={self.trainer}")
        if self.magnet and self.trainer != "fast":
            raise CryptError(f"magnet={self.magnet} is not possible with trainer={self.trainer}")
        self._check_league()
        return self

    def _check_league(self) -> None:
        if len(self.league_agents) + self.league_snapshots + self.exploiters > MOST_AGENTS:
            raise CryptError(
                f"league_snapshots={self.league_snapshots} with exploiters={self.exploiters} is not possible; at most "
                f"{MOST_AGENTS} agents, snapshots and exploiters together are allowed"
            )
        if self.league_share > 0 and self.players == [1]:
            raise CryptError(f"league_share={self.league_share} is not possible; a solo game has no seat to give away")
        if self.league_share > 0 and not (self.league_agents or self.league_snapshots or self.exploiters):
            raise CryptError(f"league_share={self.league_share} needs league_agents, league_snapshots or exploiters")
        if self.exploiters and not self.league_share:
            raise CryptError(f"exploiters={self.exploiters} needs a league_share above 0; they play in the league")


AGENTS = ("opponents", "league_agents", "compare")
"""Settings that name agents of the arena."""


# -- reading them -----------------------------------------------------------------------------------------------------


def load_settings(path: str | Path, changes: Sequence[str] = (), allow_code: bool = False) -> Settings:
    """Read settings from a file and change some.

    Args:
        path: of the file.
        changes: each as name=value; they may name agents that run code, because a person has typed them.
        allow_code: whether the file may do so, too.

    Raises:
        CryptError: there is no such file, it is not YAML, a name is not known or a value is not possible.
    """
    content = _read_file(Path(path))
    changed = read_changes(changes)
    trusted = AGENTS if allow_code else changed.keys()
    return settings_from({**content, **changed}, trusted)


def _read_file(path: Path) -> dict[str, Any]:
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(MAX_LENGTH + 1)
    except OSError as error:
        known = ", ".join(sorted(file.name for file in path.parent.glob("*.yaml")))
        hint = f"; in {str(path.parent)!r} are {known}" if known else ""
        raise CryptError(f"settings {str(path)!r} cannot be read: {error.strerror}{hint}") from None
    except UnicodeDecodeError as error:
        raise CryptError(f"settings {str(path)!r} are not UTF-8 text: {error.reason}") from None
    except ValueError as error:  # a name that no file can have
        raise CryptError(f"settings {str(path)!r} cannot be read: {error}") from None
    content = read_yaml(text, f"settings {str(path)!r} are")
    if content is None:
        return {}
    if not isinstance(content, dict):
        kind = "a list" if isinstance(content, list) else quoted(content)
        raise CryptError(f"settings {str(path)!r} are {kind}; allowed are lines of the form 'name: value'")
    return content


def read_changes(changes: Sequence[str]) -> dict[str, Any]:
    """Return the names and values of changes, each of the form name=value.

    Raises:
        CryptError: one has another form.
    """
    content = {}
    for change in changes:
        name, sign, text = change.partition("=")
        if not sign:
            raise CryptError(f"{quoted(change)} changes nothing; settings are changed by name=value")
        content[name.strip()] = read_yaml(text, f"{quoted(change)} is")
    return content


def settings_from(content: Mapping[str, Any], trusted: Collection[str] = AGENTS) -> Settings:
    """Return settings with these values, after making each agent that they name once, to find errors now.

    Args:
        content: names and values; missing ones have their defaults.
        trusted: the settings whose agents may run code.

    Raises:
        CryptError: a name is not known, or a value is not possible.
    """
    settings = checked_settings(content)
    for name in AGENTS:
        for agent in getattr(settings, name):
            try:
                make_agent(agent, allow_code=name in trusted)
            except CryptError as error:
                hint = "; --allow-code trusts the file" if "would run code" in str(error) else ""
                raise CryptError(f"{error}{hint}") from error
    return settings


def checked_settings(content: Mapping[str, Any]) -> Settings:
    """Return settings with these values; no agent is made.

    Raises:
        CryptError: a name is not known, or a value is not possible.
    """
    unknown = [name for name in content if name not in Settings.model_fields]
    if unknown:
        raise CryptError(f"setting {quoted(unknown[0])} is not known; known are {', '.join(Settings.model_fields)}")
    try:
        return Settings.model_validate(dict(content))
    except ValidationError as caught:
        error = caught.errors(include_url=False)[0]
    reason = error.get("ctx", {}).get("error")
    if isinstance(reason, CryptError):
        raise CryptError(str(reason))
    name = str(error["loc"][0])
    needed = _in_words(_schema()[name])
    comma = "," if needed.startswith("a list") else ""
    raise CryptError(f"{name}={quoted(content[name])} is not possible; {needed}{comma} is needed")


# -- describing them --------------------------------------------------------------------------------------------------


def describe_settings() -> str:
    """Return all settings with their defaults, descriptions and limits."""
    return "\n".join(
        f"  {name}={_as_typed(schema['default'])}".ljust(34) + f"{schema['description']} ({_in_words(schema)})"
        for name, schema in _schema().items()
    )


@cache
def _schema() -> dict[str, dict[str, Any]]:
    properties: dict[str, dict[str, Any]] = Settings.model_json_schema()["properties"]
    return properties


def _as_typed(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(str, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:_}" if isinstance(value, int) else str(value)


def _in_words(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        *others, last = map(str, schema["enum"])
        return f"{', '.join(others)} or {last}"
    if schema["type"] == "array":
        least = f"{schema['minItems']} to " if "minItems" in schema else "up to "
        return f"a list of {least}{schema['maxItems']} entries, each {_in_words(schema['items'])}"
    if schema["type"] == "boolean":
        return "true or false"
    if schema["type"] == "string":
        return f"a text of at most {schema.get('maxLength', 100)} characters"
    kind = "a whole number" if schema["type"] == "integer" else "a number"
    if "exclusiveMinimum" in schema:
        return f"{kind} above {schema['exclusiveMinimum']}"
    return f"{kind} from {schema['minimum']} " + (f"to {schema['maximum']:_}" if "maximum" in schema else "on")
