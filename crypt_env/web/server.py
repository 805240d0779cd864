"""A small server for the page, on this machine alone."""

from __future__ import annotations

import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from crypt_env.errors import CryptError, quoted
from crypt_env.table import is_whole

from .packed import FOLDER, NETWORKS

HOST = "127.0.0.1"
MOST_PORT = 65535
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".wasm": "application/wasm",
    ".safetensors": "application/octet-stream",
}
"""The types of the page's files; no others are served."""
_POLICY = (
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)


def file_of(address: str) -> tuple[bytes, str] | None:
    """Return the content and the type of the file at an address of the page; None if there is none."""
    path = address.split("?")[0].removeprefix("/") or "index.html"
    folder = FOLDER
    if path.startswith("networks/"):
        folder, path = NETWORKS, path.removeprefix("networks/")
    file = folder / path
    # Files of the two folders themselves, by their plain names: nothing else can be asked for.
    if path not in {each.name for each in folder.iterdir()} or file.suffix not in TYPES:
        return None
    return file.read_bytes(), TYPES[file.suffix]


class _Handler(BaseHTTPRequestHandler):
    """Serves the files of the page."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer with a file."""
        if not self._is_for_us():
            return self._answer(HTTPStatus.FORBIDDEN, b"This server is for this machine alone.\n", "text/plain")
        found = file_of(self.path)
        if found is None:
            return self._answer(HTTPStatus.NOT_FOUND, b"There is no such file.\n", "text/plain")
        return self._answer(HTTPStatus.OK, *found)

    do_HEAD = do_GET  # noqa: N815

    def _is_for_us(self) -> bool:
        host = (self.headers.get("Host") or "").partition(":")[0]  # browsers leave out the port 80
        return host in (HOST, "localhost")

    def _answer(self, status: HTTPStatus, content: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Content-Security-Policy", _POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-cache")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:
        """Log nothing."""


class PageServer(ThreadingHTTPServer):
    """Serves the page at `address` until it is shut down."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore a browser that has closed the connection."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]

    def __init__(self, port: int = 0) -> None:
        """Listen on a port of this machine; 0 is any that is free.

        Raises:
            CryptError: the port cannot be used.
        """
        if not is_whole(port) or not 0 <= port <= MOST_PORT:
            raise CryptError(f"port {quoted(port)} is not possible; a number from 0 to {MOST_PORT} is needed")
        try:
            super().__init__((HOST, port), _Handler)
        except OSError as error:
            reason = error.strerror or error
            raise CryptError(f"port {port} cannot be used: {reason}; another one is needed, or 0 for any") from error

    @property
    def address(self) -> str:
        """Where a browser finds the page."""
        return f"http://{HOST}:{self.server_port}/"
