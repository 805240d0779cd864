"""Sets of the 64 tables that are balanced: orthogonal ones, to train or to play at some and not at others.

The tables are all ways to choose a side of six Collectors, a factorial with two levels. A set is orthogonal of strength
k if every k Collectors show each combination of their sides equally often. So a learner sees everything that k
Collectors do together, and no more. If it plays badly at the other tables, it cannot combine what it has learned.

A table is a number: bit 0 is the side of Idol, then Jewelry, Manuscript, Pottery, Remains and Tapestry; 0 is side A.
"""

from __future__ import annotations

from itertools import product

from crypt_env.errors import CryptError
from crypt_env.rules.cards import KINDS
from crypt_env.rules.deal import TABLES

STRENGTHS = {8: 2, 16: 3, 32: 5, TABLES: KINDS}
"""The strength of the orthogonal set of each size."""
EVEN = {"even": TABLES, "even-32": 32, "even-16": 16, "even-8": 8}
"""Choices of tables that are all played equally often, and how many tables each has."""


def orthogonal_tables(count: int) -> tuple[int, ...]:
    """Return the orthogonal set of 8, 16, 32 or all 64 tables, in increasing order.

    With the letters A to F for the sides of the six Collectors, and products as in the theory of designs:

    ====== ======================= ==========================================
    tables generators              balanced
    ====== ======================= ==========================================
    8      D = AB, E = AC, F = BC  every two Collectors
    16     E = ABC, F = BCD        every three
    32     F = ABCDE               every five: tables with an even number of B
    64     none                    all six
    ====== ======================= ==========================================
    """
    if count not in STRENGTHS:
        raise CryptError(f"there is no orthogonal set of {count} tables; there are sets of 8, 16, 32 and 64")
    free = count.bit_length() - 1
    tables = (_completed(sides) for sides in product((0, 1), repeat=free))
    return tuple(sorted(sum(side << kind for kind, side in enumerate(table)) for table in tables))


def even_tables(collectors: str) -> tuple[int, ...]:
    """Return the tables that a choice such as "even-8" goes through, none if it is not one of `EVEN`."""
    return orthogonal_tables(EVEN[collectors]) if collectors in EVEN else ()


def table_text(table: int) -> str:
    """Return a table as six letters, such as "AABBAB"."""
    return "".join("AB"[table >> kind & 1] for kind in range(KINDS))


def _completed(sides: tuple[int, ...]) -> tuple[int, ...]:
    """Return all six sides of a table whose first ones are free and whose others follow from them."""
    if len(sides) == 3:
        a, b, c = sides
        return (a, b, c, a ^ b, a ^ c, b ^ c)
    if len(sides) == 4:
        a, b, c, d = sides
        return (a, b, c, d, a ^ b ^ c, b ^ c ^ d)
    if len(sides) == 5:
        return (*sides, sum(sides) % 2)
    return sides
