"""Crypt for RLlib's current API: self-play by PPO on the engine's own batch, and one seat against agents.

>>> from crypt_env.envs.rllib import export_network, ppo_config
>>> algorithm = ppo_config(players=2).env_runners(num_env_runners=2).build_algo()  # doctest: +SKIP
>>> for _ in range(100):  # doctest: +SKIP
...     result = algorithm.train()
>>> export_network("runs/mine.safetensors", algorithm)  # plays as net:runs/mine  # doctest: +SKIP
"""

from crypt_env.errors import install_hint

try:
    import ray.rllib  # noqa: F401
    import torch  # noqa: F401
except ImportError as error:
    raise ImportError(f"crypt_env.envs.rllib needs RLlib and torch; {install_hint('ray,train')}") from error

from .config import ppo_config
from .export import export_network
from .games import SelfPlayGames
from .learner import SeatAdvantages
from .module import MaskedModule
from .runner import SelfPlayRunner
from .single import MaskedVectorEnv

__all__ = [
    "MaskedModule",
    "MaskedVectorEnv",
    "SeatAdvantages",
    "SelfPlayGames",
    "SelfPlayRunner",
    "export_network",
    "ppo_config",
]
