"""How a training run is described and kept: settings from YAML, the folder of a run, its history, how it is stopped.

Nothing here knows how an agent learns; that is in `crypt_env.ppo`.
"""
