"""`SeatVectorEnv` as Gymnasium requires it, and how all interfaces for many games handle errors."""

from __future__ import annotations

import copy
import doctest
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from packaging.version import Version

from crypt_env import ACTIONS, FEATURES, CryptError, Game, IllegalActionError
from crypt_env.envs import vector
from crypt_env.envs.single import SeatEnv
from crypt_env.envs.vector import SeatVectorEnv
from crypt_env.rules.batch import view_rows
from crypt_env.rules.state import NONE, OVER
from envs.seating import (
    ALONE_AND_TOGETHER,
    BATCHES,
    COUNTS,
    IDS,
    WRONG,
    WRONG_RESETS,
    BitsAgent,
    Table,
    an_illegal_action,
    pick,
    row_games,
)

GAMES = 12


def choose(timestep: Any) -> np.ndarray:
    """Choose the learners' actions."""
    return pick(timestep.observations, timestep.masks)


def everything(table: Table) -> bytes:
    """Return the whole state of an environment, except its agents."""
    seats = table.seats
    arrays = [seats.batch.states, seats.learners, seats._cast.owners, *seats._now]
    if table.env is not seats:
        arrays.append(table.env.action_masks())
    return b"".join(array.tobytes() for array in arrays)


# -- Gymnasium's contract ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", COUNTS)
def test_every_step_is_that_of_gymnasiums_own_vector_env(players: int) -> None:
    """Observations, rewards, ends, last observations and masks of 500 steps are those of `SyncVectorEnv` around single
    environments, illegal actions included."""
    arguments = {"opponents": {BitsAgent(): 1, "random": 1}, "reward": "margin", "dense": True}
    ours = SeatVectorEnv(5, players, **arguments)
    alone = [lambda index=index: SeatEnv(players, index=index, **arguments) for index in range(5)]
    theirs = SyncVectorEnv(alone, autoreset_mode=AutoresetMode.SAME_STEP)
    (observations, infos), (others, other_infos) = ours.reset(seed=4), theirs.reset(seed=[4] * 5)
    ended = illegal = 0
    for number in range(500):
        assert (observations == others).all()
        assert (observations.dtype, observations.shape) == (others.dtype, others.shape)
        for name in ("action_mask", "seat", "_action_mask", "_seat"):
            assert np.array_equal(infos[name], other_infos[name])
        actions = pick(observations, infos["action_mask"] == 1)
        if number % 23 == 22:
            actions[number % 5] = an_illegal_action(infos["action_mask"][number % 5])
            illegal += 1
        observations, *values, infos = ours.step(actions)
        others, *other_values, other_infos = theirs.step(actions)
        for one, other in zip(values, other_values, strict=True):
            assert (one == other).all()
            assert (type(one), one.dtype) == (type(other), other.dtype)
        assert ("final_obs" in infos) == ("final_obs" in other_infos) == values[1].any()
        for game in np.flatnonzero(values[1]):
            ended += 1
            assert (infos["final_obs"][game] == other_infos["final_obs"][game]).all()
            assert infos["final_obs"][game].dtype == np.int8
        if "final_obs" in infos:
            assert infos["final_obs"].dtype == other_infos["final_obs"].dtype == object
            assert (infos["_final_obs"] == other_infos["_final_obs"]).all()
            assert all(infos["final_obs"][game] is None for game in np.flatnonzero(~values[1]))
    assert ended > illegal + 20 > 40


