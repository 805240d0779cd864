"""OpenSpiel's Deep CFR on a small position of Crypt, measured by exact exploitability.

In the position `last_turn` one seat knows a face-down card and the other moves first. The networks see the tensor of an
information state: what the seat knows, and everything that it has seen. Needs `pip install '.[openspiel]'` and torch.
"""

import sys

import pyspiel
import torch
from open_spiel.python import policy
from open_spiel.python.algorithms import exploitability
from open_spiel.python.pytorch import deep_cfr

import crypt_env.envs.openspiel  # noqa: F401, registers the games with OpenSpiel

ITERATIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 30


def main() -> None:
    """Train and print how exploitable the result is."""
    torch.set_num_threads(1)
    game = pyspiel.load_game("crypt_endgame(position=last_turn)")
    solver = deep_cfr.DeepCFRSolver(
        game,
        policy_network_layers=(64, 64),
        advantage_network_layers=(64, 64),
        num_iterations=ITERATIONS,
        num_traversals=40,
        learning_rate=1e-3,
        batch_size_advantage=256,
        batch_size_strategy=256,
        memory_capacity=20_000,
        policy_network_train_steps=50 * ITERATIONS,
        advantage_network_train_steps=100,
    )
    solver.solve()
    learned = policy.tabular_policy_from_callable(game, solver.action_probabilities)
    for name, strategy in (("at random", policy.UniformRandomPolicy(game)), ("Deep CFR", learned)):
        print(f"{name}: exploitability {exploitability.exploitability(game, strategy):.3f} coins")


if __name__ == "__main__":
    main()
