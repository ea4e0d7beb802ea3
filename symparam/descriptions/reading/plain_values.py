"""A value as a file's line has it: a number, a product of numbers, a word, a text."""

from __future__ import annotations

import re
from typing import Any

_WORDS = {"True": True, "False": False, "None": None, "true": True, "false": False}
_INTEGER = re.compile(r"[+-]?[0-9][0-9_]{0,30}")
_FLOAT = re.compile(r"[+-]?[0-9]{0,20}\.?[0-9]{0,20}(?:[eE][+-]?[0-9]{1,3})?")
_TEXT = re.compile(r"'[^'\"]*'|\"[^'\"]*\"")
_PRODUCT = re.compile(r"[0-9_]{1,30}(?:[ ]*\*[ ]*[0-9_]{1,30}){1,8}")


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
