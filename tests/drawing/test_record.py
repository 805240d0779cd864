"""A record can be looked at after any of its decisions."""

from __future__ import annotations

import pytest

from crypt_env import RecordError, random_game, replay, to_record
from crypt_env.drawing import draw_svg, scene_of_game


def test_a_record_at_each_decision() -> None:
    game = random_game(3, seed=6)
    record = to_record(game)
    acts = [number for number, event in enumerate(record["events"]) if event[0] == "act"]
    shown = set()
    for decisions in range(len(acts) + 1):
        cut = replay(record, decisions=decisions)
        assert len(cut.events) == (acts[decisions] if decisions < len(acts) else len(record["events"]))
        shown.add(cut._repr_svg_())
    assert cut == replay(record)
    assert str(cut) == str(game)
    assert len(shown) > len(acts) / 2
    assert draw_svg(scene_of_game(replay(record, 0), 2)) != draw_svg(scene_of_game(replay(record, 0), 1))


def test_decisions_that_a_record_does_not_have() -> None:
    record = to_record(random_game(2, seed=1))
    count = sum(event[0] == "act" for event in record["events"])
    for decisions in (count + 1, -1):
        with pytest.raises(RecordError, match=f"decisions={decisions} is not possible; this record has {count}"):
            replay(record, decisions)


def test_what_comes_later_is_not_looked_at() -> None:
    record = to_record(random_game(2, seed=1))
    broken = {**record, "events": [*record["events"][:-1], ["act", 7, "nonsense"]]}
    assert replay(broken, 3) == replay(record, 3)
    with pytest.raises(RecordError):
        replay(broken)
