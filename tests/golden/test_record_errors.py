"""Every fault in a record raises one RecordError that says where, what was expected and what was found."""

import json

import pytest

from crypt_env import RecordError, replay
from crypt_env.notation.record import check_line
from golden.damage import place_of, sound

FORMAT = "crypt-record/1"


def error_of(record):
    """Return the error for a record."""
    with pytest.raises(RecordError) as caught:
        replay(record)
    assert type(caught.value) is RecordError
    return str(caught.value)


def test_sound_records_pass():
    for players in (1, 2, 3, 4):
        assert replay(sound(players)).is_over


# -- invalid records --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [None, True, 5, 1.5, "", FORMAT, [], [[FORMAT]], {}, {"a": 1}, {"format": 1}])
def test_foreign_json_is_not_a_record(value):
    assert "not a record: the format is" in error_of(value)
    assert f"not '{FORMAT}'" in error_of(value)


@pytest.mark.parametrize("name", ["crypt-record/2", "crypt-record", "CRYPT-RECORD/1", "", None, 1, [FORMAT]])
def test_wrong_format(name):
    message = error_of({**sound(), "format": name})
    assert str(name) in message
    assert FORMAT in message


@pytest.mark.parametrize("key", ["players", "collectors", "leader", "seed", "deck", "events", "scores", "winners"])
def test_missing_keys_are_named(key):
    record = sound()
    del record[key]
    assert error_of(record) == f"not a record: {key} missing"


HEADERS = [
    ("players", [0, 5, -1, "2", 2.0, True, None, [2], {}], "allowed are 1 (against the Ghost), 2, 3 and 4"),
    ("leader", [2, -1], "allowed are the seats 0 to 1"),
    ("leader", ["0", 0.0, False, None, [0], "random"], "a seat is expected"),
    ("seed", [-1, 2**64, 2**70], "allowed are integers from 0 to 2**64 - 1"),
    ("seed", ["7", 1.5, True, [7], {}], "a number from 0 to 2**64 - 1 or null is expected"),
    ("collectors", ["ABABA", "ABABABA", "AAC", "", "ABABAX", None, 5, ["A"] * 6, {}], "six letters A or B"),
    ("deck", [None, "T4", 5, {"T4": 1}], "deck is not a list"),
    ("events", [None, "act", 5, {"act": 0}], "events is not a list"),
]


@pytest.mark.parametrize(
    ("key", "value", "words"), [(key, value, words) for key, values, words in HEADERS for value in values]
)
def test_wrong_header(key, value, words):
    message = error_of({**sound(), key: value})
    assert words in message
    assert key in message
    assert repr(value) in message or str(value)[:60] in message


@pytest.mark.parametrize("collectors", ["random", "A", "B", "aaabba", " AAABBA "])
def test_a_record_spells_its_table_out(collectors):
    """The short forms of tables for `Game` are not allowed in a record."""
    assert repr(collectors) in error_of({**sound(), "collectors": collectors})


def test_no_seed_is_not_a_difference():
    assert replay({**sound(), "seed": None}).is_over


def test_wrong_decks():
    record = sound()
    deck = record["deck"]
    twice = [deck[1], *deck[1:]]
    message = error_of({**record, "deck": twice})
    assert f"found 2 of {deck[1]}, expected 1" in message or f"found 0 of {deck[0]}, expected 1" in message
    assert f"found 0 of {deck[-1]}, expected 1; the deck has 24 cards" in error_of({**record, "deck": deck[:-1]})
    assert "found 0 of I1" in error_of({**record, "deck": []})
    assert "not a deck for 3 players" in error_of({**record, "players": 3})
    for card in ("T5", "X1", "t4", "", "T44", None, 4, ["T4"]):
        assert f"not a card: {card!r}; expected a type letter" in error_of({**record, "deck": [card, *deck[1:]]})


# -- decisions --------------------------------------------------------------------------------------------------------


def changed(kind, change, nth=0, players=2):
    """Return a record with one event changed, its index and the event."""
    record = sound(players)
    place = place_of(record, kind, nth)
    change(record["events"][place])
    return record, place, record["events"][place]


@pytest.mark.parametrize("seat", [0, 2, -1, 7, "1", 1.0, True, None, [1]])
def test_a_seat_that_does_not_decide(seat):
    record, place, event = changed("act", lambda event: event.__setitem__(1, seat))
    assert error_of(record) == f"event {place}: seat 1 decides, found seat {seat!r} with {event[2]!r}"


