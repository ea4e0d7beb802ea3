"""Streams of a process that text is written to: whole, or to nowhere."""

from __future__ import annotations

import contextlib
import io
import os
from typing import IO


def nowhere() -> IO[str]:
    """A stream that keeps nothing, in place of one that is closed or broken."""
    return open(os.devnull, "w")  # noqa: PTH123


def whole(stream: IO[str]) -> IO[str]:
    """A stream that writes all that it takes, or says that it cannot.

    One without a buffer (``python -u``) drops what a short write leaves; lines are still shown at
    once.
    """
    if isinstance(stream, io.TextIOWrapper) and isinstance(stream.buffer, io.RawIOBase):
        return open(stream.fileno(), "w", buffering=1, encoding=stream.encoding, closefd=False)
    return stream


def discard(stream: IO[str]) -> None:
    """Send what a stream has still to write nowhere: its reader is gone, or the disk is full."""
    with contextlib.suppress(OSError, ValueError), nowhere() as sink:
        os.dup2(sink.fileno(), stream.fileno())
