"""`SeatVectorEnv` in all of Gymnasium's modes of restarting: as `SyncVectorEnv`, step by step, and in wrappers."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers import vector as wrappers
from packaging.version import Version

from crypt_env import ACTIONS, CryptError
from crypt_env.envs.single import SeatEnv
from crypt_env.envs.vector import SeatVectorEnv
from envs.seating import COUNTS, IDS, BitsAgent, an_illegal_action, payoffs, pick

GAMES = 5
MODES = list(AutoresetMode)
ARGUMENTS: dict[str, Any] = {"opponents": {BitsAgent(): 1, "random": 1}, "reward": "margin", "dense": True}


def both(players: int, mode: AutoresetMode, **arguments: Any) -> tuple[SeatVectorEnv, SyncVectorEnv]:
    """Return the same games as ours and as Gymnasium's."""
    arguments = {**ARGUMENTS, **arguments}
    alone = [lambda index=index: SeatEnv(players, index=index, **arguments) for index in range(GAMES)]
    return SeatVectorEnv(GAMES, players, autoreset_mode=mode, **arguments), SyncVectorEnv(alone, autoreset_mode=mode)


def compare(ours: Any, theirs: Any, chosen: np.ndarray, path: str = "infos") -> None:
    """Compare infos of the selected games, in keys, values and types."""
    empty = {"action_mask", "_action_mask"} if path.endswith("final_info") else set()  # the mask after the end is empty
    assert set(theirs) - set(ours) <= empty, path
    assert set(ours) <= set(theirs), path
    for name in ours:
        one, other = ours[name], theirs[name]
        if isinstance(one, dict):
            compare(one, other, chosen, f"{path}.{name}")
            continue
        assert (one.dtype, one.shape) == (other.dtype, other.shape), f"{path}.{name}"
        for game in np.flatnonzero(chosen):
            assert np.array_equal(one[game], other[game]), f"{path}.{name}[{game}]"


def actions_for(observations: np.ndarray, masks: np.ndarray, number: int) -> np.ndarray:
    """Choose actions, sometimes illegal ones. A finished game gets any action."""
    actions = pick(observations, np.where(masks.any(axis=1, keepdims=True), masks == 1, True))
    if number % 23 == 22:
        actions[number % GAMES] = an_illegal_action(masks[number % GAMES])
    return actions


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("players", COUNTS)
def test_every_step_is_that_of_gymnasium(players: int, mode: AutoresetMode) -> None:
    """Observations, rewards, ends and infos of some hundred steps, with illegal actions, last observations and infos,
    and games chosen for a reset with seeds, without, and with None among them."""
    ours, theirs = both(players, mode)
    assert ours.metadata["autoreset_mode"] is theirs.metadata["autoreset_mode"] is mode
    everybody = np.ones(GAMES, bool)
    seeds: list[int | None] = [4, 9, 4, 2**64 - 1, 7]
    (observations, infos), (others, other_infos) = ours.reset(seed=seeds), theirs.reset(seed=list(seeds))
    compare(infos, other_infos, everybody)
    ended, resets = np.zeros(GAMES, int), 0
    for number in range(300):
        assert (observations == others).all()
        actions = actions_for(observations, infos["action_mask"], number)
        observations, *values, infos = ours.step(actions)
        others, *other_values, other_infos = theirs.step(actions)
        for one, other in zip(values, other_values, strict=True):
            assert (one == other).all()
            assert (type(one), one.dtype) == (type(other), other.dtype)
        compare(infos, other_infos, everybody)
        ended += values[1]
        if mode is AutoresetMode.DISABLED and values[1].any():
            mask, resets = values[1].copy(), resets + 1
            given = None if resets % 3 else [None if game % 2 else resets + game for game in range(GAMES)]
            observations, infos = ours.reset(seed=given, options={"reset_mask": mask})
            others, other_infos = theirs.reset(seed=given and list(given), options={"reset_mask": mask})
            compare(infos, other_infos, mask)
    assert ended.min() > 5


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("players", COUNTS)
def test_coins_of_games_that_ended_are_reported(players: int, mode: AutoresetMode) -> None:
    """Those of all seats, for every reward, and only for the games that ended; with stateful opponents as well."""
    envs = gymnasium.make_vec(
        IDS[players],
        num_envs=40,
        autoreset_mode=mode.value,
        opponents=pick,
        **({"players": players} if players > 1 else {}),
    )
    owed = payoffs(players, 40, 3, 1, "coins")[0]
    observations, infos = envs.reset(seed=3)
    reported = np.zeros(40, bool)
    while not reported.all():
        masks = infos["action_mask"] == 1
        observations, _, ends, _, infos = envs.step(
            pick(observations, np.where(masks.any(axis=1)[:, None], masks, True))
        )
        source = infos.get("final_info", {}) if mode is AutoresetMode.SAME_STEP else infos
        assert ends.any() == ("scores" in source)
        if ends.any():
            assert (source["_scores"] == ends).all()
            assert source["scores"].shape == (40, players)
            fresh = ends & ~reported
            assert (source["scores"][fresh] == owed[fresh]).all()
            assert not source["scores"][~ends].any()
            reported |= ends
        if mode is AutoresetMode.DISABLED and ends.any():
            observations, infos = envs.reset(options={"reset_mask": ends})


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_tables_of_several_sizes_tell_coins_of_as_many_seats_as_the_largest_has(mode: AutoresetMode) -> None:
    """Seats that do not exist at a table have none."""
    envs = SeatVectorEnv(6, [1, 2, 3, 1, 2, 3], pick, autoreset_mode=mode)
    observations, infos = envs.reset(seed=1)
    while "scores" not in (source := infos.get("final_info", infos)):
        observations, _, ends, _, infos = envs.step(pick(observations, infos["action_mask"] == 1))
    assert source["scores"].shape == (6, 3)
    for game in np.flatnonzero(ends):
        assert (source["scores"][game] != 0).sum() <= 1 + game % 3