def test_the_ghost_does_not_decide():
    record, place, event = changed("act", lambda event: event.__setitem__(1, 1), nth=4, players=1)
    assert error_of(record) == f"event {place}: seat 0 decides, found seat 1 with {event[2]!r}"


@pytest.mark.parametrize("text", ["done", "place 0 4x1", "place 5 1x1", "reroll 4", "DONE", "", None, 3, ["done"], {}])
def test_an_illegal_action(text):
    record, place, _ = changed("act", lambda event: event.__setitem__(2, text))
    message = error_of(record)
    assert message.startswith(f"event {place}: {text!r} is not legal; legal: place 0 1x1")
    assert "position: crypt1 players=2 " in message


def legal_lists():
    """Yield a wrong list of legal actions and words of the error."""
    right = sound()["events"][0][3]
    yield "missing", right[1:], "missing: ['place 0 1x1'], not legal: []"
    yield "more", [*right, "peek"], "missing: [], not legal: ['peek']"
    yield "twice", [*right, right[0]], f"{len(right) + 1} listed, {len(right)} expected"
    yield "instead", [right[0], *right[:-1]], f"missing: ['{right[-1]}']"
    yield "empty", [], f"0 listed, {len(right)} expected"
    yield "number in it", [*right[:-1], 5], "not legal: [5]"
    yield "list in it", [*right[:-1], [right[-1]]], f"missing: ['{right[-1]}']"
    yield "text", "done", "the legal actions differ"
    yield "joined text", ", ".join(right), "the legal actions differ"
    yield "object", dict.fromkeys(right, 1), "the legal actions differ"
    yield "null", None, "the legal actions differ"
    yield "number", 5, "the legal actions differ"
    yield "flag", True, "the legal actions differ"


@pytest.mark.parametrize(
    ("found", "words"), [case[1:] for case in legal_lists()], ids=[case[0] for case in legal_lists()]
)
def test_wrong_legal_lists(found, words):
    record, place, _ = changed("act", lambda event: event.__setitem__(3, found))
    message = error_of(record)
    assert message.startswith(f"event {place}: ")
    assert words in message


def test_the_order_of_a_legal_list_does_not_matter_nor_does_its_absence():
    record, _, _ = changed("act", lambda event: event[3].reverse())
    assert replay(record).is_over
    record, _, _ = changed("act", lambda event: event.pop())
    assert replay(record).is_over


@pytest.mark.parametrize("size", [0, 1, 2, 5])
def test_decisions_of_a_wrong_length(size):
    record = sound()
    record["events"][0] = (record["events"][0] + [1])[:size]
    assert error_of(record).startswith("event 0: ")
    assert f"found {record['events'][0]}" in error_of(record)


def test_a_forced_action_is_not_recorded():
    """After a placement on the Lights Out turn `done` is automatic."""
    record = sound()
    decided = [number for number, event in enumerate(record["events"]) if event[0] == "act"]
    forced = next(
        number for number in decided if record["events"][number][2].startswith("place") and is_last(record, number)
    )
    seat = record["events"][forced][1]
    record["events"].insert(forced + 1, ["act", seat, "done"])
    message = error_of(record)
    assert message.startswith(f"event {forced + 1}: ")
    assert f"found ['act', {seat}, 'done']" in message


def is_last(record, number):
    """Return whether the decision at this place is the last one before the dice are rolled."""
    following = record["events"][number + 1 :]
    return bool(following) and following[0][0] == "roll"


# -- invalid events ---------------------------------------------------------------------------------------------------

STRANGERS = [
    None,
    True,
    5,
    1.5,
    "act",
    "",
    [],
    [[]],
    {},
    {"act": 0},
    ["pass", 0],
    [None],
    [["act", 0, "done"]],
    ["ACT", 0, "done"],
]


@pytest.mark.parametrize("event", STRANGERS, ids=repr)
def test_a_stranger_in_place_of_a_decision(event):
    record = sound()
    record["events"][0] = event
    assert error_of(record) == f"event 0: a decision of seat 1 is expected, found {event}"


@pytest.mark.parametrize("event", STRANGERS, ids=repr)
def test_a_stranger_in_place_of_dice(event):
    record = sound()
    place = place_of(record, "roll")
    record["events"][place] = event
    message = error_of(record)
    assert message.startswith(f"event {place}: found {event}; ")
    assert "results from 1 to 6 are needed here" in message


