"""The game and nothing else: compiled functions on one fixed-size record, in need of numpy and numba only."""
