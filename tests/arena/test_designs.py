"""The training tables are balanced."""

from itertools import combinations, product

import pytest

from crypt_env import CryptError
from crypt_env.arena.designs import STRENGTHS
from crypt_env.benchmark import TASKS, orthogonal_tables, table_text


def counts(tables, kinds):
    """Return how often each combination of sides of some Collectors is among tables."""
    seen = [tuple(table >> kind & 1 for kind in kinds) for table in tables]
    return [seen.count(sides) for sides in product((0, 1), repeat=len(kinds))]


@pytest.mark.parametrize(("count", "strength"), [(8, 2), (16, 3), (32, 5), (64, 6)])
def test_every_pair_triple_or_five_of_sides_is_there_equally_often(count, strength):
    tables = orthogonal_tables(count)
    assert len(set(tables)) == count
    for kinds in combinations(range(6), strength):
        assert set(counts(tables, kinds)) == {count // 2**strength}
    assert STRENGTHS[count] == strength


@pytest.mark.parametrize(("count", "strength"), [(8, 3), (16, 4), (32, 6)])
def test_no_set_is_balanced_any_further(count, strength):
    tables = orthogonal_tables(count)
    assert any(len(set(counts(tables, kinds))) > 1 for kinds in combinations(range(6), strength))


def test_generators():
    for table in orthogonal_tables(8):
        a, b, c, d, e, f = (table >> kind & 1 for kind in range(6))
        assert (d, e, f) == (a ^ b, a ^ c, b ^ c)
    for table in orthogonal_tables(16):
        a, b, c, d, e, f = (table >> kind & 1 for kind in range(6))
        assert (e, f) == (a ^ b ^ c, b ^ c ^ d)
    assert all(table_text(table).count("B") % 2 == 0 for table in orthogonal_tables(32))


def test_no_other_size():
    with pytest.raises(CryptError, match="no orthogonal set of 12 tables"):
        orthogonal_tables(12)


def test_texts_are_those_of_the_engine():
    from crypt_env import Game

    assert all(Game(collectors=table_text(table), seed=1).collectors == table_text(table) for table in range(64))
    assert table_text(0b000010) == "ABAAAA"


def test_tasks_split_the_tables():
    for task in TASKS.values():
        assert sorted((*task.tables, *task.unseen)) == list(range(64))
        assert task.generalizes == (not task.name.endswith("-64"))
