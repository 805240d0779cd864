"""Decisions read from records are what the environments show and pay, and a wrong record is refused."""

import json
import random
from pathlib import Path

import numpy as np
import pytest

from crypt_env import CryptError, RecordError, crypt_v0, parse_action, random_game, to_record
from crypt_env.datasets import DecisionReader, reading, record_games
from crypt_env.notation.record import check_line
from golden.damage import damaged, sound

SAMPLE = Path(__file__).parents[1] / "golden" / "records" / "sample.jsonl.gz"


def written(path, *arguments, **named):
    """Write the records of some games to a file; return its path and the records."""
    lines = list(record_games(*arguments, **named))
    path.write_bytes(b"".join(lines))
    return path, [json.loads(line) for line in lines]


def joined(reader):
    """Return all decisions of a reader as whole arrays, by name."""
    parts = [part._asdict() for part in reader]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def players_of(found):
    """Return the game and the seat of each decision."""
    return list(zip(found["games"].tolist(), found["seats"].tolist(), strict=True))


def by_hand(record, reward, dense):
    """Return what `crypt_v0` shows and pays in the game of a record: for each decision, and what was paid for it."""
    env = crypt_v0.env(record["players"], record["collectors"], record["leader"], reward, dense)
    env.reset(seed=record["seed"])
    rows, last = [], {}
    for event in record["events"]:
        if event[0] != "act":
            continue
        agent = env.agent_selection
        if agent in last:
            last[agent][-1] = env.last()[1]
        seen = env.observe(agent)
        last[agent] = [seen["observation"], seen["action_mask"], parse_action(event[2]), event[1], 0.0]
        rows.append(last[agent])
        env.step(parse_action(event[2]))
    while env.agents:
        last.get(env.agent_selection, [0])[-1] = env.last()[1]
        env.step(None)
    return rows


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize(("reward", "dense"), [("win", False), ("margin", False), ("coins", True)])
def test_decisions_are_those_of_the_environment(players, reward, dense, tmp_path):
    """The environment deals the game of the seed with its own dice, which are those of the record."""
    path, records = written(tmp_path / "games.jsonl", "greedy", players=players, seed=4)
    found = joined(DecisionReader(path, reward, dense))
    rows = by_hand(records[0], reward, dense)
    assert len(rows) == len(found["actions"]) > 5
    for name, column in zip(("observations", "masks", "actions", "seats", "rewards"), range(5), strict=True):
        assert np.array_equal(found[name], np.array([row[column] for row in rows]).astype(found[name].dtype)), name
    for seat in range(players):
        rewards, returns = (found[name][found["seats"] == seat] for name in ("rewards", "returns"))
        assert np.allclose(returns, rewards[::-1].cumsum()[::-1])


def test_returns_are_discounted(tmp_path):
    path, _ = written(tmp_path / "games.jsonl", games=3)
    found = joined(DecisionReader(path, discount=0.5))
    mine = (found["seats"] == 1) & (found["games"] == 2)
    won = found["rewards"][mine][-1]
    assert abs(won) == 1
    assert found["returns"][mine].tolist() == [won * 0.5**ahead for ahead in reversed(range(mine.sum()))]


def test_all_games_of_an_independent_program_are_read():
    """Four numbers of players in one file; every return begins with what the record says."""
    reader = DecisionReader(SAMPLE, "coins")
    found = joined(reader)
    finished = [json.loads(line) for line in reading.open_lines(SAMPLE)]
    assert (reader.games, reader.unfinished) == (600, 0)
    for game, record in enumerate(finished):
        for seat in range(record["players"]):
            mine = found["returns"][(found["games"] == game) & (found["seats"] == seat)]
            assert not len(mine) or mine[0] == record["scores"][seat]


def test_parts_do_not_matter(tmp_path, monkeypatch):
    path, _ = written(tmp_path / "games.jsonl", players=3, games=20)
    whole = joined(DecisionReader([path, path]))
    monkeypatch.setattr(reading, "GAMES", 7)
    parts = joined(DecisionReader([path, path]))
    assert all(np.array_equal(whole[name], parts[name]) for name in whole)
    assert whole["games"][-1] == 39