# -- seeds and resets -------------------------------------------------------------------------------------------------


def test_a_seed_for_each_game() -> None:
    """Row i plays game i of its own seed, and then the next episodes of it; one seed is a list of the same."""
    envs = SeatVectorEnv(4, 2, pick)
    listed = envs.reset(seed=[5, 6, 5, 6])[0]
    five, six = (SeatVectorEnv(4, 2, pick).reset(seed=seed)[0] for seed in (5, 6))
    assert (listed == np.where(np.arange(4)[:, None] % 2, six, five)).all()
    assert (envs.reset(seed=np.array([5, 5, 5, 5]))[0] == five).all()
    after = envs.reset()[0]
    assert (envs.reset(seed=5)[0] == five).all()
    assert (envs.reset(seed=[None] * 4)[0] == after).all()


@pytest.mark.parametrize(
    ("seed", "sentence"),
    [
        ([1, 2, 3], "seed has 3 entries for 4 games; give one seed, or one for each"),
        ([1, 2, 3, -1], "seed=-1 is not possible; allowed are integers from 0"),
        ([1, 2, 3, "4"], "seed='4' is not possible"),
        ([1, 2, 3, True], "seed=True is not possible"),
        (True, "seed=True is not possible"),
        ("1234", "seed='1234' is not possible"),
    ],
    ids=repr,
)
def test_wrong_seeds_change_nothing(seed: Any, sentence: str) -> None:
    """The message says which; no game was dealt."""
    envs, twin = SeatVectorEnv(4, 2, pick), SeatVectorEnv(4, 2, pick)
    for each in (envs, twin):
        each.reset(seed=1)
    with pytest.raises(CryptError, match=sentence):
        envs.reset(seed=seed, options={"collectors": "A"})
    assert envs._games.batch.states.tobytes() == twin._games.batch.states.tobytes()
    assert (envs.reset()[0] == twin.reset()[0]).all()


def test_options_are_for_the_games_that_are_reset() -> None:
    """With a mask the tables of the others stay, also in their next episodes."""
    envs, plain = (SeatVectorEnv(4, 2, pick, collectors="B", autoreset_mode="Disabled") for _ in range(2))
    for each in (envs, plain):
        each.reset(seed=2)
    mask = np.array([True, False, True, False])
    envs.reset(options={"reset_mask": mask, "collectors": "A"})
    plain.reset(options={"reset_mask": mask})
    envs.reset()
    plain.reset()
    assert (envs._games.batch.states["sides"].any(axis=1) == ~mask).all()
    assert (envs._games.batch.states[~mask] == plain._games.batch.states[~mask]).all()


