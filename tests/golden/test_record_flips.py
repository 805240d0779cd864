"""Records of games in which a player says which card it flips and others answer a take."""

import pytest

from crypt_env import Game, RecordError, replay, to_record
from golden.damage import FLIPS, sound
from referee.check import check_record
from rules.payments import PENDING


def record_of(players):
    """Return a valid record with flips and an answer."""
    return sound(players, "AABBAA", FLIPS[players])


def place_of(record, verb):
    """Return the place of the first decision with this verb."""
    return next(at for at, event in enumerate(record["events"]) if event[0] == "act" and event[2].split()[0] == verb)


def answer_in(record):
    """Return the place of the first answer to a take."""
    events = record["events"]
    return next(
        at
        for at, event in enumerate(events)
        if event[0] == "act" and event[3] == ["done", "peek"] and events[at - 1][2].split()[0] in ("take", "flip")
    )


def error_of(record):
    """Replay an invalid record; return the error. The referee refuses it too."""
    with pytest.raises(RecordError) as caught:
        replay(record)
    assert check_record(record) is not None
    return str(caught.value)


@pytest.mark.parametrize("players", FLIPS)
def test_what_a_decision_leads_to_follows_it_at_once(players):
    """The flips by the same seat, then the effect: here all of them replay, and the referee agrees."""
    record = record_of(players)
    assert replay(record).is_over
    assert check_record(record) is None
    events = record["events"]
    flips = [at for at, event in enumerate(events) if event[0] == "act" and event[2].startswith("flip")]
    assert len(flips) == 2
    for at in flips:
        verb = events[at - 1][2].split()[0]
        assert verb in ("reroll", "peek", "take", "revive")
        assert events[at - 1][1] == events[at][1]
        assert (events[at + 1][0] == "reroll") == (verb == "reroll")


@pytest.mark.parametrize("players", FLIPS)
def test_a_missing_flip_is_noticed(players):
    record = record_of(players)
    at = place_of(record, "flip")
    del record["events"][at]
    assert error_of(record).startswith(f"event {at}: ")


@pytest.mark.parametrize("players", FLIPS)
def test_a_flip_of_another_value_than_those_held_is_noticed(players):
    record = record_of(players)
    at = place_of(record, "flip")
    event = record["events"][at]
    event[2] = next(text for text in ("flip 1", "flip 2", "flip 3", "flip 4") if text not in event[3])
    assert f"event {at}: {event[2]!r} is not legal; legal: flip " in error_of(record)


@pytest.mark.parametrize("players", FLIPS)
def test_a_flip_that_is_not_asked_is_noticed(players):
    record = record_of(players)
    at = place_of(record, "flip")
    event = record["events"][at]
    record["events"].insert(at + 1, ["act", event[1], event[2]])
    assert error_of(record).startswith(f"event {at + 1}: ")


@pytest.mark.parametrize("players", FLIPS)
def test_a_flip_by_another_seat_is_noticed(players):
    record = record_of(players)
    at = place_of(record, "flip")
    seat = record["events"][at][1]
    record["events"][at][1] = (seat + 1) % players
    assert f"event {at}: seat {seat} decides, found seat {(seat + 1) % players}" in error_of(record)


@pytest.mark.parametrize("players", FLIPS)
def test_a_missing_answer_is_noticed(players):
    record = record_of(players)
    at = answer_in(record)
    seat = record["events"][at][1]
    del record["events"][at]
    message = error_of(record)
    assert message.startswith(f"event {at}: ")
    assert record["events"][at][1] == seat or f"seat {seat} decides" in message


@pytest.mark.parametrize("players", FLIPS)
def test_an_answer_before_the_take_is_noticed(players):
    record = record_of(players)
    at = answer_in(record)
    events = record["events"]
    events[at - 1], events[at] = events[at], events[at - 1]
    assert error_of(record).startswith(f"event {at - 1}: ")


@pytest.mark.parametrize("players", FLIPS)
def test_a_record_may_end_before_a_flip_or_an_answer(players):
    """A game that is cut short ends before any decision."""
    whole = record_of(players)
    for at in (place_of(whole, "flip"), answer_in(whole)):
        cut = {**record_of(players), "scores": None, "winners": None}
        cut["events"] = cut["events"][:at]
        game = replay(cut)
        assert game.legal() == tuple(whole["events"][at][3])
        assert to_record(game, with_legal=True)["events"] == cut["events"]
        assert check_record(cut) is None


def test_flips_are_written_in_the_order_of_play():
    """Two flips follow their take, then the answers."""
    game = PENDING["take, first"](3)
    start = game.text()
    game.play("flip 2").play("flip 4")
    assert [event.text for event in game.events] == ["take 3", "flip 2", "flip 4"]
    assert Game.from_text(start).play("flip 2").play("flip 4") == game