@pytest.mark.parametrize("event", STRANGERS, ids=repr)
def test_a_stranger_between_two_decisions(event):
    record = sound()
    record["events"].insert(1, event)
    assert error_of(record) == f"event 1: a decision or the end is expected, found {event}"


@pytest.mark.parametrize("event", [*STRANGERS, ["act", 0, "done"], ["tiebreak", [[0, [1]], [1, [2]]]]], ids=repr)
def test_an_extra_event_at_the_end(event):
    record = sound()
    record["events"].append(event)
    message = error_of(record)
    assert message.startswith(f"event {len(record['events']) - 1}: ")
    assert message.endswith(f"found {event}")


# -- dice -------------------------------------------------------------------------------------------------------------

BAD_RESULTS = [[7], [0], [-1], ["3"], [3.0], [True], [None], [[3]], [], 3, "3", None, {}, {"3": 3}]


@pytest.mark.parametrize("results", BAD_RESULTS, ids=repr)
@pytest.mark.parametrize(("kind", "players"), [("roll", 2), ("ghost", 1)])
def test_wrong_results(kind, players, results):
    record, place, event = changed(kind, lambda event: None, players=players)
    dice = len(event[-1])
    if isinstance(results, list):
        results = (results * dice)[:dice]
    event[-1] = results
    message = error_of(record)
    assert message.startswith(f"event {place}: found {event}; ")
    assert f"{dice} results from 1 to 6 are needed here" in message


@pytest.mark.parametrize("result", [7, 0, "3", 3.0, True, None, [3], {}])
def test_wrong_reroll(result):
    record, place, event = changed("reroll", lambda event: event.__setitem__(3, result))
    assert error_of(record).startswith(f"event {place}: found {event}; ")
    assert "1 results from 1 to 6 are needed here" in error_of(record)


@pytest.mark.parametrize(("kind", "players"), [("roll", 3), ("ghost", 1)])
@pytest.mark.parametrize("more", [-1, 1, 9])
def test_wrong_number_of_dice(kind, players, more):
    record, place, event = changed(kind, lambda event: None, players=players)
    dice = len(event[-1])
    event[-1] = [3] * (dice + more)
    assert error_of(record).startswith(f"event {place}: found {event}; ")
    assert f"{dice} results from 1 to 6 are needed here" in error_of(record)


@pytest.mark.parametrize("field", [1, 2, 3])
@pytest.mark.parametrize("change", [lambda part: part + 1, str, float, lambda part: [part], lambda part: None])
def test_a_roll_of_another_seat_slot_or_effort(field, change):
    record, place, event = changed("roll", lambda event: event.__setitem__(field, change(event[field])))
    right = sound()["events"][place]
    assert error_of(record) == f"event {place}: {right} is expected, found {event}"


def test_a_flag_is_not_a_seat_in_a_roll():
    record, place, event = changed("roll", lambda event: event.__setitem__(1, bool(event[1])))
    assert error_of(record) == f"event {place}: {sound()['events'][place]} is expected, found {event}"


def test_another_kind_of_roll():
    record, place, event = changed("roll", lambda event: event.__setitem__(0, "ghost"))
    assert error_of(record) == f"event {place}: {sound()['events'][place]} is expected, found {event}"


def test_rolls_in_the_wrong_order():
    record = sound(4)
    places = [place for place, event in enumerate(record["events"]) if event[0] == "roll"]
    first = next(
        place for place in places if place + 1 in places and record["events"][place] != record["events"][place + 1]
    )
    events = record["events"]
    events[first], events[first + 1] = events[first + 1], events[first]
    assert error_of(record).split(":")[0] in (f"event {first}", f"event {first + 1}")


# -- the end ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["scores", "winners"])
@pytest.mark.parametrize(
    "change",
    [
        lambda right: [part + 1 for part in right],
        lambda right: right + [0],
        lambda right: right[:-1],
        lambda right: None,
        str,
        lambda right: {},
        lambda right: [right],
        lambda right: 5,
    ],
)
def test_wrong_results_of_the_game(key, change):
    record = sound()
    right = record[key]
    record[key] = change(right)
    assert error_of(record) == f"{key}: {right} expected, found {record[key]}"


