"""Configurations that are no JSON and no TOML: YAML, lines of Python, a launch script's options."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from symparam.descriptions.yaml import MAX_BYTES, parse_yaml
from symparam.errors import FileError, SpecError
from symparam.files.reading import read_text

MAX_LINES = 5_000

#: ``name = value``, with a type after the name in a dataclass; a number, a word or a text.
_FIELD = re.compile(r"(?P<key>[A-Za-z_]\w{0,60})[ \t]*(?::[^=#\n]{1,60})?=[ \t]*"
                    r"(?P<value>[^#\n]{1,200})", re.ASCII)
_WORDS = {"True": True, "False": False, "None": None, "true": True, "false": False}
_INTEGER = re.compile(r"[+-]?[0-9][0-9_]{0,30}")
_FLOAT = re.compile(r"[+-]?[0-9]{0,20}\.?[0-9]{0,20}(?:[eE][+-]?[0-9]{1,3})?")
_TEXT = re.compile(r"'[^'\"]*'|\"[^'\"]*\"")
_WORD = re.compile(r"[^\s\\\"'()]{1,200}")
_OPTION = re.compile(r"--[a-z][a-z0-9-]{1,60}(?:=.{1,100})?", re.ASCII)
_PRODUCT = re.compile(r"[0-9_]{1,30}(?:[ ]*\*[ ]*[0-9_]{1,30}){1,8}")


def read_written(path: Path) -> dict[str, Any]:
    """The keys and values of such a file; nothing of it is run.

    Raises:
        SpecError: it cannot be read, or says what is neither a number, a word nor a text.
    """
    where = str(path)
    try:
        text = read_text(path, "a configuration", MAX_BYTES)
    except FileError as error:
        raise SpecError(where, "", error.problem) from None
    if text.count("\n") > MAX_LINES:
        raise SpecError(where, "", f"more than {MAX_LINES} lines")
    if path.suffix == ".sh":
        return options_of(where, text)
    if path.suffix == ".py":
        return fields_of(where, text)
    try:
        data = parse_yaml(text)
    except ValueError as error:
        raise SpecError(where, "", f"not YAML: {str(error)[:200]}") from None
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise SpecError(where, "", "expected a table of keys and values")
    return data


def value_of(text: str) -> Any:
    """A value as it is written: a number, a product of numbers, a word, a text.

    Raises:
        ValueError: it is none of these.

    >>> value_of("1_024"), value_of("5 * 8"), value_of("True"), value_of("'x'"), value_of("1e-4")
    (1024, 40, True, 'x', 0.0001)
    """
    text = text.strip().rstrip(",;").strip()
    if text in _WORDS:
        return _WORDS[text]
    if _TEXT.fullmatch(text):
        return text[1:-1]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _PRODUCT.fullmatch(text):
        result = 1
        for factor in text.split("*"):
            result *= int(factor)
        return result
    if _FLOAT.fullmatch(text) and any(c.isdigit() for c in text):
        return float(text)
    raise ValueError(text)


def fields_of(where: str, text: str) -> dict[str, Any]:
    """The fields of a dataclass, or the settings of a file, line by line.

    Lines that set nothing are passed over; a name that is set twice is refused, and so is a value
    that would have to be run, once somebody reads its key.
    """
    found: dict[str, Any] = {}
    for line in text.splitlines():
        match = _FIELD.match(line.strip())
        if match is None or match["value"].startswith("="):
            continue
        if match["key"] in found:
            raise SpecError(where, match["key"], "is set twice")
        try:
            found[match["key"]] = value_of(match["value"])
        except ValueError:
            found[match["key"]] = match["value"].strip()
    return found


def options_of(where: str, text: str) -> dict[str, Any]:
    """The options of a launch script, ``--num-layers 32``; one without a value is true.

    A value that stands in a variable is taken where the script sets it to a number or a word.
    """
    variables = {match[1]: match[2] for match in re.finditer(
        r"^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w{0,60})=([\w.]{1,60})[ \t]*$", text, re.MULTILINE)}
    found: dict[str, Any] = {}
    for line in text.splitlines():
        words = [] if line.lstrip().startswith("#") else _WORD.findall(line)
        for word, after in zip(words, [*words[1:], "--"], strict=False):
            if _OPTION.fullmatch(word):
                _take(where, found, word, after, variables)
    return found


def _take(where: str, found: dict[str, Any], word: str, after: str,
          variables: Mapping[str, str]) -> None:
    """An option with the value behind its name or in the next word."""
    key, same, value = word[2:].partition("=")
    value = value if same else after
    if key in found:
        raise SpecError(where, f"--{key}", "stands twice")
    if variable := re.fullmatch(r"\$\{?([A-Za-z_]\w*)\}?", value):
        value = variables.get(variable[1], value)
    if value.startswith("--"):
        found[key] = True
        return
    try:
        found[key] = value_of(value)
    except ValueError:
        found[key] = value
