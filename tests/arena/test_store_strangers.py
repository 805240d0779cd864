"""Stores and reports from strangers: one sentence, and neither a crash nor gigabytes of memory."""

import json
import os
import resource
import sys
from pathlib import Path

import numpy as np
import pytest

from arena.players import FIRST
from crypt_env import CryptError
from crypt_env.arena import Report, as_markdown, as_text, make_plan, round_robin
from crypt_env.arena.store import FILE_NAME, Store, sealed

ARGUMENTS = {"players": 2, "games": 40, "seed": 2, "chunk": 4}
AGENTS = ["random", FIRST]
DAMAGE = "was not written by a tournament; give another folder"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """The lines of a finished tournament, and the key of their checksums."""
    folder = tmp_path_factory.mktemp("kept")
    round_robin(AGENTS, **ARGUMENTS, out=folder)
    store = Store(folder, plan())
    store.close()
    return (folder / FILE_NAME).read_bytes().splitlines(keepends=True), store._key


def plan():
    return make_plan(AGENTS, 2, 40, seed=2)


def opened(folder, content):
    """Open a store with this content; return what it holds."""
    (folder / FILE_NAME).write_bytes(content)
    store = Store(folder, plan())
    store.close()
    return store.done


def forged(line, key, **changes):
    """Return a line with other content and the right checksum."""
    content = {**json.loads(line), **changes}
    del content["check"]
    return sealed({name: value for name, value in content.items() if value != "gone"}, key) + b"\n"


# -- stores -----------------------------------------------------------------------------------------------------------


def test_what_was_kept_is_read(kept, tmp_path):
    lines, _ = kept
    assert len(opened(tmp_path, b"".join(lines))) == len(lines) - 1 == 5


def test_no_bit_can_change(kept, tmp_path):
    lines, _ = kept
    whole, generator = b"".join(lines), np.random.default_rng(1)
    for place in generator.integers(0, len(whole) - 1, 200).tolist():
        content = bytearray(whole)
        content[place] ^= 1 << int(generator.integers(8))
        with pytest.raises(CryptError, match=f"{DAMAGE}|holds another tournament") as error:
            opened(tmp_path, bytes(content))
        assert "\n" not in str(error.value)


def test_a_line_of_another_tournament_is_damage(kept, tmp_path):
    round_robin(AGENTS, **{**ARGUMENTS, "seed": 3}, out=tmp_path)
    others = (tmp_path / FILE_NAME).read_bytes().splitlines(keepends=True)
    with pytest.raises(CryptError, match=f"line 2, {DAMAGE}"):
        opened(tmp_path, kept[0][0] + others[1])


@pytest.mark.parametrize(
    "changes",
    [
        {"lineup": 1},
        {"lineup": -1},
        {"lineup": 0.0},
        {"lineup": False},
        {"lineup": "0"},
        {"lineup": [0]},
        {"lineup": 10**400},
        {"start": 0.0},
        {"start": "0"},
        {"start": -1},
        {"stop": 4.0},
        {"stop": 5},
        {"stop": 0},
        {"stop": 10**18},
        {"stop": None},
        {"shares": "gone"},
        {"shares": [[12.5, 11.5]] * 4},
        {"shares": [[2**63 - 1, 2**63 - 1]] * 4},
        {"shares": [[-1, 25]] * 4},
        {"shares": [[True, 23]] * 4},
        {"shares": [["12", "12"]] * 4},
        {"shares": [[12, 12]] * 5},
        {"shares": [[12, 12, 0]] * 4},
        {"shares": [[24, 24]] * 4},
        {"shares": {"0": [12, 12]}},
        {"coins": [[-1, 5]] * 4},
        {"coins": [[10**15, 5]] * 4},
        {"coins": [[5.0, 5]] * 4},
        {"coins": [5, 5]},
        {"coins": None},
        {"decisions": [1]},
        {"decisions": [1, -1]},
        {"decisions": [1, 2**62]},
        {"decisions": [1, 1.5]},
        {"decisions": "gone"},
        {"seconds": [0.0, float("nan")]},
        {"seconds": [0.0, float("inf")]},
        {"seconds": [0.0, -1.0]},
        {"seconds": [0.0]},
        {"seconds": [0.0, "1"]},
        {"seconds": {}},
    ],
    ids=repr,
)
def test_numbers_that_cannot_be_are_damage_also_with_the_right_checksum(kept, tmp_path, changes):
    lines, key = kept
    line = lines[1]
    with pytest.raises(CryptError, match=f"line 2, {DAMAGE}"):
        opened(tmp_path, lines[0] + forged(line, key, **changes))
    assert len(opened(tmp_path, lines[0] + forged(line, key))) == 1


@pytest.mark.parametrize(
    "line",
    [b"[" * 5000, b"9" * 5000, b'{"lineup":' + b"[" * 5000, b"\x00" * 100, b"", b"null", b'"check":"', b"\xff\xfe"],
)
def test_lines_of_nonsense_are_damage(kept, tmp_path, line):
    with pytest.raises(CryptError, match=f"line 2, {DAMAGE}"):
        opened(tmp_path, kept[0][0] + line + b"\n")
    with pytest.raises(CryptError, match=f"line 1, {DAMAGE}"):
        opened(tmp_path, line + b"\n" + kept[0][0])


