"""The checks as a test class to inherit from."""

from __future__ import annotations

import unittest
from collections.abc import Callable
from typing import Any, ClassVar

from .compare import Env
from .kit import CHECKS, check_aec
from .trial import Illegal


class ConformanceTests:
    """One test for each check, ``test_agents`` and so on, for pytest or, with `unittest.TestCase`, for unittest.

    Write `make_env`, and `hidden` if the game hides anything; the other attributes are arguments of `check_aec`:

        class TestMyGame(ConformanceTests):
            zero_sum = True

            def make_env(self):
                return my_game_v0.env()
    """

    games: ClassVar[int] = 3
    seed: ClassVar[int] = 0
    illegal: ClassVar[Illegal] = "any"
    zero_sum: ClassVar[bool] = False
    max_steps: ClassVar[int] = 1000
    tries: ClassVar[int] = 2000

    def make_env(self) -> Env:
        """Return a new environment."""
        raise NotImplementedError(f"{type(self).__name__} needs a method make_env")

    def hidden(self, env: Env, agent: Any) -> Env | None:
        """Return an environment that differs from `env` only in what the agent cannot know; None if there is none."""
        return None

    def conform(self, check: str) -> None:
        """Fail with every finding of one check, or skip the test if the check cannot be made."""
        report = check_aec(
            self.make_env,
            games=self.games,
            seed=self.seed,
            checks=[check],
            hidden=self.hidden,
            illegal=self.illegal,
            zero_sum=self.zero_sum,
            max_steps=self.max_steps,
            tries=self.tries,
        )
        result = report[check]
        if result.status == "skipped":
            raise unittest.SkipTest(result.note)
        assert result.status == "ok", "\n".join(map(str, result.findings))


def _test_of(check: str) -> Callable[[ConformanceTests], None]:
    """Return the test method of a check."""

    def test(self: ConformanceTests) -> None:
        self.conform(check)

    test.__name__, test.__doc__ = f"test_{check}", CHECKS[check].__doc__
    return test


for _check in CHECKS:
    setattr(ConformanceTests, f"test_{_check}", _test_of(_check))
