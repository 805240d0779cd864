"""The page of the record format: its examples are records of whole or cut games, and what it says is true."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from crypt_env import RecordError, replay, to_record
from crypt_env.__main__ import main
from crypt_env.notation.record import FORMAT, check_line
from rules.paragraphs import PARAGRAPHS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "record.md").read_text(encoding="utf-8")
RECORDS: list[dict[str, Any]] = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```", PAGE, re.M | re.S)]
WHOLE, SOLO, REROLL, TAKE, TIE = RECORDS


def kinds(record: dict[str, Any]) -> list[str]:
    """Return what each event of a record is: the first word of a decision, or the kind of a roll."""
    return [event[2].split()[0] if event[0] == "act" else event[0] for event in record["events"]]


@pytest.mark.parametrize("record", RECORDS, ids=["whole", "solo", "reroll", "take", "tie"])
def test_an_example_follows_the_rules(record: dict[str, Any]) -> None:
    assert check_line(json.dumps(record)) is None
    assert replay(record).is_over == (record["scores"] is not None)


@pytest.mark.parametrize("record", RECORDS, ids=["whole", "solo", "reroll", "take", "tie"])
def test_an_example_is_written_as_the_program_writes_it(record: dict[str, Any]) -> None:
    """The keys are those of the page's table in its order, and the events are those of the game."""
    keys = re.findall(r"^\| `(\w+)` \|", PAGE.split("## The keys")[1].split("## The events")[0], re.M)
    written = to_record(replay(record))
    assert list(written) == list(record) == keys
    assert written == {**record, "events": [event[:3] if event[0] == "act" else event for event in record["events"]]}


def test_every_event_of_the_format_is_in_the_examples() -> None:
    shown = set().union(*map(kinds, RECORDS))
    assert shown >= {"place", "done", "recover", "peek", "take", "reroll", "flip", "roll", "ghost", "tiebreak"}
    assert set(re.findall(r'^\| `\["(\w+)",', PAGE, re.M)) == {"act", "roll", "reroll", "ghost", "tiebreak"}
    assert {record["players"] for record in RECORDS} == {1, 2}
    assert all(record["format"] == FORMAT for record in RECORDS)


def test_the_comments_point_at_the_right_events() -> None:
    """What the text says about an event by its number is true."""
    events = WHOLE["events"]
    assert events[4] == ["roll", 0, 0, 5, [3, 6]]
    assert events[7][:3] == ["act", 0, "peek"]
    assert (events[11][2], events[12][2], events[16][2]) == ("place 2 1x6", "place 0 1x6", "done")
    assert (events[22][2], events[23][1:]) == ("peek", [0, "flip 2", ["flip 2", "flip 3"]])
    assert (events[31][:3], events[32][:3]) == (["act", 1, "take 2"], ["act", 0, "peek"])
    assert kinds(SOLO)[9:13] == ["ghost", "place", "ghost", "roll"]
    assert REROLL["events"][15:] == [["act", 0, "reroll 2"], ["act", 0, "flip 1"], ["reroll", 0, 2, 5]]
    assert [event[1:3] for event in TAKE["events"][20:]] == [[1, "take 2"], [1, "flip 3"], [1, "flip 4"], [0, "done"]]
    assert kinds(TIE)[34:] == ["tiebreak", "tiebreak"]


def test_the_rounds_of_the_comments_are_those_of_the_game() -> None:
    """Each round of the first example begins with the event that the text names, with that Leader and Crypt."""
    rounds = re.findall(r"\*\*Round (\d)\*\*, events (\d+)-(\d+); seat (\d) is\s+Leader; Crypt ([^.]*)\.", PAGE)
    assert [int(number) for number, *_ in rounds] == list(range(1, 9))
    expected = 0
    for number, first, last, leader, crypt in rounds:
        assert int(first) == expected
        expected = int(last) + 1
        game = replay({**WHOLE, "events": WHOLE["events"][: int(first)], "scores": None, "winners": None})
        assert (game.round, game.leader) == (int(number), int(leader))
        assert re.sub("[()]", "", crypt).split() == WHOLE["deck"][3 * int(number) - 3 : 3 * int(number)]
    assert expected == len(WHOLE["events"])


def test_the_scores_of_the_comments_are_those_of_the_game() -> None:
    sheets = replay(WHOLE).sheets()
    assert [(sheet.cards, sheet.jewelry, sheet.tapestry, sheet.dice) for sheet in sheets] == [
        (22, 0, 0, 3),
        (10, 1, 5, 3),
    ]


def test_a_record_that_ends_where_dice_are_due_is_not_valid() -> None:
    for record in RECORDS:
        for number, event in enumerate(record["events"]):
            cut = {**record, "events": record["events"][:number], "scores": None, "winners": None}
            assert (check_line(json.dumps(cut)) is None) == (event[0] == "act")


def test_a_finished_game_has_scores_and_winners() -> None:
    for change in ({"scores": None, "winners": None}, {"scores": None}, {"winners": None}):
        with pytest.raises(RecordError):
            replay({**WHOLE, **change})


def test_unknown_keys_are_ignored() -> None:
    assert replay({**WHOLE, "comment": "a game"}).is_over


def test_the_command_prints_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The third record is changed so that the wrong seat re-rolls; empty lines are skipped."""
    monkeypatch.chdir(tmp_path)
    records = json.loads(json.dumps(RECORDS))
    records[2]["events"][15][1] = 1
    path = Path("games.jsonl")
    path.write_text("\n".join(map(json.dumps, records)) + "\n\n", encoding="utf-8")
    assert main(["replay", str(path)]) == 1
    assert f"$ crypt replay games.jsonl\n{capsys.readouterr().out}```" in PAGE
    path.write_text("\n".join(map(json.dumps, RECORDS)), encoding="utf-8")
    assert main(["replay", str(path)]) == 0
    assert main(["replay", "no_such_file.jsonl"]) == 2


def test_the_paragraphs_that_the_page_names_exist() -> None:
    names = [name for names in re.findall(r"\[(\d\.[^]]*)\]", PAGE) for name in re.split(r",\s*", names)]
    assert len(names) >= 5
    assert set(names) <= set(PARAGRAPHS)
