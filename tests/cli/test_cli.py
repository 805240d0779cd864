"""The command line, run as a user runs it, and its errors when it is used incorrectly."""

import gzip
import json
import subprocess
import sys
from importlib.metadata import version

import pytest

from cli.processes import crypt, environment
from crypt_env import Batch, random_game, replay, to_record
from crypt_env.cli.main import main
from crypt_env.rules.actions import ACTIONS
from crypt_env.rules.observe import FEATURES
from crypt_env.rules.state import GAME


def lines_of(capsys, *arguments):
    """Run a command in this process; return its exit code and lines."""
    code = main([str(argument) for argument in arguments])
    return code, capsys.readouterr().out.splitlines()


@pytest.fixture
def sample(tmp_path):
    """A file with four records, one for each number of players."""
    path = tmp_path / "games.jsonl"
    records = [to_record(random_game(players, seed=3), with_legal=True) for players in (1, 2, 3, 4)]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def broken(line):
    """Return a record with a wrong score."""
    record = json.loads(line)
    record["scores"][0] += 1
    return json.dumps(record)


# -- records ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_records_are_the_games_of_a_batch_with_that_seed(players, capsys):
    code, lines = lines_of(capsys, "records", "--players", players, "--games", 3, "--seed", 5)
    assert code == 0
    batch = Batch(3, players, seed=5, restarts=False)
    batch.reset()
    while not (batch.states["mover"] < 0).all():
        batch.step_random()
    for row, line in enumerate(lines):
        record = json.loads(line)
        assert record["players"] == players
        assert record["scores"] == batch.states["scores"][row][:players].tolist()
        assert record["collectors"] == "".join("AB"[side] for side in batch.states["sides"][row])
        assert replay(record).is_over
        assert all(len(event) == 3 for event in record["events"] if event[0] == "act")
    assert len(lines) == 3


def test_records_with_legal_lists_on_a_given_table(capsys):
    code, lines = lines_of(capsys, "records", "--collectors", "ABABAB", "--legal", "--seed", 2**64 - 1)
    (record,) = map(json.loads, lines)
    assert code == 0
    assert (record["players"], record["collectors"], record["seed"]) == (2, "ABABAB", 2**64 - 1)
    assert all(event[2] in event[3] for event in record["events"] if event[0] == "act")
    assert replay(record).is_over


def test_records_lead_back_into_replay():
    for players in (1, 2, 3, 4):
        done = crypt("records", "--players", players, "--games", 2, "--legal")
        assert (done.returncode, done.stderr) == (0, "")
        again = crypt("replay", "-", text=done.stdout)
        assert (again.returncode, again.stdout) == (0, "2 records, 0 differences\n")


