"""Checkpoints that are damaged or malicious: one sentence, nothing runs, nothing is overwritten."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch as torch_file
import torch

from crypt_env import Batch, CryptError
from crypt_env.experiment.checkpoint import load_checkpoint, progress_in
from crypt_env.experiment.checkpoint_file import FORMAT, NAME, write_checkpoint
from crypt_env.experiment.settings import Settings, settings_from
from crypt_env.ppo.selfplay import check_games
from crypt_env.rules.state import GAME
from training.train import train

ROLLOUT = 8 * 16
SMALL: dict[str, Any] = {
    "games": 8,
    "steps": 16,
    "minibatch": 64,
    "epochs": 1,
    "widths": [8],
    "workers": 1,
    "decisions": 3 * ROLLOUT,
    "evaluate_games": 128,
    "opponents": ["random"],
    "tensorboard": False,
    "players": [2, 3],
    "league_share": 0.5,
    "league_agents": ["ghost"],
    "league_snapshots": 2,
    "snapshot_every": ROLLOUT,
}
Change = Callable[[dict[str, Any]], object]


def small(**changes: Any) -> Settings:
    """Return the settings of a run of a second."""
    return settings_from({**SMALL, **changes})


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a short run."""
    folder = tmp_path_factory.mktemp("finished")
    train(small(), folder)
    return folder


def refusal(folder: Path) -> str:
    """Return the error with which a run is not resumed."""
    before = {path: path.read_bytes() for path in folder.iterdir() if path.name != ".lock"}
    with pytest.raises(CryptError) as caught:
        train(small(decisions=4 * ROLLOUT), folder, is_resumed=True)
    assert {path: path.read_bytes() for path in folder.iterdir() if path.name != ".lock"} == before
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 800
    return str(caught.value)


# -- damage -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(60))
def test_every_flipped_bit_is_found(seed: int, finished: Path, tmp_path: Path) -> None:
    """Anywhere: in numbers, in names, in the header."""
    content = bytearray((finished / NAME).read_bytes())
    chance = random.Random(seed)
    place = chance.randrange(len(content)) if seed % 2 else chance.randrange(2000)
    content[place] ^= 1 << chance.randrange(8)
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(CryptError, match="cannot be read, it is truncated or damaged: "):
        load_checkpoint(tmp_path)


# -- harm -------------------------------------------------------------------------------------------------------------


def field(name: str, value: int) -> Change:
    """Return what changes a field of the first game."""

    def change(content: dict[str, Any]) -> None:
        content["model"]["games"]["states"].view(GAME)[name][0] = value

    return change


def tensor(*path: Any, value: float) -> Change:
    """Return what changes the first number of a tensor."""

    def change(content: dict[str, Any]) -> None:
        part: Any = content
        for name in path:
            part = part[name]
        part.reshape(-1)[0] = value

    return change


def entry(*path: Any, value: Any) -> Change:
    """Return what changes any part of the content."""

    def change(content: dict[str, Any]) -> None:
        part: Any = content
        for name in path[:-1]:
            part = part[name]
        part[path[-1]] = value

    return change


def deep(depth: int) -> Any:
    """Return lists in lists in lists."""
    return functools.reduce(lambda inner, _: [inner], range(depth), 1)


