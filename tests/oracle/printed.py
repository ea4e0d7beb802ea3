"""What a printed page says: every equation of a plain text found, and worked out as a reader would.

Nothing is known here of the package that prints: a page is text, and a formula is sums, products,
quotients, powers and square roots of numbers and names, exactly as school writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt

_NAME = "[A-Za-zΑ-Ωα-ω][A-Za-zΑ-Ωα-ω0-9_]*′?"
_TOKEN = re.compile(rf"\s*(?:(\d{{1,3}}(?:,\d{{3}})+|\d+(?:\.\d+)?)|({_NAME})|([²³⁰¹⁴-⁹⁻]+)|(.))")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
#: A left side: a name, a derivative, or the difference of two totals.
_LEFT = rf"(?:∂?{_NAME}(?:/∂{_NAME})?|P′ − P)"
_FIRST = re.compile(rf"   ({_LEFT}) (=|≈|>|<) (.*)")
_ALONE = re.compile(rf"   ({_LEFT})$")
_NEXT = re.compile(r" {4,}(?:(=|≈) )?(.*)")
_LABEL = re.compile(r"\[[^\]]*\]")


@dataclass
class Equation:
    """A left side and what stands behind each sign, as text.

    Attributes:
        left: a name, a derivative such as ∂P/∂L, or a difference.
        sides: sign and formula, one after another.
        heading: the last words before it.
    """

    left: str
    sides: list[tuple[str, str]] = field(default_factory=list)
    heading: str = ""

    def exact(self) -> list[str]:
        """The formulas that are said to be equal to the left side."""
        return [_LABEL.sub("", text) for sign, text in self.sides if sign == "="]


def equations(page: str) -> list[Equation]:
    """Every displayed equation of a page of text, lines that go on joined."""
    return list(_equations(page.splitlines()))


def _equations(lines: list[str]) -> Iterator[Equation]:
    own: Equation | None = None
    heading = ""
    for i, line in enumerate(lines):
        first, alone, more = _FIRST.fullmatch(line), _ALONE.fullmatch(line), _NEXT.fullmatch(line)
        begun = alone and i + 1 < len(lines) and re.match(" +[=≈] ", lines[i + 1])
        if first or begun:
            if own:
                yield own
            own = Equation(first[1], [(first[2], first[3])], heading) if first else (
                Equation(alone[1], [], heading) if alone else None)
        elif own and more and more[1]:
            own.sides.append((more[1], more[2]))
        elif own and more:
            sign, text = own.sides.pop()
            own.sides.append((sign, f"{text} {more[2]}"))
        elif own:
            yield own
            own = None
        if not own and line.strip():
            heading = line
    if own:
        yield own


def value(text: str, at: Mapping[str, Fraction]) -> Fraction:
    """A formula on numbers, exactly; a root that is no fraction to 40 digits.

    Raises:
        KeyError: a name without a number.
        ValueError: what is no formula.
    """
    reader = _Reader(text, at)
    found = reader.sum()
    if reader.peek():
        raise ValueError(f"{reader.peek()!r} in {text!r}")
    return found


def names(text: str) -> set[str]:
    """The names in a formula."""
    return {match[2] for match in _TOKEN.finditer(_LABEL.sub("", text)) if match[2]}


class _Reader:
    """Sums of products of powers, from left to right."""

    def __init__(self, text: str, at: Mapping[str, Fraction]) -> None:
        self.tokens = list(_TOKEN.finditer(text.strip()))
        self.place, self.at = 0, at

    def peek(self) -> str:
        return self.tokens[self.place][0].strip() if self.place < len(self.tokens) else ""

    def take(self, *wanted: str) -> str:
        token = self.peek()
        if wanted and token not in wanted:
            return ""
        self.place += 1
        return token

    def sum(self) -> Fraction:
        sign = -1 if self.take("−", "-") else 1
        self.take("+")
        total = sign * self.product()
        while mark := self.take("+", "−", "-"):
            total += self.product() if mark == "+" else -self.product()
        return total

    def product(self) -> Fraction:
        result = self.power()
        while mark := self.take("·", "×", "/"):
            factor = self.power()
            result = result * factor if mark != "/" else result / factor
        return result

    def power(self) -> Fraction:
        base = self.base()
        if self.place < len(self.tokens) and (raised := self.tokens[self.place][3]):
            self.place += 1
            return base ** int(raised.translate(_RAISED))
        return base

    def base(self) -> Fraction:
        if self.take("("):
            inner = self.sum()
            if not self.take(")"):
                raise ValueError(f"a bracket is not closed before {self.peek()!r}")
            return inner
        if self.take("√"):
            return root(self.base())
        if self.take("−", "-"):
            return -self.power()
        number, name = (self.tokens[self.place][i] for i in (1, 2)) if self.peek() else ("", "")
        self.take()
        if number:
            return Fraction(number.replace(",", ""))
        if name:
            return self.at[name]
        raise ValueError("a number, a name or a bracket is expected")


def root(number: Fraction) -> Fraction:
    """The square root: exact where it is one, else to 40 digits."""
    top, bottom = isqrt(number.numerator), isqrt(number.denominator)
    if Fraction(top, bottom) ** 2 == number:
        return Fraction(top, bottom)
    scale = 10**40
    return Fraction(isqrt(number.numerator * number.denominator * scale**2),
                    number.denominator * scale)
