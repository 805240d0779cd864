"""The files of the page: they fit into one, and the server hands out no others."""

from __future__ import annotations

import http.client
import re
import shutil
import subprocess
from urllib.parse import urlsplit

import pytest

from crypt_env import CryptError
from crypt_env.web import packed
from crypt_env.web.packed import FOLDER, game_page, page, script, small_network
from crypt_env.web.server import PageServer

LARGEST = 1_500_000
NETWORKS = ("solo", "duel", "trio", "quartet", "generalist")


def test_a_script_has_no_imports_left(tmp_path):
    for entry in ("main.js", "worker.js"):
        text = script(entry)
        assert not re.search(r"^(import|export) ", text, re.MULTILINE)
        if shutil.which("node"):
            file = tmp_path / entry.replace(".js", ".mjs")
            file.write_text(text)
            subprocess.run(["node", "--check", file], check=True)


def test_every_module_is_used():
    whole = script("main.js") + script("worker.js")
    for module in FOLDER.glob("*.js"):
        assert f"const ${re.sub(r'[^a-z]', '_', module.name)} = " in whole, module.name


def test_a_page_is_the_same_every_time():
    assert page({"a": b"1"}) == page({"a": b"1"})
    assert page({"a": b"1"}) != page({"a": b"2"})


def test_a_page_loads_nothing_from_elsewhere():
    text = game_page(["duel"])
    addresses = set(re.findall(r"https?://[\w./-]+", text)) - {"http://www.w3.org/2000/svg"}
    assert addresses == set()
    assert not re.search(r'(src|href)="(?!#|data:)', text)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_small_network_is_half_as_large(name):
    assert len(small_network(name)) < 0.56 * (packed.NETWORKS / f"{name}.safetensors").stat().st_size


def test_the_rooms_add_little_to_the_wheel():
    """In a wheel they are compressed as well."""
    rooms = (FOLDER, FOLDER.parent / "drawing")
    assert sum(file.stat().st_size for room in rooms for file in room.iterdir() if file.is_file()) < LARGEST


# -- the server -------------------------------------------------------------------------------------------------------


def get(address, path, **headers):
    """Ask the server for a path; return the answer and its content."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=10)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer, content


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html"),
        ("/index.html", "text/html"),
        ("/?x=1", "text/html"),
        ("/engine.wasm", "application/wasm"),
        ("/main.js", "text/javascript"),
        ("/style.css", "text/css"),
        ("/engine.json", "application/json"),
        ("/networks/duel.safetensors", "application/octet-stream"),
    ],
)
def test_files_have_their_types(address, path, kind):
    answer, content = get(address, path)
    assert answer.status == 200
    assert answer.getheader("Content-Type").startswith(kind)
    assert "default-src 'self'" in answer.getheader("Content-Security-Policy")
    assert content


@pytest.mark.parametrize(
    "path",
    ["/nothing", "/server.py", "/__init__.py", "/networks/", "/networks", "/../pyproject.toml", "/networks/../game.py"]
    + [
        "//etc/passwd",
        "/%2e%2e/game.py",
        "/networks/..%2fgame.py",
        "/..\\game.py",
        "/engine.wasm/",
        "/package.json/..",
    ],
)
def test_nothing_else_is_handed_out(address, path):
    answer, content = get(address, path)
    assert answer.status == 404
    assert content == b"There is no such file.\n"


def test_other_sites_cannot_lead_here(address):
    answer, _ = get(address, "/", Host="example.org")
    assert answer.status == 403
    port = urlsplit(address).port
    assert get(address, "/", Host=f"localhost:{port}")[0].status == 200


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_an_address_at_port_80_has_no_port(address, host):
    assert get(address, "/", Host=host)[0].status == 200


@pytest.mark.parametrize("port", [-1, 65536, 99999, "80", 80.0, None, True])
def test_what_is_not_a_port_is_refused(port):
    with pytest.raises(CryptError, match=f"^port {port!r} is not possible; a number from 0 to 65535 is needed$"):
        PageServer(port)
