"""Imports point one way: from players and training to the rules, and never in a circle, not even inside functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from cli.processes import PACKAGE

ROOMS = {
    "rules": (),
    "errors": (),
    "files": ("errors",),
    "console": ("errors", "files"),
    "table": ("rules", "notation", "errors"),
    "states": ("rules", "errors"),
    "game": ("rules", "notation", "drawing", "table", "states", "errors"),
    "batch": ("rules", "notation", "drawing", "table", "errors"),
    "notation": ("rules", "game", "drawing", "table", "states", "errors"),
    "drawing": ("rules", "notation", "table", "errors"),
    "agents": ("rules", "notation", "game", "batch", "table", "files", "drawing", "errors", "envs"),
    "envs": ("rules", "notation", "game", "batch", "table", "drawing", "agents", "errors"),
    "arena": (
        "rules",
        "notation",
        "game",
        "batch",
        "table",
        "agents",
        "files",
        "console",
        "drawing",
        "errors",
    ),
    "datasets": (
        "rules",
        "notation",
        "game",
        "batch",
        "table",
        "agents",
        "arena",
        "envs",
        "files",
        "console",
        "errors",
    ),
    "benchmark": (
        "rules",
        "notation",
        "game",
        "batch",
        "table",
        "agents",
        "arena",
        "datasets",
        "files",
        "console",
        "errors",
    ),
    "testing": ("table", "errors"),
    "ppo": ("rules", "notation", "batch", "table", "states", "agents", "envs", "files", "errors"),
    "experiment": ("rules", "notation", "batch", "envs", "agents", "arena", "ppo", "files", "console", "errors"),
    "web": ("rules", "notation", "game", "table", "agents", "drawing", "files", "errors"),
}
"""What each room of the package may import besides itself; `cli` and the root's own names may import all."""

FREE = ("cli", "crypt_v0", "__init__", "__main__")
"""Rooms that gather the others."""


def names_of_modules() -> dict[str, Path]:
    """Return every module of the package by its name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = list(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def is_for_types(node: ast.AST) -> bool:
    """Return whether code is read by type checkers alone."""
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


def imports_in(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield all imports that can run, also those inside functions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.Import, ast.ImportFrom)):
            yield child
        elif not is_for_types(child):
            yield from imports_in(child)


def imported(module: str, path: Path) -> Iterator[str]:
    """Yield the full names that a module imports."""
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in imports_in(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        else:
            above = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{source}.{name.name}" for name in node.names)


@cache
def arrows() -> dict[str, set[str]]:
    """Return which modules of the package each of them imports."""
    modules = names_of_modules()
    found: dict[str, set[str]] = {}
    for module, path in modules.items():
        targets = set()
        for name in imported(module, path):
            while name and name not in modules:
                name = name.rpartition(".")[0]
            targets.add(name)
        found[module] = targets - {"", module}
    return found


def room_of(module: str) -> str:
    """Return the room that a module is in; that of the package itself is ``__init__``."""
    return (module.split(".") + ["__init__"])[1]


def circle_from(module: str, graph: dict[str, set[str]]) -> list[str]:
    """Return modules that import each other in a circle through this one, or none."""
    paths = [[module]]
    seen = set()
    while paths:
        path = paths.pop()
        for target in sorted(graph[path[-1]]):
            if target == module:
                return [*path, module]
            if target not in seen:
                seen.add(target)
                paths.append([*path, target])
    return []


def test_every_room_has_its_arrows() -> None:
    assert {room_of(module) for module in arrows()} == {*ROOMS, *FREE}


@pytest.mark.parametrize("room", ROOMS)
def test_imports_point_one_way(room: str) -> None:
    """From all modules of a room."""
    own = {(module, target) for module in arrows() if room_of(module) == room for target in arrows()[module]}
    strangers = {(module, target) for module, target in own if room_of(target) not in (room, "__init__", *ROOMS[room])}
    assert not strangers, f"{room} may import {ROOMS[room]}"


def test_no_imports_go_in_a_circle() -> None:
    circles = {module: circle_from(module, arrows()) for module in arrows()}
    found = [" -> ".join(circle) for circle in circles.values() if circle]
    assert not found, found


def test_no_test_module_imports_another() -> None:
    """What several need is in a module beside them."""
    tests = Path(__file__).parents[1]
    files = sorted(tests.rglob("test_*.py"))
    found = {str(file): [name for name in imported("tests", file) if ".test_" in f".{name}"] for file in files}
    assert len(files) > 100
    assert not {
        file: names for file, names in found.items() if any(".test_" in name.rpartition(".")[0] for name in names)
    }


def test_a_circle_would_be_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}
    assert circle_from("b", graph) == ["b", "c", "a", "b"]
    assert circle_from("d", graph) == []


def test_imports_inside_functions_count_and_those_for_types_do_not() -> None:
    code = "if TYPE_CHECKING:\n    import a\ndef f():\n    import b\n    from c import d\n"
    lines = [ast.unparse(node) for node in imports_in(ast.parse(code))]
    assert lines == ["import b", "from c import d"]