def test_no_more_is_read_than_is_needed(tmp_path, monkeypatch):
    """Memory does not grow with the file: the lines behind the first part have not been looked at."""
    path, _ = written(tmp_path / "games.jsonl", games=8)
    path.write_bytes(path.read_bytes() + b"nonsense\n")
    monkeypatch.setattr(reading, "GAMES", 4)
    decisions = iter(DecisionReader(path))
    assert [next(decisions).games.max() for _ in range(2)] == [3, 7]
    with pytest.raises(RecordError, match=r"games.jsonl:9: not JSON"):
        next(decisions)


def test_a_seat_an_agent_and_winners_are_chosen(tmp_path):
    path, records = written(tmp_path / "games.jsonl", ["greedy", "random"], games=12, rotate=True)
    greedy, winning = joined(DecisionReader(path, agent="greedy")), joined(DecisionReader(path, winners=True))
    assert all(records[game]["agents"][seat] == "greedy" for game, seat in players_of(greedy))
    assert all(seat in records[game]["winners"] for game, seat in players_of(winning))
    assert set(winning["returns"]) == {1.0}
    assert set(joined(DecisionReader(path, seat=1))["seats"]) == {1}
    both = joined(DecisionReader(path, agent="greedy", seat=0))
    assert set(both["games"]) == {0, 2, 4, 6, 8, 10}
    whole = joined(DecisionReader(path))
    mine = [records[game]["agents"][seat] == "greedy" for game, seat in players_of(whole)]
    assert all(np.array_equal(whole[name][mine], greedy[name]) for name in whole)


def test_unfinished_games_are_left_out(tmp_path):
    path, records = written(tmp_path / "games.jsonl", games=2)
    cut = records[0] | {"events": records[0]["events"][:1], "scores": None, "winners": None}
    assert check_line(json.dumps(cut)) is None
    path.write_text("".join(json.dumps(record) + "\n" for record in (cut, records[1])))
    reader = DecisionReader(path)
    assert np.array_equal(joined(reader)["games"], np.zeros(reader.decisions))
    assert (reader.games, reader.unfinished) == (1, 1)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"reward": "gold"}, "reward='gold' is not known"),
        ({"discount": 2}, "discount=2 is not possible; a number from 0 to 1 is needed"),
        ({"discount": float("nan")}, "discount=nan is not possible"),
        ({"seat": 4}, "seat=4 is not possible; allowed are 0 to 3"),
        ({"seat": 3}, "no seat is chosen in any of 2 games"),
        ({"agent": "tuned"}, "agent='tuned' decides in none of 2 games; their agents: greedy"),
    ],
)
def test_bad_arguments(arguments, reason, tmp_path):
    path, _ = written(tmp_path / "games.jsonl", "greedy", games=2)
    with pytest.raises(CryptError, match=reason):
        list(DecisionReader(path, **arguments))


def test_a_single_game_is_counted_in_the_singular(tmp_path):
    path, _ = written(tmp_path / "games.jsonl", "greedy", games=1)
    with pytest.raises(CryptError, match=r"no seat is chosen in any of 1 game$"):
        list(DecisionReader(path, seat=3))


def test_records_without_names_have_no_agents(tmp_path):
    path, _ = written(tmp_path / "games.jsonl", games=2)
    with pytest.raises(CryptError, match="the records do not name their agents; 'crypt records AGENT' does"):
        list(DecisionReader(path, agent="random"))
    path.write_text("\n")
    with pytest.raises(CryptError, match=r"there is no finished game in .*games.jsonl"):
        list(DecisionReader(path))


@pytest.mark.parametrize("name", ["scores", "winners"])
def test_a_wrong_end_is_named(name, tmp_path):
    record = to_record(random_game(2))
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps(record) + "\n\n" + json.dumps(record | {name: [7, 7]}) + "\n")
    with pytest.raises(RecordError, match=rf"games.jsonl:3: {name}: .* expected, found \[7, 7\]"):
        list(DecisionReader(path))


@pytest.mark.parametrize("players", [1, 2, 3])
def test_damaged_records_are_refused_as_replay_refuses_them(players, tmp_path):
    rng, path, refused = random.Random(players), tmp_path / "games.jsonl", 0
    for _ in range(80):
        record = damaged(rng, sound(players))
        path.write_text(json.dumps(record) + "\n")
        reason = check_line(path.read_text())
        if reason is None:
            list(DecisionReader(path))
            continue
        refused += 1
        with pytest.raises(CryptError) as caught:
            list(DecisionReader(path))
        assert str(caught.value).endswith(reason) or "there is no finished game" in str(caught.value)
    assert refused > 40
