"""Files of records: with any content, each line gets its answer, and a truncated file is named."""

import gzip
import io
import json
import os
import re

import pytest

from cli.processes import crypt
from crypt_env import RecordError, replay
from crypt_env.cli.main import main
from crypt_env.notation import record
from crypt_env.notation.record import check_line, check_records
from golden.damage import sound

GOOD = json.dumps(sound(2)).encode()


def outcome(capsys, *paths):
    """Replay files; return the exit code, the lines printed and those of errors."""
    code = main(["replay", *map(str, paths)])
    output = capsys.readouterr()
    return code, output.out.splitlines(), output.err.splitlines()


@pytest.fixture
def file(tmp_path):
    """Return a function that writes a file with some lines and returns its path."""

    def write(*lines, name="games.jsonl"):
        path = tmp_path / name
        content = b"\n".join(lines)
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return write


DEEP = 900
BAD_LINES = {
    "deep list": b"[" * DEEP + b"]" * DEEP,
    "very deep list": b"[" * 100_000,
    "deep format": b'{"format":' + b"[" * DEEP + b"]" * DEEP + b"}",
    "deep event": GOOD.replace(b'"events": [', b'"events": [' + b"[" * DEEP + b"]" * DEEP + b","),
    "deep scores": GOOD.replace(b'"scores": [', b'"scores": [' + b"[" * DEEP + b"]" * DEEP + b","),
    "deep legal list": GOOD.replace(b'"recover"]', b'"recover", ' + b"[" * DEEP + b"]" * DEEP + b"]"),
    "huge number": b"9" * 5000,
    "large seed": GOOD.replace(b'"seed": ', b'"seed": ' + b"9" * 4000),
    "large leader": GOOD.replace(b'"leader": ', b'"leader": ' + b"9" * 4000),
    "large score": GOOD.replace(b'"scores": [', b'"scores": [' + b"9" * 4000),
    "infinite players": GOOD.replace(b'"players": 2', b'"players": 1e999'),
    "no number of players": GOOD.replace(b'"players": 2', b'"players": NaN'),
    "long word": GOOD.replace(b'"collectors": "', b'"collectors": "' + b"A" * 100_000),
    "long card": GOOD.replace(b'"deck": ["', b'"deck": ["' + b"A" * 100_000),
    "no UTF-8": GOOD.replace(b"crypt", b"cr\xffpt"),
    "half a character": b"\xe2\x82",
    "surrogate": b'"\\ud800"',
    "a mark first": b"\xef\xbb\xbf" + GOOD,
}


@pytest.mark.parametrize("name", ["games.jsonl", "games.jsonl.gz"])
@pytest.mark.parametrize("bad", BAD_LINES)
def test_a_bad_line_gets_a_short_answer_and_the_next_one_is_read(bad, name, file, capsys):
    assert BAD_LINES[bad] != GOOD, "the record has changed, and the damage with it"
    path = file(GOOD, BAD_LINES[bad], GOOD, name=name)
    code, lines, errors = outcome(capsys, path)
    assert (code, errors) == (1, [])
    assert len(lines) == 2
    assert lines[0].startswith(f"{path}:2: ")
    assert len(lines[0]) < 5000
    assert lines[1] == "3 records, 1 difference"


@pytest.mark.parametrize("name", ["games.jsonl", "games.jsonl.gz"])
def test_a_line_without_end_is_not_read_whole(name, file, capsys, monkeypatch):
    monkeypatch.setattr(record, "MAX_LINE", 100_000)
    path = file(GOOD, b"[" * 1_000_000, GOOD, b" " * 100_001 + GOOD, b"x" * 99_999, GOOD, name=name)
    code, lines, errors = outcome(capsys, path)
    assert (code, errors, lines[-1]) == (1, [], "6 records, 3 differences")
    assert lines[0] == f"{path}:2: not a record: the line is longer than 100000 bytes"
    assert lines[1].startswith(f"{path}:4: not a record: the line is longer")
    assert lines[2].startswith(f"{path}:5: not JSON")


