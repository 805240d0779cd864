"""Damage: to bytes, to texts, to JSON, and unexpected values. All of it follows from the generator alone."""

from __future__ import annotations

import copy
import json
import math
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

DIGITS = 5000
"""More digits of an integer than Python reads or writes by default."""

NUMBERS: tuple[Any, ...] = (
    *(0, 1, -1, 2, 3, 4, 5, 7, 127, 128, 255, 256, -128, 1000, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32, 2**53 + 1),
    *(2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**31) - 1, -(2**63), -(2**63) - 1, 10**30, -(10**30), 10**400),
    *(0.0, -0.0, 0.5, 1.0, 2.5, -1.5, 1e-320, 1e16, 1e300, -1e300, math.nan, math.inf, -math.inf),
)
ODD_TEXTS = (
    *("", " ", "\t", "\n", "\r\n", "\x00", "\x1b[31m", "\x7f", "\x85", "\u2028", "\ufeff", "\u200b", "\u202e"),
    *("é", "e\u0301", "ß", "İ", "ı", "ſ", "ﬁ", "１", "²", "٣", "¹/₂", "𝟏", "Ａ", "А", "😀", "\ufffd", "\u0600"),
    *("\ud800", "\udfff"),
    *("null", "NaN", "Infinity", "true", "None", "[]", "{}", "random", "0x1", "1e999", "1_000", "+1", "-0", "01"),
    *("../../etc/passwd", "%s%n", "{0.__class__}", "'\"", "=", ":", "/", "\\", "|", "*", "&a", "!!python/none"),
)
HUGE_NUMBERS = ("9" * DIGITS, "-" + "9" * DIGITS, "1" + "0" * 400, "1e400", "0." + "3" * 400, "9" * 20, "-1", "99")


# -- values -----------------------------------------------------------------------------------------------------------


def odd_text(rng: Random) -> str:
    """Return a text that is easily misread, sometimes a long one."""
    if rng.random() < 0.1:
        return rng.choice(ODD_TEXTS) * rng.choice((2, 50, 5000))
    return "".join(rng.choice(ODD_TEXTS) for _ in range(rng.randint(1, 3)))


def odd_number(rng: Random) -> int | float:
    """Return a number at the edge of something, or one of thousands of digits."""
    if rng.random() < 0.05:
        return int(rng.choice((1, -1))) * 10**DIGITS
    return rng.choice(NUMBERS) if rng.random() < 0.7 else rng.randint(-9, 300)


def nested(rng: Random, depth: int) -> Any:
    """Return lists or dictionaries inside each other."""
    value: Any = rng.choice((0, "x", None))
    is_list = rng.random() < 0.5
    for _ in range(depth):
        value = [value] if is_list else {"a": value}
    return value


def odd_json(rng: Random) -> Any:
    """Return a value that JSON can hold, more or less."""
    kind = rng.random()
    if kind < 0.4:
        return odd_number(rng)
    if kind < 0.6:
        return odd_text(rng)
    if kind < 0.75:
        return rng.choice((None, True, False))
    if kind < 0.95:
        return copy.deepcopy(rng.choice(([], {}, [None], [0], [[]], {"": 0}, ["act"], {"a": []}, [1, "2", 3.0])))
    return nested(rng, rng.choice((3, 50, 300, 3000)))


def _odd_objects(rng: Random) -> tuple[Callable[[], Any], ...]:
    """Return factories of values that no file can hold, but a program can pass."""
    return (
        object,
        lambda: int,
        lambda: len,
        lambda: b"\xff\x00",
        lambda: bytearray(b"12"),
        lambda: (1, 2),
        lambda: (),
        lambda: {1, 2},
        lambda: range(rng.randint(0, 9)),
        lambda: iter([1, 2]),
        lambda: 1j,
        lambda: Decimal("1.5"),
        lambda: Fraction(1, 2),
        lambda: np.int8(rng.randint(-128, 127)),
        lambda: np.uint64(2**64 - 1),
        lambda: np.float32(math.nan),
        lambda: np.bool_(True),
        lambda: np.str_("2"),
        lambda: np.datetime64("2020-01-01"),
        lambda: np.arange(rng.randint(0, 5)),
        lambda: np.zeros((2, 3), np.int8),
        lambda: np.array(["a", None], object),
        lambda: np.array(rng.randint(-2, 200)),
        lambda: np.ma.masked,
        lambda: NotImplemented,
        lambda: ...,
    )