@pytest.mark.parametrize("players", COUNTS)
def test_ids_make_many_games(players: int) -> None:
    """`make_vec` returns it by itself; it declares its mode of restarting; spaces contain what it returns."""
    arguments = {"players": players} if players > 2 else {}
    envs = gymnasium.make_vec(IDS[players], num_envs=3, **arguments)
    assert isinstance(envs.unwrapped, SeatVectorEnv)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    observations, infos = envs.reset(seed=1)
    envs.action_space.seed(5)
    for _ in range(100):
        assert envs.observation_space.contains(observations)
        assert (observations.shape, observations.dtype) == ((3, FEATURES), np.int8)
        assert (infos["action_mask"].shape, infos["action_mask"].dtype) == ((3, ACTIONS), np.int8)
        assert (envs.unwrapped.action_masks() == infos["action_mask"]).all()
        actions = envs.action_space.sample(tuple(infos["action_mask"]))
        assert envs.action_space.contains(actions)
        assert infos["action_mask"][range(3), actions].all()
        observations, rewards, ends, cuts, infos = envs.step(actions)
        assert (rewards.dtype, ends.dtype, cuts.dtype) == (np.float64, bool, bool)
        assert not cuts.any()
        for final in infos.get("final_obs", []):
            assert final is None or envs.single_observation_space.contains(final)
    assert envs.single_action_space == SeatEnv().action_space
    envs.close()


def test_nothing_that_was_returned_is_written_over() -> None:
    """Observations, masks, rewards, ends and last observations of a hundred steps stay as they were."""
    envs = SeatVectorEnv(GAMES, 3)
    observations, infos = envs.reset(seed=1)
    kept = []
    for _ in range(100):
        masks = infos["action_mask"]
        observations, rewards, ends, cuts, infos = envs.step(pick(observations, masks == 1))
        arrays = [
            observations,
            rewards,
            ends,
            cuts,
            *(value for name, value in infos.items() if name not in ("final_obs", "final_info")),
        ]
        arrays += [final for final in infos.get("final_obs", []) if final is not None]
        arrays += infos.get("final_info", {}).values()
        kept += [(array, array.copy()) for array in arrays]
    envs.reset()
    assert all((array == content).all() for array, content in kept)


@pytest.mark.skipif(
    Version(gymnasium.__version__) < Version("1.4"),
    reason="Gymnasium before 1.4 leaves out the first step of each game in the mode SameStep",
)
def test_episode_statistics_of_gymnasium_are_right() -> None:
    """Returns and lengths that the wrapper for vectors reports are those of the games."""
    games = row_games(Table("SeatVectorEnv", GAMES, 3, opponents=pick, reward="coins", dense=True), 2, 3)
    envs = RecordEpisodeStatistics(SeatVectorEnv(GAMES, 3, pick, reward="coins", dense=True))
    observations, infos = envs.reset(seed=2)
    reported: list[list[tuple[float, int]]] = [[] for _ in range(GAMES)]
    while min(map(len, reported)) < 3:
        observations, *_, infos = envs.step(pick(observations, infos["action_mask"] == 1))
        for game in np.flatnonzero(infos.get("_episode", [])):
            reported[game].append((infos["episode"]["r"][game], infos["episode"]["l"][game]))
    for own, episodes in zip(reported, games, strict=True):
        assert own[:3] == [(sum(turn.reward for turn in turns), len(turns)) for turns in episodes]


def test_chosen_games_are_redealt() -> None:
    """Those of the "reset_mask" go on to their next episode, with the options given; the others stay as they were."""
    games = row_games(Table("SeatVectorEnv", GAMES, 3, opponents=pick), 2, 3)
    table = Table("SeatVectorEnv", GAMES, 3, opponents=pick)
    timestep = table.reset(2)
    for _ in range(3):
        timestep = table.step(choose(timestep))
    mask = np.arange(GAMES) % 3 == 0
    before = table.states.copy()
    options = {"reset_mask": mask}
    observations, infos = table.env.reset(options=options)
    assert options == {"reset_mask": mask}
    assert (table.states[~mask] == before[~mask]).all()
    assert (observations[~mask] == timestep.observations[~mask]).all()
    assert (infos["action_mask"][~mask] == timestep.masks[~mask]).all()
    for game in np.flatnonzero(mask):
        assert observations[game].tobytes() == games[game][1][0].observation
        assert infos["seat"][game] == games[game][1][0].seat


