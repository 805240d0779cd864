"""The game as an environment: PettingZoo, Gymnasium (one game and many) and Stable-Baselines3.

Each file is an interface to `crypt_env.Batch` and has no rules of its own. Interfaces to other libraries belong here.
"""
