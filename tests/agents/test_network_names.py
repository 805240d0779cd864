"""A name without a slash is a network that comes with the package, one with a slash is a path."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from crypt_env import CryptError, Game
from crypt_env.agents import agent_forms, agent_names, make_agent
from crypt_env.agents.network import load_network, save_network
from crypt_env.agents.network_names import SHIPPED, find_network, is_path, new_network_path, shipped_networks
from crypt_env.agents.registry import network_path


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Return an empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_five_networks_come_with_the_package():
    assert shipped_networks() == ["duel", "generalist", "quartet", "solo", "trio"]
    others = {path.name for path in SHIPPED.iterdir() if path.is_file() and path.suffix != ".safetensors"}
    assert others <= {"__init__.py", "tuned.json"}
    for name in shipped_networks():
        network = load_network(name)
        assert make_agent(f"net:{name}").name == f"net:{name}"
        assert network.facts["name"] == name


@pytest.mark.parametrize("spec", ["net:{}", "net:{}:draw", "puct:2:net:{}"])
def test_a_name_does_not_depend_on_the_working_directory(spec, here):
    for name in ("solo.safetensors", "mine.safetensors"):
        (here / name).write_bytes(b"nothing that could be read")
    (here / "trio").mkdir()
    make_agent(spec.format("solo"))
    for name in ("mine", "mine.safetensors", "solo.safetensors", ".", "..", "trio\0", ""):
        with pytest.raises(CryptError, match=r"there is no network|is not possible"):
            make_agent(spec.format(name))
    with pytest.raises(CryptError, match=r"network '(\./)?solo\.safetensors' cannot be read"):
        make_agent(spec.format("./solo"))


def test_an_unknown_name_says_which_there_are(here):
    save_network("mine", load_network("solo").weights, load_network("solo").facts)
    with pytest.raises(CryptError) as caught:
        make_agent("net:mine")
    assert str(caught.value) == (
        "there is no network 'mine'; the package has duel, generalist, quartet, solo, trio, "
        "and a path has a slash in it"
    )
    with pytest.raises(CryptError) as caught:
        make_agent("net:runs/mine")
    file = str(Path("runs/mine.safetensors"))
    assert str(caught.value) == f"there is no network 'runs/mine': {file!r} is not a file"


@pytest.mark.parametrize("ending", ["", ".safetensors"])
@pytest.mark.parametrize("folder", ["./", "runs/a.b/", "{}/", "runs/planet:3/"])
def test_a_path_has_a_slash(folder, ending, here):
    if os.name == "nt" and ":" in folder:
        pytest.skip("no name of a folder there")
    name = f"{folder.format(here)}mine"
    save_network(name, load_network("solo").weights, load_network("solo").facts)
    for spec in ("net:{}", "net:{}:draw", "puct:2:net:{}"):
        agent = spec.format(name + ending)
        make_agent(agent)
        assert network_path(agent) == Path(f"{name}.safetensors")


def test_what_is_not_a_text_is_a_path(here):
    save_network(Path("mine"), load_network("solo").weights, load_network("solo").facts)
    assert find_network(Path("mine")) == Path("mine.safetensors")
    with pytest.raises(CryptError, match=r"there is no network 'solo': 'solo\.safetensors' is not a file"):
        find_network(Path("solo"))


def test_a_backslash_is_a_slash_where_paths_have_it(monkeypatch):
    assert is_path(f"runs{os.sep}mine")
    assert is_path("runs/mine")
    monkeypatch.setattr(os, "sep", "\\")
    assert is_path("runs\\mine")
    monkeypatch.setattr(os, "sep", "/")
    assert not is_path("runs\\mine")


@pytest.mark.parametrize(
    "agent", ["random", "search:20", "net:", "net:missing", "net:./missing", "puct:9:solo", "planet:solo"]
)
def test_other_agents_have_no_network(agent):
    assert network_path(agent) is None


@pytest.mark.parametrize("agent", ["net:solo", "net:solo:draw", "puct:50:net:solo"])
def test_the_network_of_an_agent(agent):
    assert network_path(agent) == SHIPPED / "solo.safetensors"


def test_a_path_is_an_agent_and_a_folder_means_its_best_network(tmp_path, monkeypatch):
    solo = load_network("solo")
    save_network(tmp_path / "run" / "best", solo.weights, solo.facts)
    monkeypatch.chdir(tmp_path)
    game = Game(players=1, seed=3)
    for text in ("./run", "./run/", str(tmp_path / "run"), "run/best", "run/best.safetensors"):
        agent = make_agent(text, allow_code=False)
        assert (agent.name, agent.choose(game)) == (text, make_agent("net:solo").choose(game))
        assert network_path(text).resolve() == tmp_path / "run" / "best.safetensors"
    assert make_agent("./run:draw").choose(game) == make_agent("net:solo:draw").choose(game)
    with pytest.raises(CryptError, match=r"holds no network; that of a training run has a file best\.safetensors"):
        make_agent(f"{tmp_path}/")
    with pytest.raises(CryptError, match=r"there is no network '\./missing'"):
        make_agent("./missing")


def test_every_agent_of_the_package_says_how_it_is_written():
    forms = agent_forms()
    assert list(forms) == agent_names()
    for name in ("random", "ghost", "greedy", "tuned", "search", "ismcts", "net", "puct", "sb3"):
        assert f"'{name}" in forms[name]
        assert f"``{name}" in agent_names.__doc__


@pytest.mark.parametrize("path", ["", ".", "..", "runs/", ".safetensors"])
def test_a_new_network_has_a_name(path):
    with pytest.raises(CryptError, match="is not possible as a network's file; a path with a name is needed"):
        new_network_path(path)
