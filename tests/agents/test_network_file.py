"""A network is one file: what was written is read back, and any other content is refused in one sentence."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save

from crypt_env import ACTIONS, FEATURES, CryptError
from crypt_env.agents.network import Network, load_network, save_network
from crypt_env.agents.network_file import KEY, MAX_BYTES, MAX_HEADER, MAX_WIDTH
from crypt_env.rules.observe import LAYOUT_VERSION

COLUMNS = [3, 4, 10, 10, 11]
FACTS = {
    "format": "crypt-network/2",
    "layout_version": LAYOUT_VERSION,
    "actions": ACTIONS,
    "columns": COLUMNS,
    "above": [0, 0, 0, 1, 0],
    "players": [2, 3],
    "name": "hand-made",
    "reward": {"kind": "win", "dense": False, "scale": 1.0},
}


def made(widths=(6, 5)):
    """Return weights of a network with these hidden layers."""
    generator = np.random.default_rng(4)
    sizes = [len(COLUMNS), *widths]
    shapes = {f"hidden.{number}": sizes[number : number + 2] for number in range(len(widths))}
    shapes |= {"policy": [sizes[-1], ACTIONS], "value": [sizes[-1], 1]}
    weights = {}
    for name, (before, behind) in shapes.items():
        weights[f"{name}.weight"] = generator.normal(size=(behind, before)).astype(np.float32)
        weights[f"{name}.bias"] = generator.normal(size=behind).astype(np.float32)
    return weights


def write(path, weights=None, facts=FACTS):
    """Write an invalid file; facts may be text."""
    text = facts if isinstance(facts, str) else json.dumps(facts)
    path.write_bytes(save(made() if weights is None else weights, {KEY: text}))
    return path


def with_header(path, header, body):
    """Write a file of a header and what is behind it."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)


@pytest.fixture
def path(tmp_path):
    save_network(tmp_path / "net", made(), FACTS)
    return tmp_path / "net.safetensors"


def refusal(path):
    """Return the sentence with which a file is refused."""
    with pytest.raises(CryptError) as caught:
        load_network(path)
    sentence = str(caught.value)
    assert str(path) in sentence
    assert "\n" not in sentence
    assert len(sentence) < 400
    return sentence


# -- what is written --------------------------------------------------------------------------------------------------


def test_a_network_is_one_file_that_gives_back_what_was_written(path):
    assert list(path.parent.iterdir()) == [path]
    network = load_network(path)
    assert network.facts == FACTS
    assert (network.players, network.columns.tolist()) == ([2, 3], COLUMNS)
    assert network.weights.keys() == made().keys()
    for name, array in made().items():
        assert network.weights[name].dtype == np.float32
        np.testing.assert_array_equal(network.weights[name], array)
    save_network(path.with_name("again"), network.weights, network.facts)
    assert path.with_name("again.safetensors").read_bytes() == path.read_bytes()


def test_every_reader_of_safetensors_reads_it(path):
    read = load_file(path)
    for name, array in made().items():
        np.testing.assert_array_equal(read.pop(name), array)
    assert not read
    with safe_open(path, framework="numpy") as file:
        assert {name: json.loads(text) for name, text in file.metadata().items()} == {KEY: FACTS}


@pytest.mark.parametrize("name", ["mine", "mine.safetensors", "mine.v2", "mine.v2.safetensors"])
@pytest.mark.parametrize("kind", [str, lambda path: path])
def test_the_ending_may_be_left_out(name, kind, tmp_path):
    path = tmp_path / name.removesuffix(".safetensors")
    save_network(kind(tmp_path / name), made(), FACTS)
    assert [file.name for file in tmp_path.iterdir()] == [f"{path.name}.safetensors"]
    for written in (path, f"{path}.safetensors"):
        assert load_network(kind(written)).facts == FACTS


def test_facts_that_are_known_are_written_by_themselves(tmp_path):
    save_network(tmp_path / "net", made(), {"columns": COLUMNS, "players": [1], "format": "mine", "actions": 5})
    facts = load_network(tmp_path / "net").facts
    assert facts == {
        **{name: FACTS[name] for name in ("format", "layout_version", "actions")},
        "columns": COLUMNS,
        "players": [1],
    }


def test_half_precision_is_read_as_single(path):
    write(path, {name: array.astype(np.float16) for name, array in made().items()})
    for name, array in load_network(path).weights.items():
        assert array.dtype == np.float32
        np.testing.assert_array_equal(array, made()[name].astype(np.float16))


