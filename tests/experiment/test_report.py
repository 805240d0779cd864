"""Reporting to Weights & Biases, offline."""

import sys

import pytest

from crypt_env import CryptError
from crypt_env.experiment.log import WandbWriter
from crypt_env.experiment.settings import Settings


def test_a_missing_package_is_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(CryptError, match=r"wandb='crypt' needs the package wandb; run pip install '\.\[wandb\]'"):
        WandbWriter(Settings(wandb="crypt"), tmp_path)


def test_a_service_that_refuses_is_one_sentence(monkeypatch, tmp_path):
    wandb = pytest.importorskip("wandb")

    def refuse(**_):
        raise wandb.Error("No API key configured.\nUse `wandb login` to log in.")

    monkeypatch.setattr(wandb, "init", refuse)
    with pytest.raises(CryptError, match=r"^wandb='crypt' cannot be reported to: No API key configured. Use `wandb"):
        WandbWriter(Settings(wandb="crypt"), tmp_path)


def report(folder, step):
    writer = WandbWriter(Settings(wandb="crypt", name="mine"), folder)
    writer.write({"train/loss": 0.5, "train/n_updates": 3, "remark": "text"}, {}, step=step)
    writer.close()
    return sorted(path for path in folder.rglob("*.wandb") if path.stat().st_size > 0)


def test_a_resumed_run_is_the_same_one_there(monkeypatch, tmp_path):
    pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_MODE", "offline")
    once = report(tmp_path / "mine", step=7)
    twice = report(tmp_path / "mine", step=8)
    assert len(once) == 1
    assert len(twice) == 2
    assert twice[0].name == twice[1].name
    other = report(tmp_path / "other", step=7)
    assert other[0].name != once[0].name
