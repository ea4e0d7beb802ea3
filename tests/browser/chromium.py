"""Headless Chromium, spoken to over its pipe: what a page asks for, says, and looks like."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

#: The browser's names on different systems.
NAMES = ("chromium", "chromium-browser", "google-chrome")
#: How long the browser may take over one command, or to end, in seconds.
PATIENCE = 60
#: So many pictures at most are taken of a part until two in a row are alike.
PICTURES = 8

#: Of a picture: how many colours, the share of pixels that are not the commonest one, the share of
#: columns with such, and the commonest one.
#: (Not by Image.decode: in a tab that is behind another it may never end.)
LOOKS = """(async () => {
  const bytes = Uint8Array.from(atob("%s"), c => c.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], {type: "image/png"}));
  const [width, height] = [image.width, image.height];
  const drawing = new OffscreenCanvas(width, height).getContext("2d");
  drawing.drawImage(image, 0, 0);
  const pixels = new Uint32Array(drawing.getImageData(0, 0, width, height).data.buffer);
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) || 0) + 1);
  const [paper, most] = [...counts].reduce((a, b) => b[1] > a[1] ? b : a);
  const inked = new Set();
  pixels.forEach((pixel, i) => { if (pixel !== paper) inked.add(i %% width); });
  return [counts.size, 1 - most / pixels.length, inked.size / width, paper];
})()"""


def browser() -> str | None:
    """The path of the browser, if there is one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@dataclass
class Seen:
    """What a page did and what it looked like.

    Attributes:
        requests: addresses other than its own that it asked for.
        messages: errors and warnings on its console, and what was blocked.
        overflow: by how many pixels its content is wider than the window.
        colours: how many different colours the picture has.
        ink: the share of its pixels that are not the paper's colour.
        columns: the share of its columns that have ink.
        paper: the commonest colour, as a number.
        png: the picture.
    """

    requests: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    overflow: int = 0
    colours: int = 0
    ink: float = 0.0
    columns: float = 0.0
    paper: int = 0
    png: bytes = b""


class Chromium:
    """One browser with a tab, for a ``with`` statement."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __enter__(self) -> Chromium:
        self._folder = tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True)
        pipes = (*os.pipe(), *os.pipe())
        there_in, self._out, self._in, there_out = (
            fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in pipes)
        for end in pipes:  # (3 and 4 are what the browser expects its own ends to be)
            os.close(end)
        options = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                   "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
                   "--disable-background-networking", "--disable-component-update",
                   "--remote-debugging-pipe", f"--user-data-dir={self._folder.name}")
        line = f'exec "$0" "$@" 3<&{there_in} 4>&{there_out}'
        self._process = subprocess.Popen(
            ["bash", "-c", line, self.path, *options, "about:blank"], stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, pass_fds=(there_in, there_out))
        os.close(there_in)
        os.close(there_out)
        self._rest, self._number, self._session = b"", 0, ""
        self._events: list[dict[str, Any]] = []
        self._blank, self._session = self._tab(), self._tab()
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.ask(f"{domain}.enable")
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 trace: TracebackType | None) -> None:
        os.close(self._out)
        os.close(self._in)
        self._process.terminate()
        self._process.wait(PATIENCE)
        self._folder.cleanup()

    def _tab(self) -> str:
        """A new tab's session."""
        self._session = ""
        tab = self.ask("Target.createTarget", url="about:blank")["targetId"]
        return str(self.ask("Target.attachToTarget", targetId=tab, flatten=True)["sessionId"])

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """A command's answer; events that come before it are kept."""
        self._number += 1
        sent: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            sent["sessionId"] = self._session
        os.write(self._out, json.dumps(sent).encode() + b"\0")
        until = time.monotonic() + PATIENCE
        while (message := self._read(until, method)).get("id") != self._number:
            self._events.append(message)
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']}")
        return dict(message["result"])

    def _read(self, until: float, awaited: str) -> dict[str, Any]:
        while b"\0" not in self._rest:
            if not select.select([self._in], [], [], max(0.0, until - time.monotonic()))[0]:
                raise TimeoutError(f"{awaited}: nothing came in {PATIENCE} s")
            more = os.read(self._in, 1 << 16)
            if not more:
                raise RuntimeError("the browser is gone")
            self._rest += more
        message, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(message))

    def wait_for(self, method: str) -> None:
        """Until an event has come."""
        until = time.monotonic() + PATIENCE
        while not any(event.get("method") == method for event in self._events):
            self._events.append(self._read(until, method))

    def value(self, script: str) -> Any:
        """What a script says of the page."""
        found = self.ask("Runtime.evaluate", expression=script, returnByValue=True,
                         awaitPromise=True)
        return found["result"].get("value")

    def show(self, page: Path | str, width: int, height: int = 900, scheme: str = "light",
             picture: bool = False) -> Seen:
        """Open a page, a file or an address, in a window; with ``picture``, look at all of it."""
        address = page if isinstance(page, str) else page.resolve().as_uri()
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}])
        self._events.clear()
        self.ask("Page.navigate", url=address)
        self.wait_for("Page.loadEventFired")
        seen = Seen()
        seen.overflow = self.value("document.documentElement.scrollWidth - window.innerWidth")
        if picture:
            self._see(seen, self._shot())
        for event in self._events:
            self._note(event.get("method", ""), event.get("params", {}), address, seen)
        return seen

    def part(self, left: float, top: float, width: float, height: float) -> Seen:
        """A part of the page that is open, looked at when it is drawn: two pictures are alike."""
        seen, before = Seen(), ""
        clip = {"x": left, "y": top, "width": width, "height": height, "scale": 1}
        for _ in range(PICTURES):
            if before == (before := self._shot(clip=clip)):
                break
        self._see(seen, before)
        return seen

    def _shot(self, **how: Any) -> str:
        """A picture of the page, as it stands now."""
        return str(self.ask("Page.captureScreenshot", captureBeyondViewport=True, **how)["data"])

    def _see(self, seen: Seen, shot: str) -> None:
        tab, self._session = self._session, self._blank  # where a script may see pictures
        seen.png = base64.b64decode(shot)
        seen.colours, seen.ink, seen.columns, seen.paper = self.value(LOOKS % shot)
        self._session = tab

    @staticmethod
    def _note(method: str, params: dict[str, Any], address: str, seen: Seen) -> None:
        if method == "Network.requestWillBeSent":
            url = params["request"]["url"]
            if url != address:
                seen.requests.append(url)
        elif method == "Log.entryAdded":
            seen.messages.append(params["entry"]["text"])
        elif method in {"Runtime.consoleAPICalled", "Runtime.exceptionThrown"}:
            seen.messages.append(json.dumps(params)[:300])
