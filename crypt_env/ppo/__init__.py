"""The trainer as a library: PPO with action masks that plays all seats of many games at once.

A rollout, the loss, the league, teachers, checkpoints and export belong here; what one runs is in ``training``.
"""
