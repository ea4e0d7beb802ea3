"""Notations: how dims are written in text and LaTeX, as different communities do it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from fractions import Fraction

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.dims import describe, dressed
from symparam.errors import BadValue, UnknownName
from symparam.notation.hf_keys import HF_KEYS
from symparam.notation.letters import letter

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
        latex: dim to LaTeX; what is not in it is written as declared.
        text: dim to plain text; what is not in it is written by its name.
        line: how many characters of plain text make a line of a page once they are set.
        page: the width of that page's text in points of TeX.
    """

    name: str
    source: str
    latex: Mapping[str, str] = field(default_factory=dict)
    text: Mapping[str, str] = field(default_factory=dict)
    line: int = 80
    page: int = PAGE

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
        return self if page == self.page else replace(
            self, page=page, line=max(20, self.line * page // self.page))


def _lettered(name: str, source: str, letters: Mapping[str, str]) -> Notation:
    """A notation from its letters in LaTeX; plain text follows from them."""
    read = {dim: letter(latex) for dim, latex in letters.items()}
    return Notation(name, source, {dim: latex for dim, (latex, _) in read.items()},
                    {dim: text for dim, (_, text) in read.items()})


#: Where a source has no letter for a dim, one of its own with a word below it. The length of a
#: position table and of a sequence at work are one letter in the sources; here they are two.
PRESETS: dict[str, Notation] = {n.name: n for n in (
    Notation("paper", "the usual one of papers since Vaswani et al. 2017, arXiv:1706.03762"),
    Notation("hf", "keys of a Hugging Face config.json",
             {dim: r"\mathtt{" + key.replace("_", r"\_") + "}" for dim, key in HF_KEYS.items()},
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


def preset(name: str | Notation) -> Notation:
    """A preset by its name; a notation as it is.

    Raises:
        UnknownName: there is none of that name.
    """
    if isinstance(name, Notation):
        return name
    if name not in PRESETS:
        raise UnknownName("notation", name, PRESETS)
    return PRESETS[name]


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

    def extreme(self, parts: list[str], mode: str) -> str:
        return f"{mode}({', '.join(parts)})"


@dataclass(frozen=True)
class LatexWriter(ex.Writer):
    r"""Expressions in LaTeX, amsmath alone.

    >>> print(LatexWriter().write(ex.Num(12) * ex.Sym("L") * ex.Sym("d_model") ** 2))
    12 \, L \, d_{\text{model}}^{2}
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
        latex = self.notation.latex.get(bare) or describe(bare).latex
        return _FRONTS[front][1] + latex + ("'" if mark else "")

    def group(self, inner: str) -> str:
        return rf"\bigl({inner}\bigr)" if r"\frac" in inner else f"({inner})"

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

    def extreme(self, parts: list[str], mode: str) -> str:
        inner = ",\\; ".join(parts)
        return rf"\{mode}\left( {inner} \right)"
