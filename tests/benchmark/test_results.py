"""``result.json`` from strangers, and invalid arguments."""

from pathlib import Path

import pytest

from benchmark.forging import change, copy_of
from crypt_env import CryptError
from crypt_env.agents import make_agent
from crypt_env.agents.network_names import SHIPPED
from crypt_env.benchmark import read_result, run_task, verify
from crypt_env.benchmark.results import check_distinct

RESULTS = Path(__file__).parents[2] / "benchmarks/results/crypt-64"


@pytest.fixture
def copied(solo, tmp_path):
    return copy_of(solo, tmp_path / "copy")


def test_result_is_read_as_it_was_written(solo):
    result = read_result(solo)
    assert (result.task.name, result.size, result.budget, result.description) == (
        "solo-64",
        "quick",
        "open",
        "plans one turn",
    )
    assert result.as_json() == (solo / "result.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is not valid JSON"),
        (b"[]", "its format is"),
        (b"\xff\xfe", "it is not valid JSON"),
        (b'{"format": "crypt-64-result/1", "size": NaN}', "NaN is not a number"),
        (b'{"format": "crypt-64-result/2"}', "'crypt-64-result/1' is needed"),
        (b'{"format": "crypt-64-result/1"}', "its protocol is None"),
        (b"[" * 100_000, "it is not valid JSON"),
        (b" " * (2**20 + 1), "more than 1048576 bytes"),
    ],
)
def test_files_that_are_not_results(copied, content, message):
    (copied / "result.json").write_bytes(content)
    with pytest.raises(CryptError, match=message):
        read_result(copied)


def test_no_result(tmp_path):
    with pytest.raises(CryptError, match=r"has no file result\.json"):
        read_result(tmp_path)
    with pytest.raises(CryptError, match=r"has no file result\.json"):
        read_result(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("task", "solo-65", "task 'solo-65' is not known"),
        ("task", [], r"task \[\] is not known"),
        ("size", None, "size=None is not possible"),
        ("budget", "2M", "budget='2M' is not possible"),
        ("decisions", 1.5, "decisions=1.5 is not possible"),
        ("protocol", {"name": "Crypt-64", "version": 2}, "this version of crypt_env has"),
        ("name", "", "name='' is not possible"),
        ("name", "a\nb", "a text on one line of at most 60 letters is needed"),
        ("name", "\u202eevil", "a text on one line"),
        ("description", "x" * 2001, "of at most 2000 letters"),
        ("runs", [], "runs must be a list of 1 to 16 objects"),
        ("runs", [{}] * 17, "runs must be a list of 1 to 16 objects"),
        ("runs", [3], "an object with agent, seed and network is needed"),
        ("runs", [{"agent": "x", "seed": -1, "network": None}], "seed=-1 is not possible"),
        ("runs", [{"agent": "x", "seed": True, "network": None}], "seed=True is not possible"),
        ("runs", [{"agent": "x", "seed": 1, "network": "../x"}], "network='../x' is not a SHA-256"),
        ("runs", [{"agent": "net:{network}", "seed": 1, "network": None}], "its SHA-256 is missing"),
        ("runs", [{"agent": "net:solo", "seed": 1, "network": None}], "its SHA-256 is missing"),
        ("runs", [{"agent": "greedy", "seed": 1, "network": "0" * 64}], "agent 'greedy' has no network, but the SHA"),
        ("runs", [{"agent": "", "seed": 1, "network": None}], "agent='' is not possible"),
        ("runs", [{"agent": "x", "seed": seed, "network": None} for seed in (1, 2)], "agent 'x' was given twice"),
        ("runs", [{"agent": agent, "seed": 7, "network": None} for agent in "xy"], "seed 7 was given twice"),
        ("package", " ", "package=' ' is not possible"),
        ("notes", 1, "'notes' is not known"),
        ("budget", "1M", "decisions=0 are not possible with the budget 1M"),
        ("records", {}, "records must be an object"),
        ("records", {"../games": "0" * 64}, "records must be an object"),
        ("numbers", {}, "numbers does not have the form of results of solo-64"),
    ],
)
def test_results_that_are_refused(copied, key, value, message):
    change(copied, lambda result: result.update({key: value}))
    with pytest.raises(CryptError, match=message):
        read_result(copied)


@pytest.mark.parametrize("version", [True, 1.0])
def test_a_version_is_a_whole_number(copied, version):
    change(copied, lambda result: result["protocol"].update(version=version))
    with pytest.raises(CryptError, match="its protocol is"):
        read_result(copied)


def test_one_run_is_not_two(copied):
    """Whatever the names: the games tell."""

    def forge(result):
        result["task"] = "solo-64"
        result["runs"] = [{"agent": agent, "seed": None, "network": None} for agent in ("greedy", "other")]
        result["records"]["games-1.jsonl.gz"] = result["records"]["games-0.jsonl.gz"]

    change(copied, forge)
    with pytest.raises(CryptError, match="two runs have the same games; runs are agents that were trained separately"):
        read_result(copied)


def test_committed_results_are_read():
    folders = [path.parent for path in RESULTS.glob("*/*/result.json")]
    assert len(folders) > 30
    results = [read_result(folder) for folder in folders]
    check_distinct(results)


