"""Checks on numbers: what each looks at, and that it means the same under other names."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symparam.constraints import AtMost, Check, Compares, Differs, Divides, KnownFor, Sums
from symparam.constraints.equation import Equation, Standing
from symparam.errors import BadValue, ConstraintViolated
from symparam.grammar import parse_expression
from symparam.traced.checks import Fixed, Proportional
from tests.helpers import together
from tests.strategies import quick

#: One of each kind, and two where a field may hold another kind of thing, with what it says.
CHECKS = {
    Divides("a", "b", "why"): lambda n: n["b"] % n["a"] == 0,
    Divides(4, "b", "why"): lambda n: n["b"] % 4 == 0,
    Sums(("a", "b"), "c", "why"): lambda n: n["a"] + n["b"] == n["c"],
    Differs("a", "b", "why"): lambda n: n["a"] != n["b"],
    AtMost("a", "b", "why"): lambda n: n["a"] <= n["b"],
    KnownFor("a", "b", 2, 4, "why"): lambda n: 2 <= n["b"] <= 4,
    KnownFor("a", "b", 3, None, "why"): lambda n: n["b"] >= 3,
    Compares(parse_expression("a + 1", "abc"), "<", parse_expression("b*c", "abc"), "why"):
        lambda n: n["a"] + 1 < n["b"] * n["c"],
    Compares(parse_expression("a/b", "abc"), "=", parse_expression("c", "abc"), "why"):
        lambda n: Fraction(n["a"], n["b"]) == n["c"],
    Fixed("a", 3, "why"): lambda n: n["a"] == 3,
    Proportional("a", "b", Fraction(1, 2), "why"): lambda n: 2 * n["a"] == n["b"],
}
OTHERS = {"a": "b", "b": "c", "c": "a"}


def kinds(of: type[Check] = Check) -> Iterator[type[Check]]:
    """Every kind of check that there is."""
    for kind in of.__subclasses__():
        yield kind
        yield from kinds(kind)


def passes(check: Check, numbers: dict[str, int]) -> bool:
    """Whether numbers meet it; what it says of others names its dims with their numbers."""
    try:
        check.check(numbers)
    except ConstraintViolated as error:
        said = error
    else:
        return True
    assert said.values == {name: numbers[name] for name in check.dims}
    assert said.remedy
    return False


def test_each_kind_is_tested_here() -> None:
    assert {kind for kind in kinds() if kind.__module__.startswith("symparam.")} == {
        type(check) for check in CHECKS}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("check", CHECKS, ids=str)
@quick
@given(numbers=st.fixed_dictionaries(dict.fromkeys("abc", st.integers(1, 6))))
def test_a_check_says_what_it_is_named_for_under_any_names(
        check: Check, numbers: dict[str, int]) -> None:
    assert passes(check, numbers) == CHECKS[check](numbers)
    turned = {OTHERS[name]: number for name, number in numbers.items()}
    assert passes(check.renamed(OTHERS), turned) == passes(check, numbers)
    assert set(check.renamed(OTHERS).dims) == {OTHERS[name] for name in check.dims}


@together("check", CHECKS, ids=str)
def test_nothing_is_checked_while_a_dim_has_no_number(check: Check) -> None:
    numbers = next({"a": a, "b": b, "c": c} for a in range(1, 7) for b in range(1, 7)
                   for c in range(1, 7) if not passes(check, {"a": a, "b": b, "c": c}))
    for name in check.dims:
        assert passes(check, {other: n for other, n in numbers.items() if other != name})


@pytest.mark.parametrize("standing", [Standing.DEFINITION, Standing.DEFAULT])
def test_a_rule_without_dims_that_is_no_whole_number_names_none(standing: Standing) -> None:
    with pytest.raises(BadValue, match=r"^d_emb = 3/2: must be a whole number$"):
        Equation("d_emb", parse_expression("3/2"), "stated", standing).value({})


def test_the_nearest_number_that_would_do_may_be_one() -> None:
    split = Equation("d_head", parse_expression("d_model/n_heads"), "heads split the width",
                     Standing.DEFINITION)
    with pytest.raises(BadValue, match="d_model=6 or n_heads=1 would do"):
        split.value({"d_model": 7, "n_heads": 2})