LEAGUE = ("model", "games", "league")
SNAPSHOT = (*LEAGUE, "snapshots", 0)
HARM: list[tuple[str, Change]] = [
    *(
        ("this version: game 0: ", field(name, value))
        for name, value in (
            ("mover", 100),
            ("mover", -100),
            ("mover", -1),
            ("deck_size", 127),
            ("slots", 127),
            ("slots", 0),
            ("phase", 13),
            ("phase", 5),
            ("card", 99),
            ("drawn", 120),
            ("drawn", 0),
            ("down", 99),
            ("holder", 7),
            ("leader", 4),
            ("round_number", 100),
            ("seats", 4),
            ("chosen", 127),
            ("downs", 17),
            ("dice", 100),
            ("last_slot", -5),
            ("first_flip", 120),
            ("taker", 9),
            ("unseen", -3),
            ("held", 127),
            ("ready", -1),
            ("turn", 50),
            ("rolled", 100),
        )
    ),
    ("this version: game 0: ", field("deck", 3)),
    ("this version: game 0: ", field("held", 2)),
    ("this version: game 0: ", field("ready", 0)),
    ("this version: game 0: ", field("deck_kinds", 5)),
    ("this version: game 0: ", field("phase", 4)),
    *(
        (f"{name} of its games is different", field(name, value))
        for name, value in (
            ("players", 1),
            ("reward_rule", 7),
            ("dense", 2),
            ("restarts", 0),
            ("pauses", 1),
            ("learner", 100),
            ("index", 9),
            ("seed", 5),
        )
    ),
    (
        "policy action_net.weight is of torch.float32 and (5, 5), not of",
        entry("model", "policy", "action_net.weight", value=torch.zeros(5, 5)),
    ),
    (
        "policy action_net.weight is of torch.float64",
        entry("model", "policy", "action_net.weight", value=torch.zeros(5, 5).double()),
    ),
    (
        "policy action_net.weight holds numbers that are not finite",
        tensor("model", "policy", "action_net.weight", value=float("nan")),
    ),
    ("policy action_net.weight is list, not Tensor", entry("model", "policy", "action_net.weight", value=[])),
    ("policy has 99 parts", entry("model", "policy", value={str(n): torch.zeros(1) for n in range(99)})),
    ("optimizer 0 holds numbers that no optimizer produces", tensor("model", "optimizer", 0, "step", value=-1.0)),
    ("optimizer 0 holds numbers that no optimizer produces", tensor("model", "optimizer", 0, "step", value=1e30)),
    ("optimizer 0 holds numbers that no optimizer produces", tensor("model", "optimizer", 0, "exp_avg_sq", value=-1.0)),
    (
        "optimizer 0 exp_avg holds numbers that are not finite",
        tensor("model", "optimizer", 0, "exp_avg", value=float("inf")),
    ),
    ("its optimizer knows 1 weights", entry("model", "optimizer", value=[{}])),
    ("optimizer 0 has 0 parts, not 3", entry("model", "optimizer", 0, value={})),
    ("decisions is -1, not a whole number", entry("model", "decisions", value=-1)),
    ("decisions is True, not a whole number", entry("model", "decisions", value=True)),
    ("decisions is 1.5, not a whole number", entry("model", "decisions", value=1.5)),
    ("decisions is 1000000", entry("model", "decisions", value=10**400)),
    ("updates is 'x', not a whole number", entry("model", "updates", value="x")),
    ("seconds is nan, not a number", entry("run", "seconds", value=float("nan"))),
    ("score is inf, not a number", entry("run", "rows", 0, "score", value=float("inf"))),
    ("an evaluation has 'random'='x'", entry("run", "rows", 0, "random", value="x")),
    ("an evaluation has 'a\\ud800'=1.0", entry("run", "rows", 0, "a\ud800", value=1.0)),
    ("does not fit this run", entry("run", "rows", value=[3])),
    ("does not fit this run", entry("run", "rows", value=7)),
    ("does not fit this run", entry("run", "sessions", value=["x"])),
    ("does not fit this run", entry("model", "generator", value={})),
    ("does not fit this run", entry("model", "generator", "state", "state", value=10**60)),
    ("does not fit this run", entry("model", "generator", "state", value="x")),
    ("torch is of torch.uint8 and (3,)", entry("model", "torch", value=torch.zeros(3, dtype=torch.uint8))),
    ("does not fit this run", entry("model", "torch", value=torch.zeros(5056, dtype=torch.uint8))),
    ("states is not an array of 8 games", entry("model", "games", "states", value=np.zeros(3, np.uint8))),
    ("returns holds numbers that are not finite", tensor("model", "games", "returns", value=float("nan"))),
    ("lengths is of float64", entry("model", "games", "lengths", value=np.zeros(8))),
    ("one has a league, the other none", entry(*LEAGUE, value=None)),
    ("the league's owners are not all among its 3 agents", tensor(*LEAGUE, "owners", value=3)),
    ("the league's opponents are not all among", tensor(*LEAGUE, "opponents", value=99)),
    ("a learner sits on a seat that its table does not have", tensor(*LEAGUE, "learners", value=3)),
    ("the league's results are not possible", tensor(*LEAGUE, "games", value=-1.0)),
    (
        "league memory 0 holds numbers that are not finite",
        tensor(*LEAGUE, "memory 0", value=float("nan")),
    ),
    ("league paid holds numbers that are not finite", tensor(*LEAGUE, "paid", value=float("inf"))),
    ("its league has 500 snapshots", entry(*LEAGUE, "snapshots", value=[{}] * 500)),
    ("a snapshot is called 'ghost'", entry(*LEAGUE, "snapshots", 0, "name", value="ghost")),
    ("does not fit this run", entry(*LEAGUE, "snapshots", 0, "facts", value={})),
    (
        "does not fit this run",
        entry(*SNAPSHOT, "weights", "policy.bias", value=np.zeros(3, np.float32)),
    ),
    ("its version of the game has other records or observations", entry("model", "games", "layout", value="0")),
    ("the checkpoint's settings are not valid: setting 'x' is not known", entry("settings", value={"x": 1})),
    ("the checkpoint's settings are not valid: games='many' is not possible", entry("settings", "games", value="many")),
    ("the checkpoint's settings are not valid: clip=1000", entry("settings", "clip", value=10**400)),
    ("the checkpoint's settings are not valid", entry("settings", value=[1])),
    ("more than 32 lists and objects in it are nested", entry("run", "sessions", value=deep(40))),
    (
        "more than 32 lists and objects in it are nested",
        entry(*LEAGUE, value=[deep(400)]),
    ),
]


