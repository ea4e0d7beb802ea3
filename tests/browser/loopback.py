"""A server of a folder on this machine that compresses, and counts what it sends."""

from __future__ import annotations

import gzip
import mimetypes
import threading
from collections.abc import Callable
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType

#: What the system may not know.
TYPES = {".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm"}


@cache
def _compressed(path: Path, _when: int) -> bytes:
    """A file as it goes over the wire, at what servers compress by default."""
    return gzip.compress(path.read_bytes(), 6, mtime=0)


class _Quiet(ThreadingHTTPServer):
    """Tests read what is written to stderr: nothing of ours goes there."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A worker that is cancelled closes its connections, whatever they were doing."""


class Loopback:
    """The server, for a ``with`` statement.

    Attributes:
        sent: the bytes of each answer's body, by the file that was asked for, in order.
        changed: what is done to a file before it is sent, by its name.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sent: list[tuple[str, int]] = []
        self.changed: dict[str, Callable[[bytes], bytes]] = {}

    def __enter__(self) -> Loopback:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                outer._answer(self)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = _Quiet(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def bytes_sent(self) -> int:
        """All of them."""
        return sum(size for _, size in self.sent)

    def _answer(self, request: BaseHTTPRequestHandler) -> None:
        path = self.folder / (request.path.partition("?")[0].strip("/") or "index.html")
        if not path.is_file():
            self.sent.append((path.name, 0))
            request.send_error(404)
            return
        if path.name in self.changed:
            body = gzip.compress(self.changed[path.name](path.read_bytes()))
        else:
            body = _compressed(path, path.stat().st_mtime_ns)
        self.sent.append((path.name, len(body)))
        request.send_response(200)
        kind = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0]
        request.send_header("Content-Type", kind or "application/octet-stream")
        request.send_header("Content-Encoding", "gzip")
        request.send_header("Content-Length", str(len(body)))
        request.send_header("Cache-Control", "no-store")
        request.end_headers()
        request.wfile.write(body)
