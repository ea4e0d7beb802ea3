"""The catalogue: published models as data with their sources, one JSON file a lineage."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any, TypeAlias

from symparam.descriptions.config import read_config
from symparam.descriptions.read_as import PLAIN, ReadAs
from symparam.descriptions.reading.source import read_file
from symparam.dims import COMMON, D_MODEL, L
from symparam.errors import SpecError, the
from symparam.model import Model

FOLDER = Path(__file__).resolve().parent.parent / "catalogue"

#: A file, what it holds, and one of its models.
_Entry: TypeAlias = tuple[Path, dict[str, Any], dict[str, Any]]

_lineage = cache(read_file)


@cache
def _files() -> tuple[Path, ...]:
    return tuple(sorted(FOLDER.glob("*.json")))


@cache
def _entries() -> dict[str, _Entry]:
    found: dict[str, _Entry] = {}
    for path in _files():
        lineage = _lineage(path)
        for name, entry in lineage["models"].items():
            if name in found:
                raise SpecError(str(path), name, f"also in {found[name][0].name}")
            found[name] = path, lineage, entry
    return found


@cache
def _entry(name: str) -> _Entry | None:
    """The entry of a name; files whose names begin most as it does are read first."""
    plain = re.sub(r"\W", "_", name)
    for path in sorted(_files(), key=lambda path: _alike(path.stem, plain), reverse=True):
        lineage = _lineage(path)
        if name in lineage["models"]:
            return path, lineage, lineage["models"][name]
    return None


def _alike(stem: str, name: str) -> tuple[bool, int]:
    """Whether a name begins with a whole word, and with how many characters of it."""
    same = sum(1 for _ in takewhile(bool, map(str.__eq__, stem, name)))
    return f"{name}_".startswith(f"{stem}_"), same


def is_published(name: str) -> bool:
    """Whether the catalogue has a name; of all files as few as it takes are read.

    >>> is_published("llama-2-7b"), is_published("llama-2-8b")
    (True, False)
    """
    return _entry(name) is not None


def names() -> list[str]:
    """The names in the catalogue, by lineage.

    >>> "llama-2-7b" in names()
    True
    """
    return list(_entries())


def lineages() -> Iterator[tuple[str, list[str]]]:
    """Each lineage's file name with the names of its models."""
    groups: dict[str, list[str]] = {}
    for name, (path, _, _) in _entries().items():
        groups.setdefault(path.stem, []).append(name)
    yield from groups.items()


def configuration(name: str) -> tuple[str, dict[str, Any]] | None:
    """Where the configuration of an entry stands, and what it holds; None where it has none."""
    path, _, entry = the(tuple, _entry(name))
    return (f"{path.name}: {name}", entry["config"]) if "config" in entry else None


def outlines() -> Iterator[tuple[str, int, int]]:
    """Name, depth and width of the entries that state both under a usual name, models unbuilt."""
    for name, (_, _, entry) in _entries().items():
        stated = entry.get("config") or entry["dims"]
        sizes = [next((stated[key] for key in (dim.name, *dim.aliases) if key in stated), None)
                 for dim in (L, D_MODEL)]
        if isinstance(sizes[0], int) and isinstance(sizes[1], int):
            yield name, sizes[0], sizes[1]


def stated() -> Iterator[tuple[str, dict[str, int]]]:
    """Name and dims of the entries, those stated as whole numbers under a usual name; models
    unbuilt.

    >>> dict(stated())["llama-2-7b"]["d_ff"]
    11008
    """
    names = {key: dim.name for dim in COMMON for key in (dim.name, *dim.aliases)}
    for name, (_, _, entry) in _entries().items():
        said = entry.get("config") or entry["dims"]
        yield name, {names[key]: value for key, value in said.items()
                     if key in names and type(value) is int}


def published(name: str, read_as: ReadAs = PLAIN) -> Model:
    """A published model by its name, which is one of :func:`names`; each is built once."""
    return _built(the(str, name), read_as)


@cache
def _built(name: str, read_as: ReadAs) -> Model:
    path, lineage, entry = the(tuple, _entry(name))
    where = f"{path.name}: {name}"
    if "config" in entry:
        model = read_config(where, entry["config"], name, read_as)
    else:
        read_as.refuse(f"the catalogue's entry of {name} has no configuration")
        from symparam.descriptions.architecture.architecture_file import describe_model

        data = {**lineage["architecture"], "dims": entry["dims"]}
        model = describe_model(where, data, name)
    return replace(model, source=entry.get("source") or lineage["source"],
                   claim=entry.get("claim", ""), note=entry.get("note", ""))
