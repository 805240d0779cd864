"""Agents of ours as OpenSpiel's bots, and its bots as agents of ours."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from crypt_env import CryptError, Game, random_game
from crypt_env.agents import Agent, Decisions, FunctionAgent, make_agent


@pytest.mark.parametrize("text", ["", "mcts", "mcts:0", "mcts:x", "ismcts:1000001", "uct:5"])
def test_what_names_no_bot_is_refused(text: str) -> None:
    """One sentence says what is possible."""
    with pytest.raises(CryptError, match="allowed are 'openspiel:mcts:N' and 'openspiel:ismcts:N'"):
        make_agent(f"openspiel:{text}")


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without OpenSpiel, the agents and the games say what to install."""
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    for name in [name for name in sys.modules if name.startswith("crypt_env.envs.openspiel")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(CryptError, match=r"'openspiel:mcts:5' needs OpenSpiel; run pip install '\.\[openspiel\]'"):
        make_agent("openspiel:mcts:5")
    with pytest.raises(ImportError, match=r"needs OpenSpiel; run pip install '\.\[openspiel\]'"):
        import crypt_env.envs.openspiel  # noqa: F401


class Counting(Agent):
    """Remembers how often its seat was asked, and takes the first legal action."""

    memory_size = 1
    name = "counting"
    counts: list[int]

    def __init__(self) -> None:
        """Begin with no counts."""
        self.counts = []

    def act(self, decisions: Decisions) -> Any:
        """Count."""
        assert decisions.memory is not None
        decisions.memory[:] += 1
        self.counts.append(int(decisions.memory[0, 0]))
        return decisions.masks.argmax(axis=1)


@pytest.mark.usefixtures("_spiel")
class TestBots:
    """Our agents in OpenSpiel."""

    @pytest.fixture
    def _spiel(self) -> None:
        """Skip where OpenSpiel is not installed."""
        pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

    def returns(self, text: str, bots: list[Any], seed: int) -> Any:
        """Play a game between bots."""
        from open_spiel.python.algorithms import evaluate_bots

        from envs.spiel import load

        return evaluate_bots.evaluate_bots(load(text).new_initial_state(), bots, np.random.RandomState(seed))

    @pytest.mark.parametrize("name", ["random", "greedy", "tuned", "search:5", "ismcts:20"])
    def test_agents_play_whole_games(self, name: str) -> None:
        """At all tables, and from positions on."""
        from crypt_env.envs.openspiel import AgentBot

        for text, players in (
            ("crypt(players=1)", 1),
            ("crypt(players=3)", 3),
            ("crypt_endgame(position=two_rounds)", 2),
        ):
            assert len(self.returns(text, [AgentBot(name, seed) for seed in range(players)], 1)) == players

    def test_the_better_agent_wins(self) -> None:
        """Greedy beats random in OpenSpiel as it does here."""
        from crypt_env.envs.openspiel import AgentBot

        won = [
            self.returns("crypt", [AgentBot("greedy", seed), AgentBot("random", seed)], seed)[0] for seed in range(20)
        ]
        assert np.mean(won) > 0.5

    def test_a_bot_forgets_when_a_game_begins(self) -> None:
        """An agent's memory is that of one game."""
        from crypt_env.envs.openspiel import AgentBot

        agent = Counting()
        bot = AgentBot(agent)
        for _ in range(2):
            self.returns("crypt", [bot, AgentBot("random", 1)], 3)
        assert agent.counts.count(1) == 2
        assert max(agent.counts) > 3

    def test_a_bot_is_told_no_secret(self) -> None:
        """The games that a searching agent receives are re-dealt."""
        from crypt_env.envs.openspiel import AgentBot
        from envs.spiel import load

        decks = set()

        class Looking(Agent):
            needs_games = True

            def act(self, decisions: Decisions) -> Any:
                assert decisions.games is not None
                decks.add(decisions.games["deck"].tobytes())
                assert not decisions.games["seed"].any()
                return decisions.masks.argmax(axis=1)

        state = load("crypt_endgame(position=peek)").new_initial_state()
        while state.is_chance_node():
            state.apply_action(state.legal_actions()[0])
        bot = AgentBot(Looking())
        for _ in range(30):
            bot.step(state)
        assert len(decks) > 1

    def test_wrong_answers_are_refused(self) -> None:
        """An illegal action, and a query at a chance node."""
        from crypt_env.envs.openspiel import AgentBot
        from envs.spiel import load

        bot = AgentBot(FunctionAgent(lambda observations, masks: np.full(len(masks), 110), "peeker"))
        state = load("crypt(collectors=A)").new_initial_state()
        with pytest.raises(CryptError, match="no seat decides in this state"):
            bot.step(state)
        while state.is_chance_node():
            state.apply_action(state.legal_actions()[0])
        with pytest.raises(CryptError, match="agent 'peeker': illegal action 'peek'"):
            bot.step(state)

    def test_games_that_are_no_states_are_refused(self) -> None:
        """Those that are over, and those of another number of players; others become states."""
        from crypt_env.envs.openspiel import state_of_row
        from envs.spiel import load

        duel = load("crypt(players=2)")
        assert state_of_row(duel, Game(2, seed=1).state).current_player() == Game(2, seed=1).to_move
        with pytest.raises(CryptError, match=r"^this is a game of 1 player; one of 2 is needed$"):
            state_of_row(duel, Game(1, seed=1).state)
        with pytest.raises(CryptError, match=r"^no seat decides in this game, so it is no state; it is over or "):
            state_of_row(duel, random_game(2, seed=1).state)

    def test_resampler_serves_the_search_of_openspiel(self) -> None:
        """IS-MCTS plays a whole game with it; its states look the same to the player."""
        from open_spiel.python.algorithms import ismcts, mcts

        from crypt_env.envs.openspiel import AgentBot, resampler
        from envs.spiel import load

        game = load("crypt(players=2,collectors=ABBBBA,leader=1)")
        chance = np.random.RandomState(0)
        search = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, chance), 1.0, 5, random_state=chance)
        search.set_resampler(resampler(seed=0))
        bots = [search, AgentBot("random", 0)]
        state = game.new_initial_state()
        while not state.is_terminal():
            is_chance = state.is_chance_node()
            state.apply_action(
                chance.choice(state.legal_actions()) if is_chance else bots[state.current_player()].step(state)
            )
        assert sum(state.returns()) == 0


