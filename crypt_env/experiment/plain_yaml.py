"""The YAML that settings are written in: texts, numbers, true, false, null, and lists of them under names.

A file of settings may come from a stranger. Everything else in YAML is refused before it costs anything: aliases (a
few lines of them can stand for gigabytes), tags, duplicate names, deeply nested lists. Dates are texts.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from crypt_env.errors import CryptError, quoted

MAX_LENGTH = 2**16
"""Characters of a text."""
MAX_DEPTH = 3
"""How deep lists and mappings may be nested."""
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


def _number_text(node: yaml.Node) -> str:
    """Return the text of a number, as Python reads it; a leading zero does not make it octal."""
    if len(node.value) > MAX_DIGITS:
        raise ValueError(f"a number has {len(node.value)} digits; at most {MAX_DIGITS} are allowed")
    return str(node.value).replace("_", "").lower().replace(".inf", "inf").replace(".nan", "nan")


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    """Return names and values; each name may occur once."""
    names: set[Any] = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise ValueError("a list or mapping stands where a name is needed")
        if key.value in names:
            raise ValueError(f"{quoted(key.value)} is there twice")
        names.add(key.value)
    return loader.construct_mapping(node, deep=True)


_Loader.add_constructor(f"{_PREFIX}int", lambda _, node: int(_number_text(node)))
_Loader.add_constructor(f"{_PREFIX}float", lambda _, node: float(_number_text(node)))
_Loader.add_constructor(f"{_PREFIX}map", _mapping)


def read_yaml(text: str, what: str) -> Any:
    """Parse a text.

    Args:
        text: the YAML.
        what: the start of an error message, such as "settings 'a.yaml' are".

    Raises:
        CryptError: it is not YAML, or YAML that is not allowed in settings.
    """
    try:
        _check_plain(text)
        return yaml.load(text, _Loader)
    except yaml.MarkedYAMLError as error:
        place = "" if error.problem_mark is None else f" in line {error.problem_mark.line + 1}"
        raise CryptError(f"{what} not YAML: {error.problem or error.context}{place}") from None
    except yaml.YAMLError as error:
        raise CryptError(f"{what} not YAML: {' '.join(str(error).split())}") from None
    except (ValueError, RecursionError) as error:
        raise CryptError(f"{what} refused: {error}") from None


def _check_plain(text: str) -> None:
    """Raise an error for YAML that is not allowed in settings, without building anything."""
    if len(text) > MAX_LENGTH:
        raise ValueError(f"there are {len(text)} characters; at most {MAX_LENGTH} are allowed")
    depth = 0
    for event in yaml.parse(text, _Loader):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise ValueError("anchors and aliases (& and *) are not allowed; each value must be written out")
        tag = getattr(event, "tag", None)
        if tag is not None:
            raise ValueError(f"the tag {quoted(tag)} is not allowed, nor is any other")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise ValueError(f"at most {MAX_DEPTH} nested lists or mappings are allowed")
