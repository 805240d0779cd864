"""The trainer as a library: PPO with action masks that plays all seats of many games at once.

>>> from crypt_env.ppo import FastMaskablePPO, SelfPlayVecEnv, trunk
>>> games = SelfPlayVecEnv(8, players=2, seed=1)
>>> model = FastMaskablePPO("MlpPolicy", games, n_steps=32, policy_kwargs=trunk([2], [16]), seed=1).learn(256)

Networks, rollouts, the loss, schedules, the league, teachers and export belong here; settings, evaluations and
checkpoints are in `crypt_env.experiment`, and the programs that one runs are in ``training``.
"""

from importlib.util import find_spec

from crypt_env.errors import install_hint

_missing = [name for name in ("torch", "stable_baselines3", "sb3_contrib") if find_spec(name) is None]
if _missing:
    raise ImportError(f"training needs {', '.join(_missing)}; {install_hint('train')}")

from .exchange import Exchange, Group  # noqa: E402
from .export import agent_of, export_network, facts_of, start_from, weights_of  # noqa: E402
from .fast import FastMaskablePPO  # noqa: E402
from .league import League  # noqa: E402
from .policy import SharedTrunk, trunk  # noqa: E402
from .pulls import Teachers  # noqa: E402
from .reference import SeatMaskablePPO  # noqa: E402
from .schedules import Linear, Schedule  # noqa: E402
from .selfplay import Reward, SelfPlayVecEnv  # noqa: E402

__all__ = [
    "Exchange",
    "FastMaskablePPO",
    "Group",
    "League",
    "Linear",
    "Reward",
    "Schedule",
    "SeatMaskablePPO",
    "SelfPlayVecEnv",
    "SharedTrunk",
    "Teachers",
    "agent_of",
    "export_network",
    "facts_of",
    "start_from",
    "trunk",
    "weights_of",
]
