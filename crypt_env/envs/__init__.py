"""The game as an environment: PettingZoo, Gymnasium (one game and many), Stable-Baselines3, OpenSpiel and RLlib.

Each interface is built on the engine and has no rules of its own. Interfaces to other libraries belong here.
"""

ILLEGAL_REWARD = -1.0
"""The reward for an illegal action that ends the game."""