BAD_OPTIONS = [
    (
        ["records", "--players", "5"],
        "crypt records: players=5 is not possible; allowed are 1 (against the Ghost), 2, 3 and 4",
    ),
    (["records", "--players", "two"], "argument --players: invalid int value: 'two'"),
    (["records", "--games", "0"], "argument --games: '0' is not possible; a whole number from 1 up is needed"),
    (["records", "--games", "-3"], "argument --games: '-3' is not possible; a whole number from 1 up is needed"),
    (["records", "--games", "1.5"], "argument --games: '1.5' is not possible; a whole number from 1 up is needed"),
    (["records", "--seed", "-1"], "crypt records: seed=-1 is not possible; allowed are integers from 0 to 2**64 - 1"),
    (["records", "--seed", str(2**64)], f"seed={2**64} is not possible"),
    (
        ["records", "--collectors", "AAC"],
        "crypt records: collectors='AAC' is not a table; allowed are six letters",
    ),
    (["records", "--colour", "red"], "unrecognized arguments: --colour"),
    (["replay"], "the following arguments are required: FILE"),
    (["bench", "--games", "0"], "argument --games: '0' is not possible"),
    (["bench", "--seconds", "x"], "argument --seconds: 'x' is not possible; a number above 0"),
    (["bench", "--repeats", "0"], "argument --repeats: '0' is not possible"),
    (["records", "--out", ""], "argument --out: the name of a file or folder is needed, not an empty text"),
    (["arena", "--out", ""], "argument --out: the name of a file or folder is needed"),
    (["arena", "--json", ""], "argument --json: the name of a file or folder is needed"),
    (["watch", "random", "--save", ""], "argument --save: the name of a file or folder is needed"),
    (["replay", ""], "argument FILE: the name of a file or folder is needed"),
    (["dance"], "invalid choice: 'dance' (choose from"),
    ([], "the following arguments are required: COMMAND"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD_OPTIONS, ids=[" ".join(case[0]) for case in BAD_OPTIONS])
def test_bad_options_exit_2_with_a_sentence(arguments, words, capsys):
    try:
        code = main(arguments)
    except SystemExit as stop:
        code = stop.code
    output = capsys.readouterr()
    assert code == 2
    assert output.out == ""
    assert words in output.err
    assert "Traceback" not in output.err


def test_a_bad_option_in_a_process_of_its_own():
    done = crypt("records", "--players", "5")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.strip().startswith("crypt records: players=5 is not possible; allowed are ")
    assert "Traceback" not in done.stderr


# -- replay -----------------------------------------------------------------------------------------------------------


def test_replay_of_sound_records(sample, capsys):
    assert lines_of(capsys, "replay", sample) == (0, ["4 records, 0 differences"])


def test_replay_of_several_files_packed_and_plain(sample, tmp_path, capsys):
    packed = tmp_path / "games.jsonl.gz"
    packed.write_bytes(gzip.compress(sample.read_bytes()))
    assert lines_of(capsys, "replay", packed) == (0, ["4 records, 0 differences"])
    assert lines_of(capsys, "replay", sample, packed, sample) == (0, ["12 records, 0 differences"])


def test_replay_names_file_line_and_first_difference(sample, capsys):
    lines = sample.read_text().splitlines()
    lines[1] = broken(lines[1])
    lines[3] = lines[3][:200]
    sample.write_text("\n\n".join(lines) + "\n\n")  # empty lines are not records, but they count as lines
    code, output = lines_of(capsys, "replay", sample)
    assert code == 1
    assert len(output) == 3
    assert output[0].startswith(f"{sample}:3: scores: [")
    assert output[1].startswith(f"{sample}:7: not JSON (")
    assert output[2] == "4 records, 2 differences"


def test_replay_of_standard_input(sample):
    done = crypt("replay", "-", text=sample.read_text())
    assert (done.returncode, done.stdout, done.stderr) == (0, "4 records, 0 differences\n", "")
    wrong = crypt("replay", "-", text=broken(sample.read_text().splitlines()[2]))
    assert wrong.returncode == 1
    assert wrong.stdout.startswith("-:1: scores: [")
    assert wrong.stdout.endswith("\n1 record, 1 difference\n")


def test_replay_of_an_empty_file(tmp_path, capsys):
    (tmp_path / "empty").write_text("\n \n")
    assert main(["replay", str(tmp_path / "empty")]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err == f"crypt replay: {tmp_path / 'empty'}: there is no record in it\n"


def unreadable(tmp_path, sample):
    """Yield files that cannot be read, and words of the error."""
    whole = gzip.compress(sample.read_bytes())
    files = {
        "cut.gz": whole[: len(whole) // 2],
        "damaged.gz": whole[:500] + bytes(200) + whole[700:],
        "plain.gz": sample.read_bytes(),
        "binary": b"\xff\xfe\x00\x80",
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
        yield tmp_path / name
    yield tmp_path
    yield tmp_path / "missing.jsonl"
    yield tmp_path / "missing.jsonl.gz"


def test_replay_of_files_that_cannot_be_read_exits_2_with_a_sentence(tmp_path, sample, capsys):
    failures = []
    for path in unreadable(tmp_path, sample):
        try:
            code = main(["replay", str(path)])
        except Exception as error:
            failures.append(f"{path.name}: {error!r}")
            continue
        output = capsys.readouterr().err
        if code != 2 or not output.startswith("crypt replay: ") or output.count("\n") != 1:
            failures.append(f"{path.name}: exit {code}, {output!r}")
    assert not failures, "\n".join(failures)


def test_replay_of_a_missing_file_names_it(tmp_path):
    done = crypt("replay", tmp_path / "missing.jsonl")
    assert done.returncode == 2
    assert done.stdout == ""
    assert str(tmp_path / "missing.jsonl") in done.stderr
    assert "Traceback" not in done.stderr


def test_replay_of_json_that_cannot_be_read_continues_with_the_next_line(sample, capsys):
    path = sample.with_name("deep.jsonl")
    path.write_text("[" * 100_000 + "\n" + "9" * 5000 + "\n" + sample.read_text())
    code, lines = lines_of(capsys, "replay", path)
    assert code == 1
    assert lines[-1] == "6 records, 2 differences"


# -- bench ------------------------------------------------------------------------------------------------------------


def is_rate(value):
    """Return whether a value is a number of decisions a second."""
    return isinstance(value, float) and value > 0


def test_bench_as_json(capsys):
    code, lines = lines_of(
        capsys, "bench", "--json", "--no-start", "--seconds", "0.05", "--games", "64", "--repeats", 2
    )
    report = json.loads("\n".join(lines))
    assert code == 0
    assert set(report) == {"games", "decisions_per_second", "start_seconds", "bytes_per_game", "machine"}
    assert report["games"] == 64
    assert report["start_seconds"] is None
    assert report["bytes_per_game"] == {"record": GAME.itemsize, "observation": FEATURES, "mask": ACTIONS}
    assert {"python", "numba", "numpy", "cores"} <= set(report["machine"])
    assert len(report["decisions_per_second"]) >= 3
    for name, by_players in report["decisions_per_second"].items():
        assert name
        assert set(by_players) == {"1", "2", "3", "4"}
        assert all(map(is_rate, by_players.values()))


def test_bench_as_a_table(capsys):
    code, lines = lines_of(capsys, "bench", "--no-start", "--seconds", "0.05", "--games", "8", "--repeats", "1")
    assert code == 0
    assert "8 games a call" in lines[0]
    assert "| written | solo | 2 players | 3 players | 4 players |" in lines
    assert any(line.startswith("Bytes a game: record ") for line in lines)


# -- everything else --------------------------------------------------------------------------------------------------


def test_version():
    done = crypt("--version")
    assert (done.returncode, done.stdout.strip()) == (0, f"crypt-env {version('crypt-env')}")


@pytest.mark.parametrize("arguments", [["--help"], ["records", "--help"], ["replay", "--help"], ["bench", "--help"]])
def test_help(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    output = capsys.readouterr().out
    assert stop.value.code == 0
    assert output.startswith("usage: crypt")
    if len(arguments) == 1:
        assert all(command in output for command in ("records", "replay", "bench"))


def test_a_reader_that_goes_away_leaves_no_traceback():
    command = [sys.executable, "-m", "crypt_env", "records", "--games", "200"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, env=environment()) as process:
        first = process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read()
        code = process.wait()
    assert json.loads(first)["players"] == 2
    assert errors == b""
    assert code == 0
