"""`Table`: a table is described once; every constructor shows the same arguments with the same defaults."""

from dataclasses import FrozenInstanceError, fields
from inspect import signature

import numpy as np
import pytest

from crypt_env import Batch, CryptError, Game, crypt_v0
from crypt_env.envs.single import SeatEnv
from crypt_env.envs.vector import SeatVectorEnv
from crypt_env.rules.state import GAME
from crypt_env.table import Table

DEFAULTS = {field.name: field.default for field in fields(Table) if field.init}
FACES = [Batch, crypt_v0.env, crypt_v0.raw_env, SeatEnv, SeatVectorEnv]


@pytest.mark.parametrize("make", FACES, ids=lambda make: make.__name__)
def test_a_constructor_shows_what_a_table_is(make):
    shown = {name: value.default for name, value in signature(make).parameters.items()}
    assert {name: shown.get(name) for name in DEFAULTS} == DEFAULTS


def test_a_game_and_a_vecenv_show_it_too():
    shown = {name: value.default for name, value in signature(Game).parameters.items()}
    assert {name: shown[name] for name in ("players", "collectors", "leader")}.items() <= DEFAULTS.items()
    sb3 = pytest.importorskip("crypt_env.envs.sb3", exc_type=ImportError)
    shown = {name: value.default for name, value in signature(sb3.SeatVecEnv).parameters.items()}
    assert {name: shown.get(name) for name in DEFAULTS} == DEFAULTS


def test_a_table_cannot_be_changed_and_is_one_value():
    table = Table(np.array([2, 3]), "A", dense=np.True_)
    assert table == Table((2, 3), "A", dense=True)
    assert len({table, Table([2, 3], "A", dense=True)}) == 1
    with pytest.raises(FrozenInstanceError):
        table.players = 4


def test_a_table_is_written_into_records():
    states = np.zeros(4, GAME)
    Table([1, 2, 3, 4], "BAAAAA", 0, "margin", True).write(states)
    assert states["players"].tolist() == [1, 2, 3, 4]
    assert (states["table_rule"] == 1).all()
    assert (states["reward_rule"] == 1).all()
    assert (states["dense"] == 1).all()
    Table([1, 2, 3, 4]).write(states)
    assert states["leader_rule"].tolist() == [0, -1, -1, -1]
    Table(1).write(states)
    assert (states["leader_rule"] == 0).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"players": 5}, "players=5 is not possible"),
        ({"players": [2, 0]}, "players=0 is not possible"),
        ({"collectors": "ABC"}, "collectors='ABC' is not a table"),
        ({"players": [2, 4], "leader": 2}, "leader=2 is not possible with 2 players"),
        ({"reward": "Win"}, "reward='Win' is not known"),
        ({"dense": 1}, "dense=1 is not possible"),
    ],
)
def test_a_table_that_cannot_be_is_refused_where_it_is_described(arguments, words):
    with pytest.raises(CryptError, match=words):
        Table(**arguments)
