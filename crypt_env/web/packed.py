"""One HTML file that holds the whole page: its modules, the engine, the artwork, and what it shows.

Such a file works from anywhere, without a server or a network connection.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import numpy as np

from crypt_env.agents.network_names import find_network
from crypt_env.errors import CryptError, quoted

FOLDER = Path(__file__).resolve().parent
NETWORKS = FOLDER.parent / "networks"
RESOURCES = ("engine.wasm", "engine.json", "art.json", "rules.html")
"""What every page needs besides its modules."""
REPLAY = "game.json"
"""The name of the file with the game that a page shows."""

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w.]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)


# -- modules ----------------------------------------------------------------------------------------------------------


def script(entry: str) -> str:
    """Return a module and all that it imports as one script without imports."""
    order: list[str] = []
    _collect(entry, order)
    return "\n".join(map(_wrapped, order))


def _collect(module: str, order: list[str]) -> None:
    if module not in order:
        for _, needed in _IMPORT.findall(_source(module)):
            _collect(needed, order)
        order.append(module)


@cache
def _source(module: str) -> str:
    return (FOLDER / module).read_text(encoding="utf-8")


def _wrapped(module: str) -> str:
    """Return a module as a function that is called at once and returns what the module exports."""
    text = _IMPORT.sub(
        lambda found: f"const {{{found[1].replace(' as ', ': ')}}} = {_variable(found[2])};\n", _source(module)
    )
    exported = ", ".join(_EXPORT.findall(text))
    return f"const {_variable(module)} = (() => {{\n{_EXPORT.sub('', text)}return {{ {exported} }};\n}})();"


def _variable(module: str) -> str:
    return "$" + re.sub(r"\W", "_", module)


# -- the file ---------------------------------------------------------------------------------------------------------


def page(files: Mapping[str, bytes]) -> str:
    """Return the page as one HTML file with further files in it, such as networks or the game that it shows."""
    resources = {name: (FOLDER / name).read_bytes() for name in RESOURCES} | dict(files)
    inner = [_block(name, _zipped(content)) for name, content in resources.items()]
    inner.append(_block("worker.js", _inside_script(script("worker.js"))))
    inner.append(f'<script type="module">\n{_inside_script(script("main.js"))}\n</script>')
    html = (FOLDER / "index.html").read_text(encoding="utf-8")
    style = f"<style>\n{(FOLDER / 'style.css').read_text(encoding='utf-8')}</style>"
    html = _replaced(html, '<link rel="stylesheet" href="style.css">', style)
    return _replaced(html, '<script type="module" src="main.js"></script>', "\n".join(inner))


def _replaced(html: str, old: str, new: str) -> str:
    """Return a page with one piece replaced, which must occur once."""
    if html.count(old) != 1:
        raise AssertionError(f"index.html does not have {old} once")
    return html.replace(old, new)


def _block(name: str, content: str) -> str:
    return f'<script type="text/plain" id="file:{name}">{content}</script>'


def _zipped(content: bytes) -> str:
    """Return bytes as text; the same bytes always give the same text."""
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()


def _inside_script(text: str) -> str:
    return text.replace("</script", "<\\/script")


def replay_page(content: Mapping[str, object]) -> str:
    """Return a page that shows one game; see `crypt_env.web.replays` for its content."""
    return page({REPLAY: json.dumps(content, separators=(",", ":")).encode()})


def game_page(networks: Iterable[str]) -> str:
    """Return a page on which one plays, with networks among the opponents. Their weights are rounded to 16 bits.

    Raises:
        CryptError: there is no such network, or the names are not in a list.
    """
    if isinstance(networks, str):  # it would be read as a list of letters
        raise CryptError(f"networks={quoted(networks)} is not possible; allowed is a list of names, such as ['duel']")
    return page({f"networks/{name}.safetensors": small_network(name) for name in networks})


def small_network(name: str) -> bytes:
    """Return the file of a network that comes with the package, with weights of 16 bits.

    Raises:
        CryptError: there is no such network.
    """
    from safetensors import safe_open
    from safetensors.numpy import save

    with safe_open(find_network(name), framework="numpy") as file:
        tensors = {key: file.get_tensor(key).astype(np.float16) for key in file.keys()}  # noqa: SIM118
        return bytes(save(tensors, file.metadata()))
