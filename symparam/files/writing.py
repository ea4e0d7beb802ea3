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
from typing import IO, Any

from symparam.dataclass import dataclass
from symparam.errors import FileError, OutputError, as_typed
from symparam.files.reading import led_to, read_bytes

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
    """Refuse a file that exists and is not to be replaced, and what is no file.

    Raises:
        OutputError: it exists already, as a file or as a link to whatever; or files are only read
            now (:func:`only_read`).
    """
    if _only_read.get():
        raise OutputError(f"{path} would be written, where files are only read")
    if path.exists() and not path.is_file():
        raise OutputError(f"{path} is {'a folder' if path.is_dir() else 'no plain file'}")
    if not force and os.path.lexists(path):
        raise OutputError(f"{path} exists; --force replaces it")


def make_folders(folder: Path, inner: Iterable[Path] = ()) -> None:
    """Make a folder where there is none, and folders in it.

    Args:
        folder: the one that was named; it may be a link to one.
        inner: paths from there; nobody named these, so that what stands there is no link.

    Raises:
        OutputError: one cannot be made, or a link stands at its name; nothing is made then.
    """
    for path in (folder, *without_links(folder, inner)):
        try:
            path.mkdir(parents=path == folder, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{path} cannot be a folder: "
                              f"{error.strerror or error}") from None


def without_links(folder: Path, inner: Iterable[Path]) -> list[Path]:
    """The folders in a folder, outermost first.

    Args:
        folder: the one that was named; it may be a link to one.
        inner: paths from there.

    Raises:
        OutputError: a link stands at the name of one.
    """
    below = dict.fromkeys(folder / each for path in sorted(inner)
                          for each in (*reversed(path.parents), path) if each.parts)
    for path in below:
        if path.is_symlink():
            raise OutputError(f"{path} is a link, which would lead out of {folder}: remove it, or "
                              "name another folder")
    return [*below]


def write_files(files: Sequence[tuple[Path, bytes]], force: bool) -> None:
    """Write files, all of them whole or none at all.

    Args:
        files: their paths, no two the same, and what is to stand in them.
        force: replace those that exist; a link of the user's own stays one.

    Raises:
        OutputError: one exists already, or cannot be written.
    """
    made: list[tuple[Path, Path]] = []
    with uninterrupted():
        try:
            for path, content in files:
                with _refusals_of(path):
                    may_be_written(path, force)
                    target = _led_to(path)
                    made.append((temporary_beside(target), target))
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
                with contextlib.suppress(OSError, AttributeError):
                    os.chown(temporary, state.st_uid, state.st_gid)
                temporary.chmod(state.st_mode & 0o7777)
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
    """Give a complete file its name; where nothing may be replaced, only if the name is free.

    Raises:
        OutputError: there is one of that name now. OSError: it cannot have it.
    """
    if force:
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


def nowhere() -> IO[str]:
    """A stream that keeps nothing, in place of one that is closed or broken."""
    return open(os.devnull, "w")  # noqa: PTH123


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
