"""Changes results as a forger would: with all checksums updated."""

import gzip
import hashlib
import json
import shutil


def copy_of(folder, target):
    """Return a copy of a result, to be changed."""
    shutil.copytree(folder, target)
    return target


def lines_of(folder, name="games-0.jsonl.gz"):
    """Return the records of a file."""
    return gzip.decompress((folder / name).read_bytes()).splitlines(keepends=True)


def write_lines(folder, lines, name="games-0.jsonl.gz"):
    """Write records, and their checksum into ``result.json``."""
    content = b"".join(lines)
    (folder / name).write_bytes(gzip.compress(content))
    change(folder, lambda result: result["records"].update({name: hashlib.sha256(content).hexdigest()}))


def change(folder, how):
    """Change ``result.json``."""
    path = folder / "result.json"
    result = json.loads(path.read_text(encoding="utf-8"))
    how(result)
    path.write_text(json.dumps(result), encoding="utf-8")


def change_record(folder, number, how):
    """Change one record."""
    lines = lines_of(folder)
    record = json.loads(lines[number])
    how(record)
    lines[number] = json.dumps(record, separators=(",", ":")).encode() + b"\n"
    write_lines(folder, lines)
