"""OpenSpiel's search against an agent of this package, in OpenSpiel and here. Needs `pip install '.[openspiel]'`.

Its IS-MCTS resamples, for every simulation, what the seat cannot know: `resampler` does that by the rules of Crypt.
The game then becomes an ordinary record, which `crypt replay` accepts.
"""

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts

from crypt_env import Game
from crypt_env.agents import make_agent
from crypt_env.envs.openspiel import AgentBot, record_of_state, resampler
from crypt_env.notation.record import replay

SIMULATIONS = 15


def main() -> None:
    """Play a game in OpenSpiel, then let the same search play here."""
    game = pyspiel.load_game("crypt(players=2,collectors=AABBAB,leader=0)")
    chance = np.random.RandomState(7)
    search = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, chance), 1.0, SIMULATIONS, random_state=chance)
    search.set_resampler(resampler(seed=7))
    bots = [AgentBot("greedy", seed=7), search]

    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(chance.choice(outcomes, p=chances))
        else:
            state.apply_action(bots[state.current_player()].step(state))
    print("returns in OpenSpiel:", state.returns())
    print("replayed here:", replay(record_of_state(state)).outcome())

    agent = make_agent(f"openspiel:mcts:{SIMULATIONS}")
    here = Game(players=2, collectors="AABBAB", leader=0, seed=7)
    print("OpenSpiel's MCTS would open with:", agent.choose(here))


if __name__ == "__main__":
    main()
