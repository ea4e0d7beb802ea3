"""What solve puts in comes from the resolved model, is named, and holds against the ledger."""

from __future__ import annotations

import json
import shlex
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symparam import expression as ex
from symparam.cli.main import run
from symparam.components import choices, find
from symparam.constraints import Standing
from symparam.descriptions.load import build
from symparam.descriptions.options import Options
from symparam.errors import FalseStep, SymparamError
from symparam.grammar import parse_relation
from symparam.model import Model
from symparam.resolve import numbers, resolve, with_overrides
from symparam.solve import Wishes, solve
from symparam.solve.formulas.closed_form import closed_form
from symparam.solve.formulas.put_back import put_back
from symparam.solve.solution import Solution
from symparam.symbols import symbol

#: Numbers for dims that no lattice knows, with many divisors.
MORE = {"q_rank": 48, "kv_rank": 24, "d_nope": 32, "d_rope": 16, "d_v": 32, "d_expert": 96,
        "n_experts": 8, "top_k": 2, "d_bottleneck": 128, "k_conv": 4, "n_ctx": 256, "n_out": 2,
        "n_rel": 64, "n_buckets": 32, "n_shared": 2}
SMALL = {"V": 4000, "L": 6, "d_model": 768, "n_heads": 8, "n_kv": 4, **MORE}


def answer(capsys: pytest.CaptureFixture[str], line: str) -> dict[str, Any]:
    assert run(shlex.split(line)) in {0, 1}
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_heads_follow_the_architectures_own_rule(capsys: pytest.CaptureFixture[str]) -> None:
    """d_head = 2·d_model/n_heads: queries and output are 2·d·2·d and 2·d·d, no 11·d² but 14·d²."""
    data = answer(capsys, "solve --attention concatenated P=1e9 d_model=4096 --json")
    assert data["closed_form"]["L"] == (
        "(P - d_model*(2*V + 1))/(2*d_model*(2*n_kv*d_head + 7*d_model + 1))")
    stated = {each["equation"]: (each["origin"], each["reason"]) for each in data["put_in"]["L"]}
    assert stated["n_heads = 2*d_model/d_head"] == ("rule", "heads split the stream and embedding")
    assert all(c["dims"]["n_heads"] * c["dims"]["d_head"] == 2 * c["dims"]["d_model"]
               for c in data["configurations"])
    assert run(shlex.split("solve --attention concatenated P=1e9 d_model=4096")) == 1
    text = capsys.readouterr().out
    assert "n_heads = 2·d_model/d_head (heads split the stream and embedding; a rule" in text


def test_what_is_of_the_lattice_alone_is_said_to_be(capsys: pytest.CaptureFixture[str]) -> None:
    given = " ".join(f"{k}={v}" for k, v in MORE.items() if k in {
        "q_rank", "kv_rank", "d_nope", "d_rope", "d_v"})
    data = answer(capsys, f"solve --attention mla P=1e9 {given} --json")
    origins = {each["dim"]: each["origin"] for each in data["put_in"]["d_model"]}
    assert origins["n_heads"] == "lattice"


def test_a_pattern_is_its_share_in_a_formula_and_a_floor_in_configurations(
        capsys: pytest.CaptureFixture[str]) -> None:
    data = answer(capsys, "solve recurrentgemma-2b P=5e9 --json")
    stated = {each["dim"]: each for each in data["put_in"]["L"]}
    assert stated["L_recurrent"]["equation"] == "L_recurrent = 2/3*L"
    assert stated["L_recurrent"]["rule"] == "L_recurrent = L - down(L/3)"
    assert data["configurations"]
    for found in data["configurations"]:
        dims = found["dims"]
        assert dims["L_attention"] == dims["L"] // 3 == dims["L"] - dims["L_recurrent"]


def test_a_formula_that_the_ledger_contradicts_is_refused() -> None:
    model = build(None, Options(attention="gqa"), {})
    wrong = closed_form(11 * symbol("L") * symbol("d_model") ** 2, "L")
    with pytest.raises(FalseStep):
        put_back(model, wrong, {})


