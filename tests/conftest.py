"""Which tests run: all, where everything is installed, and otherwise those of what is there."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
NEEDED = {"ppo": "sb3_contrib", "experiment": "sb3_contrib", "training": "sb3_contrib", "cluster": "ray"}
"""The library without which nothing in a folder can run."""
MISSING = {folder: library for folder, library in NEEDED.items() if find_spec(library) is None}
IS_COMPLETE = os.environ.get("CRYPT_TESTS") == "all"
"""Whether a test that skips because something is not installed fails, as in `make test`."""

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a background job: programs that tests start would ignore Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out the folders of missing libraries."""
    return True if collection_path in map(HERE.joinpath, MISSING) and not IS_COMPLETE else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which folders were left out."""
    for folder, library in () if IS_COMPLETE else MISSING.items():
        terminalreporter.write_line(f"tests/{folder} was left out: {library} is not installed")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Check a file that was collected."""
    report = yield
    return _checked(report)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Check a test that was run."""
    report = yield
    return _checked(report)


def _checked(report: pytest.CollectReport | pytest.TestReport) -> pytest.CollectReport | pytest.TestReport:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
    if IS_COMPLETE and report.skipped and re.search("could not import|not installed|pip install", reason):
        report.outcome = "failed"
        report.longrepr = f"everything must be installed here: {reason}"
    return report
