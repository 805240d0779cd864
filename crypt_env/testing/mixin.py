"""The checks as a test class to inherit from."""

from __future__ import annotations

import unittest
from typing import Any, ClassVar

from .compare import Env
from .kit import check_aec
from .trial import Illegal


class ConformanceTests:
    """One test for each check, for pytest or, together with `unittest.TestCase`, for unittest.

    Write `make_env`, and `hidden` if the game hides anything:

        class TestMyGame(ConformanceTests):
            zero_sum = True

            def make_env(self):
                return my_game_v0.env()

    Attributes:
        games: how many games every check plays.
        seed: the seed of the first game.
        illegal: how illegal actions are refused, see `check_aec`.
        zero_sum: whether the rewards of every game add up to nothing.
        max_steps: where games are cut that do not end by themselves.
        tries: how many actions the brute-force checks try at most.
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

    def test_agents(self) -> None:
        """Lists and dictionaries of agents agree."""
        self.conform("agents")

    def test_infos(self) -> None:
        """All infos have one form."""
        self.conform("infos")

    def test_spaces(self) -> None:
        """Observations and masks lie in their spaces."""
        self.conform("spaces")

    def test_waiting_masks(self) -> None:
        """Whoever is not selected may do nothing."""
        self.conform("waiting_masks")

    def test_mover_masks(self) -> None:
        """Whoever is selected may do something."""
        self.conform("mover_masks")

    def test_allowed_actions(self) -> None:
        """Every action that a mask allows is accepted."""
        self.conform("allowed_actions")

    def test_forbidden_actions(self) -> None:
        """Every action that a mask forbids is refused."""
        self.conform("forbidden_actions")

    def test_seeds(self) -> None:
        """One seed gives the same games, also the second and the third."""
        self.conform("seeds")

    def test_global_random(self) -> None:
        """The global generators are left alone."""
        self.conform("global_random")

    def test_deep_copy(self) -> None:
        """A deep copy in mid-game is the same game."""
        self.conform("deep_copy")

    def test_pickling(self) -> None:
        """A pickle in mid-game is the same game."""
        self.conform("pickling")

    def test_payment(self) -> None:
        """Everybody is told all that it is paid."""
        self.conform("payment")

    def test_pure_observe(self) -> None:
        """To observe changes nothing."""
        self.conform("pure_observe")

    def test_aliasing(self) -> None:
        """What was observed stays as it was."""
        self.conform("aliasing")

    def test_leaks(self) -> None:
        """Nobody sees what it cannot know."""
        self.conform("leaks")

    def test_ending(self) -> None:
        """Agents leave by their dead steps."""
        self.conform("ending")

    def test_stray_steps(self) -> None:
        """A step where there is no game does no harm."""
        self.conform("stray_steps")

    def test_reset(self) -> None:
        """A new game can start at any time."""
        self.conform("reset")
