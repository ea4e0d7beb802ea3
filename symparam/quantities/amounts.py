"""Amounts as people write them: ``24GB``, ``80GiB``, ``250e6``, ``4.8``; exact, never floats."""

from __future__ import annotations

import re
from fractions import Fraction

from symparam.arithmetic import over
from symparam.errors import BadValue, SymparamError
from symparam.grammar import constant, parse_rule
from symparam.ledger import Number

_UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KiB": 2**10, "MiB": 2**20,
          "GiB": 2**30, "TiB": 2**40, "B": 1}
_AMOUNT = re.compile(r"\s*(.*?)\s*([KMGT]i?B|B)\s*", re.ASCII)


def quantity_of(name: str, text: str) -> Number:
    """An exact number, whole or not.

    Raises:
        BadValue: not a number, or not more than 0.

    >>> quantity_of("x", "4.8"), quantity_of("x", "250e6")
    (Fraction(24, 5), 250000000)
    """
    try:
        value = constant(parse_rule(text))
    except SymparamError as error:
        problem = getattr(error, "problem", str(error))
        raise BadValue(name, text, f"expected a number: {problem}") from None
    if value is None or value <= 0:
        raise BadValue(name, text, "expected a number more than 0")
    return over(Fraction(value), 1)


def memory_of(text: str) -> str | int:
    """Bytes from ``24GB`` or ``80GiB``; any other text is the name of a device.

    Raises:
        BadValue: an amount that is no whole number of bytes.

    >>> memory_of("24GB"), memory_of("1.5 GiB"), memory_of("a100-80gb")
    (24000000000, 1610612736, 'a100-80gb')
    """
    found = _AMOUNT.fullmatch(text)
    if found is None or not found[1][:1].isdigit():
        return text
    value = quantity_of("device", found[1]) * _UNITS[found[2]]
    if Fraction(value).denominator != 1:
        raise BadValue("device", text, "is not a whole number of bytes")
    return int(value)
