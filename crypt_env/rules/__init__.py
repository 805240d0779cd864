"""The game and nothing else: compiled functions on one fixed-size record. They need numpy, numba and platformdirs."""
