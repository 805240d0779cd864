"""Games that agents play, as records: the same bytes however they are played, and all by the rules."""

import gzip
import json

import numpy as np
import pytest

from cli.processes import crypt
from crypt_env import CryptError, random_game, replay, to_record
from crypt_env.agents import FunctionAgent, make_agent
from crypt_env.cli import main as cli
from crypt_env.datasets import record_games
from crypt_env.notation.record import check_line


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("with_legal", [False, True])
def test_random_games_are_those_of_game(players, with_legal):
    lines = list(record_games(players=players, games=20, seed=3, with_legal=with_legal))
    for index, line in enumerate(lines):
        game = random_game(players, seed=3, index=index)
        assert line.decode() == json.dumps(to_record(game, with_legal), separators=(",", ":")) + "\n"


def test_agents_play_as_in_game():
    """A record holds what each agent chooses when it is asked alone."""
    agents = ["greedy", "net:trio", "tuned"]
    record = json.loads(next(record_games(agents, players=3, seed=5)))
    assert record["agents"] == agents
    made = [make_agent(agent) for agent in agents]
    acts = [event for event in record["events"] if event[0] == "act"]
    for number, (_, seat, text) in enumerate(acts):
        assert made[seat].choose(replay(record, number)) == text


def test_agents_move_on():
    names = [json.loads(line)["agents"] for line in record_games(["greedy", "random"], games=3, rotate=True)]
    assert names == [["greedy", "random"], ["random", "greedy"], ["greedy", "random"]]


def test_processes_write_the_same_bytes(monkeypatch):
    monkeypatch.setattr("crypt_env.datasets.playing._WORTH", -1)
    seen = []
    arguments = {"agents": ["greedy", "random"], "games": 600, "seed": 1}
    lines = list(record_games(**arguments, jobs=2, progress=lambda done, total: seen.append((done, total))))
    assert lines == list(record_games(**arguments))
    assert seen[0] == (0, 600)
    assert seen[-1] == (600, 600)
    assert len(seen) > 3
    assert all(check_line(line) is None for line in lines[::10])


def test_games_end_with_their_iterator(monkeypatch):
    monkeypatch.setattr("crypt_env.datasets.playing._WORTH", -1)
    lines = record_games(games=10**8, jobs=2)
    assert len([next(lines) for _ in range(20)]) == 20
    lines.close()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"agents": ["greedy", "random"], "players": 3}, "2 agents cannot play with players=3; one for all seats or"),
        ({"agents": "missing"}, "agent 'missing' is not known"),
        ({"games": 0}, "games=0 is not possible"),
        ({"jobs": 0}, "jobs=0 is not possible"),
        ({"players": 5}, "players=5 is not possible"),
        ({"collectors": "AAC"}, "collectors='AAC' is not a table"),
        ({"seed": -1}, "seed=-1 is not possible"),
        ({"agents": make_agent("greedy"), "jobs": 2}, "jobs=2 is not possible with agents that are objects"),
        ({"agents": FunctionAgent(lambda seen, masks: np.zeros(len(seen), np.int64))}, "gave an illegal action"),
    ],
)
def test_bad_arguments(arguments, reason):
    with pytest.raises(CryptError, match=reason.replace("(", r"\(")):
        list(record_games(**{"games": 8, **arguments}))


def test_files(tmp_path, capsys):
    plain, packed = tmp_path / "games.jsonl", tmp_path / "games.jsonl.gz"
    for path in (plain, packed):
        assert cli.main(["records", "greedy", "random", "--games", "30", "--quiet", "--out", str(path)]) == 0
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    assert cli.main(["replay", str(plain), str(packed)]) == 0
    assert capsys.readouterr().out == "60 records, 0 differences\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games.jsonl", "games.jsonl.gz"]


def test_an_error_leaves_no_file(tmp_path):
    assert cli.main(["records", "missing", "--out", str(tmp_path / "games.jsonl")]) == 2
    assert not list(tmp_path.iterdir())


def test_on_the_command_line():
    done = crypt("records", "greedy", "--players", "1", "--games", "2", "--seed", "7")
    assert [json.loads(line)["agents"] for line in done.stdout.splitlines()] == [["greedy"]] * 2
    assert list(record_games("greedy", 1, 2, seed=7)) == [
        line.encode() for line in done.stdout.splitlines(keepends=True)
    ]
