"""What a training program sets for its whole process: threads, precision, memory."""

from __future__ import annotations

import ctypes

import torch

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""What glibc calls M_TRIM_THRESHOLD and M_MMAP_THRESHOLD."""


def tune_process() -> None:
    """Set up this process for training: torch with one thread, as the trainer has its own, and memory that is kept."""
    torch.set_num_threads(1)
    torch.set_float32_matmul_precision("medium")
    keep_memory()


def keep_memory() -> None:
    """Have the C library keep freed memory for the next minibatch; returning it each time costs a tenth."""
    try:
        set_option = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):
        return  # no glibc
    set_option(_TRIM_THRESHOLD, 2**30)
    set_option(_MMAP_THRESHOLD, 2**25)
