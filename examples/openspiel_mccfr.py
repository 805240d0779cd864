"""Solve a small position of Crypt with OpenSpiel: external-sampling MCCFR, measured by exact exploitability.

In the position `peek` one seat may look at a face-down card before it claims; the other has to guess. Exploitability is
what an opponent who knows the strategy could gain, in coins: 0 is a solution. Needs `pip install '.[openspiel]'`.
"""

import sys

import pyspiel
from open_spiel.python import policy
from open_spiel.python.algorithms import exploitability, external_sampling_mccfr

import crypt_env.envs.openspiel  # noqa: F401, registers the games with OpenSpiel

ITERATIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 1600


def main() -> None:
    """Print how exploitability falls, then how the first seat plays."""
    game = pyspiel.load_game("crypt_endgame(position=peek)")
    uniform = policy.UniformRandomPolicy(game)
    print(f"at random: {exploitability.exploitability(game, uniform):.3f}")
    solver = external_sampling_mccfr.ExternalSamplingSolver(game, external_sampling_mccfr.AverageType.SIMPLE)
    for iteration in range(1, ITERATIONS + 1):
        solver.iteration()
        if iteration % max(1, ITERATIONS // 4) == 0:
            print(f"{iteration} iterations: {exploitability.exploitability(game, solver.average_policy()):.3f}")
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    chances = solver.average_policy().action_probabilities(state)
    likely = sorted(chances, key=chances.get, reverse=True)[:3]
    print(", ".join(f"{state.action_to_string(action)}: {chances[action]:.2f}" for action in likely))


if __name__ == "__main__":
    main()
