"""Derivatives of quantities against differences of whole numbers, and how they are shown."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symparam
from symparam import expression as ex
from symparam.cli.main import run
from symparam.descriptions.load import load
from symparam.errors import BadValue, FalseStep, NotDerivable
from symparam.grammar import parse_expression
from symparam.sensitivity import analyse
from symparam.sensitivity.proved import Derivative
from tests.helpers import message, together
from tests.oracle import work
from tests.strategies import Arch, Dims, decoders, engine, quick
from tests.test_json import OPTIONAL, schema, spoiled, valid
from tests.test_quantity_derivation import at_numbers, small


def slope(values: dict[int, Fraction], at: int) -> Fraction:
    """The slope at a point of the polynomial through some points, by Lagrange's formula."""
    found = Fraction(0)
    for i, y in values.items():
        for k in values:
            if k != i:
                term = Fraction(1, i - k)
                for j in values:
                    if j not in (i, k):
                        term *= Fraction(at - j, i - j)
                found += y * term
    return found


@settings(quick, max_examples=5)
@given(decoders(), st.sampled_from(["s", "L", "n_heads", "d_model"]))
def test_the_slope_of_a_walk_is_the_derivative(case: tuple[Arch, Dims], wrt: str) -> None:
    """Forward FLOPs are at most quadratic in each symbol: three walks give the slope."""
    arch, dims = case[0], {**small(case[1]), "s": 3}
    if wrt == "n_heads" and arch.get("attention", "mha") != "mqa":
        wrt = "s"  # the heads of other kinds go together with those of keys
    model = replace(engine(arch, dims), values={})
    row = analyse(model, [wrt], quantity="flops").row(wrt, "all others")
    points = {n: Fraction(work.forward(arch, moved, moved["s"])) for n in range(
        dims[wrt], dims[wrt] + 3) for moved in [{**dims, wrt: n}]}
    wanted = slope(points, dims[wrt])
    shared = dims.get("n_shared", 0) * dims.get("d_expert", 0)
    found = 0 if row is None else ex.evaluate(row.derivative.expr, {
        **dims, "d_shared": shared, "b": 1})
    assert found == wanted


def test_rows_of_llama() -> None:
    found = analyse(load("llama-2-7b"), ["d_model", "s"], quantity="flops_per_token")
    by_rule, kept = (found.row("d_model", held) for held in ("by rule", "ratios kept"))
    alone, tokens = found.row("d_model", "all others"), found.row("s", "all others")
    assert by_rule is not None
    assert kept is not None
    assert alone is not None
    assert tokens is not None
    d, depth, f, s, vocab = 4096, 32, 11008, 4096, 32000
    assert alone.here == 2 * (depth * (4 * d + 3 * f) + vocab)
    assert by_rule.here == 2 * (depth * (8 * d + 3 * f + 2 * s) + vocab)
    assert kept.here == 2 * (depth * (8 * d + 6 * f + 2 * s) + vocab)
    assert tokens.here == 4 * depth * d
    assert tokens.relative == Fraction(4 * depth * d * s, 15_361_638_400)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", ["deepseek-v3", "gpt2"])
def test_weights_change_with_parameters(name: str) -> None:
    """Two bytes for each parameter: rows by another way, which knows nothing of quantities."""
    model = symparam.load(name)
    rows = {(r.wrt, r.held.name): r.here for r in model.sensitivity("weights").rows}
    of_count = model.sensitivity(wrt="all").total.rows
    assert rows == {(r.wrt, r.held.name): 2 * (r.here or 0) for r in of_count if r.here}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", ["deepseek-v3", "gpt2", "llama-2-7b"])
