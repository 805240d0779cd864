"""Crypt as a game of OpenSpiel: importing this registers ``crypt``, ``python_crypt`` and ``crypt_endgame`` there.

>>> import pyspiel  # doctest: +SKIP
>>> import crypt_env.envs.openspiel  # doctest: +SKIP
>>> game = pyspiel.load_game("crypt(players=3,collectors=AABBAB)")  # doctest: +SKIP
"""

from crypt_env.errors import install_hint

try:
    import pyspiel  # noqa: F401
except ImportError as error:
    raise ImportError(f"crypt_env.envs.openspiel needs OpenSpiel; {install_hint('openspiel')}") from error

from .bots import AgentBot, resampler, state_of_row
from .game import CryptGame, CryptState
from .positions import POSITIONS, EndgameGame, position_parameter
from .records import game_of_state, record_of_state, state_of_record

__all__ = [
    "POSITIONS",
    "AgentBot",
    "CryptGame",
    "CryptState",
    "EndgameGame",
    "game_of_state",
    "position_parameter",
    "record_of_state",
    "resampler",
    "state_of_record",
    "state_of_row",
]
