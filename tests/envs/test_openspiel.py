"""Crypt as a game of OpenSpiel: OpenSpiel's own tests, chance, information and structs."""

from __future__ import annotations

import contextlib
import io
import pickle
from random import Random
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

import pyspiel
from open_spiel.integration_tests import api_test
from open_spiel.python.algorithms import generate_playthrough
from open_spiel.python.observation import make_observation
from open_spiel.python.tests import games_sim_test

from crypt_env import Game
from crypt_env.envs.openspiel.fields import ACT
from crypt_env.errors import CryptError, IllegalActionError
from envs.spiel import ENDGAMES, HIDDEN_DECK, TABLES, load, walk

GAMES = [*TABLES, *ENDGAMES, HIDDEN_DECK]


# -- OpenSpiel's own tests --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", GAMES)
def test_random_sim_test(text: str) -> None:
    """Random games keep OpenSpiel's rules: order of actions, masks, clones, serialisation, sums of returns."""
    pyspiel.random_sim_test(load(text), num_sims=3, serialize=True, verbose=False)


@pytest.mark.parametrize("text", GAMES)
def test_sim_game(text: str) -> None:
    """Games, types and states can be pickled and serialised, and utilities are in their range."""
    with contextlib.redirect_stdout(io.StringIO()):
        games_sim_test.GamesSimTest().sim_game(load(text))


@pytest.mark.parametrize("text", GAMES)
def test_api(text: str) -> None:
    """All of OpenSpiel's tests of a part of the tree pass."""
    case = type("Case", (api_test.EnforceAPIOnPartialTreeBase,), {"game_name": text, "game": load(text)})
    names = [name for name in dir(case) if name.startswith("test")]
    assert len(names) >= 5
    case.setUpClass()
    for name in names:
        getattr(case(name), name)()


@pytest.mark.parametrize("text", ["crypt(players=1)", "crypt", "crypt(players=4)", "crypt_endgame(position=peek)"])
def test_playthrough(text: str) -> None:
    """OpenSpiel writes a playthrough, and from its actions the same one again."""
    first = generate_playthrough.playthrough(text, None, seed=7)
    actions = [int(line.split(":")[1]) for line in first.splitlines() if line.startswith("action: ")]
    assert actions
    assert generate_playthrough.playthrough(text, actions, seed=8) == first


# -- chance -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", GAMES)
def test_chance_sums_to_one(text: str) -> None:
    """Outcomes are ascending, possible, at least two, and no more than declared; their probabilities sum to one."""
    game = load(text)
    decisions = chances = 0
    for seed in range(5):
        for state in walk(game, Random(seed)):
            if state.is_chance_node():
                outcomes, shares = zip(*state.chance_outcomes(), strict=True)
                assert list(outcomes) == sorted(set(outcomes))
                assert 2 <= len(outcomes) <= game.max_chance_outcomes() > outcomes[-1]
                assert min(shares) > 0
                assert sum(shares) == pytest.approx(1, abs=1e-12)
                chances += 1
        decisions = max(decisions, sum(item.player >= 0 for item in state.full_history()))
    assert chances
    assert decisions <= game.max_game_length()


def test_cards_are_drawn_like_from_a_shuffled_deck() -> None:
    """The first card is any of 24; the first of the second round has the type that was seen on top of the deck."""
    state = load("crypt(collectors=A,leader=0)").new_initial_state()
    assert state.chance_outcomes() == [(card, pytest.approx(1 / 24)) for card in range(24)]
    for card in (0, 1, 4):
        state.apply_action(card)
    assert dict(state.chance_outcomes()) == pytest.approx(
        {0: 2 / 21, 1: 3 / 21, 2: 4 / 21, 3: 4 / 21, 4: 4 / 21, 5: 4 / 21}
    )
    state.apply_action(0)
    while not state.is_chance_node() or state.point.filled < 3 or "failed" in state.action_to_string(-1, 0):
        state.apply_action(state.legal_actions()[0])
    assert dict(state.chance_outcomes()) == pytest.approx({2: 0.5, 3: 0.5})


def test_table_and_leader_are_drawn_where_they_are_not_given() -> None:
    """Six sides, then the Leader; each is equally likely."""
    state = load("crypt(players=3)").new_initial_state()
    for kind in range(6):
        assert state.chance_outcomes() == [(0, 0.5), (1, 0.5)]
        state.apply_action(kind % 2)
    assert state.chance_outcomes() == [(seat, pytest.approx(1 / 3)) for seat in range(3)]
    state.apply_action(2)
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    game = Game.from_text(state.position())
    assert (game.collectors, game.leader) == ("ABABAB", 2)


# -- who knows what ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", GAMES)
def test_dealing_again_changes_nothing_that_a_player_can_see(text: str) -> None:
    """Strings and tensors stay as they are, at any decision; what the player cannot know changes."""
    game = load(text)
    changed = 0
    for seed in range(3):
        chance = Random(seed)
        for state in walk(game, chance):
            if not state.is_player_node():
                continue
            player = state.current_player()
            other = state.resample_from_infostate(player, chance.random)
            assert other.information_state_string(player) == state.information_state_string(player)
            assert other.observation_string(player) == state.observation_string(player)
            assert other.information_state_tensor(player) == state.information_state_tensor(player)
            assert other.observation_tensor(player) == state.observation_tensor(player)
            assert other.legal_actions() == state.legal_actions()
            changed += str(other) != str(state)
    assert changed