def test_numbers_that_json_does_not_have_become_null(path):
    save_network(path, made(), {**FACTS, "training": {"kl": [float("nan"), float("inf"), 1.5]}})
    assert load_network(path).facts["training"] == {"kl": [None, None, 1.5]}


@pytest.mark.parametrize("more", [{"when": {1, 2}}, {"weight": np.float32(1)}, {"note": "x" * MAX_HEADER}])
def test_facts_that_no_file_can_hold_are_not_written(more, path):
    before = path.read_bytes()
    with pytest.raises(CryptError, match=r"^network '.*net\.safetensors' cannot be written: its (facts|header)"):
        save_network(path, made(), {**FACTS, **more})
    assert path.read_bytes() == before


def test_a_layer_that_would_not_be_read_is_not_written(tmp_path):
    with pytest.raises(CryptError, match=r"cannot be written: hidden.0.weight has shape \[16385, 5\]"):
        save_network(tmp_path / "net", made([MAX_WIDTH + 1]), FACTS)
    assert not list(tmp_path.iterdir())


# -- files that are damaged or malicious ------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.0, 0.001, 0.1, 0.5, 0.99, 0.99999])
def test_a_file_that_is_cut_short(share, path):
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    assert "cannot be read: it is truncated, damaged or not a safetensors file" in refusal(path)


def test_a_file_that_goes_on(path):
    path.write_bytes(path.read_bytes() + b"more")
    assert "cannot be read: it is truncated, damaged" in refusal(path)


def test_any_damage_gives_a_network_or_one_sentence(path):
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    generator = np.random.default_rng(8)
    outcomes = set()
    for _ in range(400):
        damaged = bytearray(data)
        for place in generator.integers(8 + length if generator.random() < 0.8 else len(data), size=3):
            damaged[place] = generator.integers(256)
        path.write_bytes(damaged)
        try:
            network = load_network(path)
            observations = np.full((3, FEATURES), 127, np.int8)
            assert np.isfinite(network.evaluate(observations)[0]).all()
            outcomes.add("network")
        except CryptError as error:
            outcomes.add(str(error).partition("cannot be ")[2][:4])
    assert {"network", "read"} <= outcomes <= {"network", "read", "play"}


