"""The observation's names, its table and its words."""

import re

import numpy as np
import pytest

from crypt_env import FEATURES, Batch, Game, View, describe, new_arrays
from crypt_env.notation.view import layout_table, thermometer, used_columns
from crypt_env.rules.observe import LAYOUT, LAYOUT_VERSION


def games(players, collectors="ABABAB", seed=7):
    """Yield a game at each of its decisions and at the end."""
    game = Game(players, collectors, seed=seed)
    yield game
    while not game.is_over:
        yield game.play(game.random_action())


def test_named_parts_cover_the_vector_once_without_gaps_or_overlaps():
    covered = np.zeros(FEATURES, int)
    for part in LAYOUT:
        assert part.size == np.prod(part.shape) == part.stop - part.start
        covered[part.start : part.stop] += 1
    assert (covered == 1).all()
    assert len({part.name for part in LAYOUT}) == len(LAYOUT)
    assert LAYOUT[0].start == 0
    assert LAYOUT[-1].stop == FEATURES
    assert isinstance(LAYOUT_VERSION, int)


def test_parts_are_views_of_the_vector():
    vector = np.arange(FEATURES) % 100
    view = View(vector.astype(np.int8))
    assert view.keys() == tuple(part.name for part in LAYOUT)
    joined = np.concatenate([view[name].ravel() for name in view.keys()])  # noqa: SIM118
    assert (joined == vector).all()
    for part in LAYOUT:
        assert view[part.name].shape == part.shape
        assert np.shares_memory(view[part.name], view.vector)
    view["players"][1] = 77
    assert view.vector[1] == 77


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_thermometers_tell_the_same_as_the_numbers(players):
    columns = used_columns([players])
    where, above = thermometer(columns)
    for game in games(players):
        vector = game.observation(0)
        bits = vector[where] > above
        assert np.bincount(where, bits, FEATURES)[columns].tolist() == vector[columns].tolist()


def test_the_table_says_what_the_layout_says():
    head, rule, *rows = layout_table().splitlines()
    assert head == "| part | from | to | shape | values | meaning |"
    assert set(rule) == set("|-")
    assert len(rows) == len(LAYOUT)
    for row, part in zip(rows, LAYOUT, strict=True):
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert cells == [
            f"`{part.name}`",
            str(part.start),
            str(part.stop - 1),
            " x ".join(str(size) for size in part.shape),
            f"0-{part.high}",
            part.meaning,
        ]


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_values_stay_within_the_table(players):
    for table in ("ABABAB", "BABABA"):
        for game in games(players, table):
            for seat in range(players):
                view = game.view(seat)
                for part in LAYOUT:
                    assert view[part.name].min() >= 0, part.name
                    assert view[part.name].max() <= part.high, part.name


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_one_hot_parts_have_at_most_one_1(players):
    for game in games(players):
        for seat in range(players):
            view = game.view(seat)
            for part in LAYOUT:
                if part.meaning.startswith("one-hot"):
                    assert view[part.name].sum(axis=-1).max() <= 1, part.name
            assert view["players"].argmax() + 1 == players
            assert view["phase"].sum() == view["mover"].sum() == (not game.is_over)
            if not game.is_over:
                assert view["mover"].argmax() == (game.to_move - seat) % max(2, players)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_a_batch_writes_what_a_game_shows(players):
    batch = Batch(1, players, "ABABAB", seed=7, restarts=False)
    arrays = batch.reset()
    game = Game(players, "ABABAB", seed=7)
    while not game.is_over:
        assert arrays.movers[0] == game.to_move
        assert (arrays.observations[0] == game.observation(game.to_move)).all()
        assert (arrays.masks[0] == game.mask(game.to_move)).all()
        for seat in range(players):
            into = new_arrays(1)
            batch.view(np.zeros(1, np.int64), np.array([seat], np.int8), into.observations, into.masks)
            assert (into.observations[0] == game.observation(seat)).all()
            assert (into.masks[0] == game.mask(seat)).all()
            assert into.masks[0].any() == (seat == game.to_move)
        action = game.random_action()
        game.play(action)
        arrays = batch.step_random()
    assert arrays.dones[0]


@pytest.mark.parametrize("shape", [(), (1,), (FEATURES - 1,), (FEATURES + 1,), (1, FEATURES), (FEATURES, 1)])
def test_what_is_not_an_observation(shape):
    shape = tuple(map(int, shape))
    for look in (View, describe):
        with pytest.raises(ValueError, match=re.escape(f"an observation has the shape ({FEATURES},), not {shape}")):
            look(np.zeros(shape, np.int8))


