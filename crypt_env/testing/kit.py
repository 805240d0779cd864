"""Run the checks on an environment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from types import MappingProxyType
from typing import ParamSpec, TypeAlias

from crypt_env.errors import CryptError, quoted

from .books import agents, infos, payment
from .compare import MakeEnv
from .ends import ending, reset, stray_steps
from .findings import Conformance, Finding, Result
from .masks import allowed_actions, forbidden_actions, mover_masks, waiting_masks
from .repeat import deep_copy, global_random, pickling, seeds
from .sight import aliasing, leaks, pure_observe, spaces
from .trial import Hidden, Illegal, SkipCheck, Subject, Trial, described, quiet, seeded_globals

Check: TypeAlias = Callable[[Trial], Iterator[Finding]]
Arguments = ParamSpec("Arguments")

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
) -> Conformance:
    """Check a turn-based PettingZoo environment and return the results, which print as a table.

    Each agent has a Discrete action space, and an action mask in its observation or info, as "action_mask". The same
    arguments always give the same results, unless the environment itself cannot be repeated.

    Args:
        make_env: makes a new environment, without arguments; wrappers are welcome.
        games: how many games every check plays, with the seeds `seed`, `seed + 1`, ...
        seed: the seed of the first game; seeds are below 2**32.
        checks: the names of the checks to run, or one name; all of `CHECKS` if not given.
        hidden: given an environment in mid-game and an agent, returns another one that differs only in what this
            agent cannot know, or None if there is no such difference; for the check `leaks`.
        illegal: how illegal actions are refused: "raise" an error, "end" the game of the agent, "ignore" them;
            "any" accepts all three, "unchecked" anything.
        zero_sum: whether the rewards of every game add up to zero.
        max_steps: where games that do not end are cut.
        tries: how many actions `allowed_actions` and `forbidden_actions` try, each on a copy; a random sample of more.

    Raises:
        CryptError: if an argument is not possible.
    """
    names = _names(checks)
    subject = Subject(make_env, games, seed, hidden, illegal, zero_sum, max_steps, tries, deep_copy)
    return Conformance(subject.name(), games, seed, tuple(_run(check, subject) for check in names))


def _names(checks: Iterable[str] | None) -> list[str]:
    """Return the names of the checks to run."""
    if checks is None:
        return list(CHECKS)
    names = list(checks) if isinstance(checks, Iterable) and not isinstance(checks, str) else [checks]
    if unknown := [name for name in names if not isinstance(name, str) or name not in CHECKS]:
        raise CryptError(f"there are no checks {', '.join(map(quoted, unknown))}; there are {', '.join(CHECKS)}")
    if not names:
        raise CryptError(f"checks is empty; there are {', '.join(CHECKS)}")
    return names


def _raising(check: Callable[Arguments, Conformance]) -> Callable[Arguments, Conformance]:
    """Return a function with the same arguments that raises an AssertionError unless all checks pass."""

    @wraps(check, assigned=())
    def assert_conforms(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Conformance:
        """Check an environment as `check_aec` does, and raise an AssertionError that lists every finding."""
        report = check(*args, **kwargs)
        if not report.ok:
            lines = [f"{finding.check}: {finding}" for finding in report.findings]
            raise AssertionError("\n".join([f"{report.name} fails {', '.join(report.failed)}", *lines]))
        return report

    return assert_conforms


assert_conforms = _raising(check_aec)


def _run(name: str, subject: Subject) -> Result:
    """Run one check; an error that it meets is a finding, too."""
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
            findings.append(trial.finding(f"the environment raised {described(error)}", trial.at))
        subject.close()
    if findings:
        return Result(name, "failed", tuple(findings), trial.note)
    if note or not trial.steps:
        return Result(name, "skipped", (), note or f"no step could be made ({trial.note})")
    return Result(name, "ok", (), trial.note)
