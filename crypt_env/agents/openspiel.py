"""OpenSpiel's bots as agents: ``openspiel:mcts:200`` and ``openspiel:ismcts:200``, with 200 simulations a decision.

Both are its own Python bots with uniformly random rollouts. `mcts` searches in one determinization, `ismcts` in a new
one for every simulation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from crypt_env.errors import CryptError, install_hint

from .base import Actions, Agent, Decisions
from .registry import Form

MOST_SIMULATIONS = 10**6
FORM = Form(
    "(?P<kind>mcts|ismcts):(?P<simulations>[1-9][0-9]{0,6})",
    f"allowed are 'openspiel:mcts:N' and 'openspiel:ismcts:N' with N simulations a decision, a whole number from 1 to "
    f"{MOST_SIMULATIONS}",
    {"simulations": MOST_SIMULATIONS},
)
_EXPLORATION = 1.0
"""UCT's constant, in units of the range of what a game usually pays."""
_SOLO_RANGE = 30.0

_BotMaker = Callable[[Any, int, float, np.random.RandomState], Any]
"""Makes a bot from a game, a number of simulations, an exploration constant and a source of random numbers."""


def openspiel_agent(kind: str, simulations: str) -> Agent:
    """Return the agent of a bot of OpenSpiel.

    Raises:
        CryptError: OpenSpiel is not installed.
    """
    try:
        import pyspiel  # noqa: F401
    except ImportError as error:
        raise CryptError(
            f"agent 'openspiel:{kind}:{simulations}' needs OpenSpiel; {install_hint('openspiel')}"
        ) from error
    return SpielAgent(_BOTS[kind], int(simulations))


class SpielAgent(Agent):
    """A bot of OpenSpiel that searches in determinized games."""

    needs_games = True

    def __init__(self, make_bot: _BotMaker, simulations: int) -> None:
        self._make_bot = make_bot
        self._simulations = simulations

    def act(self, decisions: Decisions) -> Actions:
        """Return an action for each decision."""
        from crypt_env.envs.openspiel.bots import state_of_row

        games = decisions.games
        if games is None:
            raise CryptError(f"agent {self.name!r} needs Decisions.games: the games to search in")
        actions = np.empty(len(games), np.int64)
        for place in range(len(games)):
            row = games[place : place + 1].copy()
            players = int(row["players"][0])
            row["reward_rule"] = 0
            chance = np.random.RandomState(np.array([decisions.bits[place]], np.uint64).view(np.uint32))
            exploration = _EXPLORATION * (_SOLO_RANGE if players == 1 else 1)
            state = state_of_row(_table(players), row)
            actions[place] = self._make_bot(_table(players), self._simulations, exploration, chance).step(state)
        return actions


@lru_cache
def _table(players: int) -> Any:
    """Return OpenSpiel's game for a number of players; a state has its own table."""
    from crypt_env.envs.openspiel.game import CryptGame

    return CryptGame({"players": players})


def _mcts(game: Any, simulations: int, exploration: float, chance: np.random.RandomState) -> Any:
    from open_spiel.python.algorithms import mcts

    evaluator = mcts.RandomRolloutEvaluator(1, chance)
    return mcts.MCTSBot(game, exploration, simulations, evaluator, solve=False, random_state=chance)


def _ismcts(game: Any, simulations: int, exploration: float, chance: np.random.RandomState) -> Any:
    from open_spiel.python.algorithms import ismcts, mcts

    from crypt_env.envs.openspiel.bots import resampler

    evaluator = mcts.RandomRolloutEvaluator(1, chance)
    bot = ismcts.ISMCTSBot(game, evaluator, exploration, simulations, random_state=chance)
    bot.set_resampler(resampler(int(chance.randint(2**31))))
    return bot


_BOTS: dict[str, _BotMaker] = {"mcts": _mcts, "ismcts": _ismcts}
