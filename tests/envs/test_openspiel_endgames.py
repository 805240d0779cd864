"""Small positions as games of OpenSpiel: its exact solvers run on them, and agree with a hand calculation."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

from open_spiel.integration_tests import api_test
from open_spiel.python import policy
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability

from crypt_env import Game
from crypt_env.envs.openspiel import POSITIONS, position_parameter
from envs.spiel import HIDDEN_DECK, load, tree

SMALL = ["last_turn", "peek", "rerolls"]
NODES = {"last_turn": (369, 14, 424), "peek": (661, 292, 1106), "rerolls": (825, 436, 1478)}
"""Chance nodes, decisions and ends."""
SETS = {"last_turn": 13, "peek": 210, "rerolls": 375}
"""Information sets."""


def small(name: str, reward: str = "margin") -> Any:
    """Return a position as a game."""
    return load(f"crypt_endgame(position={name},reward={reward})")


@pytest.mark.parametrize("name", SMALL)
def test_trees_have_their_size(name: str) -> None:
    """The numbers of nodes and of information sets do not change."""
    counts = [0, 0, 0]
    sets = set()
    for state in tree(small(name).new_initial_state()):
        counts[0 if state.is_chance_node() else 2 if state.is_terminal() else 1] += 1
        if state.is_player_node():
            sets.add(state.information_state_string())
    assert tuple(counts) == NODES[name]
    assert len(sets) == SETS[name]


@pytest.mark.parametrize("name", SMALL)
def test_api_on_the_full_tree(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of OpenSpiel's tests of a full tree pass: sums, information sets of one player only, refusals."""
    monkeypatch.setitem(api_test.TOTAL_NUM_STATES, name, NODES[name])
    monkeypatch.setitem(api_test.PERFECT_RECALL_NUM_STATES, name, SETS[name])
    case = type("Case", (api_test.EnforceAPIOnFullTreeBase,), {"game_name": name, "game": small(name)})
    tests = [test for test in dir(case) if test.startswith("test")]
    assert len(tests) >= 7
    case.setUpClass()
    for test in tests:
        getattr(case(test), test)()


@pytest.mark.parametrize("name", SMALL)
def test_perfect_recall(name: str) -> None:
    """OpenSpiel's own test: a player that cannot tell two states apart has seen and done the same in both."""
    api_test._assert_is_perfect_recall(small(name))


@pytest.mark.parametrize("name", SMALL)
def test_information_states_are_alike_in_all_that_a_player_sees(name: str) -> None:
    """String and tensor distinguish the same states; within one information state, observations and masks are equal."""
    by_text: dict[str, set[Any]] = defaultdict(set)
    by_tensor: dict[Any, set[str]] = defaultdict(set)
    for state in tree(small(name).new_initial_state()):
        if state.is_player_node():
            tensor = tuple(state.information_state_tensor())
            seen = (tensor, tuple(state.legal_actions()), state.observation_string())
            by_text[state.information_state_string()].add(seen)
            by_tensor[tensor].add(state.information_state_string())
    assert {len(seen) for seen in by_text.values()} == {1}
    assert {len(texts) for texts in by_tensor.values()} == {1}