def test_no_more_of_a_file_is_held_than_a_line_may_have(monkeypatch):
    monkeypatch.setattr(record, "MAX_LINE", 1000)

    class Watched(io.BytesIO):
        def readline(self, size=-1):
            assert 0 < size <= 1001
            return super().readline(size)

    lines = list(record.lines_of(Watched(b"x" * 5000 + b"\nshort\n" + b"y" * 999 + b"\nend")))
    assert [len(line) for line in lines] == [1001, 6, 1000, 3]


def test_no_line_is_longer_than_can_be_read():
    assert len(GOOD) * 100 < record.MAX_LINE
    assert "longer than" in check_line("[" * (record.MAX_LINE + 1))


def broken_files(tmp_path):
    """Return files that cannot be read to their end, with the number of records before the damage and some words."""
    many = b"\n".join([GOOD] * 400)
    packed = gzip.compress(many)
    files = {
        "cut.gz": (packed[:-12], 1, "Compressed file ended before"),
        "flipped.gz": (packed[:-400] + bytes([packed[-400] ^ 255]) + packed[-399:], 1, ""),
        "nonsense.gz": (packed[:10] + b"\xff" * 100, 0, "the packed file is damaged (Error -3"),
        "plain.gz": (GOOD, 0, "Not a gzipped file"),
        "binary": (GOOD + b"\n\x7fELF\0\0\n" + GOOD, 1, "line 2 has a zero byte in it; records are text"),
        "utf-16": (GOOD.decode().encode("utf-16"), 0, "line 1 has a zero byte in it"),
        "empty": (b"", 0, "there is no record in it"),
        "empty.gz": (gzip.compress(b""), 0, "there is no record in it"),
        "blank": (b"\n \n\t\n", 0, "there is no record in it"),
    }
    for name, (content, records, words) in files.items():
        (tmp_path / name).write_bytes(content)
        yield tmp_path / name, records, words
    yield tmp_path, 0, "Is a directory"
    yield tmp_path / "missing", 0, "No such file or directory"
    yield tmp_path / "missing.gz", 0, "No such file or directory"


def test_a_broken_file_is_named_and_the_next_one_is_read(tmp_path, file, capsys):
    good = file(GOOD, GOOD)
    for path, records, words in broken_files(tmp_path):
        code, lines, errors = outcome(capsys, path, good)
        assert code == 2, path
        assert len(errors) == 1, errors
        assert errors[0].startswith(f"crypt replay: {path}: "), errors
        assert words in errors[0]
        assert bool(re.search(r" \(after (1 record|\d+ records)\)$", errors[0])) == (records > 0), errors
        assert lines[-1].endswith("records, 0 differences"), lines
        assert int(lines[-1].split()[0]) >= 2 + records


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="this user can read everything")
def test_a_file_that_may_not_be_read(file, capsys):
    path = file(GOOD)
    path.chmod(0)
    assert outcome(capsys, path) == (2, [], [f"crypt replay: {path}: Permission denied"])


def test_standard_input_without_a_record():
    done = crypt("replay", "-", text="")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "crypt replay: -: there is no record in it\n"


def nested(depth):
    """Return lists in lists."""
    value = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("key", ["format", "players", "collectors", "leader", "seed", "deck", "scores", "winners"])
@pytest.mark.parametrize("value", [pytest.param(10**5000, id="huge"), pytest.param(nested(100_000), id="deep")])
def test_programs_that_pass_on_what_cannot_be_shown_get_a_record_error(key, value):
    good = sound(2)
    with pytest.raises(RecordError) as caught:
        replay({**good, key: value})
    assert len(str(caught.value)) < 500
    for place in range(4):
        event = list(good["events"][0])
        event[place:] = [value]
        for events in ([event], [good["events"][0], [*event]], [value]):
            with pytest.raises(RecordError):
                replay({**good, "events": events})


def test_lines_may_be_text():
    assert list(check_records([GOOD.decode(), "", GOOD])) == [None, None]
