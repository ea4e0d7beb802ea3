"""From a target back to dims: formulas proved, the search against brute force, the ranking."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symparam.cli.main import run
from symparam.count import count
from symparam.descriptions.architecture.architecture_file import describe_model
from symparam.descriptions.decoder import decoder
from symparam.descriptions.load import build
from symparam.descriptions.options import Options
from symparam.errors import (
    BadValue,
    ConstraintViolated,
    Contradiction,
    MissingDims,
    NotDerivable,
    SymparamError,
)
from symparam.grammar import Rule, parse_expression, parse_rule
from symparam.model import Model
from symparam.points.axes import Span
from symparam.resolve import numbers, with_overrides
from symparam.solve import Configuration, Solution, Wishes, solve
from symparam.solve.binding import _looser
from symparam.solve.fits import fit
from symparam.solve.formulas.closed_form import ClosedForm, closed_form, reduced
from symparam.solve.formulas.roots import real_roots
from symparam.solve.published import published_near
from symparam.solve.requests.goals import counted
from symparam.solve.requests.parsing import read_wishes
from symparam.solve.searching.best import _first
from symparam.symbols import symbol, to_sympy
from tests.oracle import decoder as oracle
from tests.strategies import Arch, architectures, decoders, engine, quick

EVERYTHING = 10**6
KEYS = {"target", "fixed", "unknowns", "closed_form", "put_in", "real", "configurations", "covered",
        "enumerated", "complete", "assumed", "lattice", "met", "targets", "tolerance", "roots",
        "within", "front", "preferences", "bindings", "remarks", "everywhere"}


def model(reference: str | None = None, **options: Any) -> Model:
    return build(reference, Options(**options), {})


def find(what: Model, target: int, unknown: str = "", limit: int = 10,
         tolerance: Fraction = Fraction(1, 100), **dims: int | str) -> Solution:
    rules: dict[str, int | Rule] = {n: parse_rule(v) if isinstance(v, str) else v
                                    for n, v in dims.items()}
    return solve(what, target, given=rules, wishes=Wishes(unknown=unknown.split()), limit=limit,
                 tolerance=tolerance)


def real_root(form: ClosedForm, target: int, known: dict[str, int]) -> Fraction | None:
    """The one positive root."""
    kept = [root.value for root in real_roots(form, target, known) if not root.rejected]
    assert len(kept) <= 1
    return kept[0] if kept else None


def same(found: Configuration, **dims: int) -> bool:
    return all(found.dims[name] == value for name, value in dims.items())


# Formulas


def test_the_width_of_the_plain_decoder_as_a_formula() -> None:
    found = find(model(), 7 * 10**9, L=32)
    form, = found.closed_forms
    assert str(form.expr) == ("((48*L*P + (2*L + 2*V + 1)**2)**(1/2) - (2*L + 2*V + 1))/(24*L)")
    assert "only positive root" in form.why
    assert "negative" in form.why
    assert round(float(found.real["d_model"]), 2) == 4186.96
    assert found.met
    assert ("V = 32000", "no vocabulary was given") in found.assumed
    assert [(str(each), each.origin) for each in form.put_in] == [
        ("n_heads = d_model/d_head", "rule"), ("n_kv = n_heads", "rule"),
        ("d_ff = 4*d_model", "rule")]


def test_depth_is_linear() -> None:
    found = find(model(), 7 * 10**9, d_model=4096)
    form, = found.closed_forms
    assert str(form.expr) == "(P - d_model*(2*V + 1))/(2*d_model*(6*d_model + 1))"
    assert "linear" in form.why


def test_twelve_l_d_squared_alone() -> None:
    form = closed_form(12 * symbol("L") * symbol("d_model")**2, "d_model")
    assert str(form.expr) == "(P/(12*L))**(1/2)"
    assert real_root(form, 51_539_607_552, {"L": 64}) == 8192


@pytest.mark.thinned(3)
@settings(quick, max_examples=60)
@given(architectures(dense=True), st.data())
def test_formulas_give_back_the_dim(arch: Arch, data: st.DataObject) -> None:
    """Dims → P → the formula as it is printed → the dim, exactly."""
    tally = count(engine(arch, {})).plain()
    rules = {"d_ff": parse_rule("4*d_model"), "n_heads": parse_rule("d_model/d_head")}
    name = data.draw(st.sampled_from(["L", "d_model", "V", "n_kv", "d_ff"]))
    tally = reduced(tally, {dim: rule for dim, rule in rules.items() if dim != name})
    dims = {n: data.draw(st.integers(1, 10**6)) for n in
            ("V", "L", "d_model", "n_heads", "n_kv", "d_head", "d_ff", "n_ctx")}
    form = closed_form(tally, name)
    assert form.expr is not None
    known = {symbol(n): v for n, v in dims.items()}
    total = tally.subs(known)
    read_back = to_sympy(parse_expression(str(form.expr)))
    others = {s: v for s, v in known.items() if s != symbol(name)}
    assert read_back.subs({**others, symbol("P"): total}) == dims[name]


WIDTH = closed_form(12 * symbol("L") * symbol("d_model")**2 + symbol("d_model") * (
    2 * symbol("V") + 2 * symbol("L") + 1), "d_model")


@quick
@given(st.integers(1, 10**24), st.integers(1, 500), st.integers(1, 10**6))
def test_real_roots_are_right_to_fourteen_digits(target: int, depth: int, vocab: int) -> None:
    root = real_root(WIDTH, target, {"L": depth, "V": vocab})
    assert root is not None

    def at(width: Fraction) -> Fraction:
        return 12 * depth * width**2 + (2 * vocab + 2 * depth + 1) * width

    assert at(root * (1 - Fraction(1, 10**14))) < target < at(root * (1 + Fraction(1, 10**14)))


def test_above_degree_two_there_is_only_a_number() -> None:
    found = find(model(), 7 * 10**9, L="d_model/128")
    form, = found.closed_forms
    assert form.expr is None
    assert "degree 3" in form.why
    assert found.to_json()["closed_form"] == {}
    width = found.real["d_model"]
    value = Fraction(12, 128) * width**3 + Fraction(2, 128) * width**2 + 64001 * width
    assert abs(value / (7 * 10**9) - 1) < Fraction(1, 10**14)


def test_rules_that_swell_leave_the_formula_out() -> None:
    long = {"d_ff": parse_rule("(L + V)**8"), "L": parse_rule("(d_model + n_heads + 1)**3")}
    with pytest.raises(NotDerivable, match="too long to multiply out"):
        reduced(count(model()).plain(), long)
    form = closed_form(reduced(count(model()).plain(), {"d_ff": parse_rule("(d_model**60)**2")}),
                       "d_model")
    assert (form.expr, form.count) == (None, None)
    assert real_root(form, 10**9, {"L": 1}) is None
    with pytest.raises(NotDerivable, match="no sum of whole powers of d_model: give d_ff"):
        find(model(), 10**9, "d_model", L=12, d_ff="2**(1/2)*d_model", n_heads=8, d_head=64)


@pytest.mark.parametrize("rule", ["d_model**(1/2)", "2**20/(d_model + 1)"])
def test_a_rule_that_is_no_polynomial_has_no_formula(rule: str) -> None:
    given_rule = {"d_ff": parse_rule(rule)}
    form = closed_form(reduced(count(model()).plain(), given_rule), "d_model")
    assert form.expr is None
    assert real_root(form, 10**9, {"L": 2}) is None
    with pytest.raises(NotDerivable, match="no sum of whole powers of d_model: give d_ff"):
        find(model(), 10**9, "d_model", L=2, d_ff=rule)


def test_no_root_where_the_rest_is_more_than_the_target() -> None:
    found = find(model(), 10**6, d_model=4096)
    assert found.real == {}
    assert not found.met


# The search


def splits(width: int, fixed: dict[str, int]) -> list[tuple[int, int]]:
    """Heads and head width, as the default lattice and what is given allow them."""
    if "n_heads" in fixed:
        heads = fixed["n_heads"]
        head = fixed.get("d_head", width // heads)
        return [(heads, head)] if "d_head" in fixed or heads * head == width else []
    widths = [fixed["d_head"]] if "d_head" in fixed else [64, 128]
    return [(width // head, head) for head in widths if width % head == 0]


def groups(kind: str, heads: int, given_heads: bool) -> list[int]:
    """Key-value heads, likewise."""
    if kind != "gqa":
        return [heads] if kind == "mha" else [1]
    usual = [k for k in range(4, 17) if heads % k == 0]
    return [k for k in range(1, heads + 1) if heads % k == 0] if given_heads and not usual else (
        usual)


def brute(arch: Arch, large: bool, fixed: dict[str, int]) -> Iterator[dict[str, int]]:
    """The default lattice for a given L, written out with loops and tests of membership."""
    step, ffn_step, depth = (128, 256, fixed["L"]) if large else (64, 64, fixed["L"])
    widths = [w for w in range(32 * depth, 256 * depth + 1) if w % step == 0]
    for width in [fixed["d_model"]] if "d_model" in fixed else widths:
        for heads, head in splits(width, fixed):
            if arch.get("positions", "rope") == "rope" and head % 2:
                continue
            for kv in groups(arch.get("attention", "mha"), heads, "n_heads" in fixed):
                for ffn in range(width, 8 * width + 1):
                    if ffn % ffn_step == 0:
                        yield {**fixed, "d_model": width, "d_head": head, "n_heads": heads,
                               "n_kv": kv, "d_ff": ffn}


@pytest.mark.thinned(3)
@settings(quick, max_examples=60)
@given(architectures(dense=True), st.data())
def test_the_search_finds_what_brute_force_finds(arch: Arch, data: st.DataObject) -> None:
    fixed = {"V": data.draw(st.integers(1, 2000)), "L": data.draw(st.integers(1, 2))}
    fixed |= data.draw(st.sampled_from([{}, {}, {"d_head": 64}, {"d_model": 320}, {"n_heads": 2},
                                        {"n_heads": 6, "d_head": 30}]))
    extra = {"n_ctx": 96} if arch.get("positions") == "learned" else {}
    large = data.draw(st.integers(0, 9)) == 0
    points = [{**p, **extra} for p in brute(arch, large, fixed)]
    planted = data.draw(st.sampled_from(points))
    target = oracle.total(arch, planted) + data.draw(st.just(0) | st.integers(-5000, 5000))
    target = target + 10**9 if large else max(target, 1)
    tolerance = data.draw(st.sampled_from([Fraction(0), Fraction(1, 1000), Fraction(1, 50)]))
    found = find(engine(arch, {}), target, limit=EVERYTHING, tolerance=tolerance,
                 **fixed, **extra)
    totals = [(oracle.total(arch, p), p) for p in points]
    assert found.covered == len(points)
    hits = [(t, p) for t, p in totals if abs(t - target) <= tolerance * target]
    assert found.met == bool(hits)
    assert found.within == len(hits)
    if hits:
        assert _keys((c.total, c.dims) for c in found.configurations) == _keys(hits)
    else:
        nearest = min(abs(t - target) for t, _ in totals)
        assert abs(found.configurations[0].total - target) == nearest


def _keys(points: Any) -> set[tuple[int, tuple[tuple[str, int], ...]]]:
    return {(total, tuple(sorted(dims.items()))) for total, dims in points}


def test_the_default_lattice_is_counted_as_brute_force_counts_it() -> None:
    found = find(model(attention="gqa"), 2 * 10**9)
    covered = 0
    for width in range(128, 51201, 128):
        depths = sum(1 for n in range(1, 201) if 32 * n <= width <= 256 * n)
        ffns = 8 * width // 256 - (width - 1) // 256
        groups = sum(1 for head in (64, 128) for k in range(4, 17) if width // head % k == 0)
        covered += depths * ffns * groups
    assert (found.covered, found.complete) == (covered, True)
    assert found.enumerated < covered / 100


def test_llama_is_found_and_comes_first() -> None:
    found = find(model(ffn="swiglu"), 6_738_415_616, L=32, V=32000)
    best = found.configurations[0]
    assert best.exact
    assert same(best, d_model=4096, d_ff=11008, n_heads=32, d_head=128)
    assert best.near == "llama-7b" or best.near == "llama-2-7b"
    assert best.notes == ("d_ff/d_model within 5 % of 8/3", "d_ff/d_model within 10 % of 8/3",
                          "d_head 128", "n_heads a multiple of 8", "d_model a multiple of 256",
                          "d_model a power of two", "64 ≤ d_model/L ≤ 160")


def test_grouped_queries_with_much_given() -> None:
    found = find(model(attention="gqa", ffn="swiglu"), 7 * 10**9, L=32, n_kv=8, V=128256,
                 d_head=128)
    assert found.met
    for one in found.configurations:
        assert same(one, L=32, n_kv=8, V=128256, d_head=128)
        assert one.dims["n_heads"] * 128 == one.dims["d_model"]
        assert abs(one.error) <= Fraction(1, 100)


def test_rules_replace_their_axis() -> None:
    found = find(model(ffn="swiglu"), 7 * 10**9, d_ff="8/3*d_model, up to 256", V="2**15")
    assert found.met
    assert found.fixed == {"V": 32768, "d_ff": "8/3*d_model, up to 256"}
    for one in found.configurations:
        assert one.dims["d_ff"] == -(-8 * one.dims["d_model"] // 3 // 256) * 256


def test_points_where_a_rule_is_not_whole_are_left_out() -> None:
    whole = find(model(ffn="swiglu"), 7 * 10**9, L=32, d_ff="8/3*d_model")
    assert whole.covered == 2 * sum(1 for w in range(1024, 8193, 128) if w % 3 == 0)
    assert "d_ff = 8/3*d_model where whole" in whole.lattice


def test_a_rule_may_turn_the_order_of_the_axes() -> None:
    one, other = (find(model(), 7 * 10**9, limit=EVERYTHING, **rule)
                  for rule in ({"d_model": "128*L"}, {"L": "d_model/128"}))
    assert _keys((c.total, c.dims) for c in one.configurations) <= _keys(
        (c.total, c.dims) for c in other.configurations)
    assert one.met


def test_heads_without_usual_divisors_take_all_and_say_so() -> None:
    found = find(model(attention="gqa"), 10**9, L=16, n_heads=34, d_head=64, limit=EVERYTHING,
                 tolerance=Fraction(1, 10))
    assert {c.dims["n_kv"] for c in found.configurations} == {1, 2, 17, 34}
    assert any("none of the divisors of 34" in why for _, why in found.assumed)


def test_everything_given_is_one_point() -> None:
    dims = {"V": 32000, "L": 32, "d_model": 4096, "n_heads": 32, "d_head": 128, "d_ff": 11008}
    found = find(model(ffn="swiglu"), 6_738_415_616, **dims)
    assert (found.covered, found.unknowns, found.configurations[0].error) == (1, (), 0)


def test_no_configuration_is_said() -> None:
    found = find(model(), 10**18)
    assert not found.met
    assert found.nearest == found.configurations
    assert same(found.configurations[0], d_model=51200, L=200, d_ff=8 * 51200)
    errors = [abs(c.error) for c in found.configurations]
    assert errors == sorted(errors)


def test_integers_are_exact_beyond_floats() -> None:
    dims = {"V": 999_999, "L": 7777, "d_model": 2**20 + 64, "n_heads": 16385, "d_head": 64}
    planted = numbers(with_overrides(model(), {**dims, "d_ff": 12_345_679})).values
    target = int(model().ledger(planted).total())
    assert 10**17 < target < 10**18
    found = find(model(), target, "d_ff", **dims)
    assert [(c.dims["d_ff"], c.total) for c in found.configurations] == [(12_345_679, target)]
    assert found.real["d_ff"] == 12_345_679
    missed = find(model(), target + 1, "d_ff", **dims)
    assert {c.dims["d_ff"] for c in missed.configurations} == {12_345_679, 12_345_680}
    assert not any(c.exact for c in missed.configurations)


# One unknown


def test_the_vocabulary_of_perseid() -> None:
    found = find(model("perseid-256m-balanced"), 256_300_000, "V")
    assert [c.dims["V"] for c in found.configurations] == [346_586, 346_585]
    assert not any(c.exact for c in found.configurations)
    assert found.real["V"] == pytest.approx(346_585.611)


@pytest.mark.parametrize(("name", "value"), [
    ("V", 32000), ("L", 32), ("d_ff", 11008), ("n_kv", 32), ("d_head", 128), ("d_model", 4096)])
def test_each_dim_of_a_named_model_can_be_asked_for(name: str, value: int) -> None:
    found = find(model("llama-2-7b"), 6_738_415_616, name)
    best = found.configurations[0]
    assert best.exact
    assert best.dims[name] == value
    assert found.real[name] == value


def test_a_count_that_falls_with_the_unknown() -> None:
    dims = {"V": 32000, "L": 32, "d_model": 4096, "n_kv": 8, "d_ff": 11008}
    planted = numbers(with_overrides(model(attention="gqa"), {**dims, "n_heads": 32})).values
    target = int(model(attention="gqa").ledger(planted).total())
    found = find(model(attention="gqa"), target - 1, "n_heads", **dims)
    assert "inversely" in found.closed_forms[0].why
    assert [c.dims["n_heads"] for c in found.configurations][:1] == [32]
    assert all(c.dims["n_heads"] % 8 == 0 and 4096 % c.dims["n_heads"] == 0
               for c in found.configurations)


def test_a_dim_that_makes_no_difference_is_refused() -> None:
    with pytest.raises(NotDerivable, match=r"does not depend on n_heads once .*any value"):
        find(model(), 7 * 10**9, "n_heads", L=32, d_model=4096)
    with pytest.raises(NotDerivable, match="no n_ctx: any value"):
        find(model(), 7 * 10**9, "n_ctx", L=32, d_model=4096)


@pytest.mark.thinned(3)
@settings(quick, max_examples=25)
@given(decoders(dense=True), st.data())
def test_one_unknown_is_found_as_brute_force_finds_it(pair: tuple[Arch, Any],
                                                      data: st.DataObject) -> None:
    arch, dims = pair
    if data.draw(st.booleans()):  # d_head then follows from d_model and n_heads
        dims = {**dims, "d_model": dims["n_heads"] * dims["d_head"]}
        del dims["d_head"]
    named = engine(arch, dims)
    names = [n for n in ("V", "L", "d_model", "d_ff", "n_ctx", "n_kv", "d_head") if n in named.dims
             and not (n == "n_kv" and arch.get("attention") != "gqa")]
    name = data.draw(st.sampled_from(names))
    totals = dict(_allowed(named, arch, name))
    target = max(1, data.draw(st.sampled_from(sorted(totals.values())[:200]))
                 + data.draw(st.integers(-3, 3)))
    found = find(named, target, name)
    nearest = min(abs(total - target) for total in totals.values())
    assert abs(found.configurations[0].total - target) == nearest
    assert all(totals[c.dims[name]] == c.total for c in found.configurations
               if c.dims[name] in totals)


def _allowed(named: Model, arch: Arch, name: str) -> Iterator[tuple[int, int]]:
    """Each value of a dim that the model may have, with the count there."""
    for value in range(1, 120):
        with suppress(SymparamError):
            dims = numbers(with_overrides(named, {name: value})).values
            yield value, oracle.total(arch, dims)


# Models with numbers


def test_a_named_model_keeps_its_ratios() -> None:
    found = find(model("llama-2-70b"), 30 * 10**9, tolerance=Fraction(1, 20), limit=50)
    assert found.met
    for one in found.configurations:
        d = one.dims
        assert (d["V"], d["d_head"], 8 * d["n_kv"]) == (32000, 128, d["n_heads"])
        assert d["n_heads"] * 128 == d["d_model"]
        assert abs(d["d_ff"] - Fraction(28672, 8192) * d["d_model"]) <= 128
        assert d["d_ff"] % 256 == 0
    again = find(model("llama-2-70b"), 68_976_648_192)
    assert again.configurations[0].exact
    assert again.configurations[0].near == "llama-2-70b"


def test_decoupled_heads_scale_where_whole() -> None:
    found = find(model("perseid"), 10**9, tolerance=Fraction(1, 2))
    for one in found.configurations:
        assert one.dims["n_heads"] * 256 * 640 == one.dims["d_model"] * 1024


def test_gpt2_keeps_positions_and_its_own_rule() -> None:
    best = find(model("gpt2"), 10**9).configurations[0]
    assert best.dims["n_ctx"] == 1024
    assert best.dims["d_ff"] == 4 * best.dims["d_model"]


def two_kinds(**dims: Any) -> Model:
    blocks = [{"name": name, "layers": layers, "attention": "gqa", "norm": "rmsnorm",
               "ffn": {"kind": "swiglu", "dims": {"d_ff": width}}}
              for name, layers, width in (("dense", [0, 1], "d_dense"), ("rest", "rest", "d_ff"))]
    base = {"V": 1000, "L": 24, "d_model": 1024, "n_heads": 16, "n_kv": 4, "d_ff": 2816,
            "d_dense": 4096}
    return describe_model("ours.toml", {"dims": {**base, **dims}, "blocks": blocks}, "ours")


@pytest.mark.thinned(3)
def test_other_kinds_of_layer_are_kept() -> None:
    found = find(two_kinds(), 10**9, tolerance=Fraction(1, 20))
    assert found.met
    assert all(same(c, L_dense=2, L_rest=c.dims["L"] - 2, d_dense=4 * c.dims["d_model"])
               for c in found.configurations)
    found = find(two_kinds(), 10**9, limit=3, d_dense=4096)
    assert all(same(c, L_dense=2, d_dense=4096) for c in found.configurations)
    asked = find(two_kinds(), 10**9, "L_rest")
    assert asked.met
    assert all(same(c, L_dense=2, d_model=1024) for c in asked.configurations)
    deeper = find(two_kinds(), 10**9, L=30)
    assert all(same(c, L=30, L_dense=2, L_rest=28) for c in deeper.configurations)


def test_some_numbers_of_a_model_are_taken_as_given() -> None:
    partial = build(None, Options(attention="gqa"), {"n_kv": 4, "V": 5000})
    found = find(partial, 10**8)
    assert found.met
    assert all(same(c, n_kv=4, V=5000) for c in found.configurations)


# The answer


def test_ranking_is_by_error_and_by_points_where_errors_are_even() -> None:
    exact = find(model(ffn="swiglu"), 6_738_415_616, L=32, V=32000, limit=60).configurations
    assert [c.exact for c in exact] == sorted((c.exact for c in exact), reverse=True)
    found = find(model(), 7 * 10**9, limit=300).configurations
    order = [(int(abs(c.error) * 1000), -c.score, abs(c.error)) for c in found]
    assert order == sorted(order)
    assert len({steps for steps, _, _ in order}) > 1
    assert "d_ff/d_model within 5 % of 4" in found[0].notes
    for c in found:
        assert abs(found[0].error) - abs(c.error) <= Fraction(1, 1000)
        ratio = Fraction(c.dims["d_ff"], 4 * c.dims["d_model"])
        assert ("d_ff/d_model within 10 % of 4" in c.notes) == (abs(ratio - 1) <= Fraction(1, 10))
        assert ("d_model a power of two" in c.notes) == (c.dims["d_model"].bit_count() == 1)


def test_json_is_exact_and_has_the_stated_keys() -> None:
    data = json.loads(json.dumps(find(model(), 7 * 10**9, L=32).to_json()))
    assert set(data) == KEYS
    assert (data["target"], data["unknowns"], data["met"]) == (7 * 10**9, ["d_model"], True)
    assert len(data["configurations"]) == 10
    first = data["configurations"][0]
    assert {"dims", "P", "relative_error", "notes"} <= set(first)
    assert list(first["dims"]) == ["V", "L", "d_model", "n_heads", "n_kv", "d_head", "d_ff"]
    assert first["relative_error"] == pytest.approx((first["P"] - 7e9) / 7e9)


def test_learned_positions_assume_a_length() -> None:
    found = find(model(positions="learned"), 10**8, limit=1)
    assert found.configurations[0].dims["n_ctx"] == 2048
    assert any(text == "n_ctx = 2048" for text, _ in found.assumed)


def test_a_dim_without_effect_is_mentioned() -> None:
    assert any("without effect" in why for _, why in find(model(), 10**8, n_ctx=99).assumed)


def test_no_model_is_near_a_shape_that_nobody_published() -> None:
    assert published_near({"L": 2, "d_model": 50000}) is None
    assert published_near({"V": 1}) is None


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("error", "message", "call"), [
    (BadValue, "from 1 to 10\\^24", lambda: find(model(), 0)),
    (BadValue, "from 1 to 10\\^24", lambda: find(model(), 10**24 + 1)),
    (BadValue, "whole number", lambda: find(model(), 7e9)),  # type: ignore[arg-type]
    (BadValue, "tolerance", lambda: find(model(), 7, tolerance=Fraction(-1))),
    (BadValue, "limit", lambda: find(model(), 7, limit=0)),
    (BadValue, "at least 1", lambda: find(model(), 10**9, L=0)),
    (BadValue, "what is solved for", lambda: find(model(), 10**9, d_ff="P/10")),
    (Contradiction, "leave out", lambda: find(model(), 10**9, "L", L=3)),
    (Contradiction, "attention gqa", lambda: find(model(), 10**9, n_kv=8)),
    (Contradiction, "attention gqa", lambda: find(model(), 10**9, "n_kv")),
    (ConstraintViolated, "n_kv divides n_heads",
     lambda: find(model(attention="gqa"), 10**9, n_heads=6, n_kv=4)),
    (ConstraintViolated, "2 divides d_head", lambda: find(model(), 10**9, d_head=75)),
    (NotDerivable, "in a circle", lambda: find(model(), 10**9, L="d_ff/4", d_ff="4*L")),
    (MissingDims, "n_ctx", lambda: find(model(positions="learned"), 10**9, "n_ctx d_ff")),
    (NotDerivable, "nothing fits n_heads", lambda: find(model(), 10**9, d_model=1000)),
    (NotDerivable, "narrow d_model", lambda: find(model(), 10**18, L=10**9)),
    (NotDerivable, "n_kv is open", lambda: find(model(attention="gqa"), 10**9, "d_model", L=9)),
    (MissingDims, "n_types", lambda: find(model(), 10**9, d_ff="4*n_types")),
])
def test_errors_are_one_clear_line(error: type, message: str, call: Any) -> None:
    with pytest.raises(error, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_polynomial_refuses_what_it_cannot_count() -> None:
    with pytest.raises(NotDerivable, match="positive whole"):
        counted(symbol("L") / 2)
    with pytest.raises(NotDerivable, match="sums of products"):
        counted(symbol("L") / symbol("V"))


def test_shared_experts_that_are_asked_for_are_solved_with() -> None:
    base = {"L": 32, "V": 32000, "d_model": 4096, "n_heads": 32, "n_kv": 8, "n_experts": 8,
            "top_k": 2, "n_shared": 1}
    model = build(None, Options(attention="gqa", ffn="moe"), {})
    found = solve(model, 5_229_514_752, given=base, wishes=Wishes(unknown=["d_expert"]))
    best = found.configurations[0]
    assert (best.dims["d_expert"], best.dims["n_shared"], best.total) == (1024, 1, 5_229_514_752)


def test_a_rule_that_subtracts_is_not_searched_as_if_it_added() -> None:
    given = {"L": 32, "V": 32000, "n_heads": 20, "d_ff": parse_rule("30000-6*d_model")}
    found = solve(decoder(Options()), 3_542_952_800, given=given,
                  wishes=Wishes(unknown=["d_model"]))

    def count(width: int) -> int:
        return 32 * (4 * width**2 + 2 * width * (30000 - 6 * width) + 2 * width) + 64001 * width

    whole = list(range(40, 5000, 40))  # heads are whole and of even width
    near = sorted(whole, key=lambda w: abs(count(w) - 3_542_952_800))
    assert {c.dims["d_model"] for c in found.configurations} >= set(near[:2])
    assert all(c.total == count(c.dims["d_model"]) for c in found.configurations)


def test_the_largest_number_that_a_dim_may_be_is_tried() -> None:
    given = {"L": 1, "d_model": 8, "n_heads": 2, "d_ff": 32}
    for size in (10**12 - 1, 10**12):
        target = 16 * size + 792  # (tables of 8 columns, untied; one layer and the last norm)
        found = solve(decoder(Options()), target, given=given, wishes=Wishes(unknown=["V"]))
        assert (found.configurations[0].dims["V"], found.configurations[0].total) == (size, target)


@pytest.mark.parametrize(("given", "constraint", "instead"), [
    ("512:1024", "d_model ≤ 1024", "d_model up to 8192"),
    ("8192:16384", "d_model ≥ 8192", "d_model from 1 on")])
def test_what_stands_in_the_way_is_named_with_what_would_do(
        given: str, constraint: str, instead: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["solve", "P=7e9", "L=32", "--range", f"d_model={given}", "--json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)["bindings"]
    assert (found["constraint"], found["instead"]) == (constraint, instead)


def test_the_first_rows_are_the_same_of_numbers_of_any_size() -> None:
    small = [np.array([3, 1, 2, 1, 3, 0]), np.array([0, 5, 1, 4, 9, 9])]
    large = [values.astype(object) for values in small]
    order = [5, 3, 1, 2, 0, 4]
    for limit in (1, 2, 4, 6, 9):
        assert list(_first(small, limit)) == list(_first(large, limit)) == order[:limit]


def test_bounds_of_an_axis_are_said_where_they_say_more_than_its_step() -> None:
    said = [Span("d_model", 4, low, high).text for low, high in ((4, None), (5, None), (4, 8))]
    assert said == ["d_model: multiples of 4", "d_model: multiples of 4, from 5 up",
                    "d_model: multiples of 4, up to 8"]


def test_ends_of_a_ratio_have_a_largest_number() -> None:
    assert read_wishes(ranges=["d_model/L=1:1000000"]).ratios
    for low in ("1:1000001", "1/1000001:1"):
        with pytest.raises(BadValue, match="up to 1,000,000"):
            read_wishes(ranges=[f"d_model/L={low}"])


def test_a_fit_without_a_number_names_the_option_and_the_fit() -> None:
    with pytest.raises(BadValue, match=r"^--fit = .*: is no positive number for C = 0"):
        fit("hoffmann-1").value(C=0)


def test_of_kinds_that_are_counted_alone_the_largest_grows_with_the_depth() -> None:
    blocks = [{"name": name, "layers": layers, "attention": "mha", "norm": "rmsnorm", "ffn": ffn}
              for name, layers, ffn in (("one", 3, "mlp"), ("two", 9, "swiglu"))]
    for order in (blocks, blocks[::-1]):
        two = describe_model("here.toml", {"blocks": order, "dims": {
            "V": 1000, "L": 12, "d_model": 64, "n_heads": 4, "d_ff": 256}}, "here")
        found = find(two, 10**8)
        assert found.configurations
        for each in found.configurations:
            assert (each.dims["L_one"], each.dims["L_two"]) == (3, each.dims["L"] - 3)
        assert len({each.dims["L"] for each in found.configurations} | {12}) > 1


def test_a_constraint_is_taken_off_by_so_much() -> None:
    said = [words[:2] for words in _looser(Span("d_ff", 64, 128, 512))]
    assert said == [("d_ff ≤ 512", "d_ff up to 4096"), ("d_ff ≥ 128", "d_ff from 64 on"),
                    ("d_ff a multiple of 64", "multiples of 8")]
    assert [words[1] for words in _looser(Span("d_ff", 4, 4, None))] == ["multiples of 1"]