@pytest.mark.usefixtures("_spiel")
class TestAgents:
    """Its bots here."""

    _spiel = TestBots._spiel

    @pytest.mark.parametrize("kind", ["mcts", "ismcts"])
    @pytest.mark.parametrize("players", [1, 2, 4])
    def test_bots_play_here(self, kind: str, players: int) -> None:
        """Their moves are legal, and follow from the game's seed alone."""
        agent = make_agent(f"openspiel:{kind}:4")
        game = Game(players=players, seed=2)
        for _ in range(6):
            move = agent.choose(game)
            assert agent.choose(game) == move
            game.play(move)

    @pytest.mark.slow
    def test_they_beat_random_players(self) -> None:
        """A few simulations are enough to be ahead, by more than two coins a game."""
        agent = make_agent("openspiel:ismcts:150")
        ahead = 0
        for seed in range(3):
            game = Game(players=2, collectors="AABBAB", seed=seed)
            while not game.is_over:
                game.play(agent.choose(game) if game.to_move == 0 else game.random_action())
            scores = game.outcome().scores  # type: ignore[union-attr]
            ahead += scores[0] - scores[1]
        assert ahead > 6

    def test_a_position_wins_what_can_be_won(self) -> None:
        """With many simulations it makes the best last choice."""
        agent = make_agent("openspiel:ismcts:400")
        game = Game.from_text(
            "crypt1 players=2 collectors=AABAAA deck=I1M2I2J1P2I3J3J4I4M1P3M3R1R3M4R4T1T2T3T4P4R2J2P1 round=8 leader=0 "
            "phase=claim turn=2 crypt=0:1x6,0:1x6,. downs=x,x,x,x,x,x,x,c dice=1/0,3/0 public=-,- decisions=20"
        )
        assert agent.choose(game).startswith("place 2")
