"""Invalid input to a batch is refused in one sentence, before anything has changed; nothing crashes it."""

import copy
import os
import re
import signal
import threading
import time

import numpy as np
import pytest

from crypt_env import (
    ACTIONS,
    FEATURES,
    Batch,
    CryptError,
    Game,
    IllegalActionError,
    action_text,
    decode_action,
    new_arrays,
)
from crypt_env.rules.actions import DRAW
from crypt_env.rules.batch import (
    BUSY,
    check_rows,
    decision_bits,
    draw_row,
    roll_row,
    seat_bits,
    sheet_rows,
    step_rows,
    view_rows,
    wait_for_dice,
)
from crypt_env.rules.resample import resample_rows
from crypt_env.rules.state import SCORED

GAMES = 4


def dealt(**arguments):
    """Return a batch whose games were dealt."""
    batch = Batch(GAMES, 3, "AAAAAA", seed=5, **arguments)
    batch.reset()
    return batch


def content(batch):
    """Return the whole state of a batch."""
    return batch.states.tobytes(), batch.seed, *(array.tobytes() for array in batch.arrays)


def sentence(call, error=CryptError):
    """Return the sentence with which a call is refused."""
    with pytest.raises(error) as caught:
        call()
    assert type(caught.value) is error
    assert "\n" not in str(caught.value)
    return str(caught.value)


# -- views ------------------------------------------------------------------------------------------------------------

ROWS = np.arange(2)
VIEWERS = np.zeros(2, np.int8)
FAR = 2**40
WRONG_VIEWS = [
    ("rows", np.array([0, GAMES]), "rows holds 4; allowed are numbers from 0 to 3"),
    ("rows", np.array([-1, 0]), "rows holds -1; allowed are numbers from 0 to 3"),
    ("rows", np.array([0, FAR]), f"rows holds {FAR}; allowed are numbers from 0 to 3"),
    ("rows", np.array([0.0, np.nan]), "rows is an array of float64 with shape (2,); a one-dimensional array of int64"),
    ("rows", np.array([[0, 1]]), "rows is an array of int64 with shape (1, 2)"),
    ("rows", np.array([True, False]), "rows is an array of bool with shape (2,)"),
    ("rows", [0, 1], "rows is [0, 1]; a one-dimensional array of int64 is needed"),
    ("rows", None, "rows is None; a one-dimensional array of int64 is needed"),
    ("viewers", np.array([0, 3], np.int8), "viewers holds 3; allowed are numbers from 0 to 2"),
    ("viewers", np.array([-1, 0], np.int8), "viewers holds -1; allowed are numbers from 0 to 2"),
    ("viewers", np.array([0, 100], np.int8), "viewers holds 100"),
    ("viewers", np.zeros(1, np.int8), "viewers have the shape (1,); one seat for each of 2 is needed"),
    ("viewers", np.zeros(2), "viewers is an array of float64 with shape (2,); a one-dimensional array of int8"),
    ("observations", np.zeros((1, FEATURES), np.int8), "observations is an array of int8 with shape (1, "),
    ("observations", np.zeros((2, 3), np.int8), "observations is an array of int8 with shape (2, 3)"),
    ("observations", np.zeros((2, FEATURES)), "observations is an array of float64"),
    ("observations", np.zeros((2, FEATURES, 1), np.int8), "observations is an array of int8"),
    ("observations", None, "observations is NoneType; an array of int8"),
    ("masks", np.zeros((2, ACTIONS - 1), np.bool_), "masks is an array of bool with shape (2, "),
    ("masks", np.zeros((0, ACTIONS), np.bool_), "masks is an array of bool with shape (0, "),
    ("masks", np.zeros((2, ACTIONS)), "masks is an array of float64"),
]


@pytest.mark.parametrize(("name", "given", "words"), WRONG_VIEWS)
def test_wrong_arguments_of_a_view(name, given, words):
    batch = dealt()
    arguments = {
        "rows": ROWS,
        "viewers": VIEWERS,
        "observations": np.zeros((2, FEATURES), np.int8),
        "masks": np.zeros((2, ACTIONS), np.bool_),
    }
    batch.view(**arguments)
    before = content(batch)
    assert sentence(lambda: batch.view(**{**arguments, name: given})).startswith(words)
    assert content(batch) == before


