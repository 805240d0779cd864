"""The YAML that settings are written in: texts, numbers, true, false, null, and lists of them under names.

A file of settings may come from a stranger. What YAML can do beyond that is refused before it costs anything: aliases
(a few lines of them can stand for gigabytes), tags, names that stand twice, lists in lists in lists. Dates are texts.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from crypt_env.errors import CryptError, quoted

MAX_LENGTH = 2**16
"""Characters of a text."""
MAX_DEPTH = 3
"""How many lists and mappings may be inside each other."""
MAX_DIGITS = 30
"""Characters of a number."""

_PREFIX = "tag:yaml.org,2002:"
_DIGITS = "-+0123456789"


class _Loader(yaml.SafeLoader):
    """Reads plain values only."""

    yaml_implicit_resolvers: dict[str, Any] = {}


_Loader.add_implicit_resolver(f"{_PREFIX}bool", re.compile(r"(true|True|TRUE|false|False|FALSE)\Z"), list("tTfF"))
_Loader.add_implicit_resolver(f"{_PREFIX}null", re.compile(r"(~|null|Null|NULL|)\Z"), ["~", "n", "N", ""])
_Loader.add_implicit_resolver(f"{_PREFIX}int", re.compile(r"[-+]?[0-9][0-9_]*\Z"), list(_DIGITS))
_Loader.add_implicit_resolver(
    f"{_PREFIX}float",
    re.compile(
        r"([-+]?([0-9][0-9_]*(\.[0-9_]*)?|\.[0-9][0-9_]*)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))\Z"
    ),
    [*_DIGITS, "."],
)


def _number_text(node: yaml.ScalarNode) -> str:
    """Return how a number is written, as Python reads it."""
    if len(node.value) > MAX_DIGITS:
        raise ValueError(f"a number has {len(node.value)} digits; at most {MAX_DIGITS} are allowed")
    return str(node.value).replace("_", "").lower()


def _whole(_: _Loader, node: yaml.ScalarNode) -> int:
    """Return a whole number; a zero before it does not make it octal."""
    return int(_number_text(node))


def _number(_: _Loader, node: yaml.ScalarNode) -> float:
    """Return a number that is written with a point or an exponent."""
    return float(_number_text(node).replace(".inf", "inf").replace(".nan", "nan"))


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    """Return names and values; each name may stand there once."""
    names: set[Any] = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise ValueError("a list or mapping stands where a name is needed")
        if key.value in names:
            raise ValueError(f"{shorten(key.value)} is there twice")
        names.add(key.value)
    return loader.construct_mapping(node, deep=True)


_Loader.add_constructor(f"{_PREFIX}int", _whole)
_Loader.add_constructor(f"{_PREFIX}float", _number)
_Loader.add_constructor(f"{_PREFIX}map", _mapping)


def read_yaml(text: str, what: str) -> Any:
    """Return what a text says.

    Args:
        text: the YAML.
        what: begins the sentence of an error, such as "settings 'a.yaml' are".

    Raises:
        CryptError: it is no YAML, or YAML that settings have no use for.
    """
    try:
        _check_plain(text)
        return yaml.load(text, _Loader)
    except yaml.MarkedYAMLError as error:
        place = "" if error.problem_mark is None else f" in line {error.problem_mark.line + 1}"
        raise CryptError(f"{what} no YAML: {error.problem or error.context}{place}") from None
    except yaml.YAMLError as error:
        raise CryptError(f"{what} no YAML: {' '.join(str(error).split())}") from None
    except (ValueError, RecursionError) as error:
        raise CryptError(f"{what} refused: {error}") from None


def _check_plain(text: str) -> None:
    """Raise an error for what settings have no use for, without building anything."""
    if len(text) > MAX_LENGTH:
        raise ValueError(f"there are {len(text)} characters; at most {MAX_LENGTH} are allowed")
    depth = 0
    for event in yaml.parse(text, _Loader):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise ValueError("anchors and aliases (& and *) are not allowed; each value must be written out")
        tag = getattr(event, "tag", None)
        if tag is not None:
            raise ValueError(f"the tag {shorten(tag)} is not allowed, and no other")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise ValueError(f"at most {MAX_DEPTH} lists or mappings inside each other are allowed")


def shorten(value: object) -> str:
    """Return a value as an error shows it."""
    return quoted(value, 57)
