"""Configurations that are no JSON and no TOML: YAML, Python, a launch script's options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from symparam.descriptions.reading.source import SCRIPTS
from symparam.descriptions.reading.yaml import MAX_BYTES, parse_yaml
from symparam.errors import FileError, SpecError
from symparam.files.reading import read_text

MAX_LINES = 5_000


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
    if path.suffix in SCRIPTS:
        return options_of(where, text)
    if path.suffix == ".py":
        from symparam.descriptions.reading.python_file import fields_of

        return fields_of(where, text)
    try:
        data = parse_yaml(text)
    except ImportError:
        raise SpecError(where, "", "YAML needs PyYAML: pip install 'symparam[yaml]'") from None
    except ValueError as error:
        raise SpecError(where, "", f"not YAML: {str(error)[:200]}") from None
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise SpecError(where, "", "expected a table of keys and values")
    return data


def options_of(where: str, text: str) -> dict[str, Any]:
    """The options of a launch script, ``--num-layers 32``; one without a value is true.

    Raises:
        SpecError: it cannot be followed, or gives no command that trains a model.
    """
    from symparam.descriptions.shell.options import options_in

    try:
        return options_in(text, ("num-layers", "hidden-size"))
    except ValueError as error:
        raise SpecError(where, "", str(error)[:200]) from None
