"""Games that are spread over a Ray cluster: the same reports, to the byte."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crypt_env import CryptError
from crypt_env.agents import make_agent
from crypt_env.arena import Report, round_robin
from crypt_env.arena.on_ray import RayCrew
from crypt_env.benchmark import run_task, verify
from crypt_env.cli.main import main


def without_times(report: Report) -> str:
    """Return a report as JSON without what is measured."""
    content = json.loads(report.as_json())
    for cost in content["costs"]:
        del cost["microseconds"]
    return json.dumps(content)


class Mortal:
    """Plays the first legal action; its process dies at its first question, once."""

    def __init__(self, mark: Path) -> None:
        self._mark = mark
        self._home = os.getpid()

    def __call__(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        if not self._mark.exists():
            self._mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return masks.argmax(axis=1)


def test_a_tournament_has_the_same_report(cluster: Any, tmp_path: Path) -> None:
    """With networks, whose weights are sent, and with functions; a process that is killed is replaced."""
    named = ["random", "greedy", "net:duel"]
    mortal = Mortal(tmp_path / "dead")
    with RayCrew(2) as crew:
        report = round_robin([*named, mortal], games=300, jobs=crew, chunk=20, out=tmp_path / "out")
    assert crew.jobs == 2
    assert (tmp_path / "dead").exists()
    alone = round_robin([*named, mortal], games=300)
    assert without_times(report) == without_times(alone)
    resumed = round_robin([*named, mortal], games=300, out=tmp_path / "out")
    assert without_times(resumed) == without_times(alone)


def wrong(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Play what is not legal."""
    return masks.argmin(axis=1)


class Broken:
    """Cannot play."""

    def __call__(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        raise ZeroDivisionError("broken")


def test_errors_of_agents_come_back(cluster: Any) -> None:
    with RayCrew(1) as crew:
        with pytest.raises(CryptError, match="agent 'wrong' gave an illegal action in game"):
            round_robin([wrong, "random"], games=4, jobs=crew)
        with pytest.raises(RuntimeError, match=r"(?s)an agent failed in another process.*ZeroDivisionError: broken"):
            round_robin([Broken(), "random"], games=4, jobs=crew)


def test_the_benchmark_has_the_same_result(cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All its files."""
    run_task("solo-64", ["random", "greedy"], tmp_path / "alone", "quick", name="two")
    command = ["benchmark", "run", "solo-64", "random", "greedy", "--size", "quick", "--name", "two", "--quiet"]
    assert main([*command, "--ray", "--out", str(tmp_path / "ray")]) == 0
    assert "two" in capsys.readouterr().out
    files = sorted(path.name for path in (tmp_path / "alone").iterdir())
    assert files == sorted(path.name for path in (tmp_path / "ray").iterdir())
    for name in files:
        assert (tmp_path / "alone" / name).read_bytes() == (tmp_path / "ray" / name).read_bytes(), name
    verify(tmp_path / "ray")


def test_cross_play_has_the_same_result(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """With small blocks, which end in another order than they begin."""
    monkeypatch.setattr("crypt_env.benchmark.on_ray.PART", 100)
    from crypt_env.benchmark.matches import cross_block
    from crypt_env.benchmark.on_ray import Asked, play_on_ray
    from crypt_env.benchmark.playing import play_block
    from crypt_env.benchmark.tasks import find_task

    block = cross_block(find_task("duel-64"))
    agents = [make_agent("random"), make_agent("greedy")]
    asked = [Asked(block, 0, 1), Asked(block, 1, 0)]
    with RayCrew(2) as crew:
        played = list(play_on_ray(asked, agents, crew, lambda games: None))
    for part, (_, one, other) in zip(played, asked, strict=True):
        whole = play_block(block, agents[one], agents[other])
        np.testing.assert_array_equal(part.values, whole.values)
        assert part.lines == whole.lines


def test_the_command_line_plays_there(cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reports = []
    for more in ([], ["--ray"]):
        path = tmp_path / f"{len(reports)}.json"
        assert main(["arena", "random", "greedy", "--games", "64", "--jobs", "1", "--json", str(path), *more]) == 0
        content = json.loads(path.read_text())
        reports.append({name: content[name] for name in content if name != "costs"})
    assert reports[0] == reports[1]
    assert "greedy" in capsys.readouterr().out


def test_a_cluster_that_is_not_there_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And so is Ray itself."""
    import ray

    command = ["arena", "random", "greedy", "--games", "2", "--ray"]
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setenv("RAY_ADDRESS", "ray://somewhere:10001")
    assert main(command) == 2
    sentence = "RAY_ADDRESS='ray://somewhere:10001' is not possible; run the program in the cluster: ray job submit"
    assert sentence in capsys.readouterr().err
    monkeypatch.setattr("crypt_env.arena.cluster.find_spec", lambda name: None)
    assert main(command) == 2
    assert "Ray is not installed; run pip install '.[ray]'" in capsys.readouterr().err


def test_a_best_response_is_measured_the_same(cluster: Any, tmp_path: Path) -> None:
    """Its network is in a folder of this machine."""
    from crypt_env.agents.network_names import find_network
    from experiment.runs import small
    from training.best_response import parse
    from training.exploitability import measure

    shutil.copy(find_network("duel"), tmp_path / "best.safetensors")
    settings = small(opponents=["greedy"], players=[2])
    assert parse(["greedy", "--ray"]).ray
    assert measure(settings, tmp_path, 100, is_on_ray=True) == measure(settings, tmp_path, 100)