@pytest.mark.parametrize(("sentence", "change"), HARM, ids=[f"{number}" for number in range(len(HARM))])
def test_a_checkpoint_with_a_right_checksum_is_checked_all_the_same(
    sentence: str, change: Change, finished: Path, tmp_path: Path
) -> None:
    """Numbers that would break the engine or torch never reach them."""
    content = load_checkpoint(finished)
    change(content)
    write_checkpoint(tmp_path / NAME, content)
    assert sentence in refusal(tmp_path)


PARTS = [
    *(("settings",), ("run",), ("model",), ("run", "seconds"), ("run", "rows"), ("run", "losses"), ("run", "sessions")),
    *(("model", part) for part in ("decisions", "updates", "policy", "optimizer", "generator", "torch", "games")),
    *(("model", "games", part) for part in ("layout", "states", "returns", "lengths", "league")),
    *((*LEAGUE, part) for part in ("snapshots", "games", "wins", "owners", "memory 0")),
]


@pytest.mark.parametrize("path", PARTS, ids="-".join)
def test_a_checkpoint_without_a_part_is_refused(path: tuple[str, ...], finished: Path, tmp_path: Path) -> None:
    """The sentence names it."""
    content = part = load_checkpoint(finished)
    for name in path[:-1]:
        part = part[name]
    del part[path[-1]]
    write_checkpoint(tmp_path / NAME, content)
    assert path[-1] in refusal(tmp_path)


def test_what_is_listed_here_is_all_there_is(finished: Path) -> None:
    """A new state is omitted above as well."""
    content = load_checkpoint(finished)
    for path in {path[:-1] for path in PARTS}:
        part = content
        for name in path:
            part = part[name]
        listed = {other[-1] for other in PARTS if other[:-1] == path}
        assert listed == set(part) if path[-1:] != ("league",) else listed < set(part)


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff" * 100, b"PK\x03\x04" + b"x" * 100])
def test_what_is_no_checkpoint_is_refused(content: bytes, tmp_path: Path) -> None:
    """With the error for truncated files."""
    (tmp_path / NAME).write_bytes(content)
    assert "cannot be read, it is truncated or damaged: " in refusal(tmp_path)


def test_a_tensor_of_a_type_that_numpy_lacks_is_refused(tmp_path: Path) -> None:
    """With the same error."""
    torch_file.save_file(
        {"x": torch.zeros(2, dtype=torch.float8_e4m3fn)}, tmp_path / NAME, metadata={"format": FORMAT, "content": "{}"}
    )
    assert "cannot be read, it is truncated or damaged: " in refusal(tmp_path)


def test_progress_in_a_damaged_content_is_refused(finished: Path, tmp_path: Path) -> None:
    """Although its checksum is right."""
    assert progress_in(finished) == (load_checkpoint(finished)["settings"]["decisions"],) * 2
    write_checkpoint(tmp_path / NAME, {"settings": {"players": [2]}, "run": {}, "model": {}})
    with pytest.raises(CryptError, match=r"the checkpoint in .* is not valid"):
        progress_in(tmp_path)


def test_games_that_were_not_dealt_are_refused() -> None:
    """A run deals its games before it writes a checkpoint."""
    states = Batch(2).states
    with pytest.raises(ValueError, match="in some of its games there is nothing to decide"):
        check_games(states, states)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_all_games_that_can_be_played_are_accepted(players: int) -> None:
    """At any decision."""
    batch = Batch(64, players, reward="margin", dense=True, seed=7)
    wanted = batch.states.copy()
    wanted["seed"] = batch.seed
    batch.reset()
    for _ in range(200):
        check_games(batch.states, wanted)
        batch.step_random()
    assert np.unique(batch.states["episode"]).size > 1
