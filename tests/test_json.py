"""JSON against its schemas, against arithmetic, and against the formulas that it holds."""

from __future__ import annotations

import copy
import json
import math
import re
import shlex
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from symparam.checkpoints.expected import expected
from symparam.cli.main import run
from symparam.derivation.plan import derive
from symparam.descriptions.catalogue import names
from symparam.descriptions.load import load
from symparam.documents.checkpoint import check_json, check_model
from symparam.documents.count_data import count_json, count_model
from symparam.documents.derivations.data import derivation_json
from symparam.errors import NotDerivable
from symparam.expression import evaluate
from symparam.grammar import parse_equation, parse_expression, parse_rule
from tests.helpers import alternating, depth, published, together
from tests.strategies import SEED, Arch, Dims, decoders, engine, quick

SCHEMAS = Path(__file__).parent.parent / "docs" / "schema"
COMMANDS = ("count", "derive", "solve", "align", "models", "components", "diff", "sensitivity",
            "docs", "check", "cost", "review", "sweep", "plot", "trace", "exercise", "convert",
            "compare", "bundle", "explore")
#: What a schema is of, where it is not called after its command.
CALLED = {"review": "check --claim", "exercise": "derive --exercise"}
few = settings(quick, max_examples=30)


@cache
def schema(name: str) -> Draft202012Validator:
    """A command's documented schema."""
    data = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(data)
    return Draft202012Validator(data)


def valid(name: str, data: Any) -> None:
    """The data as JSON meets its schema, and every number of parameters is an integer."""
    found = json.loads(json.dumps(data))
    assert [f"{e.json_path}: {e.message}" for e in schema(name).iter_errors(found)] == []


def shown(capsys: pytest.CaptureFixture[str], line: str) -> Any:
    """What a command line prints as JSON."""
    assert run([*shlex.split(line), "--json"]) in {0, 1}
    return json.loads(capsys.readouterr().out)


# --- the schemas themselves -----------------------------------------------------------------

def objects(node: Any) -> Iterator[Mapping[str, Any]]:
    """Every schema of an object inside a schema."""
    if isinstance(node, dict):
        if node.get("type") == "object":
            yield node
        for below in node.values():
            yield from objects(below)
    elif isinstance(node, list):
        for below in node:
            yield from objects(below)


def properties(node: Any) -> Iterator[Mapping[str, Any]]:
    """Every property of an object inside a schema."""
    for each in objects(node):
        yield from each.get("properties", {}).values()


def test_every_schema_is_of_a_command_that_is_looked_at() -> None:
    found = {path.name.removesuffix(".schema.json") for path in SCHEMAS.iterdir()}
    assert found == set(COMMANDS)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_schema_is_strict_and_described(name: str) -> None:
    data = schema(name).schema
    assert data["$schema"].endswith("2020-12/schema")
    assert data["title"] == f"symparam {CALLED.get(name, name)} --json"
    assert type(data["version"]) is int
    assert data["version"] >= 1
    assert list(objects(data))
    for each in objects(data):
        assert each["additionalProperties"] is False or "propertyNames" in each or (
            "description" in each)
        assert set(each.get("required", ())) <= set(each.get("properties", ()))
    assert [p for p in properties(data) if "description" not in p] == []


def spoiled(data: Any) -> Iterator[tuple[str, Any]]:
    """Data with one thing wrong: a key too many or too few, a value of another type."""
    for path in places(data, ()):
        node = at(data, path)
        if isinstance(node, dict):
            yield f"{path} and a key", changed(data, path, {**node, "no such key!": None})
            for key in node:
                yield f"{path} without {key}", changed(
                    data, path, {k: v for k, v in node.items() if k != key})
        elif isinstance(node, int) and not isinstance(node, bool):
            yield f"{path} as text", changed(data, path, str(node))
            yield f"{path} and a half", changed(data, path, node + 0.5)
        elif isinstance(node, str):
            yield f"{path} as a number", changed(data, path, 12.5)
        elif isinstance(node, list):
            yield f"{path} as an object", changed(data, path, {})


