"""Run the checks on an environment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TypeAlias, get_args

from crypt_env.errors import CryptError

from .books import agents, infos, payment
from .compare import Env, MakeEnv
from .ends import ending, reset, stray_steps
from .masks import allowed_actions, forbidden_actions, mover_masks, waiting_masks
from .repeat import deep_copy, global_random, pickling, seeds
from .report import Finding, Report, Result
from .sight import aliasing, leaks, pure_observe, spaces
from .trial import Hidden, Illegal, SkipCheck, Subject, Trial, quiet, seeded_globals, told

Check: TypeAlias = Callable[[Trial], Iterator[Finding]]

MOST_FINDINGS = 10

CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        check.__name__: check
        for check in (
            agents,
            infos,
            spaces,
            waiting_masks,
            mover_masks,
            allowed_actions,
            forbidden_actions,
            seeds,
            global_random,
            deep_copy,
            pickling,
            payment,
            pure_observe,
            aliasing,
            leaks,
            ending,
            stray_steps,
            reset,
        )
    }
)
"""All checks by name; the docstring of each says what it demands and why."""


def check_aec(
    make_env: MakeEnv,
    *,
    games: int = 3,
    seed: int = 0,
    checks: Iterable[str] | None = None,
    hidden: Hidden | None = None,
    illegal: Illegal = "any",
    zero_sum: bool = False,
    max_steps: int = 1000,
    tries: int = 2000,
) -> Report:
    """Check a turn-based PettingZoo environment and return a report, which prints as a table.

    The environment has a Discrete action space for each agent and an action mask in `observation["action_mask"]` or
    in `info["action_mask"]`; it may be wrapped. The same arguments always give the same report, unless the
    environment itself cannot be repeated.

    Args:
        make_env: makes a new environment, without arguments.
        games: how many games every check plays, with the seeds `seed`, `seed + 1`, ...
        seed: the seed of the first game, 0 or more.
        checks: the names of the checks to run; all of `CHECKS` if not given.
        hidden: given the environment in mid-game and an agent, returns another environment that differs only in what
            this agent cannot know, or None if there is nothing of the kind; for the check `leaks`.
        illegal: how illegal actions are refused: "raise" an error, "end" the game of the agent, "ignore" them;
            "any" of these will do; "unchecked" if the environment makes no promise.
        zero_sum: whether the rewards of every game add up to nothing.
        max_steps: where games are cut that do not end by themselves.
        tries: how many actions `allowed_actions` and `forbidden_actions` try at most, each on a copy of its own; if
            there are more, they are drawn at random.

    Raises:
        CryptError: if an argument is not possible.
    """
    names = list(CHECKS) if checks is None else list(checks)
    if unknown := [name for name in names if name not in CHECKS]:
        raise CryptError(f"there are no checks {', '.join(map(repr, unknown))}; there are {', '.join(CHECKS)}")
    if illegal not in get_args(Illegal):
        raise CryptError(f"illegal is {illegal!r}, not one of {', '.join(get_args(Illegal))}")
    if min(games, max_steps, tries) < 1 or seed < 0:
        numbers = f"games={games}, max_steps={max_steps}, tries={tries} and seed={seed}"
        raise CryptError(f"{numbers} are not possible; the first three are at least 1, the seed at least 0")
    subject = Subject(make_env, games, seed, hidden, illegal, zero_sum, max_steps, tries, deep_copy)
    with seeded_globals(seed):
        name = _name_of(subject.new_env())
    return Report(name, games, seed, tuple(_run(check, subject) for check in names))


def assert_conforms(
    make_env: MakeEnv,
    *,
    games: int = 3,
    seed: int = 0,
    checks: Iterable[str] | None = None,
    hidden: Hidden | None = None,
    illegal: Illegal = "any",
    zero_sum: bool = False,
    max_steps: int = 1000,
    tries: int = 2000,
) -> Report:
    """Check an environment as `check_aec` does, and raise an AssertionError that lists every finding."""
    report = check_aec(
        make_env,
        games=games,
        seed=seed,
        checks=checks,
        hidden=hidden,
        illegal=illegal,
        zero_sum=zero_sum,
        max_steps=max_steps,
        tries=tries,
    )
    if not report.ok:
        lines = [f"{finding.check}: {finding}" for finding in report.findings]
        raise AssertionError("\n".join([f"{report.name} fails {', '.join(report.failed)}", *lines]))
    return report


def _run(name: str, subject: Subject) -> Result:
    """Run one check; an error that it meets anywhere is a finding, too."""
    trial = Trial(subject, name)
    findings: list[Finding] = []
    note = ""
    with quiet(), seeded_globals(subject.seed):
        try:
            for finding in CHECKS[name](trial):
                findings.append(finding)
                if len(findings) == MOST_FINDINGS:
                    break
        except SkipCheck as reason:
            note = str(reason)
        except Exception as error:
            findings.append(trial.finding(f"the environment raised {told(error)}", trial.at))
        subject.close()
    if findings:
        return Result(name, "failed", tuple(findings), trial.note)
    if note or not trial.steps:
        return Result(name, "skipped", (), note or f"no step could be made ({trial.note})")
    return Result(name, "ok", (), trial.note)


def _name_of(env: Env) -> str:
    """Return how an environment calls itself."""
    metadata = getattr(env, "metadata", None) or {}
    return str(metadata.get("name", type(env).__name__))
