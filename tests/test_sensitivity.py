"""Sensitivities against counts: nothing that is shown rests on the derivative alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import sympy as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st

from symparam import expression as ex
from symparam.api import Model, decoder, load
from symparam.bracketed import written
from symparam.cli.main import run
from symparam.descriptions import catalogue
from symparam.documents.sensitivities.data import sensitivity_json
from symparam.documents.sensitivities.document import SensitivityView
from symparam.errors import BadValue, FalseStep, NotDerivable, SymparamError
from symparam.grammar import parse_equation, parse_expression
from symparam.notation.notation_file import notation_of
from symparam.quantities.counts import is_embedding
from symparam.resolve import numbers, with_overrides
from symparam.sensitivity.analysis import analyse
from symparam.sensitivity.answer import DimRow, Sensitivity
from symparam.sensitivity.crossover import _roots
from symparam.sensitivity.held import ALONE, KEPT, RULED
from symparam.sensitivity.proved import Derivative, Ratio, quotient
from symparam.symbols import symbol, to_sympy
from tests.helpers import DATA, message, together, value
from tests.oracle import decoder as oracle
from tests.oracle.slope import first_under, slope
from tests.strategies import Arch, Dims, decoders, engine, quick

few = settings(quick, max_examples=10)

#: One model of each kind every day; when all run, the first model of each lineage.
KINDS = ("llama-2-7b", "gpt2", "deepseek-v2-lite", "mixtral-8x7b", "albert-base", "t5-small",
         "mamba-130m", "lfm2-350m", "recurrentgemma-2b")
MODELS = [*KINDS, *(pytest.param(names[0], marks=pytest.mark.slow)
                    for _, names in catalogue.lineages() if names[0] not in KINDS)]


def row(found: Sensitivity, wrt: str, held: str) -> DimRow:
    """The total's row of a dim under a convention, which it has to have."""
    result = found.total.row(wrt, held)
    assert result is not None
    return result


# --- what is known beforehand ---------------------------------------------------------------

LLAMA_2 = [
    ("L", ALONE, 202_383_360, "0.961", "d_model*(2*d_head*(n_heads + n_kv) + 3*d_ff + 2)"),
    ("d_model", ALONE, 1_645_121, "1.000",
     "L*(2*d_head*(n_heads + n_kv) + 3*d_ff + 2) + 2*V + 1"),
    ("d_model", KEPT, 3_226_177, "1.961", "L*(193/8*d_model + 2) + 2*V + 1"),
    ("d_ff", ALONE, 393_216, "0.642", "3*L*d_model"),
    ("V", ALONE, 8_192, "0.039", "2*d_model")]


@pytest.mark.parametrize(("wrt", "held", "here", "elasticity", "formula"), LLAMA_2)
def test_llama_2_7b(wrt: str, held: str, here: int, elasticity: str, formula: str) -> None:
    found = row(analyse(load("llama-2-7b"), [wrt]), wrt, held)
    assert found.here == here
    assert type(found.here) is int
    assert str(found.derivative.expr) == formula
    assert f"{float(found.relative or 0):.3f}" == elasticity


def test_steps_doublings_and_slopes_of_llama_2_7b() -> None:
    found = analyse(load("llama-2-7b"))
    changes = {(r.wrt, s.delta): s.change for r in found.total.rows for s in r.steps
               if r.held.name == ALONE}
    assert changes["L", 1] == 202_383_360
    assert changes["d_ff", 256] == 100_663_296
    assert changes["V", 64] == 524_288
    twice = {(d.held.wrt, d.held.name): d.factor for d in found.doublings}
    assert f"{float(twice['L', ALONE] or 0):.3f}" == "1.961"
    assert f"{float(twice['d_model', KEPT] or 0):.3f}" == "3.922"
    last = found.slopes[-1]
    assert last.slope == Fraction(-3_226_177, 202_383_360)
    assert f"{float(last.slope):.5f}" == "-0.01594"
    assert f"{float(last.bought or 0):.1f}" == "62.7"


