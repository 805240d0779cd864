"""The contract of an agent: its name, its input, and its possible answers."""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy as np
import pytest

from crypt_env import ACTIONS, DRAW, SKIP, Batch, CryptError, Game, IllegalActionError
from crypt_env.agents import Agent, FunctionAgent, RandomAgent, agent_names, make_agent, register_agent
from crypt_env.agents.base import Decisions, draw
from crypt_env.agents.cast import NO_AGENT, Cast
from property.play import nth_legal

COUNTS = (1, 2, 3, 4)


def first_legal(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Play the first legal action."""
    return masks.argmax(axis=1)


class Telling(Agent):
    """Answers as configured, and records what it was asked."""

    name = "telling"
    needs_games = True
    memory_size = 3

    def __init__(self, answer: Any = None) -> None:
        self.answer = answer
        self.asked: list[Decisions] = []

    def act(self, decisions):
        self.asked.append(decisions._replace(memory=decisions.memory.copy()))
        np.add(decisions.memory, 1, out=decisions.memory)
        return decisions.masks.argmax(axis=1) if self.answer is None else np.full(len(decisions.masks), self.answer)


class Demanding(Agent):
    """Cannot be made without an argument."""

    def __init__(self, wish: str) -> None:
        self.wish = wish

    def act(self, decisions):
        return decisions.masks.argmax(axis=1)


@pytest.fixture
def my_agents() -> types.ModuleType:
    """A user's module with agents in it."""
    module = types.ModuleType("my_package.my_agents")
    module.Cautious, module.make_first, module.number = Telling, lambda: FunctionAgent(first_legal), 5
    module.make_nothing, module.Agent = lambda: None, Agent
    names = {"my_package": types.ModuleType("my_package"), "my_package.my_agents": module}
    sys.modules.update(names)
    yield module
    for name in names:
        del sys.modules[name]


# -- names ------------------------------------------------------------------------------------------------------------


def test_agent_is_made_of_a_name_an_agent_or_a_function() -> None:
    """A name makes a new agent; an agent stays itself; a function becomes an agent with its name."""
    assert isinstance(make_agent("random"), RandomAgent)
    assert make_agent(" random ").name == "random"
    assert make_agent("random") is not make_agent("random")
    agent = Telling()
    assert make_agent(agent) is agent
    wrapped = make_agent(first_legal)
    assert isinstance(wrapped, FunctionAgent)
    assert (wrapped.name, repr(wrapped)) == ("first_legal", "<agent first_legal>")
    assert FunctionAgent(first_legal, "mine").name == "mine"


@pytest.mark.parametrize("name", ["random", "ghost", "greedy", "tuned"])
def test_agents_that_need_no_more_are_made_by_their_names(name: str) -> None:
    """The name is the text from which they were made."""
    agent = make_agent(name)
    assert name in agent_names()
    assert (agent.name, repr(agent)) == (name, f"<agent {name}>")


def test_agents_of_a_module_of_the_users(my_agents: types.ModuleType) -> None:
    """Anything that returns an agent when called: a class, or a function without arguments."""
    agent = make_agent("my_package.my_agents:Cautious")
    assert isinstance(agent, Telling)
    assert agent.name == "my_package.my_agents:Cautious"
    assert make_agent("my_package.my_agents:make_first").choose(Game(seed=1)) in Game(seed=1).legal()


@pytest.mark.parametrize(
    ("agent", "sentence"),
    [
        ("missing", r"agent 'missing' is not known; known are .*random.*'my_package.my_agents:Cautious'"),
        ("Random", "agent 'Random' is not known"),
        ("", "agent '' is not known"),
        ("missing:5", "agent 'missing:5' is not known"),
        ("random:5", "agent 'random:5' is not possible; allowed is 'random' alone"),
        ("my_package.nothing:Cautious", r"'my_package.nothing:Cautious' cannot be made: No module named"),
        ("my_package.my_agents:Brave", r"'my_package.my_agents:Brave' cannot be made: .* no attribute 'Brave'"),
        ("my_package.my_agents", r"'my_package.my_agents' cannot be made"),
        (".my_agents:Cautious", r"'.my_agents:Cautious' cannot be made"),
        ("my_package.my_agents:number", "is int; a callable that makes an Agent is needed"),
        ("my_package.my_agents:make_nothing", "'my_package.my_agents:make_nothing' made NoneType; an Agent is needed"),
        (None, "None is not an agent; allowed are a name such as 'random', an Agent, or a function"),
        (5, "5 is not an agent"),
        (["random"], r"\['random'\] is not an agent"),
        (RandomAgent, "<class .*RandomAgent'> is not an agent; allowed are .* an Agent"),
    ],
)
def test_what_is_not_an_agent(my_agents: types.ModuleType, agent: Any, sentence: str) -> None:
    """One sentence says what was given and what is allowed."""
    with pytest.raises(CryptError, match=sentence) as error:
        make_agent(agent)
    assert "\n" not in str(error.value)


def test_registered_agent_is_known_everywhere() -> None:
    """It gets the text after the colon; its name is the whole text."""
    texts = []

    def make(text: str) -> Agent:
        texts.append(text)
        return FunctionAgent(first_legal)

    register_agent("contract test", make)
    assert "contract test" in agent_names()
    assert agent_names() == sorted(agent_names())
    assert [make_agent(text).name for text in ("contract test", "contract test:a:b")] == [
        "contract test",
        "contract test:a:b",
    ]
    assert texts == ["", "a:b"]
    with pytest.raises(CryptError, match="there is an agent 'contract test' already"):
        register_agent("contract test", make)


@pytest.mark.parametrize("name", ["", " ", "a:b", "a.b", " a", "a ", ":"])
def test_names_that_no_agent_can_have(name: str) -> None:
    """Names that would be read as something else."""
    with pytest.raises(CryptError, match=r"an agent cannot be named .*; a name has no colon, no dot and no blanks"):
        register_agent(name, lambda text: RandomAgent())
    assert name not in agent_names()


# -- one game ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["random", first_legal, Telling()], ids=["random", "function", "object"])
@pytest.mark.parametrize("players", COUNTS)
def test_choose_returns_a_legal_text_in_whole_games(players: int, agent: Any) -> None:
    """The game does not change; after its end there is no action to choose."""
    game, player = Game(players, seed=5), make_agent(agent)
    while not game.is_over:
        before = game.text()
        action = player.choose(game)
        assert game.text() == before
        assert action in game.legal()
        assert player.choose(game) == action
        game.play(action)
    with pytest.raises(CryptError, match=r"the game is over \(.*\); there is no action to choose"):
        player.choose(game)


def test_choose_draws_as_the_game_would() -> None:
    """The random agent chooses what `Game.random_action` draws next."""
    game = Game(3, seed=5)
    agent = make_agent("random")
    for _ in range(20):
        chosen = agent.choose(game)
        assert chosen == game.copy().random_action()
        game.play(chosen)


@pytest.mark.parametrize("players", COUNTS)
def test_choose_tells_what_the_mover_may_know(players: int) -> None:
    """Observation and mask of the seat to move, a determinized game, and a fresh memory every time."""
    agent, game = Telling(), Game(players, seed=2)
    while not game.is_over:
        agent.choose(game)
        decisions = agent.asked[-1]
        assert (decisions.observations == game.observation(game.to_move)).all()
        assert (decisions.masks == game.mask(game.to_move)).all()
        assert decisions.games["mover"] == game.to_move
        assert decisions.games["seed"] == 0
        assert decisions.memory.tolist() == [[0, 0, 0]]
        game.play(game.random_action())
    assert len({int(decisions.bits[0]) for decisions in agent.asked}) == len(agent.asked)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (108, "agent 'telling': illegal action 'done' for seat 0; legal: place .*"),
        (ACTIONS, f"agent 'telling': illegal action {ACTIONS}, which is not an action"),
        (10**9, "agent 'telling': illegal action 1000000000, which is not an action"),
        (SKIP, "agent 'telling' answered -2, which is not an action"),
        (-5, "agent 'telling' answered -5, which is not an action"),
    ],
)
def test_choose_refuses_an_illegal_answer(answer: int, sentence: str) -> None:
    """Negative indices do not count from the end of the list of actions."""
    with pytest.raises(IllegalActionError, match=sentence):
        Telling(answer).choose(Game(2, leader=0, seed=1))


