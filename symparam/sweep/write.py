"""Writing a sweep to a file: a process may die at any moment, and the next one goes on.

Beside ``out.csv`` grow ``.out.csv.partial``, the rows, and ``.out.csv.journal``, which says how
many bytes of them are good and which block comes next. What follows those bytes is cut off when a
sweep goes on, so that the file is the same, byte by byte, as one that was written at once. The last
thing that happens is that the partial file takes the file's name.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from symparam.errors import OutputError
from symparam.sweep.formats import ENCODERS, Encoder
from symparam.sweep.sweep import Sweep

#: Seconds between two notes in the journal.
PAUSE = 0.5


@dataclass
class Written:
    """What was written.

    Attributes:
        rows: in the file.
        points: of the grid.
        skipped: what took points out, with how many.
        resumed: the share of blocks that an earlier process had done.
    """

    rows: int = 0
    points: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    resumed: float = 0.0


@dataclass
class _State:
    """What the journal says."""

    of: str
    block: int = 0
    bytes: int = 0
    rows: int = 0
    skipped: dict[str, int] = field(default_factory=dict)


def write(sweep: Sweep, path: Path, kind: str, *, force: bool = False,
          progress: Callable[[float], None] = lambda _: None) -> Written:
    """Write a sweep to a file, or go on where an earlier process stopped.

    Args:
        sweep: what is written.
        path: the file; it appears when it is complete.
        kind: ``csv``, ``jsonl`` or ``parquet``.
        force: replace a file that exists; begin anew where another sweep was being written.
        progress: called with the share of blocks that are done.

    Raises:
        OutputError: the file exists, another sweep is half written there or being written, or it
            cannot be written.
    """
    try:
        _may_be_written(path, force)
        path = path.resolve() if path.is_symlink() else path
        part = path.with_name(f".{path.name}.partial")
        journal = path.with_name(f".{path.name}.journal")
        encoder = ENCODERS[kind](sweep.columns)
        with part.open("ab") as file:
            _lock(file, path)
            state = _begun(sweep, kind, part, journal, force)
            resumed = state.block / sweep.grid.boxes
            file.truncate(state.bytes)
            _go_on(sweep, encoder, file, state, journal, progress)
            encoder.finish(part, path)
        journal.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(f"cannot write {path}: {reason}") from None
    return Written(state.rows, sweep.grid.points, state.skipped, resumed)


def stream(sweep: Sweep, kind: str, put: Callable[[bytes], object],
           progress: Callable[[float], None] = lambda _: None) -> Written:
    """Write a sweep's rows to a stream, block by block.

    Args:
        sweep: what is written.
        kind: ``csv`` or ``jsonl``.
        put: takes the bytes, a part after another.
        progress: called with the share of blocks that are done.

    Raises:
        OutputError: the format needs a file.
    """
    if kind == "parquet":
        raise OutputError("Parquet has its index at its end: name a file with -o FILE.parquet")
    encoder, state = ENCODERS[kind](sweep.columns), _State("")
    put(encoder.head())
    for block in sweep.blocks():
        put(encoder.block(block))
        _count(state, block.rows, block.skipped)
        progress((block.number + 1) / sweep.grid.boxes)
    return Written(state.rows, sweep.grid.points, state.skipped)


def _may_be_written(path: Path, force: bool) -> None:
    if path.exists() and not path.is_file():
        raise OutputError(f"{path} is {'a folder' if path.is_dir() else 'no plain file'}")
    if path.exists() and not force:
        raise OutputError(f"{path} exists; --force replaces it")


def _lock(file: IO[bytes], path: Path) -> None:
    """Let no other process write the same file, where the system has such locks."""
    try:
        import fcntl
    except ImportError:  # Windows: two at once are the user's own doing
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OutputError(f"{path} is being written by another process") from None


def _begun(sweep: Sweep, kind: str, part: Path, journal: Path, force: bool) -> _State:
    """What an earlier process of the same sweep left; else a new beginning.

    Raises:
        OutputError: what it left is of another sweep.
    """
    of = f"{kind} {sweep.fingerprint}"
    size = part.stat().st_size
    found = _read(journal)
    if found is not None and found.of == of and found.bytes <= size:
        return found
    if found is not None and found.of != of and size and not force:
        raise OutputError(f"{part} is a half written file of another sweep; --force begins anew")
    return _State(of)


def _read(journal: Path) -> _State | None:
    try:
        return _State(**json.loads(journal.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _go_on(sweep: Sweep, encoder: Encoder, file: IO[bytes], state: _State, journal: Path,
           progress: Callable[[float], None]) -> None:
    if not state.bytes:
        state.bytes += file.write(encoder.head())
    last = time.monotonic()
    _note(file, state, journal)
    for block in sweep.blocks(state.block):
        state.bytes += file.write(encoder.block(block))
        _count(state, block.rows, block.skipped)
        state.block = block.number + 1
        if time.monotonic() - last >= PAUSE:
            _note(file, state, journal)
            last = time.monotonic()
        progress(state.block / sweep.grid.boxes)
    _note(file, state, journal)


def _count(state: _State, rows: int, skipped: Any) -> None:
    state.rows += rows
    for why, count in skipped.items():
        state.skipped[why] = state.skipped.get(why, 0) + count


def _note(file: IO[bytes], state: _State, journal: Path) -> None:
    """Bring the rows to the disk, then say so: the journal is replaced whole."""
    file.flush()
    os.fsync(file.fileno())
    fresh = journal.with_name(journal.name + ".new")
    fresh.write_text(json.dumps(state.__dict__), encoding="utf-8")
    fresh.replace(journal)


def left_behind(path: Path) -> list[Path]:
    """The files that an interrupted sweep leaves beside a file."""
    names = (f".{path.name}.partial", f".{path.name}.journal", f".{path.name}.journal.new",
             f".{path.name}.partial.parquet")
    return [found for name in names if (found := path.with_name(name)).exists()]