def places(node: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Paths of everything in some data, of a list's items the first."""
    yield path
    below = node.items() if isinstance(node, dict) else (
        enumerate(node[:1]) if isinstance(node, list) else ())
    for key, value in below:
        yield from places(value, (*path, key))


def trimmed(node: Any) -> Any:
    """The same with the first two of each list: what is spoiled stands in the first."""
    if isinstance(node, dict):
        return {key: trimmed(value) for key, value in node.items()}
    return [trimmed(value) for value in node[:2]] if isinstance(node, list) else node


def at(data: Any, path: tuple[Any, ...]) -> Any:
    """What stands at a path."""
    for key in path:
        data = data[key]
    return data


def changed(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The data with another value at a path; what is not on the way there is the same object."""
    if not path:
        return value
    key, *rest = path
    copied = copy.copy(data)
    copied[key] = changed(data[key], tuple(rest), value)
    return copied


#: Keys that an object may lack, and objects whose keys are names of the user's.
OPTIONAL = re.compile(
    r"\(\) without tensors|'(dims|marked|assumed|defaulted|symbols|fixed|closed_form|put_in|"
    r"real|options|roots|quantities)'[^)]*\) without|\('fixed', '\w+'\) as text")


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("name", "line"), [
    ("count", "count gpt2 --tensors"), ("derive", "derive gpt2 --leading"), ("models", "models"),
    ("components", "components"), ("solve", "solve P=1e9 L=16"), ("align", "align gpt2"),
    ("diff", "diff gpt2 llama-2-7b"), ("sensitivity", "sensitivity gpt2 --wrt d_model")])
def test_a_schema_refuses_what_is_wrong(
        name: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    data = shown(capsys, line)
    valid(name, data)
    small = trimmed(data)
    valid(name, small)
    each_third = list(spoiled(small))[SEED % 3::3]
    passed = [what for what, wrong in each_third if schema(name).is_valid(wrong)]
    assert [what for what in passed if not OPTIONAL.search(what)] == []


# --- check ----------------------------------------------------------------------------------

def gpt2_as(turned: bool = False, **changed: Any) -> dict[str, tuple[int, ...]]:
    """GPT-2's tensors, its Conv1D weights turned, and with others in place of some."""
    found = dict(expected(load("gpt2"))[0].tensors)
    if turned:
        found |= {name: shape[::-1] for name, shape in found.items() if ".c_" in name}
    found |= {name.replace("__", "."): shape for name, shape in changed.items()}
    return {name: shape for name, shape in found.items() if shape}


@pytest.mark.parametrize("found", [
    gpt2_as(turned=True), gpt2_as(transformer__wpe__weight=()),
    gpt2_as(lm_head__weight=(50257, 768), h__3__attn__bias=(1, 1, 1024, 1024)),
    gpt2_as(transformer__h__5__mlp__c_fc__weight=(3072, 768), transformer__wpe__weight=())])
def test_a_check_meets_its_schema_and_nothing_else_does(found: dict[str, tuple[int, ...]]) -> None:
    data = json.loads(json.dumps(check_json(check_model(load("gpt2"), "a file", found))))
    valid("check", data)
    assert [what for what, wrong in spoiled(data) if schema("check").is_valid(wrong)] == []
    for row in (row for kind in ("missing", "extra", "reshaped", "transposed", "beside")
                for row in data[kind]):
        assert sum(math.prod(map(len, box)) for box in row["indices"]) == row["copies"]
        assert all(len(box) == row["spelled"].count("*") for box in row["indices"])
    assert data["matched"]["tensors"] == 148 - sum(
        row["copies"] for kind in ("missing", "reshaped") for row in data[kind])


@pytest.mark.thinned(3)
@pytest.mark.parametrize("line", [
    "check gpt2 --claim P=124412160 --claim 'd_ff/d_model=4' --claim 'kv_per_token<=1MB'",
    "check nanochat-d20 --norm layernorm --claim P=560988160",
    "check gpt2 --claim 100*P_embedding/P=31.7 --claim P=1"])
def test_verdicts_meet_their_schema_and_nothing_else_does(
        line: str, capsys: pytest.CaptureFixture[str]) -> None:
    data = shown(capsys, line)
    valid("review", data)
    passed = [what for what, wrong in spoiled(data) if schema("review").is_valid(wrong)]
    assert [what for what in passed if not re.search(
        r"'(dims)'|'(value|resolution|difference|computed|relative)'", what)] == []


# --- count ----------------------------------------------------------------------------------

def check_count(data: Any) -> None:
    """A count's numbers against each other."""
    valid("count", data)
    assert sum(row["numel"] for row in data["components"]) == data["total"]
    for row in data["components"]:
        assert row["copies"] * row["per_copy"] == row["numel"]
        assert row["share"] == pytest.approx(row["numel"] / max(data["total"], 1))
    assert len({row["path"] for row in data["components"]}) == len(data["components"])
    sizes = [math.prod(t["shape"]) * t["copies"] for t in data.get("tensors", ())]
    assert sizes == [t["numel"] for t in data.get("tensors", ())]
    assert sum(sizes) in {data["total"], data["with_buffers"]} or "tensors" not in data
    without = data["non_embedding"]
    assert data["total"] >= without["without_input"] >= without["without_embeddings"] >= (
        without["without_positions"]) >= 0
    for dim, text in data["assumed"].items():
        rule = parse_rule(text, data["dims"])
        value = evaluate(rule.expr, data["dims"])
        assert data["dims"][dim] == (rule.rounding.apply(value) if rule.rounding else value)


@pytest.mark.parametrize("name", published())
def test_counts_of_published_models(name: str) -> None:
    result = count_model(load(name))
    check_count(count_json(result, True))
    check_count(count_json(result, False))


@few
@given(decoders())
def test_counts_of_random_models(case: tuple[Arch, Dims]) -> None:
    check_count(count_json(count_model(engine(*case)), True))


@together("line", [
    "count llama-2-7b 'd_ff=8/3*d_model, up 256'",
    "count --ffn swiglu V=10 L=1 d_model=8 n_heads=2 d_ff=11", "count gpt2 --untied --tensors",
    "count llama-2-70b --attention mqa --bias all --qk-norm --norms-per-block 4 --tensors",
    "count bert-base --tensors", "count gpt2 d_model=1536 --keep-ratios"])
def test_counts_of_requests(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    data = shown(capsys, line)
    check_count(data)
    assert all(type(value) is int for value in (data["total"], *data["dims"].values()))


def test_large_counts_are_exact(capsys: pytest.CaptureFixture[str]) -> None:
    d, V = 10**12, 10**12 - 1
    data = shown(capsys, f"count V={V} L=1 d_model={d} n_heads=4 d_ff=3 --norm none")
    assert data["total"] == 2 * V * d + 4 * d * d + 2 * 3 * d


def test_a_mixture_has_active_counts() -> None:
    from tests.test_hard_models import deepseek

    data = count_json(count_model(deepseek()), True)
    check_count(data)
    assert data["active"]["all"] == 37_552_282_624
    assert data["with_buffers"] == 671_026_419_200


# --- derive ---------------------------------------------------------------------------------

def of_python(text: str, at: Mapping[str, Fraction]) -> Fraction:
    """The value of an expression as Python reads it, numbers exact: a second reader."""
    roundings = {"up": math.ceil, "down": math.floor,
                 "nearest": lambda x: math.floor(x + Fraction(1, 2))}
    return Fraction(eval(re.sub(r"(?<!\w)(\d+)(?!\w)", r"F(\1)", text),
                         {"F": Fraction, **roundings, **at}))


def check_derivation(data: Any) -> None:
    """A derivation's strings, read back and put to numbers."""
    valid("derive", data)
    steps = [*data["steps"], *(x for s in data["steps"] for x in s["substeps"])]
    assert data["detail"] == "full" or steps == data["steps"]
    known = [*data["symbols"], *(s["subject"] for s in steps), "P_active"]
    point = {name: Fraction(3 * i + 2, i + 1) for i, name in enumerate(known)}
    texts = [data["formula"], *(x["term"] for x in data["dropped"]),
             *(c["formula"] for c in data["conventions"]),
             *(s[side] for s in steps for side in ("before", "after"))]
    for text in texts:
        tree = parse_expression(text, known)
        assert Fraction(evaluate(tree, point)) == of_python(text, point)
    for step in steps:
        table = dict(point)
        for equation in step["constraints"]:
            left, right = parse_equation(equation, known)
            table[str(left)] = Fraction(evaluate(right, table))
        if step["rule"] in {"join", "assume", "collect", "gather", "add-up"}:
            assert of_python(step["before"], table) == of_python(step["after"], table)
        assert (step["relation"] == "≈") == (step["rule"] == "leading")
        assert step["holds_here"] is None or step["constraints"]
    assert data["steps"][-1]["after"] == data["formula"]
    assert (data["value"] is None) == bool(data["missing"])
    if data["value"] is not None:
        check_value(data)


def check_value(data: Any) -> None:
    """The value: of the last line that holds here, and of the last line with what it dropped."""
    dims = {name: Fraction(number) for name, number in data["dims"].items()}
    nearly = any(step["holds_here"] == "nearly" for step in data["steps"])
    left = sum((Fraction(x["numel"]) for x in data["dropped"]), Fraction(0))
    if data["dropped"] or not nearly:
        assert of_python(data["formula"], dims) + left == data["value"]
    for x in data["dropped"]:
        assert of_python(x["term"], dims) == Fraction(x["numel"])
        assert x["share"] == pytest.approx(float(Fraction(x["numel"]) / data["value"]))


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("name", "led"), alternating(published()))
def test_derivations_of_published_models(name: str, led: bool) -> None:
    model = load(name)
    check_derivation(derivation_json(derive(model, (), depth(model) if led else None, "full")))


@pytest.mark.thinned(3)
@few
@given(decoders(), st.sampled_from((None, "V", "d_model")), st.booleans(), st.sampled_from(
    ((), ("none",), ("d_ff = 8/3*d_model",), ("n_kv = n_heads/2", "3*d_head = d_model"),
     ("d_ff = 8/3*d_model, up to 256",))), st.sampled_from(("brief", "full")))
def test_derivations_of_random_models(case: tuple[Arch, Dims], leading: str | None,
                                      with_numbers: bool, texts: tuple[str, ...],
                                      detail: str) -> None:
    arch, dims = case
    if arch.get("attention") == "mla":  # which has neither n_kv nor d_head
        texts = ()
    if arch.get("ffn") == "moe":
        texts = tuple(text for text in texts if not text.startswith("d_ff"))
    try:
        d = derive(engine(arch, dims if with_numbers else {}), texts, leading, detail)
    except NotDerivable:
        assume(False)
    check_derivation(derivation_json(d))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("line", [
    "derive gpt2 --leading", "derive --ffn swiglu --leading L", "derive --assume none",
    "derive llama-2-7b --assume d_ff=8/3*d_model --leading", "derive gpt2 --notation hf",
    "derive llama-2-7b --assume d_ff=8/3*d_model", "derive llama-2-70b --attention mha d_ff=5",
    "derive --ffn swiglu V=100 L=2 d_model=3072 n_heads=4 'd_ff=8/3*d_model, up 256'",
    "derive --ffn swiglu V=100 L=2 d_model=3000 n_heads=4 'd_ff=8/3*d_model, up 256'",
    "derive gpt2 --positions relative", "derive V=100 L=3"])
def test_derivations_of_requests(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    check_derivation(shown(capsys, line))


def test_derivations_of_mixtures_and_shared_layers() -> None:
    from tests.test_hard_models import albert, deepseek

    for model in (albert(), deepseek()):
        check_derivation(derivation_json(derive(model, (), "V")))


def test_a_fraction_left_out_is_text() -> None:
    model = load("llama-2-7b", None)
    data = derivation_json(derive(model, ["d_ff = 43*d_model/16 + d_model/4097"], "d_model"))
    check_derivation(data)
    assert any(isinstance(x["numel"], str) for x in data["dropped"])


# --- models, components, solve, align -------------------------------------------------------

@pytest.mark.thinned(3)
def test_models(capsys: pytest.CaptureFixture[str]) -> None:
    data = shown(capsys, "models")
    valid("models", data)
    assert [row["name"] for row in data] == names()
    totals = json.loads((Path(__file__).parent / "data" / "catalogue_totals.json").read_text())
    known = totals.get("totals", totals)
    assert {row["name"]: row["total"] for row in data if row["name"] in known} == {
        name: total for name, total in known.items() if name in names()}


def test_components(capsys: pytest.CaptureFixture[str]) -> None:
    data = shown(capsys, "components")
    valid("components", data)
    pairs = [(row["slot"], row["name"]) for row in data]
    assert len(set(pairs)) == len(pairs) >= 15
    assert all(row["source"] for row in data)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("line", [
    "solve P=7e9 L=32", "solve P=1e9", "solve P=7e9 L=32 --ffn swiglu --attention gqa n_kv=8 "
    "V=128256 d_head=128", "solve llama-2-7b P=13e9", "solve gpt2 P=1e9 L=?",
    "solve P=1e6 L=32 V=1000000", "solve P=30B --ffn moe --attention gqa L=24 --target active=3B",
    "solve mixtral-8x7b P=30B --target active=29B", "solve P=7e9 L=200 d_model=1024",
    "solve P=7e9 --ffn swiglu --heuristic guide --max 2", "solve deepseek-v3 P=700B d_expert=?",
    "solve --ladder 125M,350M --heuristic guide", "solve P=1e9 --strategy all --max 1",
    "solve llama-2-7b s=? --target memory<=80GB",
    "solve gemma-3-4b b=? s=8192 --target kv_cache<=8GB",
    "solve llama-2-7b d_model=? --target optimal_compute=1e22"])
def test_solutions(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    data = shown(capsys, line)
    valid("solve", data)
    if "suite" in data:
        assert all(row["complete"] for row in data["rows"])
        return
    assert data["complete"]
    wanted = data["targets"][0]["quantity"]
    for found in data["configurations"]:
        value = Fraction(found["quantities"][wanted])
        error = (value - data["target"]) / data["target"]
        assert found["relative_error"] == pytest.approx(float(error))
    for name, text in data["closed_form"].items():
        tree = parse_expression(text, [wanted, *data["fixed"]])
        numbers = {k: v for k, v in data["fixed"].items() if isinstance(v, int)}
        if name in data["real"]:
            root = evaluate(tree, {**{k: float(v) for k, v in numbers.items()},
                                   wanted: float(data["target"])})
            assert root == pytest.approx(data["real"][name], rel=1e-6)


def numbers_in(node: Any) -> Iterator[Mapping[str, Any]]:
    """Everything in some data that has a formula and an exact number."""
    if isinstance(node, dict):
        if {"formula", "exact"} <= set(node):
            yield node
        for below in node.values():
            yield from numbers_in(below)
    elif isinstance(node, list):
        for below in node:
            yield from numbers_in(below)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("line", [
    "sensitivity llama-2-7b", "sensitivity mixtral-8x7b --wrt all", "sensitivity --ffn swiglu",
    "sensitivity albert-base", "sensitivity gpt2 --step d_model=1 --share 1% --assume none"])
def test_sensitivities(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    data = shown(capsys, line)
    valid("sensitivity", data)
    known = [*data["dims"], *data["missing"], *(d["wrt"] for d in data["doubling"])]
    here = {name: Fraction(number) for name, number in data["dims"].items()}
    for number in numbers_in(data):
        if number["formula"] is not None:
            tree = parse_expression(number["formula"], known)
            if number["exact"] is not None:
                assert of_python(str(tree), here) == Fraction(number["exact"])
                assert number["value"] == pytest.approx(float(Fraction(number["exact"])))
    assert data["missing"] or data["measures"][0]["value"] == of_python(
        data["measures"][0]["formula"], here)


@together("line", ["align gpt2", "align d_model=1024", "align llama-2-70b",
                                  "align d_model=1600 n_heads=25", "align d_model=1021"])
def test_alignments(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    data = shown(capsys, line)
    valid("align", data)
    for split in data["head_configurations"]:
        assert split["n_heads"] * split["d_head"] == data["dims"]["d_model"]


def test_keys_that_others_rely_on(capsys: pytest.CaptureFixture[str]) -> None:
    count, derived = shown(capsys, "count gpt2 --tensors"), shown(capsys, "derive gpt2")
    assert {"model", "part", "total", "trainable", "with_buffers", "non_embedding", "active",
            "components", "dims", "assumed", "tensors"} <= set(count)
    assert {"quantity", "formula", "latex", "steps", "dropped", "value"} <= set(derived)
    assert {"rule", "relation", "before", "after", "why", "status", "holds_here",
            "constraints"} <= set(derived["steps"][0])
    assert {"name": "transformer.h.*.attn.c_attn.weight", "shape": [768, 2304], "copies": 12,
            "numel": 21_233_664} in count["tensors"]


@pytest.mark.thinned(4)
@pytest.mark.parametrize("line", [
    "count qwen3-next-80b-a3b L=3", "derive qwen3-next-80b-a3b L=3",
    "derive jamba-v0.1 L=3 --quantity kv_cache", "sensitivity jamba-v0.1 L=3",
    "cost qwen3-next-80b-a3b L=3", "diff qwen3-next-80b-a3b L=3", "sweep jamba-v0.1 L=2:9",
    "plot depth qwen3-next-80b-a3b L=1:9 d_model=2048", "exercise jamba-v0.1 L=3",
    "solve qwen3-next-80b-a3b d_model=2048 P=5567926848 L=?"])
def test_a_depth_without_layers_of_a_kind_is_data_as_any_other(
        line: str, capsys: pytest.CaptureFixture[str]) -> None:
    name, _, rest = line.partition(" ")
    words = f"derive {rest} --exercise" if name == "exercise" else line
    valid(name, shown(capsys, words))
