"""The tensors of a checkpoint: one safetensors file, a folder of shards, or their index."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from symparam.checkpoints.header import Shape, read_header
from symparam.descriptions.reading.source import DataTable, parse_json
from symparam.errors import FileError, SpecError, some
from symparam.files.reading import read_text

INDEX = "model.safetensors.index.json"
SINGLE = "model.safetensors"

#: What a file of several is called: its number, and how many there are.
_SHARD = re.compile(r"^(?P<stem>.*)-(?P<number>\d{1,6})-of-(?P<count>\d{1,6})\.safetensors$",
                    re.ASCII)

#: More files than any checkpoint is stored in.
MAX_SHARDS = 10_000

#: An index of the largest mixtures has some ten megabytes, and a hundred thousand names.
MAX_INDEX = 32 * 2**20
MAX_VALUES = 1_000_000


def looks_like_checkpoint(path: Path) -> bool:
    """Whether a path is read here: a safetensors file, an index, or a folder."""
    return path.name.endswith((".safetensors", ".index.json")) or path.is_dir()


def read_checkpoint(path: Path) -> dict[str, Shape]:
    """Name and shape of every tensor; weights are never read.

    Args:
        path: a ``.safetensors`` file, a ``.safetensors.index.json``, or a folder with one of them.

    Raises:
        SpecError: nothing of the kind there, a shard missing, or shards that differ from the index.
    """
    if path.is_dir():
        return _read_folder(path)
    if path.name.endswith(".index.json"):
        return _read_index(path)
    if not path.name.endswith(".safetensors"):
        raise SpecError(str(path), "", "expected a .safetensors file, its .index.json, or a "
                        "folder with them")
    _check_shards(path, [path])
    return read_header(path)


def _read_folder(folder: Path) -> dict[str, Shape]:
    if (folder / INDEX).exists():
        return _read_index(folder / INDEX)
    if (folder / SINGLE).exists():
        return read_header(folder / SINGLE)
    files = sorted(folder.glob("*.safetensors"))
    indexes = sorted(folder.glob("*.safetensors.index.json"))
    if len(indexes) == 1:
        return _read_index(indexes[0])
    if not files:
        raise SpecError(str(folder), "", f"no {SINGLE}, no {INDEX} and no other .safetensors file "
                        "in it")
    _check_shards(folder, files)
    found: dict[str, Shape] = {}
    for file in files:
        for name, shape in read_header(file).items():
            if name in found:
                raise SpecError(str(file), name[:80], "is in another file of the folder as well")
            found[name] = shape
    return found


def _check_shards(where: Path, files: Iterable[Path]) -> None:
    """Refuse some files of a checkpoint that is stored in more, as their names say."""
    held: dict[tuple[str, int], set[int]] = {}
    for file in files:
        if match := _SHARD.match(file.name):
            key = match["stem"], int(match["count"])
            held.setdefault(key, set()).add(int(match["number"]))
    for (stem, count), numbers in held.items():
        lost = [n for n in range(1, min(count, MAX_SHARDS) + 1) if n not in numbers]
        if lost:
            here = ", ".join(map(str, sorted(numbers)[:8])) + (", ..." if len(numbers) > 8 else "")
            gone = ", ".join(map(str, lost[:8])) + (", ..." if len(lost) > 8 else "")
            raise SpecError(str(where), "", f"file {here} of {count} of {stem[:60]}; {gone} "
                            f"{'is' if len(lost) == 1 else 'are'} missing" + (
                                ": name the folder, or the index" if where.is_file() else ""))


def _read_index(path: Path) -> dict[str, Shape]:
    shards = shards_of(path)
    if lost := [each for each in shards if not os.path.lexists(path.parent / each)]:
        raise SpecError(str(path), "", f"{some(lost, 3)} of its {len(shards):,} files "
                        f"{'is' if len(lost) == 1 else 'are'} not beside it")
    return joined(str(path), shards, {each: read_header(path.parent / each) for each in shards})


def shards_of(path: Path) -> dict[str, list[str]]:
    """The files that an index names, each with the tensors that it is said to hold.

    Raises:
        SpecError: it cannot be read, or names what is no file beside it.
    """
    where = str(path)
    try:
        data = parse_json(read_text(path, "an index", MAX_INDEX), most=MAX_VALUES)
    except FileError as error:
        raise SpecError(where, "", error.problem) from None
    except ValueError as error:
        raise SpecError(where, "", f"not JSON: {str(error)[:200]}") from None
    table = DataTable(where, data).table("weight_map")
    shards: dict[str, list[str]] = {}
    for name in table.data:
        shards.setdefault(table.text(name), []).append(name)
    for shard, names in shards.items():
        _check_inside(table, names[0], shard)
    return shards


def joined(where: str, shards: Mapping[str, Sequence[str]],
           headers: Mapping[str, Mapping[str, Shape]]) -> dict[str, Shape]:
    """The tensors of several files as their index names them.

    Args:
        where: the index, for messages.
        shards: the tensors that each file is said to hold.
        headers: the tensors that each file holds.

    Raises:
        SpecError: one of them is not in its file.
    """
    found: dict[str, Shape] = {}
    for shard, names in shards.items():
        held = headers[shard]
        if missing := [name for name in names if name not in held]:
            raise SpecError(where, f"weight_map.{missing[0][:80]}", f"is not in {shard[:80]}")
        found |= {name: held[name] for name in names}
    return found


def _check_inside(table: DataTable, name: str, shard: str) -> None:
    """Refuse the shard of a tensor that is not the plain name of a file beside the index."""
    if not shard.endswith(".safetensors") or Path(shard).name != shard or "\\" in shard or (
            "\0" in shard):
        raise table.error(name[:80], f"{shard[:80]!r} is not the name of a .safetensors file in "
                          "the index's own folder")
