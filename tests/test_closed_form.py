"""One dim as a formula and as a number: every dim of every architecture, every real root."""

from __future__ import annotations

import re
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from symparam import expression as ex
from symparam.cli.main import run
from symparam.constraints import Standing
from symparam.descriptions import catalogue
from symparam.descriptions.catalogue import published as named
from symparam.descriptions.load import build
from symparam.descriptions.options import Options
from symparam.errors import FalseStep, NotDerivable, SymparamError
from symparam.grammar import MAX_TERMS, Rule, parse_expression, parse_rule
from symparam.model import Model
from symparam.parts import one_part
from symparam.resolve import numbers, resolve, with_overrides
from symparam.solve import Solution, Wanted, Wishes, solve
from symparam.solve.formulas import closed_form
from symparam.solve.formulas.closed_form import closed_form as form_of
from symparam.solve.formulas.roots import isolated, real_roots
from symparam.solve.requests.goals import Relation
from symparam.solve.searching.one_unknown import MAX_WALK
from symparam.symbols import symbol, to_sympy
from tests.strategies import quick


def one(model: Model, target: int, dim: str, tolerance: Fraction = Fraction(1, 100)) -> Solution:
    return solve(model, target, wishes=Wishes(unknown=[dim]), tolerance=tolerance)


def total(model: Model, **dims: int) -> int:
    whole = with_overrides(model, dims)
    return int(whole.ledger(numbers(whole).values).total())


#: One of each kind every day, all of them when all run.
EVERYDAY = ("gpt2", "deepseek-v3", "mamba2-2.7b", "recurrentgemma-2b", "t5-base")


@pytest.mark.thinned(6)
@pytest.mark.parametrize("name", [n if n in EVERYDAY else pytest.param(n, marks=pytest.mark.slow)
                                  for n in catalogue.names()])
def test_any_dim_of_any_architecture_is_found_again(name: str) -> None:
    """P → the dim: as an integer, as a root, and by its formula; or no other value is one."""
    model = named(name)
    values = resolve(model).values
    target = total(model)
    for dim in dict.fromkeys([*model.dims, *(n for eq in model.equations for n in eq.inputs)]):
        if any(eq.dim == dim and eq.standing is Standing.DEFINITION
               for eq in model.all_equations()):
            continue
        try:
            found = _unless_refused(model, target, dim)
        except NotDerivable as error:
            if "not shown that the count grows or falls" in str(error) and _rounded(model):
                continue
            raise
        if found is None:
            assert not _enters(model, dim), dim
            continue
        assert any(c.exact and c.dims[dim] == values[dim] for c in found.configurations), dim
        assert found.complete
        kept = [root for root in found.roots[dim] if not root.rejected]
        form, = found.closed_forms
        if any(each.relaxed for each in form.put_in):  # a pattern as its share: within a cycle
            assert any(abs(root.value - values[dim]) <= 12 for root in kept), dim
            continue
        assert any(root.low <= values[dim] <= root.high for root in kept), dim
        if form.formulas:
            assert values[dim] in {_value(f, found, target) for f in form.formulas}, dim
        else:
            assert "degree" in form.why


def _unless_refused(model: Model, target: int, dim: str) -> Solution | None:
    """The solution; None where the count is said not to depend on the dim."""
    try:
        return one(model, target, dim)
    except NotDerivable as error:
        if "does not depend" in str(error):
            return None
        raise


def _rounded(model: Model) -> bool:
    """Whether a width follows by a rule that rounds, so that a count may go up and down."""
    return any(", down to " in str(eq) or ", up to " in str(eq) for eq in model.all_equations())


def _enters(model: Model, dim: str) -> bool:
    """Whether a dim changes the count: itself, or what follows from it."""
    base, values = total(model), resolve(model).values
    for value in (values[dim] + 1, 2 * values[dim], values[dim] - 1):
        with suppress(SymparamError):
            if total(model, **{dim: value}) != base:
                return True
    return False


def _value(formula: ex.Expr, found: Solution, target: int) -> Any:
    """A formula on numbers, read back from its text where the grammar reads so many terms."""
    text = str(formula)
    tree = parse_expression(text, ["P", *found.real_at]) if (
        ex.expanded_terms(formula) <= MAX_TERMS) else formula
    known = {n: sp.Integer(v) for n, v in found.real_at.items()}
    return to_sympy(tree, {**known, "P": sp.Integer(target)})


def test_several_kinds_of_layer_no_longer_hide_the_answer() -> None:
    deepseek = build("deepseek-v3", Options(), {})
    found = one(deepseek, 700 * 10**9, "d_expert")
    assert found.met
    assert found.closed_forms[0].why.startswith("the only root: P is linear")
    assert {c.dims["d_expert"] for c in found.configurations} == {2138, 2139}
    dense = one(deepseek, 600 * 10**9, "L_dense")
    assert all(c.dims["L_sparse"] + c.dims["L_dense"] == 61 for c in dense.configurations)
    assert dense.real["L_dense"] == pytest.approx(9.1, abs=0.5)


