"""The input and the answers of agents are checked in the same way everywhere."""

import copy
import pickle
import threading

import numpy as np
import pytest

from cli.processes import environment, run
from crypt_env import ACTIONS, DRAW, Batch, CryptError, Game, IllegalActionError
from crypt_env.agents import Agent, make_agent
from crypt_env.agents.base import Decisions
from crypt_env.arena import round_robin
from crypt_env.envs.seats import SeatBatch
from crypt_env.rules.observe import FEATURES
from crypt_env.table import Table

RULES_OF_THUMB = ("greedy", "tuned", "ghost")
ALL = ("random", *RULES_OF_THUMB, "search:2", "search:2:random", "ismcts:20", "net:duel", "net:duel:draw")


class Answering(Agent):
    """Answers with a function of the masks."""

    name = "odd one"

    def __init__(self, answer):
        self._answer = answer

    def act(self, decisions):
        return self._answer(decisions.masks)


def first(masks):
    return masks.argmax(axis=1)


def play_alone(agent):
    game = Game(2, seed=1)
    while not game.is_over:
        game.play(agent.choose(game))


def play_as_opponent(agent):
    games = SeatBatch(6, Table(2), agent)
    seen = games.reset(1)
    for _ in range(60):
        seen = games.step(first(seen.masks))


def play_in_the_arena(agent):
    round_robin([agent, "random"], games=12)


PLACES = [play_alone, play_as_opponent, play_in_the_arena]

WRONG = {
    "float": lambda masks: first(masks).astype(float),
    "NaN": lambda masks: np.full(len(masks), np.nan),
    "bool": lambda masks: masks[:, 0],
    "object": lambda masks: first(masks).astype(object),
    "text": lambda masks: first(masks).astype(str),
    "time": lambda masks: first(masks).astype("m8[s]"),
    "list": lambda masks: first(masks).tolist(),
    "number": lambda masks: 3,
    "nothing": lambda masks: None,
    "scalar": lambda masks: np.int64(3),
    "too many": lambda masks: np.append(first(masks), 0),
    "too few": lambda masks: first(masks)[1:],
    "column": lambda masks: first(masks)[:, None],
    "masks": lambda masks: masks,
}
ILLEGAL = {
    "2^64-1": (lambda masks: np.full(len(masks), 2**64 - 1, np.uint64), f"{2**64 - 1}, which is not an action"),
    "2^64-2": (lambda masks: np.full(len(masks), 2**64 - 2, np.uint64), f"{2**64 - 2}, which is not an action"),
    "2^63": (lambda masks: np.full(len(masks), 2**63, np.uint64), f"answered {2**63}, which is not an action"),
    "SKIP": (lambda masks: np.full(len(masks), -2), "answered -2, which is not an action"),
    "least": (lambda masks: np.full(len(masks), -(2**63)), f"answered {-(2**63)}, which is not an action"),
    "int8": (lambda masks: np.full(len(masks), -128, np.int8), "answered -128, which is not an action"),
    "behind": (lambda masks: np.full(len(masks), ACTIONS), f"illegal action {ACTIONS}, which is not an action"),
    "most": (lambda masks: np.full(len(masks), 2**63 - 1), f"illegal action {2**63 - 1}, which is not an action"),
    "illegal": (lambda masks: masks.argmin(axis=1), r"illegal action '.*' for seat \d; legal: "),
}


@pytest.mark.parametrize("play", PLACES)
@pytest.mark.parametrize("answer", WRONG)
def test_what_is_not_one_whole_number_for_each_decision_is_refused(play, answer):
    with pytest.raises(CryptError, match=r"agent 'odd one' answered .* to \d+ decisions; .* one whole number for each"):
        play(Answering(WRONG[answer]))


@pytest.mark.parametrize("play", PLACES)
@pytest.mark.parametrize("answer", ILLEGAL)
def test_what_is_not_a_legal_action_is_refused_by_the_name_of_the_agent(play, answer):
    wrong, sentence = ILLEGAL[answer]
    with pytest.raises(IllegalActionError, match=f"'odd one'.*{sentence}"):
        play(Answering(wrong))


def test_an_agent_cannot_make_an_action_legal():
    """It may write to its masks; the rules do not use them."""

    def forge(masks):
        actions = masks.argmin(axis=1)
        masks[:] = True
        return actions

    for play in PLACES[1:]:
        with pytest.raises(IllegalActionError, match=r"'odd one' .*illegal action '"):
            play(Answering(forge))


@pytest.mark.parametrize("play", PLACES)
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64, ">i8"])
def test_whole_numbers_of_any_width_are_accepted(play, dtype):
    play(Answering(lambda masks: first(masks).astype(dtype)))


def test_draw_is_accepted_everywhere():
    for play in PLACES:
        play(Answering(lambda masks: np.full(len(masks), DRAW)))


# -- what agents receive ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def decisions():
    """Decisions of two players."""
    batch = Batch(20, 2, seed=3)
    arrays = batch.reset()
    for _ in range(9):
        arrays = batch.step_random()
    bits = np.random.default_rng(1).integers(0, 2**64, 20, np.uint64)
    return Decisions(arrays.observations, arrays.masks, bits, batch.states)


