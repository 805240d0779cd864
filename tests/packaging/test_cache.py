"""Where the compiled rules are cached, when they are recompiled, and the messages about it."""

import importlib.util
import os
import shutil
import sys
import time
import types

import numba
import pytest

from cli.processes import PACKAGE, environment, run

COMPILING = "crypt_env: compiling the rules (some seconds"
FOLDER = "from crypt_env.rules import compiled; print(compiled.CACHE_FOLDER)"
PLAY = """
from crypt_env import Batch
from crypt_env.rules import compiled
batch = Batch(1, 1, "AAAAAA", seed=3, restarts=False)
batch.reset()
while batch.states["mover"][0] >= 0:
    batch.step_random()
print(compiled.CACHE_FOLDER)
print(batch.states["scores"][0, 0])
"""
# The smallest of the compiled functions that call others: it takes a tenth as long to compile.
SCORE = """
import numpy as np
from crypt_env.rules import compiled
from crypt_env.rules.batch import sheet_rows
from crypt_env.rules.score import SHEET_LINES
from crypt_env.rules.state import GAME
states, sheets = np.zeros(1, GAME), np.zeros((1, 4, len(SHEET_LINES)), np.int16)
states["players"] = 1
compiled.prepare(sheet_rows, states, 0, 1, sheets)
sheet_rows(states, 0, 1, sheets)
print(compiled.CACHE_FOLDER)
print(sheets.sum())
"""
# The superuser may write everywhere; without these two capabilities permissions count for it, too.
OBEDIENT = """
import ctypes, os, sys
if os.geteuid() == 0:
    drop_from_bounding_set, override, read_search = 24, 1, 2
    libc = ctypes.CDLL(None)
    for capability in (override, read_search):
        libc.prctl(drop_from_bounding_set, capability, 0, 0, 0)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
PROBE = "import os, sys; sys.exit(os.access(sys.argv[1], os.W_OK))"


def obedient(*arguments, **options):
    """Run Python in a process for which permissions count, even if root runs the tests."""
    return run("-c", OBEDIENT, *arguments, **options)


def ask(site, program, start=run, **changes):
    """Run a program that imports the copy; no cache is named unless by a change of the environment."""
    clean = {"NUMBA_CACHE_DIR": None, "XDG_CACHE_HOME": None, "NUMBA_DISABLE_JIT": None, "PYTHONDONTWRITEBYTECODE": "1"}
    return start("-c", program, env=environment(**{**clean, "PYTHONPATH": site, **changes}), cwd=site)


@pytest.fixture
def copied(tmp_path):
    """A copy of the package without its cache; returns the folder that holds it."""
    site = tmp_path / "site"
    shutil.copytree(PACKAGE, site / "crypt_env", ignore=shutil.ignore_patterns("__pycache__"))
    return site


@pytest.fixture
def read_only(copied):
    """A copy of the package in which nothing can be written."""
    folders = [copied, *(path for path in copied.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    if obedient("-c", PROBE, copied / "crypt_env").returncode != 0:
        pytest.skip("this user can write everywhere")
    yield copied
    for folder in folders:
        folder.chmod(0o755)


def outcome(done):
    """Return the lines that a program has printed; it must have ended well."""
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def load(site):
    """Import the copy's module of compilation, apart from everything else."""
    rules = site / "crypt_env" / "rules"
    package = sys.modules["copied_rules"] = types.ModuleType("copied_rules")
    package.__path__ = [str(rules)]
    spec = importlib.util.spec_from_file_location("copied_rules.compiled", rules / "compiled.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# -- the digest -------------------------------------------------------------------------------------------------------


def test_editing_any_file_of_the_rules_changes_the_digest(copied):
    compiled = load(copied)
    first = compiled.source_digest()
    files = sorted((copied / "crypt_env" / "rules").glob("*.py"))
    assert len(files) > 10
    seen = {first}
    for path in files:
        before = path.read_bytes()
        path.write_bytes(before + b"\n")
        seen.add(compiled.source_digest())
        path.write_bytes(before)
        assert compiled.source_digest() == first, path.name
    assert len(seen) == len(files) + 1


def test_new_removed_and_renamed_files_change_the_digest(copied):
    compiled = load(copied)
    digests = [compiled.source_digest()]
    rules = copied / "crypt_env" / "rules"
    (rules / "more.py").write_text("")
    digests.append(compiled.source_digest())
    (rules / "more.py").rename(rules / "most.py")
    digests.append(compiled.source_digest())
    (rules / "most.py").unlink()
    assert compiled.source_digest() == digests[0]
    (rules / "ghost.py").unlink()
    digests.append(compiled.source_digest())
    assert len(set(digests)) == 4


def test_other_files_do_not_change_the_digest(copied):
    compiled = load(copied)
    first = compiled.source_digest()
    (copied / "crypt_env" / "game.py").write_text("")
    (copied / "crypt_env" / "rules" / "notes.txt").write_text("")
    assert compiled.source_digest() == first == load(copied).source_digest()


@pytest.mark.parametrize("name", ["BOUNDSCHECK", "OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "ENABLE_AVX", "CPU_NAME",
                                  "CPU_FEATURES", "DEBUGINFO_DEFAULT"])  # fmt: skip
def test_settings_of_the_compiler_change_the_digest(copied, monkeypatch, name):
    compiled = load(copied)
    first = compiled.source_digest()
    assert hasattr(numba.config, name)
    monkeypatch.setattr(numba.config, name, "another")
    assert compiled.source_digest() != first


def test_versions_change_the_digest(copied, monkeypatch):
    compiled = load(copied)
    first = compiled.source_digest()
    monkeypatch.setattr(numba, "__version__", "0.0.1")
    assert compiled.source_digest() != first


@pytest.mark.parametrize(
    "setting", ["NUMBA_BOUNDSCHECK=1", "NUMBA_OPT=1", "NUMBA_DEBUGINFO=1", "NUMBA_CPU_NAME=generic"]
)
def test_settings_in_the_environment_lead_to_another_folder(copied, setting):
    name, value = setting.split("=")
    usual = outcome(ask(copied, FOLDER))
    other = outcome(ask(copied, FOLDER, **{name: value}))
    assert usual != other
    assert outcome(ask(copied, FOLDER)) == usual


# -- the folder -------------------------------------------------------------------------------------------------------


def test_the_cache_lies_in_the_package_if_it_can(copied):
    (folder,) = outcome(ask(copied, FOLDER))
    digest = load(copied).source_digest()
    assert folder == str(copied / "crypt_env" / "rules" / "__pycache__" / f"rules-{digest}")


def test_a_named_folder_comes_first(copied, tmp_path):
    (folder,) = outcome(ask(copied, FOLDER, NUMBA_CACHE_DIR=tmp_path / "named" / "deep"))
    assert folder.startswith(str(tmp_path / "named" / "deep" / "rules-"))


@pytest.mark.skipif(sys.platform != "linux", reason="the user's cache folder is named differently elsewhere")
def test_a_read_only_package_uses_the_users_folder(read_only, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (folder,) = outcome(ask(read_only, FOLDER, obedient, HOME=home))
    assert folder.startswith(str(home / ".cache" / "crypt_env" / "rules-"))
    (folder,) = outcome(ask(read_only, FOLDER, obedient, HOME=home, XDG_CACHE_HOME=tmp_path / "xdg"))
    assert folder.startswith(str(tmp_path / "xdg" / "crypt_env" / "rules-"))


def test_nothing_writable_is_one_warning(read_only, tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    done = ask(read_only, FOLDER, obedient, HOME=closed)
    assert outcome(done) == ["None"]
    assert done.stderr.count("RuntimeWarning") == 1
    assert "crypt_env cannot keep its compiled rules (not writable: " in done.stderr
    assert "set NUMBA_CACHE_DIR to a folder that can be written" in done.stderr
    assert str(closed) in done.stderr
    named = ask(read_only, FOLDER, obedient, NUMBA_CACHE_DIR=closed)
    assert outcome(named) == ["None"]
    assert f"(not writable: {closed})" in named.stderr


def test_old_folders_are_pruned_when_a_new_one_is_made(copied, tmp_path):
    kept = load(copied).KEPT_FOLDERS
    for age in range(kept + 4):
        old = tmp_path / "cache" / f"rules-{age:016x}"
        old.mkdir(parents=True)
        (old / "code.nbi").write_text("")
        stamp = time.time() - 1000 * (age + 1)
        os.utime(old, (stamp, stamp))
    stranger = tmp_path / "cache" / "another"
    stranger.mkdir()
    (folder,) = outcome(ask(copied, FOLDER, NUMBA_CACHE_DIR=tmp_path / "cache"))
    wanted = {folder.rpartition(os.sep)[2], *(f"rules-{age:016x}" for age in range(kept - 1))}
    assert {path.name for path in (tmp_path / "cache").glob("rules-*")} == wanted
    assert stranger.is_dir()
    (tmp_path / "cache" / "rules-more").mkdir()
    assert outcome(ask(copied, FOLDER, NUMBA_CACHE_DIR=tmp_path / "cache")) == [folder]
    assert {path.name for path in (tmp_path / "cache").glob("rules-*")} == wanted | {"rules-more"}


# -- compiling --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_edited_callee_is_recompiled(copied):
    """numba itself would go on with the cached caller."""
    cold = ask(copied, SCORE)
    folder, score = outcome(cold)
    assert cold.stderr == f"{COMPILING}, once) ...\n"
    warm = ask(copied, SCORE)
    assert outcome(warm) == [folder, score]
    assert warm.stderr == ""
    callee = copied / "crypt_env" / "rules" / "score.py"
    text = callee.read_text()
    assert "\ndef remains_bonus(game: np.record, seat: int) -> int:" in text
    changed = "\n\n@rule\ndef remains_bonus(game: np.record, seat: int) -> int:\n    return 100\n"
    callee.write_text(text + changed)
    edited = ask(copied, SCORE)
    other, new_score = outcome(edited)
    assert other != folder
    assert edited.stderr == cold.stderr
    assert int(new_score) == int(score) + 100  # side A of Remains is worth no coins
    callee.write_text(text)
    back = ask(copied, SCORE)
    assert outcome(back) == [folder, score]
    assert back.stderr == ""


@pytest.mark.slow
def test_a_read_only_package_is_compiled_once(read_only, tmp_path):
    named = {"XDG_CACHE_HOME": tmp_path / "xdg", "PYTHONWARNINGS": "error"}
    cold = ask(read_only, SCORE, obedient, **named)
    folder, score = outcome(cold)
    assert folder.startswith(str(tmp_path / "xdg" / "crypt_env"))
    assert cold.stderr == f"{COMPILING}, once) ...\n"
    warm = ask(read_only, SCORE, obedient, **named)
    assert outcome(warm) == [folder, score]
    assert warm.stderr == ""


@pytest.mark.slow
def test_waiting_for_the_compiler_is_announced(copied, tmp_path):
    """Also if another copy of the same version has filled the same folder."""
    program = SCORE + ("print(sum(sheet_rows.stats.cache_misses.values()) + (sheet_rows.stats.cache_path is None))\n")
    other = tmp_path / "other"
    shutil.copytree(copied, other)
    for site in (copied, other, other):
        done = ask(site, program, NUMBA_CACHE_DIR=tmp_path / "cache")
        was_compiled = outcome(done)[-1] != "0"
        assert (COMPILING in done.stderr) == was_compiled, f"{site.name}: {done.stderr!r}"


@pytest.mark.slow
def test_with_nothing_writable_the_rules_still_work(read_only, tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    done = ask(read_only, PLAY, obedient, HOME=closed)
    folder, score = outcome(done)
    assert folder == "None"
    assert int(score) > 0
    assert done.stderr.count("Warning") == 1
    assert done.stderr.count(f"{COMPILING}) ...") == 1
    assert list(closed.iterdir()) == []


@pytest.mark.slow
def test_a_cache_file_cut_short_is_replaced(copied, tmp_path):
    """A full disk leaves empty files: the rules are compiled again instead of failing forever."""
    cache = tmp_path / "cut"
    expected = outcome(ask(copied, SCORE, NUMBA_CACHE_DIR=str(cache)))
    for path in cache.rglob("*.nbc"):
        path.write_bytes(b"")
    assert outcome(ask(copied, SCORE, NUMBA_CACHE_DIR=str(cache))) == expected