def test_others_cannot_see_whether_a_player_was_asked_what_to_flip() -> None:
    """An action that is not paid for yet is invisible to the others; then they see the action and no more."""
    game = load("crypt(players=3,collectors=ABBBAB)")
    asked = 0
    for seed in range(150):
        before: Any = None
        for state in walk(game, Random(seed)):
            if before is not None and before.is_player_node():
                entry = next(entry for entry in reversed(state.point.log) if entry.kind == ACT)
                others = [seat for seat in range(3) if seat != entry.seat]
                if entry.shown < 0:
                    asked += 1
                    for seat in others:
                        assert state.information_state_string(seat) == before.information_state_string(seat)
                        assert state.information_state_tensor(seat) == before.information_state_tensor(seat)
                elif entry.what >= 123:
                    for seat in others:
                        assert "flip " not in state.information_state_string(seat)
            before = state
    assert asked >= 3


@pytest.mark.parametrize("text", TABLES)
def test_information_state_only_grows(text: str) -> None:
    """What a player has seen begins with all that it had seen before, its own actions included."""
    game = load(text)
    for seed in range(3):
        known: dict[int, tuple[str, ...]] = {}
        for state in walk(game, Random(seed)):
            if not state.is_player_node():
                continue
            player = state.current_player()
            seen = tuple(state.information_state_string(player).split("\n")[1].split("; "))
            before = known.get(player, ())
            assert seen[: len(before)] == before
            assert len(seen) > len(before) or not before
            known[player] = seen


@pytest.mark.parametrize("text", TABLES)
def test_strings_and_tensors_tell_the_same_states_apart(text: str) -> None:
    """Also those of players that are not to move."""
    game = load(text)
    tensors: dict[tuple[int, str], Any] = {}
    for seed in range(3):
        for state in walk(game, Random(seed)):
            for player in range(game.num_players() if state.is_player_node() else 0):
                tensor = tuple(state.information_state_tensor(player))
                assert tensors.setdefault((player, state.information_state_string(player)), tensor) == tensor
    assert len(set(tensors.values())) == len(tensors)


def test_parts_of_an_observation() -> None:
    """Public and private parts contain what their names say."""
    game = load("crypt(players=2,collectors=AABBAB)")
    private = make_observation(game, pyspiel.IIGObservationType(False, False, pyspiel.PrivateInfoType.SINGLE_PLAYER))
    everybody = make_observation(game, pyspiel.IIGObservationType(False, False, pyspiel.PrivateInfoType.ALL_PLAYERS))
    public = make_observation(game, pyspiel.IIGObservationType(True, False, pyspiel.PrivateInfoType.NONE))
    for state in walk(game, Random(5)):
        if state.is_chance_node():
            continue
        values = []
        for seat in range(2):
            private.set_from(state, seat)
            values.append(private.dict["private"][0].copy())
        everybody.set_from(state, 0)
        np.testing.assert_array_equal(everybody.dict["private"], values)
        if state.is_player_node():
            other = state.resample_from_infostate(state.current_player())
            shown = [(public.set_from(each, 0), public.tensor.copy())[1] for each in (state, other)]
            np.testing.assert_array_equal(*shown)
    assert values[0].any()
    assert values[1].any()


# -- states -----------------------------------------------------------------------------------------------------------


def test_structs() -> None:
    """States, actions and observations by names; an action's name leads back to it."""
    for state in walk(load("crypt"), Random(1)):
        if not hasattr(state, "to_struct"):
            pytest.skip("this version of OpenSpiel has no structs")
        assert state.to_dict()["current_player"] == state.current_player()
        if state.is_player_node():
            for action in state.legal_actions():
                struct = state.action_to_struct(state.current_player(), action)
                assert state.struct_to_actions(struct) == [action]
            assert '"deck_top"' in state.to_observation_struct(0).to_json()


def test_clones_and_pickles_continue_identically() -> None:
    """A clone and a pickle of a state are the state, and what is played in them is not played in it."""
    for text in ("crypt(players=1)", "crypt(players=4)"):
        for state in walk(load(text), Random(2)):
            again = pickle.loads(pickle.dumps(state))
            assert str(again) == str(state)
            if not state.is_terminal():
                action = state.legal_actions()[-1]
                assert str(again.child(action)) == str(state.child(action)) != str(state)
                assert str(again) == str(state)


def test_both_names_are_one_game() -> None:
    """OpenSpiel's name for games in Python works, too."""
    assert str(load("python_crypt(players=3)")) == str(load("crypt(players=3)"))


def test_what_cannot_be_played_is_refused() -> None:
    """Invalid actions and outcomes change nothing."""
    state = load("crypt(collectors=A,leader=0)").new_initial_state()
    with pytest.raises(CryptError, match="chance cannot decide 24 here; allowed are 0, 1"):
        state.apply_action(24)
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    text = str(state)
    with pytest.raises(IllegalActionError, match="illegal action 'peek' for seat 0; legal: place 0"):
        state.apply_action(110)
    with pytest.raises(IllegalActionError, match="127, which is not an action"):
        state.apply_action(127)
    assert str(state) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("crypt(players=5)", "players=5 is not possible"),
        ("crypt(collectors=AAB)", "collectors='AAB' is not a table"),
        ("crypt(leader=2)", "leader=2 is not possible with 2 players"),
        ("crypt(reward=gold)", "reward='gold' is not known"),
        ("crypt_endgame(position=nowhere)", "position='nowhere' is not known; allowed are last_turn"),
        ("crypt_endgame(position=crypt1_players~2)", "a position needs the fields"),
    ],
)
def test_parameters_that_are_not_possible_are_refused(text: str, message: str) -> None:
    """One sentence says what is allowed."""
    with pytest.raises(CryptError, match=message.replace("(", r"\(")):
        load(text)
