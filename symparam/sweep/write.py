"""Writing a sweep to a file: a process may die at any moment, and the next one goes on.

In a folder of its own beside ``out.csv`` grow the rows, and a journal that says how many bytes of
them are good, what they add up to, and which block comes next. What follows those bytes is cut off
when a sweep goes on, so that the file is the same, byte by byte, as one that was written at once. A
journal is believed when all of it fits: its own sum, the sweep, the bounds of the grid, and the sum
of the rows that it vouches for. The last thing that happens is that the rows take the file's name.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, field
from pathlib import Path
from typing import IO, Any

from symparam.dataclass import dataclass
from symparam.errors import OutputError, as_typed
from symparam.files.growing import DONE, ENDING, ROWS, Growing
from symparam.files.reading import led_to
from symparam.files.writing import may_be_written
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
    """What the journal says; ``digest`` is of the good bytes."""

    of: str
    block: int = 0
    bytes: int = 0
    rows: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    digest: str = hashlib.sha256().hexdigest()


def _journal(state: _State) -> bytes:
    """What a journal holds: the state, and the sum of that."""
    data = asdict(state)
    return json.dumps({**data, "sum": _sum(data)}).encode()


def _sum(data: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


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
        may_be_written(path, force)
        path = led_to(path) if path.is_symlink() else path
        encoder = ENCODERS[kind](sweep.columns)
        growing = Growing(path)
        try:
            state, file = _begun(sweep, kind, growing, force)
            resumed = state.block / sweep.grid.boxes
            with file:
                _go_on(sweep, encoder, file, state, growing, progress)
                done = encoder.finish(file, lambda: growing.emptied(DONE))
            growing.finish(DONE if done else ROWS, force)
        finally:
            growing.close()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(f"cannot write {as_typed(path)}: {reason}") from None
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


def _begun(sweep: Sweep, kind: str, growing: Growing, force: bool) -> tuple[_State, IO[bytes]]:
    """What an earlier process of the same sweep left, checked; else a new beginning.

    Raises:
        OutputError: what it left is of another sweep, or is damaged.
    """
    of = f"{kind} {sweep.fingerprint}"
    if growing.alone(ROWS):  # else nothing is lost: there are no rows, or they have their name
        try:
            state = _read(growing.noted())
            if state is not None:
                return state, _checked(state, of, sweep, growing)
        except OutputError:
            if not force:
                raise
    growing.forget()
    return _State(of), growing.emptied(ROWS)


def _read(raw: bytes | None) -> _State | None:
    """The journal as it was written.

    Raises:
        OutputError: it is damaged.
    """
    if raw is None:
        return None
    try:
        data = json.loads(raw)
        if data.pop("sum") == _sum(data) and isinstance(data["skipped"], dict):
            return _State(**data)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        pass
    raise OutputError("the journal of what is half written is damaged; --force begins anew")


def _checked(state: _State, of: str, sweep: Sweep, growing: Growing) -> IO[bytes]:
    """The rows that a journal vouches for.

    Raises:
        OutputError: it is not of this sweep, or not of what is there.
    """
    if state.of != of:
        raise OutputError(f"{growing.folder} holds a half written file of another sweep; "
                          "--force begins anew")
    numbers = (state.block, state.bytes, state.rows, *state.skipped.values())
    if all(type(each) is int and each >= 0 for each in numbers) and (
            state.block <= sweep.grid.boxes and sum(numbers[2:]) <= sweep.grid.points):
        file = growing.open(ROWS)
        if os.fstat(file.fileno()).st_size >= state.bytes and (
                _added_up(file, state.bytes).hexdigest() == state.digest):
            return file
        file.close()
    raise OutputError(f"the journal in {growing.folder} does not fit to the rows; "
                      "--force begins anew")


def _added_up(file: IO[bytes], count: int) -> Any:
    """The sum of the first bytes of a file, of all that there are where it has not so many."""
    found = hashlib.sha256()
    file.seek(0)
    while count and (part := file.read(min(count, 2**20))):
        found.update(part)
        count -= len(part)
    return found


def _go_on(sweep: Sweep, encoder: Encoder, file: IO[bytes], state: _State, growing: Growing,
           progress: Callable[[float], None]) -> None:
    rows = _Rows(file, state)
    file.truncate(file.seek(state.bytes))
    if not state.bytes:
        rows.write(encoder.head())
    last = time.monotonic()
    rows.note(growing)
    for block in sweep.blocks(state.block):
        rows.write(encoder.block(block))
        _count(state, block.rows, block.skipped)
        state.block = block.number + 1
        if time.monotonic() - last >= PAUSE:
            rows.note(growing)
            last = time.monotonic()
        progress(state.block / sweep.grid.boxes)
    rows.note(growing)


class _Rows:
    """Rows on their way to the file, added up."""

    def __init__(self, file: IO[bytes], state: _State) -> None:
        self.file, self.state, self.sum = file, state, _added_up(file, state.bytes)

    def write(self, content: bytes) -> None:
        """Add to the file."""
        self.sum.update(content)
        self.state.bytes += self.file.write(content)

    def note(self, growing: Growing) -> None:
        """Bring the rows to the disk, then say so."""
        self.file.flush()
        os.fsync(self.file.fileno())
        self.state.digest = self.sum.hexdigest()
        growing.note(_journal(self.state))


def _count(state: _State, rows: int, skipped: Any) -> None:
    state.rows += rows
    for why, count in skipped.items():
        state.skipped[why] = state.skipped.get(why, 0) + count


def left_behind(path: Path) -> Path | None:
    """The folder that an interrupted sweep leaves beside a file; None where there is none."""
    folder = path.with_name(f".{path.name}{ENDING}")
    return folder if folder.is_dir() else None
