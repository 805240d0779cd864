"""A network of observation layout 0 plays the same in the current layout, and can learn to use the new inputs."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from crypt_env import ACTIONS, FEATURES, Batch, CryptError
from crypt_env.agents.network import Network, load_network
from crypt_env.agents.network_file import KEY
from crypt_env.notation.actions import ACTION_TEXTS
from crypt_env.notation.view import thermometer, used_columns
from crypt_env.rules.observe import LAYOUT, LAYOUT_VERSION
from tools import carry_network

OLD_FEATURES = 465
PLACES = carry_network.new_places()
NEW = np.setdiff1d(np.arange(FEATURES), PLACES)
"""Columns that layout 0 does not have."""


def old_network(above, players=(2, 3), widths=(12, 7), format_name="crypt-network/1"):
    """Return weights and facts as layout 0 had them."""
    generator = np.random.default_rng(5)
    columns = np.sort(generator.choice(OLD_FEATURES, 60, replace=False)).tolist()
    sizes = [len(columns), *widths]
    shapes = {f"hidden.{number}": sizes[number : number + 2] for number in range(len(widths))}
    shapes |= {"policy": [sizes[-1], 123], "value": [sizes[-1], 1]}
    weights = {}
    for name, (before, behind) in shapes.items():
        weights[f"{name}.weight"] = generator.normal(size=(behind, before)).astype(np.float32)
        weights[f"{name}.bias"] = generator.normal(size=behind).astype(np.float32)
    facts = {"format": format_name, "layout_version": 0, "actions": 123, "columns": columns, "players": list(players)}
    if above:
        facts["above"] = generator.integers(0, 2, len(columns)).tolist()
    return weights, {**facts, "name": "old", "training": {"decisions": 9}}


def old_answers(weights, facts, observations):
    """Return what a network of layout 0 says about observations of layout 0."""
    seen = observations[:, facts["columns"]]
    hidden = (seen > np.array(facts["above"]) if "above" in facts else seen).astype(np.float32)
    for number in range(sum(name.startswith("hidden") for name in weights) // 2):
        hidden = np.maximum(hidden @ weights[f"hidden.{number}.weight"].T + weights[f"hidden.{number}.bias"], 0)
    logits = hidden @ weights["policy.weight"].T + weights["policy.bias"]
    return logits, (hidden @ weights["value.weight"].T + weights["value.bias"])[:, 0]


def write_two(path, weights, facts):
    """Write a network of two files."""
    path.write_bytes(save(weights))
    path.with_suffix(".json").write_text(json.dumps(facts))


def write_one(path, weights, facts):
    """Write a network of one file."""
    path.write_bytes(save(weights, {KEY: json.dumps({**facts, "format": "crypt-network/2"})}))


def observations(players=3):
    """Return observations of games, as this package writes them."""
    batch = Batch(300, players, seed=2)
    arrays = batch.reset()
    for _ in range(25):
        arrays = batch.step_random()
    return arrays.observations.copy()


def test_the_parts_of_layout_0_are_all_there():
    assert sum(int(np.prod(shape)) for _, shape, _ in carry_network.OLD_PARTS) == OLD_FEATURES == len(PLACES)
    assert len(set(PLACES.tolist())) == OLD_FEATURES
    assert PLACES[:15].tolist() == list(range(15))  # up to the third entry of the phase
    parts = {part.name: part for part in LAYOUT}
    start = 0
    for name, shape, _ in carry_network.OLD_PARTS:
        first, last = PLACES[start], PLACES[start + int(np.prod(shape)) - 1]
        assert parts[name].start == first <= last < parts[name].stop
        start += int(np.prod(shape))
    assert all(text.startswith("flip ") for text in ACTION_TEXTS[carry_network.OLD_ACTIONS :])


@pytest.mark.parametrize("write", [write_two, write_one])
@pytest.mark.parametrize("widths", [(12, 7), (9,), ()])
@pytest.mark.parametrize("above", [True, False])
@pytest.mark.parametrize("more", [[], ["--no-new-inputs"]])
def test_a_carried_network_says_the_same(write, widths, above, more, tmp_path, capsys):
    weights, facts = old_network(above, widths=widths)
    write(tmp_path / "old.safetensors", weights, facts)
    assert carry_network.main([str(tmp_path / "old"), str(tmp_path / "new"), *more]) == 0
    network = load_network(tmp_path / "new")
    assert str(tmp_path / "new.safetensors") in capsys.readouterr().out

    generator = np.random.default_rng(1)
    old = np.concatenate([generator.integers(0, 3, (500, OLD_FEATURES), np.int8), observations()[:, PLACES]])
    seen = np.zeros((len(old), FEATURES), np.int8)
    seen[:, PLACES] = old
    logits, values = network.evaluate(seen)
    expected_logits, expected_values = old_answers(weights, facts, old)
    np.testing.assert_allclose(logits[:, :123], expected_logits, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(values, expected_values, rtol=1e-4, atol=1e-4)
    assert (logits[:, 123:] == 0).all()

    seen[:, NEW] = generator.integers(0, 5, (len(seen), len(NEW)))
    for said, before in zip(network.evaluate(seen), (logits, values), strict=True):
        np.testing.assert_allclose(said, before, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("players", [(1,), (2,), (3,), (4,), (1, 2, 3, 4)])
@pytest.mark.parametrize("above", [True, False])
def test_new_inputs_are_those_that_tell_anything(above, players):
    weights, facts = old_network(above, players)
    carried_weights, carried = carry_network.carry(weights, facts)
    network = Network(carried_weights, carried)
    count = len(facts["columns"])
    assert carried["columns"][:count] == PLACES[facts["columns"]].tolist()
    wanted = [column for column in used_columns(players).tolist() if column in set(NEW.tolist())]
    assert wanted
    if above:
        wanted, limits = thermometer(wanted)
        assert carried["above"] == facts["above"] + limits
    assert carried["columns"][count:] == wanted
    first = network.weights["hidden.0.weight"]
    np.testing.assert_array_equal(first[:, :count], weights["hidden.0.weight"])
    assert not first[:, count:].any()
    deaf_weights, deaf = carry_network.carry(weights, facts, has_new_inputs=False)
    assert deaf["columns"] == carried["columns"][:count]
    assert Network(deaf_weights, deaf).weights["hidden.0.weight"].shape == weights["hidden.0.weight"].shape


def test_facts_are_kept_and_tell_where_it_comes_from(tmp_path):
    weights, facts = old_network(True)
    old = tmp_path / "old.safetensors"
    write_two(old, weights, facts)
    content = old.read_bytes()
    carry_network.carry_file(old, tmp_path / "new.safetensors")
    carried = load_network(tmp_path / "new").facts
    for name in ("name", "training", "players"):
        assert carried[name] == facts[name]
    assert (carried["format"], carried["layout_version"], carried["actions"]) == (
        "crypt-network/2",
        LAYOUT_VERSION,
        ACTIONS,
    )
    assert carried["carried_from"] == {"layout_version": 0, "sha256": hashlib.sha256(content).hexdigest()}
    assert old.read_bytes() == content


@pytest.mark.parametrize("above", [True, False])
def test_training_can_continue_from_it(above):
    pytest.importorskip("sb3_contrib")
    from crypt_env.ppo.export import start_from, weights_of
    from crypt_env.ppo.policy import trunk
    from ppo.small import small_env, small_model

    _, facts = old_network(above, [2])
    used = set(used_columns([2]).tolist())
    columns = [column for column in range(OLD_FEATURES) if PLACES[column] in used]
    inputs = {"columns": columns}
    if above:
        back = {place: column for column, place in enumerate(PLACES.tolist())}
        places, limits = thermometer(PLACES[columns].tolist())
        inputs = {"columns": [back[place] for place in places], "above": limits}
    generator = np.random.default_rng(3)
    sizes = {"hidden.0": (8, len(inputs["columns"])), "policy": (123, 8), "value": (1, 8)}
    weights = {f"{name}.weight": generator.normal(size=size).astype(np.float32) for name, size in sizes.items()}
    weights |= {f"{name}.bias": np.zeros(size[0], np.float32) for name, size in sizes.items()}
    network = Network(*carry_network.carry(weights, {**facts, **inputs}))
    learner = small_model(small_env(2), policy_kwargs=trunk([2], [8], thermometers=above), learning_rate=0.01)
    start_from(learner.policy, network, [2])
    seen = observations(2)
    said = Network(weights_of(learner.policy), {**network.facts, **_inputs(learner)}).evaluate(seen)
    np.testing.assert_allclose(said[0], network.evaluate(seen)[0], rtol=1e-4, atol=1e-4)
    learned = weights_of(learner.learn(4000).policy)
    is_new = np.isin(_inputs(learner)["columns"], NEW)
    assert learned["hidden.0.weight"][:, is_new].any()
    assert learned["policy.weight"][123:].any()


def _inputs(model):
    """Return the inputs of a model, as facts have them."""
    extractor = model.policy.features_extractor
    above = None if extractor.above is None else extractor.above.tolist()
    return {"columns": extractor.columns.tolist(), "above": above}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"layout_version": LAYOUT_VERSION, "actions": ACTIONS}, f"it is for observation layout {LAYOUT_VERSION} and"),
        ({"actions": 127}, "it is for observation layout 0 and 127 actions; layout 0 and 123 actions are needed"),
        ({"format": "else"}, "its format is 'else'; allowed are crypt-network/1, crypt-network/2"),
        ({"columns": [0, OLD_FEATURES]}, "a list of whole numbers from 0 to 464 is needed"),
        ({"columns": "many"}, "columns='many'; a list of whole numbers from 0 to 464 is needed"),
        ({"above": [0]}, "this network has 1 limits for 60 columns"),
        ({"players": [9]}, r"players=\[9\]; a list of whole numbers from 1 to 4 is needed"),
        ({"columns": [0, 1]}, "this network has a layer of shape"),
    ],
)
def test_other_files_than_networks_of_layout_0_give_one_sentence(change, sentence, tmp_path, capsys):
    weights, facts = old_network(False)
    write_two(tmp_path / "old.safetensors", weights, {**facts, **change})
    assert carry_network.main([str(tmp_path / "old"), str(tmp_path / "new")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("carry_network: ")
    with pytest.raises(CryptError, match=sentence):
        raise CryptError(line)
    assert not (tmp_path / "new.safetensors").exists()


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("old.safetensors", None, "cannot be read: it is not a file"),
        ("old.safetensors", b"nothing", "it is truncated, damaged or not a safetensors file"),
        ("old.json", None, "it has no facts in it, and there is no old.json beside it"),
        ("old.json", b"nothing", "its facts are not readable JSON"),
        ("old.json", b"\xff\xfe", "codec can't decode"),
        ("old.json", b" " * 2**21, "old.json beside it is longer than 1048576 bytes"),
        ("old.json", b"[" * 99_999, "its facts are not readable JSON"),
    ],
)
def test_files_that_cannot_be_read_are_one_sentence(name, content, sentence, tmp_path, capsys):
    write_two(tmp_path / "old.safetensors", *old_network(True))
    (tmp_path / name).unlink()
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert carry_network.main([str(tmp_path / "old.safetensors"), str(tmp_path / "new")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert sentence in line
    assert not (tmp_path / "new.safetensors").exists()


def test_it_is_a_command(tmp_path):
    write_two(tmp_path / "old.safetensors", *old_network(True))
    command = [sys.executable, carry_network.__file__, "old.safetensors", "new.safetensors"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("written: new.safetensors, with ")
    assert (tmp_path / "new.safetensors").is_file()
    assert Path(carry_network.__file__).name == "carry_network.py"