@pytest.mark.parametrize("name", ["", "Ready", "readyy", "players ", 0, None, ("ready",)])
def test_unknown_parts_are_named_with_all_that_exist(name):
    view = Game(seed=1).view(0)
    with pytest.raises(KeyError, match="no part") as caught:
        view[name]
    assert f"no part {name!r}" in str(caught.value) or repr(name)[1:-1] in str(caught.value)
    assert all(part.name in str(caught.value) for part in LAYOUT)


@pytest.mark.parametrize("seat", [2, -1, 1.0, "0", None, True])
def test_seats_without_a_player(seat):
    game = Game(2, seed=1)
    for look in (game.observation, game.mask, game.view):
        with pytest.raises(ValueError, match=re.escape(f"no player on seat {seat!r}; seats are 0 to 1")):
            look(seat)
    with pytest.raises(ValueError, match="no player on seat 1; seats are 0 to 0"):
        Game(1, seed=1).view(1)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_words_say_what_the_numbers_say(players):
    slots = {1: 3, 2: 3, 3: 4, 4: 6}[players]
    for game in games(players, "BBBBBB"):
        for seat in range(players):
            view = game.view(seat)
            text = str(view)
            assert text == describe(view.vector) == describe(view.vector.tolist())
            lines = text.splitlines()
            assert lines[0].startswith(f"{players} player{'s' * (players > 1)}, Collectors BBBBBB, ")
            assert ("the game is over" in lines) == game.is_over
            assert sum(line.startswith("slot ") for line in lines) == slots
            hidden = sum(line.startswith("hidden card ") for line in lines)
            assert hidden == np.count_nonzero(view["hidden_type"])
            dice = "die" if view["ready"][0] == 1 else "dice"
            assert f"you: {view['ready'][0]} {dice} ready, {view['exhausted'][0]} exhausted" in text
            assert ("you to decide" in text) == (game.to_move == seat)
            assert lines[-1].startswith("not seen: ")
            assert len(lines[-1].split()) - 2 == max(1, view["unseen"].sum())


def test_numbers_agree_with_their_nouns():
    """Of dice, types, slots and coins; the dice on a card are somebody's."""
    vector = np.zeros(FEATURES, np.int8)
    view = View(vector)
    view["players"][1] = view["phase"][1] = view["mover"][0] = view["leader"][0] = 1
    view["ready"][:2], view["slots_passed"][0] = (1, 2), 1
    view["slot_type"][0, 0] = view["slot_type"][1, 1] = 1
    view["slot_holder"][0, 0] = view["slot_holder"][1, 1] = 1
    view["slot_dice"][:2], view["slot_effort"][:2] = (2, 1), (3, 5)
    view["deck_types"][:], view["deck_top"][5] = (1, 2, 2, 2, 2, 2), 1
    view["unflipped"][0] = (0, 1, 0, 0, 1, 1)
    assert str(view).splitlines()[1:] == [
        "Claim: you to decide, slot 0 is closed",
        "slot 0: Idol of unknown value; your 2 dice of effort 3",
        "slot 1: Jewelry of unknown value; seat +1's 1 die of effort 5",
        "slot 2: no card",
        "you: 1 die ready, 0 exhausted; known cards: none; unflipped: 1 Jewelry, 1 Remains, 1 Tapestry",
        "seat +1: 2 dice ready, 0 exhausted; known cards: none; unflipped: none",
        "deck: 1 Idol, 2 Jewelry, 2 Manuscripts, 2 Pottery, 2 Remains, 2 Tapestries; top card: Tapestry",
        "not seen: none",
    ]
    view["phase"][1], view["phase"][3], view["slots_passed"][0] = 0, 1, 3
    view["slot_dice"][0] = 1
    assert str(view).splitlines()[1:3] == [
        "Collect: you to decide, slots 0 to 2 are closed",
        "slot 0: Idol of unknown value; your 1 failed die of effort 3",
    ]


def test_an_observation_is_the_callers_own():
    game = Game(2, seed=3)
    before = game.observation(0)
    game.observation(0)[:] = 9
    game.mask(0)[:] = True
    assert (game.observation(0) == before).all()
    game.play(game.random_action())
    assert before.max() < 9
