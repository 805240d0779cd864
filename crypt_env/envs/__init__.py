"""The game as an environment: PettingZoo, Gymnasium (one game and many) and Stable-Baselines3.

Each file is a face over `crypt_env.Batch` and has no rules of its own. Another library's interface belongs here.
"""