@pytest.mark.parametrize(
    "answer", [None, 3, [3], np.zeros(2, int), np.zeros((1, 1), int), np.zeros(1), np.zeros(1, bool)]
)
def test_choose_refuses_what_is_not_one_whole_number(answer: Any) -> None:
    """The message names the agent and its answer."""

    class Odd(Agent):
        name = "odd"

        def act(self, decisions):
            return answer

    with pytest.raises(
        CryptError, match=r"agent 'odd' answered .* to 1 decisions; .* one whole number for each is needed"
    ):
        Odd().choose(Game(seed=1))


def test_agent_that_cannot_act_cannot_be_made() -> None:
    """The one method that every agent needs is `act`."""
    with pytest.raises(TypeError, match=r"abstract method '?act'?"):
        type("Idle", (Agent,), {})()


def test_random_agent_leaves_every_choice_to_the_game() -> None:
    """At any decision."""
    masks = np.zeros((4, ACTIONS), bool)
    assert RandomAgent().act(Decisions(np.zeros((4, 1), np.int8), masks, np.zeros(4, np.uint64))).tolist() == [DRAW] * 4


# -- draws ------------------------------------------------------------------------------------------------------------


def test_draw_has_the_frequencies_of_its_chances() -> None:
    """Weights need not sum to 1; zero weights are never drawn. The limit is that of 1 in 1,000 for four numbers."""
    chances = np.zeros(ACTIONS)
    chances[[3, 50, ACTIONS - 2, ACTIONS - 1]] = weights = np.array([0.5, 1.0, 2.0, 4.5])
    bits = np.random.default_rng(1).integers(0, 2**64, 40_000, np.uint64)
    drawn = draw(np.tile(chances, (len(bits), 1)), bits)
    counts = np.bincount(drawn, minlength=ACTIONS)
    expected = len(bits) * weights / weights.sum()
    assert counts[chances == 0].sum() == 0
    assert ((counts[chances > 0] - expected) ** 2 / expected).sum() < 16.3


