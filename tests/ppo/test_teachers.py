"""Teachers: their logits, what is learned from them, and invalid teachers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.distributions import MaskableCategorical

from crypt_env import ACTIONS, CryptError
from crypt_env.agents.network import Network
from crypt_env.experiment.settings import settings_from
from crypt_env.experiment.setup import make_games, make_model
from crypt_env.ppo.export import agent_of
from crypt_env.ppo.loss import teaching_loss
from crypt_env.ppo.policy import trunk
from ppo.small import GAMES, STEPS, collect, small_env, small_model, weights


def teacher(players: list[int], seed: int = 11, **options: Any) -> Network:
    """Return an untrained network with a distinct policy."""
    model = small_model(small_env(players[0]), policy_kwargs=trunk(players, [16, 12], **options), seed=seed)
    with torch.no_grad():
        model.policy.action_net.weight.mul_(300)
    return agent_of(model.policy, players, "teacher").network


def pupil(networks: list[Network], players: Any = 2, games: int = GAMES, **options: Any) -> Any:
    """Return a model that sees all there is, with teachers."""
    thermometers = options.pop("thermometers", False)
    policy = trunk([1, 2, 3, 4], [20, 20], thermometers=thermometers)
    return small_model(small_env(players, games), policy_kwargs=policy, teachers=networks, **options)


def divergence(model: Any) -> float:
    """Return how far a model's choices are from its teachers', in the positions of its last rollout."""
    rollout = model._rollout
    seen = rollout.seen.reshape(-1, rollout.seen.shape[2])[model._rows]
    masks = rollout.masks.reshape(-1, ACTIONS)[model._rows]
    with torch.no_grad():
        mine = model._workers[0].outputs(torch.from_numpy(seen)).numpy()
    gradients = np.zeros((len(seen), ACTIONS + 1), np.float32)
    lessons, counts = model._pulls["teaching"].logits[model._rows], np.ones(len(seen), np.bool_)
    return float(teaching_loss(mine, np.arange(len(seen)), masks, lessons, counts, 1.0, gradients)) / len(seen)


# -- what is shown ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("thermometers", [False, True])
@pytest.mark.parametrize("workers", [1, 2])
def test_each_teaches_at_its_tables(workers: int, thermometers: bool) -> None:
    """The logits are those of the network itself for whole observations."""
    networks = [teacher([1], thermometers=thermometers), teacher([3, 4], 12, thermometers=thermometers)]
    model = pupil(networks, [1, 2, 3, 4] * (GAMES // 4), workers=workers, thermometers=thermometers)
    checked = 0
    for _ in range(4):
        collect(model)
        observations = model.env.arrays.observations.copy()  # where the next rollout begins
        players = model.env.batch.states["players"]
        collect(model)
        assert (model._pulls["teaching"].counts[model._rows] == (players[model._rows % GAMES] != 2)).all()
        for network in networks:
            rows = model._rows[(model._rows < GAMES)]
            rows = rows[np.isin(players[rows], network.players)]
            np.testing.assert_allclose(
                model._pulls["teaching"].logits[rows], network.evaluate(observations[rows])[0], rtol=1e-4, atol=1e-4
            )
            checked += len(rows)
    assert checked > 20


# -- what is learned --------------------------------------------------------------------------------------------------


def test_the_derivative_is_that_of_the_divergence() -> None:
    """As in torch; rows without a teacher are not changed."""
    generator = np.random.default_rng(4)
    outputs, lessons = generator.normal(0, 3, (2, 60, ACTIONS + 1)).astype(np.float32)
    masks = generator.random((90, ACTIONS)) < 0.2
    masks[:, 5] = True
    rows = generator.permutation(90)[:60]
    is_taught = generator.random(90) < 0.7
    whole = np.zeros((90, ACTIONS), np.float32)
    whole[rows] = lessons[:, :ACTIONS]
    gradients = np.ones((60, ACTIONS + 1), np.float32)
    total = teaching_loss(outputs, rows, masks, whole, is_taught, 0.25, gradients)

    logits = torch.tensor(outputs[:, :ACTIONS], requires_grad=True)
    mine = MaskableCategorical(logits=logits, masks=masks[rows])
    theirs = MaskableCategorical(logits=torch.from_numpy(whole[rows]), masks=masks[rows])
    distance = (theirs.probs * (theirs.logits - mine.logits)).sum(dim=1) * torch.from_numpy(is_taught[rows])
    (0.25 * distance.sum()).backward()
    assert total == pytest.approx(distance.sum().item(), rel=1e-4)
    assert logits.grad is not None
    np.testing.assert_allclose(gradients[:, :ACTIONS] - 1, logits.grad.numpy(), atol=1e-5)
    assert (gradients[:, ACTIONS] == 1).all()
    assert (gradients[~is_taught[rows]] == 1).all()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_learner_comes_close_to_its_teachers(workers: int) -> None:
    """Much closer than a learner without a teacher, from the same games on."""
    distances = {}
    for teaching in (0.0, 3.0):
        model = pupil([teacher([2])], teaching=teaching, workers=workers, learning_rate=0.01)
        collect(model)
        before = divergence(model)
        for _ in range(15):
            model.train()
            collect(model)
        distances[teaching] = divergence(model) / before
    assert distances[3.0] < 0.5
    assert distances[3.0] < distances[0.0] / 2


def test_teaching_that_counts_nothing_changes_nothing(tmp_path: Path) -> None:
    """And plain MaskablePPO loads the zip, without the teachers."""
    taught, alone = (pupil(networks, teaching=0.0) for networks in ([teacher([2])], []))
    for model in (taught, alone):
        model.learn(2 * GAMES * STEPS)
    np.testing.assert_array_equal(weights(taught), weights(alone))
    taught.save(tmp_path / "model.zip")
    np.testing.assert_array_equal(weights(MaskablePPO.load(tmp_path / "model.zip")), weights(taught))
    assert (tmp_path / "model.zip").stat().st_size < 300_000


# -- who cannot teach -------------------------------------------------------------------------------------------------


def test_a_teacher_must_not_see_more_than_the_learner() -> None:
    """It could not be followed."""
    with pytest.raises(CryptError, match="a teacher sees what the learner does not: players"):
        small_model(small_env(2), policy_kwargs=trunk([2], [8]), teachers=[teacher([1, 2])])


def test_a_teacher_must_have_games_to_teach() -> None:
    """At a table that it was trained for and no earlier teacher was."""
    with pytest.raises(CryptError, match=r"teacher 1 of 1 has no table to teach at: it was trained for players=\[3\]"):
        pupil([teacher([3])])
    with pytest.raises(CryptError, match=r"teacher 2 of 2 has no table to teach at: it was trained for players=\[2\]"):
        pupil([teacher([2]), teacher([2])])


def test_settings_name_teachers() -> None:
    """By name or path; only the fast trainer has them."""
    content = {"players": [1, 2], "games": 8, "widths": [8], "thermometers": True, "teachers": ["solo", "duel"]}
    settings = settings_from(content)
    model: Any = make_model(settings, make_games(settings))
    assert [network.players for network in model._networks] == [[1], [2]]
    with pytest.raises(CryptError, match=r"teachers=\['solo'\] is not possible with trainer=stock"):
        settings_from({**content, "teachers": ["solo"], "trainer": "stock"})
    missing = settings_from({**content, "teachers": ["missing"]})
    with pytest.raises(CryptError, match="there is no network 'missing'"):
        make_model(missing, make_games(missing))
