"""Names and shapes from a safetensors file: its header alone, bounded, never the weights.

Format: eight bytes, the length of the header as a little-endian number; the header, a JSON table
from tensor name to dtype, shape and the span of its bytes; then the bytes
(huggingface/safetensors, README, "Format"). The table is flat, so that it is read an entry at a
time, and nothing is made of what is no entry.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from symparam.descriptions.reading.source import no_content, parse_json, shown
from symparam.errors import FileError, SpecError
from symparam.files.reading import opened

#: What it should be that is read here, for messages.
WHAT = "a safetensors file"

#: The library's own bound on a header, in bytes.
MAX_HEADER = 100_000_000

#: More than any file has: tensors, bytes of what is said of one, bytes of its name.
MAX_TENSORS, MAX_ENTRY, MAX_NAME = 500_000, 4_096, 2_000

#: Bits of one element.
BITS = {"BOOL": 8, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8, "I16": 16,
        "U16": 16, "F16": 16, "BF16": 16, "I32": 32, "U32": 32, "F32": 32, "F64": 64, "I64": 64,
        "U64": 64, "C64": 64, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6}

Shape = tuple[int, ...]

#: JSON's white space, its texts, and a table that holds no other one; none of them backtracks.
_SPACE = rb"[ \t\r\n]*+"
_TEXT = rb'"(?:[^"\\\x00-\x1f]++|\\.)*+"'
_NAME = re.compile(rb"%s(%s)%s:%s" % (_SPACE, _TEXT, _SPACE, _SPACE), re.DOTALL)
_ENTRY = re.compile(rb'\{(?:[^{}"]++|%s)*+\}' % _TEXT, re.DOTALL)
_NEXT = re.compile(rb"%s([,}]?)" % _SPACE)
_WORD = re.compile(rb"[^\s,{}]{1,40}")


def read_header(path: Path) -> dict[str, Shape]:
    """The tensors of a safetensors file.

    Raises:
        SpecError: it cannot be read, or is no such file; a header longer than the file, a shape
            that does not fill its span, spans that overlap, leave bytes out or end past the end.
    """
    try:
        with opened(path, WHAT, 8 + MAX_HEADER) as file:
            return header_of(file)
    except FileError as error:
        raise SpecError(error.where, "", error.problem) from None


class Readable(Protocol):
    """A file that is read from its start: how many bytes it has is known after the first of them.

    :class:`symparam.files.reading.Bounded` is one, and :class:`symparam.hub.ranges.Remote`.
    """

    where: str
    size: int

    def read(self, count: int) -> bytes:
        """So many bytes, fewer at its end."""
        ...


def header_of(file: Readable) -> dict[str, Shape]:
    """The tensors of a safetensors file that is open at its start.

    Raises:
        SpecError: as :func:`read_header`.
    """
    raw = _header(file)
    return _tensors(file.where, raw, file.size - 8 - len(raw))


def _header(file: Readable) -> bytes:
    start = file.read(8)
    length = int.from_bytes(start, "little")
    if problem := no_content(start):
        raise SpecError(file.where, "", problem)
    if len(start) < 8 or length > file.size - 8:
        raise SpecError(file.where, "", "not a safetensors file: its header would be "
                        f"{length} bytes long, and the file has {file.size}")
    if length > MAX_HEADER:
        raise SpecError(file.where, "", f"a header of {length} bytes, more than {MAX_HEADER}")
    return file.read(length)


def _tensors(where: str, raw: bytes, room: int) -> dict[str, Shape]:
    found: dict[str, Shape] = {}
    spans: list[tuple[int, int, str]] = []
    alike: dict[Shape, Shape] = {}  # layers have the same shapes, each of which is kept once
    for name, entry in _entries(where, raw):
        if name in found:
            raise SpecError(where, name[:80], "stands twice in the header")
        if len(found) == MAX_TENSORS:
            raise SpecError(where, "", f"more than {MAX_TENSORS:,} tensors")
        shape = _whole_numbers(where, name, "shape", entry.get("shape"))
        start, end = (*_whole_numbers(where, name, "data_offsets", entry.get("data_offsets")),
                      -1, -1)[:2]
        if not 0 <= start <= end <= room:
            raise SpecError(where, name[:80], f"data_offsets [{start}, {end}] are not inside the "
                            f"{room} bytes of the file")
        bits = BITS.get(str(entry.get("dtype")))
        if bits is None:
            raise SpecError(where, f"{name[:80]}.dtype", f"{shown(entry.get('dtype'))} is none of "
                            f"{', '.join(BITS)}")
        if math.prod(shape) * bits != (end - start) * 8:
            raise SpecError(where, name[:80], f"a {entry['dtype']} tensor of shape "
                            f"{list(shape)} does not fill {end - start} bytes")
        found[name] = alike.setdefault(shape, shape)
        spans.append((start, end, name))
    _check_whole(where, spans, room)
    return found


def _check_whole(where: str, spans: list[tuple[int, int, str]], room: int) -> None:
    """Refuse bytes that are two tensors' or no tensor's: the format has neither."""
    at = 0
    for start, end, name in sorted(spans):
        if start != at:
            raise SpecError(where, name[:80], f"begins at byte {start}, and what stands before it "
                            f"ends at {at}")
        at = end
    if at != room:
        raise SpecError(where, "", f"{room - at} bytes of the file are no tensor's")


def _entries(where: str, raw: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each tensor's name with what is said of it, one after another."""
    at = len(raw) - len(raw.lstrip())
    if raw[at:at + 1] != b"{":
        raise _no_table(where, raw, at)
    if not raw[at + 1:].strip(b" \t\r\n}") and raw.count(b"}") == 1:
        return
    mark = b","
    while mark == b",":
        name = _NAME.match(raw, at + 1)
        if name is None:
            raise _not_json(where, "the name of a tensor", at + 1)
        entry = _ENTRY.match(raw, name.end())
        text = _read(where, "", name[1], MAX_NAME)
        if entry is None:
            raise _no_entry(where, text, raw, name.end())
        if text != "__metadata__":
            yield text, _read(where, text, entry[0], MAX_ENTRY)
        after = _NEXT.match(raw, entry.end())
        mark, at = (after[1], after.end() - 1) if after else (b"", entry.end())
    if mark != b"}" or raw[at + 1:].strip():
        raise _not_json(where, "a comma, or the end", at)