def odd_value(rng: Random) -> Any:
    """Return any value at all."""
    return rng.choice(_odd_objects(rng))() if rng.random() < 0.4 else odd_json(rng)


# -- bytes and texts --------------------------------------------------------------------------------------------------


def _span(rng: Random, length: int) -> tuple[int, int]:
    """Return the two ends of a part of something, mostly a small one."""
    start = rng.randint(0, length)
    size = rng.choice((0, 1, 1, 2, 4, 16, length))
    return start, min(length, start + rng.randint(0, size))


def damaged_bytes(rng: Random, data: bytes, others: Sequence[bytes] = (), most: int = 4) -> bytes:
    """Return bytes with some damage: bits, spans, ends, parts of other samples."""
    for _ in range(rng.randint(1, most)):
        data = _damage_bytes(rng, data, others)
    return data


def _damage_bytes(rng: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Return bytes with one damage."""
    way, (start, stop) = rng.random(), _span(rng, len(data))
    if way < 0.3 and data:
        place = rng.randrange(len(data))
        return data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :]
    if way < 0.45 and data:
        place = rng.randrange(len(data))
        return data[:place] + bytes([rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))]) + data[place + 1 :]
    if way < 0.55:
        return data[:start] + rng.randbytes(rng.choice((1, 2, 8))) + data[start:]
    if way < 0.65:
        return data[:start] + data[stop:]
    if way < 0.75:
        return data[:stop] + data[start:stop] * rng.choice((1, 1, 2, 20)) + data[stop:]
    if way < 0.85:
        return data[:start] if rng.random() < 0.8 else data[start:]
    if way < 0.93 and others:
        other = rng.choice(others)
        return data[:start] + other[rng.randint(0, len(other)) :]
    word = rng.choice((b"\xff" * 8, b"\x00" * 8, b"\xff\xff\xff\x7f", (2**40).to_bytes(8, "little"), b"9" * 40))
    return data[:start] + word + data[start + len(word) :]


_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_WORD = re.compile(r"[^\s=:,\"\[\]{}]+")


def damaged_text(rng: Random, text: str, others: Sequence[str] = (), most: int = 3) -> str:
    """Return a text with some damage: characters, words, numbers, spans, parts of other samples."""
    for _ in range(rng.randint(1, most)):
        text = _damage_text(rng, text, others)
    return text


def _damage_text(rng: Random, text: str, others: Sequence[str]) -> str:
    """Return a text with one damage."""
    way, (start, stop) = rng.random(), _span(rng, len(text))
    if way < 0.2:
        return _with_number(rng, text)
    if way < 0.35:
        return _with_word(rng, text, others)
    if way < 0.5 and text:
        letter = rng.choice(text) if rng.random() < 0.7 else odd_text(rng)
        return text[:start] + letter + text[start + 1 :]
    if way < 0.6:
        return text[:start] + odd_text(rng) + text[start:]
    if way < 0.7:
        return text[:start] + text[stop:]
    if way < 0.8:
        return text[:stop] + text[start:stop] * rng.choice((1, 1, 2, 20)) + text[stop:]
    if way < 0.9 or not others:
        return text[:start] if rng.random() < 0.8 else text[start:]
    other = rng.choice(others)
    return text[:start] + other[rng.randint(0, len(other)) :]


def _with_number(rng: Random, text: str) -> str:
    """Return a text with another number in the place of one of its numbers."""
    found = list(_NUMBER.finditer(text))
    if not found:
        return text + rng.choice(HUGE_NUMBERS)
    place = rng.choice(found)
    near = str(int(float(place[0])) + rng.choice((-1, 1))) if len(place[0]) < 15 else "0"
    number = rng.choice(HUGE_NUMBERS) if rng.random() < 0.3 else rng.choice((near, near, str(rng.randint(0, 12))))
    return text[: place.start()] + number + text[place.end() :]


def _with_word(rng: Random, text: str, others: Sequence[str]) -> str:
    """Return a text in which a word was dropped, doubled, or exchanged for another one or for one of another sample."""
    found = list(_WORD.finditer(text))
    if not found:
        return text
    place, other = rng.choice(found), rng.choice(found)
    word = other[0]
    if others and rng.random() < 0.5:
        words = _WORD.findall(rng.choice(others))
        word = rng.choice(words) if words else word
    new = rng.choice(("", f"{place[0]} {place[0]}", word, word))
    return text[: place.start()] + new + text[place.end() :]


# -- JSON -------------------------------------------------------------------------------------------------------------


def damaged_json(rng: Random, value: Any, others: Sequence[Any] = (), most: int = 3) -> Any:
    """Return a copy of what JSON holds, with some damage to its structure or its values."""
    value = copied(value)
    for _ in range(rng.randint(1, most)):
        try:
            value = _damage_json(rng, value, others)
        except (RecursionError, ValueError, OverflowError):  # nested too deep already, or a number is too large
            break
    return value


def copied(value: Any) -> Any:
    """Return a copy, or the value itself if it is nested too deep to be copied."""
    try:
        return copy.deepcopy(value)
    except RecursionError:
        return value


def _damage_json(rng: Random, value: Any, others: Sequence[Any]) -> Any:
    """Damage a value in place at one point of its structure; return it, or its replacement."""
    place = _parent(rng, value)
    if place is None:
        return odd_json(rng)
    parent, key = place
    way = rng.random()
    if way < 0.25:
        parent[key] = _near(rng, parent[key])
    elif way < 0.5:
        parent[key] = odd_json(rng)
    elif way < 0.6:
        del parent[key]
    elif way < 0.7:
        _double(rng, parent, key)
    elif way < 0.8:
        parent[key] = copied(parent[rng.choice(_keys(parent))])
    elif way < 0.9 and others:
        parent[key] = _part_of(rng, rng.choice(others), key)
    else:
        parent[key] = rng.choice(([parent[key]], {"a": parent[key]}, str(parent[key])[:99]))
    return value


def _keys(parent: Any) -> list[Any]:
    """Return where the values of a list or dictionary are."""
    return list(parent) if isinstance(parent, dict) else list(range(len(parent)))


def _parent(rng: Random, value: Any) -> tuple[Any, Any] | None:
    """Return a list or dictionary and the place of one of its values, somewhere in a structure."""
    place = None
    while isinstance(value, (list, dict)) and value:
        key = rng.choice(_keys(value))
        place = value, key
        value = value[key]
        if rng.random() < 0.3:
            break
    return place


def _near(rng: Random, value: Any) -> Any:
    """Return a value of the same type that is nearly right."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return rng.choice((value + 1, value - 1, -value, float(value), str(value), rng.randint(0, 9)))
    if isinstance(value, str):
        return damaged_text(rng, value, most=1)
    if isinstance(value, list):
        return rng.sample(value, len(value)) if rng.random() < 0.5 else value[: rng.randint(0, len(value))]
    return odd_json(rng)


def _double(rng: Random, parent: Any, key: Any) -> None:
    """Put a value there a second time, under another name or place."""
    if isinstance(parent, list):
        parent[key:key] = [copied(parent[key])] * rng.choice((1, 1, 3, 200))
    else:
        parent[odd_text(rng)] = copied(parent[key])


def _part_of(rng: Random, other: Any, key: Any) -> Any:
    """Return a part of another sample, from the same place if it has one there."""
    if isinstance(other, dict) and key in other:
        return copied(other[key])
    place = _parent(rng, other)
    return copied(other if place is None else place[0][place[1]])


def as_text(rng: Random, value: Any) -> str:
    """Return a value as JSON, sometimes with a duplicate name, blanks, or nesting too deep for any parser."""
    try:
        text = json.dumps(value, ensure_ascii=rng.random() < 0.9)
    except (RecursionError, ValueError, TypeError):  # nested too deep, thousands of digits, or not JSON at all
        text = rng.choice(("[" * 100_000, '{"a":' * 100_000, "9" * DIGITS, "-" + "9" * DIGITS))
    if rng.random() < 0.05 and text.startswith("{"):
        start = text.find(",")
        text = text[:start] + "," + text[1:start] + text[start:] if start > 0 else text
    return text
