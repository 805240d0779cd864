"""The pages on many machines and on RLlib have the numbers of the committed results."""

from __future__ import annotations

import pytest

from docs.pages import ROOT, benchmark


def page(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def test_the_costs_of_many_machines_are_those_measured() -> None:
    """The tables of workers, of the model on paper, and of the strength of shared trainings."""
    pytest.importorskip("ray")
    pytest.importorskip("sb3_contrib")
    module, found = benchmark("distributed")
    assert module.table(found["results"]) in page("ray")
    assert module.model_table(next(iter(found["results"].values()))) in page("ray")
    assert found["results"]["4096"]["results"]["2 workers"]["efficiency"] > 0.85


def test_the_strength_of_shared_trainings_is_that_measured() -> None:
    module, found = benchmark("distributed_strength")
    assert module.table(found["coins"]) in page("ray")


def test_the_times_of_all_trainers_are_those_measured() -> None:
    module, found = benchmark("time_to_strength")
    assert module.table(found["results"]) in page("rllib")
