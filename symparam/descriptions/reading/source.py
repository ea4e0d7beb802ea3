"""Reading files and walking the data in them, with the path of whatever is wrong.

Sizes are bounded, numbers are exact, a key that stands twice is an error, and an unread key is
an error too: what is not understood is never passed over.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar

from symparam.errors import FileError, SpecError, SymparamError, nearest
from symparam.files.reading import STDIN, decoded, read_bytes, read_stdin

#: Endings of launch scripts, and of all configurations that are no JSON and no TOML
#: (:mod:`symparam.descriptions.reading.written`).
SCRIPTS = (".sh", ".bash", ".slurm", ".sbatch")
WRITTEN = (".yaml", ".yml", ".py", *SCRIPTS)
MAX_BYTES = 4 * 2**20
#: TOML is written by hand; its reader needs some hundred times the memory of what it reads.
MAX_TOML = 2**18
#: Names between the dots of a key, and digits in a row.
MAX_PARTS, MAX_DIGITS = 16, 200
#: Characters of a model's name, which stands on one line of a picture.
MAX_NAME = 1_000
_PART = r"(?:(?<![\w-])[\w-]++|\"[^\"\n]*+\"|'[^'\n]*+')"
_LONG_KEY = rf"{_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{MAX_PARTS}}}"
_WHAT = "a description"
_T = TypeVar("_T")
_REQUIRED: Any = object()

#: How a Git-LFS pointer begins (git-lfs, docs/spec.md).
_POINTER = b"version https://git-lfs.github.com/spec/"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} stands twice")
        found[key] = value
    return found


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number")


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:  # of all digits, so that there are more than Python reads
        raise ValueError(f"a number of {len(text.lstrip('-')):,} digits") from None


_STRICT = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse_constant,
                           parse_int=_whole)
_LENIENT = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=float, parse_int=_whole)


def parse_json(text: str, *, python: bool = False, most: int = 2**62) -> Any:
    """JSON, strictly: no key twice, no bottomless nesting, no NaN.

    Args:
        text: what a file holds.
        python: whether ``Infinity``, ``-Infinity`` and ``NaN`` are numbers, as Python writes them:
            a ``config.json`` may have them. What they stand for is the reader's to judge.
        most: values that there may be; it is counted by commas and brackets, before any is made.

    Raises:
        ValueError: what is wrong, in one line.

    >>> parse_json('{"time_step_limit": [0.0, Infinity]}', python=True)
    {'time_step_limit': [0.0, inf]}
    """
    if sum(map(text.count, ",[{")) > most:
        raise ValueError(f"more than {most:,} values")
    try:
        return (_LENIENT if python else _STRICT).decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def parse_toml(text: str) -> Any:
    """TOML, its reader loaded when a TOML file is read.

    Raises:
        ValueError: what is wrong, in one line; it is longer than a person writes, or a key in it.

    >>> parse_toml("a.b = 1")
    {'a': {'b': 1}}
    """
    import re
    import tomllib

    if len(text) > MAX_TOML:
        raise ValueError(f"larger than {MAX_TOML // 2**10} KiB")
    # What either takes grows with its square in the reader, and would not end.
    if re.search(_LONG_KEY, text):
        raise ValueError(f"a key of more than {MAX_PARTS} parts")
    if re.search(rf"[0-9_]{{{MAX_DIGITS + 1}}}", text):
        raise ValueError(f"a number of more than {MAX_DIGITS} digits")
    return tomllib.loads(text)


def no_content(start: bytes) -> str:
    """Why a file has nothing to read, by its first bytes; empty where it may have something.

    >>> no_content(b""), no_content(b"{}")
    ('is empty', '')
    """
    if not start:
        return "is empty"
    if start.startswith(_POINTER[:max(8, len(start))]):
        return ("is a Git-LFS pointer, which stands for the file itself: fetch that with "
                "'git lfs pull'")
    return ""


def read_file(path: Path) -> dict[str, Any]:
    """The table that a TOML or JSON file holds.

    Raises:
        SpecError: not there, no regular file, too large, not text, not TOML or JSON, or not a
            table.
    """
    try:
        return _table(read_bytes(path, _WHAT, MAX_BYTES), str(path), path.suffix == ".toml")
    except FileError as error:
        raise SpecError(error.where, "", error.problem) from None


def read_standard_input() -> dict[str, Any]:
    """The table that standard input gives, as JSON if it begins with a brace and else as TOML.

    Raises:
        SpecError: as :func:`read_file`.
    """
    try:
        raw = read_stdin(_WHAT, MAX_BYTES)
        return _table(raw, STDIN, not raw.lstrip(b" \t\r\n\xef\xbb\xbf").startswith(b"{"))
    except (FileError, SpecError) as error:
        raise SpecError(STDIN, "", f"{error.problem}; it may be TOML or JSON: a file of another "
                        "kind (.sh, .yaml, .gguf, .csv) is named by its path") from None


def _table(raw: bytes, where: str, toml: bool) -> dict[str, Any]:
    if problem := no_content(raw[:len(_POINTER)]):
        raise SpecError(where, "", problem)
    text = decoded(raw, where)
    try:
        data = parse_toml(text) if toml else parse_json(text, python=True)
    except RecursionError:
        raise SpecError(where, "", "nested too deeply") from None
    except ValueError as error:
        raise SpecError(where, "", f"not {'TOML' if toml else 'JSON'}: {str(error)[:200]}"
                        ) from None
    if not isinstance(data, dict):
        raise SpecError(where, "", "expected a table of keys and values")
    return data


class Unsure(NamedTuple):
    """In place of a value: what stands there is in doubt.

    Attributes:
        why: with the place, for the message to whoever reads the value.
        alone: whether the key is certain, and only what stands behind it is unknown.
    """

    why: str
    alone: bool = False


class Taken(NamedTuple):
    """In place of a value: one that is from a default, which is told where the value is read."""

    value: Any
    told: str


def certain(data: Mapping[str, Any]) -> dict[str, Any]:
    """The keys whose values are known, with these.

    >>> certain({"a": 1, "b": Taken(2, "line 3"), "c": Unsure("line 4")})
    {'a': 1, 'b': 2}
    """
    return {key: value.value if isinstance(value, Taken) else value
            for key, value in data.items() if not isinstance(value, Unsure)}


class DataTable:
    """A table that remembers which of its keys were read, and where it stands."""

    def __init__(self, where: str, data: Any, path: str = "") -> None:
        self.where, self.path = where, path
        if not isinstance(data, dict):
            raise self.error("", f"expected a table, found {shown(data)}")
        self.data: Mapping[str, Any] = data
        self.read: set[str] = set()
        self.taken: list[str] = []

    def error(self, key: str, problem: str) -> SpecError:
        """An error at a key of this table."""
        return SpecError(self.where, self.below(key), problem)

    def below(self, key: str) -> str:
        """The path of a key."""
        return ".".join(part for part in (self.path, key) if part)

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def raw(self, key: str, default: Any = _REQUIRED) -> Any:
        """A value as it stands; it counts as read."""
        self.read.add(key)
        if key not in self.data:
            if default is _REQUIRED:
                raise self.error("", f"{key} is missing")
            return default
        value = self.data[key]
        if isinstance(value, Unsure):
            raise self.error(key, value.why)
        if isinstance(value, Taken):
            self.taken.append(f"{key} = {shown(value.value)} ({value.told})")
            return value.value
        return value

    def _typed(self, key: str, kind: type[_T], name: str, default: Any) -> _T:
        value = self.raw(key, default)
        if key not in self.data:
            return value  # type: ignore[no-any-return]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.error(key, f"expected {name}, found {shown(value)}")
        return value

    def integer(self, key: str, default: Any = _REQUIRED) -> int:
        """A whole number."""
        return self._typed(key, int, "a whole number", default)

    def boolean(self, key: str, default: Any = _REQUIRED) -> bool:
        """True or false."""
        return self._typed(key, bool, "true or false", default)

    def text(self, key: str, default: Any = _REQUIRED) -> str:
        """A text."""
        return self._typed(key, str, "a text", default)

    def name(self, default: str) -> str:
        """What a description calls itself: as long as a name can be."""
        found = self.text("name", default)
        if len(found) > MAX_NAME:
            raise self.error("name", f"longer than {MAX_NAME:,} characters")
        return found

    def table(self, key: str, default: Any = _REQUIRED) -> DataTable:
        """A table below."""
        return DataTable(self.where, self.raw(key, default), self.below(key))

    def tables(self, key: str) -> list[DataTable]:
        """A list of tables below."""
        value = self.raw(key)
        if not isinstance(value, list) or not value:
            found = "an empty list" if value == [] else shown(value)
            raise self.error(key, f"expected a list of tables, found {found}")
        return [DataTable(self.where, each, f"{self.below(key)}[{i}]")
                for i, each in enumerate(value)]

    def finish(self) -> None:
        """Raise SpecError for a key that nobody read."""
        self.only_keys(self.read)

    def only_keys(self, names: Collection[str]) -> None:
        """Raise SpecError for a key that is none of these."""
        for key in self.data:
            if key not in names:
                near = nearest(str(key), names)
                hint = f"did you mean {' or '.join(near)}?" if near else (
                    f"known here: {', '.join(sorted(names))}")
                raise self.error(str(key)[:60], f"unknown key; {hint}")


def shown(value: Any) -> str:
    """A value, short enough for a message."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except ValueError:
        text = "a huge number"
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= 40 else text[:37] + "..."


def guarded(table: DataTable, key: str, call: Callable[[], _T]) -> _T:
    """What a call returns; its error gets the path into the file.

    Raises:
        SpecError: in place of an error that names no place.
    """
    try:
        return call()
    except SymparamError as error:
        if hasattr(error, "path"):
            raise
        raise table.error(key, str(error)) from None