def test_llama_7b_with_a_tied_head() -> None:
    found = analyse(load("llama-7b", tied=True))
    assert row(found, "d_model", RULED).here == 2_137_409
    assert row(found, "d_model", KEPT).here == 3_194_177
    assert f"{float(row(found, 'd_model', RULED).relative or 0):.3f}" == "1.325"
    assert f"{float(row(found, 'd_model', KEPT).relative or 0):.3f}" == "1.980"
    assert row(found, "L", ALONE).here == 202_383_360
    assert row(found, "V", ALONE).here == 4096
    assert f"{float(found.doublings[-1].factor or 0):.3f}" == "3.960"


def test_heads_of_gpt_2_add_nothing_by_rule() -> None:
    assert row(analyse(load("gpt2"), ["n_heads"]), "n_heads", RULED).here == 0


@quick
@example(roots=[Fraction(1, 2), Fraction(1, 2)], scale=1, falls=True, beside=1)
@given(roots=st.lists(st.fractions(-9, 9, max_denominator=7), min_size=1, max_size=4),
       scale=st.integers(1, 9), falls=st.booleans(), beside=st.integers(1, 9))
def test_numbers_of_a_crossover_are_the_positive_roots_of_its_polynomial(
        roots: list[Fraction], scale: int, falls: bool, beside: int) -> None:
    """Multiplied out of its roots: each positive one once, in order; none where the share does not
    fall beyond the last, or nothing follows the dim."""
    for some in (roots, roots[:1]):
        powers = {0: Fraction(scale if falls else -scale)}
        for root in some:
            powers = {e: powers.get(e - 1, 0) - root * powers.get(e, 0)
                      for e in range(len(powers) + 1)}
        # Each coefficient is a number of another dim's.
        here = {e: sp.Rational(c.numerator, c.denominator) * symbol("d_ff")
                for e, c in powers.items()}
        found = _roots(here, "L", {"L": 5, "d_ff": beside})
        wanted = sorted({root for root in some if root > 0}) if falls else []
        assert len(found) == len(wanted)
        assert all(abs(a - b) * 10**15 <= b for a, b in zip(found, wanted, strict=True))
        assert found == wanted or len(some) > 1
        assert _roots({0: here[len(some)]}, "L", {"d_ff": beside}) == []


def test_a_crossover_that_is_known() -> None:
    plain = decoder(tied=True, norm="none", final_norm=False)
    found = analyse(plain, shares=[Fraction(1, 2)])  # half of P: V·d is 12·L·d²
    assert str(found.crossovers[0].formula) == "V/(12*L)"
    here = analyse(Model.wrap(numbered(plain, V=50257, L=12, d_model=768, n_heads=12)),
                   shares=[Fraction(1, 2)])
    assert here.crossovers[0].root == Fraction(50257, 144)


def numbered(model: Model, **dims: int) -> Any:
    """A model with numbers for its dims."""
    from symparam.resolve import with_overrides

    return with_overrides(model, dims)


# --- against counts -------------------------------------------------------------------------

def moved(data: Mapping[str, Any], held: Mapping[str, Any], wrt: str,
          x: Fraction) -> dict[str, Any]:
    """All dims where one has another number and others follow, as the equations say."""
    dims: dict[str, Any] = {**data["dims"], wrt: x.numerator if x.denominator == 1 else x}
    taken = {each["rule"]: each for each in held["relaxed"]}
    left = [parse_equation(text, dims) for text in held["follows"] if text not in taken]
    for each in taken.values():
        one, other = parse_equation(each["taken_as"], dims)
        gap = 0 if each["put_in"] else data["dims"][str(one)] - value(
            other, {n: Fraction(data["dims"][n]) for n in ex.symbols_in(other)})
        left.append((one, other + ex.Num(ex.whole(Fraction(gap)))))
    names = {str(one) for one, _ in left}
    while left:
        ready = [pair for pair in left if not names & set(ex.symbols_in(pair[1]))]
        for one, other in ready:
            found = value(other, {n: Fraction(dims[n]) for n in ex.symbols_in(other)})
            dims[str(one)] = found.numerator if found.denominator == 1 else found
        names -= {str(one) for one, _ in ready}
        left = [pair for pair in left if pair not in ready]
        assert ready
    return dims


def counted(model: Model, extent: str, dims: Mapping[str, Any]) -> Fraction:
    """A count over any numbers, matrix by matrix."""
    found: Any = 0
    for matrix in model.ledger(dims):
        if matrix.tied_to is None and matrix.status != "buffer":
            size: Any = 1
            for number in (*matrix.shape, *(getattr(i, extent) for i in matrix.indices)):
                size *= number
            found += size
    return Fraction(found)