def test_draw_at_the_ends_of_the_bits() -> None:
    """The smallest and the largest bits draw the first and the last action with a positive weight, row by row."""
    chances = np.zeros((4, ACTIONS))
    chances[:2, [5, 7]] = 1 / 3
    chances[2:, 9] = 1e-300, 1e300
    bits = np.array([0, 2**64 - 1, 2**64 - 1, 2**64 - 1], np.uint64)
    assert draw(chances, bits).tolist() == [5, 7, 9, 9]


# -- many seats -------------------------------------------------------------------------------------------------------


def test_cast_asks_each_agent_once_for_all_of_its_decisions() -> None:
    """Each for its own seats in its own games, and writes only the actions of the games listed."""
    agents = [Telling(), Telling(), RandomAgent(), first_legal]
    batch, cast = Batch(40, 4, seed=2), Cast(40, agents)
    arrays = batch.reset()
    cast.owners[:] = (np.arange(40)[:, None] + np.arange(4)) % 4
    listed = np.arange(5, 40)
    for _ in range(30):
        before = [len(agent.asked) for agent in agents[:2]]
        actions = np.full(40, SKIP, np.int64)
        cast.answer(batch.states, arrays, listed, actions)
        owners = cast.owners[np.arange(40), arrays.movers]
        assert (actions[:5] == SKIP).all()
        assert (actions[listed][owners[listed] == 2] == DRAW).all()
        others = listed[owners[listed] != 2]
        assert (actions[others] == arrays.masks[others].argmax(axis=1)).all()
        for mine, agent in enumerate(agents[:2]):
            rows = listed[owners[listed] == mine]
            assert len(agent.asked) == before[mine] + (len(rows) > 0)
            if len(rows):
                assert (agent.asked[-1].observations == arrays.observations[rows]).all()
                assert (agent.asked[-1].masks == arrays.masks[rows]).all()
        arrays = batch.step(actions)


def test_cast_forgets_the_games_listed_alone() -> None:
    """The memory of other games and seats is kept."""
    agent = Telling()
    batch, cast = Batch(6, 1, seed=2), Cast(6, [agent])
    assert (cast.owners == NO_AGENT).all()
    arrays = batch.reset()
    cast.owners[:, 0] = 0
    everyone, actions = np.arange(6), np.zeros(6, np.int64)
    for kept in ([0] * 6, [1] * 6, [0, 2, 2, 0, 2, 2]):
        if kept[1] == 2:
            cast.forget(np.array([0, 3]))
        cast.answer(batch.states, arrays, everyone, actions)
        assert (agent.asked[-1].memory == np.array(kept)[:, None]).all()


def test_bits_of_decisions_follow_from_the_game_alone() -> None:
    """The same decision has the same bits in any batch, other decisions and episodes have others; each bit is even."""

    class Noting(Telling):
        def act(self, decisions):
            super().act(decisions)
            return nth_legal(decisions.masks, (decisions.bits >> np.uint64(40)).astype(np.int64))

    def bits(games: int, first: int) -> np.ndarray:
        agent = Noting()
        batch, cast = Batch(games, 2, seed=9, first_index=first), Cast(games, [agent])
        cast.owners[:] = 0
        arrays, actions = batch.reset(), np.zeros(games, np.int64)
        for _ in range(200):
            cast.answer(batch.states, arrays, np.arange(games), actions)
            arrays = batch.step(actions)
        return np.array([decisions.bits for decisions in agent.asked])

    many = bits(20, 0)
    assert (bits(3, 4) == many[:, 4:7]).all()
    assert len(set(many.ravel().tolist())) == many.size
    ones = ((many.ravel()[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)).mean(axis=0)
    assert np.abs(ones - 0.5).max() < 0.04
