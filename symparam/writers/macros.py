r"""TeX macros: one ``\newcommand`` for each number of a document, so that prose can cite it."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from fractions import Fraction

from symparam.dataclass import dataclass
from symparam.errors import BadValue
from symparam.notation import numbers
from symparam.writers.document import Document, Named
from symparam.writers.latex import LatexFormat

_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TOKEN = re.compile(r"[A-Za-z]+|[0-9]+|(?<=[0-9])\.(?=[0-9])|[^\x00-\x7f]")
#: The letters with which names that would be the same are told apart.
MARK = 4
#: How many letters of a model's name a macro takes.
LONGEST = 48


def letters(name: str) -> str:
    r"""A name as the letters of a TeX macro: words capitalised, digits spelled.

    Digits that stand together are one word, so that 27 and 2-7 differ.

    >>> letters("llama-2-7b"), letters("x-27"), letters("qwen2.5"), letters("layers[dense].ffn")
    ('LlamaTwoSevenB', 'XTwoseven', 'QwenTwoPointFive', 'LayersDenseFfn')
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return "".join(map(_spelled, _TOKEN.findall(plain)))


def _spelled(token: str) -> str:
    if token == ".":
        return "Point"
    if token.isascii() and token.isdigit():
        token = "".join(_DIGITS[int(digit)] for digit in token)
    elif not token.isascii():  # a letter of another script: its code point, a to p for 0 to f
        token = "u" + "".join(chr(ord("a") + int(digit, 16)) for digit in f"{ord(token):x}")
    return token[0].upper() + token[1:]


@dataclass(frozen=True)
class Macro:
    r"""A macro: its name without the backslash, what it writes, and a remark."""

    name: str
    text: str
    meaning: str


@dataclass(frozen=True)
class MacroFormat(LatexFormat):
    r"""Numbers and formulas as macros; all else as in LaTeX."""

    def macros(self, document: Document) -> list[Macro]:
        """The macros of a document; no two have the same name.

        Raises:
            BadValue: the document names no numbers.
        """
        if not document.numbers:
            raise BadValue("--format", "macros", "this answer has no numbers with names; count, "
                           "derive, solve, sensitivity and diff have some")
        found: dict[str, Macro] = {}
        for of in dict.fromkeys(each.of for each in document.numbers):
            own = [each for each in document.numbers if each.of == of]
            prefix = letters(of) or "Model"
            if len(prefix) > LONGEST:
                prefix = prefix[:LONGEST] + _mark(of)
            if any(f"{prefix}{name}" in found for each in own for name, _ in self._values(each)):
                prefix += _mark(of)
            for macro in self._written(prefix, own):
                found[macro.name] = macro
        return list(found.values())

    def _written(self, prefix: str, own: Iterable[Named]) -> Iterator[Macro]:
        taken: set[str] = set()
        for each in own:
            values = list(self._values(each))
            mark = _mark(each.name) if taken & {name for name, _ in values} else ""
            taken |= {name for name, _ in values}
            for name, text in values:
                yield Macro(f"{prefix}{name}{mark}", text, self.text(each.meaning))

    def _values(self, each: Named) -> Iterator[tuple[str, str]]:
        """What a number is called and how it is written; large ones also in short."""
        name = letters(each.name)
        match each.value:
            case int(value):
                yield name, _signed(value, f"{abs(value):,}".replace(",", "{,}"))
                if each.counts:
                    yield f"{name}Short", _signed(value, united(numbers.short(abs(value))))
            case Fraction() as share:
                yield f"{name}Share", united(numbers.percent(share, 1))
            case expr:
                yield f"{name}Formula", rf"\ensuremath{{{self.math(expr)}}}"


def _signed(value: int, size: str) -> str:
    """A number with its minus, which a text has only inside mathematics."""
    return rf"\ensuremath{{-}}{size}" if value < 0 else size


def united(text: str) -> str:
    r"""A number with its unit, in text and in mathematics alike.

    >>> print(united("6.74 B"), united("<0.1 %"), united("1.23 ·10²⁴"))
    6.74\,B \ensuremath{<}0.1\,\% \ensuremath{1.23 \cdot 10^{24}}
    """
    number, _, unit = text.partition(" ")
    if unit.startswith("·"):
        power = unicodedata.normalize("NFKC", unit)[3:]
        return rf"\ensuremath{{{number} \cdot 10^{{{power}}}}}"
    sign = r"\ensuremath{<}" if number.startswith("<") else ""
    return sign + rf"{number.removeprefix('<')}\,{unit}".replace("%", r"\%").removesuffix(r"\,")


def _mark(name: str) -> str:
    """A few letters that tell a name from others that are spelled alike."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    return "X" + "".join(chr(ord("a") + byte % 26) for byte in digest[:MARK])
