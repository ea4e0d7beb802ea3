"""The one polynomial, held against SymPy as an oracle, and against fractions at points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from symparam.arranged import STANDS_FOR, expanded, factored, falling
from symparam.bracketed import by_sharing, signed
from symparam.errors import NotDerivable
from symparam.points.table import PointTable
from symparam.points.worked import largest, over
from symparam.polynomial import NOTHING, Polynomial, Powers, joined
from symparam.sweep.number import Book
from symparam.symbols import (
    collected,
    expression_of,
    from_sympy,
    is_zero,
    polynomial,
    symbol,
    to_sympy,
)
from tests.helpers import together
from tests.strategies import quick

NAMES = ("L", "V", "d_model", "n_kv")
Oracle = Any


def powers(low: int = -3) -> st.SearchStrategy[Powers]:
    """Products of powers."""
    exponents = st.integers(low, 3).filter(bool)
    return st.dictionaries(st.sampled_from(NAMES), exponents, max_size=3).map(
        lambda found: tuple(sorted(found.items())))


def numbers() -> st.SearchStrategy[int | Fraction]:
    """Coefficients."""
    return st.one_of(st.integers(-20, 20), st.fractions(-9, 9, max_denominator=12))


def sums(low: int = -3) -> st.SearchStrategy[Polynomial]:
    """Polynomials, with powers below 0 unless those begin at 0."""
    return st.dictionaries(powers(low), numbers(), max_size=5).map(Polynomial)


def product(found: Powers) -> Oracle:
    """A product as SymPy's."""
    return sp.Mul(*(symbol(name) ** sp.Rational(Fraction(e)) for name, e in found))


def oracle(found: Polynomial) -> Oracle:
    """A polynomial as SymPy's, term by term."""
    return sp.Add(*(sp.Rational(Fraction(c).numerator, Fraction(c).denominator) * product(p)
                    for p, c in found.terms.items()))


def same(found: Polynomial, wanted: Oracle) -> bool:
    """Whether a polynomial is what SymPy has, and is in its one form."""
    assert all(found.terms.values())
    assert all(list(p) == sorted(p) and all(e for _, e in p) for p in found.terms)
    return bool(sp.expand(oracle(found) - wanted) == 0) and polynomial(wanted) == found


@quick
@given(sums(), sums(), numbers())
def test_sums_differences_and_products_are_sympys(a: Polynomial, b: Polynomial,
                                                  c: int | Fraction) -> None:
    number = sp.Rational(Fraction(c).numerator, Fraction(c).denominator)
    assert same(a + b, oracle(a) + oracle(b))
    assert same(a - b, oracle(a) - oracle(b))
    assert same(a * b, sp.expand(oracle(a) * oracle(b)))
    assert same(c - a * c, number - number * oracle(a))
    assert a + b == b + a
    assert hash(a * b) == hash(b * a)


@pytest.mark.thinned(3)
@quick
@given(sums(), st.integers(0, 4))
def test_whole_powers_are_sympys(a: Polynomial, exponent: int) -> None:
    assert same(a**exponent, sp.expand(oracle(a) ** exponent))


@quick
@given(sums(), powers(), numbers().filter(bool), st.integers(1, 3))
def test_a_division_by_one_product_is_sympys(a: Polynomial, below: Powers, number: Any,
                                             exponent: int) -> None:
    one = Polynomial({below: number})
    assert same(a / one, sp.expand(oracle(a) / oracle(one)))
    assert same(one**-exponent, oracle(one) ** -exponent)
    assert a / one * one == a
    assert same(5 / one, 5 / oracle(one))


@quick
@given(sums(), st.sampled_from(NAMES))
def test_derivatives_are_sympys(a: Polynomial, name: str) -> None:
    assert same(a.derivative(name), sp.expand(sp.diff(oracle(a), symbol(name))))


@quick
@given(sums(), st.fixed_dictionaries({name: st.integers(1, 9) for name in NAMES}))
def test_values_are_exact(a: Polynomial, at: Mapping[str, int]) -> None:
    wanted = sum((c * np.prod([Fraction(at[n]) ** int(e) for n, e in p] or [Fraction(1)])
                  for p, c in a.terms.items()), Fraction(0))
    assert a.value(at) == wanted
    assert a.value({name: Polynomial.of(n) for name, n in at.items()}) == wanted
    assert isinstance(a.value(at), (int, Fraction))


@quick
@given(sums(), st.sampled_from(NAMES))
def test_what_stands_before_each_power_of_a_name(a: Polynomial, name: str) -> None:
    parts = a.by(name)
    x = Polynomial.named(name)
    assert sum((part * x ** int(e) for e, part in parts.items()), NOTHING) == a
    assert all(name not in part.names for part in parts.values())
    assert a.degree(name) == max((e for e in parts), default=0)