def test_compiled_entries_check_rows_seats_and_sizes():
    """From any caller: a number that is out of range is an error, not a crash."""
    states = dealt().states
    one, zero, far = np.zeros(1, np.int64), np.zeros(1, np.int8), np.array([FAR])
    seen, masks = np.zeros((1, FEATURES), np.int8), np.zeros((1, ACTIONS), np.bool_)
    bits, sheets = np.zeros(GAMES, np.uint64), np.zeros((GAMES, 4, 8), np.int16)
    seats, actions = np.zeros(GAMES, np.int8), np.zeros(GAMES, np.int64)
    calls = [
        lambda: view_rows(states, far, zero, seen, masks),
        lambda: view_rows(states, -1 - one, zero, seen, masks),
        lambda: view_rows(states, one, zero + 3, seen, masks),
        lambda: view_rows(states, one, zero - 1, seen, masks),
        lambda: view_rows(states, one, zero[:0], seen, masks),
        lambda: view_rows(states, one, zero, seen[:0], masks),
        lambda: view_rows(states, one, zero, seen[:, :9].copy(), masks),
        lambda: view_rows(states, one, zero, seen, masks[:0]),
        lambda: view_rows(states, one, zero, seen, masks[:, :9].copy()),
        lambda: check_rows(states, 0, GAMES + 1, actions),
        lambda: check_rows(states, -1, GAMES, actions),
        lambda: check_rows(states, 0, GAMES, actions[:1]),
        lambda: draw_row(states, GAMES),
        lambda: draw_row(states, -1),
        lambda: roll_row(states, GAMES),
        lambda: roll_row(states, 0),
        lambda: decision_bits(states, far, bits),
        lambda: decision_bits(states, np.arange(GAMES), bits[:1]),
        lambda: seat_bits(states, far, bits.reshape(-1, 1)),
        lambda: seat_bits(states, np.arange(GAMES), bits[:1].reshape(1, 1)),
        lambda: resample_rows(states, 0, GAMES + 1, seats, bits),
        lambda: resample_rows(states, -1, GAMES, seats, bits),
        lambda: resample_rows(states, 0, GAMES, seats[:1], bits),
        lambda: resample_rows(states, 0, GAMES, seats, bits[:1]),
        lambda: resample_rows(states, 0, GAMES, seats + np.int8(3), bits),
        lambda: sheet_rows(states, 0, GAMES + 1, sheets),
        lambda: sheet_rows(states, 0, GAMES, sheets[:1]),
        lambda: sheet_rows(states, 0, GAMES, sheets[:, :1].copy()),
        lambda: sheet_rows(states, 0, GAMES, sheets[:, :, :1].copy()),
    ]
    before = states.tobytes()
    for call in calls:
        with pytest.raises(ValueError, match=r"is out of range|does not wait for dice$"):
            call()
    assert states.tobytes() == before
    assert not seen.any()


def test_python_and_the_engine_wait_for_dice_in_the_same_phases():
    states = dealt().states
    for phase in range(SCORED + 1):
        states["phase"] = phase
        if wait_for_dice(states["phase"]).all():
            roll_row(states, 0)
        else:
            assert not wait_for_dice(states[0]["phase"])
            with pytest.raises(ValueError, match="this game does not wait for dice"):
                roll_row(states, 0)


def test_no_action_is_drawn_where_no_seat_is_asked():
    with pytest.raises(ValueError, match=r"^no seat decides in this game"):
        draw_row(Batch(1).states, 0)


# -- dealing ----------------------------------------------------------------------------------------------------------


