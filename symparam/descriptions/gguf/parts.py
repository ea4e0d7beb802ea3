"""A GGUF model as it lies: one file, or the parts of one that was split, read as one.

Parts are called ``STEM-00001-of-00003.gguf``. Each says its number, from nought, and how many there
are; what the model is stands in the first. No part is counted alone.

Source: llama.cpp, tools/gguf-split; gguf-py, gguf/gguf_writer.py (``split.no``, ``split.count``,
``split.tensors.count``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from symparam.descriptions.gguf import SUFFIX
from symparam.descriptions.gguf.reader import MAX_TENSORS, Gguf, read_gguf
from symparam.errors import SpecError, some

#: The name of a part.
_PART = re.compile(r"(?P<stem>.*)-(?P<number>[0-9]{5})-of-(?P<count>[0-9]{5})\.gguf", re.DOTALL)
#: What each part says for itself; the rest is said of the model, by the first.
_OWN = ("split.no", "general.alignment")
#: What stands beside a model: the encoder of images, what a quantisation was weighed by.
_BESIDE = ("mmproj", "imatrix")
#: More parts than any model has.
MAX_PARTS = 2_000
_SHOWN = 4


def stem_of(name: str) -> str:
    """The name of a model's file, without what a part's name adds.

    >>> stem_of("qwen-00002-of-00003.gguf"), stem_of("qwen.gguf")
    ('qwen', 'qwen')
    """
    part = _PART.fullmatch(name)
    return part["stem"] if part else name.removesuffix(SUFFIX)


def models_in(names: Iterable[str]) -> list[str]:
    """The models among files' names: parts of one are one, by the first that is there.

    >>> models_in(["b-00002-of-00002.gguf", "b-00001-of-00002.gguf", "a.gguf", "mmproj-a.gguf"])
    ['a.gguf', 'b-00001-of-00002.gguf']
    """
    found: dict[tuple[str, str], str] = {}
    for name in sorted(names):
        part = _PART.fullmatch(name)
        if not name.rpartition("/")[2].lower().startswith(_BESIDE):
            found.setdefault((part["stem"], part["count"]) if part else (name, ""), name)
    return list(found.values())


def file_of(path: Path) -> Path | None:
    """The GGUF file that a path means: itself, or the one model of a folder; None where there is
    none.

    Raises:
        SpecError: several models in the folder, which are named.
    """
    if not path.is_dir():
        return path if path.suffix == SUFFIX else None
    names = models_in(each.name for each in path.glob(f"*{SUFFIX}"))
    if len(names) > 1:
        raise SpecError(str(path), "", f"has {len(names)} GGUF files: name one, as in "
                        f"{path / names[0]} (there is {further(names)})")
    return path / names[0] if names else None


def further(names: list[str]) -> str:
    """The names behind the first, some of them.

    >>> further(["a", "b", "c"])
    'b, c'
    """
    return some((name[:100] for name in names[1:]), _SHOWN - 1)


def read_model(path: Path) -> Gguf:
    """The header of a GGUF model on the disk, of all its parts where it is split.

    Raises:
        SpecError: as :func:`whole`, and :func:`symparam.descriptions.gguf.reader.read_gguf`.
    """
    return whole(read_gguf(path), path.name, lambda name: _beside(path, name))


def _beside(path: Path, name: str) -> Gguf:
    if not path.with_name(name).exists():
        raise SpecError(str(path), "split.count", f"is a part of a model, and {name} is not beside "
                        "it: all parts are needed")
    return read_gguf(path.with_name(name))


def whole(file: Gguf, name: str, other: Callable[[str], Gguf]) -> Gguf:
    """A header as it is, or that of all the parts of its model.

    Args:
        file: the header.
        name: the name of its file, in front of it the folders that it stands in.
        other: reads the header of another part, by its name.

    Raises:
        SpecError: a part that is not there, or parts that do not go together.
    """
    count = file.keys.get("split.count", 0)
    if type(count) is int and count in (0, 1):
        return file
    if type(count) is not int or not 1 < count <= MAX_PARTS:
        raise SpecError(file.where, "split.count", f"not a number of parts from 1 to {MAX_PARTS}")
    part = _PART.fullmatch(name)
    if part is None or int(part["count"]) != count or not 1 <= int(part["number"]) <= count:
        raise SpecError(file.where, "split.count", f"says that it is one of {count} parts, which "
                        f"its name does not: one like {stem_of(name)[-60:]}-00001-of-{count:05}"
                        f"{SUFFIX} is expected")
    parts: list[Gguf] = []
    for number in range(1, count + 1):
        own = number == int(part["number"])
        each = file if own else other(f"{part['stem']}-{number:05}-of-{count:05}{SUFFIX}")
        parts.append(_checked(each, number, count, parts))
    return _joined(parts)


def _checked(each: Gguf, number: int, count: int, before: list[Gguf]) -> Gguf:
    """A part that says what its name says, and of the model nothing else than the first."""
    for key, wanted in (("split.no", number - 1), ("split.count", count)):
        if each.keys.get(key) != wanted:
            raise SpecError(each.where, key, f"{str(each.keys.get(key))[:40]} where part {number} "
                            f"of {count} has {wanted}")
    for key, value in each.keys.items() if before else ():
        if key not in _OWN and before[0].keys.get(key, value) != value:
            raise SpecError(each.where, key[:80], "says something else than the first part")
    if before and each.alignment != before[0].alignment:
        raise SpecError(each.where, "general.alignment", f"{each.alignment}, where the first part "
                        f"has {before[0].alignment}")
    return each


def _joined(parts: list[Gguf]) -> Gguf:
    """Parts as one: the first one's keys, the tensors and the bytes of all."""
    tensors = tuple(tensor for part in parts for tensor in part.tensors)
    names: set[str] = set()
    for part in parts:
        for tensor in part.tensors:
            if tensor.name in names:
                raise SpecError(part.where, tensor.name[:80], "stands in another part too")
            names.add(tensor.name)
    stated = parts[0].keys.get("split.tensors.count", len(tensors))
    if stated != len(tensors) or len(tensors) > MAX_TENSORS:
        raise SpecError(parts[0].where, "split.tensors.count", f"{str(stated)[:40]} where the "
                        f"parts have {len(tensors)}")
    return replace(parts[0], tensors=tensors, start=sum(part.start for part in parts),
                   size=sum(part.size for part in parts))
