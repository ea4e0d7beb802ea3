"""What a reader sees of an equation, read back: no format may lose a bracket, a sign or a term."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from symparam import expression as ex
from symparam.grammar import MAX_TERMS, parse_expression
from symparam.notation.notation import TextWriter
from symparam.writers.chunks import chunks
from symparam.writers.document import Braced, Equality, plain_terms
from symparam.writers.latex import LatexFormat
from symparam.writers.markdown import MarkdownFormat
from symparam.writers.text import TextFormat
from tests.formulas import sides
from tests.helpers import together
from tests.strategies import quick

NAMES = ["V", "L", "d_model", "n_heads", "n_kv", "d_head", "d_ff"]
VALUES = dict(zip(NAMES, [2, 3, 5, 7, 11, 13, 17], strict=True))
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")

atoms = st.one_of(st.sampled_from(NAMES).map(ex.Sym), st.integers(-9, 40).map(ex.Num))
powers = st.builds(ex.Power, atoms, st.integers(2, 3))
trees = st.recursive(st.one_of(atoms, powers), lambda inner: st.one_of(
    st.lists(inner, min_size=2, max_size=6).map(lambda t: ex.sum_of(*t)),
    st.lists(inner, min_size=2, max_size=4).map(lambda f: ex.product_of(*f)),
), max_leaves=8)


#: Products that end in a long bracket, which lines break inside: (L - 3)*(... + ...).
sums = st.lists(trees, min_size=2, max_size=4).map(lambda t: ex.Sum(tuple(t)))
brackets = st.lists(st.tuples(st.one_of(sums, atoms), sums).map(ex.Product), min_size=1,
                    max_size=3).map(lambda t: ex.sum_of(*t))
differences = st.builds(lambda a, b: ex.Sum((a, ex.Product((ex.Num(-1), b)))), trees, sums)
lines_of = st.one_of(trees, brackets, differences)


def from_text(lines: list[str]) -> str:
    """A displayed equation's right side in the closed grammar."""
    text = " ".join(line.strip() for line in lines).partition("= ")[2].replace(",", "")
    text = re.sub(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda m: "**" + m[0].translate(SUPERSCRIPTS), text)
    return text.replace("·", "*").replace("−", "-")


def from_latex(rows: list[str]) -> str:
    """An aligned equation's right side in the closed grammar."""
    text = " ".join(row.replace("&", "") for row in sides(rows)).partition("= ")[2]
    for old, new in ((r"\qquad", ""), (r"\quad", ""), ("{}", ""), (r"\bigl", ""), (r"\bigr", ""),
                     (r"\thinspace", r"\,"), ("{,}", "")):
        text = text.replace(old, new)
    text = re.sub(r"\^\{(\d+)\}", r"**\1", text)
    text = re.sub(r"_\{\\text\{(\w+)\}\}", r"_\1", text)
    return re.sub(r"\\cdot|\\,", "*", text)


V, D = ex.Sym("V"), ex.Sym("d_model")


@pytest.mark.thinned(2)
@pytest.mark.parametrize("width", [30, 80])
@quick
@given(tree=lines_of)
@example(tree=ex.Sum((ex.Product((V, ex.Sum((V, V)))),
                      ex.Product((ex.Num(-2), ex.Sum((ex.Sum((V, D, D)), V)))))))
def test_text_says_what_the_tree_says(width: int, tree: ex.Expr) -> None:
    assume(ex.expanded_terms(tree) <= MAX_TERMS)
    equality = Equality(ex.Sym("P"), (("=", plain_terms(tree)),))
    shown = from_text(TextFormat(width=width).equality(equality))
    assert ex.evaluate(parse_expression(shown), VALUES) == ex.evaluate(tree, VALUES)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("form", [LatexFormat(), MarkdownFormat()])
@quick
@given(tree=lines_of)
def test_latex_says_what_the_tree_says(form: LatexFormat, tree: ex.Expr) -> None:
    assume(ex.expanded_terms(tree) <= MAX_TERMS)
    equality = Equality(ex.Sym("P"), (("=", plain_terms(tree)),))
    shown = from_latex(form.rows(equality))
    assert ex.evaluate(parse_expression(shown), VALUES) == ex.evaluate(tree, VALUES)


@given(tree=trees)
def test_plain_text_is_read_back(tree: ex.Expr) -> None:
    assume(ex.expanded_terms(tree) <= MAX_TERMS)
    assert ex.evaluate(parse_expression(str(tree)), VALUES) == ex.evaluate(tree, VALUES)


@given(tree=trees, factor=st.booleans())
@example(tree=ex.Product((ex.Num(-1), ex.Product((ex.Num(-2), ex.Sym("V"))))), factor=False)
@example(tree=ex.Quotient(ex.Sym("V") * ex.Sym("L"), ex.Sym("V") * ex.Sym("L")), factor=True)
def test_a_line_can_end_behind_signs_of_the_outer_product_alone(tree: ex.Expr,
                                                                factor: bool) -> None:
    writer = TextWriter()
    pieces = writer.pieces(tree, factor)
    assert "".join(pieces) == (writer.factor(tree) if factor else writer.write(tree))
    for piece in pieces[:-1]:
        assert piece.endswith("·")
        assert piece.count("(") == piece.count(")")


def test_a_long_product_is_broken_between_its_factors_and_not_within_them() -> None:
    inner = ex.Num(3) * ex.Sym("d_model") + ex.Num(2) * ex.Sym("d_ff")
    term = ex.Product((ex.Sym("n_heads"), V, ex.Power(inner, 2), ex.Sym("L"), D))
    lines = TextFormat(width=30).equality(Equality(ex.Sym("P"), (("=", (
        Braced(V), Braced(term, ("W_Q", "gate")))),)))
    assert lines == ["   P = V",
                     "     + n_heads·V·",
                     "       (3·d_model + 2·d_ff)²·",
                     "       L·d_model",
                     "       [W_Q, gate]"]


def test_a_label_does_not_hide_a_term() -> None:
    terms = (Braced(ex.Num(2) * ex.Sym("V"), ("W_E",)), Braced(-ex.Sym("L"), ("b",)))
    lines = TextFormat().equality(Equality(ex.Sym("P"), (("=", terms),)))
    assert lines == ["   P = 2·V [W_E] − L [b]"]


@together("limit", range(4, 41, 9))
def test_a_bracket_in_a_bracket_is_broken_where_it_takes_more_than_three_quarters(
        limit: int) -> None:
    a, b, c, f, g = map(ex.Sym, "abcfg")
    inner = ex.product_of(g, ex.sum_of(b, c))
    whole = ex.product_of(f, ex.sum_of(a, inner))
    for length in range(limit + 1):
        pieces = chunks([Braced(whole)], limit, lambda part, length=length: (
            length if part == inner else limit + 1))
        assert (len(pieces) == 3) == (4 * length > 3 * limit)
        assert sum(piece.closes for piece in pieces) == len(pieces) - 1
