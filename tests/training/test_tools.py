"""The commands besides training itself: curves, evaluations, best responses."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO

from crypt_env import CryptError
from crypt_env.agents.network import save_network
from crypt_env.agents.registry import in_full
from crypt_env.arena import Estimate, Pairing
from crypt_env.experiment import curves
from crypt_env.experiment.evaluation import overall
from crypt_env.experiment.settings import Settings, load_settings, settings_from
from crypt_env.experiment.setup import make_games, make_model, reward_facts, start_model
from crypt_env.ppo.export import facts_of, weights_of
from ppo.small import small_env, small_model
from training import best_response, evaluate, plots
from training.train import draw
from training.train import main as train_main

TINY = ["games=8", "steps=16", "minibatch=64", "widths=[8]", "tensorboard=false", "evaluate_games=128"]


def write_run(folder: Path, scores: list[float], seed: int = 1, every: int = 100, **settings: Any) -> Path:
    """Write the files of a run that `plots` reads."""
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps({"settings": {"seed": seed, "games": 8, **settings}}))
    lines = ["decisions,seconds,score,greedy,greedy low,greedy high,approx_kl"]
    for number, score in enumerate(scores, 1):
        lines.append(f"{number * every},{number}.5,{score},{score},{score - 0.1:.4f},{score + 0.1:.4f},nan")
    (folder / "curves.csv").write_text("\n".join(lines) + "\n")
    return folder


# -- curves -----------------------------------------------------------------------------------------------------------


def test_runs_that_differ_in_seed_alone_are_one_line(tmp_path: Path) -> None:
    """Its band goes from the worst to the best, where all of them have been."""
    one = write_run(tmp_path / "a", [0.2, 0.4, 0.6, 0.8], seed=1, name="a")
    two = write_run(tmp_path / "b", [0.5, 0.7], seed=2, name="b", every=200)
    other = write_run(tmp_path / "c", [0.5], games=16)
    groups = curves.group_runs([one, two, other])
    assert groups == {"a and 1 more": [one, two], "c": [other]}
    places, means, low, high = curves.band([curves.read_curves(each) for each in (one, two)], "greedy", "decisions")
    assert places.tolist() == [200, 300, 400]
    np.testing.assert_allclose(means, [0.45, 0.6, 0.75])
    np.testing.assert_allclose(low, [0.4, 0.6, 0.7])
    np.testing.assert_allclose(high, [0.5, 0.6, 0.8])


def test_a_run_by_itself_has_its_own_intervals(tmp_path: Path) -> None:
    """Those of its evaluations."""
    curve = curves.read_curves(write_run(tmp_path / "a", [0.2, 0.4]))
    assert curves.measures(curve) == ["greedy"]
    _, means, low, high = curves.band([curve], "greedy", "seconds")
    np.testing.assert_allclose([means, low, high], [[0.2, 0.4], [0.1, 0.3], [0.3, 0.5]])


def test_curves_are_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Into a PNG file."""
    pytest.importorskip("matplotlib")
    folders = [str(write_run(tmp_path / name, [0.2, 0.4], seed)) for seed, name in enumerate("ab")]
    for more in ([], ["--minutes"]):
        out = tmp_path / f"curves{len(more)}.png"
        assert plots.main([*folders, "--out", str(out), *more]) == 0
        assert out.read_bytes().startswith(b"\x89PNG")
    assert "written: " in capsys.readouterr().out


