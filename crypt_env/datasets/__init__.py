"""Records of games that agents play, and datasets made from them.

>>> from crypt_env.datasets import record_games
>>> lines = list(record_games("greedy", players=3, games=2, seed=1))
"""

from .arrays import write_arrays
from .minari import write_minari
from .playing import record_games
from .reading import DecisionReader
from .replaying import DecisionArrays

__all__ = ["DecisionArrays", "DecisionReader", "record_games", "write_arrays", "write_minari"]
