"""Writing files whole or not at all, whatever stands at their names and whenever the process ends.

What is written goes into a new file of a random name in the same folder, and that takes the name
when it is complete. Nothing that stands there is opened for writing, so that no link can lead
elsewhere; where nothing may be replaced, a file that appears meanwhile is kept.
"""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from typing import Any

from symparam.dataclass import dataclass
from symparam.errors import FileError, OutputError, as_typed
from symparam.files.reading import itself, led_to, read_bytes, was_read

#: A new file, never one that is there, never through a link.
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(
    os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


_only_read = ContextVar("only read", default=False)


@contextlib.contextmanager
def only_read() -> Iterator[None]:
    """Refuse to write any file meanwhile, whoever asks for it."""
    before = _only_read.set(True)
    try:
        yield
    finally:
        _only_read.reset(before)


def may_be_written(path: Path, force: bool) -> None:
    """Refuse a file that exists and is not to be replaced, what is read, and what is no file.

    Raises:
        OutputError: it exists already, as a file or as a link to whatever; it is one that was read
            (:func:`~symparam.files.reading.noting`); or files are only read now
            (:func:`only_read`).
    """
    if _only_read.get():
        raise OutputError(f"{path} would be written, where files are only read")
    if path.exists() and not path.is_file():
        raise OutputError(f"{path} is {'a folder' if path.is_dir() else 'no plain file'}")
    if was_read(path):
        raise OutputError(f"{path} is what is read: name another file for the answer")
    if not force and os.path.lexists(path):
        raise OutputError(f"{path} exists; --force replaces it")


def may_all_be_written(paths: Iterable[Path], force: bool) -> None:
    """Refuse files of which one may not be written (:func:`may_be_written`), or two are one.

    Raises:
        OutputError: the first that is refused.
    """
    found: dict[object, Path] = {}
    for path in paths:
        with _refusals_of(path):
            may_be_written(path, force)
            file = itself(path)
        if file in found:
            both = "is two outputs" if found[file] == path else f"and {found[file]} are one file"
            raise OutputError(f"{path} {both}: name two files")
        found[file] = path


def write_files(files: Sequence[tuple[Path, bytes]], force: bool) -> None:
    """Write files, all of them whole or none at all.

    Args:
        files: their paths, and what is to stand in them.
        force: replace those that exist; a link of the user's own stays one, and a mode and owner.

    Raises:
        OutputError: one exists already, or cannot be written; or two of them are one.
    """
    may_all_be_written((path for path, _ in files), force)
    made: list[tuple[Path, Path]] = []
    with uninterrupted():
        try:
            for path, content in files:
                with _refusals_of(path):
                    target = _led_to(path)
                    mode = 0o600 if target.exists() else 0o666  # it may be a private one
                    made.append((temporary_beside(target, mode), target))
                    _fill(made[-1][0], content)
            for new, target in made:
                with _refusals_of(target):
                    put_in_place(new, target, force)
        finally:
            for new, _ in made:
                new.unlink(missing_ok=True)


@dataclass(frozen=True)
class Exchange:
    """A file that was read, and the bytes that are to stand in it.

    Attributes:
        path: its name, which may be a link.
        old: what was read.
        new: what it is to hold.
    """

    path: Path
    old: bytes
    new: bytes

    @cached_property
    def target(self) -> Path:
        """The file itself."""
        return led_to(self.path)

    def prepared(self) -> Path:
        """A complete file beside it that can take its place.

        Raises:
            OutputError: it cannot be written, or is no longer what was read.
        """
        with _refusals_of(self.path):
            if not os.access(self.target, os.W_OK):
                raise OutputError(f"{self.path} may not be written")
            try:
                now = read_bytes(self.target, "what was read", len(self.old))
            except FileError:
                now = None
            if now != self.old:
                raise OutputError(f"{self.path} has changed while it was built; nothing is written")
            state = self.target.stat()
            if state.st_nlink > 1:
                raise OutputError(f"{self.path} has a second name (a hard link), which would keep "
                                  "what it holds now: copy the file, or make a symbolic link")
            temporary = temporary_beside(self.target, 0o600)
            try:
                _fill(temporary, self.new)
                _as_another(temporary, state)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
            return temporary


def exchange(files: Sequence[Exchange]) -> None:
    """Put other bytes in files that were read, in all of them or in none; mode, owner and a link
    to a file stay.

    Raises:
        OutputError: one cannot be written, or is no longer what was read.
    """
    made: list[tuple[Path, Exchange]] = []
    done: list[Exchange] = []
    with uninterrupted():
        try:
            for each in files:
                made.append((each.prepared(), each))
            for temporary, each in made:
                with _refusals_of(each.path):
                    temporary.replace(each.target)
                done.append(each)
        except OutputError:
            for each in done:  # those before it get back what they held
                back = Exchange(each.path, each.new, each.old)
                back.prepared().replace(back.target)
            raise
        finally:
            for temporary, _ in made:
                temporary.unlink(missing_ok=True)


def temporary_beside(target: Path, mode: int = 0o666) -> Path:
    """A new empty file of a random name in the folder of another one."""
    import secrets

    path = target.with_name(f".{target.name[:40]}.{secrets.token_hex(8)}")
    os.close(os.open(path, NEW, mode))
    return path


def put_in_place(new: Path, target: Path, force: bool) -> None:
    """Give a complete file its name, with mode and owner of the one that it replaces; where nothing
    may be replaced, only if the name is free.

    Raises:
        OutputError: there is one of that name now. OSError: it cannot have it.
    """
    if force:
        with contextlib.suppress(FileNotFoundError):
            _as_another(new, target.stat())
        new.replace(target)
        return
    try:
        os.link(new, target)
    except FileExistsError:
        raise OutputError(f"{target} exists; --force replaces it") from None
    except OSError:  # a file system without second names: it is looked at, then renamed
        may_be_written(target, force)
        new.rename(target)
    else:
        new.unlink()


def _as_another(new: Path, state: os.stat_result) -> None:
    """Give a file the mode of another one, and the owner where that is permitted."""
    with contextlib.suppress(OSError, AttributeError):
        os.chown(new, state.st_uid, state.st_gid)
    new.chmod(state.st_mode & 0o7777)


def is_ours(state: os.stat_result) -> bool:
    """Whether something belongs to who runs this, and nobody else may write in it."""
    owner = getattr(os, "geteuid", lambda: state.st_uid)()
    return state.st_uid == owner and (stat.S_ISLNK(state.st_mode) or os.name != "posix"
                                      or not state.st_mode & 0o022)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait until files stand where they belong; a second one does not wait."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    waiting: list[tuple[Any, ...]] = []

    def note(*signalled: Any) -> None:
        waiting.append(signalled)
        if len(waiting) > 1:
            before(*signalled)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if waiting:
        before(*waiting[0])


def _led_to(path: Path) -> Path:
    """The file itself, where a name is a link; the link has to be the user's own."""
    if not path.is_symlink():
        return path
    if not is_ours(path.lstat()):
        raise OutputError(f"{path} is a link of another user's, which is not followed")
    return led_to(path)


def _fill(path: Path, content: bytes) -> None:
    """Write a file that was just made, to the disk."""
    with path.open("r+b") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


@contextlib.contextmanager
def _refusals_of(path: Path) -> Iterator[None]:
    """Say what the system refuses, with the file."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(f"cannot write {as_typed(path)}: {reason}") from None
