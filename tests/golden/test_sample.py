"""600 games that another program played and recorded, with legal lists."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

from crypt_env import replay, to_record

SAMPLE = Path(__file__).parent / "records" / "sample.jsonl.gz"
GAMES = 600


def records():
    """Return all games of the sample."""
    with gzip.open(SAMPLE, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_the_sample_has_150_games_for_each_number_of_players_and_all_their_legal_lists():
    found = records()
    assert [sum(record["players"] == players for record in found) for players in (1, 2, 3, 4)] == [150] * 4
    decisions = [event for record in found for event in record["events"] if event[0] == "act"]
    assert all(len(event) == 4 and len(event[3]) >= 2 for event in decisions)


def test_all_games_of_the_sample_replay_without_difference():
    for number, record in enumerate(records(), 1):
        game = replay(record)
        assert game.is_over, f"line {number}"
        played = to_record(game, with_legal=True)
        for event, recorded in zip(played["events"], record["events"], strict=True):
            if event[0] == "act":
                assert sorted(event.pop()) == sorted(recorded[3]), f"line {number}"
                recorded = recorded[:3]
            assert event == recorded, f"line {number}"
        assert (played["scores"], played["winners"]) == (record["scores"], record["winners"]), f"line {number}"


def test_the_command_replays_the_sample():
    command = [sys.executable, "-m", "crypt_env", "replay", str(SAMPLE)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == f"{GAMES} records, 0 differences"
