"""Rounding: what is written has the code's value at every number, or the dim is left as one."""

from __future__ import annotations

import math
import operator
import random
from collections.abc import Callable
from fractions import Fraction

import pytest

from symparam import expression as ex
from symparam.resolve import resolve, with_overrides
from symparam.traced.model import model_of
from symparam.traced.records import Trace
from symparam.tracing import trace
from symparam.tracing.recording.terms import Term
from symparam.tracing.rules.expressions import over, times, to_even
from symparam.tracing.searching.engine import search
from symparam.tracing.searching.tables import Tensor
from symparam.tracing.searching.told import telling
from symparam.tracing.sources.callables import from_callable
from symparam.tracing.written import Writing, _of_floats
from tests.helpers import together
from tests.strategies import SEED
from tests.traces import allowed, bound, fault, told

Rule = Callable[[int, int], int]

#: Rules that have an exact expression, and such that have none that this package would find.
EXACT: dict[str, Rule] = {
    "halves to the even number": lambda d, k: round(2.5 * d),
    "quarters": lambda d, k: round(d / 4) + 1, "thirds": lambda d, k: round(d * 8 / 3),
    "a quotient": lambda d, k: round(d / k) + 1,
    "to a multiple": lambda d, k: 8 * round(d / 8) + 8,
    "halves up": lambda d, k: int(d * .5 + .5), "a ratio": lambda d, k: int(8 / 3 * d),
    "without its memory": lambda d, k: round(operator.index(d) * .5) + 0 * k,
    "at least": lambda d, k: max(8, int(d * .75 + 4) // 8 * 8)}
LEFT: dict[str, Rule] = {
    "floats fall short": lambda d, k: int(.29 * d) + 1,
    "below zero": lambda d, k: int((d - 700) / 8) + 800,
    "halves of tenths": lambda d, k: round(.1 * d) + 1,
    "thousandths": lambda d, k: int(d * 1.001),
    "above": lambda d, k: math.ceil(d * 1.1)}


def traced(rule: Rule) -> Trace:
    """The trace of a matrix with one axis by a rule."""
    def build(d: int = 96, k: int = 12) -> dict[str, tuple[int, ...]]:
        return {"w": (rule(d, k), d, k)}
    return trace(build)


def wrong_at(found: Trace, rule: Rule) -> list[tuple[int, int]]:
    """Points that checks and assumptions let pass, and at which what is said is not what comes."""
    rng, wrong = random.Random(SEED), []
    kept, name = bound(found), {str(key.path[0]): key.name for key in found.keys}
    for d in [*range(1, 1200), *(rng.randint(1200, 10**6) for _ in range(100))]:
        point = {name["d"]: d, name["k"]: rng.randint(1, 40)}
        base = {key.name: key.base for key in found.keys}
        if not allowed(found, point) or any(point[key] != base[key] for key in kept):
            continue
        d, k = point[name["d"]], point[name["k"]]
        if fault(found, point, [("w", (rule(d, k), d, k), "trainable")]):
            wrong.append((d, k))
    return wrong


@pytest.mark.thinned(3)
@pytest.mark.parametrize("rule", EXACT.values(), ids=EXACT)
def test_a_rounded_dim_is_written_as_the_code_has_it(rule: Rule) -> None:
    found = traced(rule)
    assert {a.kind for a in told(found)} <= {"existence"}
    assert wrong_at(found, rule) == []


@pytest.mark.parametrize("rule", LEFT.values(), ids=LEFT)
def test_a_rule_that_floats_do_not_follow_is_no_rule(rule: Rule) -> None:
    found = traced(rule)
    assert "number" in {a.kind for a in found.assumptions}
    assert wrong_at(found, rule) == []


def test_a_rule_that_is_not_held_against_floats_would_be_wrong(
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Writing, "_further", lambda *_: [])
    rule = LEFT["thousandths"]
    assert wrong_at(traced(rule), rule)


def test_halves_go_to_the_even_number() -> None:
    d, k = ex.Sym("d"), ex.Sym("k")
    rng = random.Random(SEED)
    for _ in range(60):
        top, bottom = rng.randint(1, 12), rng.randint(1, 12)
        written = to_even(over(times(ex.Num(top), d), ex.Num(bottom)))
        quotient = to_even(over(d, k))
        for n in range(1, 60):
            assert ex.evaluate(written, {"d": n}) == round(Fraction(top * n, bottom))
            assert ex.evaluate(quotient, {"d": n, "k": bottom}) == round(Fraction(n, bottom))


def test_a_quotient_of_floats_is_written_where_the_target_asserts_that_it_is_whole() -> None:
    top, bottom = ("k", ("d",)), ("k", ("h",))
    points = [{("d",): 96, ("h",): 6}, {("d",): 440, ("h",): 8}]
    writing = Writing({("d",): "d", ("h",): "h"}, {}, [(top, bottom)], points)
    assert str(writing.expression(("int", ("/", top, bottom)))) == "d/h"
    assert str(Writing({("d",): "d", ("h",): "h"}, {}, (), points).expression(
        ("int", ("/", top, bottom)))) == "down(d/h)"


def raised(d: int = 256, n: int = 4) -> dict[str, tuple[int, ...]]:
    """Widths rounded up as Python is often made to: minus the floor of minus."""
    ffn = -(-8 * d // 3 // 64) * 64
    return {**{f"h.{i}.up": (ffn, d) for i in range(n)}, "low": (-(-d // 7), d)}


def test_what_is_rounded_up_by_two_minus_signs_is_a_width_above_zero() -> None:
    found = trace(raised)
    model = model_of(found)
    width, depth = (key.name for key in found.keys)
    for d, n in ((256, 4), (300, 7), (1, 1), (4096, 3)):
        values = resolve(with_overrides(model, {width: d, depth: n})).values
        assert min(values.values()) > 0
        assert int(model.ledger(values).total()) == sum(map(math.prod, raised(d, n).values()))


def in_groups(d: int = 2048, factor: int = 1, groups: int = 32) -> dict[str, tuple[int, ...]]:
    """A width to the nearest multiple of 8, which a number of groups has to divide."""
    wide = (d * factor + 4) // 8 * 8
    if d % groups or wide % groups:
        raise ValueError("in groups")
    return {"w": (wide, 3), "v": (d, 5)}


def test_a_rounding_that_no_drawn_point_shows_is_told_from_what_agrees_with_it() -> None:
    finder, _ = search(from_callable(in_groups, {}), {(n,): v for n, v in (
        ("d", 2048), ("factor", 1), ("groups", 32))}, frozenset(), 20, SEED, None, None)
    sizes = finder.sizes
    drawn = [(v, {"w": Tensor((v["d",] * v["factor",], 3)), "v": Tensor((v["d",], 5))}) for v in (
        {("d",): 32 * n, ("factor",): 7 - n, ("groups",): 32} for n in (5, 3, 2, 4))]
    sizes.points = drawn
    sizes.extra.clear()
    sizes.fit()
    rounded = {("d",): 2044, ("factor",): 1, ("groups",): 4}
    assert sizes.wrong(rounded, finder.prober.table(rounded) or {}) == [("w", 0)]
    found = list(telling(sizes, [v for v, _ in drawn], random.Random(SEED)))
    assert any(sizes.wrong(*point) == [("w", 0)] for point in found)
    for point in found:
        sizes.join(*point)
    assert not sizes.wrong(rounded, finder.prober.table(rounded) or {})


@together(("term", "floats"), [
    (("/", ("k", ("d",)), ("n", 2)), True), (("+", ("n", 1), ("/", ("k", ("d",)), ("n", 2))), True),
    (("*", ("n", 0.5), ("k", ("d",))), True), (("k", ("/",)), False),
    (("//", ("k", ("d",)), ("n", 2)), False), (("int", ("*", ("k", ("d",)), ("n", 3))), False)])
def test_a_true_division_and_a_float_are_worked_out_in_floats(term: Term, floats: bool) -> None:
    assert _of_floats(term) is floats