def test_a_root_that_leaves_no_layers_of_another_kind_is_rejected() -> None:
    found = one(build("deepseek-v3", Options(), {}), 10**9, "L_dense")
    root, = found.roots["L_dense"]
    assert "L_sparse = L - L_dense would not be positive" in root.rejected
    assert not found.met
    assert found.real == {}


def test_both_roots_where_the_count_falls_and_rises() -> None:
    """a·n + c + b/n: biases a head against a head width that follows."""
    form = form_of(symbol("L") * 3 + 75 / symbol("L") + symbol("V"), "L")
    assert len(form.formulas) == 2
    found = real_roots(form, 40 + 5, {"V": 5})
    assert [root.value for root in found] == [pytest.approx(Fraction(5, 2), abs=1),
                                              pytest.approx(10.8, abs=1)]
    for root, text in zip(sorted(found, key=lambda r: -r.value), form.formulas, strict=True):
        exact = to_sympy(text).subs({symbol("P"): 45, symbol("V"): 5})
        assert root.low <= exact <= root.high


@pytest.mark.thinned(3)
def test_a_count_that_falls_and_rises_is_searched_on_both_sides() -> None:
    model = build("recurrentgemma-2b", Options(), {})
    goal = total(model)
    found = one(model, goal, "n_heads")
    kept = [root for root in found.roots["n_heads"] if not root.rejected]
    assert [float(root.value) for root in kept] == [2.25, 10.0]
    totals = {}
    for heads in range(1, 2561):
        with suppress(SymparamError):
            totals[heads] = total(model, n_heads=heads)
    exact = {heads for heads, count in totals.items() if count == goal}
    assert {c.dims["n_heads"] for c in found.configurations if c.exact} == exact


#: 128 bands of a sound are folded twice: 125 to 128 make 32 of them.
SOUND = 681_348_640


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("target", "relation", "values"), [
    (SOUND, "=", [125, 126, 127, 128]),
    (SOUND - 100, "=", [125, 126, 127, 128, 121, 122, 123, 124]),
    (SOUND, "<=", [128]), (SOUND - 1, "<=", [124])])
def test_numbers_in_a_row_with_one_count_are_all_found(
        target: int, relation: Relation, values: list[int]) -> None:
    """Of a limit the largest of them."""
    model = one_part(named("gemma-3n-e2b"), "audio")
    asked = Wishes(unknown=["n_mels_audio"])
    found = solve(model, target, wishes=asked) if relation == "=" else solve(
        model, wishes=asked, wanted=[Wanted("P", target, relation)])
    assert [c.dims["n_mels_audio"] for c in found.configurations] == values
    assert found.within == len(values)
    assert found.complete
    for number in range(1, 300):
        count = total(model, n_mels_audio=number)
        assert (count == found.configurations[0].total) <= (number in values or relation == "<=")
        assert relation == "=" or count > target or number <= values[0]


@pytest.mark.thinned(3)
def test_of_a_count_that_falls_and_rises_the_largest_within_a_limit_is_found() -> None:
    model = build("recurrentgemma-2b", Options(), {})
    found = solve(model, wishes=Wishes(unknown=["n_heads"]),
                  wanted=[Wanted("P", 2_690_000_000, "<=")])
    within = set()
    for heads in range(1, 2561):
        with suppress(SymparamError):
            within |= {heads} if total(model, n_heads=heads) <= 2_690_000_000 else set()
    assert [c.dims["n_heads"] for c in found.configurations] == [max(within)]
    assert len(within) > 1


@settings(quick, max_examples=150)
@given(st.lists(st.integers(-30, 30), min_size=1, max_size=4, unique=True),
       st.integers(-2, 3), st.integers(1, 9))
def test_every_real_root_is_isolated(roots: list[int], low: int, scale: int) -> None:
    """Σ c·x^e = 0 with chosen roots: all of them, in order, zero left out."""
    coefficients = [Fraction(scale)]
    for root in roots:
        shifted = [Fraction(0), *coefficients]
        coefficients = [a - root * b for a, b in zip(shifted, [*coefficients, Fraction(0)],
                                                    strict=True)]
    powers = {e + low: c for e, c in enumerate(coefficients)}
    found = isolated(powers, Fraction(0))
    assert [root.value for root in found] == sorted(r for r in roots if r)
    for before, after in pairwise(found):
        assert before.high < after.low


