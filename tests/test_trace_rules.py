"""Rules fitted to numbers: the factors that fit are all that do; chance is no rule."""

from __future__ import annotations

import contextlib
import itertools
import math
import random
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symparam import expression as ex
from symparam.tracing.recording.terms import Term, whole_value
from symparam.tracing.recording.terms import text as text_of
from symparam.tracing.rules.copies import Progression, _rule
from symparam.tracing.rules.counts import Counts
from symparam.tracing.rules.expressions import expression, over
from symparam.tracing.rules.fitting import Grammar, information, text
from symparam.tracing.rules.rounding import _factors
from tests.strategies import quick

MODES: dict[str, Callable[[Fraction], int]] = {
    "ceil": math.ceil, "floor": math.floor, "round": round}
FACTORS = st.fractions(min_value=Fraction(1, 8), max_value=8, max_denominator=40)
NUMBERS = st.lists(st.integers(1, 500), min_size=2, max_size=4)


def rounded(factor: Fraction, vector: list[int], step: int, mode: str) -> list[int]:
    return [step * MODES[mode](factor * x / step) for x in vector]


@quick
@given(FACTORS, NUMBERS, st.sampled_from([1, 8, 64]), st.sampled_from(sorted(MODES)), FACTORS)
def test_the_factors_that_fit_are_those_of_the_interval(
        factor: Fraction, vector: list[int], step: int, mode: str, other: Fraction) -> None:
    wanted = rounded(factor, vector, step, mode)
    low, high = _factors(wanted, vector, [step] * len(vector), mode)
    assert low <= factor <= high
    if not low <= other <= high:
        assert rounded(other, vector, step, mode) != wanted
    if low < other < high:
        assert rounded(other, vector, step, mode) == wanted


LEAVES = st.one_of(st.integers(1, 12).map(lambda n: ("n", n)),
                   st.sampled_from("dnm").map(lambda name: ("k", (name,))))
#: What terms are made of; the last two are the ways to write a division that is rounded up.
WAYS = ("+", "*", "//", "/", "%", "max", "min", "int", "floor", "ceil", "round", "raised",
        "one less")
TERMS = st.recursive(LEAVES, lambda inner: st.tuples(st.sampled_from(WAYS), inner, inner).map(
    lambda each: made(*each)), max_leaves=7)
SIZES = st.fixed_dictionaries({name: st.integers(1, 60) for name in "dnm"})


def made(way: str, a: Term, b: Term) -> Term:
    if way in ("int", "floor", "ceil", "round"):
        return (way, ("/", a, b))
    if way == "raised":
        return ("//", ("-", ("+", a, b), ("n", 1)), b)
    return ("//", ("+", a, ("-", b, ("n", 1))), b) if way == "one less" else (way, a, b)


def worked_out(term: Term, sizes: dict[str, int]) -> Fraction:
    """By the arithmetic of fractions, in which nothing is lost."""
    if term[0] in "nk":
        return Fraction(term[1] if term[0] == "n" else sizes[term[1][0]])
    values = [worked_out(part, sizes) for part in term[1:]]
    return Fraction({
        "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
        "/": lambda a, b: a / b, "//": lambda a, b: a // b, "%": lambda a, b: a % b, "max": max,
        "min": min, "int": int, "floor": math.floor, "ceil": math.ceil, "round": round,
    }[term[0]](*values))


@quick
@given(TERMS, st.lists(SIZES, min_size=3, max_size=3))
def test_what_is_written_of_a_term_is_what_the_term_works_out(
        term: Term, sizes: list[dict[str, int]]) -> None:
    found = expression(term, lambda path: ex.Sym(str(path[0])))
    for each in sizes if found is not None else ():
        with contextlib.suppress(ZeroDivisionError):
            wanted = worked_out(term, each)
            assert ex.evaluate(found, each) == wanted, (text_of(term), str(found))


def grammar(one: tuple[int, ...], two: tuple[int, ...]) -> Grammar:
    """Expressions over three names at some points."""
    return Grammar({one: ("k", ("d",)), two: ("k", ("n",)), (1, 3): ("k", ("m",))})


@pytest.mark.parametrize(("one", "two", "named", "product"), [
    ((30, 41), (1, 2), True, True),  # 10.3 bits, 11.3 bits
    ((7, 100), (1, 2), True, False),  # 9.7, 10.7: enough for a name, too few for a product
    ((12, 50), (1, 2), False, False)])  # 9.4
