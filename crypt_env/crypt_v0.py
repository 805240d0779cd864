"""Crypt for PettingZoo: ``from crypt_env import crypt_v0; env = crypt_v0.env(players=2)``. See `envs.aec`."""

from .envs.aec import env, raw_env

__all__ = ["env", "raw_env"]