def check_rows(model: Model, data: Mapping[str, Any]) -> None:
    """Every derivative against slopes of counts, every step against counts, elasticities."""
    for measure in data["measures"]:
        extent = {"total": "stored", "active": "active"}[measure["quantity"]]
        assert measure["value"] == counted(model, extent, data["dims"])
        for each in measure["rows"]:
            wrt, held = each["wrt"], each["held"]
            here = data["dims"][wrt]

            def count(x: Fraction, wrt: str = wrt, held: Any = held,
                      extent: str = extent) -> Fraction:
                return counted(model, extent, moved(data, held, wrt, x))

            degree = max(each["degree"], 0) + 2
            assert slope(count, here, degree) == Fraction(each["here"]), (wrt, held)
            assert Fraction(each["elasticity"]["exact"]) == (
                Fraction(each["here"]) * here / measure["value"])
            tree = parse_expression(each["derivative"], [*data["dims"], wrt])
            at = {name: Fraction(number) for name, number in data["dims"].items()}
            assert value(tree, at) == Fraction(each["here"])
            assert set(held["fixed"]).isdisjoint({wrt, *(t.split(" = ")[0]
                                                        for t in held["follows"])})
            for step in each["steps"]:
                if step["change"] is not None:
                    check_step(model, data, each, step, extent,
                               None if held["relaxed"] else count)


def check_step(model: Model, data: Mapping[str, Any], each: Mapping[str, Any],
               step: Mapping[str, Any], extent: str,
               count: Callable[[Fraction], Fraction] | None) -> None:
    """A step against a count of its own: by the dims that it says, and by the equations, which
    a step follows with their roundings."""
    there = {**data["dims"], **step["dims"]}
    assert there[each["wrt"]] == step["to"] == data["dims"][each["wrt"]] + step["delta"]
    base = counted(model, extent, data["dims"])
    assert step["change"] == counted(model, extent, there) - base
    assert count is None or step["change"] == count(Fraction(step["to"])) - base


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", MODELS)
def test_published_models(name: str) -> None:
    model = load(name)
    data = sensitivity_json(analyse(model))
    check_rows(model, data)
    assert data["missing"] == []
    check_shape(model, data)


def check_shape(model: Model, data: Mapping[str, Any]) -> None:
    """Doublings, slopes and crossovers against counts."""
    total = counted(model, "stored", data["dims"])
    for twice in data["doubling"]:
        if twice["refused"] is None:
            if twice["held"]["relaxed"]:  # counted by the rule itself
                dims = by_rule(model, data, twice)
            else:
                dims = moved(data, twice["held"], twice["wrt"],
                             Fraction(2 * data["dims"][twice["wrt"]]))
            assert Fraction(twice["factor"]["exact"]) == counted(model, "stored", dims) / total
    for c in data["crossovers"]:
        limit = Fraction(c["share"])
        for first in c["firsts"]:
            dims = {**data["dims"], **first["dims"]}
            assert share(model, dims) == Fraction(first["share"]) < limit
            assert first["number"] % first["multiple"] == 0
            if first["before"] is not None:
                before = moved(data, c["held"], c["wrt"], Fraction(first["before"]))
                assert share(model, before) == Fraction(first["share_before"]) >= limit


def by_rule(model: Model, data: Mapping[str, Any], twice: Mapping[str, Any]) -> dict[str, int]:
    """The dims of a doubling, those that follow worked out by the model; ratios that are kept
    besides by their equations."""
    wrt, held = twice["wrt"], twice["held"]
    assert held["name"] in {RULED, KEPT}
    ruled = {text for each in data["doubling"] for text in each["held"]["follows"]
             if (each["wrt"], each["held"]["name"]) == (wrt, RULED)}
    kept = {text.partition(" = ")[0] for text in {*held["follows"]} - ruled}
    there = moved(data, held, wrt, Fraction(2 * data["dims"][wrt]))
    given = {name: there[name] for name in (wrt, *kept)}
    return numbers(with_overrides(model, given)).values


