"""Training runs: settings from YAML, the folder of a run, its history, evaluations and checkpoints, and how it stops.

How an agent learns is in `crypt_env.ppo`; the programs are in ``training``.
"""
