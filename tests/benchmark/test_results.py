"""``result.json`` from strangers, and invalid arguments."""

import pytest

from benchmark.forging import change, copy_of
from crypt_env import CryptError
from crypt_env.benchmark import read_result, run_task


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
        ("records", {}, "records must be an object"),
        ("records", {"../games": "0" * 64}, "records must be an object"),
        ("numbers", {}, "numbers does not have the form of results of solo-64"),
    ],
)
def test_results_that_are_refused(copied, key, value, message):
    change(copied, lambda result: result.update({key: value}))
    with pytest.raises(CryptError, match=message):
        read_result(copied)


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
        ({"seeds": [-1]}, "seed=-1 is not possible"),
        ({"name": " "}, "name=' ' is not possible"),
        ({"budget": "1M", "decisions": 2_000_000}, "more than the budget 1M allows"),
    ],
)
def test_invalid_options_are_refused(tmp_path, options, message):
    with pytest.raises(CryptError, match=message):
        run_task(**{"task": "solo-64", "agents": ["greedy"], "out": tmp_path / "new", "size": "quick", **options})
    assert not (tmp_path / "new").exists()


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


def test_folder_that_is_taken(solo):
    with pytest.raises(CryptError, match="is there already; give a folder that is new or empty"):
        run_task("solo-64", ["greedy"], solo, "quick")