def test_nothing_is_unpickled(path, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("something was unpickled")

    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    load_network(path)
    path.write_bytes(pickle.dumps({"weights": 1}))
    assert "cannot be read" in refusal(path)


def test_a_file_that_is_too_large_is_not_read(path):
    with path.open("r+b") as file:
        file.truncate(MAX_BYTES + 1)
    assert f"it has {MAX_BYTES + 1} bytes; at most {MAX_BYTES} are allowed" in refusal(path)


@pytest.mark.parametrize("note", ["x" * MAX_HEADER, '"' * (MAX_HEADER // 2)])
def test_a_header_that_is_too_large(note, path):
    write(path, facts={**FACTS, "note": note})
    assert f"at most {MAX_HEADER} are allowed" in refusal(path)


@pytest.mark.parametrize("header", [b"[" * 200_000, b'{"a":' * 100_000, b"{}", b"null", b"\xff" * 64])
def test_a_header_that_makes_no_sense(header, path):
    with_header(path, header, b"")
    assert "cannot be read: it" in refusal(path)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"dtype": "F32", "shape": [2**62, 4], "data_offsets": [0, 0]}, "damaged"),
        ({"dtype": "F32", "shape": [2**60, 0], "data_offsets": [0, 0]}, "damaged"),
        ({"dtype": "F32", "shape": [4], "data_offsets": [0, 4]}, "damaged"),
        ({"dtype": "F32", "shape": [1, 1], "data_offsets": [0, 2**63]}, "damaged"),
        ({"dtype": "F32", "shape": [1, 1], "data_offsets": [4, 0]}, "damaged"),
        ({"dtype": "F32", "shape": [1, -1], "data_offsets": [0, 4]}, "damaged"),
        ({"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 4]}, "damaged"),
        ({"dtype": "U32", "shape": [1, 1], "data_offsets": [0, 4]}, "is of type U32; F32 and F16 are allowed"),
        ({"dtype": "BF16", "shape": [1, 2], "data_offsets": [0, 4]}, "is of type BF16; F32 and F16 are allowed"),
        ({"dtype": "F33", "shape": [1, 1], "data_offsets": [0, 4]}, "damaged"),
        ({"dtype": "F32", "shape": [], "data_offsets": [0, 4]}, "has shape []; 2 axes of 1 to 16384 are allowed"),
        ({"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}, "has shape [1]; 2 axes of 1 to 16384 are allowed"),
    ],
)
def test_a_tensor_that_makes_no_sense(entry, words, path):
    with_header(path, {"__metadata__": {KEY: json.dumps(FACTS)}, "policy.weight": entry}, b"1234")
    assert words in refusal(path)


def test_tensors_that_share_their_bytes(path):
    """A file of a megabyte could expand to gigabytes."""
    size = 512 * 512 * 4
    entry = {"dtype": "F32", "shape": [512, 512], "data_offsets": [0, size]}
    layers = {f"hidden.{number}.weight": entry for number in range(6000)}
    with_header(path, {"__metadata__": {KEY: json.dumps(FACTS)}, **layers}, bytes(size))
    assert "cannot be read: it is truncated, damaged or not a safetensors file" in refusal(path)


def test_an_axis_without_end(path):
    entry = {"dtype": "F32", "shape": [2**60, 0], "data_offsets": [0, 0]}
    with_header(path, {"__metadata__": {KEY: json.dumps(FACTS)}, "policy.weight": entry}, b"")
    assert "policy.weight has shape [1152921504606846976, 0]; 2 axes of 1 to 16384 are allowed" in refusal(path)


@pytest.mark.parametrize("name", ["", "policy", "policy.weight.x", "hidden.00.weight", "hidden.12345.bias", "x" * 9999])
def test_a_tensor_that_no_network_has(name, path):
    write(path, {**made(), name: np.zeros(3, np.float32)})
    assert ", which no network has" in refusal(path)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"policy.bias": None}, "this network lacks 'policy.bias'"),
        ({"hidden.0.weight": None}, "this network lacks 'hidden.0.weight'"),
        ({"hidden.1.weight": None, "hidden.1.bias": None}, "after one that gives 6 numbers"),
        ({"hidden.3.bias": np.zeros(5)}, "has 'hidden.3.bias', which is in none of policy, value, hidden.0"),
        ({"hidden.0.weight": np.zeros((6, 4))}, r"a layer of shape \(4, 6\) after one that gives 5 numbers"),
        ({"hidden.1.bias": np.zeros(4)}, r"a layer of shape \(6, 5\) after"),
        ({"policy.weight": np.zeros((3, 5)), "policy.bias": np.zeros(3)}, "answers 3 logits and 1 values"),
        ({"value.weight": np.zeros((2, 5)), "value.bias": np.zeros(2)}, f"answers {ACTIONS} logits and 2 values"),
        ({"value.bias": np.array([np.nan])}, "has weights in value.bias that are not finite"),
        ({"hidden.1.bias": np.full(5, -np.inf)}, "has weights in hidden.1.bias that are not finite"),
        ({"hidden.0.bias": np.full(6, 3e38)}, "weights so large that their sums overflow 32-bit floats"),
        ({"hidden.0.bias": np.full(6, 1e20), "value.weight": np.full((1, 5), -1e20)}, "weights so large"),
    ],
)
def test_weights_that_do_not_fit(changes, words, path):
    weights = {name: np.asarray(array, np.float32) for name, array in (made() | changes).items() if array is not None}
    write(path, weights)
    with pytest.raises(CryptError, match=rf"^network '.*' cannot be played: .*({words})"):
        load_network(path)
    with pytest.raises(CryptError, match=words):
        save_network(path.with_name("other"), weights, FACTS)
    assert list(path.parent.iterdir()) == [path]


def test_halves_that_are_not_finite(path):
    weights = {name: array.astype(np.float16) for name, array in made().items()}
    write(path, {**weights, "policy.bias": np.full(ACTIONS, np.inf, np.float16)})
    assert "weights in policy.bias that are not finite" in refusal(path)


