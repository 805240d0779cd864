"""Valid results pass, and all others are refused with one sentence."""

import gzip
import json

import numpy as np
import pytest

from benchmark.forging import change, change_record, copy_of, lines_of, write_lines
from crypt_env import CryptError, random_game, to_record
from crypt_env.agents import make_agent
from crypt_env.agents.network import Network
from crypt_env.benchmark import run_task, verify

SLOW = pytest.mark.slow


@pytest.fixture
def copied(solo, tmp_path):
    return copy_of(solo, tmp_path / "copy")


def refusal(folder, **options):
    """Return the sentence with which a result is refused."""
    with pytest.raises(CryptError) as caught:
        verify(folder, **options)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 700
    return text


# -- what holds -------------------------------------------------------------------------------------------------------


def test_result_is_verified(solo):
    seen = []
    result = verify(solo, update=lambda done, total: seen.append((done, total)))
    assert result.name == "greedy"
    assert seen[-1] == (512, 512)
    assert verify(solo, reask=True) == result


def test_result_is_the_same_twice(solo, tmp_path):
    run_task("solo-64", ["greedy"], tmp_path / "again", "quick", description="plans one turn")
    for name in ("result.json", "games-0.jsonl.gz"):
        assert (tmp_path / "again" / name).read_bytes() == (solo / name).read_bytes()


def test_records_are_records(solo):
    from crypt_env.notation.record import check_file

    assert all(difference is None for difference in check_file(solo / "games-0.jsonl.gz"))


@pytest.mark.parametrize("task", ["duel-8", *(pytest.param(task, marks=SLOW) for task in ("trio-16", "quartet-32"))])
def test_panel_and_cross_play_are_verified(task, tmp_path, quick_panel):
    result = run_task(task, ["random", "greedy"], tmp_path / "both", "quick", name="two", seeds=[1, 2])
    assert verify(tmp_path / "both") == verify(tmp_path / "both", reask=True) == result
    players = result.task.players
    assert len(result.numbers["cross"]) == (1 if players == 2 else 2)
    assert result.numbers["cross"][0][2] < 0.3  # random among greedy ones
    assert [run.seed for run in result.runs] == [1, 2]


@pytest.mark.slow
def test_real_panel_is_verified(tmp_path):
    result = run_task("duel-64", ["tuned"], tmp_path / "tuned", "quick")
    assert verify(tmp_path / "tuned", reask=True) == result
    assert 0.85 < result.numbers["parts"]["score"][0] < 1.15


@pytest.mark.slow
def test_random_has_0_and_tuned_has_1(tmp_path):
    for agent, score in (("random", 0), ("tuned", 1)):
        result = run_task("solo-64", [agent], tmp_path / agent)
        assert result.numbers["parts"]["score"][0] == pytest.approx(score, abs=1e-5)


@pytest.mark.parametrize("form", ["net:{0}/mine", "{0}/mine"])
def test_network_lies_in_the_folder(tmp_path, form):
    from crypt_env.agents.network_names import SHIPPED

    (tmp_path / "mine.safetensors").write_bytes((SHIPPED / "solo.safetensors").read_bytes())
    run_task("solo-64", [form.format(tmp_path)], tmp_path / "net", "quick", name="mine")
    (tmp_path / "mine.safetensors").unlink()
    assert verify(tmp_path / "net", reask=True).runs[0].agent == "net:{network}"
    assert str(tmp_path) not in (tmp_path / "net" / "result.json").read_text(encoding="utf-8")
    (tmp_path / "net" / "network-0.safetensors").write_bytes((SHIPPED / "generalist.safetensors").read_bytes())
    assert "the network of agent 'net:{network}' is not the one of result.json" in refusal(tmp_path / "net")


# -- games that are not the protocol's --------------------------------------------------------------------------------


def test_missing_game(copied):
    lines = lines_of(copied)
    write_lines(copied, lines[:100] + lines[101:])
    assert refusal(copied).endswith("games-0.jsonl.gz holds 511 games, but the protocol has 512: 1 missing")


def test_a_game_too_many(copied):
    lines = lines_of(copied)
    write_lines(copied, lines + lines[:1])
    assert refusal(copied).endswith("games-0.jsonl.gz holds more than the 512 games of the protocol")


