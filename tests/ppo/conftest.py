"""For all tests of training."""

import pytest
import torch


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> None:
    """Small networks are not faster with more threads."""
    torch.set_num_threads(1)
