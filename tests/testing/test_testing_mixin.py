"""`ConformanceTests`: one inherited test for each check, in pytest and in unittest."""

from __future__ import annotations

import unittest

import pytest

from crypt_env.testing import CHECKS, ConformanceTests
from testing.broken_envs import Duel, LeakedCard, LoserNeverPaid, hidden


class TestDuel(ConformanceTests):
    """The good game, as users write it."""

    illegal = "raise"
    zero_sum = True

    def make_env(self) -> Duel:
        return Duel()

    def hidden(self, env: Duel, agent: str) -> Duel:
        return hidden(env, agent)


class Unpaid(ConformanceTests, unittest.TestCase):
    __test__ = False
    games = 1

    def make_env(self) -> Duel:
        return LoserNeverPaid()


class Leaking(TestDuel):
    __test__ = False

    def make_env(self) -> Duel:
        return LeakedCard()


def test_there_is_one_test_for_each_check() -> None:
    assert [name for name in vars(ConformanceTests) if name.startswith("test_")] == [f"test_{name}" for name in CHECKS]
    for name in CHECKS:
        for case in (Leaking(), ConformanceTests()):
            called = []
            case.conform = called.append
            getattr(case, f"test_{name}")()
            assert called == [name]


def test_failure_lists_the_findings_and_what_cannot_be_checked_is_skipped() -> None:
    with pytest.raises(AssertionError, match="agent south: sees a difference in what it cannot know"):
        Leaking().test_leaks()
    Leaking().test_payment()
    with pytest.raises(unittest.SkipTest, match="no environment at any step"):
        Unpaid().test_leaks()
    with pytest.raises(NotImplementedError, match="ConformanceTests needs a method make_env"):
        ConformanceTests().test_agents()


def test_unittest_runs_them_too() -> None:
    result = unittest.defaultTestLoader.loadTestsFromTestCase(Unpaid).run(unittest.TestResult())
    assert result.testsRun == len(CHECKS)
    assert [case.id().rsplit(".", 1)[1] for case, _ in result.failures] == ["test_payment"]
    assert [case.id().rsplit(".", 1)[1] for case, _ in result.skipped] == ["test_leaks"]
    assert not result.errors