@quick
@given(sums())
def test_what_is_taken_out_divides_every_term(a: Polynomial) -> None:
    polynomial_, scale, divisor = a.cleared()
    assert all(isinstance(c, int) for c in polynomial_.terms.values())
    assert all(e > 0 for p in polynomial_.terms for _, e in p)
    assert polynomial_ / Polynomial({divisor: scale}) == a
    if a.terms:
        front, number = a.common(), a.content()
        rest = a.divided(front, number)
        assert rest * Polynomial({front: number}) == a
        assert all(isinstance(c, int) for c in rest.terms.values())
        assert rest.common() == () or any(e < 0 for p in a.terms for _, e in p)
        adds, takes = a.split()
        assert adds - takes == a
        assert adds + takes == a.absolute()


@quick
@given(sums(0).map(lambda a: a.cleared()[0]),
       st.lists(st.integers(1, 10**6), min_size=1, max_size=4), st.integers(1, 10**12))
def test_over_a_table_it_is_the_value_of_each_row(a: Polynomial, column: list[int],
                                                  shared: int) -> None:
    table = PointTable({"V": shared, "n_kv": 8},
                       {"L": np.array(column), "d_model": np.array(column)}, len(column))
    wanted = [a.value(table.dims(row)) for row in range(table.rows)]
    assert over(a, table).tolist() == wanted
    assert all(abs(value) <= largest(a, table) for value in wanted)


@quick
@given(sums())
def test_however_it_is_written_it_is_the_same(a: Polynomial) -> None:
    trees = [expanded(a), factored(a), falling(a), by_sharing(a), signed(a)]
    assert all(is_zero(to_sympy(tree) - oracle(a)) for tree in trees)
    assert len({str(expanded(Polynomial(dict(reversed(a.terms.items()))))),
                str(expanded(a))}) == 1


@pytest.mark.thinned(3)
@quick
@given(sums(), sums().filter(lambda a: len(a.terms) > 1))
def test_what_is_no_power_of_a_symbol_has_a_name_that_stands_for_it(a: Polynomial,
                                                                   below: Polynomial) -> None:
    expr = sp.expand(oracle(a) / (oracle(below) + 1)) + sp.Function("up")(symbol("L") / 6)
    found = collected(expr)
    assert is_zero(sp.Add(*(expression_of(p, c) for p, c in found.terms.items())) - expr)
    assert found.names & STANDS_FOR.keys()
    assert is_zero(to_sympy(from_sympy(expr)) - expr)
    with pytest.raises(NotDerivable):
        polynomial(expr)


@together("expr", [
    sp.sqrt(symbol("L") + 1), sp.pi * symbol("L"), 1 / (symbol("L") + 1), 2 ** symbol("L"),
    sp.floor(symbol("L") / 3)])
def test_what_is_no_sum_of_powers_is_refused(expr: Oracle) -> None:
    with pytest.raises(NotDerivable):
        polynomial(expr)


def test_a_fractional_power_of_a_symbol_is_one() -> None:
    half = polynomial(sp.sqrt(symbol("L")))
    assert half.terms == {(("L", Fraction(1, 2)),): 1}
    assert (half * half).terms == {(("L", 1),): 1}


x, y = Polynomial.named("L"), Polynomial.named("V")


@together(("call", "error"), [
    (lambda: 1 / (x + 1), NotDerivable), (lambda: x ** Fraction(1, 2), NotDerivable),  # type: ignore[operator]
    (lambda: (x + y) ** 65, NotDerivable), (lambda: (x + y) ** -1, NotDerivable),
    (lambda: x / 0, ZeroDivisionError), (lambda: x + "1", TypeError),  # type: ignore[operator]
    (lambda: x * 0.5, TypeError), (lambda: bool(x), TypeError),  # type: ignore[operator]
    (lambda: (x + y).numbers("L"), NotDerivable), (lambda: Polynomial.of("L"), NotDerivable),
    (lambda: x.value({}), KeyError), (lambda: x < y, TypeError)])  # type: ignore[operator]
def test_what_it_does_not_know_is_refused(call: Callable[[], Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        call()


def test_numbers_are_polynomials_without_a_name() -> None:
    assert x - x == 0 == NOTHING
    assert x - x + 3 == 3 != x
    assert joined((("L", 2),), (("L", -2),)) == ()
    assert [str(each) for each in (x - x, 2 * x - y / 3, 1 / x)] == ["0", "2*L + -1/3*V", "L^-1"]


def test_a_reading_names_a_comparison_and_a_floor_once() -> None:
    book = Book()
    s, w = book.named("s"), book.named("w")
    first, second = s * (s < w) + w * (s > w), (s // 4) * (s // 4)
    assert (first + s * (s < w)).names == {"s", "w", "less_1()", "less_2()"}
    assert second.terms == {(("floor_3()", 2),): 1}
    assert list(book.atoms) == ["less_1()", "less_2()", "floor_3()"]
    assert book.atoms["less_2()"].first == w
    assert (7 // s).names == {"floor_4()"}


def test_the_oracle_notices_a_wrong_product(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests above can fail."""
    monkeypatch.setattr("symparam.polynomial.joined", lambda a, b: a or b)
    assert not same((x + 1) * (x + y), sp.expand((oracle(x) + 1) * (oracle(x) + oracle(y))))