def share(model: Model, dims: Mapping[str, Any]) -> Fraction:
    """The share of token embedding and head."""
    ledger = model.ledger(dims)
    inside = sum((Fraction(m.size()) for m in ledger.stored() if m.part in {"token", "head"}),
                 Fraction(0))
    return inside / counted(model, "stored", dims)


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_every_dim_of_published_models(name: str) -> None:
    model = load(name)
    check_rows(model, sensitivity_json(analyse(model, ["all"])))


@pytest.mark.thinned(3)
@few
@given(decoders(dense=True))
def test_random_models_against_a_count_of_another_program(case: tuple[Arch, Dims]) -> None:
    arch, dims = case
    found = analyse(engine(arch, dims), ["all"])
    for each in found.total.rows:
        if each.held.name == ALONE:
            def count(x: Fraction, wrt: str = each.wrt) -> Fraction:
                return Fraction(oracle.total(arch, {**dims, wrt: int(x)}))
            assert slope(count, dims[each.wrt], 3) == each.here


@pytest.mark.thinned(3)
@few
@given(decoders(dense=True))
def test_formulas_of_random_architectures(case: tuple[Arch, Dims]) -> None:
    arch, dims = case
    with_numbers, without = analyse(engine(arch, dims)), analyse(engine(arch, {}))
    at = {name: Fraction(number) for name, number in dims.items()}
    for each in without.total.rows:
        if each.held.name == ALONE:
            here = row(with_numbers, each.wrt, ALONE)
            assert value(each.derivative.expr, at) == here.here
            assert value(each.elasticity.expr, at) == here.relative
    assert {r.held.name for r in without.total.rows if r.wrt == "d_model"} == {ALONE, KEPT}


def test_the_slope_of_wrong_counts_is_another() -> None:
    model, x = load("llama-2-7b"), Fraction(4096)
    dims = numbers(model).values

    def right(x: Fraction) -> Fraction:
        return counted(model, "stored", {**dims, "d_model": x})

    def forgetful(x: Fraction) -> Fraction:  # one norm's gain is left out
        return right(x) - x

    def bent(y: Fraction) -> Fraction:
        return right(y) + (y == x + 3)

    assert slope(right, 4096) == 1_645_121
    assert slope(forgetful, 4096) == 1_645_120
    with pytest.raises(ValueError, match="no polynomial"):
        slope(bent, 4096)


# --- what cannot be constructed -------------------------------------------------------------

@few
@given(decoders(), st.data())
def test_a_false_derivative_is_refused(case: tuple[Arch, Dims], data: st.DataObject) -> None:
    found = analyse(engine(case[0], {}))
    each = data.draw(st.sampled_from([r for m in found.measures for r in m.rows]))
    d = each.derivative
    wrong = data.draw(st.sampled_from([
        d.expr + 1, d.expr * 2, d.expr + ex.Sym(each.wrt), d.expr - ex.Sym("V") * ex.Sym("L")]))
    if to_sympy(wrong) - to_sympy(d.expr) != 0:
        with pytest.raises(FalseStep):
            Derivative(d.wrt, d.of, wrong, d.slopes)


def test_a_false_quotient_is_refused() -> None:
    top, bottom = 6 * symbol("L") + 4, 2 * symbol("L") + 2
    right = quotient(top, bottom)
    assert str(right.expr) == "(3*L + 2)/(L + 1)"
    for text in ("(3*L + 2)/(L + 2)", "(3*L + 1)/(L + 1)", "3", "(6*L + 4)/(L + 1)"):
        with pytest.raises(FalseStep):
            Ratio(top, bottom, parse_expression(text), right.factor)


@few
@given(decoders())
def test_written_counts_are_the_counts(case: tuple[Arch, Dims]) -> None:
    from symparam.count import count

    whole = count(engine(case[0], {})).plain()
    assert (to_sympy(written(whole)) - whole).expand() == 0


# --- conventions ----------------------------------------------------------------------------

@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", ["llama-2-7b", "gpt2", "mamba-130m", "t5-small",
                                  "deepseek-v3", "lfm2-350m", "bart-base"])
def test_by_rule_is_what_an_override_does(name: str) -> None:
    model = load(name)
    for each in analyse(model).total.rows:
        if each.held.name == RULED:
            for step in each.steps:
                if step.change is not None:
                    there = model.count(**{each.wrt: step.to})
                    assert there - model.count() == step.change


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", ["llama-2-7b", "qwen3-32b", "gpt2-xl", "mistral-7b", "gemma-2b",
                                  "nemotron-h-56b", "mamba2-370m"])
