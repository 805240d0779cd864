"""Agents of modules: found from the command line and from Python, explained if not, refused where files name them."""

import importlib
import os
import sys

import pytest

from cli.processes import PACKAGE, environment, run
from crypt_env import CryptError, Game
from crypt_env.agents import Agent, FunctionAgent, RandomAgent, agent_names, make_agent, register_agent
from crypt_env.agents.opponents import Opposition
from crypt_env.cli.bench import _start_seconds

EXIT = "raise SystemExit(main())"
SCRIPT = f"import sys; sys.path.pop(0); sys.argv[0] = 'crypt'; from crypt_env.__main__ import main; {EXIT}"
"""Starts the command as its script does: the current folder is not on the search path."""
MODULE = "agents_of_a_test"
SOURCE = """
import crypt_env.agents
number = 5
class Cautious(crypt_env.agents.Agent):
    def act(self, decisions):
        return decisions.masks.argmax(axis=1)
class Demanding(Cautious):
    def __init__(self, wish):
        pass
def failing():
    raise ZeroDivisionError("nothing to share")
def choosy():
    raise crypt_env.CryptError("no such mood")
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder on the import path, with a module of agents."""
    (tmp_path / f"{MODULE}.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    yield tmp_path
    for name in (MODULE, "wrong_of_a_test"):
        sys.modules.pop(name, None)


def test_a_module_without_a_dot_makes_agents(folder):
    agent = make_agent(f" {MODULE}:Cautious ")
    assert agent.name == f"{MODULE}:Cautious"
    assert agent.choose(Game(seed=1)) in Game(seed=1).legal()
    assert Opposition([f"{MODULE}:Cautious"], 2).agents == [f"{MODULE}:Cautious"]


def test_names_that_are_registered_are_never_modules(folder):
    (folder / "search.py").write_text("raise AssertionError")
    with pytest.raises(CryptError, match="'search:Agent' is not possible"):
        make_agent("search:Agent")


def test_the_current_folder_is_searched_from_the_command_line(folder):
    arguments = ["arena", f"{MODULE}:Cautious", "random", "--games", 2, "--jobs", 2, "--quiet"]
    for start in (["-m", "crypt_env"], ["-c", SCRIPT]):
        done = run(*start, *arguments, env=environment(PYTHONPATH=None), cwd=folder)
        assert done.returncode == 0, done.stderr
        assert f"{MODULE}:Cautious" in done.stdout


def test_the_current_folder_shadows_nothing(folder):
    (folder / "colorsys.py").write_text("raise AssertionError")
    script = (
        f"import sys; sys.path.pop(0); sys.argv = ['crypt', '--version']; from crypt_env.__main__ import main; {EXIT}"
    )
    done = run("-c", script.replace("main()", "main() or (__import__('colorsys') and 0)"), cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("start", [["-m", "crypt_env"], ["-c", SCRIPT]], ids=["module", "script"])
def test_a_command_that_names_no_code_runs_none_of_the_current_folder(start, tmp_path):
    """Numba tries to import optional modules, such as these."""
    for name in ("coverage", "colorama", "cffi"):
        (tmp_path / f"{name}.py").write_text("print('a stranger was here')")
    home = os.fspath(PACKAGE.parent)
    done = run(*start, "benchmark", "tasks", env=environment(PYTHONPATH=home), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "stranger" not in done.stdout


def test_the_start_of_a_process_is_measured_without_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "secrets.py").write_text("raise AssertionError")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("crypt_env.cli.bench._START", "import secrets; secrets.choice")
    assert _start_seconds(str(tmp_path / "cache")) > 0


@pytest.mark.parametrize(
    ("agent", "sentence"),
    [
        ("typo_agent:X", "agent 'typo_agent:X' is not known, and no module named 'typo_agent' is found; known are"),
        (f"{MODULE}:Brave", f"cannot be made: module '{MODULE}' has no attribute 'Brave'"),
        (f"{MODULE}:number", f"'{MODULE}:number' is int; a callable that makes an Agent is needed"),
        (f"{MODULE}:Demanding", r"the call of Demanding\(\) without arguments failed with TypeError: "),
        (f"{MODULE}:failing", rf"failed with ZeroDivisionError: nothing to share \({MODULE}.py, line 11\)"),
        (f"{MODULE}:choosy", "^no such mood$"),
        (f"{MODULE}.Cautious", rf"'{MODULE}.Cautious' cannot be made: the name of a module, a colon and what makes"),
        (f"{MODULE}.:Cautious", "cannot be made: the name of a module, a colon and what makes"),
        ("json:dumps", r"failed with TypeError: dumps\(\) missing 1 required positional argument: 'obj'$"),
        ("x" * 5000 + ":X", r"agent 'x{55,60}\.\.\. is not known"),
        ("serch:200", "agent 'serch:200' is not known; known are"),
        (f"{MODULE}:a\nb", r"agent '.*a\\nb' is not known; known are"),
    ],
)
def test_errors_are_one_sentence(folder, agent, sentence):
    with pytest.raises(CryptError, match=sentence) as error:
        make_agent(agent)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("import not_there", "module 'wrong_of_a_test' needs 'not_there', which is not installed"),
        ("class X(:", r"failed with SyntaxError: invalid syntax \(wrong_of_a_test.py, line 1\)"),
        ("\n1 / 0", r"failed with ZeroDivisionError: division by zero \(wrong_of_a_test.py, line 2\)"),
        ("raise SystemExit('bye')", "failed with SystemExit: bye"),
        ("raise OSError('two\\nlines')", "failed with OSError: two "),
    ],
)
def test_modules_that_cannot_be_imported(folder, source, sentence):
    (folder / "wrong_of_a_test.py").write_text(source)
    importlib.invalidate_caches()
    with pytest.raises(CryptError, match=sentence) as error:
        make_agent("wrong_of_a_test:X")
    assert "\n" not in str(error.value)


