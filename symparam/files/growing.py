"""A file that grows for longer than a process may live, in a folder of its own beside it.

Beside ``out.csv`` is ``.out.csv.sweep/``, which nobody else may write in: what grows, and notes of
how far it is. A folder that belongs to another user or that others may write in, a link and a plain
file of that name are refused, and nothing in them is touched.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import IO

from symparam.errors import FileError, OutputError
from symparam.files.reading import read_bytes
from symparam.files.writing import is_ours, put_in_place, uninterrupted

ENDING = ".sweep"
_OPEN = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(
    os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
#: The files that may be in it.
ROWS, JOURNAL, NOTE, DONE, LOCK = NAMES = ("rows", "journal", "journal.new", "done", "lock")
#: A note of how far it is has some hundred bytes.
MAX_NOTE = 2**20


class Growing:
    """The folder of a file that grows; held by one process at a time.

    Args:
        path: the file that is to be.

    Raises:
        OutputError: what stands at the folder's name is not ours, or another process has it.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.folder = path, path.with_name(f".{path.name}{ENDING}")
        with contextlib.suppress(FileExistsError):
            self.folder.mkdir(mode=0o700)
        state = self.folder.lstat()
        if not stat.S_ISDIR(state.st_mode) or not is_ours(state):
            raise OutputError(f"{self.folder} is not what a sweep leaves: remove it, or name "
                              "another file")
        self._lock = self.open(LOCK)
        self._hold()

    def _hold(self) -> None:
        """Let no other process write the same file, where the system has such locks."""
        try:
            import fcntl
        except ImportError:  # Windows: two at once are the user's own doing
            return
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            here = (self.folder / LOCK).lstat().st_ino == os.fstat(self._lock.fileno()).st_ino
        except (BlockingIOError, FileNotFoundError):
            here = False
        if not here:  # it is held, or was given up between the two
            self._lock.close()
            raise OutputError(f"{self.path} is being written by another process")

    def open(self, name: str) -> IO[bytes]:
        """A file in the folder, to read and to write, made where there is none.

        Raises:
            OutputError: it is a link, no plain file, has a second name, or is another user's.
        """
        path = self.folder / name
        try:
            handle = os.open(path, _OPEN, 0o666)
        except OSError:
            if path.is_symlink():
                raise self._strange(name) from None
            raise
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode) or state.st_nlink != 1 or not is_ours(
                path.parent.lstat()):
            os.close(handle)
            raise self._strange(name)
        return os.fdopen(handle, "r+b")

    def _strange(self, name: str) -> OutputError:
        return OutputError(f"{self.folder / name} is not what a sweep leaves: remove "
                           f"{self.folder}, or name another file")

    def _remove(self, name: str) -> None:
        """Take away a file of the folder, if it is there.

        Raises:
            OutputError: it is a folder.
        """
        path = self.folder / name
        if path.is_dir() and not path.is_symlink():
            raise self._strange(name)
        path.unlink(missing_ok=True)

    def emptied(self, name: str) -> IO[bytes]:
        """A new file in the folder; one that was there loses this name and stays as it is."""
        self._remove(name)
        return self.open(name)

    def alone(self, name: str) -> bool:
        """Whether there is a file of that name, a plain one that has no other name."""
        try:
            state = (self.folder / name).lstat()
        except FileNotFoundError:
            return False
        return stat.S_ISREG(state.st_mode) and state.st_nlink == 1

    def noted(self) -> bytes | None:
        """The last note; None where there is none.

        Raises:
            OutputError: it cannot be read.
        """
        if not os.path.lexists(self.folder / JOURNAL):
            return None
        try:
            return read_bytes(self.folder / JOURNAL, "a note of a sweep", MAX_NOTE)
        except FileError as error:
            if (self.folder / JOURNAL).is_dir():
                raise self._strange(JOURNAL) from None
            raise OutputError(f"{error}; --force begins anew") from None

    def note(self, content: bytes) -> None:
        """Replace the note, whole."""
        with self.emptied(NOTE) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        (self.folder / NOTE).replace(self.folder / JOURNAL)

    def forget(self) -> None:
        """Take away the note."""
        self._remove(JOURNAL)

    def finish(self, name: str, force: bool) -> None:
        """Give a file of the folder the name that it is to have; the folder is gone then."""
        with uninterrupted():
            put_in_place(self.folder / name, self.path, force)
            self.give_up()

    def give_up(self) -> None:
        """Take the folder away with all that this made in it; what else is there stays."""
        for name in NAMES:
            with contextlib.suppress(OSError):
                (self.folder / name).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.folder.rmdir()

    def close(self) -> None:
        """Let another process have it."""
        self._lock.close()
