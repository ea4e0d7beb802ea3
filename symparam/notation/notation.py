"""Notations: how dims are written in text and LaTeX, as different communities do it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from functools import lru_cache

from symparam import expression as ex
from symparam.arithmetic import EXTREMES
from symparam.dataclass import dataclass
from symparam.dims import describe, dressed
from symparam.errors import BadValue, the
from symparam.letters import GREEK, SIGNS, Letter, read
from symparam.notation.hf_keys import HF_KEYS
from symparam.showable import tex

#: What stands around an expression that is rounded to a whole number: ceiling, floor, nearest.
BRACKETS = {"up": ("⌈", "⌉"), "down": ("⌊", "⌋"), "nearest": ("⌊", "⌉")}
_LATEX_BRACKETS = {"up": (r"\lceil", r"\rceil"), "down": (r"\lfloor", r"\rfloor"),
                   "nearest": (r"\lfloor", r"\rceil")}

#: Numbers from here on are written with their thousands apart; dims are mostly below it.
LARGE = 10**6

#: The usual width of a page's text in cm, and in points with a margin; the least, and the most.
USUAL, PAGE = 16, 440
NARROWEST, WIDEST = 7, 30

_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


@dataclass(frozen=True)
class Notation:
    """A naming of dims.

    Attributes:
        name: of the preset.
        source: who writes so.
        letters: dim to letter; LaTeX of one is read. What is not in it is written as declared.
        text: dim to plain text; what is not in it is written by its name.
        line: how many characters of plain text make a line of a page once they are set.
        width: of that page's text, in cm.
        page: what lines are broken for, in points of TeX: that width with a margin, or less.
        cite: the command of LaTeX that cites a source; empty where sources are said in words.
        bibliography: the file of what is cited, without its ending, for a whole document.
    """

    name: str
    source: str
    letters: Mapping[str, Letter | str] = field(default_factory=dict)
    text: Mapping[str, str] = field(default_factory=dict)
    line: int = 80
    width: Fraction = Fraction(USUAL)
    page: int = PAGE
    cite: str = ""
    bibliography: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "letters", {dim: read(each) if isinstance(each, str) else each
                                             for dim, each in self.letters.items()})

    def letter(self, dim: str) -> Letter:
        """What a dim is written with."""
        return the(Letter, self.letters.get(dim) or describe(dim).letter)

    @property
    def latex(self) -> dict[str, str]:
        """The letters in LaTeX, under the name that they had."""
        warnings.warn("Notation.latex is now Notation.letters; the old name goes with the next "
                      "release", DeprecationWarning, stacklevel=2)
        return {dim: latex_of(self.letter(dim)) for dim in self.letters}

    def citing(self, command: str, bibliography: str = "") -> Notation:
        """The notation for a document that cites by keys, from a file of BibTeX.

        >>> PRESETS["paper"].citing("citep").cite
        'citep'
        """
        return replace(self, cite=command, bibliography=bibliography)

    def fitted(self, width: Fraction) -> Notation:
        """The notation for a page of another width.

        Args:
            width: of the text, in cm.

        Raises:
            BadValue: narrower or wider than a page is.

        >>> PRESETS["paper"].fitted(Fraction(8)).line
        40
        """
        if not NARROWEST <= width <= WIDEST:
            raise BadValue("--text-width", str(width), f"must be from {NARROWEST} to {WIDEST} cm")
        page = int(width * PAGE / USUAL)
        return replace(self, width=width, page=page,
                       line=max(20, self.line * page // self.page))


def _lettered(name: str, source: str, letters: Mapping[str, str]) -> Notation:
    """A notation from its letters in LaTeX; plain text follows from them."""
    found = {dim: read(each) for dim, each in letters.items()}
    return Notation(name, source, found, {dim: str(each) for dim, each in found.items()})


#: Where a source has no letter for a dim, one of its own with a word below it. The length of a
#: position table and of a sequence at work are one letter in the sources; here they are two.
PRESETS: dict[str, Notation] = {n.name: n for n in (
    Notation("paper", "the usual one of papers since Vaswani et al. 2017, arXiv:1706.03762"),
    Notation("hf", "keys of a Hugging Face config.json",
             {dim: Letter(key, "mathtt") for dim, key in HF_KEYS.items()},
             HF_KEYS, line=58),
    _lettered("megatron", "Narayanan et al. 2021, arXiv:2104.04473, section 5.1 (l, h, s, T); "
              "Korthikanti et al. 2022, arXiv:2205.05198, table 1 (a, v)", {
                  "V": "v", "L": "l", "n_ctx": "s", "d_model": "h", "n_heads": "a", "D": "T",
                  "d_ff": r"h_{\text{ffn}}", "d_head": r"h_{\text{head}}",
                  "n_kv": r"a_{\text{kv}}", "s": r"s_{\text{seq}}"}),
    _lettered("scaling-book", "Austin et al. 2025, How to Scale Your Model, part 4", {
        "V": "V", "L": "L", "n_ctx": "T", "d_model": "D", "d_ff": "F", "n_heads": "N",
        "n_kv": "K", "d_head": "H", "g": "G", "b": "B", "n_experts": "E", "top_k": "k",
        "d_expert": r"F_{\text{expert}}", "d_shared": r"F_{\text{shared}}",
        "n_shared": r"E_{\text{shared}}", "s": r"T_{\text{seq}}", "D": r"D_{\text{tokens}}"}),
    _lettered("palm", "Chowdhery et al. 2022, arXiv:2204.02311, appendix B (L, H, Q, T)", {
        "V": "V", "L": "L", "n_ctx": "T", "n_heads": "H", "n_kv": r"H_{\text{kv}}",
        "d_head": "Q", "s": r"T_{\text{seq}}"}),
)}


#: What may stand before a symbol, in text and in LaTeX.
_FRONTS = {"": ("", ""), "Δ": ("Δ", r"\Delta "), "∂": ("∂", r"\partial "),
           "∂ln ": ("∂ln ", r"\partial\operatorname{ln} "), "ⅆ": ("d", r"\mathrm{d}")}
_DIFFERENTIALS = {"∂", "∂ln ", "ⅆ"}


@dataclass(frozen=True)
class TextWriter(ex.Writer):
    """Expressions in plain text: ``12·L·d_model²``.

    >>> TextWriter().write(ex.Num(12) * ex.Sym("L") * ex.Sym("d_model") ** 2)
    '12·L·d_model²'
    """

    times: str = "·"
    minus: str = " − "
    notation: Notation = PRESETS["paper"]

    def pieces(self, expr: ex.Expr, factor: bool = False) -> list[str]:
        """An expression up to each sign of its outer product, where a line may end.

        Args:
            expr: which one.
            factor: whether it is one of a product, so that a sum gets its brackets.

        >>> TextWriter().pieces(ex.Num(-3) * ex.Sym("L") * (ex.Sym("V") + 1))
        ['−3·', 'L·', '(V + 1)']
        """
        positive = ex.negated(expr)
        if not isinstance(expr, ex.Product | ex.Quotient) or (factor and positive is not None):
            return [self.factor(expr) if factor else self.write(expr)]
        if positive is not None:
            first, *others = self.pieces(positive, factor=True)
            return [self.minus.strip() + first, *others]
        *before, last = self._factors(expr)
        return [*(factor + self.times for factor in before), last]

    def _factors(self, expr: ex.Expr) -> list[str]:
        """Factors as they are written, what is below them with the last."""
        match expr:
            case ex.Product((first, *others)):
                bare = isinstance(first, ex.Quotient)
                return [*(self._factors(first) if bare else [self._nth(first, 0)]),
                        *(self._nth(factor, 1) for factor in others)]
            case ex.Quotient(top, bottom):
                *before, last = self._factors(top)
                return [*before, f"{last}/{self._nth(bottom, 1)}"]
        return [self.factor(expr)]

    def number(self, value: ex.Rational) -> str:
        return f"{value:,}" if isinstance(value, int) and abs(value) >= LARGE else str(value)

    def symbol(self, name: str) -> str:
        front, bare, mark = dressed(name)
        return _FRONTS[front][0] + self.notation.text.get(bare, bare) + mark

    def power(self, base: str, exponent: ex.Rational) -> str:
        if isinstance(exponent, Fraction):
            return f"{base}^({exponent})"
        return base + str(exponent).translate(_SUPERSCRIPTS)

    def sqrt(self, expr: ex.Expr) -> str:
        return f"√({self.write(expr)})"

    def rounded(self, inner: str, mode: str) -> str:
        opening, closing = BRACKETS[mode]
        return f"{opening}{inner}{closing}"

    def function(self, parts: list[str], name: str) -> str:
        return f"{name}({', '.join(parts)})"


_COMMANDS = {shown: rf"\{name}" for name, shown in GREEK.items()}
_PLAIN_WORDS = re.compile(r"[A-Za-z0-9,.+\-*/_ ]*")


@lru_cache(maxsize=1024)
def latex_of(letter: Letter) -> str:
    r"""A letter in LaTeX, in braces where it has something above it.

    >>> print(latex_of(read(r"\lambda_k")), latex_of(read("d^*")), latex_of(Letter("a_b", "text")))
    \lambda_k {d^{*}} \text{a\_b}
    """
    shown = _core(letter)
    below, above = ("".join(_in_a_row(script)) for script in (letter.below, letter.above))
    if below:
        shown += f"_{below}" if len(below) == 1 else f"_{{{below}}}"
    return f"{{{shown}^{{{above}}}}}" if above else shown


def _core(letter: Letter) -> str:
    """What stands on the line; words of any kind are no command."""
    base, font = letter.base, letter.font
    if not font and base in _COMMANDS:
        shown = _COMMANDS[base]
    elif not font and (base in SIGNS or (base.isascii() and base.isalnum())):
        shown = base
    else:  # (formulas drop a plain space)
        words = r"\ ".join(map(tex, base.split(" ")))
        shown = rf"\{font if font and _PLAIN_WORDS.fullmatch(base) else 'text'}{{{words}}}"
    return rf"\{letter.accent}{{{shown}}}" if letter.accent else shown


def _in_a_row(script: Sequence[Letter]) -> Iterator[str]:
    """Letters one behind the other, a space between a command and what would prolong it."""
    before = ""
    for each in map(latex_of, script):
        yield " " + each if before and each[0].isalpha() and before in _COMMANDS.values() else each
        before = each


@dataclass(frozen=True)
class LatexWriter(ex.Writer):
    r"""Expressions in LaTeX, amsmath alone.

    >>> print(LatexWriter().write(ex.Num(12) * ex.Sym("L") * ex.Sym("d_model") ** 2))
    12 \, L \, d_{\text{model}}^{2}
    >>> LatexWriter().number(999_999), LatexWriter().number(10**6)
    ('999999', '1{,}000{,}000')
    """

    notation: Notation = PRESETS["paper"]
    thin: str = r" \, "

    def number(self, value: ex.Rational) -> str:
        if isinstance(value, Fraction):
            sign = "-" if value < 0 else ""
            return rf"{sign}\tfrac{{{abs(value.numerator)}}}{{{value.denominator}}}"
        return f"{value:,}".replace(",", "{,}") if abs(value) >= LARGE else str(value)

    def symbol(self, name: str) -> str:
        front, bare, mark = dressed(name)
        return _FRONTS[front][1] + latex_of(self.notation.letter(bare)) + ("'" if mark else "")

    def group(self, inner: str) -> str:
        tall = r"\frac" in inner or "(" in inner
        return rf"\bigl({inner}\bigr)" if tall else f"({inner})"

    def join(self, factors: list[str]) -> str:
        text = factors[0]
        for factor in factors[1:]:
            text += (r" \cdot " if factor[0].isdigit() else self.thin) + factor
        return text

    def quotient(self, expr: ex.Quotient) -> str:
        if isinstance(expr.top, ex.Sym) and dressed(expr.top.name)[0] in _DIFFERENTIALS:
            return f"{self.write(expr.top)} / {self.write(expr.bottom)}"  # lines stay even
        return rf"\frac{{{self.write(expr.top)}}}{{{self.write(expr.bottom)}}}"

    def power(self, base: str, exponent: ex.Rational) -> str:
        return f"{base}^{{{exponent}}}"

    def sqrt(self, expr: ex.Expr) -> str:
        return rf"\sqrt{{{self.write(expr)}}}"

    def rounded(self, inner: str, mode: str) -> str:
        opening, closing = _LATEX_BRACKETS[mode]
        return rf"\left{opening} {inner} \right{closing}"

    def function(self, parts: list[str], name: str) -> str:
        inner = ",\\; ".join(parts)
        shown = rf"\{name}" if name in EXTREMES else (
            rf"\operatorname{{{name.replace('_', ' ')}}}".replace(" ", r"\ "))
        return rf"{shown}\left( {inner} \right)"