def test_options_choose_the_table_from_the_next_deal_on() -> None:
    """As the arguments of the same names do from the start."""
    envs, chosen = SeatVectorEnv(3, 4, pick), SeatVectorEnv(3, 4, pick, collectors="ABABAB", leader=2)
    first = envs.reset(seed=9, options={"collectors": "ABABAB", "leader": 2})[0]
    assert (first == chosen.reset(seed=9)[0]).all()
    assert (envs.reset()[0] == chosen.reset()[0]).all()


@pytest.mark.parametrize(
    ("mask", "seed", "sentence"),
    [
        ([True] * GAMES, None, r"options\['reset_mask'\] is \[True.*a bool array with shape \(12,\) is needed"),
        (np.ones(GAMES, int), None, "a bool array with shape"),
        (np.zeros(GAMES, bool), None, "chooses no game; at least one is needed"),
        (np.ones(GAMES - 1, bool), None, "a bool array with shape"),
        (np.ones(GAMES, bool), [3], "seed has 1 entries for 12 games; give one seed, or one for each"),
    ],
)
def test_wrong_reset_mask(mask: Any, seed: int | None, sentence: str) -> None:
    """Nothing changes; and the first deal is one of all games."""
    table = Table("SeatVectorEnv", GAMES, 2, opponents=pick)
    with pytest.raises(CryptError, match=r"was given, but no game was dealt yet; reset all games first"):
        table.env.reset(options={"reset_mask": np.ones(GAMES, bool)})
    table.reset(1)
    before = everything(table)
    with pytest.raises(CryptError, match=sentence):
        table.env.reset(seed=seed, options={"reset_mask": mask})
    assert everything(table) == before


def test_rendering() -> None:
    """All boards as texts; without a render_mode a warning."""
    envs = gymnasium.make_vec("crypt_env/Crypt-v0", num_envs=3, render_mode="ansi")
    with pytest.raises(CryptError, match="nothing to render: no game was dealt yet"):
        envs.unwrapped.render()
    envs.reset(seed=1)
    states = envs.unwrapped._games.batch.states
    assert envs.render() == tuple(str(Game.from_state(states[row : row + 1])) for row in range(3))
    assert len(set(envs.render())) == 3
    with pytest.warns(UserWarning, match="render.. shows nothing"):
        assert SeatVectorEnv(2).render() is None


def test_documentation_runs() -> None:
    """The lines in the documentation of the module."""
    assert doctest.testmod(vector, raise_on_error=True).attempted > 0


# -- many games, through every interface ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda table: pickle.loads(pickle.dumps(table))], ids=["copy", "pickle"]
)
@pytest.mark.parametrize("interface", BATCHES)
def test_copies_in_mid_game_continue_identically(interface: str, copied: Any) -> None:
    """And independently, through restarts."""
    table = Table(interface, GAMES, [1, 2, 3, 4] * 3, opponents={BitsAgent(): 1, pick: 1})
    timestep = table.reset(3)
    for _ in range(5):
        timestep = table.step(choose(timestep))
    twin = copied(table)
    before = of_twin = timestep
    states = twin.states.copy()
    for _ in range(60):
        timestep = table.step(choose(timestep))
    assert (twin.states == states).all()
    for _ in range(60):
        of_twin = twin.step(choose(of_twin))
    for one, other in zip(timestep[:5], of_twin[:5], strict=True):
        assert (one == other).all()
    assert (before.observations != timestep.observations).any()
    assert twin.states.tobytes() == table.states.tobytes()


def seen_as_over(table: Table) -> np.ndarray:
    """Return what the learners would see if the games were over as they are."""
    states = table.states.copy()
    states["mover"], states["phase"] = NONE, OVER
    observations, masks = np.zeros((len(states), FEATURES), np.int8), np.zeros((len(states), ACTIONS), bool)
    view_rows(states, np.arange(len(states)), table.seats.learners, observations, masks)
    return observations


