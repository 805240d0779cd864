"""Checks of a saved state before it is used: it may have been made to do harm. All errors are ValueErrors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from crypt_env.errors import quoted

_MOST = 2**53
"""Whole numbers are exact up to here, in any program that reads and writes them."""


def whole_in(content: Mapping[str, Any], name: str) -> int:
    """Return a whole number from 0 on."""
    value = content[name]
    if type(value) is not int or not 0 <= value <= _MOST:
        raise ValueError(f"{name} is {quoted(value)}, not a whole number from 0 on")
    return value


def number_in(content: Mapping[str, Any], name: str) -> float:
    """Return a number from 0 on."""
    value = content[name]
    if type(value) not in (int, float) or not 0 <= value < math.inf:
        raise ValueError(f"{name} is {quoted(value)}, not a number from 0 on")
    return float(value)


def check_like(name: str, value: Any, wanted: Any) -> None:
    """Check that an array or a tensor has the type and shape of another one, and is finite."""
    kind = torch.Tensor if isinstance(wanted, torch.Tensor) else np.ndarray
    if not isinstance(value, kind):
        raise ValueError(f"{name} is {type(value).__name__}, not {kind.__name__}")
    if value.dtype != wanted.dtype or value.shape != wanted.shape:
        raise ValueError(
            f"{name} is of {value.dtype} and {tuple(value.shape)}, not of {wanted.dtype} and {tuple(wanted.shape)}"
        )
    if not np.isfinite(np.asarray(value)).all():
        raise ValueError(f"{name} holds numbers that are not finite")


def check_all_like(name: str, values: Any, wanted: Mapping[str, Any]) -> None:
    """Check that arrays or tensors have the names, types and shapes of others."""
    if values.keys() != wanted.keys():
        differing = sorted(values.keys() ^ wanted.keys())
        raise ValueError(
            f"{name} has {len(values)} parts, not {len(wanted)}; {quoted(differing[0])} is unexpected or missing"
        )
    for part, value in values.items():
        check_like(f"{name} {part}", value, wanted[part])
