"""Lines break as mathematicians break them, in every width and notation."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given

from symparam import expression as ex
from symparam.grammar import MAX_TERMS
from symparam.notation.notation import PRESETS
from symparam.writers.chunks import Chunk
from symparam.writers.document import Braced, Display, Equality, plain_terms
from symparam.writers.latex import LatexFormat
from symparam.writers.line_breaks import INDENT, RELATION, Names, Piece, Ruler, rows
from symparam.writers.sub_sums import lettered
from tests.strategies import quick
from tests.test_rendering import VALUES, lines_of

NARROW = PRESETS["paper"].fitted(Fraction("7.7"))
P = ex.Sym("P")


@pytest.mark.thinned(3)
@quick
@given(lines_of)
def test_inside_an_open_bracket_and_nowhere_else_lines_are_set_in_twice(tree: ex.Expr) -> None:
    assume(ex.expanded_terms(tree) <= MAX_TERMS)
    depth = 0
    for row in rows(Equality(P, (("=", plain_terms(tree)),)), NARROW, None, {}):
        goes_on = row.pieces[0].sign == "·"
        assert (row.depth == 2) == (depth > 0 or goes_on)
        assert (row.depth == 0) == bool(row.relation)
        assert not row.depth or row.pieces[0].sign
        for i, piece in enumerate(row.pieces):
            depth += len(piece.fronts) - piece.chunk.closes
            last = i == len(row.pieces) - 1
            assert depth in {0, 1}
            assert last or not (row.depth == 2 and piece.chunk.closes)  # nothing outer follows
    assert depth == 0


@pytest.mark.thinned(3)
@quick
@given(lines_of)
def test_no_line_is_wider_than_the_page_unless_one_symbol_is(tree: ex.Expr) -> None:
    assume(ex.expanded_terms(tree) <= MAX_TERMS)
    found, ruler = rows(Equality(P, (("=", plain_terms(tree)),)), NARROW, None, {}), Ruler(NARROW)
    for row in found:
        room = NARROW.page - ruler.width(P) - (RELATION if row.relation else INDENT[row.depth])
        assert ruler.line(row.pieces) <= room or len(row.pieces) == 1


@quick
@given(lines_of)
def test_names_stand_for_what_they_are_said_to_be(tree: ex.Expr) -> None:
    assume(ex.expanded_terms(tree) <= MAX_TERMS)
    names: Names = {}
    found = rows(Equality(P, (("=", plain_terms(tree)),)), NARROW, None, names)
    told = [row.left for row in found if row.left not in {None, P}]
    used = {name for row in found for piece in row.pieces
            for part in (piece.chunk.expr, *piece.fronts) for name in ex.symbols_in(part)}
    assert {str(left) for left in told} == {str(name) for name in names.values()}
    assert {name for name in used if name.startswith("Σ")} == {str(left) for left in told}


def test_a_name_means_the_same_in_a_whole_document() -> None:
    a, b = (ex.sum_of(*(ex.Sym("d_model") * ex.Sym("n_heads") * ex.Sym(x) * ex.Sym(y)
                        for y in "VL")) for x in ("d_ff", "d_head"))
    out = LatexFormat(NARROW)
    first = ex.Sym("L") * a * ex.Sym("n_kv") * b
    shown = "".join(row for tree in (first, ex.Sym("V") * b * a * ex.Sym("d_ff"))
                    for group in out.groups(Display((Equality(P, (("=", (Braced(tree),)),)),)))
                    for row in group)
    assert len(out.named) == len(set(out.named.values()))
    for part, name in out.named.items():
        assert ex.evaluate(lettered(ex.Sym("V") * part, part, name), {
            **VALUES, str(name): ex.evaluate(part, VALUES)}) == ex.evaluate(
                ex.Sym("V") * part, VALUES)
        assert shown.count(rf"\Sigma_{str(name)[2:]} &=") >= 1


def test_a_long_left_side_stands_apart_where_it_leaves_no_room() -> None:
    page = PRESETS["hf"].fitted(Fraction("7.7"))
    term = plain_terms(ex.Num(2) * ex.Sym("d_model") * ex.Sym("n_heads"))
    long, short = Equality(ex.Sym("P_encoder_cross_attention_rest"), (("=", term),)), Equality(
        P, (("=", term),))
    apart, below = LatexFormat(page).groups(Display((long, short)))
    assert apart[0].startswith(r"\rlap")
    assert apart[1].startswith(r"&\quad =")
    assert below[0].startswith("P &=")
    wide = LatexFormat(PRESETS["paper"]).groups(Display((long, short)))
    assert [len(group) for group in wide] == [2]


def test_the_last_line_is_no_lonely_symbol() -> None:
    terms = [ex.Sym("d_model") * ex.Sym("n_heads") * ex.Sym(x) for x in ("V", "d_ff", "d_head")]
    found = rows(Equality(P, (("=", plain_terms(ex.sum_of(*terms, ex.Sym("V")))),)), NARROW)
    assert [len(row.pieces) for row in found] == [2, 2]


def test_no_wide_symbol_is_alone_on_the_last_line_of_a_bracket() -> None:
    """It is longer than what is lonely otherwise, and has no name that would be shorter."""
    d, ff, labels = ex.Sym("d_model"), ex.Sym("d_ff"), ex.Sym("n_labels")
    less = ex.Num(-1) * ex.sum_of(ex.Sym("V") * d, ff * ff, ex.Sym("V"), ex.Num(5) * d, labels)
    found = rows(Equality(P, (("=", (Braced(P), Braced(less))),)), NARROW, None, {})
    assert [len(row.pieces) for row in found] == [1, 3, 2]
    ruler = Ruler(NARROW)
    assert all(ruler.line(row.pieces) + INDENT[row.depth] < NARROW.page for row in found)


def test_a_long_sum_in_brackets_of_its_own_is_broken_inside() -> None:
    terms = [ex.Sym("d_model") * ex.Sym("n_heads") * ex.Sym(x) for x in ("V", "L", "d_ff", "n_kv")]
    less = Braced(ex.Num(-1) * ex.sum_of(*terms))
    named = Braced(ex.sum_of(*terms), ("W_Q", "W_K", "W_V", "W_O", "gate", "up", "down", "router"))
    for term in (less, named):
        for names in ({}, None):
            found = rows(Equality(P, (("=", (Braced(P), term)),)), NARROW, None, names)
            assert [row.depth for row in found[:3]] == [0, 1, 2]
            assert {row.depth for row in found[3:]} <= {2}
            assert sum(piece.chunk.closes for row in found for piece in row.pieces) == 1


def test_a_line_of_a_broken_product_has_as_many_factors_as_there_is_room_for() -> None:
    factors = [ex.Sym(f"{name}_{i}") for i in range(4)
               for name in ("d_model", "n_heads", "V", "d_ff_expert", "L")]
    found = rows(Equality(P, (("=", (Braced(ex.Product(tuple(factors))),)),)), NARROW)
    ruler = Ruler(NARROW)
    products = [row.pieces[0].chunk.expr.factors for row in found
                if isinstance(row.pieces[0].chunk.expr, ex.Product)]
    assert [each for product in products for each in product] == factors
    assert len(products) == len(found) > 2
    for row, product, after in zip(found, products, products[1:], strict=False):
        room = NARROW.page - ruler.width(P) - (RELATION if row.relation else INDENT[row.depth])
        more = Piece(row.pieces[0].sign, (), Chunk("+", ex.Product((*product, after[0]))))
        assert ruler.line(row.pieces) <= room < ruler.piece(more)