def test_a_name_is_believed_for_fewer_digits_than_a_product(
        one: tuple[int, ...], two: tuple[int, ...], named: bool, product: bool) -> None:
    known, both = grammar(one, two), tuple(a * b for a, b in zip(one, two, strict=True))
    found = [known.find(one), known.find(both)]
    assert [term and text(term) for term in found] == [
        "d" if named else None, "(d * n)" if product else None]
    assert information(one) < information(both)


def test_in_a_sum_of_two_names_either_may_be_one() -> None:
    assert text_of(grammar((300, 410), (1, 2)).find((301, 412)) or ()) == "(d + n)"


def test_what_is_nowhere_has_no_rule() -> None:
    points: list[tuple[dict[tuple[str, ...], int], int]] = [({("L",): n}, n) for n in (2, 5, 9)]
    assert _rule(points, [("L",)], ()) == (("k", ("L",)), ())
    assert _rule([], [("L",)], ()) is None


@given(st.integers(0, 9), st.integers(1, 5), st.integers(0, 12), st.booleans())
@quick
def test_numbers_of_layers_are_those_from_a_start_by_a_step_or_all_others(
        start: int, step: int, count: int, others: bool) -> None:
    """Of all numbers those that are whole steps behind the start; or those that are not."""
    found = Progression(("n", start), ("n", step), others).first(count, {})
    for_ever = (i for i in itertools.count() if others != (i >= start and (i - start) % step == 0))
    if others and step == 1:  # (no number behind the start is another)
        assert found == (list(range(count)) if count <= start else None)
    else:
        assert found == list(itertools.islice(for_ever, count))


def test_a_quotient_by_a_fraction_is_written_without_one() -> None:
    assert str(over(ex.Sym("d"), ex.Num(Fraction(2, 3)))) == "3*d/2"
    assert over(ex.Sym("d"), ex.Num(Fraction(2, 3))) == ex.Quotient(
        ex.Product((ex.Num(3), ex.Sym("d"))), ex.Num(2))


#: What there can be so many of, of three numbers that layers are counted with; ``m`` is the least.
COUNTED: dict[str, Callable[[int, int, int], int]] = {
    "all": lambda d, n, m: d,
    "each of each": lambda d, n, m: d * n,
    **{f"every {k}th": lambda d, n, m, k=k: d // k for k in (2, 3, 4, 5, 6)},
    **{f"every {k}th and the first": lambda d, n, m, k=k: -(-d // k) for k in (2, 3, 4, 5, 6)},
    **{f"every {k}th from {i}": lambda d, n, m, k=k, i=i: -(-(d - i) // k)
       for k in (2, 3, 4, 5) for i in range(1, k)},
    "every mth": lambda d, n, m: d // m,
    "every mth and the first": lambda d, n, m: -(-d // m),
    "every mth from the second": lambda d, n, m: -(-(d - 1) // m),
    "so many that there are of each": lambda d, n, m: n // (n // m),
    "half of what is left": lambda d, n, m: (d - n) // 2,
    "half of what is left, rounded up": lambda d, n, m: -(-(d - n) // 2),
    "a third of what is left": lambda d, n, m: (d - n) // 3,
    "a third of what is left, rounded up": lambda d, n, m: -(-(d - n) // 3),
    "every mth of what is left": lambda d, n, m: (d - n) // m,
    "every mth of what is left, rounded up": lambda d, n, m: -(-(d - n) // m),
    "every mth, n of each": lambda d, n, m: n * (d // m),
    "every mth, rounded up, n of each": lambda d, n, m: n * -(-d // m),
}


@pytest.mark.parametrize("name", COUNTED)
def test_every_form_of_a_count_is_found_of_its_numbers(name: str) -> None:
    """A multiple of it and a few more, too; it holds at points that it was not found of."""
    rng = random.Random(name)
    points = [{("d",): rng.randint(30, 90), ("n",): rng.randint(7, 29), ("m",): rng.randint(2, 6)}
              for _ in range(40)]
    known = Counts([("d",), ("n",), ("m",)], points[:20])
    for times, more in ((1, 0), (3, 4)):
        wanted = [times * COUNTED[name](*point.values()) + more for point in points]
        found = known.find(wanted[:20])
        assert found is not None
        assert [whole_value(found, point) for point in points] == wanted, text_of(found)