def test_a_line_without_an_end_is_not_read_to_the_end(kept, tmp_path):
    """A sparse file of 64 GB: to read it all would take memory, or a minute."""
    for start, number in ((kept[0][0], 2), (b"", 1)):
        (tmp_path / FILE_NAME).write_bytes(start)
        os.truncate(tmp_path / FILE_NAME, 2**36)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with pytest.raises(CryptError, match=f"line {number}, {DAMAGE}"):
            Store(tmp_path, plan())
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        assert grown * (1 if sys.platform == "darwin" else 1024) < 2**27
        assert (tmp_path / FILE_NAME).stat().st_size == 2**36


@pytest.mark.parametrize("content", [b"my own notes", b'{"format":"crypt-arena/3"', b"{}\n", b"[]\nhalf", b"\n"])
def test_a_foreign_file_stays(tmp_path, content):
    with pytest.raises(CryptError, match=f"line 1, {DAMAGE}|holds another"):
        opened(tmp_path, content)
    assert (tmp_path / FILE_NAME).read_bytes() == content


def test_a_damaged_file_keeps_its_unfinished_line(kept, tmp_path):
    content = kept[0][0] + b"{}\n" + kept[0][1][:30]
    with pytest.raises(CryptError, match=f"line 2, {DAMAGE}"):
        opened(tmp_path, content)
    assert (tmp_path / FILE_NAME).read_bytes() == content


def test_a_store_of_another_version_is_told_apart(kept, tmp_path):
    older = kept[0][0].replace(b"crypt-arena/2", b"crypt-arena/1")
    with pytest.raises(CryptError, match="holds another tournament: format crypt-arena/1 there, format crypt-arena/2"):
        opened(tmp_path, older)


@pytest.mark.parametrize("agents", ["\x1b[31m", ["a\nb"], ["x" * 10**5], 10**4000, [["a"]], {"a": "b" * 10**5}])
def test_what_a_stranger_calls_agents_is_shown_short_and_on_one_line(kept, tmp_path, agents):
    header = {**json.loads(kept[0][0]), "agents": agents}
    with pytest.raises(CryptError, match="holds another tournament: agents ") as error:
        opened(tmp_path, json.dumps(header).encode() + b"\n")
    assert len(str(error.value)) < 1000
    assert str(error.value).isprintable()


def test_a_pipe_or_device_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / FILE_NAME)
    with pytest.raises(CryptError, match=f"nothing can be stored in .*: its {FILE_NAME} is not a file"):
        Store(tmp_path, plan())
    (tmp_path / FILE_NAME).unlink()
    (tmp_path / FILE_NAME).symlink_to("/dev/zero")
    with pytest.raises(CryptError, match=f"its {FILE_NAME} is not a file"):
        Store(tmp_path, plan())


def test_names_in_a_store_import_no_module(kept, tmp_path):
    (tmp_path / "evil_of_a_test.py").write_text("raise AssertionError")
    header = {**json.loads(kept[0][0]), "agents": ["evil_of_a_test:X", "sb3:x.zip"]}
    with pytest.raises(CryptError, match=r"holds another tournament: agents evil_of_a_test:X sb3:x\.zip there"):
        opened(tmp_path, json.dumps(header).encode() + b"\n")
    assert "evil_of_a_test" not in sys.modules


# -- reports ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=[1, 2, 3])
def report(request):
    return round_robin(["random", FIRST, "greedy"], request.param, 12, mixed=request.param == 3)


def places(value, path=()):
    """Yield the paths of all values in a structure."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield from places(part, (*path, key))


def with_value(content, path, value):
    """Return a copy in which one value is replaced."""
    content = json.loads(json.dumps(content))
    inner = content
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return content


HOSTILE = [None, True, -1, 10**30, float("nan"), float("inf"), "\x1b[2J", "a\nb", "x" * 2000, [], {}, [[]], {"a": 1}]


def test_a_report_with_any_other_value_is_refused_or_drawn(report):
    content = json.loads(report.as_json())
    generator, paths = np.random.default_rng(1), list(places(content))[1:]
    sentences = []
    for path in [*paths[:12], *(paths[n] for n in generator.integers(0, len(paths), 150))]:
        for value in HOSTILE:
            try:
                changed = Report.from_json(json.dumps(with_value(content, path, value)))
            except CryptError as error:
                sentences.append(str(error))
                continue
            for drawn in (as_text(changed), as_markdown(changed)):
                assert "nan" not in drawn
                assert "\x1b" not in drawn
    assert len(sentences) > 1000
    for sentence in sentences:
        assert sentence.startswith("this is not a report in the format crypt-arena-report/1: ")
        assert sentence.isprintable()
        assert len(sentence) < 300


@pytest.mark.parametrize(
    "text", ["[" * 10**5, '{"a":' * 10**5, "9" * 5000, "NaN", "null", "", "{", '"x"', "\x00", '{"format": {}}', None, 5]
)
def test_what_is_not_a_report_is_refused(text):
    with pytest.raises(CryptError, match="this is not a report in the format crypt-arena-report/1: ") as error:
        Report.from_json(text)
    assert len(str(error.value)) < 300


def test_a_report_with_more_or_less_in_it_is_refused(report):
    content = json.loads(report.as_json())
    with pytest.raises(CryptError, match="'extra' is not known"):
        Report.from_json(json.dumps({**content, "extra": 1}))
    for name in content:
        with pytest.raises(CryptError, match="this is not a report"):
            Report.from_json(json.dumps({key: value for key, value in content.items() if key != name}))


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_the_committed_reports_are_read(players):
    text = (ROOT / "benchmarks" / "results" / f"ladder-{players}.json").read_text()
    report = Report.from_json(text)
    assert report.players == players
    assert report.as_json() == text
    assert as_markdown(report)
