"""A trace in a process of its own, with limits of time and resident memory.

A small limit of address space would stop torch itself, so the parent watches what is resident.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import IO, Any

from symparam.dataclass import dataclass
from symparam.descriptions.architecture.traced_file import read_trace
from symparam.errors import SymparamError, the
from symparam.traced.records import Trace

#: Seconds between looks at the child, after an interruption, and past its own time limit.
LOOK, PATIENCE, GRACE = 0.2, 20.0, 30.0


class Stopped(SymparamError):
    """A trace that was stopped: by the person (``interrupted``), or by a limit; ``known`` is what
    had been found."""

    def __init__(self, why: str, known: Trace | None = None, interrupted: bool = False) -> None:
        super().__init__(why, known, interrupted)
        self.why, self.known, self.interrupted = why, known, interrupted

    def __str__(self) -> str:
        return self.why


@dataclass(frozen=True)
class Wanted:
    """What is to be traced, and within which limits.

    Attributes:
        target: as :func:`symparam.tracing.sources.targets.find_target` takes it.
        settings: values for its arguments and switches.
        hold: keys that are not moved.
        points, seed: as :func:`symparam.tracing.trace` takes them.
        seconds: after which nothing more is built.
        memory: bytes that the child may have resident.
        trust: whether code is run that a configuration names.
        configuration: what the target holds, where it is a configuration that was read already.
        costs: whether forward passes are made too.
    """

    target: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    hold: Collection[str] = ()
    points: int = 20
    seed: int = 0
    seconds: float = 300
    memory: int = 8 * 2**30
    trust: bool = False
    configuration: Mapping[str, Any] | None = None
    costs: bool = True

    def line(self, keys: bool) -> str:
        """The request as a line of JSON."""
        return json.dumps({"target": self.target, "settings": dict(self.settings),
                           "hold": list(self.hold), "points": self.points, "seed": self.seed,
                           "seconds": self.seconds, "trust": self.trust, "keys": keys,
                           "configuration": self.configuration, "costs": self.costs}) + "\n"


Report = Callable[[str, int, int], None]


def supervised(wanted: Wanted, report: Report | None = None) -> Trace:
    """The trace, found in a child process.

    Args:
        wanted: what is to be traced.
        report: called with a stage, the steps done and of how many.

    Raises:
        Stopped: by a KeyboardInterrupt or a limit. SymparamError: it cannot be traced.
    """
    answer = _asked(wanted, report, keys=False)
    return read_trace(wanted.target, answer["trace"], wanted.target)


def keys_of(wanted: Wanted) -> list[dict[str, Any]]:
    """What a target takes, without tracing it; as :func:`supervised`."""
    found: list[dict[str, Any]] = _asked(wanted, None, keys=True)["keys"]
    return found


def _asked(wanted: Wanted, report: Report | None, keys: bool) -> dict[str, Any]:
    with tempfile.TemporaryFile() as noise:
        process = subprocess.Popen(
            [sys.executable, "-m", "symparam.tracing.child"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=noise, start_new_session=True)
        child = _Child(process, wanted, report)
        try:
            child.ask(wanted.line(keys))
            return child.answer()
        except (BrokenPipeError, EOFError):
            raise Stopped(f"the trace ended without an answer (exit code {process.wait()})"
                          f"{_last_line(noise)}") from None
        finally:
            child.end()


def _last_line(noise: IO[bytes]) -> str:
    """The last line that the child wrote to stderr."""
    noise.seek(max(0, noise.seek(0, 2) - 2000))
    lines = noise.read().decode("utf-8", "replace").strip().splitlines()
    return f": {lines[-1].strip()[:160]}" if lines else ""


class _Child:
    """A child process and what it says, a line of JSON at a time."""

    def __init__(self, process: subprocess.Popen[bytes], wanted: Wanted,
                 report: Report | None) -> None:
        self.process, self.wanted, self.report = process, wanted, report
        self._rest = b""

    def ask(self, line: str) -> None:
        """Send the request; stdin stays open, so that the child knows that somebody is there."""
        requests = the(io.IOBase, self.process.stdin)
        requests.write(line.encode())
        requests.flush()

    def answer(self) -> dict[str, Any]:
        """What the child says in the end.

        Raises:
            Stopped: an error, a limit, or an interruption after something was found.
            KeyboardInterrupt: one before that. EOFError: it says nothing more.
        """
        try:
            found = self._listened(self.wanted.seconds + GRACE)
        except KeyboardInterrupt:
            found = self._interrupted()
        if "error" in found:
            raise Stopped(found["error"])
        if "interrupted" in found:
            if found["interrupted"] is None:
                raise KeyboardInterrupt(*filter(None, [found.get("first")]))
            raise Stopped("interrupted", read_trace(
                self.wanted.target, found["interrupted"], self.wanted.target), interrupted=True)
        return found

    def _interrupted(self) -> dict[str, Any]:
        """Ask the child for what it knows, and give it a while for that."""
        self.process.send_signal(signal.SIGINT)
        self.report = None
        try:
            return self._listened(PATIENCE)
        except (KeyboardInterrupt, EOFError, Stopped):
            return {"interrupted": None}

    def _listened(self, seconds: float) -> dict[str, Any]:
        """The first message that is no progress; limits are looked at in between."""
        limit = time.monotonic() + seconds
        while True:
            for message in self._messages():
                if "progress" not in message:
                    return message
                if self.report is not None:
                    self.report(*message["progress"])
            if time.monotonic() > limit:
                raise Stopped(f"one step took longer than the time that was given "
                              f"({self.wanted.seconds:g} s; --time)")
            if (used := resident(self.process.pid)) > self.wanted.memory:
                raise Stopped(f"{used / 2**30:.1f} GiB were resident, more than --memory allows")

    def _messages(self) -> Iterator[dict[str, Any]]:
        """What has come in within a moment."""
        answers = the(io.IOBase, self.process.stdout)
        if not select.select([answers], [], [], LOOK)[0]:
            return
        chunk = os.read(answers.fileno(), 2**16)
        if not chunk:
            raise EOFError
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        yield from map(json.loads, lines)

    def end(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


def resident(process: int) -> int:
    """Bytes that a process has resident; 0 where nobody says.

    >>> resident(os.getpid()) > 2**20
    True
    """
    try:
        pages = Path(f"/proc/{process}/statm").read_text("ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return _resident_by_ps(process)


def _resident_by_ps(process: int) -> int:
    """The same where there is no /proc."""
    try:
        found = subprocess.run(["ps", "-o", "rss=", "-p", str(process)], capture_output=True,
                               text=True, timeout=5, check=False)
        return 1024 * int(found.stdout.strip() or 0)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return 0