# -- facts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["", "{", "[" * 100_000, '{"a":' * 50_000, "[]", "null", '"text"', "\ud83d", "1" * 5000, "{} {}"]
)
def test_facts_that_are_not_an_object(text, path):
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    write(path, facts=text)
    assert "cannot be read: its facts are" in refusal(path)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format": None}, "its format is None; 'crypt-network/2' is needed"),
        ({"format": "crypt-network/1"}, "its format is 'crypt-network/1'; 'crypt-network/2' is needed"),
        ({"format": ["x"] * 9999}, "'crypt-network/2' is needed"),
        ({"layout_version": None}, "layout_version=None; a whole number is needed"),
        ({"layout_version": True}, "layout_version=True; a whole number is needed"),
        ({"layout_version": LAYOUT_VERSION + 1}, f"is for observation layout {LAYOUT_VERSION + 1}, but"),
        ({"actions": "many"}, "actions='many'; a whole number is needed"),
        ({"actions": ACTIONS - 1}, f"chooses from {ACTIONS - 1} actions; {ACTIONS} are needed"),
        ({"columns": None}, "columns=None; a list of whole numbers from 0 to"),
        ({"columns": []}, r"columns=\[\]; a list"),
        ({"columns": "many"}, "columns='many'; a list"),
        ({"columns": {"0": 1}}, "columns={'0': 1}; a list"),
        ({"columns": [[1], [2]]}, r"columns=\[\[1\], \[2\]\]; a list"),
        ({"columns": [0, 1, 2, 3, FEATURES]}, f"a list of whole numbers from 0 to {FEATURES - 1} is needed"),
        ({"columns": [0, 1, 2, 3, -1]}, "a list of whole numbers"),
        ({"columns": [0, 1, 2, 3, 4.0]}, "a list of whole numbers"),
        ({"columns": [0, 1, 2, 3, True]}, "a list of whole numbers"),
        ({"columns": [0, 1, 2, 3, 10**400]}, "a list of whole numbers"),
        ({"columns": [0, 1]}, "has 5 limits|limits for 2 columns"),
        ({"above": [0, 1]}, "has 2 limits for 5 columns"),
        ({"above": "all"}, "above='all'; a list of whole numbers from -128 to 127"),
        ({"above": [0, 0, 0, 0, 128]}, "a list of whole numbers from -128 to 127"),
        ({"above": [0, 0, 0, 0, -129]}, "a list of whole numbers from -128 to 127"),
        ({"above": [[0]] * 5}, "a list of whole numbers from -128 to 127"),
        ({"players": None}, "players=None; a list of whole numbers from 1 to 4"),
        ({"players": 2}, "players=2; a list of whole numbers from 1 to 4"),
        ({"players": [5]}, r"players=\[5\]; a list of whole numbers from 1 to 4"),
        ({"reward": "win"}, "reward='win'; an object with a 'scale' above 0"),
        ({"reward": {"scale": 0}}, "an object with a 'scale' above 0"),
        ({"reward": {"scale": None}}, "an object with a 'scale' above 0"),
        ({"reward": {"scale": 10**400}}, "an object with a 'scale' above 0"),
        ({"reward": {"dense": "no"}}, "'dense' true or false is needed"),
    ],
)
def test_facts_of_the_wrong_kind(changes, words, path):
    facts = {name: value for name, value in (FACTS | changes).items() if value is not None}
    write(path, facts=facts)
    with pytest.raises(CryptError, match=rf"^network '.*' cannot be (read|played): .*({words})"):
        load_network(path)
    assert len(refusal(path)) < 400


def test_a_network_of_another_layout_says_what_to_do():
    with pytest.raises(CryptError) as caught:
        Network(made(), {**FACTS, "layout_version": LAYOUT_VERSION + 1})
    assert str(caught.value) == (
        f"this network is for observation layout {LAYOUT_VERSION + 1}, but this version of crypt_env writes layout "
        f"{LAYOUT_VERSION}; retrain it, or use another version"
    )
    with pytest.raises(CryptError, match=r"; carry it over with tools/carry_network\.py, retrain it, or use another"):
        Network(made(), {**FACTS, "layout_version": LAYOUT_VERSION - 1})


def test_a_file_without_facts_may_be_half_of_a_network_of_two(path):
    path.write_bytes(save(made()))
    assert refusal(path).endswith(
        "its metadata has no entry 'crypt-network'; tools/carry_network.py makes one file of a network that has two"
    )


def test_without_limits_numbers_themselves_are_looked_at(path):
    facts = {name: value for name, value in FACTS.items() if name not in ("above", "name", "reward")}
    save_network(path, made(), facts)
    network = load_network(path)
    observations = np.random.default_rng(1).integers(0, 5, (7, FEATURES), np.int8)
    hidden = observations[:, COLUMNS].astype(np.float32)
    for number in range(2):
        hidden = np.maximum(hidden @ made()[f"hidden.{number}.weight"].T + made()[f"hidden.{number}.bias"], 0)
    expected = hidden @ made()["policy.weight"].T + made()["policy.bias"]
    np.testing.assert_allclose(network.evaluate(observations)[0], expected, rtol=1e-4, atol=1e-4)
