"""A hub of one's own on loopback: the few calls that are made, every byte that it gives counted.

Its weights are no file: what a header says is there is made up as it is read, so that a checkpoint
of any size costs nothing until somebody fetches it. Routes and headers are those of a hub's
``resolve`` (huggingface_hub, file_download.py; "X-Error-Code" in utils/_http.py).
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
TOKEN = "hf_of_this_test"
#: Files that are mostly weights.
WEIGHTS = (".safetensors", ".gguf")


@dataclass
class File:
    """A file of a repository: what it begins with, and how many zeros follow."""

    start: bytes
    zeros: int = 0

    @property
    def size(self) -> int:
        """Bytes of it."""
        return len(self.start) + self.zeros

    def part(self, begin: int, end: int) -> bytes:
        """Some of its bytes."""
        return self.start[begin:end] + bytes(max(0, min(end, self.size) - max(
            begin, len(self.start))))


@dataclass
class Hub:
    """What a server has, how it behaves, and what it was asked for.

    Attributes:
        files: repository, revision and name to a file.
        gated, private: repositories that want a token.
        slow: seconds before each answer; drip: seconds before each byte of one.
        ranges: whether parts are given. status: what is answered whatever is asked.
        elsewhere: whether large files are redirected to another host.
        given: bytes of each file that were sent, by its name.
        asked: method, path and whether a token came with it.
        weights: bytes sent of what follows a header.
    """

    files: dict[tuple[str, str, str], File] = field(default_factory=dict)
    gated: set[str] = field(default_factory=set)
    slow: float = 0
    drip: float = 0
    ranges: bool = True
    status: int = 0
    elsewhere: bool = True
    given: dict[str, int] = field(default_factory=dict)
    asked: list[tuple[str, str, bool]] = field(default_factory=list)
    weights: int = 0
    address: str = ""

    def add(self, name: str, file: str, content: bytes | dict[str, Any], zeros: int = 0,
            revision: str = "main") -> None:
        """Put a file into a repository, under a revision and its commit."""
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        for each in (revision, commit_of(revision)):
            self.files[name, each, file] = File(raw, zeros)

    def weigh(self, name: str, file: str, tensors: Mapping[str, tuple[int, ...]],
              revision: str = "main") -> None:
        """Put a safetensors file with these shapes into a repository."""
        header, end = {}, 0
        for tensor, shape in tensors.items():
            size = 2
            for side in shape:
                size *= side
            header[tensor] = {"dtype": "BF16", "shape": list(shape),
                              "data_offsets": [end, end + size]}
            end += size
        raw = json.dumps(header).encode()
        self.add(name, file, len(raw).to_bytes(8, "little") + raw, end, revision)


def commit_of(revision: str) -> str:
    """A commit for each revision."""
    return COMMIT if revision == "main" else hashlib.sha1(revision.encode()).hexdigest()


class _Handler(BaseHTTPRequestHandler):
    hub: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Nothing is printed."""

    def do_HEAD(self) -> None:
        """The headers of a file."""
        self._answer(False)

    def do_GET(self) -> None:
        """A file, or a part of it."""
        self._answer(True)

    def _answer(self, body: bool) -> None:
        hub, path = self.hub, unquote(urlsplit(self.path).path)
        token = self.headers.get("Authorization") == f"Bearer {TOKEN}"
        hub.asked.append((self.command, path, "Authorization" in self.headers))
        time.sleep(hub.slow)
        if hub.status:
            return self._refuse(hub.status, "")
        rest = path.partition("/cdn/")[2]
        if rest:
            name, revision, file = rest.split("|")
            return self._send(name, revision, file, body)
        if path.startswith("/api/models/"):
            return self._listing(*path.removeprefix("/api/models/").split("/revision/"), token)
        name, _, rest = path.strip("/").partition("/resolve/")
        known = {key[0] for key in hub.files}
        if name not in known:
            return self._refuse(404 if token else 401, "RepoNotFound")
        if name in hub.gated and not token:
            return self._refuse(401, "GatedRepo")
        revision, file = next(((key[1], key[2]) for key in hub.files if key[0] == name
                               and rest == f"{key[1]}/{key[2]}"), ("", ""))
        if not file:
            there = any(rest.startswith(f"{key[1]}/") for key in hub.files if key[0] == name)
            return self._refuse(404, "EntryNotFound" if there else "RevisionNotFound",
                                rest.partition("/")[0])
        if file.endswith(WEIGHTS) and hub.elsewhere:
            return self._redirect(name, revision, file)
        return self._send(name, revision, file, body)

    def _listing(self, name: str, revision: str, token: bool) -> None:
        """The names of a repository's files, as the library asks for them."""
        files = [key[2] for key in self.hub.files if key[:2] == (name, revision)]
        if not files:
            return self._refuse(404 if token else 401, "RepoNotFound")
        raw = json.dumps({"id": name, "modelId": name, "sha": commit_of(revision), "tags": [],
                          "siblings": [{"rfilename": file} for file in files]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)
        return None

    def _redirect(self, name: str, revision: str, file: str) -> None:
        """To another host, as a store of large files is."""
        found = self.hub.files[name, revision, file]
        self.send_response(302)
        host = self.hub.address.replace("127.0.0.1", "localhost")
        for key, value in (("Location", f"{host}/cdn/{name}|{revision}|{file}"),
                           ("X-Linked-Size", found.size), ("X-Linked-Etag", '"large"'),
                           ("X-Repo-Commit", commit_of(revision)), ("Content-Length", 0)):
            self.send_header(key, str(value))
        self.end_headers()

    def _refuse(self, status: int, code: str, revision: str = "main") -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        if code:
            self.send_header("X-Error-Code", code)
            self.send_header("X-Error-Message", code)
        if code == "EntryNotFound":
            self.send_header("X-Repo-Commit", commit_of(revision))
        self.end_headers()

    def _send(self, name: str, revision: str, file: str, body: bool) -> None:
        """A file or a part of it, counted as it leaves."""
        found, hub = self.hub.files[name, revision, file], self.hub
        begin, end = 0, found.size
        part = self.headers.get("Range", "")
        if part and hub.ranges:
            first, _, last = part.removeprefix("bytes=").partition("-")
            begin, end = int(first), min(int(last) + 1, found.size)
            if begin >= found.size:
                return self._refuse(416, "")
        self.send_response(206 if part and hub.ranges else 200)
        self.send_header("ETag", f'"{hashlib.sha1(found.start).hexdigest()}"')
        self.send_header("X-Repo-Commit", commit_of(revision) if len(revision) != 40 else revision)
        self.send_header("Content-Length", str(end - begin))
        if part and hub.ranges:
            self.send_header("Content-Range", f"bytes {begin}-{end - 1}/{found.size}")
        self.end_headers()
        if not body:
            return None
        try:
            for at in range(begin, end, step := 1 if hub.drip else 2**16):
                time.sleep(hub.drip)
                raw = found.part(at, min(at + step, end))
                # counted before it leaves: who asked may look at once
                hub.given[file] = hub.given.get(file, 0) + len(raw)
                if file.endswith(WEIGHTS):
                    hub.weights += max(0, min(at + step, end) - max(at, len(found.start)))
                self.wfile.write(raw)
        except OSError:  # who asked has heard enough
            self.close_connection = True


@contextmanager
def serving() -> Iterator[Hub]:
    """A hub that answers on loopback while the block runs."""
    hub = Hub()
    handler = type("Handler", (_Handler,), {"hub": hub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    hub.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()


def main(program: str) -> int:
    """Count a model by its name with a program, a fresh cache and a server of its own."""
    with serving() as hub, tempfile.TemporaryDirectory() as home:
        hub.add("org/model", "config.json", {"model_type": "gpt2"})
        return subprocess.run([program, "count", "org/model"], env={
            **os.environ, "HF_ENDPOINT": hub.address, "HF_HOME": home, "HF_HUB_OFFLINE": "0",
            "NO_PROXY": "127.0.0.1"}).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
