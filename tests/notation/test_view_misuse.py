"""Vectors that are not observations are refused in one sentence, never described."""

import numpy as np
import pytest

from crypt_env import FEATURES, CryptError, Game, View, describe
from crypt_env.notation.view import thermometer, used_columns
from crypt_env.rules.observe import LAYOUT


def observation():
    """Return an observation."""
    return Game(3, "AABBAB", leader=0, seed=1).observation(0)


FOREIGN = {
    "floats": np.zeros(FEATURES),
    "no numbers": np.full(FEATURES, np.nan, np.float32),
    "objects": np.full(FEATURES, None),
    "bools": np.zeros(FEATURES, np.bool_),
    "short": np.zeros(FEATURES - 1, np.int8),
    "long": np.zeros(FEATURES + 1, np.int8),
    "a batch": np.zeros((1, FEATURES), np.int8),
    "a scalar": np.int8(3),
    "text": "players",
    "none": None,
}


@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_vectors(name):
    for use in (View, describe, lambda vector: f"{View(vector)}"):
        with pytest.raises(CryptError, match=r"^an observation (is an array of whole numbers|has the shape)"):
            use(FOREIGN[name])


@pytest.mark.parametrize("part", LAYOUT, ids=[part.name for part in LAYOUT])
def test_numbers_out_of_range_are_named(part):
    for column in (part.start, part.stop - 1):
        for number in (-1, part.high + 1, 127, -128):
            vector = observation()
            vector[column] = number
            words = rf"^not an observation: column {column} \({part.name}\) is {number}; allowed are 0 to {part.high}$"
            with pytest.raises(CryptError, match=words):
                describe(vector)
            with pytest.raises(CryptError, match=words):
                str(View(vector))


@pytest.mark.parametrize("kind", ["within", "beyond"])
def test_random_vectors_are_described_or_refused(kind):
    """Within the table there is a text for everything, even if it means nothing; beyond it there is none."""
    rng = np.random.default_rng(1)
    highest = np.concatenate([np.full(part.size, part.high) for part in LAYOUT])
    for _ in range(200):
        if kind == "within":
            assert describe(rng.integers(0, highest + 1).astype(np.int8))
        else:
            with pytest.raises(CryptError):
                describe(rng.integers(-128, 128, FEATURES).astype(np.int8))


def test_whole_numbers_of_any_type_are_described():
    vector = observation()
    assert describe(vector.tolist()) == describe(vector.astype(np.uint64)) == describe(vector)


@pytest.mark.parametrize("name", ["colour", 0, None, ("players",), "x" * 10**6])
def test_parts_that_do_not_exist(name):
    with pytest.raises(KeyError, match="no part ") as caught:
        View(observation())[name]
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("players", [[], [0], [5], [True], [2.0], ["2"]])
def test_columns_of_tables_that_do_not_exist(players):
    with pytest.raises(CryptError):
        used_columns(players)


@pytest.mark.parametrize("column", [-1, FEATURES, 1.0, True, None])
def test_bits_of_columns_that_do_not_exist(column):
    with pytest.raises(CryptError, match=r"^there is no column "):
        thermometer([column])