def test_ratios_kept_are_what_keep_ratios_does(name: str) -> None:
    model = load(name)
    (twice,) = (d for d in analyse(model).doublings
                if (d.held.wrt, d.held.name) == ("d_model", KEPT))
    assert len(set(twice.held.dims)) == len(twice.held.dims)  # (each follows by one equation)
    width = 2 * model.values["d_model"]
    wide = load(name, keep_ratios=True, d_model=width).count()
    assert twice.factor == Fraction(wide, model.count())


def test_more_heads_where_the_models_own_do_not_come_out() -> None:
    each = row(analyse(load("gpt2-xl"), ["d_model"]), "d_model", KEPT)
    assert dict(each.steps[0].dims) == {"d_model": 1664, "n_heads": 26, "n_kv": 26, "d_ff": 6656}
    assert each.steps[0].change == load("gpt2-xl", d_model=1664, n_heads=26).count() - 1_557_611_200


def test_kinds_of_layer() -> None:
    found = analyse(load("deepseek-v3"))
    by_rule, shares = row(found, "L", RULED), row(found, "L", KEPT)
    dense, sparse = row(found, "L_dense", ALONE), row(found, "L_sparse", ALONE)
    assert by_rule.here == sparse.here
    assert shares.here == Fraction(3 * Fraction(dense.here) + 58 * Fraction(sparse.here), 61)
    swapped = row(found, "L_dense", RULED).here
    assert swapped == Fraction(dense.here or 0) - Fraction(sparse.here or 0)
    assert [m.name for m in found.measures] == ["P", "active"]
    active = found.measures[1]
    assert active.value == 37_552_282_624
    assert active.row("top_k", ALONE) is not None
    assert found.total.row("top_k", ALONE) is None


def test_a_shared_layer_adds_nothing() -> None:
    found = analyse(load("albert-base"))
    assert row(found, "L", ALONE).here == 0
    assert dict(found.shared) == {"L": 12}
    assert not found.slopes
    assert "applied 12 times" in load("albert-base").sensitivity().text()


def test_a_step_that_changes_nothing_has_no_sign() -> None:
    said = load("gpt2").sensitivity(steps={"n_heads": [12]}).text()
    assert re.search(r"n_heads \+ 12  by rule +0  0\.000 %  n_heads=24, n_kv=24, d_head=32", said)


@pytest.mark.thinned(3)
def test_what_is_left_out_of_a_count_is_said_of_the_parameters_alone() -> None:
    model = load("deepseek-v3")
    said = " ".join(model.sensitivity().text().split())
    assert f"Left out: {model.left_out[0]}." in said
    assert "Left out" not in model.sensitivity("kv_cache", s=64).text()


def test_encoder_and_decoder() -> None:
    t5, bart = analyse(load("t5-small")), analyse(load("bart-base"))
    both = row(t5, "L_encoder", RULED).here
    assert both == sum(Fraction(row(t5, f"L_{part}", ALONE).here or 0)
                       for part in ("encoder", "decoder"))
    assert {s.depth.wrt for s in t5.slopes} == {"L_encoder"}
    assert {s.depth.wrt for s in bart.slopes} == {"L_encoder", "L_decoder"}


def test_a_rule_that_rounds(tmp_path: Any) -> None:
    text = (DATA.parent.parent / "docs" / "architecture-file.md").read_text(encoding="utf-8")
    block = text[text.index("```toml") + 7:]
    path = tmp_path / "ours.toml"
    path.write_text(block[:block.index("```")], encoding="utf-8")
    model = load(str(path))
    each = row(analyse(model, ["d_model"]), "d_model", RULED)
    assert [f.dim for f in each.held.follows if not f.exact] == ["d_ff"]
    dims = dict(numbers(model).values)
    width = dims["d_model"]

    def count(x: Fraction) -> Fraction:  # d_ff goes on from where it is, at the rule's slope
        follows = dims["d_ff"] + Fraction(8, 3) * (x - width)
        return counted(model, "stored", {**dims, "d_model": x, "d_ff": follows,
                                         "d_head": x / dims["n_heads"]})

    assert slope(count, width) == each.here
    for step in each.steps:
        if step.change is not None:
            assert step.change == load(str(path), d_model=step.to).count() - model.count()


