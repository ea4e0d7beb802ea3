"""A process for each target, with limits of CPU time and of memory.

Libraries are imported once, by a parent that each of these processes is forked from.
"""

from __future__ import annotations

import json
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from symparam.tracing.supervised import resident

#: Bytes that a process may have resident, and seconds between looks.
MEMORY, LOOK = 6 * 2**30, .2
#: A process that waits is ended after so many times its CPU seconds.
WAITING = 40.0

Line = dict[str, Any]


@dataclass
class _Running:
    name: str
    process: int
    path: str
    began: float = field(default_factory=time.monotonic)

    def line(self, status: int) -> Line:
        """What a process wrote before it ended, or how it ended."""
        with open(self.path, encoding="utf-8") as file:  # noqa: PTH123
            text = file.read()
        os.unlink(self.path)  # noqa: PTH108
        if text:
            found: Line = json.loads(text)
            return found
        signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        return {"failed": f"ended by signal {signal}" if signal else
                f"ended with {os.waitstatus_to_exitcode(status)}"}


def each_apart(names: Iterable[str], measured: Callable[[str], Line],
               limit: Callable[[str], float], processes: int = 1) -> Iterator[tuple[str, Line]]:
    """What is measured of each name, in the order in which it is through.

    Args:
        names: what is measured, some of them at a time.
        measured: makes a line, in a process of its own.
        limit: seconds of CPU that a name may take.
        processes: how many at a time.
    """
    waiting, running = iter(names), list[_Running]()
    while True:
        while len(running) < processes and (name := next(waiting, None)) is not None:
            running.append(_begun(name, measured, limit(name)))
        if not running:
            return
        time.sleep(LOOK)
        for each in list(running):
            done, status = os.waitpid(each.process, os.WNOHANG)
            why = "" if done else _too_much(each, limit(each.name))
            if why:
                os.kill(each.process, 9)
                _, status = os.waitpid(each.process, 0)
            if done or why:
                running.remove(each)
                line = each.line(status)
                yield each.name, {"failed": why} if why and "failed" in line else line


def _begun(name: str, measured: Callable[[str], Line], limit: float) -> _Running:
    handle, path = tempfile.mkstemp(suffix=".json")
    process = os.fork()
    if process:
        os.close(handle)
        return _Running(name, process, path)
    code = 1
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 5))
        line = measured(name)
        line["mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        os.write(handle, json.dumps(line).encode())
        code = 0
    finally:
        os._exit(code)


def _too_much(each: _Running, limit: float) -> str:
    used = resident(each.process)
    if used > MEMORY:
        return f"{used / 2**30:.1f} GiB resident"
    if time.monotonic() - each.began > WAITING * limit:
        return f"waited for more than {WAITING * limit:.0f} s"
    return ""
