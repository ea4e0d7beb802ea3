"""Reading the header of a GGUF file: keys and the table of tensors, bounded, never a weight.

Format: ``GGUF``, a version (2 or 3), how many tensors and keys there are; each key with the type of
its value; of each tensor name, sides (the length of a row first), type and offset; then, from the
next multiple of the alignment on, the bytes of the tensors, each begun at such a multiple. All
numbers are little-endian (ggml, docs/gguf.md).
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

from symparam.dataclass import dataclass
from symparam.descriptions.gguf.blocks import KINDS, Kind
from symparam.descriptions.gguf.cursor import MAX_HEADER, WHAT, Cursor, Many, Source
from symparam.descriptions.reading.source import no_content
from symparam.errors import FileError, SpecError
from symparam.files.reading import opened

MAGIC = b"GGUF"
VERSIONS = (2, 3)
ALIGNMENT = 32

#: More than any header has: keys, texts in arrays, tensors, sides of one.
MAX_KEYS, MAX_TEXTS, MAX_TENSORS, MAX_SIDES = 10_000, 4_000_000, 500_000, 4

#: Values that are kept: entries of an array, bytes of a text. Others are known by their number.
MOST_ENTRIES, MOST_BYTES = 4_096, 2_000
MAX_DEPTH = 3

#: The types of numbers, by their own numbers, as struct writes them.
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q",
            12: "d"}
_TEXT, _ARRAY = 8, 9


@dataclass(frozen=True)
class Tensor:
    """A row of the table.

    Attributes:
        shape: as torch has it, the length of a row last.
        offset: where its bytes begin, from where those of all begin.
        size: how many they are.
    """

    name: str
    shape: tuple[int, ...]
    kind: Kind
    offset: int
    size: int


@dataclass(frozen=True)
class Gguf:
    """The header of a file.

    Attributes:
        where: the file, for messages.
        keys: its keys with their values.
        tensors: its table, in the order of their bytes.
        start: where the tensors' bytes begin.
        alignment: what each tensor's beginning is a multiple of.
        size: bytes of the file.
    """

    where: str
    keys: dict[str, Any]
    tensors: tuple[Tensor, ...]
    start: int
    alignment: int
    size: int


def read_gguf(path: str | Path) -> Gguf:
    """The header of a GGUF file.

    Raises:
        SpecError: it cannot be read, or is no such file: what it says does not go together, or
            its tensors are not inside it.
    """
    try:
        with opened(path, WHAT, 2 * MAX_HEADER) as file:
            return gguf_of(file)
    except FileError as error:
        raise SpecError(error.where, "", error.problem) from None


def gguf_of(file: Source) -> Gguf:
    """The header of a GGUF file that is open.

    Raises:
        SpecError: as :func:`read_gguf`.
    """
    cursor = Cursor(file)
    start = file.read(40)
    file.seek(0)
    if problem := no_content(start):
        raise SpecError(cursor.where, "", problem)
    if not start.startswith(MAGIC):
        raise cursor.error("it does not begin with GGUF")
    cursor.skip(4)
    version = cursor.number("I")
    if version not in VERSIONS:
        swapped = int.from_bytes(version.to_bytes(4, "little"), "big") in VERSIONS
        raise cursor.error("its numbers are big-endian" if swapped else
                           f"version {version}; {' and '.join(map(str, VERSIONS))} are read")
    tensors, keys = cursor.number("Q"), cursor.number("Q")
    for count, most, word in ((tensors, MAX_TENSORS, "tensors"), (keys, MAX_KEYS, "keys")):
        if count > most:
            raise cursor.error(f"{count} {word}, more than {most}")
    found = _keys(cursor, keys)
    alignment = found.get("general.alignment", ALIGNMENT)
    if not isinstance(alignment, int) or not 8 <= alignment <= 2**16 or alignment % 8:
        raise cursor.error(f"general.alignment = {alignment!r:.40}")
    table = [_tensor(cursor) for _ in range(tensors)]
    begin = padded(cursor.position, alignment)
    return Gguf(cursor.where, found, _placed(cursor, table, begin, alignment), begin, alignment,
                file.size)


def padded(count: int, alignment: int) -> int:
    """The next multiple of the alignment.

    >>> padded(33, 32), padded(64, 32)
    (64, 64)
    """
    return -(-count // alignment) * alignment


def _keys(cursor: Cursor, count: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for _ in range(count):
        name = cursor.name("key")
        if name in found:
            raise SpecError(cursor.where, name[:80], "stands twice in the header")
        found[name] = _value(cursor, cursor.number("I"), 0)
    return found


def _value(cursor: Cursor, kind: int, depth: int) -> Any:
    if kind in _NUMBERS:
        return cursor.number(_NUMBERS[kind])
    if kind == _TEXT:
        return cursor.text(MOST_BYTES)
    if kind != _ARRAY:
        raise cursor.error(f"a value of type {kind}, which there is not")
    if depth == MAX_DEPTH:
        raise cursor.error(f"arrays inside arrays, deeper than {MAX_DEPTH}")
    inner, count = cursor.number("I"), cursor.number("Q")
    if inner in _NUMBERS:
        return _row(cursor, _NUMBERS[inner], count)
    if inner == _TEXT:
        return _texts(cursor, count)
    cursor.texts += count
    if cursor.texts > MAX_TEXTS:
        raise cursor.error(f"more than {MAX_TEXTS:,} entries in arrays")
    kept = [_value(cursor, inner, depth + 1) for _ in range(count)]
    return kept if count <= MOST_ENTRIES else Many(count)


def _row(cursor: Cursor, letter: str, count: int) -> Any:
    """An array of numbers."""
    if count > MOST_ENTRIES:
        cursor.skip(count * struct.calcsize(letter))
        return Many(count)
    return [cursor.number(letter) for _ in range(count)]


def _texts(cursor: Cursor, count: int) -> Many:
    """An array of texts, none of which is kept: the tokens of a vocabulary."""
    cursor.texts += count
    if cursor.texts > MAX_TEXTS:
        raise cursor.error(f"more than {MAX_TEXTS:,} entries in arrays")
    read = struct.Struct("<Q").unpack_from
    for _ in range(count):
        if cursor.at + 8 > len(cursor.data):
            cursor.need(8)
        (length,) = read(cursor.data, cursor.at)
        cursor.at += 8
        if cursor.at + length <= len(cursor.data):
            cursor.at += length
        else:
            cursor.skip(length)
    return Many(count)


def _tensor(cursor: Cursor) -> Tensor:
    name = cursor.name("tensor")
    sides = cursor.number("I")
    if not 1 <= sides <= MAX_SIDES:
        raise SpecError(cursor.where, name[:80], f"{sides} sides; 1 to {MAX_SIDES} are possible")
    shape = tuple(cursor.number("Q") for _ in range(sides))[::-1]
    number, offset = cursor.number("I"), cursor.number("Q")
    if number not in KINDS:
        raise SpecError(cursor.where, name[:80], f"type {number}, whose bytes are not known")
    if not all(0 < side < 2**40 for side in shape):
        raise SpecError(cursor.where, name[:80], f"sides of {list(shape)}")
    size = KINDS[number].bytes_of(shape)
    if size is None:
        raise SpecError(cursor.where, name[:80], f"rows of {shape[-1]} do not go into blocks of "
                        f"{KINDS[number].block} ({KINDS[number].name})")
    return Tensor(name, shape, KINDS[number], offset, size)


def _placed(cursor: Cursor, table: list[Tensor], begin: int,
            alignment: int) -> tuple[Tensor, ...]:
    """The table in the order of its bytes, which have to follow each other and be in the file."""
    names: set[str] = set()
    end = 0
    for tensor in sorted(table, key=lambda each: each.offset):
        if tensor.name in names:
            raise SpecError(cursor.where, tensor.name[:80], "stands twice in the table")
        names.add(tensor.name)
        if tensor.offset != end:
            raise SpecError(cursor.where, tensor.name[:80], f"its bytes begin at {tensor.offset}, "
                            f"where {end} is expected")
        end = padded(end + tensor.size, alignment)
        if begin + tensor.offset + tensor.size > cursor.file.size:
            raise SpecError(cursor.where, tensor.name[:80], f"its {tensor.size} bytes from "
                            f"{begin + tensor.offset} on are not inside the file, which has "
                            f"{cursor.file.size}")
    return tuple(sorted(table, key=lambda each: each.offset))