def test_shape_of_weights_is_that_of_parameters(name: str) -> None:
    """Doublings, slopes and crossovers of two bytes for each parameter are those of the count."""
    model = symparam.load(name)
    of_count, of_weights = model.sensitivity(), model.sensitivity("weights")
    both = [{"doublings": {(d.held.wrt, d.held.name): (d.factor, d.layers) for d in s.doublings},
             "slopes": {(x.depth.wrt, x.width.name): x.slope for x in s.slopes},
             "crossovers": {(c.held.wrt, c.share): (c.root, c.firsts) for c in s.crossovers}}
            for s in (of_count, of_weights)]
    assert all(each for each in both[0].values())
    assert both[0] == both[1]


def test_the_heads_share_of_flops_by_hand() -> None:
    """A token's operations in the head, 2·V·d_model, against those in L layers."""
    found = symparam.load("llama-2-7b").sensitivity("flops_per_token", wrt="L",
                                                    shares=[Fraction(1, 20)])
    (crossover,) = found.crossovers
    layer = 2 * (4 * 4096**2 + 3 * 4096 * 11008) + 4 * 4096 * 4096
    assert crossover.root == Fraction(19 * 2 * 32000 * 4096, layer)
    (first,) = crossover.firsts
    assert first.number == int(crossover.root) + 1
    assert first.share == Fraction(2 * 32000 * 4096, 2 * 32000 * 4096 + first.number * layer)
    assert str(symparam.load("llama-2-7b").sensitivity("kv_cache").json()["embeddings"]) == "0"


def test_layers_against_width_at_a_fixed_cache() -> None:
    """Half as wide and twice as deep is the same cache: L·d_model is what it holds."""
    (slope,) = symparam.load("llama-2-7b").sensitivity("kv_cache").slopes
    assert slope.slope == -Fraction(32, 4096)
    assert str(slope.formula) == "-L/(n_kv*d_head)"


@pytest.mark.thinned(3)
def test_a_window_and_devices_have_derivatives() -> None:
    found = analyse(symparam.load("gemma-3-1b", s=1024), ["s", "window"], quantity="train_causal")
    by_s = found.row("s", "all others")
    assert by_s is not None
    assert by_s.here == 6 * 4 * 256 * (4 + Fraction(22 * 512**2, 1024**2))
    split = analyse(symparam.load("llama-2-7b", n_devices=8), quantity="training_memory_zero_3")
    row = split.row("n_devices", "all others")
    assert row is not None
    assert row.relative == -1
    assert row.here == -Fraction(16 * 6_738_415_616, 64)