@pytest.mark.parametrize("name", ["llama-2-7b", "gpt2-xl"])
def test_the_first_multiple_is_found_by_walking_too(name: str) -> None:
    model = load(name)

    def here(width: int) -> Fraction | None:
        try:
            wide = load(name, keep_ratios=True, d_model=width)
        except SymparamError:
            return None
        return share(wide, numbers(wide).values)

    for c in analyse(model, ["d_model"]).crossovers:
        for first in c.firsts if c.held.wrt == "d_model" else ():
            own = model.values["n_heads"] * numbers(model).values["d_head"]
            if own != model.values["d_model"] or first.multiple % numbers(model).values["d_head"]:
                continue
            walked = first_under(here, c.share, first.multiple,
                                     first.number + 3 * first.multiple)
            assert walked == (first.before, first.number)


def test_assumptions_take_the_place_of_ratios() -> None:
    model = load("llama-2-7b")
    found = analyse(model, ["d_model"], assume=["d_ff = 8/3*d_model"])
    each = row(found, "d_model", KEPT)
    assert str(each.derivative.expr) == "L*(16*d_model + 3*d_ff + 2) + 2*V + 1"
    assert [f.exact for f in each.held.follows if f.dim == "d_ff"] == [False]
    held = analyse(model, ["d_model"], assume=["d_ff = 11008"]).total.rows[-1]
    assert held.here == row(analyse(model, ["d_model"]), "d_model", RULED).here
    bare = analyse(model, ["d_model"], assume=["none"])
    assert bare.total.row("d_model", KEPT) is None


@together(("changes", "kind"), [
    ({"wrt": ["nope"]}, SymparamError), ({"wrt": ["top_k"]}, BadValue),
    ({"wrt": ["P"]}, BadValue), ({"shares": [Fraction(0)]}, BadValue),
    ({"shares": [Fraction(3, 2)]}, BadValue), ({"own_steps": {"d_model": [0]}}, BadValue),
    ({"own_steps": {"n_experts": [1]}}, BadValue), ({"assume": ["d_ff = 2*d_model"]}, NotDerivable),
    ({"assume": ["d_head = n_heads", "n_heads = d_head"]}, SymparamError)])
def test_what_cannot_be_answered(changes: dict[str, Any], kind: type[SymparamError]) -> None:
    with pytest.raises(kind) as caught:
        analyse(load("llama-2-7b"), **changes)
    message(caught.value)


# --- output ---------------------------------------------------------------------------------

def test_a_golden_file(golden: Callable[[str, str], None]) -> None:
    golden("sensitivity-llama-2-7b.txt", load("llama-2-7b").sensitivity().text())


LINES = ["llama-2-7b", "deepseek-v3", "albert-base", "t5-small", "--ffn swiglu",
         "--attention mla --ffn moe", "gpt2 --wrt all --share 50%", "whisper-tiny",
         "llama-2-7b --step d_model=1 --step n_kv=-24 --assume d_ff=8/3*d_model"]


@pytest.mark.thinned(3)
@pytest.mark.parametrize("line", LINES)
def test_no_line_is_wider_than_the_page(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sensitivity", *line.split()]) == 0
    out = capsys.readouterr().out
    assert [text for text in out.splitlines() if len(text) > 80] == []
    assert "held fixed" in out


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("form", "left"), [
    ("text", "∂P/∂v = h"), ("markdown", r"\partial P / \partial v &= h"),
    ("latex", r"\partial P / \partial v &= h"), ("json", '"derivative": "d_model"')])
def test_every_format_says_the_same(form: str, left: str,
                                    capsys: pytest.CaptureFixture[str]) -> None:
    """The derivative by the vocabulary, in Megatron's letters, and what a layer more adds."""
    assert run(["sensitivity", "gpt2", "--format", form, "--notation", "megatron"]) == 0
    out = capsys.readouterr().out
    assert left in out
    assert ("7087872" if form == "json" else "7,087,872") in out


@together("line", [
    "gpt2 --step d_model", "gpt2 --step d_model=1/2", "gpt2 --step =3", "gpt2 --share 0",
    "gpt2 --share 200%", "gpt2 --wrt h", "gpt2 --wrt ,", "gpt2 --step d_model=0",
    "gpt2 --assume d_ff=d_ff"])