def test_a_module_that_exits_when_it_is_asked_for_an_agent():
    with pytest.raises(CryptError, match=r"the call of exit\(\) without arguments failed with SystemExit"):
        make_agent("sys:exit")


# -- texts from files -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", [f"{MODULE}:Cautious", "my.module:X", "sb3:model.zip", "sb3:", ".x", f" {MODULE}:X "])
def test_a_text_from_a_file_runs_no_code(folder, agent):
    loaded = set(sys.modules)
    with pytest.raises(
        CryptError, match="would run code from a module or a saved model, which a file must not ask for"
    ):
        make_agent(agent, allow_code=False)
    assert set(sys.modules) == loaded


def test_a_registered_agent_may_say_that_its_text_names_code():
    made = []
    register_agent("runs code in a test", lambda text: made.append(text) or RandomAgent(), runs_code=True)
    with pytest.raises(CryptError, match="agent 'runs code in a test:x' would run code") as error:
        make_agent("runs code in a test:x", allow_code=False)
    assert made == []
    allowed = str(error.value).split("allowed there are ")[1].split(", ")
    assert allowed == [name for name in agent_names() if name in allowed]
    assert {"random", "greedy", "search", "net", "puct"} <= set(allowed)
    assert not {"sb3", "runs code in a test"} & set(allowed)
    make_agent("runs code in a test:x")
    assert made == ["x"]


@pytest.mark.parametrize("agent", ["random", "search:3", "net:solo", "puct:2:net:solo", RandomAgent(), lambda o, m: 0])
def test_agents_that_run_no_code_of_others_are_made(agent):
    made = make_agent(agent, allow_code=False)
    assert isinstance(made, (Agent, FunctionAgent))


def test_an_unknown_name_from_a_file_is_unknown():
    with pytest.raises(CryptError, match="agent 'missing' is not known"):
        make_agent("missing", allow_code=False)


def test_a_model_without_a_path_is_refused_before_torch_is_loaded():
    code = (
        "import sys; from crypt_env.agents import make_agent\n"
        "try: make_agent('sb3:')\nexcept ValueError as error: print(error)\nprint('torch' in sys.modules)"
    )
    sentence, loaded = run("-c", code, env=environment()).stdout.splitlines()
    assert sentence == "agent 'sb3:' is not possible; allowed is 'sb3:FILE' with the zip file of a saved MaskablePPO"
    assert loaded == "False"
