"""Files of decisions: npz, Parquet and Minari hold what was read, and nothing is left after an error."""

import json
import os

import gymnasium
import numpy as np
import pytest

from cli.processes import environment, run
from crypt_env import CryptError, parse_action
from crypt_env.cli import main as cli
from crypt_env.datasets import DecisionReader, record_games, write_arrays, write_minari


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    """Return a file of records."""
    path = tmp_path_factory.mktemp("records") / "games.jsonl.gz"
    assert cli.main(["records", "greedy", "random", "--games", "40", "--seed", "2", "--quiet", "--out", str(path)]) == 0
    return path


def columns(path, **arguments):
    """Return all decisions as whole arrays, by name."""
    parts = [part._asdict() for part in DecisionReader(path, **arguments)]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def test_npz(games, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("crypt_env.datasets.reading.GAMES", 16)
    file = tmp_path / "games.npz"
    assert cli.main(["dataset", str(games), "--out", str(file), "--reward", "margin", "--quiet"]) == 0
    expected, found = columns(games, reward="margin"), np.load(file)
    assert capsys.readouterr().out.endswith(f"games.npz: {len(expected['actions']):,} decisions of 40 games\n")
    for name, array in expected.items():
        assert found[name].dtype == array.dtype
        assert np.array_equal(found[name], array)
    assert json.loads(str(found["about"]))["reward"] == "margin"
    again = tmp_path / "again.npz"
    write_arrays(DecisionReader(games, reward="margin"), again)
    assert again.read_bytes() == file.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.npz", "games.npz"]


def test_parquet(games, tmp_path, monkeypatch):
    pq = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("crypt_env.datasets.reading.GAMES", 16)
    file = tmp_path / "games.parquet"
    assert cli.main(["dataset", str(games), "--out", str(file), "--dense", "--agent", "greedy", "--quiet"]) == 0
    table = pq.read_table(file)
    for name, array in columns(games, dense=True, agent="greedy").items():
        flat = table[name].combine_chunks()
        flat = flat.flatten() if array.ndim > 1 else flat
        assert np.array_equal(flat.to_numpy(zero_copy_only=False).reshape(array.shape), array)
    assert json.loads(table.schema.metadata[b"about"])["agent"] == "greedy"
    assert pq.ParquetFile(file).num_row_groups == 3


@pytest.mark.parametrize("ending", ["npz", "parquet"])
def test_a_wrong_record_leaves_no_file(ending, games, tmp_path, capsys):
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{}\n")
    assert cli.main(["dataset", str(games), str(bad), "--out", str(tmp_path / f"games.{ending}"), "--quiet"]) == 2
    assert "bad.jsonl:1: not a record: the format is None" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["bad.jsonl"]


def test_a_file_that_cannot_be_read_is_named(games, tmp_path, capsys):
    cut, missing, text = (tmp_path / name for name in ("cut.jsonl.gz", "missing.jsonl", "text.jsonl.gz"))
    cut.write_bytes(games.read_bytes()[:-100])
    text.write_text("{}\n")
    for path, reason in (
        (missing, "missing.jsonl: No such file or directory"),
        (cut, "cut.jsonl.gz: Compressed file ended before the end-of-stream marker was reached"),
        (text, "text.jsonl.gz: Not a gzipped file"),
    ):
        assert cli.main(["dataset", str(path), "--out", str(tmp_path / "games.npz"), "--quiet"]) == 2
        assert reason in capsys.readouterr().err
    assert not (tmp_path / "games.npz").exists()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--out", "games.csv"], "'games.csv' cannot be written; allowed are names that end in .npz or .parquet"),
        (["--out", "games.npz", "--opponents", "greedy"], "--minari is needed with it"),
        (["--out", "games.npz", "--discount", "-1"], "discount=-1.0 is not possible"),
        ([], "one of the arguments --out --minari is required"),
    ],
)
def test_bad_options(arguments, reason, games, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    try:
        code = cli.main(["dataset", str(games), *arguments])
    except SystemExit as stop:
        code = stop.code
    assert code == 2
    assert reason in capsys.readouterr().err


# -- Minari -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def minari(monkeypatch, tmp_path):
    """Return Minari with a folder of its own."""
    pytest.importorskip("h5py")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    return pytest.importorskip("minari")


def test_minari_loads_what_the_environment_shows(minari, tmp_path, monkeypatch):
    """An episode is what `SeatEnv` returns when the recorded actions are played in it, against the same opponents."""
    monkeypatch.setattr("crypt_env.datasets.reading.GAMES", 3)
    path = tmp_path / "games.jsonl"
    lines = list(record_games(["tuned", "greedy", "greedy"], players=3, games=5, seed=2))
    path.write_bytes(b"".join(lines))
    dataset = write_minari(DecisionReader(path, "margin", dense=True, agent="tuned"), "crypt/trio/tuned-v0", "greedy")
    assert dataset.total_episodes == 5
    for index, episode in enumerate(minari.load_dataset("crypt/trio/tuned-v0").iterate_episodes()):
        env = gymnasium.make(
            "crypt_env/Crypt-v0", players=3, opponents="greedy", seat=0, reward="margin", dense=True, index=index
        )
        seen, info = env.reset(seed=2)
        acts = [parse_action(event[2]) for event in json.loads(lines[index])["events"] if event[:2] == ["act", 0]]
        assert episode.actions.tolist() == acts
        for step, action in enumerate([*acts, None]):
            assert np.array_equal(episode.observations[step], seen)
            assert np.array_equal(episode.infos["action_mask"][step], info["action_mask"])
            assert episode.infos["seat"][step] == info["seat"] == 0
            if action is not None:
                seen, reward, over, _, info = env.step(action)
                assert (episode.rewards[step], bool(episode.terminations[step])) == (reward, over)
        assert not episode.truncations.any()


def test_stock_minari_loads_it_without_this_package(minari, games, capsys):
    assert cli.main(["dataset", str(games), "--minari", "crypt/duel/greedy-v0", "--agent", "greedy", "--quiet"]) == 0
    program = (
        "import sys; sys.modules['crypt_env'] = None\n"
        "import minari\n"
        "dataset = minari.load_dataset('crypt/duel/greedy-v0')\n"
        "episode = dataset[3]\n"
        "print(dataset.total_episodes, dataset.total_steps, dataset.storage.metadata['algorithm_name'])\n"
        "print(sorted(episode.infos))\n"
        "print(dataset.observation_space.shape == episode.observations.shape[1:], dataset.action_space.n)\n"
    )
    done = run("-c", program, env=environment(MINARI_DATASETS_PATH=os.environ["MINARI_DATASETS_PATH"]))
    words = capsys.readouterr().out.split()
    assert done.stdout.split()[:3] == ["40", words[3].replace(",", ""), "greedy"], done.stderr
    assert done.stdout.splitlines()[1] == "['action_mask', 'seat']"
    assert done.stdout.splitlines()[2].startswith("True ")


def test_the_environment_can_be_recovered(minari, games):
    dataset = write_minari(DecisionReader(games, agent="greedy"), "crypt/duel/again-v0", opponents="random")
    env = dataset.recover_environment()
    episode = dataset[0]
    seen, info = env.reset(seed=1)
    assert env.observation_space == dataset.observation_space
    assert env.action_space.n == dataset.action_space.n
    assert episode.observations.shape[1:] == seen.shape
    assert episode.infos["action_mask"].shape[1:] == info["action_mask"].shape
    assert (episode.infos["action_mask"][np.arange(len(episode)), episode.actions] == 1).all()


def test_minari_refusals(minari, games, tmp_path):
    write_minari(DecisionReader(games, seat=0), "crypt/mine-v0")
    mixed = tmp_path / "mixed.jsonl"
    mixed.write_bytes(b"".join([*record_games(players=2), *record_games(players=3)]))
    for files, name, reason in (
        (games, "crypt/mine-v0", "there is a Minari dataset 'crypt/mine-v0' already"),
        (games, "crypt/???", r"a Minari dataset cannot be called 'crypt/\?\?\?'"),
        (games, "mine", "a Minari dataset cannot be called 'mine': a name and a version are needed, as in crypt/duel"),
        (mixed, "crypt/mixed-v0", "has one number of players; game 1 has 3, those before it 2"),
    ):
        with pytest.raises(CryptError, match=reason):
            write_minari(DecisionReader(files), name)
    assert list(minari.list_local_datasets()) == ["crypt/mine-v0"]