@pytest.mark.parametrize("name", ["$^$", "_old", "__", "."])
def test_any_name_of_a_folder_is_drawn(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing in it is a formula or a sign to matplotlib; a warning would be an error here."""
    pytest.importorskip("matplotlib")
    folder = write_run(tmp_path / "_runs" / name, [0.2, 0.4])
    table = folder / "curves.csv"
    table.write_text(table.read_text().replace("greedy", "x$^$"))  # so may an opponent be called
    monkeypatch.chdir(folder if name == "." else tmp_path / "_runs")
    assert plots.main([name, "--out", str(tmp_path / "curves.png")]) == 0
    assert capsys.readouterr().err == ""
    (label,) = curves.group_runs([Path(name)])
    assert label.lstrip("_") == label != ""


def test_curves_that_matplotlib_refuses_do_not_end_a_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are mentioned in one line."""

    def fail(*_: object) -> None:
        raise ValueError("bad\nlabel")

    monkeypatch.setattr("training.train.draw_curves", fail)
    draw(tmp_path)
    assert capsys.readouterr().out == "there is no curves.png: bad label\n"


@pytest.mark.parametrize(
    ("scores", "labels"),
    [([0.48, 0.65], {"50.0%", "52.5%", "55.0%", "57.5%"}), ([0.1, 0.9], {"20%", "40%", "60%", "80%"})],
)
def test_labels_of_ticks_are_where_they_say(
    scores: list[float], labels: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With as many digits as that needs."""
    figures = pytest.importorskip("matplotlib.figure")
    drawn: list[Any] = []
    save = figures.Figure.savefig

    def keep(figure: Any, *more: Any, **options: Any) -> None:
        drawn.append(figure)
        save(figure, *more, **options)

    monkeypatch.setattr(figures.Figure, "savefig", keep)
    folder = write_run(tmp_path / "a", scores)
    rows = [
        "decisions,seconds,greedy,greedy low,greedy high",
        *(f"{each * 9},1,{each},{each},{each}" for each in scores),
    ]
    (folder / "curves.csv").write_text("\n".join(rows) + "\n")
    curves.draw_curves([folder], tmp_path / "curves.png")
    (axes,) = drawn[0].axes
    ticks = {label.get_text(): place for place, label in zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)}
    assert labels <= ticks.keys()
    for label, place in ticks.items():
        assert float(label.rstrip("%").replace("\u2212", "-")) / 100 == pytest.approx(place, abs=1e-9)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "cannot be read: No such file or directory; the folder of a run has it"),
        ("", "is not a table of evaluations"),
        ("decisions,seconds\nmany,2\n", "is not a table of evaluations"),
        (f"decisions,seconds\n1,{'2' * 200_000}\n", "is not a table of evaluations"),
        ("score\n1\n", "a column of decisions or seconds is missing"),
        ("decisions,seconds,score\n1,2,3\n", "there is nothing to draw: the runs have no evaluations"),
    ],
)
def test_a_folder_without_curves_is_refused(
    content: str | None, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one sentence."""
    pytest.importorskip("matplotlib")
    if content is not None:
        (tmp_path / "curves.csv").write_text(content)
    assert plots.main([str(tmp_path), "--out", str(tmp_path / "curves.png")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert sentence in line
    assert not (tmp_path / "curves.png").exists()


def test_a_picture_that_cannot_be_written_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In one sentence, before anything is drawn."""
    (tmp_path / "curves.csv").write_text("decisions,seconds,score\n1,2,3\n")
    assert plots.main([str(tmp_path), "--out", str(tmp_path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("plots: ")
    assert str(tmp_path) in line


@pytest.mark.parametrize("has_matplotlib", [True, False])
def test_a_run_ends_with_its_curves(
    has_matplotlib: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Or with a sentence that says why there are none."""
    if has_matplotlib:
        pytest.importorskip("matplotlib")
    else:
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
        monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)
    (tmp_path / "tiny.yaml").write_text("opponents: [random]\ncompare: []\ndecisions: 256\n")
    assert train_main([str(tmp_path / "tiny.yaml"), *TINY, "--out", str(tmp_path / "run")]) == 0
    assert (tmp_path / "run" / "curves.png").exists() == has_matplotlib
    printed = capsys.readouterr().out
    assert ("there is no curves.png: curves cannot be drawn without matplotlib" in printed) != has_matplotlib


# -- evaluations ------------------------------------------------------------------------------------------------------


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    """Return the folder of a run, as far as its best network goes."""
    policy = small_model(small_env()).policy
    save_network(tmp_path / "run" / "best", weights_of(policy), facts_of(policy, [1, 2]))
    return tmp_path / "run"


def test_a_path_is_a_networks_and_a_folder_means_its_best(run_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With or without drawing; all other names, such as those without a slash, are left to the arena."""
    assert in_full(str(run_folder)) == f"net:{run_folder}/best"
    assert in_full(f"{run_folder}:draw") == f"net:{run_folder}/best:draw"
    assert in_full(f"{run_folder}/best") == f"net:{run_folder}/best"
    assert in_full(f"{run_folder}/best:draw") == f"net:{run_folder}/best:draw"
    assert in_full(f"{run_folder}/last") == f"net:{run_folder}/last"
    monkeypatch.chdir(run_folder.parent)
    assert in_full("./run/") == "net:./run/best"
    assert in_full("run/best.safetensors:draw") == "net:run/best.safetensors:draw"
    for text in ("run", "search:200", "net:./run/best", "sb3:run/model.zip", "puct:9:net:run/best"):
        assert in_full(text) == text
    with pytest.raises(CryptError, match=r"holds no network; that of a training run has a file best\.safetensors"):
        in_full(str(run_folder.parent))


@pytest.mark.parametrize("players", [1, 2])
def test_evaluations_are_the_arenas(players: int, run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table is printed, and the report written."""
    out = run_folder / "report.json"
    arguments = [str(run_folder), "random", "--players", str(players), "--games", "128", "--json", str(out)]
    assert evaluate.main(arguments) == 0
    assert str(run_folder) in capsys.readouterr().out
    report = json.loads(out.read_text())
    assert report["agents"] == [str(run_folder), "random"]
    assert report["collectors"] == "even"
    assert len(report["solos" if players == 1 else "pairings"]) == (2 if players == 1 else 1)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["missing", "random"], "agent 'missing' is not known"),
        (["runs/missing", "random"], "there is no network 'runs/missing'"),
        (["net:missing", "random"], "there is no network 'missing'; the package has"),
        (["random", "greedy", "--players", "7"], "players"),
        (["random", "greedy", "--games", "0"], "games"),
        (["random", "greedy", "--json", "/dev/null/report.json"], "/dev/null/report.json"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one sentence."""
    assert evaluate.main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines()[-1].startswith("evaluate: ")
    assert sentence in captured.err


# -- best responses ---------------------------------------------------------------------------------------------------


def test_all_games_are_against_the_target(run_folder: Path) -> None:
    """No matter what the settings say about leagues and opponents."""
    changed = best_response.settings_against(str(run_folder), Settings(league_agents=["random"], opponents=["greedy"]))
    target = f"net:{run_folder}/best"
    assert (changed.league_share, changed.league_snapshots) == (1.0, 0)
    assert changed.league_agents == changed.opponents == [target]
    with pytest.raises(CryptError, match="a solo game has no opponent"):
        best_response.settings_against("greedy", settings_from({"players": [1, 2]}))


def test_a_best_response_is_trained_and_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And the result written."""
    config = tmp_path / "tiny.yaml"
    config.write_text("players: [2, 3]\nopponents: [greedy]\ndecisions: 256\n")
    arguments = ["random", "--config", str(config), *TINY, "--games", "384", "--out", str(tmp_path / "run")]
    assert best_response.main(arguments) == 0
    result = json.loads((tmp_path / "run" / "result.json").read_text())
    assert (result["target"], result["decisions"]) == ("random", 256)
    for players, entry in zip((2, 3), result["results"], strict=True):
        share = entry["share"]
        assert (entry["players"], entry["even share"]) == (players, 1 / players)
        assert share["low"] <= share["value"] <= share["high"]
        assert entry["games"] >= 384
    printed = capsys.readouterr().out
    assert "2 players: the best response wins " in printed
    assert "3 players: the best response wins " in printed


@pytest.mark.parametrize(("low", "verdict"), [(0.55, "exploited by 5.0% at least"), (0.4, "nothing better than even")])
def test_a_result_is_said_in_words(low: float, verdict: str) -> None:
    """Only what is certain counts."""
    pairing = Pairing("best response", "greedy", 100, Estimate(0.6, low, 0.7), Estimate(1.0, 0.5, 1.5))
    assert verdict in best_response.sentence(2, pairing)


def test_a_target_that_does_not_exist_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In one sentence, and nothing is written."""
    (tmp_path / "tiny.yaml").write_text("opponents: [random]\n")
    arguments = ["missing", "--config", str(tmp_path / "tiny.yaml"), *TINY, "--out", str(tmp_path / "run")]
    assert best_response.main(arguments) == 2
    assert capsys.readouterr().err.startswith("best_response: agent 'missing' is not known")
    assert not (tmp_path / "run").exists()


def test_a_measurement_of_no_games_is_refused_before_the_training(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one sentence, and nothing is written."""
    (tmp_path / "tiny.yaml").write_text("opponents: [random]\ndecisions: 256\n")
    arguments = ["random", "--config", str(tmp_path / "tiny.yaml"), *TINY, "--out", str(tmp_path / "run")]
    assert best_response.main([*arguments, "--games", "0"]) == 2
    assert capsys.readouterr().err == "best_response: games=0 is not possible; allowed are whole numbers from 1 up\n"
    assert not (tmp_path / "run").exists()


def test_a_run_can_start_from_a_network(tmp_path: Path) -> None:
    """Its first weights are those of the network; the value is new if the reward is another one."""
    first = settings_from({"games": 8, "widths": [8], "thermometers": True, "reward": "margin"})
    policy = make_model(first, make_games(first)).policy
    facts = facts_of(policy, first.players, reward=reward_facts(first))
    save_network(tmp_path / "first", weights_of(policy), facts)
    second = first.model_copy(update={"start": str(tmp_path / "first"), "seed": 5})
    for settings, keeps_value in ((second, True), (second.model_copy(update={"reward": "win"}), False)):
        model = make_model(settings, make_games(settings))
        start_model(settings, model)
        begun = weights_of(model.policy)
        assert (begun["policy.weight"] == weights_of(policy)["policy.weight"]).all()
        assert (begun["value.weight"] == weights_of(policy)["value.weight"]).all() == keeps_value


def test_the_best_network_is_the_one_with_the_best_score() -> None:
    """Solo the coins; else the wins against the last opponent, and over several tables their mean."""

    def named(content: dict[str, float], players: list[int]) -> float:
        scores = {name: Estimate(value, 0.0, 1.0) for name, value in content.items()}
        return overall(scores, settings_from({"opponents": ["search:100", "search:10"], "players": players}))

    assert named({"coins": 51.5}, [1]) == 51.5
    assert named({"search:100": 0.25, "search:10": 0.75}, [2]) == 0.75
    mixed = {"coins": 50.0, "search:100 (2 players)": 0.1, "search:10 (2 players)": 0.6}
    mixed |= {"search:100 (3 players)": 0.2, "search:10 (3 players)": 0.4}
    assert named(mixed, [1, 2, 3]) == pytest.approx((0.5 + 0.6 + 0.4) / 3)


def test_an_interrupted_measurement_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was trained is kept."""
    (tmp_path / "tiny.yaml").write_text("opponents: [random]\ndecisions: 256\n")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(best_response, "measure", interrupted)
    arguments = ["ghost", "--config", str(tmp_path / "tiny.yaml"), *TINY, "--out", str(tmp_path / "run")]
    assert best_response.main(arguments) == 130
    sentence = f"best_response: stopped by Ctrl-C after the training, which is in {tmp_path / 'run'}"
    assert capsys.readouterr().err.splitlines()[-1] == sentence
    assert (tmp_path / "run" / "model.zip").is_file()


def test_weights_that_nothing_holds_up_fall(tmp_path: Path) -> None:
    """Those of inputs that are always 0 in the same share each step; plain MaskablePPO loads the model anyway."""
    rates = {"weight_decay": 0.5, "learning_rate": 0.01, "final_learning_rate": 0.01}
    settings = settings_from({"games": 8, "steps": 16, "widths": [8], **rates})
    model = make_model(settings, make_games(settings))
    extractor = model.policy.features_extractor
    unused = [place for place, column in enumerate(extractor.columns.tolist()) if column == 10]  # rounds_left
    extractor.columns[unused] = 0  # players == 1: never
    before = extractor.layers[0].weight[:, unused].detach().clone()
    model.learn(8 * 16)
    steps = model.policy.optimizer.state_dict()["state"][0]["step"].item()
    assert steps == 4
    left = extractor.layers[0].weight[:, unused].detach() / before
    np.testing.assert_allclose(left.numpy(), (1 - 0.5 * 0.01) ** steps, rtol=1e-4)
    model.save(tmp_path / "model")
    assert isinstance(MaskablePPO.load(tmp_path / "model").policy.optimizer, torch.optim.AdamW)


def test_the_usual_settings_are_found_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They lie beside the program; where they do not, the sentence is still complete."""
    monkeypatch.chdir(tmp_path)
    assert best_response.main(["greedy", "collectors=C"]) == 2
    assert "collectors='C' is not a table" in capsys.readouterr().err
    assert best_response.main(["greedy", "--config", "configs/league.yaml"]) == 2
    sentence = "best_response: settings 'configs/league.yaml' cannot be read: No such file or directory"
    assert capsys.readouterr().err == f"{sentence}\n"


def test_the_usual_settings_of_a_best_response_are_possible() -> None:
    """The configuration that is taken if none is named has games that a league can play in."""
    config = Path(__file__).parents[2] / best_response.CONFIG
    settings = best_response.settings_against("greedy", load_settings(config, ["games=8"]))
    league = make_games(settings).league
    assert league is not None
    assert (league.names, league.share) == (["greedy"], 1.0)