def test_tables_of_several_sizes_take_a_leader_each_in_its_own_way() -> None:
    """A solo game has one leader; at the larger tables a random one is drawn."""
    envs = SeatVectorEnv(400, [1, 4] * 200, pick, leader=0)
    envs.reset(seed=1, options={"leader": "random"})
    leaders = envs._games.batch.states["leader"]
    assert not leaders[::2].any()
    assert set(leaders[1::2]) == {0, 1, 2, 3}


def test_games_that_are_over_are_not_stepped_where_nothing_restarts_them() -> None:
    """A step names the first of them and changes nothing; after they are re-dealt, all continue."""
    envs = SeatVectorEnv(6, 1, autoreset_mode=AutoresetMode.DISABLED)
    observations, infos = envs.reset(seed=1)
    ends = np.zeros(6, bool)
    while not ends.any():
        observations, _, ends, _, infos = envs.step(pick(observations, infos["action_mask"] == 1))
    before = envs._games.batch.states.tobytes()
    first = np.flatnonzero(ends)[0]
    with pytest.raises(CryptError, match=rf"game {first} is over; call reset\(options=\{{'reset_mask': ...\}}\)"):
        envs.step(np.zeros(6, int))
    assert envs._games.batch.states.tobytes() == before
    observations, infos = envs.reset(options={"reset_mask": ends})
    envs.step(pick(observations, infos["action_mask"] == 1))


@pytest.mark.parametrize("mode", ["nextstep", "Never", None, 3], ids=repr)
def test_unknown_mode(mode: Any) -> None:
    """One sentence says what is allowed."""
    sentence = "autoreset_mode=.* is not known; allowed are 'NextStep', 'SameStep', 'Disabled'"
    with pytest.raises(CryptError, match=sentence):
        SeatVectorEnv(2, autoreset_mode=mode)


def test_the_mode_of_one_is_not_that_of_another() -> None:
    """The settings of one environment do not change what the class declares."""
    one, other = SeatVectorEnv(2, autoreset_mode="NextStep"), SeatVectorEnv(2)
    assert one.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert other.metadata["autoreset_mode"] is SeatVectorEnv.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert copy.deepcopy(one).metadata == one.metadata


# -- Gymnasium's wrappers ---------------------------------------------------------------------------------------------

HALF = (lambda observations: observations / 2, lambda observation: observation / 2)
OLD = Version(gymnasium.__version__) < Version("1.4")
"""Older releases refuse with a bare assert, and some count wrongly in the mode "SameStep"."""
REFUSALS = (AssertionError, AttributeError, ValueError, TypeError)
REFUSED = {
    "GrayscaleObservation": "image with 3 channels",
    "ResizeObservation": "2D or 3D",
    "FilterObservation": "Dict",
    "ClipAction": "Box",
    "RescaleAction": "Box",
}
"""Wrappers for other observations or actions, and their errors."""

SETTINGS: dict[str, dict[str, Any]] = {
    "TransformObservation": {"func": HALF[0]},
    "VectorizeTransformObservation": {"wrapper": gymnasium.wrappers.TransformObservation, "func": HALF[1]},
    "FilterObservation": {"filter_keys": ["observation"]},
    "ResizeObservation": {"shape": (8, 8)},
    "RescaleAction": {"min_action": np.float32(0), "max_action": np.float32(1)},
    "ReshapeObservation": {"shape": (1, -1)},
    "RescaleObservation": {"min_obs": np.float32(0), "max_obs": np.float32(1)},
    "DtypeObservation": {"dtype": np.float32},
    "TransformAction": {"func": lambda actions: actions},
    "VectorizeTransformAction": {"wrapper": gymnasium.wrappers.TransformAction, "func": lambda action: action},
    "TransformReward": {"func": lambda rewards: 2 * rewards},
    "VectorizeTransformReward": {"wrapper": gymnasium.wrappers.TransformReward, "func": lambda reward: 2 * reward},
    "ClipReward": {"min_reward": -1, "max_reward": 1},
}


