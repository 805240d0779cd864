"""What importing the package pulls in, and what its parts import of each other."""

import ast
import json

import pytest

import crypt_env
from cli.processes import PACKAGE, environment, run

HEAVY = (
    "pettingzoo",
    "torch",
    "pygame",
    "matplotlib",
    "pandas",
    "PIL",
    "stable_baselines3",
    "rich",
    "platformdirs",
    "threadpoolctl",
)
"""Without scipy, the first module of which numba imports wherever it is installed."""


def loaded_after(program, whole=""):
    """Return the top-level modules that a program has loaded; of one package all modules."""
    done = run("-c", f"{program}\nimport json, sys; print(); print(json.dumps(sorted(sys.modules)))", env=environment())
    assert done.returncode == 0, done.stderr
    names = json.loads(done.stdout.splitlines()[-1])
    return {name for name in names if f"{name}.".startswith(f"{whole}.")} if whole else {n.split(".")[0] for n in names}


@pytest.mark.parametrize(
    "program",
    [
        "import crypt_env",
        "import crypt_env.cli.main, crypt_env.notation.record, crypt_env.notation.view, crypt_env.rules.batch",
        "import crypt_env; game = crypt_env.random_game(2, seed=1); str(game), game.view(0), game.text(), repr(game)",
        "import crypt_env; crypt_env.Batch(4).reset()",
    ],
)
def test_the_package_loads_nothing_heavy(program):
    loaded = loaded_after(program)
    assert {"crypt_env", "numpy", "gymnasium"} <= loaded
    assert not loaded & set(HEAVY)


@pytest.mark.parametrize(
    "program",
    [
        "import crypt_env.envs.single; crypt_env.envs.single.SeatEnv(3).reset()",
        "import crypt_env.envs.vector; crypt_env.envs.vector.SeatVectorEnv(4).reset()",
        "import crypt_env, gymnasium; gymnasium.make('crypt_env/OnlyChild-v0').reset()",
        "import crypt_env, gymnasium; gymnasium.make_vec('crypt_env/Crypt-v0', num_envs=2).reset()",
    ],
)
def test_games_for_gymnasium_load_no_library_that_learns(program):
    assert not loaded_after(program) & set(HEAVY)


def test_the_ids_are_registered_by_importing():
    program = "import crypt_env, gymnasium; print(sorted(name for name in gymnasium.registry if 'crypt' in name))"
    done = run("-c", program, env=environment())
    assert done.stdout == "['crypt_env/Crypt-v0', 'crypt_env/OnlyChild-v0']\n"


def modules_after(program):
    """Return the modules of this package that a program has loaded."""
    return loaded_after(program, whole="crypt_env")


def test_the_package_itself_is_one_module():
    assert modules_after("import crypt_env") == {"crypt_env"}


def test_public_names_are_those_that_type_checkers_see():
    program = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    declared = {}
    for node in ast.walk(program):
        if isinstance(node, ast.ImportFrom) and node.level:
            declared[node.module] = tuple(name.name for name in node.names)
    assert declared == crypt_env._HOMES
    assert sorted(crypt_env._HOME) == sorted(crypt_env.__all__)
    assert all(name in dir(crypt_env) and getattr(crypt_env, name) is not None for name in crypt_env.__all__)
    with pytest.raises(AttributeError, match="'crypt_env' has no attribute 'nothing'"):
        getattr(crypt_env, "nothing")  # noqa: B009


CONSOLE = {f"crypt_env.console{name}" for name in ("", ".signals", ".streams")}


def test_a_command_loads_what_it_needs():
    """The engine has some twenty modules; the list of commands loads none of them."""
    run_it = "from crypt_env.cli.main import main; main({}.split())"
    assert len(modules_after(run_it.format("'records'"))) <= 35
    helped = "from contextlib import suppress\nwith suppress(SystemExit): " + run_it.format("'--help'")
    known = {"crypt_env", "crypt_env.cli", "crypt_env.cli.main", "crypt_env.errors", *CONSOLE}
    assert modules_after(helped) == known


def test_nothing_is_drawn_by_importing():
    program = "import crypt_env, sys; assert not any(name.startswith('crypt_env.drawing') for name in sys.modules)"
    assert run("-c", program, env=environment()).returncode == 0


def test_an_import_is_silent_and_runs_nothing():
    done = run("-W", "error", "-c", "import crypt_env", env=environment(PYTHONWARNINGS=None))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def imports_of(path):
    """Yield the full names of all modules that a file of the package imports, wherever in it."""
    package = ("crypt_env", *path.relative_to(PACKAGE).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{name.name}" for name in node.names)


FILES = sorted(PACKAGE.rglob("*.py"))


def test_the_files_of_the_package_are_found():
    assert len(FILES) > 25
    assert PACKAGE / "rules" / "flow.py" in FILES
    assert "crypt_env.rules.compiled" in set(imports_of(PACKAGE / "rules" / "flow.py"))
    assert "crypt_env.errors" in set(imports_of(PACKAGE / "notation" / "record.py"))


@pytest.mark.parametrize("path", [path for path in FILES if path.parent.name == "rules"], ids=lambda path: path.stem)
def test_the_rules_import_nothing_but_rules_numpy_and_numba(path):
    names = set(imports_of(path))
    own = {name for name in names if name.partition(".")[0] == "crypt_env"}
    assert all(name == "crypt_env.rules" or name.startswith("crypt_env.rules.") for name in own), own
    foreign = {name.partition(".")[0] for name in names - own}
    assert not foreign & {"gymnasium", "random", *HEAVY} - {"platformdirs"}, foreign


def test_nothing_in_the_package_imports_training_or_the_tests():
    for path in FILES:
        tops = {name.partition(".")[0] for name in imports_of(path)}
        assert "pytest" not in tops, path
        assert "torch" not in tops or path.parent.name in ("ppo", "experiment", "rllib") or path.name == "sb3.py", path
        assert not tops & {"training", "tools", "tests", "referee", "golden"}, path


def test_all_public_names_exist_and_are_documented():
    import crypt_env

    assert crypt_env.__all__ == sorted(crypt_env.__all__, key=lambda name: (not name.isupper(), name))
    for name in crypt_env.__all__:
        value = getattr(crypt_env, name)
        assert name.isupper() or value.__doc__, name
    assert isinstance(crypt_env.__version__, str)
    with pytest.raises(AttributeError, match="module 'crypt_env' has no attribute 'nothing'"):
        _ = crypt_env.nothing
    assert (PACKAGE / "py.typed").is_file()


def test_the_rules_run_as_plain_python():
    """With NUMBA_DISABLE_JIT=1 the same game comes out, and nothing is kept on disk."""
    program = (
        "import json, sys, crypt_env; from crypt_env.rules import compiled; "
        "print(compiled.CACHE_FOLDER, json.dumps(crypt_env.to_record(crypt_env.random_game(1, seed=4), True)))"
    )
    compiled = run("-c", program, env=environment(NUMBA_DISABLE_JIT=None))
    plain = run("-c", program, env=environment(NUMBA_DISABLE_JIT=1))
    assert (plain.returncode, plain.stderr) == (0, "")
    assert plain.stdout.startswith("None {")
    assert plain.stdout.partition(" ")[2] == compiled.stdout.partition(" ")[2]
