"""Reporting to Weights & Biases, offline; it is not among the packages that the tests install."""

import sys

import pytest

pytest.importorskip("sb3_contrib")

from crypt_env import CryptError
from training.report import WandbWriter
from training.settings import Settings


def test_a_missing_package_is_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(CryptError, match=r"wandb='crypt' needs the package wandb \(pip install wandb\)"):
        WandbWriter(Settings(wandb="crypt"), tmp_path)


def test_numbers_are_written_where_it_is_installed(monkeypatch, tmp_path):
    pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_MODE", "offline")
    writer = WandbWriter(Settings(wandb="crypt", name="mine"), tmp_path)
    writer.write({"train/loss": 0.5, "train/n_updates": 3, "remark": "text"}, {}, step=7)
    writer.close()
    assert [path for path in tmp_path.rglob("*.wandb") if path.stat().st_size > 0]
