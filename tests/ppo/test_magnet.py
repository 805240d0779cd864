"""The magnet: its loss, how it follows, and what it does to a learner."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib.common.maskable.distributions import MaskableCategorical

from crypt_env import ACTIONS, CryptError
from crypt_env.agents import save_network
from crypt_env.experiment.settings import settings_from
from crypt_env.experiment.setup import make_games, make_model, start_model
from crypt_env.ppo import Linear
from crypt_env.ppo.export import facts_of, weights_of
from crypt_env.ppo.loss import magnet_loss
from ppo.small import GAMES, STEPS, collect, small_env, small_model, weights


def held(magnet: float, rate: float = 0.1, **options: Any) -> Any:
    """Return a model with a magnet."""
    return small_model(small_env(), magnet=magnet, magnet_rate=rate, learning_rate=0.01, **options)


def divergence(model: Any) -> float:
    """Return the divergence that the last epoch has logged."""
    return float(model.logger.name_to_value["train/magnet_loss"])


def test_the_derivative_is_that_of_the_divergence() -> None:
    """As in torch; rows of other minibatches are not read."""
    generator = np.random.default_rng(5)
    outputs, slow = generator.normal(0, 3, (2, 60, ACTIONS + 1)).astype(np.float32)
    masks = generator.random((90, ACTIONS)) < 0.2
    masks[:, 5] = True
    rows = generator.permutation(90)[:60]
    whole = np.full((90, ACTIONS), np.nan, np.float32)
    whole[rows] = slow[:, :ACTIONS]
    gradients = np.ones((60, ACTIONS + 1), np.float32)
    total = magnet_loss(outputs, rows, masks, whole, np.ones(90, np.bool_), 0.25, gradients)

    logits = torch.tensor(outputs[:, :ACTIONS], requires_grad=True)
    mine = MaskableCategorical(logits=logits, masks=masks[rows])
    theirs = MaskableCategorical(logits=torch.from_numpy(whole[rows]), masks=masks[rows])
    distance = (mine.probs * (mine.logits - theirs.logits)).sum(dim=1)
    (0.25 * distance.sum()).backward()
    assert total == pytest.approx(distance.sum().item(), rel=1e-4)
    assert logits.grad is not None
    np.testing.assert_allclose(gradients[:, :ACTIONS] - 1, logits.grad.numpy(), atol=1e-5)
    assert (gradients[:, ACTIONS] == 1).all()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_held_learner_stays_closer_to_its_past(workers: int) -> None:
    """The stronger the magnet, the closer."""
    distances = {}
    for strength in (1e-9, 3.0):
        model = held(strength, workers=workers)
        model.learn(20 * GAMES * STEPS)
        distances[strength] = divergence(model)
    assert 0 < distances[3.0] < distances[1e-9] / 3


def test_a_magnet_moves_by_its_rate() -> None:
    """After two rollouts it is where a weighted mean of the weights is."""
    model = held(0.5, rate=0.25)
    collect(model)
    start = {name: weight.clone() for name, weight in model._pulls["magnet"]._slow.state_dict().items()}
    model.train()
    moved = {name: weight.clone() for name, weight in model._pulls["magnet"]._fast.state_dict().items()}
    collect(model)
    for name, weight in model._pulls["magnet"]._slow.state_dict().items():
        np.testing.assert_allclose(weight, 0.75 * start[name] + 0.25 * moved[name], atol=1e-7)


def test_a_magnet_starts_where_the_learner_starts(tmp_path: Path) -> None:
    """Also if that is given weights of a network after it was made."""
    first = settings_from({"games": 8, "steps": 8, "widths": [8], "thermometers": True})
    policy = make_model(first, make_games(first)).policy
    save_network(tmp_path / "first", weights_of(policy), facts_of(policy, first.players))
    settings = first.model_copy(update={"start": str(tmp_path / "first"), "seed": 5, "magnet": 0.5})
    model = make_model(settings, make_games(settings))
    start_model(settings, model)
    collect(model)
    magnet = model._pulls["magnet"]
    for slow, fast in zip(magnet._slow.parameters(), magnet._fast.parameters(), strict=True):
        assert (slow == fast).all()
    assert (magnet._slow[1].weight.detach().numpy() == weights_of(policy)["policy.weight"]).all()


def test_a_magnet_may_begin_with_no_weight() -> None:
    """By a schedule that rises."""
    model = small_model(small_env(), magnet=Linear(0.0, 0.5), magnet_rate=0.1, learning_rate=0.01)
    model.learn(2 * GAMES * STEPS)
    assert model.magnet == pytest.approx(0.25)
    assert divergence(model) > 0


def test_no_magnet_changes_nothing() -> None:
    """The rate alone does nothing."""
    with_rate, without = held(0.0, rate=0.9), small_model(small_env(), learning_rate=0.01)
    for model in (with_rate, without):
        model.learn(2 * GAMES * STEPS)
    np.testing.assert_array_equal(weights(with_rate), weights(without))


def test_impossible_magnets_are_refused() -> None:
    """By the model and in settings."""
    with pytest.raises(CryptError, match="magnet=-1 is not possible; a number from 0 on is needed"):
        held(-1)
    with pytest.raises(CryptError, match="magnet_rate=2 is not possible; a number from 0 to 1 is needed"):
        held(1.0, rate=2)
    with pytest.raises(CryptError, match=r"magnet=0\.5 is not possible with trainer=stock"):
        settings_from({"magnet": 0.5, "trainer": "stock"})