@pytest.mark.parametrize("key", ["scores", "winners"])
def test_scores_and_winners_are_whole_numbers(key):
    record = sound()
    right = record[key]
    record[key] = [float(part) for part in right]
    assert error_of(record) == f"{key}: {right} expected, found {record[key]}"


def test_a_winner_is_not_a_flag():
    record = sound()
    record["winners"] = [bool(seat) for seat in record["winners"]]
    assert "winners: " in error_of(record)


# -- records cut short ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_a_record_cut_anywhere(players):
    """A record may be cut before a decision, with scores and winners null; missing dice are named."""
    whole = sound(players)
    for stop in range(len(whole["events"])):
        cut = {**whole, "events": whole["events"][:stop], "scores": None, "winners": None}
        if whole["events"][stop][0] == "act":
            game = replay(cut)
            assert not game.is_over
            assert len(game.events) == stop
            open_end = {**cut, "scores": whole["scores"], "winners": whole["winners"]}
            expected = f"event {stop}: a decision of seat {game.to_move} is expected, found the end"
            assert error_of(open_end) == expected
            assert error_of({**cut, "winners": [0]}) == expected
            assert error_of({**cut, "scores": whole["scores"]}) == expected
        else:
            assert error_of(cut).startswith(f"event {stop}: dice are expected, found none; ")


def test_a_line_cut_anywhere_is_not_json():
    line = json.dumps(sound())
    for stop in range(1, len(line), 97):
        reason = check_line(line[:stop])
        assert reason.startswith("not JSON ("), line[:stop]
        assert "column" in reason


@pytest.mark.parametrize("text", ["", "crypt-record/1", "{", "{]", "\x00", "act 0 done", "{'format': 1}", "[1,]"])
def test_what_is_not_json_is_quoted(text):
    assert check_line(text).startswith("not JSON (")
    assert repr(text.strip()[:60]) in check_line(text)


@pytest.mark.parametrize("text", ["null", "5", '"x"', "[]", "{}", "NaN", "-Infinity", "[" * 30 + "]" * 30])
def test_json_that_is_not_a_record(text):
    assert "not a record: the format is" in check_line(text)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "[" * 100_000 + "]" * 100_000, "9" * 5000], ids=["open", "closed", "digits"]
)
def test_json_too_deep_or_too_long_to_read_is_a_difference_too(text):
    assert check_line(text)


def test_deep_values_inside_a_record():
    deep = value = []
    for _ in range(300):
        value.append([])
        value = value[0]
    for key in ("deck", "events", "scores", "winners", "players", "collectors", "leader", "seed"):
        assert error_of({**sound(), key: deep})


# -- tie-break --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tied():
    """A record whose game was decided by a tie-break."""
    from crypt_env import random_game, to_record

    for index in range(1000):
        record = to_record(random_game(3, "ABABAB", seed=8, index=index), with_legal=True)
        if record["events"][-1][0] == "tiebreak" and record["events"][-2][0] != "tiebreak":
            return json.dumps(record)
    raise AssertionError("no tie-break in 1000 games")


@pytest.mark.parametrize(
    "rolls", [None, 5, "12", [], [[]], [[0]], [[0, 1]], [0, [1]], {}, [[0, [7]]], [[0, []], [1, []], [2, []]]]
)
def test_wrong_tiebreaks(tied, rolls):
    record = json.loads(tied)
    record["events"][-1][1] = rolls
    assert error_of(record).startswith(f"event {len(record['events']) - 1}: found ['tiebreak', {rolls!r}]; ")
    assert "results from 1 to 6 are needed here" in error_of(record)


def test_tiebreaks_of_other_seats(tied):
    record = json.loads(tied)
    rolls = record["events"][-1][1]
    right = json.loads(tied)["events"][-1]
    rolls[0][0], rolls[1][0] = rolls[1][0], rolls[0][0]
    assert error_of(record) == f"event {len(record['events']) - 1}: {right} is expected, found {record['events'][-1]}"


def test_a_missing_tiebreak(tied):
    record = json.loads(tied)
    record["events"].pop()
    assert error_of(record).startswith(f"event {len(record['events'])}: dice are expected, found none; ")


def test_a_tiebreak_won_by_another(tied):
    record = json.loads(tied)
    assert replay(record).outcome().reason.value == "tie-break: highest dice"
    losers = [seat for seat in range(3) if seat not in record["winners"]]
    assert error_of({**record, "winners": losers[:1]}) == f"winners: {record['winners']} expected, found {losers[:1]}"