ARRAYS = new_arrays(GAMES)
MISFITS = [
    "arrays",
    ARRAYS._replace(rewards=ARRAYS.rewards[:2]),
    ARRAYS._replace(masks=ARRAYS.masks.astype(np.int8)),
    ARRAYS._replace(observations=np.zeros((GAMES, FEATURES))),
    ARRAYS._replace(dones=None),
]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("into", MISFITS)
def test_a_refused_deal_leaves_the_games_as_they_are(into, threads):
    batch = dealt(threads=threads)
    before = content(batch)
    for call in (
        lambda: batch.reset(into=into),
        lambda: batch.reset(9, into),
        lambda: batch.restart(np.arange(2), into),
        lambda: batch.step(np.full(GAMES, DRAW), into),
        lambda: batch.step_random(into),
    ):
        sentence(call)
        assert content(batch) == before


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, True, "7"])
def test_a_refused_seed_leaves_the_games_as_they_are(seed):
    batch = dealt()
    before = content(batch)
    assert sentence(lambda: batch.reset(seed)).startswith(f"seed={seed!r} is not possible")
    assert content(batch) == before


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([9], "rows holds 9; allowed are numbers from 0 to 3"),
        ([0, -1], "rows holds -1; allowed are numbers from 0 to 3"),
        (np.array([FAR]), f"rows holds {FAR}; allowed"),
        ([0.0], "rows is an array of float64 with shape (1,)"),
        (np.array([True, False, True, False]), "rows is an array of bool with shape (4,)"),
        ([[0, 1]], "rows is an array of int64 with shape (1, 2)"),
        (0, "rows is an array of int64 with shape ()"),
        ("01", "rows is an array of <U2 with shape ()"),
    ],
)
def test_restarts_of_games_that_do_not_exist(rows, words):
    batch = dealt()
    before = content(batch)
    assert sentence(lambda: batch.restart(rows)).startswith(words)
    assert content(batch) == before


def test_restarts_of_some_and_of_no_games():
    batch = dealt()
    batch.restart([])
    assert (batch.states["episode"] == 0).all()
    batch.restart([1, 3])
    assert batch.states["episode"].tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_step_before_the_first_deal_is_refused(threads):
    batch = Batch(GAMES, 2, seed=1, threads=threads)
    before = content(batch)
    actions = np.full(GAMES, DRAW)
    calls = [
        lambda: batch.step(actions),
        lambda: batch.step(actions, new_arrays(GAMES)),
        batch.step_random,
        lambda: batch.step_random(new_arrays(GAMES)),
        lambda: batch.restart([0]),
    ]
    for call in calls:
        assert sentence(call) == "no games were dealt yet; call reset() first"
        assert content(batch) == before
    batch.reset()
    for call in calls:
        call()


def test_games_may_be_copied_into_a_batch_instead_of_dealt():
    source, batch = dealt(), Batch(GAMES, 3)
    batch.states[:] = source.states
    assert (batch.step_random().observations == source.step_random().observations).all()


@pytest.mark.parametrize("name", ["dense", "restarts"])
@pytest.mark.parametrize("value", [2, 0, 1, None, "no", 1.0, [True]])
def test_choices_are_true_or_false(name, value):
    expected = f"{name}={value!r} is not possible; allowed are True and False"
    assert sentence(lambda: Batch(1, **{name: value})) == expected
    Batch(1, **{name: np.True_})


@pytest.mark.parametrize("name", ["games", "players", "leader", "seed", "first_index"])
@pytest.mark.parametrize(
    "value", [True, np.True_, pytest.param(10**5000, id="huge"), pytest.param("x" * 10**6, id="long")]
)
def test_numbers_are_numbers_and_messages_short(name, value):
    message = sentence(lambda: Batch(**{"games": 1, name: value}))
    assert message.startswith(f"{name}=")
    assert len(message) < 250


@pytest.mark.parametrize("name", ["players", "collectors", "leader", "reward"])
def test_arrays_instead_of_words(name):
    assert name in sentence(lambda: Batch(1, **{name: np.array(["A", "random"])}))


# -- actions ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "actions",
    [
        np.full(GAMES, 2**64 - 1, np.uint64),
        np.full(GAMES, 109.0),
        np.full(GAMES, np.nan),
        np.full(GAMES, True),
        np.full(GAMES, 109, ">i8"),
        np.full(GAMES, 109, np.int32),
        np.full(GAMES, 109, object),
        np.full(2 * GAMES, 109)[::2],
        np.full(GAMES - 1, 109),
        np.full((GAMES, 1), 109),
        [109] * GAMES,
        109,
        None,
    ],
)
def test_actions_of_another_type_or_size(actions, threads):
    batch = dealt(threads=threads)
    before = content(batch)
    assert sentence(lambda: batch.step(actions)).startswith("actions is ")
    assert content(batch) == before


