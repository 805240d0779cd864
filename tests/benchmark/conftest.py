"""Results shared by several tests."""

import pytest

from crypt_env.agents import make_agent
from crypt_env.benchmark import run_task


@pytest.fixture(scope="session")
def solo(tmp_path_factory):
    """A result alone."""
    folder = tmp_path_factory.mktemp("solo") / "result"
    run_task("solo-64", ["greedy"], folder, "quick", description="plans one turn")
    return folder


@pytest.fixture
def quick_panel(monkeypatch):
    """A panel in which `ghost` sits on all seats: the real one thinks for seconds."""
    monkeypatch.setattr("crypt_env.benchmark.playing.frozen_agent", lambda name: make_agent("ghost"))