@settings(quick, max_examples=60)
@given(st.integers(1, 10**12), st.integers(1, 10**6), st.integers(1, 10**6))
def test_bounds_hold_the_root_of_a_cubic(target: int, a: int, b: int) -> None:
    found = [r for r in isolated({3: Fraction(a), 1: Fraction(b)}, Fraction(target))
             if r.high > 0]
    root, = found

    def at(x: Fraction) -> Fraction:
        return a * x**3 + b * x

    assert at(root.low) <= target <= at(root.high)
    assert (root.high - root.low) * 10**14 <= root.high


def test_above_degree_two_a_root_has_bounds() -> None:
    found = solve(build(None, Options(), {}), 7 * 10**9, given={"L": parse_rule("d_model/128")})
    root, = (r for r in found.roots["d_model"] if not r.rejected)
    assert root.low < root.high

    def at(width: Fraction) -> Fraction:
        return Fraction(12, 128) * width**3 + Fraction(2, 128) * width**2 + 64001 * width

    assert at(root.low) < 7 * 10**9 < at(root.high)


@pytest.mark.parametrize(("text", "message"), [
    ("(P - V)/(2*L)", "d_model"), ("((P + V)/L)**(1/2)", "d_model"),
    ("((4*L*P + V**2)**(1/2) - V)/(2*L)", "d_model")])
def test_a_formula_that_is_not_a_root_is_refused(monkeypatch: pytest.MonkeyPatch, text: str,
                                                 message: str) -> None:
    """P = L·x² + V, solved wrongly in three ways."""
    L, V, x = symbol("L"), symbol("V"), symbol("d_model")
    wrong = parse_expression(text, ["P"])
    monkeypatch.setattr(closed_form, "_quadratic", lambda *_, **__: (wrong, wrong))
    with pytest.raises((FalseStep, AssertionError, ValueError), match=message if "/(2*L)" not in
                       text else None):
        form_of(L * x**2 + V, "d_model")


def test_a_whole_number_that_conditions_allow_is_found_far_from_the_root() -> None:
    """128 heads of even width: one d_model in 256 will do."""
    model = build("llama-2-7b", Options(), {"n_heads": 4096, "n_kv": 4096, "d_model": 8192})
    found = one(model, total(model) + 10**8, "d_model", Fraction(0))
    assert {c.dims["d_model"] for c in found.configurations} == {8192, 16384}
    assert MAX_WALK > 4096
    assert found.complete


@pytest.mark.parametrize(("rule", "refused"), [
    ("2*up(4/3*d_model)", ""), ("256*nearest(d_model/96)", ""), ("down(d_model/3) + 5", ""),
    ("9*d_model - up(d_model/3)", ""),
    ("d_model**2/up(d_model/3)", "no sum of whole powers")])
def test_a_rounding_inside_a_rule_is_gone_through_as_it_is(rule: str, refused: str) -> None:
    given_dims: dict[str, int | Rule] = {"L": 2, "V": 50, "n_heads": 4, "d_ff": parse_rule(rule)}
    model = build(None, Options(), {})

    def ask() -> Solution:
        return solve(model, 500_000, given=given_dims, wishes=Wishes(unknown=["d_model"]),
                     tolerance=Fraction(1, 3))

    if refused:
        with pytest.raises(NotDerivable, match=refused):
            ask()
        return
    found = ask()
    totals = {}
    for width in range(8, 600, 8):
        with suppress(SymparamError):
            totals[width] = total(model, V=50, L=2, n_heads=4, d_model=width, n_kv=4,
                                  d_head=width // 4, d_ff=int(_on(rule, width)))
    below = max(w for w, count in totals.items() if count <= 500_000)
    above = min(w for w, count in totals.items() if count >= 500_000)
    assert {c.dims["d_model"] for c in found.configurations} == {below, above}


def _on(rule: str, width: int) -> Fraction:
    return Fraction(ex.evaluate(parse_rule(rule).expr, {"d_model": width}))


def test_heads_that_are_a_matter_of_definition_follow_a_model_that_is_scaled() -> None:
    found = solve(build("nanochat-d20", Options(), {}), 10**10)
    assert found.met
    assert all(c.dims["n_kv"] == c.dims["n_heads"] for c in found.configurations)


def test_bounds_of_a_root_that_has_no_formula_hold_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["solve", "P=7e9", "L=d_model/128", "n_heads=d_model/128", "d_ff=4*d_model"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    found = re.search(r"d_model = ([\d.]+), between ([\d.]+) and ([\d.]+) for V = 32000", said)
    assert found is not None
    value, low, high = map(Fraction, found.groups())
    below, above = (2 * 32000 * d + d / 128 * (12 * d**2 + 2 * d) + d for d in (low, high))
    assert below < 7 * 10**9 < above
    assert high - low == Fraction(1, 10**8)
    assert abs(value - low) <= Fraction(1, 10**4)
