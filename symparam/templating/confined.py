"""Somebody else's program, run in a process of its own whose time and memory are bounded.

The process is a copy of this one, so that it has all that is known here, and it can hand back a
text and nothing else. The system ends it where it computes too long or takes too much, in whatever
single operation that may be. Where the system has no such processes, the work is done here.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
import warnings
from collections.abc import Callable
from typing import NoReturn

from symparam.errors import TemplateError

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

#: Processor time in seconds; memory beyond what this process has, and the longest text, in bytes.
SECONDS, MEMORY, LONGEST = 2, 256 * 2**20, 64 * 2**20
#: Seconds on the clock, where others compute as well or the process waits for something.
PATIENCE = 30.0

#: How an answer begins: a text, or an error as its template, line and problem; and how it ends.
_TEXT, _ERROR, _BETWEEN, _END = b"T", b"E", "\0", b"."


def confined(work: Callable[[], str], name: str) -> str:
    """The text that some work makes, in a process of its own.

    Args:
        work: what is done; it may raise TemplateError.
        name: of the template, for errors that the process cannot tell itself.

    Raises:
        TemplateError: as the work does, or it took too much time or memory.
    """
    if resource is None or not hasattr(os, "fork"):
        return work()
    answer, into = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, none of which it needs
        process = os.fork()
    if not process:
        _child(work, into)
    os.close(into)
    try:
        raw = _received(answer, name)
    except BaseException:
        os.kill(process, signal.SIGKILL)
        raise
    finally:
        os.close(answer)
        _, status = os.waitpid(process, 0)
    return _told(raw, status, name)


def _child(work: Callable[[], str], into: int) -> NoReturn:
    """All that the copy does; it never returns, and leaves this process's streams alone."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process answers, and ends this one
        _bound()
        try:
            raw = _TEXT + work().encode("utf-8", "surrogatepass")
        except TemplateError as error:
            parts = (error.template, str(error.line), error.problem)
            raw = _ERROR + _BETWEEN.join(parts).encode("utf-8", "surrogatepass")
        view = memoryview(raw + _END)
        while view:
            view = view[os.write(into, view[:2**16]):]
    finally:
        os._exit(1)  # without anything that would be done at an end


def _bound() -> None:
    """Let the system end this process where it takes too much."""
    kinds = {"RLIMIT_CPU": SECONDS, "RLIMIT_FSIZE": 0, "RLIMIT_CORE": 0}
    with contextlib.suppress(OSError, ValueError, IndexError):
        from symparam.files.reading import read_bytes

        pages = int(read_bytes("/proc/self/statm", "a number", 2**10).split()[0])
        kinds["RLIMIT_AS"] = pages * resource.getpagesize() + MEMORY
    for name, most in kinds.items():
        kind = getattr(resource, name, None)
        if kind is not None:
            hard = resource.getrlimit(kind)[1]
            bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (bound, bound))


def _received(answer: int, name: str) -> bytes:
    """What the process says until it is done."""
    parts, size, end = list[bytes](), 0, time.monotonic() + PATIENCE
    while size <= LONGEST:
        ready, _, _ = select.select([answer], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            raise TemplateError(name, 0, f"more than {PATIENCE:g} seconds")
        part = os.read(answer, 2**20)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
    raise TemplateError(name, 0, f"a text of more than {LONGEST // 2**20} MiB")


def _told(raw: bytes, status: int, name: str) -> str:
    whole = raw.endswith(_END)
    text = raw[1:-1].decode("utf-8", "surrogatepass") if whole else ""
    if whole and raw[:1] == _TEXT:
        return text
    if whole:
        template, line, problem = text.split(_BETWEEN, 2)
        raise TemplateError(template, int(line), problem)
    ended = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if ended in {signal.SIGXCPU, signal.SIGKILL}:
        raise TemplateError(name, 0, f"more than {SECONDS} seconds of computing")
    raise TemplateError(name, 0, "more memory than a template may take, or it cannot be run")