@pytest.mark.parametrize(
    "given", [-1, -2, ACTIONS, 10**9, None], ids=lambda given: "illegal" if given is None else given
)
@pytest.mark.parametrize("interface", BATCHES)
@pytest.mark.parametrize("players", ALONE_AND_TOGETHER)
def test_illegal_actions_end_their_games_and_no_others(players: int, interface: str, given: int | None) -> None:
    """-1, done, the position shown as it was, but over; the next episode is dealt; all other games are unaffected."""
    games = row_games(Table(interface, GAMES, players, opponents=pick), 5, 4)
    table, twin = (Table(interface, GAMES, players, opponents=pick) for _ in range(2))
    timestep, other = table.reset(5), twin.reset(5)
    for _ in range(4):
        timestep, other = table.step(choose(timestep)), twin.step(choose(other))
    actions, guilty, expected = choose(timestep), np.arange(GAMES) % 4 == 1, seen_as_over(table)
    episodes = table.states["episode"].copy()
    for row in np.flatnonzero(guilty):
        actions[row] = an_illegal_action(timestep.masks[row]) if given is None else given
    timestep, other = table.step(actions), twin.step(choose(other))
    assert (timestep.rewards[guilty] == -1).all()
    assert timestep.dones[guilty].all()
    assert set(np.flatnonzero(guilty)) <= set(timestep.finals)
    for row in np.flatnonzero(guilty):
        assert (timestep.finals[row] == expected[row]).all()
        assert timestep.observations[row].tobytes() == games[row][episodes[row] + 1][0].observation
        assert timestep.seats[row] == games[row][episodes[row] + 1][0].seat
    for one, two in zip(timestep[:5], other[:5], strict=True):
        assert (one[~guilty] == two[~guilty]).all()
    assert (table.states[~guilty] == twin.states[~guilty]).all()
    first = int(np.flatnonzero(guilty)[0])
    for turn in games[first][episodes[first] + 1]:
        assert timestep.observations[first].tobytes() == turn.observation
        timestep = table.step(choose(timestep))
        assert (timestep.rewards[first], timestep.dones[first]) == (turn.reward, turn.is_over)


@pytest.mark.parametrize(
    "given", [-1, -2, ACTIONS, 10**9, None], ids=lambda given: "illegal" if given is None else given
)
@pytest.mark.parametrize("interface", BATCHES)
@pytest.mark.parametrize("players", ALONE_AND_TOGETHER)
def test_illegal_actions_raise_and_change_nothing(players: int, interface: str, given: int | None) -> None:
    """The message names the first game, what was given and what is legal; then all continue unaffected."""
    table, twin = (Table(interface, GAMES, players, opponents=pick, illegal=what) for what in ("raise", "end"))
    timestep, other = table.reset(5), twin.reset(5)
    for _ in range(4):
        timestep, other = table.step(choose(timestep)), twin.step(choose(other))
    before, wrong = everything(table), choose(timestep)
    for row in (3, 7):
        wrong[row] = an_illegal_action(timestep.masks[row]) if given is None else given
    text = "'" if given is None else f"{given}, which is not an action"
    with pytest.raises(IllegalActionError, match=rf"game 3: illegal action {text}.*; legal: .*"):
        table.step(wrong)
    assert everything(table) == before
    for _ in range(30):
        timestep, other = table.step(choose(timestep)), twin.step(choose(other))
    for one, two in zip(timestep[:5], other[:5], strict=True):
        assert (one == two).all()


NO_ACTIONS = [
    None,
    3,
    "done",
    [0] * (GAMES - 1),
    np.zeros(GAMES + 1, np.int64),
    np.zeros((GAMES, 1), np.int64),
    np.zeros(GAMES),
    np.zeros(GAMES, bool),
    [None] * GAMES,
    ["done"] * GAMES,
    [2**70] * GAMES,
]


