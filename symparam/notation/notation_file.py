"""Notations by name, or from a TOML file of a user's own (docs/notation.md)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from symparam.descriptions.reading.source import DataTable, guarded, read_file
from symparam.dims import NOTATION_SUFFIX, TOTAL, Names, canonical, known_dims
from symparam.errors import SymparamError, UnknownName
from symparam.letters import Letter, read
from symparam.model import Model, names_of
from symparam.notation.notation import PRESETS, Notation, latex_of

#: How many characters of plain text a line of a page may take.
LINES = (30, 160)
LONGEST = 40
_TEXT = re.compile(r"[^\W\d_][\w.,/*-]*")


def notation_of(value: str | Path | Notation | None, extra: Collection[str] = ()) -> Notation:
    """A notation by its name, by the path of a file, or as it is; None is the usual one.

    Args:
        value: ``hf``, ``mine.toml``, a notation.
        extra: further names of dims that a file may map: a description's own.

    Raises:
        UnknownName: neither a preset nor a path that ends in ``.toml``. SpecError: what is wrong
            in the file, and where.

    >>> str(notation_of("palm").letter("n_heads")), notation_of(None).name
    ('H', 'paper')
    """
    if isinstance(value, Notation):
        return value
    name = str(value or "paper")
    if name in PRESETS:
        return PRESETS[name]
    if not name.endswith(NOTATION_SUFFIX):
        raise UnknownName("notation", name, PRESETS)
    return read_notation(Path(name), extra)


def notation_for(model: Model, value: str | Path | Notation | None = None,
                 *others: Model) -> Notation:
    """A notation with the letters of a model's own dims.

    Args:
        model: which one.
        value: as for :func:`notation_of`; the model's own notation if None.
        *others: further models of the same answer; the first one's letters hold.

    Raises:
        UnknownName, SpecError: as :func:`notation_of` does.
    """
    models = (model, *others)
    found = notation_of(value or model.notation, names_of(models))
    letters = {dim.name: dim.letter for each in reversed(models) for dim in each.own_dims}
    return replace(found, letters={**letters, **found.letters}) if letters else found


def read_notation(path: Path, extra: Collection[str] = ()) -> Notation:
    """A notation from a file.

    Args:
        path: of a TOML file.
        extra: names that may be mapped besides the known dims.

    Raises:
        SpecError: a key or a dim that is not known, a value that is no letter, or two dims
            that would look the same.
    """
    top = DataTable(str(path), read_file(path))
    top.only_keys(("name", "source", "latex", "text", "line"))
    letters, plain = top.table("latex", {}), top.table("text", {})
    own = {dim: _letter(letters, key) for dim, key in _dims(letters, extra).items()}
    text = {dim: _plain(plain, key) for dim, key in _dims(plain, extra).items()}
    line = top.integer("line", 80)
    if not LINES[0] <= line <= LINES[1]:
        raise top.error("line", f"expected characters in a line, {LINES[0]} to {LINES[1]}, found "
                        f"{line}")
    found = Notation(top.text("name", path.stem)[:LONGEST], top.text("source", ""), own,
                     {**{dim: str(each) for dim, each in own.items()}, **text}, line)
    _refuse_twins(top, found, extra)
    return found


def _dims(table: DataTable, extra: Collection[str]) -> dict[str, str]:
    """Each dim that a table maps, with the key that names it."""
    found: dict[str, str] = {}
    for key in table.data:
        try:
            dim = canonical(key, extra)
        except SymparamError as error:
            raise table.error(key, str(error)) from None
        if dim == TOTAL.name:
            raise table.error(key, "P is the total and is written P; the parts have names from it")
        if dim in found:
            raise table.error(key, f"{dim} stands here twice: as {found[dim]} and as {key}")
        found[dim] = key
    return found


def _letter(table: DataTable, key: str) -> Letter:
    """The letter that a key of a file maps a dim to."""
    return guarded(table, key, lambda: read(table.text(key)))


def _plain(table: DataTable, key: str) -> str:
    value = table.text(key)
    if not _TEXT.fullmatch(value) or not value.isprintable() or len(value) > LONGEST:
        raise table.error(key, f"expected a word of at most {LONGEST} characters that begins with "
                          "a letter: letters, digits and any of _ , . / * -")
    return value


def _refuse_twins(top: DataTable, notation: Notation, extra: Collection[str]) -> None:
    """Refuse two dims that look the same; those that are not mapped keep the usual letters."""
    own = extra.values() if isinstance(extra, Names) else extra
    names = dict.fromkeys([*(dim.name for dim in known_dims()), *own])
    for kind, mapped, shown in (
            ("latex", set(notation.letters), {n: latex_of(notation.letter(n)) for n in names}),
            ("text", set(notation.text), {n: notation.text.get(n, n) for n in names})):
        both = twins(shown, mapped)
        if both:
            one, other = both
            raise top.error(f"{kind}.{one if one in mapped else other}",
                            f"{one} and {other} would both be written {shown[one]}")


def twins(letters: Mapping[str, str], mapped: Iterable[str]) -> tuple[str, str] | None:
    """Two dims with the same letter, one of which at least is mapped; None where there are none.

    >>> twins({"a": "x", "b": "y", "c": "x"}, {"c"}), twins({"a": "x", "b": "x"}, ())
    (('a', 'c'), None)
    """
    first: dict[str, str] = {}
    own = set(mapped)
    for dim, shown in letters.items():
        other = first.setdefault(shown, dim)
        if other != dim and {dim, other} & own:
            return other, dim
    return None
