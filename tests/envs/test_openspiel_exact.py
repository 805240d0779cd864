"""Exact best responses on small positions: what exploits a network can find, and no player exceeds."""

from __future__ import annotations

import re

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

from open_spiel.python import policy
from open_spiel.python.algorithms import exploitability

from crypt_env import CryptError
from crypt_env.agents import Agent, FunctionAgent
from crypt_env.benchmark.frozen import NETWORKS
from crypt_env.envs.openspiel import POSITIONS
from crypt_env.envs.openspiel.exact import CONTESTED, AgentPolicy, SmallPosition, measure_response

SMALL = ["answer", "push", "last_word"]
TARGET = f"net:{NETWORKS / 'duel'}"
"""A network that makes mistakes there, and stays as it is."""
RESPONDERS = ["lbr:16:{}", "lbr:64:reach:{}", "tbr:96:{}", "net:generalist", "greedy", "search:20"]


@pytest.fixture(scope="module", params=[(name, draws) for name in SMALL for draws in ("", ":draw")])
def position(request: pytest.FixtureRequest) -> tuple[SmallPosition, str]:
    """Return a position in which a network plays, and the network's name."""
    name, draws = request.param
    return SmallPosition(name, f"{TARGET}{draws}"), f"{TARGET}{draws}"


def test_no_responder_exceeds_the_best_response(position: tuple[SmallPosition, str]) -> None:
    """Otherwise some agent would see something that it must not see, or the exact value would be wrong."""
    small, target = position
    for responder in RESPONDERS:
        for measured in small.measure(responder.format(target)):
            assert measured.response <= measured.best + 1e-6
            assert measured.even <= measured.best + 1e-6


def test_a_local_response_comes_near(position: tuple[SmallPosition, str]) -> None:
    """It finds most of what there is to gain where the network makes a mistake."""
    small, target = position
    for measured in small.measure(f"lbr:64:{target}"):
        if measured.best - measured.even > 0.05:
            assert measured.found is not None
            assert measured.found > 0.8


def test_the_positions_have_something_to_exploit() -> None:
    """In each the win is open, and in most a best response gains."""
    gains = []
    for name in SMALL:
        small = SmallPosition(name, TARGET)
        assert all(abs(value) < 0.95 for value in small.even)
        assert small.even[0] == pytest.approx(-small.even[1], abs=1e-6)
        gains.append(max(best - even for best, even in zip(small.best, small.even, strict=True)))
    assert sum(gain > 0.1 for gain in gains) >= 2


@pytest.mark.parametrize("position", ["nope", "", ["push"], None])
def test_all_positions_are_named_to_those_who_ask_for_another(position: object) -> None:
    names = ", ".join([*CONTESTED, *POSITIONS])
    with pytest.raises(CryptError, match=rf"^position={re.escape(repr(position))} is not known; allowed are {names}$"):
        SmallPosition(position, "random")  # type: ignore[arg-type]


def test_a_responder_that_sees_hidden_cards_would_be_found_out() -> None:
    """One that knows the other's card gains more than a best response in `last_turn`, played by its margin."""
    small = SmallPosition("last_turn", "random", "margin")

    class Cheating(AgentPolicy):
        """Plays what is best for the cards that lie there."""

        def action_probabilities(self, state, player_id=None):
            values = {action: self.worth(state.child(action)) for action in state.legal_actions()}
            best = max(values, key=values.__getitem__)
            return {action: float(action == best) for action in values}

        def worth(self, state) -> float:
            """Return what seat 1 is paid on average if it goes on cheating."""
            if state.is_terminal():
                return state.returns()[1]
            if state.is_chance_node():
                return sum(chance * self.worth(state.child(outcome)) for outcome, chance in state.chance_outcomes())
            values = [self.worth(state.child(action)) for action in state.legal_actions()]
            return max(values) if state.current_player() == 1 else float(np.mean(values))

    cheat = Cheating(small.game, "random")
    paid = small._values([small._target, cheat])[1]
    assert paid > small.best[1] + 0.1


def test_values_are_those_of_openspiel() -> None:
    """A random target: both numbers are what OpenSpiel says about its uniform policy."""
    small = SmallPosition("last_turn", "random", "margin")
    answer = [exploitability.best_response(small.game, policy.UniformRandomPolicy(small.game), seat) for seat in (0, 1)]
    assert small.best == pytest.approx([entry["best_response_value"] for entry in answer])
    assert small.even == pytest.approx([entry["on_policy_value"] for entry in answer])


def test_an_agent_is_asked_once_in_each_state() -> None:
    """With bits that follow from what it knows, a game to search in, and a memory if it has one."""
    asked: list[bytes] = []

    class Counting(Agent):
        """Plays the first legal action."""

        needs_games = True
        memory_size = 2

        def act(self, decisions):
            asked.append(decisions.games.tobytes())
            assert decisions.memory.shape == (1, 2)
            return decisions.masks.argmax(axis=1)

    small = SmallPosition("answer", "greedy")
    first = small.measure(Counting())
    assert first == small.measure(FunctionAgent(lambda observations, masks: masks.argmax(axis=1)))
    assert len(asked) > len(set(asked)) > 0  # states that the seat cannot tell apart become the same game


def test_a_named_position_of_the_games_can_be_measured() -> None:
    """As one of those here."""
    assert "peek" in POSITIONS
    assert not set(POSITIONS) & set(CONTESTED)
    first, second = measure_response("peek", "greedy", "random", "margin")
    assert first.even == pytest.approx(first.best)  # the other seat alone decides there
    assert first.found is None
    assert second.even < second.response <= second.best + 1e-9
