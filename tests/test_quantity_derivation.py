"""Derivations of quantities: proved lines, numbers against a walk that knows no formula."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symparam
from symparam import expression as ex
from symparam.cli.main import run
from symparam.count import quantity_count
from symparam.derivation.arrange import listed
from symparam.derivation.at_numbers import Bound
from symparam.derivation.parts import parts
from symparam.derivation.plan import Derivation, derive
from symparam.derivation.step import Line, Step, Term
from symparam.descriptions.architecture.architecture_file import describe_model
from symparam.descriptions.load import load
from symparam.documents.derivations.view import DerivationView
from symparam.errors import BadValue, FalseStep, NotDerivable, SymparamError, UnknownName
from symparam.grammar import parse_expression
from symparam.model import Model
from symparam.notation.numbers import grouped
from symparam.quantities import everything, find
from symparam.quantities.contract import held
from symparam.quantities.parameters import in_words
from symparam.quantities.plain import setting_of
from symparam.quantities.quantity import Quantity, Share, Subject
from symparam.quantities.setting import Setting
from symparam.resolve import with_overrides
from symparam.testing import assert_quantity
from tests.helpers import message, together
from tests.oracle import decoder, work
from tests.strategies import Arch, Dims, decoders, engine, quick
from tests.test_cost import WINDOWED
from tests.test_json import OPTIONAL, of_python, schema, spoiled, valid


def derive_quantity(model: Model, name: str, assume: Sequence[str] = (),
                    setting: Setting | None = None, detail: str = "brief") -> Derivation:
    return derive(model, assume, None, detail, quantity=name, setting=setting)


def lines(d: Derivation) -> dict[str, str]:
    """Each line that a derivation ends in, by its rule or the dim that it removed."""
    return {(s.given.dim if s.given else s.subject if s.rule == "join" else s.rule):
            str(s.after.expr) for s in d.steps}


def at_numbers(text: str, values: Mapping[str, int]) -> Fraction:
    """An expression as Python reads it, worked out exactly."""
    return of_python(text, {name: Fraction(value) for name, value in values.items()})


def test_the_cache_line_by_line() -> None:
    d = derive_quantity(load("llama-2-7b"), "kv_cache")
    assert lines(d) == {
        "take-apart": "L*M_cache_attention", "M_cache_attention": "4*n_kv*d_head*b*s",
        "sum": "4*L*n_kv*d_head*b*s", "n_kv": "4*L*n_heads*d_head*b*s",
        "d_head": "4*L*d_model*b*s"}
    assert d.steps[1].after.terms[0].label == ("K", "V")
    assert d.value == 2**31
    assert d.assumed == {"s": "nobody said", "b": "one sequence"}


def test_flops_line_by_line() -> None:
    d = derive_quantity(load("llama-2-7b"), "flops_per_token")
    assert lines(d) == {
        "take-apart": "L*(c_token_attention + c_token_ffn) + c_token_head",
        "c_token_attention": "4*d_model*n_heads*d_head + 4*d_model*n_kv*d_head "
                             "+ 4*n_heads*d_head*s",
        "c_token_ffn": "6*d_model*d_ff", "c_token_head": "2*V*d_model",
        "sum": "2*V*d_model + L*(4*d_head*(d_model*n_heads + d_model*n_kv + n_heads*s) "
               "+ 6*d_model*d_ff)",
        "front": "2*(V*d_model + L*(2*d_head*(d_model*n_heads + d_model*n_kv + n_heads*s) "
                 "+ 3*d_model*d_ff))",
        "n_kv": "2*(V*d_model + L*(2*n_heads*d_head*(2*d_model + s) + 3*d_model*d_ff))",
        "d_head": "2*(V*d_model + L*(2*d_model*(2*d_model + s) + 3*d_model*d_ff))"}
    assert {s.status for s in d.steps} == {"proved"}
    assert d.value == 15_361_638_400


#: The value of a quantity as a walk finds it, from architecture, dims, tokens and sequences.
WALKED: dict[str, Callable[[Arch, Dims, int, int], int]] = {
    "kv_cache": lambda arch, dims, s, b: 2 * b * work.cached(arch, dims, s),
    "flops": lambda arch, dims, s, b: b * work.forward(arch, dims, s),
    "flops_training": lambda arch, dims, s, b: 3 * b * work.forward(arch, dims, s),
    "weights": lambda arch, dims, s, b: 2 * sum(
        math.prod(shape) for shape in decoder.state_dict(arch, dims).values()),
}


def small(dims: Dims) -> Dims:
    """The same dims with few layers and heads: the walk visits every pair."""
    heads = {"n_heads": dims["n_heads"] // dims["n_kv"] * min(dims["n_kv"], 2)}
    return {**dims, "L": min(dims["L"], 3), **heads, "n_kv": min(dims["n_kv"], 2)}


@pytest.mark.thinned(3)
@settings(quick, max_examples=5)
@given(decoders(), st.integers(1, 4), st.integers(1, 3))
def test_a_formula_without_numbers_meets_the_walk(case: tuple[Arch, Dims], s: int,
                                                  b: int) -> None:
    arch, dims = case[0], small(case[1])
    at = {**dims, "d_shared": dims.get("n_shared", 0) * dims.get("d_expert", 0), "s": s, "b": b}
    model = replace(engine(arch, dims), values={})
    for name, walked in WALKED.items():
        general = derive_quantity(model, name, ["none"])
        assert general.value is None
        wanted = walked(arch, dims, s, b)
        assert ex.evaluate(general.formula, at) == wanted, name
        for step in general.steps:
            if step.subject == general.quantity.symbol and step.rule != "take-apart":
                assert ex.evaluate(step.after.expr, at) == wanted, (name, step.rule)


@pytest.mark.parametrize("mutant", work.MUTANTS)
def test_another_rule_is_another_formula(mutant: str) -> None:
    arch: Arch = {"attention": "gqa", "ffn": "moe", "tied": True}
    dims = {"V": 11, "L": 2, "d_model": 6, "n_heads": 4, "n_kv": 2, "d_head": 2, "n_experts": 3,
            "top_k": 2, "d_expert": 5, "s": 3, "b": 1}
    found = [ex.evaluate(derive_quantity(
        replace(engine(arch, dims), values={}), name, ["none"]).formula, dims)
             for name in ("kv_cache", "flops")]
    rules = work.MUTANTS[mutant]
    assert found == [2 * work.cached(arch, dims, 3), work.forward(arch, dims, 3)]
    assert found != [2 * work.cached(arch, dims, 3, None, rules),
                     work.forward(arch, dims, 3, True, rules)]


#: Quantities of each kind, for the everyday run.
SOME = ("kv_cache", "state", "flops", "flops_scans", "weights", "train_causal", "train_narayanan",
        "activations_tensor", "training_memory_zero_1")


def check_all(name: str, quantities: Iterable[str]) -> int:
    """Each quantity of a model is derived, or refused where it has no value; how many are."""
    run_with = {"s": 700, "b": 3, "n_devices": 8, "t": 2}
    model, derived = with_overrides(load(name), run_with), 0
    for quantity in quantities:
        try:
            wanted = symparam.load(name).quantity(quantity, **run_with)
        except SymparamError:
            wanted = 0
        if wanted == 0:
            with pytest.raises(SymparamError):
                derive_quantity(model, quantity)
            continue
        d = derive_quantity(model, quantity)
        assert d.value == wanted, quantity
        assert at_numbers(str(d.formula), d.values) == wanted
        assert max(map(len, DerivationView(d).text().splitlines())) <= 80, quantity
        derived += 1
    return derived


def test_quantities_of_each_kind() -> None:
    assert check_all("gemma-3-1b", SOME) == 7


@pytest.mark.slow
@pytest.mark.parametrize("name", ["llama-2-7b", "gemma-3-1b", "falcon-mamba-7b", "t5-base",
                                  "deepseek-v3", "mixtral-8x7b", "albert-base", "bert-base"])
def test_every_quantity_of_a_model(name: str) -> None:
    assert check_all(name, everything()) >= 10


# --- what is false cannot be made -----------------------------------------------------------

def test_a_share_in_the_wrong_place_is_refused() -> None:
    d = derive_quantity(load("llama-2-7b"), "flops_per_token")
    step = next(s for s in d.steps if s.subject == "c_token_attention")
    first, second, third = step.after.terms
    with pytest.raises(FalseStep):  # five for four
        replace(first, shown=parse_expression("5*L*d_model*n_heads*d_head"))
    moved = Line((first, replace(second, shares=dict(zip(
        reversed(second.shares), second.shares.values(), strict=True))), third))
    assert moved.plain == step.after.plain  # the keys' share is as large as the values'
    half = {path: share / 2 for path, share in third.shares.items()}
    halved = Line((first, second, Term(parse_expression("2*n_heads*d_head*s"), half)))
    with pytest.raises(FalseStep):
        Step("collect", step.subject, step.after, halved, "why")
    names = list(first.shares)
    stolen = {names[0]: sum(first.shares.values())}  # the same sum, all of it from one matrix
    with pytest.raises(FalseStep):
        Step("collect", step.subject, step.after,
             Line((Term(first.shown, stolen), second, third)), "why")


def test_a_lost_entry_is_noticed() -> None:
    model, quantity = load("llama-2-7b"), find("kv_cache")
    trees = Subject.over(model, ex.Sym)
    count = quantity_count(model, quantity)
    (part,) = parts(model, "M_cache", quantity.shares(trees), trees.ledger)
    line = listed(part, count)
    with pytest.raises(FalseStep):
        Step("join", "M_cache", line, Line(line.terms[:1]), "why")


def test_a_number_that_rounds_is_no_formula() -> None:
    model = with_overrides(load("llama-2-7b"), {"d_ff": 11_009})
    wanted = symparam.load("llama-2-7b", d_ff=11_009).quantity(
        "weights", dtype="int4", group=128)
    with pytest.raises(NotDerivable) as caught:
        derive_quantity(model, "weights", (), setting_of(dtype="int4", group=128))
    assert str(wanted) in message(caught.value)
    d = derive_quantity(load("llama-2-7b"), "weights", (), setting_of(dtype="int4", group=128))
    assert d.value == 3_864_010_752


# --- windows, assumptions, refusals ---------------------------------------------------------

def test_a_window_is_said() -> None:
    long, short = (derive_quantity(with_overrides(load("gemma-3-1b"), {"s": s}), "kv_cache")
                   for s in (8192, 512))
    beyond = (Bound(ex.Sym("s"), ex.Sym("window"), "beyond"),)
    assert (long.windows, short.windows) == (beyond, beyond)
    within = derive_quantity(with_overrides(load("gemma-3-1b"), {"s": 511}), "kv_cache")
    assert within.windows == (Bound(ex.Sym("s"), ex.Sym("window"), "within"),)
    assert str(within.formula) == "4*L*d_head*b*s"
    assert str(long.formula) == "4*b*((L - L_window)*d_head*s + L_window*d_head*window)"
    assert derive_quantity(load("gemma-3-1b"), "kv_per_token").windows == ()


def shared_prefix(subject: Subject) -> Iterator[Share]:
    """A prefix that is kept once, and the tokens of each sequence."""
    for state in subject.ledger.at_work().states:
        layers = tuple(index.applied for index in state.indices)
        yield Share(f"{state.path}[prefix]", (*layers, *state.shape, 1024))
        yield Share(f"{state.path}[own]", (*layers, *state.shape, subject.setting.entries(state)))


PREFIXED = Quantity(
    name="prefixed", title="a cache with a prefix", unit="numbers", symbol="M_pre",
    convention="the prefix once", source="nowhere", shares=shared_prefix,
    needs=("s", "s_encoder"))


@pytest.mark.parametrize("name", ["gemma-2-9b", "gemma-3-1b"])
def test_a_share_s_own_word_stands_behind_that_of_a_window(
        name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(everything(), PREFIXED.name, held(PREFIXED))
    assert_quantity(PREFIXED, name, "t5-base")
    d = derive_quantity(load(name), PREFIXED.name)
    assert [part.symbol for part in d.parts] == [
        "M_pre_attention", "M_pre_attention_window"]
    assert [part.title for part in d.parts] == ["attention", "attention window"]
    written = DerivationView(d).text() + DerivationView(d).latex()
    for word in ("K (window, prefix)", "V (window, own)", "K (prefix)", "$K$ (window, prefix)"):
        assert word in written
    assert "][" not in written
    assert "]{[}" not in written


def test_an_assumption_met_nearly_stops_the_numbers() -> None:
    d = derive_quantity(load("llama-2-7b"), "train_head", ["d_ff = 8/3*d_model"])
    assert d.steps[-1].holds_here == "nearly"
    assert d.numbers is not None
    assert str(d.numbers.symbolic) == "6*(V*d_model + L*(4*d_model**2 + 3*d_model*d_ff))"
    assert d.value == 39_642_464_256
    text = DerivationView(d).text()
    assert "10922.67" in " ".join(text.split())
    grouped_heads = derive_quantity(load("llama-2-70b"), "kv_per_token", ["n_kv = n_heads/g"])
    assert str(grouped_heads.formula) == "4*L*d_model/g"
    assert grouped_heads.values["g"] == 8


@together(("call", "error", "words"), [
    (lambda: derive_quantity(load("gpt2"), "kv_cach"), UnknownName, "kv_cache"),
    (lambda: derive_quantity(load("gpt2"), "kv_cache", detail="long"), UnknownName, "brief"),
    (lambda: derive_quantity(load("bert-base"), "kv_cache"), NotDerivable, "nothing of the kind"),
    (lambda: derive_quantity(load("t5-base"), "flops_per_token"), BadValue, "decoder"),
    (lambda: derive_quantity(load("mixtral-8x7b"), "train_kaplan"), BadValue, "d_ff"),
    (lambda: derive_quantity(load("gpt2"), "flops", ["d_ff = 2*d_model"]), NotDerivable, "3072"),
    (lambda: derive_quantity(load("gpt2"), "kv_cache", ["d_ff = 4*d_model"]), BadValue, "d_ff"),
])
def test_what_cannot_be_derived_is_refused(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert words in message(caught.value)  # type: ignore[arg-type]


def test_components_in_words() -> None:
    assert [in_words(p) for p in ("embedding.token", "layers.norms", "final_norm.norm")] == [
        "embedding token", "norms", "final norm"]


# --- the command, its documents and data ----------------------------------------------------

def shown(capsys: pytest.CaptureFixture[str], line: str) -> str:
    """What a command line prints."""
    assert run(["derive", *shlex.split(line)]) == 0
    return capsys.readouterr().out


GOLDEN = {
    "derive-kv-cache.txt": "llama-2-70b --quantity kv_cache s=128Ki",
    "derive-image-tokens.txt": "qwen2.5-vl-7b --quantity image_tokens",
    "derive-flops.tex": "--ffn swiglu --quantity flops_per_token --latex",
    "derive-train-causal.md": "gemma-3-1b --quantity train_causal --detail full "
                              "--format markdown",
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden(name: str, golden: Callable[[str, str], None],
                capsys: pytest.CaptureFixture[str]) -> None:
    golden(name, shown(capsys, GOLDEN[name]))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("line", [
    "llama-2-7b --quantity kv_cache", "gemma-3-1b --quantity train_causal --detail full",
    "llama-2-7b --quantity training_memory_zero_1 n_devices=7",
    "gpt2 --quantity train_chinchilla D=1e10", "--ffn moe --quantity flops",
    "falcon-mamba-7b --quantity state", "nanochat-d20 --quantity optimal_compute",
    "llama-2-7b --quantity weights --dtype int4 --group 128 --assume none"])
def test_data_meets_its_schema(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(shown(capsys, f"{line} --json"))
    valid("derive", data)
    text = shown(capsys, line)
    assert max(map(len, text.splitlines())) <= 80
    if data["value"] is not None:
        value = at_numbers(str(data["value"]), {})
        assert at_numbers(data["formula"], data["dims"]) == value
        entries = [e["expression"] for c in data["components"] for e in c["entries"]]
        assert sum(at_numbers(e, data["dims"]) for e in entries) == value
        assert grouped(value) in " ".join(text.split())
    known = [*data["symbols"], data["symbol"], *(c["symbol"] for c in data["components"])]
    for step in data["steps"]:
        for side in ("before", "after"):
            parse_expression(step[side], known)
    assert set(data["inside"]) == {"P"} & set(data["symbols"])


@pytest.mark.parametrize("line", [
    "nanochat-d20", "mixtral-8x7b", "llama-2-7b --assume d_ff=8/3*d_model", "gpt2 --assume none",
    "--ffn swiglu"])
def test_what_stands_inside_a_formula_has_a_formula_of_its_own(
        line: str, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(shown(capsys, f"{line} --quantity optimal_compute --json"))
    valid("derive", data)
    count = json.loads(shown(capsys, f"{line} --json"))
    total = data["inside"]["P"]
    nearly = [step for step in count["steps"] if step["holds_here"] == "nearly"]
    assert total["steps"] == count["steps"]
    assert total["value"] == count["value"]
    assert total["formula"] == (nearly[0]["before"] if nearly else count["formula"])
    if total["value"] is not None:
        without = {name: number for name, number in data["dims"].items() if name != "P"}
        assert at_numbers(total["formula"], {**count["dims"], **without}) == total["value"]
        assert at_numbers(data["formula"].replace("P", f"({total['formula']})"), without) == (
            data["value"]) or nearly


def test_a_schema_refuses_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(shown(capsys, "gpt2 --quantity kv_cache --json"))
    passed = [what for what, wrong in spoiled(data) if schema("derive").is_valid(wrong)]
    assert [what for what in passed if not OPTIONAL.search(what)] == []


def test_the_command_takes_a_setting(capsys: pytest.CaptureFixture[str]) -> None:
    wide = json.loads(shown(capsys, "llama-2-7b --quantity kv_per_token --kv-dtype fp32 --json"))
    assert wide["value"] == 2 * 524_288
    assert wide["taken"] == ["a cached number takes 32 bits (fp32)"]
    half = json.loads(shown(capsys, "llama-2-7b --quantity flops --attention-count causal "
                                    "--context 4096 --batch 2 --json"))
    model = symparam.load("llama-2-7b")
    assert half["value"] == model.flops(4096, b=2, attention="causal")
    assert "--quantity" in shown(capsys, "--help")
    assert "train_narayanan" in shown(capsys, "--help")


@together(("line", "words"), [
    ("gpt2 --quantity kvcache", "kv_cache"),
    ("gpt2 --quantity kv_cache --leading V", "does not depend on V"),
    ("gpt2 --quantity kv_cache --exercise --sensitivity", "--exercise"),
    ("gpt2 --kv-dtype fp8", "--quantity"),
    ("gpt2 --context 5", "--quantity"),
    ("gpt2 --quantity kv_cache --context 5 s=6", "s given twice"),
    ("bert-base --quantity kv_cache", "nothing of the kind"),
])
def test_bad_input_is_one_line(line: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["derive", *shlex.split(line)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert words in err


def test_python() -> None:
    view = symparam.load("llama-2-7b").derive("train_palm", s=4096, notation="palm")
    assert view.value == 46_872_944_640
    assert view.steps[-1].after.plain == view.formula
    assert view.latex(standalone=True).startswith("\\documentclass")
    assert "<math" in view.html()
    assert "train_palm of llama-2-7b" in repr(view)
    assert view.json()["quantity"] == "train_palm"
    assert "LlamaTwoSevenBTrainPalm" in view.macros()
    with pytest.raises(BadValue):
        symparam.load("gpt2").derive("kv_cache", assume=5)  # type: ignore[arg-type]


def test_names_of_users_are_escaped() -> None:
    hostile = "m_1 & $x$ <b>|{"
    model = describe_model("here.toml", {**WINDOWED, "name": hostile}, hostile)
    d = derive_quantity(with_overrides(model, {"s": 10}), "kv_cache")
    assert d.windows == (Bound(ex.Sym("s"), ex.Sym("near"), "beyond"),)
    assert [p.title for p in d.parts] == ["sliding attention", "full attention"]
    view = DerivationView(d)
    assert "<b>" not in view.html()
    assert r"m\_1 \& \$x\$" in view.latex()
    assert "<b>" not in view.markdown()
    assert d.value == 2 * 2 * 4 * (4 * 3 + 2 * 10)