def test_one_game_in_place_of_another(copied):
    lines = lines_of(copied)
    write_lines(copied, [*lines[:10], lines[74], *lines[11:]])
    assert "line 11: it has deck ['" in refusal(copied)
    write_lines(copied, [*lines[:10], lines[11], *lines[11:]])
    assert "line 11: it has collectors 'BBABAA', but deal 10 of the protocol has 'ABABAA'" in refusal(copied)


def test_wrong_deal(copied):
    lines = lines_of(copied)
    other = to_record(random_game(1, json.loads(lines[5])["collectors"], seed=64, index=5))
    lines[5] = json.dumps(other, separators=(",", ":")).encode() + b"\n"
    write_lines(copied, lines)
    text = refusal(copied)
    assert "line 6: it has deck [" in text
    assert "but deal 5 of the protocol has [" in text


def test_forged_dice(copied):
    def forge(record):
        number = next(n for n, event in enumerate(record["events"]) if event[0] == "roll" and event[3] > 1)
        record["events"][number][4] = [6] * len(record["events"][number][4])
        record["forged"] = number

    number = next(n for n, line in enumerate(lines_of(copied)) if b'"roll"' in line and b"[6]],[" not in line)
    change_record(copied, number, forge)
    assert f"line {number + 1}: event " in refusal(copied)
    assert "is expected, found ['roll', 0, " in refusal(copied)


def test_forged_action(copied):
    def forge(record):
        acts = [event for event in record["events"] if event[0] == "act"]
        acts[0][2] = "recover" if acts[0][2] != "recover" else "place 0 1x1"

    change_record(copied, 3, forge)
    assert "line 4: " in refusal(copied)


def test_illegal_action_and_other_seat(copied, solo, tmp_path):
    change_record(copied, 3, lambda record: record["events"].__setitem__(0, ["act", 0, "take 5"]))
    assert "line 4: event 0: 'take 5' is not legal for seat 0" in refusal(copied)
    other = copy_of(solo, tmp_path / "other")
    change_record(other, 3, lambda record: record["events"].__setitem__(0, ["act", 1, record["events"][0][2]]))
    assert "line 4: event 0: seat 0 decides, found seat 1" in refusal(other)


def test_record_that_ends_early_or_late(copied, solo, tmp_path):
    change_record(copied, 3, lambda record: record["events"].clear())
    assert "line 4: the record ends where seat 0 decides" in refusal(copied)
    other = copy_of(solo, tmp_path / "other")
    change_record(other, 3, lambda record: record["events"].append(["act", 0, "done"]))
    assert "the game is over, but the record continues" in refusal(other)


@pytest.mark.parametrize(("key", "value"), [("scores", [99]), ("winners", []), ("scores", None)])
def test_wrong_result_of_a_game(copied, key, value):
    change_record(copied, 3, lambda record: record.update({key: value}))
    assert f"line 4: its {key} are {value}, but the game ends with" in refusal(copied)


def test_record_in_another_spelling(copied):
    change_record(copied, 3, lambda record: record.update(comment="hello"))
    assert "line 4: the record is not written as the protocol writes it" in refusal(copied)


@pytest.mark.parametrize("line", [b"[]\n", b"{}\n", b"{\n", b'{"events": 3}\n', b"[" * 9000 + b"\n", b"\xff\n", b"\n"])
def test_lines_that_are_not_records(copied, line):
    write_lines(copied, [line, *lines_of(copied)[1:]])
    assert "line 1: there is no record on it" in refusal(copied)


@pytest.mark.parametrize("events", [[3], [[]], [["act"]], [["act", [], {}]], [["act", 0, "place 0 3x1", []]], [None]])
def test_events_that_are_none(copied, events):
    change_record(copied, 0, lambda record: record.update(events=events))
    assert "line 1: " in refusal(copied)


