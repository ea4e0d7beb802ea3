"""Notations: how dims are written in text and LaTeX, as different communities do it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from symparam import expression as ex
from symparam.dims import describe
from symparam.errors import UnknownName

#: Numbers from here on are written with their thousands apart; dims are mostly below it.
LARGE = 10**6

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
    """

    name: str
    source: str
    latex: Mapping[str, str] = field(default_factory=dict)
    text: Mapping[str, str] = field(default_factory=dict)
    line: int = 80


def _same(name: str, source: str, letters: Mapping[str, str]) -> Notation:
    return Notation(name, source, letters, {
        dim: latex.replace(r"_{\text{", "_").replace("}}", "") for dim, latex in letters.items()})


_HF = {"V": "vocab_size", "L": "num_hidden_layers", "n_ctx": "max_position_embeddings",
       "n_types": "type_vocab_size", "d_model": "hidden_size", "d_ff": "intermediate_size",
       "n_heads": "num_attention_heads", "n_kv": "num_key_value_heads", "d_head": "head_dim"}

PRESETS: dict[str, Notation] = {n.name: n for n in (
    Notation("paper", "the usual one of papers since Vaswani et al. 2017"),
    Notation("hf", "keys of a Hugging Face config.json",
             {dim: r"\mathtt{" + key.replace("_", r"\_") + "}" for dim, key in _HF.items()},
             _HF, line=58),
    _same("megatron", "Narayanan et al. 2021, arXiv:2104.04473; Korthikanti et al. 2022", {
        "V": "v", "L": "l", "n_ctx": "s", "d_model": "h", "d_ff": r"h_{\text{ffn}}",
        "n_heads": "a", "n_kv": r"a_{\text{kv}}", "d_head": "k"}),
    _same("scaling-book", "Austin et al. 2025, How to Scale Your Model", {
        "n_ctx": "T", "d_model": "D", "d_ff": "F", "n_heads": "N", "n_kv": "K", "d_head": "H"}),
    _same("palm", "Chowdhery et al. 2022, arXiv:2204.02311, appendix B", {
        "n_ctx": "T", "n_heads": "H", "n_kv": r"H_{\text{kv}}", "d_head": "Q"}),
)}


def preset(name: str) -> Notation:
    """A preset by its name.

    Raises:
        UnknownName: there is none of that name.
    """
    if name not in PRESETS:
        raise UnknownName("notation", name, PRESETS)
    return PRESETS[name]


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
        return self.notation.text.get(name, name)

    def power(self, base: str, exponent: ex.Rational) -> str:
        if isinstance(exponent, Fraction):
            return f"{base}^({exponent})"
        return base + str(exponent).translate(_SUPERSCRIPTS)

    def sqrt(self, expr: ex.Expr) -> str:
        return f"√({self.write(expr)})"


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
        return self.notation.latex.get(name) or describe(name).latex

    def group(self, inner: str) -> str:
        return rf"\bigl({inner}\bigr)" if r"\frac" in inner else f"({inner})"

    def join(self, factors: list[str]) -> str:
        text = factors[0]
        for factor in factors[1:]:
            text += (r" \cdot " if factor[0].isdigit() else self.thin) + factor
        return text

    def quotient(self, expr: ex.Quotient) -> str:
        return rf"\frac{{{self.write(expr.top)}}}{{{self.write(expr.bottom)}}}"

    def power(self, base: str, exponent: ex.Rational) -> str:
        return f"{base}^{{{exponent}}}"

    def sqrt(self, expr: ex.Expr) -> str:
        return rf"\sqrt{{{self.write(expr)}}}"