@pytest.mark.parametrize("name", ALL)
def test_masks_of_int8_and_arrays_with_gaps_mean_the_same(name, decisions):
    agent, expected = make_agent(name), make_agent(name).act(decisions).tolist()
    locked = decisions.observations.copy()
    locked.flags.writeable = False
    for other in (
        decisions._replace(masks=decisions.masks.astype(np.int8)),
        decisions._replace(observations=np.asfortranarray(decisions.observations)),
        decisions._replace(
            observations=np.repeat(decisions.observations, 2, axis=0)[::2], masks=np.asfortranarray(decisions.masks)
        ),
        decisions._replace(observations=locked, bits=np.repeat(decisions.bits, 2)[::2]),
    ):
        assert agent.act(other).tolist() == expected


@pytest.mark.parametrize("name", RULES_OF_THUMB)
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"observations": np.zeros((19, FEATURES), np.int8)}, r"observations is an array of int8 with shape \(19, "),
        ({"observations": np.zeros((20, 5), np.int8)}, rf"observations .* shape \(20, 5\); .* \[20, {FEATURES}\]"),
        ({"observations": np.zeros((20, FEATURES))}, "observations is an array of float64"),
        ({"observations": None}, "observations is NoneType"),
        ({"observations": np.zeros(FEATURES, np.int8)}, rf"observations .* shape \({FEATURES},\); .* is needed"),
        ({"masks": np.zeros((20, 5), bool)}, rf"masks .* shape \(20, 5\); .* \[20, {ACTIONS}\]"),
        ({"masks": np.zeros((20, ACTIONS))}, "masks is an array of float64"),
        ({"bits": np.zeros(3, np.uint64)}, r"bits .* shape \(3,\); .* \[20\]"),
        ({"bits": np.zeros(20, np.int64)}, "bits is an array of int64"),
    ],
)
def test_rules_of_thumb_refuse_other_arrays_than_they_need(name, change, sentence, decisions):
    with pytest.raises(CryptError, match=f"^Decisions.{sentence}"):
        make_agent(name).act(decisions._replace(**change))


@pytest.mark.parametrize("name", ["search:2", "ismcts:5", "puct:2:net:duel", "lbr:2:net:duel", "gumbel:4:net:duel"])
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"games": None}, "searches in games, but Decisions.games was not given"),
        ({"games": np.zeros(20)}, "Decisions.games is an array of float64"),
        ({"bits": np.zeros(3, np.uint64)}, r"Decisions.bits .* shape \(3,\); .* \[20\]"),
        ({"bits": np.zeros(20)}, "Decisions.bits is an array of float64"),
    ],
)
def test_searches_refuse_other_arrays_than_they_need(name, change, sentence, decisions):
    with pytest.raises(CryptError, match=sentence):
        make_agent(name).act(decisions._replace(**change))


@pytest.mark.parametrize("name", ["search:2", "ismcts:5", "puct:2:net:duel", "lbr:2:net:duel", "gumbel:4:net:duel"])
def test_searches_refuse_games_in_which_no_seat_decides(name, decisions):
    games = decisions.games.copy()
    games["mover"][7] = -1
    with pytest.raises(
        CryptError, match=f"agent '{name}' searches where a seat decides, but in game 7 of 20 none does"
    ):
        make_agent(name).act(decisions._replace(games=games))


@pytest.mark.parametrize(
    "memory",
    [np.zeros((19, 6), np.float32), np.zeros((20, 5), np.float32), np.zeros((20, 6)), np.zeros(120, np.float32)],
)
def test_a_memory_of_another_size_is_refused(memory, decisions):
    with pytest.raises(CryptError, match=r"Decisions.memory is an array of .* \[20, 6\], is needed"):
        make_agent("ghost").act(decisions._replace(memory=memory))


def test_a_memory_with_gaps_is_changed_in_place(decisions):
    whole, spread = np.zeros((20, 6), np.float32), np.zeros((20, 12), np.float32)[:, ::2]
    agent = make_agent("ghost")
    assert (agent.act(decisions._replace(memory=whole)) == agent.act(decisions._replace(memory=spread))).all()
    assert whole.any()
    assert (whole == spread).all()


# -- copies and threads -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*ALL, "puct:3:net:duel"])
def test_copies_and_pickles_decide_the_same(name, decisions):
    agent = make_agent(name)
    expected = agent.act(decisions).tolist()
    for other in (copy.copy(agent), copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        assert other.name == name
        assert other.act(decisions).tolist() == expected


@pytest.mark.parametrize("name", [*ALL, "puct:3:net:duel"])
def test_one_agent_in_two_threads_decides_as_in_one(name, decisions):
    agent, answers = make_agent(name), [[], []]
    expected = agent.act(decisions).tolist()

    def play(mine):
        for _ in range(6):
            mine.append(agent.act(decisions).tolist())

    threads = [threading.Thread(target=play, args=(mine,)) for mine in answers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [[expected] * 6] * 2


def test_agents_may_be_made_in_several_threads_at_once():
    """The first ones of a process, before the code is compiled."""
    code = """
import threading
from crypt_env import Game
from crypt_env.agents import make_agent
names = ["greedy", "tuned", "ghost", "search:1", "ismcts:2", "greedy", "tuned", "search:1"]
chosen = {}
def choose(number):
    chosen[number] = make_agent(names[number]).choose(Game(2, seed=1))
threads = [threading.Thread(target=choose, args=(number,)) for number in range(len(names))]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(chosen))
"""
    done = run("-c", code, env=environment())
    assert (done.returncode, done.stdout) == (0, "8\n"), done.stderr
    assert "Traceback" not in done.stderr
