"""Stored chunks: a tournament continues where it ended, and only if it is the same one."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from arena.players import FIRST, LAST, MIXER, lasting
from crypt_env import CryptError
from crypt_env.agents.network import load_network, save_network
from crypt_env.arena import make_plan, round_robin
from crypt_env.arena.chunks import Chunks, Task
from crypt_env.arena.store import FILE_NAME, Store, code_digest

ARGUMENTS = {"players": 2, "games": 60, "seed": 2, "chunk": 4}
AGENTS = ["random", FIRST, MIXER]


class StoppedError(Exception):
    """Stops a tournament in the middle."""


def stop_after(games):
    """Return a progress that ends the tournament when this many games are finished."""

    def progress(finished, total):
        if finished >= games:
            raise StoppedError

    return progress


@pytest.fixture(scope="module")
def whole():
    """The report of a tournament that was not interrupted."""
    return lasting(round_robin(AGENTS, **ARGUMENTS))


@pytest.fixture
def half(tmp_path):
    """The file of a tournament that was interrupted in the middle."""
    with pytest.raises(StoppedError):
        round_robin(AGENTS, **ARGUMENTS, out=tmp_path, progress=stop_after(80))
    return tmp_path / FILE_NAME


def go_on(path, **changes):
    """Continue the tournament of a file; return the report, and how many games were already finished."""
    seen = []
    arguments = {"agents": AGENTS, **ARGUMENTS, **changes}
    report = round_robin(**arguments, out=path.parent, progress=lambda games, total: seen.append((games, total)))
    return report, seen[0][0]


# -- continuing -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chunk", [4, 3, None])
def test_an_interrupted_tournament_continues_to_the_same_report(half, whole, chunk):
    report, found = go_on(half, chunk=chunk)
    assert lasting(report) == whole
    assert 80 <= found < 180


def test_a_finished_tournament_is_not_played_again(half, whole):
    go_on(half)
    before = half.read_bytes()
    report, found = go_on(half)
    assert found == 180
    assert lasting(report) == whole
    assert half.read_bytes() == before


@pytest.mark.parametrize("left", [1, 20, -1])
def test_a_line_that_was_not_finished_is_played_again(half, whole, left):
    lines = half.read_bytes().splitlines(keepends=True)
    half.write_bytes(b"".join(lines[:-1]) + lines[-1][:left])
    report, found = go_on(half)
    assert found == 8 * (len(lines) - 2)
    assert lasting(report) == whole
    assert all(json.loads(line) for line in half.read_bytes().splitlines())


@pytest.mark.parametrize("content", [b"", b"{", b'{"format":"crypt-are'])
def test_a_file_without_a_whole_first_line_is_a_new_one(tmp_path, whole, content):
    (tmp_path / FILE_NAME).write_bytes(content)
    report, found = go_on(tmp_path / FILE_NAME)
    assert (lasting(report), found) == (whole, 0)


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seed": 3}, "holds another tournament: seed 2 there, seed 3 here"),
        ({"players": 3}, "holds another tournament: players 2 there, players 3 here"),
        ({"games": 63}, "holds another tournament: games 60 there, games 63 here"),
        ({"collectors": "even"}, "collectors random there, collectors even here"),
        ({"mixed": True, "players": 3}, "holds another tournament: "),
        ({"agents": ["random", FIRST, LAST]}, "agents random arena.players:first arena.players:Mixer there"),
    ],
)
def test_another_tournament_in_the_same_folder_is_refused_and_the_folder_stays(half, changes, words):
    before = half.read_bytes()
    with pytest.raises(CryptError, match=words):
        go_on(half, **changes)
    assert half.read_bytes() == before


def test_results_of_other_rules_or_agents_are_refused(half, monkeypatch):
    monkeypatch.setattr("crypt_env.arena.store.code_digest", lambda agents: "other")
    with pytest.raises(CryptError, match=r"rules and agents of version .* there, rules and agents of version other"):
        go_on(half)


@pytest.mark.parametrize("spec", ["net:{}", "net:{}:draw", "puct:2:net:{}"])
def test_results_of_another_network_of_the_same_name_are_refused(spec, tmp_path):
    solo = load_network("solo")
    agents = ["random", spec.format(tmp_path / "mine")]
    save_network(tmp_path / "mine", solo.weights, solo.facts)
    round_robin(agents, 1, 4, out=tmp_path / "kept")
    round_robin(agents, 1, 4, out=tmp_path / "kept")
    save_network(tmp_path / "mine", {**solo.weights, "policy.bias": solo.weights["policy.bias"] + 1}, solo.facts)
    with pytest.raises(CryptError, match="holds another tournament: rules and agents of version"):
        round_robin(agents, 1, 4, out=tmp_path / "kept")


def test_saved_models_count(tmp_path):
    """Two models of the same name are two agents; one that is missing is reported when it is made."""
    file = tmp_path / "model.zip"
    missing = code_digest([f"sb3:{file}"])
    digests = {missing, code_digest([])}
    assert len(digests) == 1
    for content in (b"one", b"two"):
        file.write_bytes(content)
        digests.add(code_digest([f"sb3:{file}"]))
    assert len(digests) == 3


def changed(line, **changes):
    """Return a line with different content."""
    return json.dumps({**json.loads(line), **changes}).encode()


@pytest.mark.parametrize(
    "change",
    [
        lambda line: b"nonsense",
        lambda line: b"[1, 2]",
        lambda line: b"{}",
        lambda line: changed(line, lineup=99),
        lambda line: changed(line, lineup=-1),
        lambda line: changed(line, stop=json.loads(line)["stop"] + 1),
        lambda line: changed(line, start=-4, stop=0),
        lambda line: changed(line, coins=[[1, 2]]),
        lambda line: changed(line, shares=[[1, 2]] * 4),
        lambda line: changed(line, decisions="many"),
    ],
)
def test_a_damaged_line_is_named(half, change):
    lines = half.read_bytes().splitlines()
    lines[2] = change(lines[2])
    half.write_bytes(b"\n".join(lines) + b"\n")
    with pytest.raises(CryptError, match=f"{FILE_NAME}, line 3, was not written by a tournament"):
        go_on(half)


def test_a_deal_that_is_there_twice_is_refused(half):
    lines = half.read_bytes().splitlines(keepends=True)
    half.write_bytes(b"".join([*lines, lines[2]]))
    with pytest.raises(CryptError, match=r"holds deal .* of line-up .* twice"):
        go_on(half)


def test_two_runs_do_not_write_to_one_folder(tmp_path):
    pytest.importorskip("fcntl")
    plan = make_plan(["random", FIRST], games=20)
    store = Store(tmp_path, plan)
    try:
        with pytest.raises(CryptError, match="another run is writing to"):
            Store(tmp_path, plan)
    finally:
        store.close()
    Store(tmp_path, plan).close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device")
def test_a_full_disk_names_the_file_also_while_it_is_closed(tmp_path):
    """Closing flushes once more."""
    store = Store(tmp_path, make_plan(["random", FIRST], games=20))
    store._file.close()
    store._file = Path("/dev/full").open("wb")  # noqa: SIM115 - the store closes it
    with (
        pytest.raises(CryptError, match=rf"{FILE_NAME} cannot be written: No space left on device$"),
        closing(store),
    ):
        store._append(b"line")


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(CryptError, match="nothing can be stored in"):
            round_robin(AGENTS, **ARGUMENTS, out=folder)


# -- chunks -----------------------------------------------------------------------------------------------------------


def deals_of(chunks):
    """Return all deals that are assigned, by line-up."""
    found = []
    while (task := chunks.next()) is not None:
        assert task.start < task.stop
        found += [(task.lineup, deal) for deal in range(task.start, task.stop)]
    return found


@pytest.mark.parametrize("size", [None, 1, 7, 1000])
def test_chunks_hand_out_what_is_missing_exactly_once(size):
    plan = make_plan(["a", "b", "c"], games=120)
    done = [Task(0, 10, 20), Task(0, 0, 3), Task(2, 0, 60), Task(0, 20, 21), Task(1, 59, 60)]
    kept = {(task.lineup, deal) for task in done for deal in range(task.start, task.stop)}
    found = deals_of(Chunks(plan, done, size))
    assert len(found) == len(set(found))
    assert set(found) == {(lineup, deal) for lineup in range(3) for deal in range(60)} - kept


@pytest.mark.parametrize(("seconds_a_deal", "last"), [(0.0001, 2048), (0.1, 40), (8, 1)])
def test_chunks_grow_for_fast_agents_and_shrink_for_slow_ones(seconds_a_deal, last):
    chunks = Chunks(make_plan(["a", "b"], games=100_000))
    sizes = []
    for _ in range(12):
        task = chunks.next()
        sizes.append(task.stop - task.start)
        chunks.learn(task, sizes[-1] * seconds_a_deal)
    assert (sizes[0], sizes[-1]) == (2, last)


def test_line_ups_advance_side_by_side():
    chunks = Chunks(make_plan(["a", "b", "c"], games=2000), size=10)
    handed_out = [chunks.next().lineup for _ in range(30)]
    assert [handed_out.count(lineup) for lineup in range(3)] == [10, 10, 10]


def test_agents_that_are_not_known_leave_no_folder_behind(tmp_path):
    with pytest.raises(CryptError, match="agent 'missing' is not known"):
        round_robin(["random", "missing"], games=4, out=tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_there_are_as_many_chunks_as_are_handed_out():
    """No process is started that would have nothing to play."""
    plan = make_plan(["a", "b", "c"], games=200)
    for size in (1, 7, 30, 1000):
        chunks = Chunks(plan, [Task(0, 10, 20)], size)
        found = chunks.count
        assert found == len(list(iter(chunks.next, None)))
    assert Chunks(make_plan(["a", "b"], games=8)).count == 2
