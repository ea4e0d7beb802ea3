"""Names and shapes from a safetensors file: its header alone, bounded, never the weights.

Format: eight bytes, the length of the header as a little-endian number; the header, a JSON table
from tensor name to dtype, shape and the span of its bytes; then the bytes
(huggingface/safetensors, README, "Format").
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from symparam.errors import SpecError
from symparam.spec.source import no_content, parse_json, shown

#: The library's own bound on a header.
MAX_HEADER = 100_000_000

#: Bits of one element; a dtype that is not here has an unknown size, which is not checked.
BITS = {"BOOL": 8, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8, "I16": 16,
        "U16": 16, "F16": 16, "BF16": 16, "I32": 32, "U32": 32, "F32": 32, "F64": 64, "I64": 64,
        "U64": 64, "C64": 64, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6}

Shape = tuple[int, ...]


def read_header(path: Path) -> dict[str, Shape]:
    """The tensors of a safetensors file.

    Raises:
        SpecError: it cannot be read, or is no such file; a header longer than the file, a shape
            that does not fill its span, a span past the end.
    """
    where = str(path)
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(8)
            length = int.from_bytes(start, "little")
            if problem := no_content(start):
                raise SpecError(where, "", problem)
            if len(start) < 8 or length > size - 8:
                raise SpecError(where, "", "not a safetensors file: its header would be "
                                f"{length} bytes long, and the file has {size}")
            if length > MAX_HEADER:
                raise SpecError(where, "", f"a header of {length} bytes, more than {MAX_HEADER}")
            raw = file.read(length)
    except OSError as error:
        raise SpecError(where, "", error.strerror or "cannot be read") from None
    return _tensors(where, _parsed(where, raw), size - 8 - length)


def _parsed(where: str, raw: bytes) -> Mapping[str, Any]:
    try:
        data = parse_json(raw.decode("utf-8"))
    except UnicodeDecodeError:
        raise SpecError(where, "", "not a safetensors file: its header is no text") from None
    except ValueError as error:
        raise SpecError(where, "", "not a safetensors file: its header is not JSON: "
                        f"{str(error)[:200]}") from None
    if not isinstance(data, dict):
        raise SpecError(where, "", f"the header is {shown(data)}, not a table of tensors")
    return data


def _tensors(where: str, data: Mapping[str, Any], room: int) -> dict[str, Shape]:
    found: dict[str, Shape] = {}
    for name, entry in data.items():
        if name == "__metadata__":
            continue
        if not isinstance(entry, dict):
            raise SpecError(where, name[:80], f"expected a table, found {shown(entry)}")
        shape = _whole_numbers(where, name, "shape", entry.get("shape"))
        start, end = (*_whole_numbers(where, name, "data_offsets", entry.get("data_offsets")),
                      -1, -1)[:2]
        if not 0 <= start <= end <= room:
            raise SpecError(where, name[:80], f"data_offsets [{start}, {end}] are not inside the "
                            f"{room} bytes of the file")
        bits = BITS.get(str(entry.get("dtype")))
        if bits is not None and math.prod(shape) * bits != (end - start) * 8:
            raise SpecError(where, name[:80], f"a {entry['dtype']} tensor of shape "
                            f"{list(shape)} does not fill {end - start} bytes")
        found[name] = shape
    return found


def _whole_numbers(where: str, name: str, key: str, value: Any) -> Shape:
    expected = f"{name[:80]}.{key}", "expected a list of whole numbers, found "
    if not isinstance(value, list):
        raise SpecError(where, expected[0], expected[1] + shown(value))
    for each in value:
        if isinstance(each, bool) or not isinstance(each, int) or not 0 <= each < 2**63:
            raise SpecError(where, expected[0], f"{expected[1]}{shown(each)} in it")
    return tuple(value)