def wrapper_names() -> list[str]:
    """Return the names of all wrappers that Gymnasium has for vectors."""
    return [name for name in wrappers.__all__ if name[0].isupper()]


CONVERTERS = {"ArrayConversion", "NumpyToTorch", "JaxToTorch", "JaxToNumpy"}
"""They cannot convert the array of objects that "final_obs" is in the mode "SameStep", in any environment."""

NEEDS = {
    "ArrayConversion": ("array_api_compat", "torch"),
    "NumpyToTorch": ("array_api_compat", "torch"),
    "JaxToNumpy": ("jax",),
    "JaxToTorch": ("jax", "torch"),
    "RecordVideo": ("moviepy", "PIL"),
    "HumanRendering": ("pygame", "cv2", "PIL"),
}


def wrapped(name: str, env: VectorEnv) -> VectorEnv:
    """Put a wrapper around an environment."""
    settings = dict(SETTINGS.get(name, {}))
    if name in ("TransformObservation", "VectorizeTransformObservation"):
        low, high = env.single_observation_space.low / 2, env.single_observation_space.high / 2
        space = gymnasium.spaces.Box(low, high, dtype=np.float64)
        settings |= {"observation_space": space} if name[0] == "V" else {"single_observation_space": space}
    if name == "VectorizeTransformAction":
        settings["action_space"] = env.single_action_space
    if name == "ReshapeObservation":
        settings["shape"] = (env.single_observation_space.shape[0], 1)
    if name == "ArrayConversion":
        import torch

        settings = {"env_xp": np, "target_xp": torch}
    return getattr(wrappers, name)(env, **settings)


def test_every_wrapper_of_gymnasium_is_looked_at() -> None:
    """The list is that of the installed release, and every entry of the tables is for an existing wrapper."""
    names = wrapper_names()
    assert len(names) > 20
    assert set(SETTINGS) | set(REFUSED) <= set(names)


@pytest.mark.parametrize("name", REFUSED)
def test_wrappers_that_are_for_something_else_are_refused(name: str) -> None:
    """The wrappers skipped below are skipped for reasons that still hold."""
    env = SeatVectorEnv(2, autoreset_mode="NextStep")
    with pytest.raises(REFUSALS, match=None if OLD else REFUSED[name]):
        wrapped(name, env).reset()


def refuses(name: str, mode: AutoresetMode) -> bool:
    """Return whether Gymnasium itself refuses a wrapper in a mode: those that change observations."""
    maker = getattr(wrappers, name)
    if name == "NormalizeObservation":
        return mode is not AutoresetMode.NEXT_STEP
    return issubclass(maker, gymnasium.vector.VectorObservationWrapper) and mode is AutoresetMode.SAME_STEP


