"""The Python interface: what it gives, and that what is wrong is an error with a name."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings

import symparam
from symparam import SymparamError, decoder, load
from symparam.api import models, target
from symparam.errors import BadValue, ConstraintViolated, Contradiction, MissingDims, UnknownName
from symparam.symbols import symbol
from tests.helpers import message, together
from tests.oracle import decoder as oracle
from tests.strategies import Arch, Dims, decoders, quick, switched

few = settings(quick, max_examples=40)


def test_public_names_are_found_lazily() -> None:
    assert sorted(symparam.__all__) == dir(symparam)
    for name in symparam.__all__:
        assert getattr(symparam, name) is not None
    with pytest.raises(AttributeError, match="nope"):
        _ = symparam.nope


@few
@given(decoders())
def test_a_decoder_counts_as_the_listing_does(case: tuple[Arch, Dims]) -> None:
    arch, everything = case
    model = decoder(**arch, **switched(arch, everything))
    dims = switched(arch, everything) | {
        name: value for name, value in everything.items() if name in model.dims}
    wanted = oracle.total(arch, everything)
    assert model.count(**dims) == wanted
    assert type(model.count(**dims)) is int
    assert decoder(**arch, **dims).count() == wanted
    assert sum(row.numel for row in model.breakdown(**dims)) == wanted
    assert sum(t.numel for t in model.tensors(**dims)) == wanted
    assert not decoder(**arch).values


def test_dims_given_in_a_call_change_no_model() -> None:
    model = load("gpt2")
    assert model.count(L=24) > model.count() == 124_439_808
    assert load("gpt2", n_layer=24).count() == model.count(num_hidden_layers=24)
    assert model == load("gpt2")


@together(("changes", "total"), [
    ({"bias": "attn-out,ffn"}, 124_412_160), ({"bias": ["ffn", "attn-out"]}, 124_412_160),
    ({"tied": False}, 124_439_808 + 50257 * 768), ({"vocab_size": 50304}, 124_475_904),
    ({"V": "128k"}, 124_439_808 + 77743 * 768), ({"L": np.int32(12)}, 124_439_808),
    ({"d_ff": "2*d_model"}, 124_439_808 - 12 * (2 * 768 * 1536 + 1536)),
    ({"attention": None}, 124_439_808)])
def test_options_and_dims_of_a_named_model(changes: dict[str, Any], total: int) -> None:
    assert load("gpt2", **changes).count() == total


def test_a_path_is_a_model(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('[dims]\nV = 10\nL = 2\nd_model = 8\nn_heads = 2\n'
                    '[[blocks]]\nattention = "mha"\nffn = "mlp"\nnorm = "none"\n')
    assert load(path).count() == load(str(path)).count()  # type: ignore[arg-type]


def test_key_value_heads_alone_mean_grouped_queries() -> None:
    dims = {"V": 10, "L": 2, "d_model": 64, "n_heads": 8}
    assert decoder(n_kv=2).count(**dims) == decoder(attention="gqa", n_kv=2).count(**dims)
    with pytest.raises(Contradiction):
        decoder(attention="mha", n_kv=2).count(**dims)


def test_the_formula_is_general_and_its_symbols_positive() -> None:
    formula = decoder(ffn="swiglu").formula()
    V, L, d, f, h, k, w = (symbol(n) for n in (
        "V", "L", "d_model", "d_ff", "n_heads", "n_kv", "d_head"))
    assert sp.expand(formula - (2*V*d + L*(2*d*w*(h + k) + 3*d*f + 2*d) + d)) == 0
    assert all(s.is_positive for s in formula.free_symbols)


def test_ratios_are_kept_on_request() -> None:
    twice = load("gpt2", d_model=1536, keep_ratios=True)
    assert twice.count() == load("gpt2", d_model=1536, n_heads=24, d_ff=6144).count()
    assert load("gpt2", d_model=1536).count() == twice.count()  # its d_ff follows by rule
    llama = load("llama-2-7b", d_model=8192, keep_ratios=True)
    assert llama.count() == load(
        "llama-2-7b", d_model=8192, n_heads=64, n_kv=64, d_ff=22016).count()


def test_a_derivation_shows_itself() -> None:
    found = load("llama-2-7b").derive(assume="d_ff = 8/3*d_model", leading="hidden_size")
    assert found.formula == 12 * symbol("L") * symbol("d_model")**2
    assert found.value == 6_738_415_616
    assert found.steps[-1].relation == "≈"
    assert found._repr_markdown_() == found.mkdocs()
    assert str(found) == found.text()
    assert found.latex() in found.latex(standalone=True) or r"\documentclass" in found.latex(
        standalone=True)
    assert r"\documentclass" not in found.latex()
    assert found.json()["formula"] == "12*L*d_model**2"
    for shown in (found.text(), found.markdown()):
        assert "6,738,415,616" in shown
        assert shown.endswith("\n")
    assert "6{,}738{,}415{,}616" in found.latex()


def test_every_answer_shows_itself_in_every_format() -> None:
    model = load("gpt2")
    for found, displays in ((model.derive(), 4), (model.breakdown(), 0), (model.tensors(), 0),
                            (model.solve(P="1B", L=24), 1)):
        assert str(found) == found.text()
        assert found._repr_markdown_() == found.mkdocs()
        assert found.html().startswith("<!DOCTYPE html>")
        page = found._repr_html_()
        assert page.startswith("<div ")
        assert "<body" not in page
        shown = found._repr_latex_()
        assert (shown or "").count("$$") >= 2 * displays
        assert (shown is None) == (displays == 0)
        assert isinstance(found.json(), dict)
        with pytest.raises(UnknownName, match="markdown"):
            found.render("markdwon")


def test_an_answer_is_still_what_it_was() -> None:
    model = load("gpt2")
    assert sum(row.numel for row in model.breakdown()) == model.count()
    assert model.breakdown() == list(model.breakdown())
    assert model.solve(P="1B", L=24).configurations[0].dims["L"] == 24
    assert repr(model.solve(P="1B", L=24)).startswith("<solution for P = 1000000000")


def test_a_derivation_in_another_notation() -> None:
    found = load("gpt2").derive(notation="megatron")
    assert "h²" in found.text()
    assert "d_model" not in found.text().partition("3. ")[2].partition("\n4. ")[0]
    with pytest.raises(UnknownName, match="megatron"):
        load("gpt2").derive(notation="megatorn")


@together(("value", "number"), [
    ("6.7B", 6_700_000_000), (7e9, 7 * 10**9), (7, 7), ("2**33", 2**33), ("1e9 + 1", 10**9 + 1),
    (np.int64(5), 5)])
def test_targets(value: Any, number: int) -> None:
    assert target(value) == number
    assert type(target(value)) is int


@together("value", [
    0, -1, 7.5, "7.5", True, None, "P", "L", "x", "1/0", "", float("nan"), float("inf"), "1,000",
    "9**99", "0", [7], Fraction(1, 2)])
def test_what_is_no_target_is_refused(value: Any) -> None:
    with pytest.raises(SymparamError) as caught:
        target(value)
    message(caught.value)


@together("changes", [
    {"attention": 5}, {"attention": ["mha"]}, {"ffn": ""}, {"norm": ["rmsnorm"]},
    {"positions": 1}, {"norms_per_block": 3}, {"norms_per_block": "2"}, {"norms_per_block": 2.0},
    {"bias": 5}, {"bias": "qvk"}, {"bias": [5]}, {"tied": "no"},
    {"final_norm": "no"}, {"qk_norm": "yes"}, {"L": 2.5}, {"L": "2.5"}, {"L": True},
    {"L": None}, {"L": [3]}, {"L": "L+1"}, {"L": 0}, {"L": 10**13}, {"V": float("nan")},
    {"nope": 3}, {"h": 3}, {"P": 7}, {"d_model": 8, "hidden_size": 9}, {"d_head": 3},
    {"n_heads": 7}, {"L": "__import__('os')"}])
def test_what_a_decoder_cannot_be_is_refused(changes: dict[str, Any]) -> None:
    """Silence would be worse than an error: tied="no" is true."""
    dims = {"V": 10, "L": 2, "d_model": 8, "n_heads": 2}
    kept = {k: v for k, v in dims.items() if k not in changes}
    with pytest.raises(SymparamError) as caught:
        decoder(**{**kept, **changes}).count()
    message(caught.value)


@together(("call", "error"), [
    (lambda: load("gtp2"), UnknownName), (lambda: load(""), SymparamError),
    (lambda: load(5), SymparamError),  # type: ignore[arg-type]
    (lambda: load("x" * 9999), SymparamError), (lambda: load("gpt2", task="mlm"), SymparamError),
    (lambda: load("gpt2", keep_ratios=True), BadValue), (lambda: decoder().count(), MissingDims),
    (lambda: load("gpt2").count(n_heads=7), BadValue),
    (lambda: load("llama-2-70b").count(n_kv=7), ConstraintViolated),
    (lambda: load("gpt2").count(P=3), SymparamError),
    (lambda: load("gpt2").count(foo=3), UnknownName),
    (lambda: load("gpt2").count(L=3, n_layer=4), SymparamError),
    (lambda: load("gpt2").derive(leading="foo"), UnknownName),
    (lambda: load("gpt2").derive(leading=""), SymparamError),
    (lambda: load("gpt2").derive(assume="d_ff"), SymparamError),
    (lambda: load("gpt2").derive(assume=5), SymparamError),  # type: ignore[arg-type]
    (lambda: load("gpt2").tensors(L=0), BadValue),
    (lambda: load("gpt2").breakdown(d_model=0), BadValue),
])
def test_a_wrong_call_is_an_error_of_the_package(call: Any, error: type[SymparamError]) -> None:
    with pytest.raises(error) as caught:
        call()
    message(caught.value)


@together(("call", "kind"), [
    (lambda m: load("nope"), "model"), (lambda m: m.count("nope"), "number of parameters"),
    (lambda m: m.count(nope=3), "symbol"), (lambda m: m.quantity("nope"), "quantity"),
    (lambda m: m.derive(leading="nope"), "symbol"), (lambda m: m.derive(detail="nope"), "detail"),
    (lambda m: m.derive(notation="nope"), "notation"),
    (lambda m: m.derive("kv_cache", nope=3), "symbol"),
    (lambda m: m.cost(convention="nope"), "convention"),
    (lambda m: m.cost(sections=["nope"]), "section"),
    (lambda m: m.cost(device="nope"), "device"), (lambda m: m.cost(dtype="nope"), "number format"),
    (lambda m: m.flops(8, attention="nope"), "way to count attention"),
    (lambda m: symparam.picture("nope", m), "kind of picture"),
    (lambda m: symparam.compare(m, columns=["nope"]), "symbol"),
    (lambda m: m.sensitivity("nope"), "quantity"), (lambda m: decoder(ffn="nope"), "ffn kind"),
    (lambda m: decoder(attention="nope"), "attention kind"),
    (lambda m: load("gemma-3-4b", part="nope"), "part of gemma-3-4b"),
    (lambda m: m.strategies(P="1B", weights={"nope": 1}), "preference"),
    (lambda m: m.sweep(["nope"], L=[1]), "quantity"),
    (lambda m: m.sweep(["P"], nope=[1]), "symbol"),
])
def test_a_word_that_is_not_known_is_named_as_what_it_should_be(
        call: Callable[[symparam.Model], object], kind: str) -> None:
    with pytest.raises(UnknownName) as caught:
        call(load("gpt2"))
    assert (caught.value.kind, caught.value.name) == (kind, "nope")
    assert f"unknown {kind} 'nope'" in str(caught.value)
    assert "nope" not in caught.value.known != []


def test_solve_answers_in_plain_data() -> None:
    found = load("llama-2-7b").solve(P="7B", L=32, limit=3)
    assert found.target == 7 * 10**9
    assert 1 <= len(found.configurations) <= 3
    for c in found.configurations:
        assert load("llama-2-7b").count(**c.dims) == c.total
        assert c.error == Fraction(c.total - found.target, found.target)


ANSWERS: dict[str, Callable[[symparam.Model], Any]] = {
    "model": lambda m: m, "tensors": lambda m: m.tensors(), "breakdown": lambda m: m.breakdown(),
    "derive": lambda m: m.derive(sensitivity=True), "exercise": lambda m: m.derive().exercise(),
    "solve": lambda m: m.solve(P="1B", d_model=2048),
    "cost": lambda m: m.cost(convention="all"),
    "ladder": lambda m: m.ladder(["125M"]), "diff": lambda m: m.diff(load("gpt2")),
    "sensitivity": lambda m: m.sensitivity(), "check": lambda m: m.check("P=7B"),
    "derive_quantity": lambda m: m.derive("train_palm", s=64),
    "sensitivity of FLOPs": lambda m: m.sensitivity("flops_per_token", s=64),
    "sweep": lambda m: m.sweep(["P", "flops"], L=[1, 2], s=8)}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", ANSWERS)
def test_every_answer_travels_between_processes(name: str) -> None:
    answer = ANSWERS[name](load("llama-2-7b"))
    again = pickle.loads(pickle.dumps(answer))
    assert repr(again) == repr(answer)
    if hasattr(answer, "text"):
        assert again.text() == answer.text()


@together("said", [
    {"attention": "half"}, {"attention": ["full"]}, {"dtype": "fp3"}, {"dtype": 8},
    {"dtype": []}, {"kv_dtype": None}, {"group": 64}, {"group": "x", "dtype": "int8"},
    {"train_bytes": 17}, {"train_bytes": "x"}, {"train_bytes": []}, {"bits": 4}, {"data": 20}])
def test_how_a_model_is_run_is_said_in_one_way_and_checked(said: dict[str, Any]) -> None:
    model = load("llama-2-7b")
    calls: list[Callable[..., Any]] = [
        lambda **given: model.quantity("flops", s=64, **given),
        lambda **given: model.derive("flops", s=64, **given),
        lambda **given: model.sensitivity("flops", s=64, **given),
        lambda **given: model.cost(s=64, **given),
        lambda **given: model.sweep(["flops"], s=[64], **given)]
    for call in calls:
        with pytest.raises(SymparamError) as caught:
            call(**said)
        message(caught.value)


def test_one_keyword_says_one_thing_everywhere() -> None:
    model, s = load("gemma-3-1b"), 8192
    half = model.flops(s, attention="causal")
    assert half < model.flops(s) < model.flops(s, attention="all-pairs")
    assert model.quantity("flops", s=s, attention="causal") == half
    assert model.derive("flops", s=s, attention="causal").value == half
    assert model.cost(s=s, attention="causal").value("flops") == half
    assert model.sweep(["flops"], s=[s], attention="causal").arrays()["flops"].tolist() == [half]
    assert model.quantity("kv_cache", s=s, kv_dtype="int8") == model.kv_cache(s, kv_dtype="int8")


@pytest.mark.parametrize(("old", "new"), [
    (lambda m: m.derive_quantity("kv_cache", s=64).value,
     lambda m: m.derive("kv_cache", s=64).value),
    (lambda m: m.quantity_sensitivity("kv_cache", s=64).json(),
     lambda m: m.sensitivity("kv_cache", s=64).json()),
    (lambda m: m.quantity("kv_cache", s=64, setting={"kv_dtype": "int8"}),
     lambda m: m.quantity("kv_cache", s=64, kv_dtype="int8")),
    (lambda m: m.cost(s=64, setting={"dtype": "fp32"}).json(),
     lambda m: m.cost(s=64, dtype="fp32").json()),
    (lambda m: m.kv_cache(64, dtype="fp32"), lambda m: m.kv_cache(64, kv_dtype="fp32"))])
def test_names_of_before_answer_for_one_release_and_warn(
        old: Callable[[Any], Any], new: Callable[[Any], Any]) -> None:
    model = load("gpt2")
    with pytest.warns(DeprecationWarning, match="takes its place"):
        found = old(model)
    assert found == new(model)


def test_a_configuration_as_an_object_is_taken_as_its_mapping() -> None:
    class Given:
        model_type = "no-such-type"

        def to_dict(self) -> dict[str, str]:
            return {"model_type": self.model_type}

    def said(build: Any) -> str:
        with pytest.raises(SymparamError) as caught:
            symparam.trace(build)
        return str(caught.value)
    assert said(Given()) == said(Given().to_dict())


def test_what_is_set_beside_a_configuration_is_set_in_its_target(
        monkeypatch: pytest.MonkeyPatch) -> None:
    """A mapping, and its name: its model type, or what it is."""
    monkeypatch.setattr("symparam.tracing.sources.configurations.from_config",
                        lambda *given: given)
    for data, name in (({"model_type": "made"}, "made"), ({}, "a configuration")):
        assert models._target(data, {"L": 3}) == (data, {"L": 3}, name)


def test_what_can_be_called_takes_what_it_took(golden: Callable[[str, str], None]) -> None:
    """Every public name, with its arguments and their defaults: what other programs rely on."""
    lines = list[str]()
    for name in sorted(symparam.__all__):
        found = getattr(symparam, name)
        if not callable(found):
            continue
        for inner in sorted(vars(found)) if inspect.isclass(found) else []:
            lines += [] if inner.startswith("_") else [f"{name}.{inner}{_taken(found, inner)}"]
        lines.append(name + ("" if inspect.isclass(found) else str(inspect.signature(found))))
    model = {inner: _taken(models.Model, inner) for inner in dir(models.Model)
             if not inner.startswith("_")}
    lines += [f"Model.{inner}{taken}" for inner, taken in sorted(model.items())]
    golden("interface.txt", "".join(f"{line}\n" for line in dict.fromkeys(lines)))


def _taken(holder: type, name: str) -> str:
    found = inspect.getattr_static(holder, name)
    found = found.__func__ if isinstance(found, (staticmethod, classmethod)) else found
    return str(inspect.signature(found)) if inspect.isfunction(found) else ""
