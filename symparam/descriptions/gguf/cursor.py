"""A GGUF file read from its start on, in pieces: numbers, texts and names, bounded."""

from __future__ import annotations

import struct
from typing import Any, Protocol

from symparam.dataclass import dataclass
from symparam.errors import SpecError

WHAT = "a GGUF file"

#: More than any header has: bytes, bytes of a name.
MAX_HEADER, MAX_NAME = 64 * 2**20, 1_000
#: Bytes that are read at a time: the most, and at first; as many as before, in between.
_CHUNK, _FIRST = 2**20, 2**16


class Source(Protocol):
    """A file that can be read from any place; how long it is is known after the first read."""

    where: str
    size: int

    def read(self, count: int) -> bytes:
        """So many bytes, fewer at its end."""
        ...

    def seek(self, position: int) -> None:
        """Go to a position."""
        ...


@dataclass(frozen=True)
class Many:
    """A value that is not kept: a long text or array, of so many bytes or entries."""

    count: int


class Cursor:
    """A file read from its start on, in pieces."""

    def __init__(self, file: Source) -> None:
        self.file, self.where = file, file.where
        self.data, self.at, self.base, self.texts = b"", 0, 0, 0

    @property
    def position(self) -> int:
        return self.base + self.at

    def error(self, problem: str) -> SpecError:
        """An error of this file."""
        return SpecError(self.where, "", f"not {WHAT}: {problem}")

    def need(self, count: int) -> None:
        """See that so many bytes are at hand.

        Raises:
            SpecError: the file does not have them, or nothing of the kind would be so long.
        """
        if self.at + count <= len(self.data):
            return
        self.base, self.data, self.at = self.position, self.data[self.at:], 0
        if self.base + count > MAX_HEADER:
            raise self.error(f"its header would be longer than {MAX_HEADER // 2**20} MiB")
        self.file.seek(self.base + len(self.data))
        part = min(_CHUNK, max(_FIRST, self.base), MAX_HEADER - self.base)
        wanted = max(count, part) - len(self.data)
        self.data += self.file.read(wanted)
        if count > len(self.data):
            raise self.error(f"it ends within its header, after {self.file.size} bytes")

    def number(self, letter: str) -> Any:
        """A number as struct writes it."""
        size = struct.calcsize(letter)
        self.need(size)
        (value,) = struct.unpack_from("<" + letter, self.data, self.at)
        self.at += size
        return value

    def skip(self, count: int) -> None:
        """Pass over so many bytes; those of a file are not read."""
        if self.position + count > min(self.file.size, MAX_HEADER):
            raise self.error(f"{count} bytes in its header, more than it may have")
        if self.at + count <= len(self.data):
            self.at += count
        else:
            self.base, self.data, self.at = self.position + count, b"", 0

    def text(self, most: int) -> str | Many:
        """A text; its length where it is longer than is kept."""
        length = self.number("Q")
        if length > most:
            self.skip(length)
            return Many(length)
        self.need(length)
        raw = self.data[self.at:self.at + length]
        self.at += length
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            raise self.error(f"a text at byte {self.position - length} is none in UTF-8") from None

    def name(self, what: str) -> str:
        """A name, which has to be short."""
        found = self.text(MAX_NAME)
        if isinstance(found, Many) or not found:
            raise self.error(f"the name of a {what} of "
                             f"{found.count if isinstance(found, Many) else 0} bytes")
        return found