@pytest.mark.filterwarnings("ignore:.*precision lowered by casting")
@pytest.mark.filterwarnings("ignore:.*Recorded episodes will not contain the last frame")
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("name", sorted(set(wrapper_names()) - set(REFUSED)))
def test_wrappers_play_whole_games(
    name: str, mode: AutoresetMode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every wrapper that Gymnasium takes in the mode plays on through ends of games; one that it refuses is refused."""
    for package in NEEDS.get(name, ()):
        pytest.importorskip(package)
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pictures = "rgb_array" if name in ("RecordVideo", "HumanRendering") else None
    games, steps = (2, 30) if pictures else (8, 150)
    base = SeatVectorEnv(games, 1 if pictures else 2, reward="coins", autoreset_mode=mode, render_mode=pictures)
    if name == "HumanRendering":
        base.metadata = {**base.metadata, "render_fps": 1000}  # it waits between pictures
    if name == "RecordVideo":
        SETTINGS[name] = {"video_folder": str(tmp_path / "new")}
    if refuses(name, mode):
        with pytest.raises(AssertionError if OLD else ValueError, match=None if OLD else "autoreset_mode"):
            wrapped(name, base)
        return
    if name in CONVERTERS and mode is AutoresetMode.SAME_STEP:
        with pytest.raises(BufferError, match="DLPack"):
            play(wrapped(name, base), base, steps)
    else:
        assert play(wrapped(name, base), base, steps) >= games


def play(env: VectorEnv, base: SeatVectorEnv, steps: int) -> int:
    """Play some steps of an environment that wraps ours; return how many games ended."""
    env.reset(seed=1)
    ended = 0
    for _ in range(steps):
        actions: Any = base.action_space.sample(tuple(base.action_masks().view(np.int8)))
        if type(env).__name__ in CONVERTERS - {"JaxToNumpy"}:
            import torch

            actions = torch.as_tensor(actions)
        _, _, ends, *_ = env.step(actions)
        ended += int(ends.sum())
        if base.metadata["autoreset_mode"] is AutoresetMode.DISABLED and bool(ends.any()):
            env.reset(options={"reset_mask": np.asarray(ends)})
    env.close()
    return ended


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_episode_statistics_are_right_in_every_mode(mode: AutoresetMode) -> None:
    """Returns that the wrapper reports are the coins of the learner, and lengths its decisions."""
    if OLD and mode is AutoresetMode.SAME_STEP:
        pytest.skip("Gymnasium before 1.4 leaves out the first step of each game in the mode SameStep")
    env = wrappers.RecordEpisodeStatistics(SeatVectorEnv(10, 3, pick, seat=1, reward="coins", autoreset_mode=mode))
    observations, infos = env.reset(seed=2)
    counts, seen = np.zeros(10, int), 0
    for _ in range(150):
        is_on = infos["action_mask"].any(axis=1)
        masks = np.where(is_on[:, None], infos["action_mask"] == 1, True)
        counts += is_on
        observations, _, ends, _, infos = env.step(pick(observations, masks))
        source = infos.get("final_info", infos)
        for game in np.flatnonzero(ends):
            assert infos["episode"]["r"][game] == source["scores"][game][1]
            assert infos["episode"]["l"][game] == counts[game]
            counts[game], seen = 0, seen + 1
        if mode is AutoresetMode.DISABLED and ends.any():
            observations, infos = env.reset(options={"reset_mask": ends})
    assert seen > 20


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_what_is_returned_belongs_to_the_caller(mode: AutoresetMode) -> None:
    """Overwriting everything that is returned, including masks and last infos, changes no later step."""
    envs, twin = (SeatVectorEnv(6, 3, {BitsAgent(): 1, pick: 1}, autoreset_mode=mode) for _ in range(2))
    returned, other = envs.reset(seed=3), twin.reset(seed=3)
    for _ in range(120):
        masks = other[-1]["action_mask"]
        actions = pick(other[0], np.where(masks.any(axis=1)[:, None], masks == 1, True))
        scribble(returned)
        envs.action_masks()[:] = False
        assert (envs.action_masks() == twin.action_masks()).all()
        returned, other = envs.step(actions), twin.step(actions)
        for one, two in zip(returned[:4], other[:4], strict=True):
            assert (one == two).all()
        assert (returned[4]["action_mask"] == other[4]["action_mask"]).all()
        if mode is AutoresetMode.DISABLED and other[2].any():
            mask = other[2].copy()
            scribble(returned)
            returned, other = (each.reset(options={"reset_mask": mask}) for each in (envs, twin))
            assert (returned[0] == other[0]).all()
            assert (returned[1]["action_mask"] == other[1]["action_mask"]).all()


def scribble(returned: Any) -> None:
    """Overwrite all numeric arrays in what was returned."""
    for entry in returned.values() if isinstance(returned, dict) else returned:
        if isinstance(entry, dict):
            scribble(entry)
        elif isinstance(entry, np.ndarray) and entry.dtype != object:
            entry[:] = 1


def test_the_mask_has_a_column_for_each_action() -> None:
    """In every mode, at the end of a game as well."""
    for mode in MODES:
        envs = SeatVectorEnv(2, 1, autoreset_mode=mode)
        assert envs.reset(seed=1)[1]["action_mask"].shape == (2, ACTIONS)
