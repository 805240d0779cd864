"""Settings in files and on command lines, and the files of a run that are read to draw its curves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from crypt_env import CryptError
from crypt_env.experiment.curves import Curve, band, draw_curves, group_runs, measures, read_curves
from crypt_env.experiment.settings import Settings, checked_settings, load_settings, read_changes, settings_from
from fuzz.mutate import HUGE_NUMBERS, as_text, damaged_bytes, damaged_json, damaged_text, odd_json, odd_text
from fuzz.target import Target, require

# -- settings ---------------------------------------------------------------------------------------------------------

CONFIGS = Path(__file__).resolve().parents[3] / "configs"

_ODD_YAML = (
    *("&a [1, 2]", "*a", "!!python/object:os.system x", "!!int '3'", "? [1]", "{a: b}", "[[[[1]]]]", "- - - - 1"),
    *("2024-01-01", "1:30", "0x1F", "0o17", "1_000", "+.inf", "-.inf", ".nan", "1e400", "~", "yes", "<<: {a: 1}", "|"),
    *(
        "[" * 200,
        "{a: " * 200,
        "---\n---",
        "%YAML 9.9",
        "'",
        '"\\x',
        "\t",
        "#",
        "a: b: c",
        "sb3:model.zip",
        "os:getcwd",
    ),
)


def _configs() -> list[str]:
    """Return the settings that come with the sources; names of networks are left out, which are slow to read."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(CONFIGS.glob("*.yaml"))]
    kept = [[line for line in text.splitlines() if "net:" not in line and "start" not in line] for text in texts]
    return ["\n".join(line for line in lines if not line.startswith("#")) + "\n" for lines in kept]


def _yaml(rng: Random, valid: list[str]) -> bytes:
    """Return a damaged file of settings."""
    text, other, kind = rng.choice(valid), rng.choice(valid), rng.random()
    if kind < 0.15:
        return damaged_bytes(rng, text.encode(), [other.encode()])
    if kind < 0.5:
        return damaged_text(rng, text, [other]).encode("utf-8", "surrogatepass")
    lines = text.splitlines()
    for _ in range(rng.randint(1, 3)):
        lines[rng.randrange(len(lines))] = _line(rng)
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def _value(rng: Random) -> str:
    """Return what may follow a name."""
    kind = rng.random()
    if kind < 0.4:
        return rng.choice(_ODD_YAML)
    if kind < 0.6:
        return rng.choice((*HUGE_NUMBERS, "0", "1", "2", "0.5", "true", "random", "[1, 2]", "[greedy]"))
    return as_text(rng, odd_json(rng)) if kind < 0.9 else odd_text(rng)


def _line(rng: Random) -> str:
    """Return a line of settings."""
    name = rng.choice(sorted(Settings.model_fields)) if rng.random() < 0.9 else odd_text(rng)
    return f"{name}: {_value(rng)}"


def _load(content: bytes) -> Settings:
    """Load settings from a file."""
    path = Path("settings.yaml")
    path.write_bytes(content)
    return load_settings(path)


def _use_settings(settings: Settings) -> None:
    """Demand that settings are of the types that they have, and the same when they are checked once more."""
    require(settings_from(settings.model_dump()) == settings, "settings are other ones when they are read again")
    require(
        checked_settings(json.loads(json.dumps(settings.model_dump()))) == settings, "settings change in a checkpoint"
    )
    require(
        read_changes([f"name={json.dumps(settings.name, ensure_ascii=False)}"])["name"] == settings.name,
        "a name is read as another",
    )


def _changes(rng: Random, _: list[str]) -> list[str]:
    """Return changes as they are typed on a command line."""
    changes = [f"{rng.choice(sorted(Settings.model_fields))}={_value(rng)}" for _ in range(rng.randint(1, 2))]
    return [damaged_text(rng, change) if rng.random() < 0.2 else change for change in changes]


def _change(changes: Sequence[str]) -> Settings:
    """Return settings with some changes, which must not name agents that run code."""
    return settings_from(read_changes(changes), trusted=())


# -- curves -----------------------------------------------------------------------------------------------------------

_COLUMNS = "decisions,seconds,score,random,random low,random high,entropy_loss,approx_kl"
_DRAWN = 40
"""One in this many accepted curves is drawn, because drawing takes long."""


class _Run(NamedTuple):
    """What is in the folder of a run."""

    curves: bytes
    facts: bytes


def _runs() -> list[_Run]:
    """Return the files of small runs."""
    runs = []
    for rows in (1, 3):
        lines = [f"{1000 * row},{row}.5,0.5{row},0.5{row},0.4,0.6,-1.2,0.01" for row in range(1, rows + 1)]
        facts = {"settings": Settings(seed=rows).model_dump(), "code": "git", "versions": {}, "sessions": []}
        runs.append(_Run("\n".join([_COLUMNS, *lines, ""]).encode(), json.dumps(facts).encode()))
    return runs


def _run(rng: Random, valid: list[_Run]) -> _Run:
    """Return damaged files of a run."""
    run, other = rng.choice(valid), rng.choice(valid)
    curves, facts = run
    kind = rng.random()
    if kind < 0.3:
        curves = damaged_bytes(rng, curves, [other.curves])
    elif kind < 0.85:
        curves = damaged_text(rng, curves.decode(), [other.curves.decode()]).encode("utf-8", "surrogatepass")
    if kind > 0.6:
        facts = as_text(rng, damaged_json(rng, json.loads(facts))).encode("utf-8", "surrogatepass")
    if kind > 0.9:
        facts = damaged_bytes(rng, facts)
    return _Run(curves, facts)


class _Curves(NamedTuple):
    """Curves that were read."""

    run: _Run
    curve: Curve
    folders: list[Path]


def _read(run: _Run) -> _Curves:
    """Read the curves of a run."""
    folders = [Path("run"), Path("other")]
    for folder in folders:
        folder.mkdir(exist_ok=True)
        (folder / "curves.csv").write_bytes(run.curves)
        (folder / "run.json").write_bytes(run.facts)
    return _Curves(run, read_curves(folders[0]), folders)


def _use_curves(curves: _Curves) -> None:
    """Group runs by their settings and draw their curves."""
    groups = group_runs(curves.folders)
    require(sum(map(len, groups.values())) == len(curves.folders), "a run is in no group or in two")
    for measure in measures(curves.curve):
        for over in ("decisions", "seconds"):
            places = band([curves.curve, curves.curve], measure, over)[0]
            require(len(places) <= len(curves.curve[over]), "a band has more places than its curves")
    if measures(curves.curve) and Random(curves.run.curves).randrange(_DRAWN) == 0:
        draw(curves.folders)


def draw(folders: list[Path]) -> None:
    """Draw curves; errors are one sentence."""
    try:
        draw_curves(folders, Path("curves.png"))
    except CryptError as error:
        require(str(error).isprintable(), "a message cannot be printed on one line")


TARGETS = (
    Target("settings", _configs, _yaml, _load, _use_settings, quick=150),
    Target("changes", _configs, _changes, _change, _use_settings, quick=200),
    Target("curves", _runs, _run, _read, _use_curves, quick=200),
)
