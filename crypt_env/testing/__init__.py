"""Conformance checks for turn-based (PettingZoo AEC) environments, yours included.

`print(check_aec(make_env))` shows a table of results; `assert_conforms(make_env)` raises an AssertionError;
`ConformanceTests` is a class to inherit tests from. The docstring of each of the `CHECKS` says what it demands and why.
"""

from .compare import Env, MakeEnv
from .findings import Conformance, Finding, Result, Status
from .kit import CHECKS, assert_conforms, check_aec
from .mixin import ConformanceTests
from .trial import Hidden, Illegal

__all__ = [
    "CHECKS",
    "Conformance",
    "ConformanceTests",
    "Env",
    "Finding",
    "Hidden",
    "Illegal",
    "MakeEnv",
    "Result",
    "Status",
    "assert_conforms",
    "check_aec",
]
