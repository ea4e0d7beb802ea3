"""The words of the closed grammar: numbers with their suffixes, names and signs.

Numbers are exact and bounded, so that reading a text always ends at once.
"""

from __future__ import annotations

import re
from fractions import Fraction

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.errors import ParseError

MAX_LENGTH = 10_000
MAX_DIGITS = 40

#: Decimal suffixes are powers of 1000, those with an i powers of 1024.
SUFFIXES = {"k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9, "G": 10**9, "T": 10**12,
            "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?)"
    r"(?P<suffix>[A-Za-z_]\w*)?"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<op>\*\*|[-+*/()=,]))", re.ASCII)

_HINTS = {
    "^": "write ** for a power", "×": "write * for a product", "·": "write * for a product",
    "−": "write - for a minus", "[": "write parentheses ( )", ":": "ranges belong to sweep",
}


@dataclass(frozen=True)
class Token:
    """One word of the grammar: its kind, its text, where it stands."""

    kind: str
    text: str
    position: int
    value: ex.Rational = 0


def tokenize(text: str) -> list[Token]:
    """The words of a text.

    Raises:
        ParseError: a character that the grammar does not have, or a text over its bounds.

    >>> [(each.kind, each.text, each.value) for each in tokenize("2.5*V + 128Ki")]
    [('number', '2.5', Fraction(5, 2)), ('op', '*', 0), ('name', 'V', 0), ('op', '+', 0), \
('number', '128', 131072)]
    """
    if len(text) > MAX_LENGTH:
        raise ParseError(text, MAX_LENGTH, f"longer than {MAX_LENGTH} characters")
    tokens: list[Token] = []
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            position += len(text[position:]) - len(text[position:].lstrip(" \t\n\r\f\v"))
            shown = text[position]
            raise ParseError(text, position, _HINTS.get(shown, f"{shown!r} has no meaning here"))
        start = match.start() + len(match[0]) - len(match[0].lstrip())
        tokens.append(_token(text, match, start))
        position = match.end()
    return tokens


def _token(text: str, match: re.Match[str], start: int) -> Token:
    if match["number"] is not None:
        return Token("number", match["number"], start, _number(text, match, start))
    kind = "name" if match["name"] else "op"
    return Token(kind, match[0].strip(), start)


def _number(text: str, match: re.Match[str], start: int) -> ex.Rational:
    digits, suffix = match["number"].replace("_", ""), match["suffix"]
    mantissa, _, exponent = digits.lower().partition("e")
    if len(mantissa) > MAX_DIGITS:
        raise ParseError(text, start, f"a number of more than {MAX_DIGITS} digits")
    if exponent and (len(exponent) > 4 or abs(int(exponent)) > MAX_DIGITS):
        raise ParseError(text, start, f"an exponent beyond {MAX_DIGITS}")
    value = Fraction(mantissa) * Fraction(10) ** int(exponent or 0)
    if suffix and suffix not in SUFFIXES:
        hint = f"{digits}{suffix[0].upper()}" if suffix in {"b", "m", "g", "t"} else ""
        problem = f"did you mean {hint}?" if hint else (
            f"{suffix!r} is no suffix of a number (k M B T, Ki Mi Gi); write * for a product")
        raise ParseError(text, start + len(match["number"]), problem)
    return ex.whole(value * SUFFIXES[suffix] if suffix else value)
