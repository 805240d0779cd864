"""How a training run is described and kept: settings from YAML, the folder of a run, its history, how it is stopped.

How an agent learns is in `crypt_env.ppo`; what one runs is in ``training``.
"""