@pytest.mark.parametrize("value", [None, "0.5", True, 10**400, 1e300, [1]])
def test_numbers_that_are_none(copied, value):
    change(copied, lambda result: result["numbers"]["runs"][0]["tables"].__setitem__(5, value))
    with pytest.raises(CryptError, match=r"numbers\.runs\[0\]\.tables\[5\] does not have the form of results"):
        read_result(copied)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"task": "solo"}, "task 'solo' is not known"),
        ({"size": "huge"}, "size='huge' is not possible"),
        ({"agents": []}, "a list of 1 to 16 agents is needed"),
        ({"agents": "greedy"}, "a list of 1 to 16 agents is needed"),
        ({"agents": ["missing"]}, "agent 'missing' is not known"),
        ({"agents": ["greedy", "greedy"]}, "agent 'greedy' was given twice"),
        ({"seeds": [1, 2]}, "2 seeds given for 1 agent;"),
        ({"agents": ["greedy", "tuned"], "seeds": [3, 3]}, "seed 3 was given twice; runs are agents that were trained"),
        ({"seeds": [-1]}, "seed=-1 is not possible"),
        ({"name": " "}, "name=' ' is not possible"),
        ({"budget": "1M", "decisions": 2_000_000}, "more than the budget 1M allows"),
    ],
)
def test_invalid_options_are_refused(tmp_path, options, message):
    with pytest.raises(CryptError, match=message):
        run_task(**{"task": "solo-64", "agents": ["greedy"], "out": tmp_path / "new", "size": "quick", **options})
    assert not (tmp_path / "new").exists()


def test_a_program_that_learns_nothing_is_one_run(tmp_path):
    def first(observations, masks):
        return masks.argmax(axis=1)

    def same(observations, masks):
        return masks.argmax(axis=1)

    with pytest.raises(CryptError, match="two runs have the same games"):
        run_task("solo-64", [first, same], tmp_path / "new", "quick")
    assert not (tmp_path / "new").exists()


def test_a_network_that_a_training_overwrites(tmp_path):
    """The result has the one that played."""
    solo, generalist = ((SHIPPED / f"{name}.safetensors").read_bytes() for name in ("solo", "generalist"))
    path = tmp_path / "last.safetensors"
    path.write_bytes(solo)
    result = run_task(
        "solo-64", [f"net:{tmp_path}/last"], tmp_path / "new", "quick", update=lambda *_: path.write_bytes(generalist)
    )
    assert (tmp_path / "new" / "network-0.safetensors").read_bytes() == solo
    assert path.read_bytes() == generalist
    assert verify(tmp_path / "new", reask=True) == result
    assert result.name == "net:last"


def test_a_network_that_is_overwritten_while_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "last.safetensors"
    path.write_bytes((SHIPPED / "solo.safetensors").read_bytes())

    def made(agent):
        path.write_bytes((SHIPPED / "generalist.safetensors").read_bytes())
        return make_agent(agent)

    monkeypatch.setattr("crypt_env.benchmark.run.make_agent", made)
    with pytest.raises(CryptError, match=r"last\.safetensors was overwritten while it was read; try again"):
        run_task("solo-64", [f"net:{tmp_path}/last"], tmp_path / "new", "quick")


def test_a_method_without_a_name_has_a_short_one(tmp_path):
    path = tmp_path / f"{'long' * 30}.safetensors"
    path.write_bytes((SHIPPED / "solo.safetensors").read_bytes())
    result = run_task("solo-64", [f"net:{path}:draw"], tmp_path / "new", "quick")
    assert result.name == ("net:" + "long" * 30)[:60]


def test_an_interruption_leaves_nothing(tmp_path):
    """So that the same call can be made again."""

    def interrupt(done, total):
        raise KeyboardInterrupt

    (tmp_path / "new").mkdir()
    with pytest.raises(KeyboardInterrupt):
        run_task("solo-64", ["greedy"], tmp_path / "new", "quick", update=interrupt)
    assert [path.name for path in tmp_path.rglob("*")] == ["new"]
    run_task("solo-64", ["greedy"], tmp_path / "new", "quick")
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_a_folder_that_exists_is_filled_and_not_replaced(tmp_path, monkeypatch):
    """It may be mounted there, or be the current one; a file such as .DS_Store may appear in it."""
    folder = tmp_path / "new"
    folder.mkdir()
    monkeypatch.chdir(folder)
    number = folder.stat().st_ino
    run_task("solo-64", ["greedy"], ".", "quick", update=lambda done, total: (folder / "other").touch())
    assert sorted(path.name for path in folder.iterdir()) == ["games-0.jsonl.gz", "other", "result.json"]
    assert folder.stat().st_ino == number
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    assert read_result(".").task.name == "solo-64"


@pytest.mark.parametrize(("exists", "file"), [(True, "result.json"), (False, "anything")])
def test_a_result_that_cannot_be_put_into_its_place_is_kept(exists, file, tmp_path):
    folder = tmp_path / "new"

    def appear(done, total):
        folder.mkdir(exist_ok=True)
        (folder / file).touch()

    if exists:
        folder.mkdir()
    with pytest.raises(CryptError, match=r"new cannot be written: .*; the result is in /.*\.part$") as error:
        run_task("solo-64", ["greedy"], folder, "quick", update=appear)
    assert read_result(str(error.value).partition("the result is in ")[2]).task.name == "solo-64"
    assert (folder / file).read_bytes() == b""


def test_folder_that_is_taken(solo):
    with pytest.raises(CryptError, match="is there already; give a folder that is new or empty"):
        run_task("solo-64", ["greedy"], solo, "quick")
