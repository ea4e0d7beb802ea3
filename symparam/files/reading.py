"""Reading what a name from outside leads to: a regular file of a bounded size, without waiting.

A pipe would wait for its writer, a device may have no end, and a file may be larger than memory.
All that is read passes through here: a path is looked at before and after it is opened, and no
more is read than the reader says that it can use.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import IO

from symparam.errors import FileError, is_address

#: What standard input is called in messages.
STDIN = "standard input"

_KINDS = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe, which has no size"),
          (stat.S_ISSOCK, "a socket"), (stat.S_ISCHR, "a device"), (stat.S_ISBLK, "a device"))

#: Neither wait for another process, nor take over a terminal, nor hand the file to a child.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(
    os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


_noted: ContextVar[set[object] | None] = ContextVar("what was read", default=None)


@contextmanager
def noting() -> Iterator[None]:
    """Keep in mind which files are read meanwhile, so that none of them is written over."""
    before = _noted.set(set())
    try:
        yield
    finally:
        _noted.reset(before)


def note(file: str | Path | int) -> None:
    """Keep in mind that a file is read, which need not be there: by its path, or its handle."""
    noted = _noted.get()
    if noted is not None:
        with suppress(OSError, ValueError):
            noted.add(itself(file))


def was_read(path: Path) -> bool:
    """Whether a file is one that was read since :func:`noting` began, by whatever name."""
    noted = _noted.get()
    try:
        return noted is not None and itself(path) in noted
    except (OSError, ValueError):  # the writing says what is wrong
        return False


def itself(file: str | Path | int) -> object:
    """What all names of a file have in common: spellings, links and hard links.

    Raises:
        OSError, ValueError: there can be no file of that name.
    """
    try:
        state = os.stat(file)  # noqa: PTH116
    except FileNotFoundError:
        state = None
    if state is not None and state.st_ino:
        return state.st_dev, state.st_ino
    return file if isinstance(file, int) else led_to(Path(file))


class Bounded:
    """An open file of which no more than a limit can be read, all reads together.

    Attributes:
        where: the path, for messages.
        size: bytes of the file.
    """

    def __init__(self, file: IO[bytes], where: str, what: str, limit: int) -> None:
        self.where, self.size = where, os.fstat(file.fileno()).st_size
        self._file, self._what, self._limit, self._left = file, what, limit, limit

    def read(self, count: int) -> bytes:
        """So many bytes from where the file stands, fewer at its end.

        Raises:
            FileError: that would be more than the limit, or it cannot be read.
        """
        if count > self._left and self.size - self._file.tell() > self._left:
            raise too_large(self.where, self._what, self._limit)
        try:
            found = self._file.read(min(max(count, 0), self._left + 1))
        except (OSError, OverflowError, MemoryError) as error:
            raise _unreadable(self.where, error) from None
        if found is None:
            raise FileError(self.where, "cannot be read: it has nothing to give now")
        self._left -= len(found)
        if self._left < 0:  # one whose size is not told, as in /proc
            raise too_large(self.where, self._what, self._limit)
        return found

    def seek(self, position: int) -> None:
        """Go to a position, counted from the start of the file."""
        self._file.seek(position)

    def tell(self) -> int:
        """The position."""
        return self._file.tell()


@contextmanager
def opened(path: str | Path, what: str, limit: int) -> Iterator[Bounded]:
    """A regular file, opened to read a bounded part of it; its own size may be larger.

    Args:
        path: the file; links are followed.
        what: what it should be, for the message where more would be read: ``a description``.
        limit: how many bytes may be read, all reads together.

    Raises:
        FileError: it is not there, is no regular file, or may not be read.
    """
    where = str(path)
    try:
        _refuse_others(where, os.stat(path))  # noqa: PTH116
        handle = os.open(path, _FLAGS)
    except (OSError, ValueError) as error:
        raise _unreadable(where, error) from None
    with os.fdopen(handle, "rb") as file:
        _refuse_others(where, os.fstat(handle))  # what was looked at may have been exchanged
        note(path)
        yield Bounded(file, where, what, limit)


def led_to(path: Path) -> Path:
    """The file itself, in full, wherever links lead.

    Raises:
        OSError: they lead in a circle, or the folder that a path starts from is gone.
    """
    try:
        return path.resolve()
    except RuntimeError:  # what Python says of a circle until 3.12
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path)) from None


def read_bytes(path: str | Path, what: str, limit: int) -> bytes:
    """All bytes of a regular file.

    Args:
        path: the file.
        what: what it should be, for the message where it is too large.
        limit: bytes that it may have.

    Raises:
        FileError: it is not there, is no regular file, is larger, or may not be read.
    """
    with opened(path, what, limit) as file:
        if file.size > limit:
            raise too_large(file.where, what, limit)
        return file.read(limit + 1)


def read_text(path: str | Path, what: str, limit: int) -> str:
    """The text of a regular file in UTF-8, without a mark of the byte order.

    Raises:
        FileError: as :func:`read_bytes`; or it is no such text.
    """
    return decoded(read_bytes(path, what, limit), str(path))


def decoded(raw: bytes, where: str) -> str:
    """Bytes in UTF-8 as a text, without a mark of the byte order.

    Raises:
        FileError: they are none.
    """
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(where, f"not a text in UTF-8 (byte {error.start + 1})") from None


_heard: tuple[object, bytes] | None = None


def read_stdin(what: str, limit: int) -> bytes:
    """All that standard input gives until its end; the same again when it is asked for again.

    Args:
        what: what it should be, for the message where it is too large.
        limit: bytes that it may have.

    Raises:
        FileError: there is none, it is larger, or it cannot be read.
    """
    global _heard
    if _heard is None or _heard[0] is not sys.stdin:
        if sys.stdin is None:
            raise FileError(STDIN, "is closed")
        with suppress(OSError, ValueError, AttributeError):  # a text may stand in for it
            note(sys.stdin.fileno())
        _heard = sys.stdin, _until_end(what, limit)
    if len(_heard[1]) > limit:
        raise too_large(STDIN, what, limit)
    return _heard[1]


def _until_end(what: str, limit: int) -> bytes:
    stream = getattr(sys.stdin, "buffer", None)
    try:
        raw = sys.stdin.read(limit + 1).encode() if stream is None else stream.read(limit + 1)
    except (OSError, ValueError) as error:
        raise _unreadable(STDIN, error) from None
    if len(raw) > limit:
        raise too_large(STDIN, what, limit)
    return bytes(raw)


def too_large(where: str, what: str, limit: int) -> FileError:
    """The error of a file with more bytes than can be used.

    >>> str(too_large("x.toml", "a description", 4 * 2**20))
    'x.toml: larger than 4 MiB: not a description'
    """
    size = f"{limit // 2**20} MiB" if limit >= 2**20 else f"{limit // 2**10} KiB"
    return FileError(where, f"larger than {size}: not {what}")


def _refuse_others(where: str, state: os.stat_result) -> None:
    if not stat.S_ISREG(state.st_mode):
        kind = next((word for test, word in _KINDS if test(state.st_mode)), "no plain file")
        raise FileError(where, f"is {kind}; a plain file is expected")


def _unreadable(where: str, error: Exception) -> FileError:
    if isinstance(error, FileNotFoundError) and is_address(where):
        return FileError(where, "is an address, and nothing is fetched but models of a hub by "
                         "their names (org/name): give the path of a file")
    reason = getattr(error, "strerror", None) or (
        "not a path" if isinstance(error, ValueError) else "it cannot be held")
    return FileError(where, f"cannot be read: {reason}")