def test_exploitability_is_what_was_worked_out_by_hand() -> None:
    """The position ``last_turn``: coins by which seat 0 is ahead at the end.

    Seat 0, the Leader, holds two cards of 2 coins with one die of effort 6 each, and has one die ready. Seat 1 has one
    die ready and two exhausted ones, and moves first. The third card lies face-down: a Pottery of x coins, 1 or 4, each
    equally likely. Seat 0 has seen it, for which it flipped a Manuscript of 2 coins. No Collector pays anything. A die
    of effort V is lost with probability (V - 1) / 6. So seat 0 has 2 + 2 + 2 coins and 2 x 1/6 for the two dice on its
    cards, 19/3 in all, and each seat a ready die, which cancels out. What else happens is m:

    - Seat 1 claims with V and seat 0 pushes it off with W > V: m = x - (W - 1) / 6 - 2, because seat 1, with no die on
      any card, recovers two. If seat 0 passes: m = -x + (V - 1) / 6.
    - Seat 1 recovers its two dice and seat 0 claims with W: m = x - (W - 1) / 6 - 2. If seat 0 passes: m = -2.

    *Both at random.* Seat 0 chooses among 6 - V claims and a pass, that is 7 - V actions, after a recovery among 7.
    On average over x, that is with x = 2.5, m is for V = 1 to 6 and for a recovery
    -5/12, -8/15, -2/3, -5/6, -13/12, -5/3, -3/14. Their mean is -379/490.

    *Best answer of seat 1.* It does not know x, and takes the least of these: V = 6, which gives -5/3.

    *Best answer of seat 0*, which knows x. With x = 1 passing is best after any V, -1 + (V - 1) / 6; after a recovery
    claiming with W = 1 gives -1: in sum -9/2. With x = 4 pushing with V + 1 is best, 2 - V / 6, impossible after V = 6,
    where m = -4 + 5/6; after a recovery W = 1 gives 2: in sum 19/3. The mean of all fourteen is 11/84.

    So NashConv is (11/84 + 379/490) + (-379/490 + 5/3) = 151/84, and exploitability half of it: 151/168.

    *Solution.* With V = 6 seat 1 cannot be pushed off: m = -5/3. With V < 6 seat 0 passes if x = 1 and pushes if x = 4,
    on average 5/12, and after a recovery it gets 1/2. So V = 6 is best, and the game is worth 19/3 - 5/3 = 14/3.
    """
    game = small("last_turn")
    uniform = policy.UniformRandomPolicy(game)
    assert exploitability.exploitability(game, uniform) == pytest.approx(151 / 168, abs=1e-12)
    values = expected_game_score.policy_value(game.new_initial_state(), [uniform] * 2)
    assert values[0] == pytest.approx(float(Fraction(19, 3) - Fraction(379, 490)), abs=1e-12)
    answers = [exploitability.best_response(game, uniform, seat)["best_response_value"] for seat in range(2)]
    assert answers == pytest.approx([19 / 3 + 11 / 84, 5 / 3 - 19 / 3], abs=1e-12)
    solver = cfr.CFRPlusSolver(game)
    for _ in range(60):
        solver.evaluate_and_update_policy()
    values = expected_game_score.policy_value(game.new_initial_state(), [solver.average_policy()] * 2)
    assert values[0] == pytest.approx(14 / 3, abs=0.02)


@pytest.mark.parametrize("name", SMALL)
def test_counterfactual_regret_minimisation_solves_them(name: str) -> None:
    """A few iterations leave little to exploit."""
    game = small(name)
    before = exploitability.exploitability(game, policy.UniformRandomPolicy(game))
    solver = cfr.CFRPlusSolver(game)
    for _ in range(20):
        solver.evaluate_and_update_policy()
    assert exploitability.exploitability(game, solver.average_policy()) < 0.1 * before


@pytest.mark.slow
@pytest.mark.parametrize("name", ["last_round", "two_rounds"])
def test_larger_ones_can_be_solved_too(name: str) -> None:
    """Exact exploitability takes seconds to compute, and falls."""
    game = small(name)
    before = exploitability.exploitability(game, policy.UniformRandomPolicy(game))
    solver = cfr.CFRPlusSolver(game)
    for _ in range(4):
        solver.evaluate_and_update_policy()
    assert exploitability.exploitability(game, solver.average_policy()) < 0.5 * before


@pytest.mark.parametrize("name", POSITIONS)
def test_chance_deals_what_not_everybody_knows(name: str) -> None:
    """The first nodes deal hidden values; each player then knows its own, and no more."""
    state = small(name).new_initial_state()
    assert state.is_chance_node()
    seen: list[set[str]] = [set(), set()]
    deals = 0
    for dealt in tree(state):
        if dealt.is_player_node() and not any(item.player >= 0 for item in dealt.full_history()):
            deals += 1
            for seat in range(2):
                seen[seat].add(dealt.information_state_string(seat))
            assert (
                dealt.position().split(" phase")[1].split(" dice")[0]
                == POSITIONS[name].split(" phase")[1].split(" dice")[0]
            )
        if deals == 8:
            break
    assert deals > min(map(len, seen))


def test_a_position_of_ones_own() -> None:
    """Any duel can be played from a given position, with an open or a random deck."""
    game = Game(players=2, collectors="ABBABA", leader=1, seed=3)
    while game.round < 8:
        game.play(game.random_action())
    text = position_parameter(game.text())
    for is_open in (True, False):
        spiel = load(f"crypt_endgame(position={text},open_deck={is_open},reward=win)")
        assert spiel.utility_sum() == 0
        state = spiel.new_initial_state()
        chance = np.random.RandomState(0)
        while not state.is_terminal():
            state.apply_action(int(chance.choice(state.legal_actions())))
        assert sorted(state.returns()) in ([-1, 1], [0, 0])


def test_a_deck_that_is_not_open_is_drawn() -> None:
    """The last round's cards are then chance nodes, which an open deck does not have."""

    def draws(text: str) -> int:
        state = load(text).new_initial_state()
        chance = np.random.RandomState(1)
        while not state.is_terminal():
            state.apply_action(int(chance.choice(state.legal_actions())))
        return str(state).count("?")

    assert draws(HIDDEN_DECK) == 1
    assert draws("crypt_endgame(position=two_rounds)") == 0
