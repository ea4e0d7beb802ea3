"""Expressions in MathML Core, as browsers show it without any script."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache

from markupsafe import Markup, escape

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.dims import dressed
from symparam.letters import SIGNS, Letter, of_matrix
from symparam.notation.notation import BRACKETS, LARGE, PRESETS, Notation

_ACCENTS = {"hat": "^", "bar": "¯", "tilde": "~", "dot": "˙", "vec": "→"}
#: The class of a page's style sheet for words in a special type.
_CLASSES = {"mathit": "it", "mathtt": "tt", "mathbf": "bf", "mathsf": "sf"}


def element(tag: str, inside: str, **attributes: str) -> Markup:
    """An element; what is not markup already is escaped.

    >>> print(element("mi", "<"), element("mi", "d", **{"class": "it"}))
    <mi>&lt;</mi> <mi class="it">d</mi>
    """
    shown = Markup("").join(Markup(' {}="{}"').format(k, v) for k, v in attributes.items())
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(tag), shown, inside)


def row(parts: Iterable[str]) -> Markup:
    """Several elements as one."""
    found = list(parts)
    return escape(found[0]) if len(found) == 1 else element("mrow", Markup("").join(found))


_MINUS = Markup("<mo>−</mo>")
_TIMES = Markup("<mo>⋅</mo>")
#: A product without a sign: nothing to see but a thin space, and read aloud as a product.
_THIN = Markup('<mo lspace="0em" rspace="0.17em">&#x2062;</mo>')
_OPEN, _CLOSE = (Markup('<mo stretchy="false">{}</mo>').format(bracket) for bracket in "()")
_DIGIT = re.compile("(<msup>)?<mn>")
#: The sign is drawn raised already: as a superscript it is brought down, and away from its letter.
_PRIME = element("mpadded", element("mo", "′", **{"class": "prime"}), voffset="-0.3em",
                 height="0.3em", lspace="0.1em")
#: What may stand before a symbol.
_FRONTS = {"": (), "Δ": (Letter("Δ"),), "∂": (Letter("∂"),),
           "∂ln ": (Letter("∂"), Letter("ln", "mathrm")), "ⅆ": (Letter("d", "mathrm"),)}


@lru_cache(maxsize=1024)
def mathml_of(letter: Letter, *marks: Markup) -> Markup:
    """A letter as one element.

    Args:
        letter: which one.
        marks: what stands above it besides.

    >>> print(mathml_of(Letter("d", below=(Letter("ff", "text"),))))
    <msub><mi>d</mi><mi>ff</mi></msub>
    """
    above = [*map(mathml_of, letter.above)]
    shown = _scripted(_core(letter), [*map(mathml_of, letter.below)], above or [*marks])
    return _scripted(shown, [], [*marks]) if above and marks else shown


def _scripted(base: Markup, below: list[Markup], above: list[Markup]) -> Markup:
    """An element with what stands below and above it."""
    tag = "msubsup" if below and above else "msub" if below else "msup"
    parts = [base, *(row(script) for script in (below, above) if script)]
    return element(tag, Markup("").join(parts)) if len(parts) > 1 else base


def _core(letter: Letter) -> Markup:
    base = letter.base
    if letter.font or (len(base) > 1 and not base.isdigit()):
        shown = _word(base, _CLASSES.get(letter.font, ""))
    elif base in SIGNS:
        shown = element("mo", base.replace("-", "−"))
    else:
        upright = {"mathvariant": "normal"} if base.isupper() and not base.isascii() else {}
        shown = element("mn" if base.isdigit() else "mi", base, **upright)
    if letter.accent:
        return element("mover", shown + element("mo", _ACCENTS[letter.accent]), accent="true")
    return shown


def _word(text: str, kind: str = "") -> Markup:
    """Words are identifiers: as MathML's text they would count as space, and lose that around
    an operator between them. One letter is slanted unless it is told not to be."""
    look = {"class": kind} if kind else {}
    if len(text) == 1 and kind != "it":
        look["mathvariant"] = "normal"
    return element("mi", text, **look)


@dataclass(frozen=True)
class MathmlWriter(ex.Writer):
    """Expressions in MathML; everything written is markup, whatever a dim is called.

    >>> print(MathmlWriter().write(ex.Sym("L") + ex.Sym("d_ff") ** 2))
    <mi>L</mi><mo>+</mo><msubsup><mi>d</mi><mi>ff</mi><mn>2</mn></msubsup>
    """

    plus: str = Markup("<mo>+</mo>")
    minus: str = _MINUS
    notation: Notation = PRESETS["paper"]

    def one(self, expr: ex.Expr) -> Markup:
        """An expression as one element."""
        text = self.write(expr)
        return escape(text) if isinstance(expr, ex.Sym) else element("mrow", text)

    def number(self, value: ex.Rational) -> str:
        sign = _MINUS if value < 0 else Markup("")
        if isinstance(value, Fraction):
            top, bottom = (element("mn", str(n)) for n in (abs(value.numerator), value.denominator))
            return sign + element("mstyle", element("mfrac", top + bottom), displaystyle="false")
        size = abs(value)
        return sign + element("mn", f"{size:,}" if size >= LARGE else str(size))

    def symbol(self, name: str) -> str:
        front, bare, mark = dressed(name)
        symbol = mathml_of(self.notation.letter(bare), *([_PRIME] if mark else []))
        return row([*map(mathml_of, _FRONTS[front]), symbol])

    def group(self, inner: str) -> str:
        if "<mfrac>" in inner:  # brackets grow with it
            return element("mrow", Markup("<mo>(</mo>{}<mo>)</mo>").format(inner))
        return element("mrow", _OPEN + inner + _CLOSE)

    def join(self, factors: list[str]) -> str:
        text = escape(factors[0])
        for factor in factors[1:]:
            text += (_TIMES if _DIGIT.match(factor) else _THIN) + factor
        return text

    def quotient(self, expr: ex.Quotient) -> str:
        return element("mfrac", self.one(expr.top) + self.one(expr.bottom))

    def power(self, base: str, exponent: ex.Rational) -> str:
        shown = self.number(exponent.numerator)
        if isinstance(exponent, Fraction):
            shown += Markup("<mo>/</mo>") + element("mn", str(exponent.denominator))
        one = element("mrow", shown) if isinstance(exponent, Fraction) or exponent < 0 else shown
        if base.startswith("<msub>"):  # a script above the one below, not behind it
            return element("msubsup", escape(base)[len("<msub>"):-len("</msub>")] + one)
        return element("msup", escape(base) + one)

    def sqrt(self, expr: ex.Expr) -> str:
        return element("msqrt", self.write(expr))

    def rounded(self, inner: str, mode: str) -> str:
        opening, closing = (element("mo", bracket) for bracket in BRACKETS[mode])
        return element("mrow", opening + inner + closing)

    def function(self, parts: list[str], name: str) -> str:
        inner = Markup("<mo>,</mo>").join(element("mrow", part) for part in parts)
        return element("mrow", element("mi", name) + Markup("<mo>&#x2061;</mo><mo>(</mo>") + inner
                       + Markup("<mo>)</mo>"))

    def opened(self, fronts: Iterable[ex.Expr]) -> Markup:
        """Factors, each before a bracket that closes later."""
        return Markup("").join(
            (Markup("") if front == ex.Num(1) else self.factor(front) + _THIN) + _OPEN
            for front in fronts)


def closed(count: int) -> Markup:
    """Brackets that close what was opened."""
    return _CLOSE * count


def braced(inside: str, names: Sequence[str]) -> Markup:
    """A term over a brace with the names of the matrices that it comes from."""
    under = element("munder", element("mrow", inside) + Markup("<mo>&#x23DF;</mo>"))
    return element("munder", under + names_below(names))


def names_below(names: Sequence[str]) -> Markup:
    """Names of matrices, set in the type of formulas.

    >>> print(names_below(["W_Q"]))
    <msub><mi>W</mi><mi>Q</mi></msub>
    """
    shown = [mathml_of(of_matrix(name)) for name in names]
    return shown[0] if len(shown) == 1 else element("mrow", Markup("<mo>,</mo>").join(shown))
