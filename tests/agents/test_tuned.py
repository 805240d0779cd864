"""The tuned agent: its contract as an agent, its weights, and its strength."""

from __future__ import annotations

import json
import shutil
from argparse import Namespace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

from agents.trials import check_hidden, check_legal, check_plain, check_rows, scores
from crypt_env import CryptError
from crypt_env.agents import TunedAgent, make_agent, tuned_table
from crypt_env.agents.tuned_table import (
    BLOCKS,
    TABLE_SIZE,
    WEIGHTS,
    WEIGHTS_FILE,
    first_weights,
    read_weights,
    table_of,
    weights_of,
)
from rules.scenes import scene


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_it_plays_only_legal_actions(players):
    check_legal("tuned", players)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_a_decision_depends_on_nothing_but_its_own_row(players):
    check_rows("tuned", players)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_hidden_cards_do_not_matter(players):
    check_hidden("tuned", players)


def test_plain_python_decides_alike():
    check_plain("tuned")


def test_it_is_known_by_name():
    assert isinstance(make_agent("tuned"), TunedAgent)


# -- weights and tables -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_all_weights_are_there(players):
    named = json.loads(WEIGHTS_FILE.read_text())[str(players)]
    sizes = {name: len(numbers) for name, numbers in named.items()}
    assert sizes == {name: block.stop - block.start for name, block in WEIGHTS.items()}


def test_weights_of_another_layout_start_fresh():
    assert (weights_of({"threat": [1.0], "gone": [2.0]}) == first_weights()).all()


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_a_card_that_no_opponent_can_exceed_is_kept(players):
    table = table_of(read_weights()[players], players)
    assert table.shape == (TABLE_SIZE,)
    assert np.isfinite(table).all()
    keep = table[BLOCKS["keep"].start : BLOCKS["keep"].stop].reshape(BLOCKS["keep"].shape)
    assert ((keep >= 0) & (keep <= 1)).all()
    assert (keep[..., 18] == 1).all()
    assert (np.diff(keep, axis=-1) >= 0).all()


def test_completing_a_set_gains_its_whole_bonus():
    weights = first_weights()
    weights[WEIGHTS["bonus"].start : WEIGHTS["bonus"].stop] = 1.0
    table = table_of(weights, 2)
    gain = table[BLOCKS["gain"].start : BLOCKS["gain"].stop].reshape(BLOCKS["gain"].shape)
    remains_b, pottery_a = 9, 6
    assert gain[remains_b, :5, 0].tolist() == [0, 0, 0, 10, 0]
    assert gain[pottery_a, :5, 0].tolist() == [0, 2, 2, 4, 0]
    assert 0 < gain[remains_b, 2, 1] < 10


@pytest.mark.slow
def test_the_search_for_weights_can_be_repeated(tmp_path, monkeypatch):
    spec = spec_from_file_location("tune_playouts", Path(__file__).parents[2] / "benchmarks" / "tune_playouts.py")
    tune = module_from_spec(spec)
    spec.loader.exec_module(tune)
    options = Namespace(generations=2, games=64, population=8, seed=1)
    rows = {players: tune.search(players, first_weights(), options) for players in (1, 3)}
    assert (tune.search(3, first_weights(), options) == rows[3]).all()
    reader = tmp_path / "tuned_table.py"
    shutil.copy(tuned_table.__file__, reader)
    monkeypatch.setattr(tune, "WEIGHTS_FILE", tmp_path / "tuned.json")
    monkeypatch.setattr(tuned_table, "__file__", str(reader))
    tune.write(rows)
    monkeypatch.setattr(tuned_table, "WEIGHTS_FILE", tmp_path / "tuned.json")
    monkeypatch.setattr(tuned_table, "WEIGHTS_SHA256", reader.read_text().split("WEIGHTS_SHA256 = ")[1].split('"')[1])
    written = read_weights()
    assert all((written[players] == weights).all() for players, weights in rows.items())


def test_a_file_of_weights_that_was_damaged_is_refused(tmp_path, monkeypatch):
    damaged = tmp_path / "tuned.json"
    monkeypatch.setattr(tuned_table, "WEIGHTS_FILE", damaged)
    with pytest.raises(CryptError, match=r"tuned\.json' cannot be read: .*; install crypt-env again"):
        read_weights()
    damaged.write_text(WEIGHTS_FILE.read_text().replace("0.513", "0.514", 1))
    with pytest.raises(CryptError, match=r"tuned\.json' is damaged: its SHA-256 is not [0-9a-f]{64}$"):
        read_weights()


# -- play -------------------------------------------------------------------------------------------------------------


def test_the_placements_of_a_turn_are_one_plan():
    game = scene(2, "A", "T4 M4 J1", turn=1, exhausted=(3, 0))
    agent, slots = make_agent("tuned"), []
    while game.to_move == 1 and (not slots or "done" in game.legal()):
        action = agent.choose(game)
        slots.append(action[:7])
        game.play(action)
    assert slots[:2] == ["place 0", "place 1"]


def test_it_beats_greedy_play():
    for players, share in ((2, 0.6), (3, 0.45), (4, 0.35)):
        _, wins = scores("tuned", "greedy", players, games=768)
        assert wins > share


def test_it_is_better_alone_than_greedy_play():
    coins, _ = scores("tuned", "tuned", players=1, games=1280)
    assert coins > 48
