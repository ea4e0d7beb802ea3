"""Widths are those that pdflatex finds: no narrower by a point, and not much wider."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symparam import expression as ex
from symparam.notation.notation import PRESETS, LatexWriter
from symparam.writers.chunks import Chunk
from symparam.writers.line_breaks import Piece, Ruler
from symparam.writers.metrics import (
    _BINARY,
    _RELATIONS,
    _SPACES,
    _WORDS,
    math_width,
    text_pieces,
    text_width,
)
from tests.strategies import quick
from tests.test_rendering import lines_of

FORMULAS = (
    r"12 \, L \, d_{\text{model}}^{2}", r"151936 \cdot 2048 + 36", r"15{,}000{,}038{,}400",
    r"V \, d_{\text{model}} + \bigl(2 \, d_{\text{head}} \, (n_{\text{heads}} + n) + 2\bigr)",
    r"\underbrace{3 \, d_{\text{ff}}}_{\text{gate}, \, \text{up}, \, \text{down}}",
    r"\frac{L \, b}{2 \, V + L \, b + 1}", r"P_{\text{dense\ ffn}}", r"-\tfrac{3}{8} \, V",
    r"\mathtt{num\_attention\_heads} \, x", r"\sqrt{48 \, L \, P + 4}",
    r"\Sigma_1 = k_{\text{top}}",
    r"\left\lceil \frac{d}{2} \right\rceil", r"\partial P / \partial d_{\text{model}}",
    r"\min\left( s,\; w \right)", r"P - V' \, d_{\text{model}}'", r"n_{12} \approx \lambda_k^{2}")
WORDS = (
    "inner width of the feed-forward network", "SwiGLU: Shazeer 2020, arXiv:2002.05202, section 2",
    r"\textbf{8. Put the numbers in: 15,000,038,400, or 15.00~B}", r"\texttt{layers.attention}",
    r"$n_{\text{heads}} \, d_{\text{head}}$ $\times$ $d_{\text{model}}$", r"99.3\,\%",
    "THE QUICK BROWN FOX & jumps over the LAZY DOG".replace("&", r"\&"), "(0123456789) [x]; yes?",
    r"\texttt{a\_b.weight}", "one layer of kind sliding")


@pytest.mark.latex
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
def test_widths_are_those_of_pdflatex(tmp_path: Path) -> None:
    boxes = "\n".join(rf"\setbox0\hbox{{{text}}}\typeout{{W \the\wd0}}" for text in (
        *(rf"$\displaystyle {formula}$" for formula in FORMULAS), *WORDS))
    (tmp_path / "x.tex").write_text(r"\documentclass[11pt]{article}\usepackage{amsmath}"
                                    rf"\begin{{document}}{boxes}\end{{document}}")
    subprocess.run(["pdflatex", "-interaction=nonstopmode", "x.tex"], cwd=tmp_path,
                   capture_output=True, timeout=60, check=False)
    log = (tmp_path / "x.log").read_text(encoding="latin-1")
    wanted = [float(n) for n in re.findall(r"^W ([\d.]+)pt", log, re.MULTILINE)]
    found = [*map(math_width, FORMULAS), *map(text_width, WORDS)]
    assert len(wanted) == len(found)
    for text, width, true in zip((*FORMULAS, *WORDS), found, wanted, strict=True):
        assert true - 1.0 <= width <= 1.08 * true + 1, text


def test_every_sign_is_as_wide_as_it_was_held_against_pdflatex(
        golden: Callable[[str, str], None]) -> None:
    """Each letter and each command that is known, in a formula and in running text."""
    signs = [*map(chr, range(33, 127)), *sorted({
        each for table in (_RELATIONS, _BINARY, _SPACES, _WORDS) for each in table})]
    golden("widths.txt", "".join(
        f"{sign} {math_width(sign):.4f} {text_width(sign):.4f} "
        f"{math_width(rf'x {sign} y'):.4f} {text_width(rf'x {sign} y'):.4f}\n"
        for sign in signs if sign not in set("\\{}%$#&_^~")))


@pytest.mark.thinned(3)
@quick
@given(lines_of)
def test_fractions_are_smaller_in_a_line_of_text(tree: ex.Expr) -> None:
    written = LatexWriter().write(tree)
    assert 0 < math_width(written, False) <= math_width(written)
    assert text_width(f"${written}$") == pytest.approx(math_width(written, False))


@quick
@given(st.text("abc d-", min_size=1, max_size=30).map(str.strip))
def test_pieces_of_a_text_add_up(text: str) -> None:
    pieces = text_pieces(text)
    assert sum(map(sum, pieces)) == pytest.approx(text_width(text))
    assert len(pieces) == 1 + text.count(" ") + text.count("-")


def test_a_name_of_a_sum_is_narrower_than_the_sum() -> None:
    ruler = Ruler(PRESETS["paper"])
    term = ex.Sym("L") * (ex.Sym("V") + ex.Sym("d_model"))
    long, short = (ruler.piece(Piece("+", (), Chunk("+", each)))
                   for each in (term, ex.Sym("L") * ex.Sym("Σ_1")))
    assert short < long