def _read(where: str, name: str, raw: bytes, most: int) -> Any:
    """A piece of JSON; no longer than a bound."""
    if raw[:1] == b'"' and b"\\" not in raw and len(raw) <= most:
        return _decoded(where, name, raw[1:-1])  # as nearly every name is written
    if len(raw) > most:
        raise SpecError(where, name[:80], f"more than {most:,} bytes of the header "
                        f"{'say what it is' if name else 'are the name of one tensor'}")
    try:
        return parse_json(_decoded(where, name, raw))
    except ValueError as error:
        raise SpecError(where, name[:80], "not a safetensors file: its header is not JSON: "
                        f"{str(error)[:200]}") from None


def _decoded(where: str, name: str, raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise SpecError(where, name[:80], "not a safetensors file: its header is no text") from None


def _no_table(where: str, raw: bytes, at: int) -> SpecError:
    try:
        raw[:64].decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            return SpecError(where, "", "not a safetensors file: its header is no text")
    return SpecError(where, "", f"the header is {_told(raw, at)}, not a table of tensors")


def _no_entry(where: str, name: str, raw: bytes, at: int) -> SpecError:
    if raw[at:at + 1] == b"{":
        return SpecError(where, name[:80], "expected dtype, shape and data_offsets, found a table "
                         "in a table, or one without an end")
    return SpecError(where, name[:80], f"expected a table, found {_told(raw, at)}")


def _told(raw: bytes, at: int) -> str:
    """What stands at a place, in words, read no further than they go."""
    kinds = {b"[": "a list", b'"': "a text", b"": "nothing"}
    word = _WORD.match(raw, at)
    text = word[0].decode("utf-8", "replace") if word else "a comma or a brace"
    return kinds.get(raw[at:at + 1]) or "".join(c if c.isprintable() else "?" for c in text)


def _not_json(where: str, expected: str, at: int) -> SpecError:
    return SpecError(where, "", "not a safetensors file: its header is not JSON: expected "
                     f"{expected} at byte {at + 1}")


def _whole_numbers(where: str, name: str, key: str, value: Any) -> Shape:
    expected = f"{name[:80]}.{key}", "expected a list of whole numbers, found "
    if not isinstance(value, list):
        raise SpecError(where, expected[0], expected[1] + shown(value))
    for each in value:
        if isinstance(each, bool) or not isinstance(each, int) or not 0 <= each < 2**63:
            raise SpecError(where, expected[0], f"{expected[1]}{shown(each)} in it")
    return tuple(value)
