"""The 127 actions: index, text and meaning."""

import re

import numpy as np
import pytest

from crypt_env import ACTIONS, DRAW, Game, action_text, parse_action
from crypt_env.notation.actions import ACTION_TEXTS, decode_action
from crypt_env.rules.actions import place


def expected_texts():
    """Return all texts in the order of the table in the documentation."""
    texts = [f"place {slot} {count}x{effort}" for slot in range(6) for count in (1, 2, 3) for effort in range(1, 7)]
    texts += ["done", "recover", "peek", "revive"]
    texts += [f"take {slot}" for slot in range(6)]
    texts += [f"reroll {effort}" for effort in range(2, 7)]
    return texts + [f"flip {value}" for value in (1, 2, 3, 4)]


def test_there_are_127_actions_in_this_order():
    assert ACTIONS == 127
    assert DRAW == -1
    assert list(ACTION_TEXTS) == expected_texts()
    assert [action_text(index) for index in range(ACTIONS)] == expected_texts()


@pytest.mark.parametrize("index", range(ACTIONS))
def test_texts_lead_back_to_the_index(index):
    assert parse_action(action_text(index)) == index
    assert action_text(np.int64(index)) == action_text(index)


def test_meaning_of_every_action():
    for index, text in enumerate(expected_texts()):
        action = decode_action(index)
        verb, *numbers = re.findall(r"[a-z]{2,}|\d", text)
        given = tuple(int(number) for number in numbers)
        assert action.verb == verb
        if verb == "place":
            assert (action.slot, action.dice, action.effort) == given
            assert place(*given) == index == 18 * given[0] + 6 * (given[1] - 1) + given[2] - 1
        elif verb == "take":
            assert action[1:] == (*given, 0, 0, 0)
        elif verb == "reroll":
            assert action[1:] == (0, 0, *given, 0)
        elif verb == "flip":
            assert action[1:] == (0, 0, 0, *given)
        else:
            assert action[1:] == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("PLACE 0 2X3", "place 0 2x3"),
        ("  place   0\t2x3\n", "place 0 2x3"),
        ("Done", "done"),
        ("Take  5", "take 5"),
        ("\tFLIP 4", "flip 4"),
    ],
)
def test_letter_case_and_spaces_do_not_matter(text, same):
    assert parse_action(text) == parse_action(same)
    assert action_text(parse_action(text)) == same


WRONG = [
    *("", " ", "place", "place 0", "place 6 1x1", "place -1 1x1", "place 0 0x1", "place 0 4x1", "place 0 1x0"),
    *("place 0 1x7", "place 0 1 x1", "place 0 1*1", "place 00 1x1", "place 0 1x1 done", "take", "take 6", "take -1"),
    *(
        "reroll",
        "reroll 1",
        "reroll 7",
        "flip",
        "flip 0",
        "flip 5",
        "flip M2",
        "pass",
        "recover 1",
        "done done",
        "108",
        "plaçe 0 1x1",
        "place ٠ 1x1",
    ),
    *(None, 5, b"done", ["done"]),
]


@pytest.mark.parametrize("text", WRONG, ids=repr)
def test_what_is_not_an_action_is_quoted_with_all_forms(text):
    with pytest.raises(ValueError, match="not an action") as caught:
        parse_action(text)
    message = str(caught.value)
    assert message.startswith(f"not an action: {text!r}; expected 'place S CxV', 'done', 'recover', 'peek', 'revive', ")
    assert "'take S', 'reroll V' or 'flip V' with slots 0-5, 1-3 dice, efforts 1-6 (reroll 2-6), values 1-4" in message


@pytest.mark.parametrize("index", [-1, -2, 127, 1000, 2**70])
def test_what_is_no_index_is_quoted_with_the_range(index):
    with pytest.raises(ValueError, match=f"^not an action: {index}; actions are numbered 0 to 126$"):
        action_text(index)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_a_game_takes_texts_and_indices_alike(players):
    by_text, by_index = (Game(players, "ABABAB", seed=5) for _ in range(2))
    while not by_text.is_over:
        text = by_text.random_action()
        assert by_index.random_action() == text
        assert by_index.legal() == by_text.legal()
        assert [action_text(index) for index in by_text.legal_actions()] == list(by_text.legal())
        by_text.play(f" {text.upper()} ")
        by_index.play(np.int64(parse_action(text)) if by_text.round % 2 else parse_action(text))
        assert by_text == by_index
    assert by_text.events == by_index.events
