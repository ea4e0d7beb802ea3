"""Sums of a shell, ``$((4 * HIDDEN))``: whole numbers, fractions cut off.

Source: POSIX.1-2017, Shell Command Language, 2.6.4.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_TOKEN = re.compile(r"\s*(?:(?P<number>[0-9]{1,30})|(?P<name>[A-Za-z_]\w*)|"
                    r"(?P<sign>\*\*|<=|>=|==|!=|&&|\|\||[-+*/%()<>!]))")
#: What is put in as text before a sum is read, and what sets a variable in passing.
_PUT_IN = re.compile(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})")
_SETS = re.compile(r"(?:\+\+|--)\s*[A-Za-z_]|[A-Za-z_]\w*\s*(?:\+\+|--)")
_LOGIC = {"||", "&&"}
_ORDER = ({"||"}, {"&&"}, {"==", "!="}, {"<", ">", "<=", ">="}, {"+", "-"}, {"*", "/", "%"})
_DEEPEST, _LARGEST = 30, 2**63


class NoNumber(ValueError):
    """A sum of which all is known, and that has no value; it says why."""


def value_of_sum(text: str, number_of: Callable[[str], int | None]) -> int | None:
    """The value of a sum; None where it is of another kind, or a name in it has no number.

    Raises:
        NoNumber: all in it is known, and it is too large, or divides by zero.

    >>> value_of_sum("2 ** 3 ** 2 * 3", {}.get)
    1536
    >>> value_of_sum("8 * H / 3 / 64 * 64", {"H": 4096}.get)
    10880
    >>> value_of_sum("x = 3", {}.get)
    >>> value_of_sum("2 - $M", {"M": -3}.get), value_of_sum("N--$M", {"M": 3, "N": 1}.get)
    (5, None)
    """
    found: list[str | int] = []
    text = _PUT_IN.sub(lambda put: str(number_of(put[1] or put[2])), text).strip()
    if _SETS.search(text):
        return None
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            return None
        at = match.end()
        if match["number"]:
            if match["number"].startswith("0") and len(match["number"]) > 1:  # octal
                return None
            found.append(int(match["number"]))
        elif match["name"]:
            number = number_of(match["name"])
            if number is None:
                return None
            found.append(number)
        else:
            found.append(match["sign"])
    try:
        reader = _Reader(found)
        value = reader.level(0)
    except (ValueError, IndexError) as error:
        if isinstance(error, NoNumber) and not _LOGIC & set(found):  # else it may not be reached
            raise
        return None
    return value if reader.at == len(found) else None


class _Reader:
    def __init__(self, tokens: list[str | int]) -> None:
        self.tokens, self.at, self.depth = tokens, 0, 0

    def level(self, order: int) -> int:
        """A sum of the signs of this order and those that bind stronger."""
        if order == len(_ORDER):
            return self._power()
        value = self.level(order + 1)
        while self.at < len(self.tokens) and self.tokens[self.at] in _ORDER[order]:
            sign = self.tokens[self.at]
            self.at += 1
            value = _applied(str(sign), value, self.level(order + 1))
        return value

    def _power(self) -> int:
        value = self._single()
        if self.tokens[self.at:self.at + 1] != ["**"]:
            return value
        self.at += 1
        return _applied("**", value, self._power())

    def _single(self) -> int:
        token = self.tokens[self.at]
        self.at += 1
        self.depth += 1
        if self.depth > 10 * _DEEPEST:
            raise ValueError
        if isinstance(token, int):
            return token
        if token in {"-", "+", "!"}:
            value = self._single()
            return -value if token == "-" else value if token == "+" else int(not value)
        if token != "(":
            raise ValueError
        value = self.level(0)
        if self.tokens[self.at] != ")":
            raise ValueError
        self.at += 1
        return value


def _applied(sign: str, left: int, right: int) -> int:
    if sign in {"/", "%"}:
        if not right:
            raise NoNumber("divides by zero")
        whole = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return whole if sign == "/" else left - whole * right
    if sign == "**":
        if right < 0:
            raise NoNumber("has a power below zero")
        return _bounded(left ** min(right, 64 if abs(left) > 1 else 2 - right % 2))
    value = {"+": left + right, "-": left - right, "*": left * right,
             "<": int(left < right), ">": int(left > right), "<=": int(left <= right),
             ">=": int(left >= right), "==": int(left == right), "!=": int(left != right),
             "&&": int(bool(left and right)), "||": int(bool(left or right))}[sign]
    return _bounded(value)


def _bounded(value: int) -> int:
    if abs(value) >= _LARGEST:
        raise NoNumber("is too large (64 bits)")
    return value