@pytest.mark.parametrize("action", [True, False, np.True_])
def test_true_and_false_are_not_actions(action):
    assert "not an action: " in sentence(lambda: Game(2).play(action), IllegalActionError)
    for name in (decode_action, action_text):
        with pytest.raises(ValueError, match=r"^not an action: "):
            name(action)
    with pytest.raises(CryptError, match=r"^given dice "):
        roll_with(action)


def roll_with(die):
    """Play on with dice that all show the same."""
    game = Game(1, "AAAAAA", seed=1)
    while True:
        game.play_with_dice(game.random_action(), [[die] * 3] * 20)


@pytest.mark.parametrize("die", [0, 7, 1.0, "1", None, np.array([1, 2]), pytest.param(10**5000, id="huge")])
def test_invalid_dice(die):
    with pytest.raises(CryptError, match=r"^given dice .* do not fit: \d results from 1 to 6 are needed here$"):
        roll_with(die)


# -- copies, threads, processes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_copies_are_independent(duplicate, threads):
    batch = dealt(threads=threads)
    other = duplicate(batch)
    before = content(other)
    assert before == content(batch)
    expected = batch.step_random().observations.copy()
    assert content(other) == before
    assert (other.step_random().observations == expected).all()
    other.reset(99)
    assert batch.seed == 5


def test_a_step_during_another_one_is_refused():
    """As it stands in a batch while a thread is at work on it."""
    batch = dealt()
    batch.states["busy"][0] = 1
    before = content(batch)
    actions = np.full(GAMES, DRAW)
    calls = [
        batch.reset,
        batch.step_random,
        lambda: batch.step(actions),
        lambda: batch.step_random(new_arrays(GAMES)),
        lambda: batch.restart([0]),
    ]
    for call in calls:
        assert "one thread at a time" in sentence(call)
        assert content(batch) == before
    memory = batch.states.view(np.uint8)
    assert step_rows(memory, 0, GAMES, *batch.arrays, actions) == BUSY
    assert step_rows(memory, 1, GAMES, *batch.arrays, actions) == -1
    batch.states["busy"] = 0
    batch.step_random()
    assert not batch.states["busy"].any()


@pytest.mark.parametrize("threads", [1, 2])
def test_two_threads_on_one_batch_are_refused(threads):
    batch = Batch(20_000, 4, seed=1, threads=threads)
    batch.reset()
    refusals = []
    stop = time.monotonic() + 20

    def play():
        while not refusals and time.monotonic() < stop:
            try:
                batch.step_random()
            except CryptError as error:
                refusals.append(str(error))

    players = [threading.Thread(target=play) for _ in range(2)]
    for player in players:
        player.start()
    for player in players:
        player.join()
    assert refusals
    assert "another thread is stepping this batch" in refusals[0]
    batch.step_random()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:.*fork")
def test_threads_work_in_a_forked_process():
    batch = Batch(64, 2, seed=1, threads=2)
    batch.reset()
    batch.step_random()
    expected = copy.deepcopy(batch).step_random().observations.sum() % 100
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # a hang ends in a signal, not in 0
        os._exit(int(batch.step_random().observations.sum() % 100 != expected))
    assert os.waitpid(child, 0)[1] == 0
    assert batch.step_random().observations.sum() % 100 == expected


def test_more_threads_than_games_and_far_too_many():
    for threads in (3, 10**9):
        batch = Batch(2, 2, seed=1, threads=threads)
        batch.reset()
        batch.step_random()


def test_the_message_of_a_view_is_that_of_the_first_fault():
    batch = dealt()
    words = re.escape("rows holds 7")
    with pytest.raises(CryptError, match=words):
        batch.view(np.array([7]), np.array([99], np.int8), np.zeros(1), np.zeros(1))
