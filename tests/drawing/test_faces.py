"""Every environment renders in every mode: the same boards, also for checkers and recorders."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import render_test

from crypt_env import CryptError, Game, crypt_v0
from crypt_env.drawing import draw_pixels, scene_of_game
from crypt_env.envs.single import RENDER_MODES, SeatEnv
from crypt_env.envs.vector import SeatVectorEnv
from property.play import COUNTS

pytest.importorskip("PIL")

SHAPE = (480, 640, 3)


def test_all_know_the_same_modes() -> None:
    for metadata in (SeatEnv.metadata, SeatVectorEnv.metadata, crypt_v0.raw_env.metadata):
        assert tuple(metadata["render_modes"]) == RENDER_MODES
        assert metadata["render_fps"] == 2


@pytest.mark.parametrize("players", COUNTS)
def test_pettingzoo_draws_its_game(players: int) -> None:
    render_test(lambda render_mode: crypt_v0.env(players=players, render_mode=render_mode))
    env, game = crypt_v0.env(players=players, render_mode="rgb_array"), Game(players, seed=3)
    env.reset(seed=3)
    for _ in range(12):
        frame = env.render()
        assert frame.shape == SHAPE
        assert (frame == draw_pixels(scene_of_game(game))).all()
        action = game.legal_actions()[-1]
        env.step(action)
        game.play(action)


def test_gymnasium_records_what_it_draws() -> None:
    """Gymnasium's own wrapper collects the frames of an episode."""
    env = gymnasium.wrappers.RenderCollection(gymnasium.make("crypt_env/OnlyChild-v0", render_mode="rgb_array"))
    _, info = env.reset(seed=1)
    for _ in range(5):
        info = env.step(int(info["action_mask"].argmax()))[4]
    frames = env.render()
    assert len(frames) == 6
    assert all(frame.shape == SHAPE and frame.dtype == np.uint8 for frame in frames)
    assert not (frames[0] == frames[-1]).all()


def test_vector_environments_draw_every_game(capsys: pytest.CaptureFixture[str]) -> None:
    envs = SeatVectorEnv(3, players=[1, 3, 4], render_mode="rgb_array")
    with pytest.raises(CryptError, match="nothing to render: no game was dealt yet"):
        envs.render()
    envs.reset(seed=2)
    frames = envs.render()
    games = [Game.from_state(envs._games.batch.states[row : row + 1]) for row in range(3)]
    assert all((frame == draw_pixels(scene_of_game(game))).all() for frame, game in zip(frames, games, strict=True))
    human = SeatVectorEnv(3, players=[1, 3, 4], render_mode="human")
    _, infos = human.reset(seed=2)
    assert capsys.readouterr().out == f"{games[0]}\n\n"
    human.step(infos["action_mask"].argmax(axis=1))
    assert capsys.readouterr().out.count("Crypt") == 1
    assert human.render() is None


def test_watching_changes_nothing() -> None:
    """An environment that is drawn plays the same."""
    ends = []
    for mode in (None, "ansi", "rgb_array"):
        env = SeatEnv(4, "random", render_mode=mode)
        observation, info = env.reset(seed=5)
        over = False
        while not over:
            if mode:
                env.render()
            observation, _, over, _, info = env.step(info["action_mask"].argmax())
        ends.append(observation.tobytes())
    assert len(set(ends)) == 1