def test_wrong_use_is_one_line(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sensitivity", *line.split()]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def names(found: Iterable[DimRow]) -> list[str]:
    return [each.wrt for each in found]


def test_the_dims_that_are_asked_for() -> None:
    model = load("llama-2-7b")
    assert names(model.sensitivity(wrt="hidden_size").total.rows) == ["d_model"] * 3
    assert set(names(model.sensitivity(wrt="all").total.rows)) == {*numbers(model).values}
    assert names(model.sensitivity(steps={"d": [256]}).total.rows) == ["d_model"] * 3
    assert is_embedding(next(iter(model.ledger(numbers(model).values))))


def test_a_rule_that_rounds_is_a_premise_and_the_degree_is_of_the_whole(tmp_path: Path) -> None:
    """d_ff = 8/3·d_model, up to 256, where the numbers do not meet 8/3: slope and put-in form."""
    path = tmp_path / "ours.toml"
    path.write_text("""
[dims]
V = 32000
L = 12
d_model = 1024
n_heads = 16
d_head = 64
d_ff = "8/3*d_model, up to 256"
[[blocks]]
attention = "mha"
ffn = "swiglu"
norm = "rmsnorm"
""")
    model = load(str(path))
    data = sensitivity_json(analyse(model, ["d_model"]))
    row, = (r for r in data["measures"][0]["rows"] if r["held"]["name"] == "by rule")
    assert row["held"]["relaxed"] == [{"rule": "d_ff = 8/3*d_model, up to 256",
                                       "taken_as": "d_ff = 8/3*d_model", "slope": "8/3",
                                       "put_in": False}]
    assert row["status"] == "proved of the relaxed rule"
    assert row["degree"] == 2
    at = {name: Fraction(number) for name, number in data["dims"].items()}
    slope_form, whole = (parse_expression(row[key]) for key in ("derivative", "derivative_put_in"))
    put_in = ex.substitute(slope_form, {"d_ff": ex.Num(8) / 3 * ex.Sym("d_model")})
    assert value(slope_form, at) == row["here"] != value(whole, at)
    assert value(put_in, at) == value(whole, at)
    text = SensitivityView(analyse(model, ["d_model"]), notation_of("paper")).text()
    assert "A premise: d_ff = 8/3·d_model" in text
    check_rows(model, data)


def test_a_pattern_of_layers_has_its_share_as_slope() -> None:
    data = sensitivity_json(analyse(load("recurrentgemma-2b"), ["L"]))
    held = next(r["held"] for r in data["measures"][0]["rows"] if r["held"]["name"] == "by rule")
    assert held["relaxed"] == [{"rule": "L_recurrent = L - down(L/3)",
                                "taken_as": "L_recurrent = L - L/3", "slope": "2/3",
                                "put_in": False}]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", ["jamba-v0.1", "qwen3-next-80b-a3b"])
def test_layers_of_a_kind_that_follow_the_depth_by_steps_have_no_crossover_of_a_polynomial(
        name: str) -> None:
    assert run(["sensitivity", name, "--quiet"]) == 0
    found = analyse(load(name), ["L"]).crossovers
    assert found
    assert all("by whole steps" in crossover.why for crossover in found)


def test_dims_that_steps_move_though_a_derivative_holds_them_are_named() -> None:
    said = "a step takes other numbers of them"
    assert said in " ".join(load("gpt2").sensitivity().text().split())
    assert said not in " ".join(load("llama-2-7b").sensitivity().text().split())


def test_what_a_token_touches_has_a_name_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sensitivity", "mixtral-8x7b", "--wrt", "d_expert", "--notation", "hf"]) == 0
    text = capsys.readouterr().out
    assert "∂P_active/∂moe_intermediate_size" in text
    assert text.count("∂P/∂moe_intermediate_size") == 1
    assert max(map(len, text.splitlines())) <= 80


def test_a_step_below_one_is_refused_with_where_it_leads(
        capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sensitivity", "gpt2", "--wrt", "L", "--step", "L=-20"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "L − 20 = -8, all others: there is no such model. L would be -8" in said


def test_a_false_quotient_is_refused_with_what_it_is() -> None:
    d = symbol("d_model")
    with pytest.raises(FalseStep, match=r"the quotient is 2\*d_model.*differ by"):
        Ratio(3 * d, sp.Integer(1), 2 * ex.Sym("d_model"))