@pytest.mark.parametrize("actions", NO_ACTIONS, ids=lambda actions: repr(actions)[:30])
@pytest.mark.parametrize("illegal", ["end", "raise"])
@pytest.mark.parametrize("interface", BATCHES)
def test_what_is_not_one_whole_number_for_each_game_is_refused(interface: str, illegal: str, actions: Any) -> None:
    """The message names the type and the shape; nothing changes."""
    table = Table(interface, GAMES, 2, opponents=pick, illegal=illegal)
    timestep = table.reset(1)
    before = everything(table)
    with pytest.raises(
        CryptError, match=r"actions are an array of .* with shape .*one whole number for each of 12 games"
    ):
        table.step(actions)
    assert everything(table) == before
    table.step(choose(timestep))


@pytest.mark.parametrize("kind", [list, np.int8, np.uint8, np.int32, np.uint64])
@pytest.mark.parametrize("interface", BATCHES)
def test_every_kind_of_whole_numbers_is_taken(interface: str, kind: Any) -> None:
    """Actions come from networks, spaces and hands; and those of the caller are not written to."""
    tables = [Table(interface, GAMES, 3, opponents=pick) for _ in range(2)]
    timestep = [table.reset(1) for table in tables]
    actions = choose(timestep[0])
    actions[4] = ACTIONS - 1 if kind is np.uint8 else -1 if kind is list else actions[4]
    given = actions.tolist() if kind is list else actions.astype(kind)
    kept = copy.copy(given)
    one, two = tables[0].step(given), tables[1].step(actions)
    assert (one.observations == two.observations).all()
    assert (one.rewards == two.rewards).all()
    assert (np.asarray(given) == np.asarray(kept)).all()


@pytest.mark.parametrize("interface", ["SeatVectorEnv", "SeatVecEnv"])
def test_step_before_the_first_deal(interface: str) -> None:
    """No actions can be played."""
    table = Table(interface, GAMES, 2)
    for actions in (np.zeros(GAMES, int), None):
        with pytest.raises(CryptError, match=r"no seat is to decide: no game was dealt yet; call reset\(\)"):
            table.step(actions)


@pytest.mark.parametrize(
    ("interface", "arguments", "sentence"),
    [(name, *wrong) for name in BATCHES for wrong in WRONG if name != "SeatBatch" or "render_mode" not in wrong[0]],
    ids=lambda value: repr(value) if isinstance(value, dict) else None,
)
def test_wrong_arguments(interface: str, arguments: dict[str, Any], sentence: str) -> None:
    """One sentence says what was given and what is allowed."""
    with pytest.raises(CryptError, match=sentence) as error:
        Table(interface, 3, **{"players": 2, **arguments})
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("interface", BATCHES)
def test_wrong_numbers_of_games_and_unknown_arguments(interface: str) -> None:
    """As for one game."""
    for games in (0, -1, 1.5, "3", None):
        with pytest.raises(CryptError, match=r"=.* is not possible; allowed are whole numbers from 1 up"):
            Table(interface, games, 2)
    with pytest.raises(CryptError, match="players has 2 entries for 3 games"):
        Table(interface, 3, [2, 3])
    with pytest.raises(CryptError, match="seat=2 is not possible with 2 players"):
        Table(interface, 3, [2, 3, 4], seat=2)
    with pytest.raises(TypeError, match="player_count"):
        Table(interface, 3, 2, player_count=2)


@pytest.mark.parametrize(("arguments", "sentence"), WRONG_RESETS)
def test_refused_reset_changes_nothing(arguments: dict[str, Any], sentence: str) -> None:
    """The current games continue."""
    table = Table("SeatVectorEnv", GAMES, 2, opponents=pick)
    with pytest.raises(CryptError, match=sentence):
        table.env.reset(**arguments)
    with pytest.raises(CryptError, match="no game was dealt yet"):
        table.step(np.zeros(GAMES, int))
    table.reset(1)
    before = everything(table)
    with pytest.raises(CryptError, match=sentence):
        table.env.reset(**arguments)
    assert everything(table) == before
