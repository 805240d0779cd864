"""What the fuzzers have found, each with the smallest input that shows it. All of it ends in one printable sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crypt_env import (
    Batch,
    CryptError,
    Game,
    RecordError,
    check_states,
    crypt_v0,
    decode_action,
    parse_action,
    random_game,
    replay,
    to_record,
)
from crypt_env.agents import load_network, make_agent
from crypt_env.cli.main import main
from crypt_env.envs.single import SeatEnv
from crypt_env.envs.vector import SeatVectorEnv
from crypt_env.errors import quoted, shortened
from crypt_env.rules.cards import CARDS
from crypt_env.rules.state import CLAIM, MOST_DECISIONS
from fuzz.target import LONGEST_MESSAGE

TABLE = np.zeros((2, 3), np.int8)
HUGE = 10**5000
DEEP: Any = []
for _ in range(5000):
    DEEP = [DEEP]


def kind_of(value: object) -> str:
    """Return the test id for a value: many of these have no text."""
    return type(value).__name__


def is_sentence(text: str) -> bool:
    """Return whether a text can be shown as a message."""
    return 0 < len(text) < LONGEST_MESSAGE and text.isprintable()


def refusal(call: Callable[[], object], kind: type[CryptError] = CryptError) -> str:
    """Return the sentence with which a call is refused."""
    with pytest.raises(kind) as caught:
        call()
    assert is_sentence(str(caught.value))
    return str(caught.value)


# -- quoting ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given", [TABLE, HUGE, DEEP, "\x1b\n\u2028", "x" * 9999, object(), [TABLE], "\ud800", None], ids=kind_of
)
def test_every_quotation_is_on_one_printable_line(given: object) -> None:
    assert is_sentence(quoted(given))
    assert len(quoted(given)) < 100


def test_quotes_of_plain_values_are_what_python_writes() -> None:
    for given in ("é 2", 7, [1, "b"], None, 2.5, b"\x00", {"a": 1}):
        assert quoted(given) == repr(given)
    assert quoted(TABLE) == "array([[0, 0, 0], [0, 0, 0]], dtype=int8)"


def test_messages_of_others_are_cut_and_put_on_one_line() -> None:
    assert shortened("a\nb\x11c \u2028d") == r"a b\x11c d"
    assert shortened("x" * 2000) == "x" * 1000 + "..."


# -- the engine -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "deck", [["T4"], ["T4"] * 24, ["T9"] * 24, [["T4"]] * 24, [HUGE], [DEEP], ["\x1b" * 9999]], ids=kind_of
)
def test_a_deck_that_is_none(deck: list[Any]) -> None:
    assert refusal(lambda: Game(2, deck=deck)).startswith("not a ")


@pytest.mark.parametrize("deck", [np.array(42), np.ma.masked], ids=kind_of)
def test_a_deck_without_a_dimension(deck: Any) -> None:
    assert refusal(lambda: Game(3, deck=deck)).startswith("deck=")


def test_numbers_of_players_that_are_not_pythons_own() -> None:
    assert "not a deck for 2 players: " in refusal(lambda: Game(np.int64(2), deck=["T4"] * 24))
    assert Game(np.int8(1), deck=list(Game(1, seed=1).deck)).players == 1


@pytest.mark.parametrize("games", [np.int8(45), np.uint8(2), np.int16(3)], ids=kind_of)
def test_numbers_of_games_that_are_not_pythons_own(games: Any) -> None:
    assert len(Batch(games)) == games
    envs = SeatVectorEnv(games)
    assert type(envs.num_envs) is int
    assert envs.reset(seed=1)[0].shape[0] == games


def test_players_in_an_array_without_a_dimension() -> None:
    assert refusal(lambda: Batch(2, np.array(2))).startswith("players=array(2) is not possible")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["players", "collectors", "leader", "seed"])
@pytest.mark.parametrize("value", [TABLE, HUGE, DEEP], ids=kind_of)
def test_odd_values_of_options(name: str, value: object) -> None:
    assert refusal(lambda: Game(**{name: value})).startswith(f"{name}=")


def test_a_leader_in_an_array_at_a_table_for_one() -> None:
    assert refusal(lambda: Game(1, leader=np.array([0, 1]))).startswith("leader=array([0, 1])")  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [TABLE, DEEP, HUGE, "\u2028", "9" * 9999, None], ids=kind_of)
def test_texts_that_are_not_actions(text: Any) -> None:
    assert refusal(lambda: parse_action(text)).startswith("not an action: ")
    assert refusal(lambda: decode_action(text)).startswith("not an action: ")


@pytest.mark.parametrize("action", [HUGE, -HUGE, TABLE, DEEP, "\u2028", "9" * 9999], ids=kind_of)
def test_odd_actions(action: Any) -> None:
    game, env = Game(2, seed=1), crypt_v0.raw_env()
    env.reset(seed=1)
    refusal(lambda: game.play(action))
    refusal(lambda: env.step(action))


@pytest.mark.parametrize("rows", [DEEP, [[1], [1, 2]], [HUGE], object(), TABLE], ids=kind_of)
def test_rows_that_are_not_a_list_of_games(rows: Any) -> None:
    batch = Batch(2, seed=1)
    batch.reset()
    assert refusal(lambda: batch.restart(rows)).startswith("rows")
    arrays = batch.arrays
    assert refusal(lambda: batch.view(rows, rows, arrays.observations, arrays.masks)).startswith("rows")
    right = np.arange(2)
    assert refusal(lambda: batch.view(right, rows, arrays.observations, arrays.masks)).startswith("viewers")


def test_a_masked_array_of_another_type_is_no_array_of_actions() -> None:
    batch = Batch(2, seed=1)
    batch.reset()
    assert "actions is MaskedArray" in refusal(lambda: batch.step(np.ma.array([109, 109], dtype=np.int32)))


def test_a_record_whose_list_of_legal_actions_is_long() -> None:
    record = to_record(random_game(4, seed=1), with_legal=True)
    record["events"][0][3] = [f"{text}{'İ' * 5000}" for text in record["events"][0][3]]
    assert "the legal actions differ" in refusal(lambda: replay(record), RecordError)


# -- faces ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [crypt_v0.raw_env, SeatEnv, SeatVectorEnv])
def test_a_render_mode_that_is_an_array(make: Callable[..., object]) -> None:
    assert refusal(lambda: make(render_mode=TABLE)).startswith("render_mode=array")


@pytest.mark.parametrize("agent", [TABLE, None, 0, ["player_0"]], ids=kind_of)
def test_to_observe_for_what_is_not_an_agent(agent: Any) -> None:
    env = crypt_v0.raw_env()
    env.reset(seed=1)
    assert refusal(lambda: env.observe(agent)).startswith("there is no agent")


@pytest.mark.parametrize("actions", [[[1], [1, 2]], [1, [2]], DEEP, [HUGE, 1], [object(), 1]], ids=kind_of)
def test_actions_that_are_not_an_array(actions: Any) -> None:
    envs = SeatVectorEnv(2)
    envs.reset(seed=1)
    assert refusal(lambda: envs.step(actions)).startswith("actions")


@pytest.mark.parametrize("mode", [DEEP, TABLE, HUGE, {}, None], ids=kind_of)
def test_modes_of_restarts_that_are_none(mode: Any) -> None:
    assert refusal(lambda: SeatVectorEnv(2, autoreset_mode=mode)).startswith("autoreset_mode=")


@pytest.mark.parametrize("weight", [DEEP, TABLE, HUGE], ids=kind_of)
def test_opponents_with_odd_weights(weight: Any) -> None:
    assert "cannot be drawn" in refusal(lambda: SeatEnv(2, {"random": weight}))


@pytest.mark.parametrize("seed", [np.array(-3), np.array(137), np.zeros((2, 2), int), {}], ids=kind_of)
def test_seeds_that_are_not_a_list(seed: Any) -> None:
    envs = SeatVectorEnv(2)
    assert refusal(lambda: envs.reset(seed=seed)).startswith("seed=")


# -- records of games -------------------------------------------------------------------------------------------------


def spoilt(players: int, is_fit: Callable[[Any], bool], spoil: Callable[[Any], None]) -> Any:
    """Return the record of a game in which something holds, with a change in it; without the change it is right."""
    batch = Batch(256, players, "AABBAB" if players > 1 else "A", seed=5)
    batch.reset()
    while True:
        batch.step_random()
        for row in range(len(batch)):
            state = batch.states[row : row + 1].copy()
            if state["phase"][0] == CLAIM and is_fit(state[0]):
                check_states(state)
                spoil(state[0])
                return state


def refused_for(state: Any, reason: str) -> None:
    """Demand that a record is refused in these words."""
    assert reason in refusal(lambda: check_states(state))
    refusal(lambda: Game.from_state(state))


def test_a_face_up_card_in_the_crypt_that_the_deck_does_not_have_there() -> None:
    def other_card(state: Any) -> None:
        state["card"][0] = (state["card"][0] + 1) % CARDS

    state = spoilt(4, lambda state: True, other_card)
    refusal(lambda: check_states(state))


def test_a_face_down_card_that_lies_face_up() -> None:
    def turn(state: Any) -> None:
        state["down"][5] = -1

    refusal(lambda: check_states(spoilt(4, lambda state: True, turn)))


@pytest.mark.parametrize("players", [1, 3])
def test_two_cards_of_the_crypt_that_have_changed_places(players: int) -> None:
    def swap(state: Any) -> None:
        state["card"][:2] = state["card"][1::-1].copy()

    state = spoilt(players, lambda state: state["card"][0] != state["card"][1], swap)
    refused_for(state, "a card in the Crypt is not the one that was dealt there")


def test_a_hidden_card_that_its_owner_has_not_seen() -> None:
    def forget(state: Any) -> None:
        state["down_seen"][np.argmax(state["down_place"] == 2)] = 0

    state = spoilt(4, lambda state: (state["down_place"] == 2).any(), forget)
    refused_for(state, "a card is hidden in the collection of a seat that has not seen it")


def test_a_turn_before_that_of_dice_that_were_placed() -> None:
    """The Ghost would roll dice that it does not have."""

    def turn_back(state: Any) -> None:
        state["turn"] = 0

    def has_ghost_dice(state: Any) -> bool:
        return bool(
            state["turn"] == 2 and state["leader"] == 0 and state["last_slot"] < 0 and (state["holder"] == 1).any()
        )

    refused_for(spoilt(1, has_ghost_dice, turn_back), "dice belong to a seat that cannot have placed them yet")


def test_a_count_of_decisions_that_starts_again() -> None:
    def count(state: Any) -> None:
        state["decisions"] = MOST_DECISIONS

    game = Game.from_state(spoilt(3, lambda state: True, count))
    assert Game.from_text(game.text()) == game
    game.play(game.legal()[0])
    assert game.state["decisions"][0] == 0
    check_states(game.state)
    refusal(lambda: Game.from_text(game.text().replace(" decisions=0", f" decisions={MOST_DECISIONS + 1}")))


# -- names and files --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [HUGE, DEEP, TABLE, "net:", "net:./", "random:", "a.b:"], ids=kind_of)
def test_names_that_are_not_agents(name: Any) -> None:
    given = name + "x" * 9999 if isinstance(name, str) else name
    refusal(lambda: make_agent(given, allow_code=False))


def test_a_path_that_no_system_has() -> None:
    for path in ("./" + "x" * 9999, "./\0", "a/" * 5000):
        assert refusal(lambda path=path: load_network(path)).startswith("there is no network")


def test_the_name_of_a_file_that_no_system_has(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "9" * 9999, "\x1b[31m"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert all(map(is_sentence, lines))


# -- training ---------------------------------------------------------------------------------------------------------


def test_curves_of_what_was_never_measured(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    curves = pytest.importorskip("crypt_env.experiment.curves")
    columns = "decisions,seconds,coins,coins low,coins high,greedy,greedy low,greedy high\n"
    (tmp_path / "curves.csv").write_text(columns + "1,1,nan,nan,nan,0.5,0.4,0.6\n")
    assert curves.measures(curves.read_curves(tmp_path)) == ["greedy"]
    curves.draw_curves([tmp_path, tmp_path], tmp_path / "curves.png")


def test_facts_of_a_run_that_are_nested_too_deep(tmp_path: Path) -> None:
    curves = pytest.importorskip("crypt_env.experiment.curves")
    (tmp_path / "run.json").write_text("[" * 100_000)
    assert curves.group_runs([tmp_path]) == {tmp_path.name: [tmp_path]}


@pytest.mark.parametrize("reference", ["/x" * 5000, "/\x11\n"])
def test_a_checkpoint_that_refers_to_an_array_with_an_odd_name(reference: str, tmp_path: Path) -> None:
    checkpoint_file = pytest.importorskip("crypt_env.experiment.checkpoint_file")
    checkpoint_file.write_checkpoint(tmp_path / checkpoint_file.NAME, {"states": {"tensor": reference}})
    message = refusal(lambda: checkpoint_file.read_checkpoint(tmp_path / checkpoint_file.NAME))
    assert "truncated or damaged" in message
    assert json.dumps(reference)[1:10] in json.dumps(message) or "x11" in message