def _architecture(draw: st.DrawFn) -> tuple[Model, dict[str, int]]:
    """A random architecture, and numbers for all that it needs."""
    names = {slot: st.sampled_from(whole(slot)) for slot in ("attention", "ffn", "norm")}
    options = Options(**{slot: draw(each) for slot, each in names.items()},
                      norms_per_block=draw(st.sampled_from([1, 2, 4])),
                      tied=draw(st.booleans()),
                      positions=draw(st.sampled_from(["rope", "none", "learned"])))
    model = build(None, options, {})
    return model, given_numbers(model)


def whole(slot: str) -> list[str]:
    """The choices that every layer can have: none that takes from another layer."""
    return [name for name in choices(slot) if not find(slot, name).borrows]


def given_numbers(model: Model) -> dict[str, int]:
    """Numbers for the dims that neither a definition nor a rule gives."""
    defined = {eq.dim for eq in model.all_equations() if eq.standing is Standing.DEFINITION}
    dims = {dim: n for dim, n in SMALL.items() if dim in model.names and dim not in defined}
    return dims | dict.fromkeys(resolve(with_overrides(model, dims)).missing, 32)


def _solved(model: Model, dims: dict[str, int], name: str, total: int) -> Solution | None:
    given = {dim: n for dim, n in dims.items()
             if dim not in {"L", "d_model", "n_heads", "d_ff", name}}
    try:
        return solve(model, total, given=given, wishes=Wishes(unknown=[name]) if name not in {
            "L", "d_model"} else Wishes())
    except SymparamError:
        return None


@settings(max_examples=25)
@given(st.data())
def test_formulas_of_random_architectures_give_the_dim_of_a_counted_model(data: st.DataObject,
                                                                          ) -> None:
    """Where the model's own rules give the other dims, a formula gives the one that was counted;
    what is put in holds there, or it is of the lattice or rounds."""
    model, dims = data.draw(st.composite(_architecture)())
    try:
        counted = with_overrides(model, dims)
        values = numbers(counted).values
    except SymparamError:
        return
    total = int(counted.ledger(values).total())
    found = _solved(model, dims, data.draw(st.sampled_from(["L", "d_model", "d_ff"])), total)
    for form in found.closed_forms if found else ():
        known = {**values, "P": total}
        holds = [ex.evaluate(each.expr, values) == values[each.dim] for each in form.put_in
                 if set(ex.symbols_in(each.expr)) | {each.dim} <= set(values)]
        rules = [each for each in form.put_in if each.origin == "rule" and not each.relaxed
                 and each.dim in values]
        assert all(ex.evaluate(each.expr, values) == values[each.dim] for each in rules), form
        if all(holds) and form.formulas and set(ex.symbols_in(form.formulas[0])) <= set(known):
            at = [_exact(formula, known) for formula in form.formulas]
            assert values[form.symbol] in at, (model.name, form.symbol)


def _exact(formula: ex.Expr, at: dict[str, int]) -> Any:
    try:
        return ex.evaluate(formula, {name: Fraction(n) for name, n in at.items()})
    except SymparamError:
        return None


@pytest.mark.thinned(3)
def test_stated_relations_are_the_resolved_models_own() -> None:
    """Of every attention: what is put in as a rule holds in a model that was resolved without
    it."""
    for name in whole("attention"):
        model = build(None, Options(attention=name), {})
        dims = given_numbers(model)
        try:
            values = resolve(with_overrides(model, dims)).values
        except SymparamError:
            continue
        found = _solved(model, dims, "L", 10**9)
        for form in found.closed_forms if found else ():
            for each in form.put_in:
                left, rule = parse_relation(str(each), values)
                if each.origin == "rule" and not each.relaxed and each.dim in values:
                    assert ex.evaluate(rule.expr, values) == ex.evaluate(left, values), (name, each)
