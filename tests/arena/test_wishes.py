"""An impossible tournament is refused with one sentence before anything is made or written."""

import time

import numpy as np
import pytest

from arena.players import FIRST
from crypt_env import CryptError
from crypt_env.arena import build_ladder, make_plan, play_match, round_robin

ENOUGH = ["random", FIRST]


@pytest.mark.parametrize("agents", ["greedy", b"greedy", "random greedy", None, 5, {"random", "greedy"}, {"random": 1}])
def test_agents_are_a_list(agents):
    with pytest.raises(CryptError, match=r"agents=.* is not a list of agents, such as \['random', 'greedy'\]"):
        round_robin(agents)


def test_agents_are_a_list_and_not_one_agent():
    with pytest.raises(CryptError, match=r"agents=<function .* is not a list of agents"):
        round_robin(test_agents_are_a_list)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"out": 5}, "out=5 is not possible; the path of a folder or None is needed"),
        ({"progress": 5}, "progress=5 is not possible; a function of two numbers or None is needed"),
        ({"confidence": 95}, "confidence=95 is not possible; a number between 0 and 1 is needed"),
        ({"confidence": 0}, "confidence=0 is not possible"),
        ({"confidence": float("nan")}, "confidence=nan is not possible"),
        ({"confidence": "0.9"}, "confidence='0.9' is not possible"),
        ({"games": 10**400}, r"games=10+\.\.\. for each of 1 line-ups are .* results, for which memory is too small"),
        ({"games": 2.5}, "games=2.5 is not possible"),
        ({"seed": -1}, "seed=-1 is not possible"),
        ({"jobs": 1025}, "jobs=1025 is not possible; allowed are at most 1024"),
        ({"out": "x/" * 3000}, r"nothing can be stored in (x/){200}\.\.\.: "),
    ],
)
def test_arguments_that_would_fail_after_the_games(arguments, sentence):
    for play in (lambda **more: round_robin(ENOUGH, **more), lambda **more: play_match(*ENOUGH, **more)):
        with pytest.raises(CryptError, match=sentence):
            play(**{"games": 4, **arguments})


@pytest.mark.parametrize("mixed", ["no", 1, None])
def test_mixed_is_true_or_false(mixed):
    with pytest.raises(CryptError, match=r"mixed=.* is not possible; allowed are True and False"):
        round_robin(["random", FIRST, "greedy"], 3, 6, mixed=mixed)


def test_more_results_than_memory_are_refused_before_they_are_allocated():
    start = time.monotonic()
    with pytest.raises(CryptError, match=r"games=4000000000 .* are 4000000000 results, .*; at most 134217728"):
        round_robin(ENOUGH, games=4 * 10**9)
    with pytest.raises(CryptError, match=r"200 agents have 64684950 mixed tables of 4 players; at most 100000"):
        make_plan([f"a{number}" for number in range(200)], 4, 4, mixed=True)
    assert time.monotonic() - start < 5


def test_large_numbers_of_games_are_counted_exactly():
    assert make_plan(["a", "b"], games=10**8).deals == 5 * 10**7
    assert [make_plan(["a", "b"], 3, games).deals for games in (1, 3, 4)] == [1, 1, 2]
    assert make_plan(["a", "b"], 3, 193, "even").deals == 128


def test_the_ladder_asks_for_sources_from_python_too(tmp_path):
    with pytest.raises(CryptError, match="written into a copy of Crypt's sources"):
        build_ladder(tmp_path)


# -- models -----------------------------------------------------------------------------------------------------------


def model_for(tmp_path, observations, actions):
    """Save a model for other observations or actions; return its path."""
    pytest.importorskip("sb3_contrib")
    import gymnasium
    from sb3_contrib import MaskablePPO

    class Other(gymnasium.Env):
        observation_space, action_space = observations, actions

        def reset(self, seed=None, options=None):
            return self.observation_space.sample(), {}

        def step(self, action):
            return self.observation_space.sample(), 0.0, True, False, {}

    policy = "MultiInputPolicy" if isinstance(observations, gymnasium.spaces.Dict) else "MlpPolicy"
    MaskablePPO(policy, Other(), device="cpu").save(tmp_path / "model.zip")
    return tmp_path / "model.zip"


def test_a_model_for_other_observations_is_refused_with_one_sentence(tmp_path):
    from gymnasium.spaces import Box, Dict, Discrete

    plain = Box(0, 1, (4,), np.float32)
    for observations in (plain, Dict({"a": plain, "b": plain})):
        path = model_for(tmp_path, observations, Discrete(3))
        with pytest.raises(CryptError, match=r"agent 'sb3:.*': this model is for observations ") as error:
            round_robin([f"sb3:{path}", "random"], games=2)
        assert "\n" not in str(error.value)
        assert len(str(error.value)) < 500


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04" + bytes(100)])
def test_a_file_that_is_not_a_model_is_refused_with_one_sentence(content, tmp_path):
    pytest.importorskip("sb3_contrib")
    (tmp_path / "model.zip").write_bytes(content)
    with pytest.raises(CryptError, match=r"agent 'sb3:.*': model '.*' cannot be read: ") as error:
        round_robin([f"sb3:{tmp_path / 'model.zip'}", "random"], games=2)
    assert "\n" not in str(error.value)
