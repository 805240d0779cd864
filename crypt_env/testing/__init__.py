"""Conformance checks for turn-based (PettingZoo AEC) environments, one's own and others'.

`print(check_aec(make_env))` shows a table of what holds and what does not; `assert_conforms(make_env)` raises an
AssertionError; `ConformanceTests` is a class to inherit tests from. `CHECKS` has all checks, and the docstring of each
says what it demands and why.
"""

from .compare import Env, MakeEnv
from .kit import CHECKS, assert_conforms, check_aec
from .mixin import ConformanceTests
from .report import Finding, Report, Result, Status
from .trial import Hidden, Illegal

__all__ = [
    "CHECKS",
    "ConformanceTests",
    "Env",
    "Finding",
    "Hidden",
    "Illegal",
    "MakeEnv",
    "Report",
    "Result",
    "Status",
    "assert_conforms",
    "check_aec",
]