def test_another_derivative_is_refused() -> None:
    row = analyse(load("llama-2-7b"), ["s"], quantity="kv_cache").rows[0]
    assert str(row.derivative.expr) == "4*L*n_kv*d_head*b"
    with pytest.raises(FalseStep):
        Derivative("s", row.derivative.of, parse_expression("2*L*n_kv*d_head*b", {"b"}))


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: analyse(load("gpt2"), ["d_ff"], quantity="kv_cache"), BadValue, "n_kv d_head"),
    (lambda: analyse(load("bert-base"), quantity="kv_cache"), NotDerivable, "nothing"),
])
def test_what_has_no_derivative_is_refused(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert words in message(caught.value)  # type: ignore[arg-type]


# --- the commands ---------------------------------------------------------------------------

def shown(capsys: pytest.CaptureFixture[str], line: str) -> str:
    """What a command line prints."""
    assert run(shlex.split(line)) == 0
    return capsys.readouterr().out


@pytest.mark.thinned(2)
@pytest.mark.parametrize("line", [
    "llama-2-7b --quantity flops_per_token", "--attention gqa --quantity kv_cache",
    "gemma-3-1b --quantity train_causal --wrt window", "t5-base --quantity kv_cache s=9"])
def test_data_meets_its_schema(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(shown(capsys, f"sensitivity {line} --json"))
    valid("sensitivity", data)
    text = shown(capsys, f"sensitivity {line}")
    assert max(map(len, text.splitlines())) <= 80
    measure, = data["measures"]
    for row in measure["rows"]:
        assert row["wrt"] in text
        if row["here"] is not None:
            here = at_numbers(row["derivative"], data["dims"])
            assert here == Fraction(row["here"])
            relative = here * data["dims"][row["wrt"]] / Fraction(measure["value"])
            assert Fraction(row["elasticity"]["exact"]) == relative
            assert at_numbers(row["elasticity"]["formula"], data["dims"]) == relative


@pytest.mark.parametrize("line", ["llama-2-7b --quantity flops_per_token --step s=9",
                                  "mixtral-8x7b --quantity active"])
def test_keys_of_before_say_the_same_and_where_they_stand_now(
        line: str, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(shown(capsys, f"sensitivity {line} --json"))
    measure, = data["measures"]
    assert data["renamed"] == {key: f"measures[0].{key}" for key in ("formula", "value", "rows")}
    assert (data["formula"], data["value"]) == (measure["formula"], measure["value"])
    for old, new in zip(data["rows"], measure["rows"], strict=True):
        assert old["held"] == new["held"]["name"]
        assert old["elasticity"] == new["elasticity"]["exact"]
        assert (old["follows"], old["relaxed"]) == (new["held"]["follows"], new["held"]["relaxed"])
        same = set(old) - {"held", "elasticity", "follows", "relaxed"}
        assert {key: old[key] for key in same} == {key: new[key] for key in same}


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("line", "slopes"), [
    ("llama-2-7b 'd_ff=8/3*d_model, up to 256'", {"8/3"}),
    ("llama-2-7b --assume d_ff=8/3*d_model", {"8/3"}),
    ("llama-2-7b 'd_ff=64*up(d_model/48)' --quantity flops_per_token", {"4/3"}),
    ("llama-2-7b", set())])
def test_the_slope_of_a_rule_that_is_not_taken_as_it_stands_is_said(
        line: str, slopes: set[str], capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(shown(capsys, f"sensitivity {line} --json"))
    valid("sensitivity", data)
    assert {rule["slope"] for row in data["measures"][0]["rows"] if row["wrt"] == "d_model"
            for rule in row["held"]["relaxed"]} == slopes


@pytest.mark.thinned(3)
def test_a_schema_refuses_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(shown(capsys, "sensitivity gpt2 --quantity kv_cache --wrt s --json"))
    passed = [what for what, wrong in spoiled(data) if schema("sensitivity").is_valid(wrong)]
    assert [what for what in passed if not OPTIONAL.search(what)] == []


def test_a_derivation_ends_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    line = "derive llama-2-7b --quantity kv_per_token --sensitivity"
    data = json.loads(shown(capsys, f"{line} --json"))
    valid("derive", data)
    valid("sensitivity", data["sensitivity"])
    rows = data["sensitivity"]["measures"][0]["rows"]
    alone = [row["wrt"] for row in rows if row["held"]["name"] == "all others"]
    assert alone == ["L", "n_kv", "d_head"]
    assert "∂m_token/∂n_kv = 4·L·d_head" in shown(capsys, line)


@together(("line", "words"), [
    ("gpt2 --quantity kv_cache --share 5%", "no part of kv_cache"),
    ("gpt2 --quantity embeddings --share 5%", "all of embeddings"),
    ("gpt2 --quantity active --dtype int8", "--dtype"),
    ("gpt2 --quantity cache", "kv_cache"), ("gpt2 --dtype int8", "--quantity"),
    ("gpt2 --quantity kv_cache --wrt d_ff", "d_ff")])
def test_bad_input_is_one_line(line: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sensitivity", *shlex.split(line)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert words in err


def test_python() -> None:
    model = symparam.load("llama-2-7b")
    view = model.sensitivity("flops_per_token", wrt=["s", "L"], s=4096)
    assert [row.wrt for row in view.rows] == ["s", "L"]
    assert "<math" in view.html()
    assert "flops_per_token" in repr(view)
    assert "LlamaTwoSevenB" in view.macros()
    assert r"\partial" in view.latex()
    both = model.derive("kv_cache", sensitivity=True)
    assert both.json()["sensitivity"]["measures"][0]["rows"][0]["wrt"] == "L"
