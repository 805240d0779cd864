"""Records of games that agents play, and datasets made from them.

>>> from crypt_env.datasets import record_games
>>> lines = list(record_games("greedy", players=3, games=2, seed=1))
"""

from .playing import record_games

__all__ = ["record_games"]