def test_endless_lines_and_damaged_files(copied):
    lines = lines_of(copied)
    write_lines(copied, [b" " * 100_000 + lines[0], *lines[1:]])
    assert "line 1, is not a record: it is too long or truncated" in refusal(copied)
    packed = gzip.compress(b"".join(lines))
    (copied / "games-0.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    assert "cannot be read" in refusal(copied)
    (copied / "games-0.jsonl.gz").write_bytes(b"no gzip")
    assert "cannot be read" in refusal(copied)


def test_other_games_than_the_checksum_says(copied):
    change(copied, lambda result: result["records"].update({"games-0.jsonl.gz": "0" * 64}))
    assert "the SHA-256 of its records differs" in refusal(copied)


def test_links_are_not_followed(copied, solo):
    (copied / "games-0.jsonl.gz").unlink()
    assert "has no file games-0.jsonl.gz" in refusal(copied)
    (copied / "games-0.jsonl.gz").symlink_to(solo / "games-0.jsonl.gz")
    assert "has no file games-0.jsonl.gz, or it is a link" in refusal(copied)


# -- who played -------------------------------------------------------------------------------------------------------


def test_opponents_that_are_others(tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr("crypt_env.benchmark.playing.frozen_agent", lambda name: make_agent("random"))
        run_task("duel-64", ["greedy"], tmp_path / "easy", "quick")
    text = refusal(tmp_path / "easy")
    assert "seat 1 is 'greedy', which plays '" in text or "seat 0 is 'greedy', which plays '" in text


def test_agent_that_is_another(copied):
    change(copied, lambda result: result["runs"][0].update(agent="tuned"))
    verify(copied)
    assert "seat 0 is 'tuned', which plays '" in refusal(copied, reask=True)


def test_a_policy_is_either_sampled_or_not(tmp_path):
    """Games of the likeliest actions are not those of samples, and the other way round."""
    for agent, forged in (("net:solo", "net:solo:draw"), ("net:solo:draw", "net:solo")):
        folder = tmp_path / agent
        run_task("solo-64", [agent], folder, "quick")
        verify(folder, reask=True)
        change(folder, lambda result, forged=forged: result["runs"][0].update(agent=forged))
        assert f"seat 0 is '{forged}', which plays '" in refusal(folder, reask=True)


def test_samples_may_differ_by_rounding(tmp_path, monkeypatch):
    """As on another machine: by no more than that."""
    run_task("solo-64", ["net:solo:draw"], tmp_path / "drawn", "quick")
    honest = Network.probabilities

    def other(by):
        def changed(network, observations, masks):
            answer = honest(network, observations, masks).astype(np.float64)
            answer[np.arange(len(answer)), answer.argmax(axis=1)] -= by
            answer[np.arange(len(answer)), masks.argmax(axis=1)] += by
            return answer

        return changed

    monkeypatch.setattr(Network, "probabilities", other(3e-6))
    verify(tmp_path / "drawn", reask=True)
    monkeypatch.setattr(Network, "probabilities", other(1e-3))
    assert "which plays '" in refusal(tmp_path / "drawn", reask=True)


def test_agents_that_cannot_be_asked_again_name_their_folder(copied):
    change(copied, lambda result: result["runs"][0].update(agent="missing"))
    assert refusal(copied, reask=True).startswith(f"{copied}: agent 'missing' is not known")


@pytest.mark.parametrize("agent", ["benchmark.forging:copy_of", "sb3:model.zip", "missing:Here"])
def test_agents_that_run_code_are_never_asked(copied, agent):
    change(copied, lambda result: result["runs"][0].update(agent=agent))
    verify(copied)
    assert "would run code" in refusal(copied, reask=True)


def test_network_outside_of_the_folder(copied, tmp_path):
    (tmp_path / "x.safetensors").write_bytes(b"secret")
    change(copied, lambda result: result["runs"][0].update(agent=f"net:{tmp_path}/x", network="0" * 64))
    assert "names a file outside of the folder" in refusal(copied, reask=True)


# -- numbers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        (("parts", "score", 0), r"parts.score\[0\] is"),
        (("parts", "score", 2), r"parts.score\[2\] is"),
        (("panel", 0, 1), r"panel\[0\]\[1\] is"),
        (("runs", 0, "score"), r"runs\[0\].score is"),
        (("runs", 0, "tables", 17), r"runs\[0\].tables\[17\] is"),
    ],
)
def test_changed_number(copied, place, shown):
    def forge(result):
        inner = result["numbers"]
        for key in place[:-1]:
            inner = inner[key]
        inner[place[-1]] += 0.001

    change(copied, forge)
    with pytest.raises(CryptError, match=rf"{shown} .*, the games make it "):
        verify(copied)


def test_another_task_or_size(copied):
    change(copied, lambda result: result.update(size="full"))
    assert "holds 512 games, but the protocol has 4096: 3584 missing" in refusal(copied)
