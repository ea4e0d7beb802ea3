"""What is made of a trace: a model like any other, and what it rests on in every answer."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import assume, given
from hypothesis import strategies as st

import symparam as sp
from symparam import api
from symparam import expression as ex
from symparam.checkpoints.expected import expected
from symparam.cli.main import cli, run
from symparam.constraints import (
    SIGNS,
    AtMost,
    Check,
    Compares,
    Differs,
    Divides,
    Equation,
    Standing,
    Sums,
)
from symparam.descriptions.architecture.traced_file import read_trace
from symparam.descriptions.load import build
from symparam.descriptions.options import Options
from symparam.descriptions.reading.source import parse_json, parse_toml
from symparam.documents.common.view import View
from symparam.errors import (
    BadValue,
    ConstraintViolated,
    Contradiction,
    NotDerivable,
    SpecError,
    SymparamError,
)
from symparam.grammar import parse_expression
from symparam.resolve import with_overrides
from symparam.traced.foundation import sealed, sentences
from symparam.traced.model import model_of
from symparam.traced.records import Assumption, Evidence, Key, Trace, TracedRow
from symparam.traced.tables import tables_of
from symparam.traced.written import json_of, toml_of
from symparam.tracing import trace
from tests.helpers import together
from tests.strategies import quick
from tests.test_json import valid

NAMES = ("V", "L", "d_model", "n_heads", "d_head", "n_experts", "k_dense", "d_expert",
         "multiple_of", "L_a", "ratio")


def e(text: str) -> ex.Expr:
    """An expression."""
    return parse_expression(text, NAMES)


def row(pattern: str, shape: str, copies: str = "", module: str = "Linear", *,
        tied_to: str | None = None) -> TracedRow:
    """A row from texts with commas."""
    return TracedRow(pattern, tuple(map(e, shape.split(","))),
               tuple(e(c) for c in copies.split(",") if c), module=module, tied_to=tied_to)


WIDTH = "multiple_of*up(8/3*d_model/multiple_of)"
KEYS = (
    Key("V", ("vocab_size",), 1000, "size"), Key("L", ("n_layer",), 6, "structure"),
    Key("d_model", ("n_embd",), 64, "size", "width of everything"),
    Key("n_heads", ("n_head",), 4, "size"), Key("d_head", ("head_dim",), 16, "size"),
    Key("n_experts", ("moe", "num_experts"), 8, "structure"),
    Key("k_dense", ("first_k_dense",), 2, "structure"), Key("d_expert", ("moe", "dim"), 32, "size"),
    Key("multiple_of", ("multiple_of",), 32, "size"), Key("frogs", ("frogs",), 3, "inert"),
    Key("n_groups", ("n_groups",), 2, "refused"), Key("use_bias", ("use_bias",), False, "switch"))
ROWS = (
    replace(row("model.embed_tokens.weight", "V,d_model", module="Embedding"), role="token"),
    *(row(f"model.layers.*.self_attn.{n}_proj.weight", "n_heads*d_head,d_model", "L")
      for n in "qkv"),
    row("model.layers.*.self_attn.o_proj.weight", "d_model,n_heads*d_head", "L"),
    row("model.layers.*.input_layernorm.weight", "d_model", "L", "RMSNorm"),
    *(row(f"model.layers.*.mlp.{n}_proj.weight", f"{WIDTH},d_model", "k_dense")
      for n in ("gate", "up")),
    row("model.layers.*.mlp.down_proj.weight", f"d_model,{WIDTH}", "k_dense"),
    row("model.layers.*.mlp.gate.weight", "n_experts,d_model", "L-k_dense"),
    row("model.layers.*.mlp.experts.*.up_proj.weight", "d_expert,d_model", "L-k_dense,n_experts"),
    row("model.layers.*.mlp.experts.*.down_proj.weight", "d_model,d_expert",
        "L-k_dense,n_experts"),
    row("model.norm.weight", "d_model", module="RMSNorm"),
    replace(row("model.rotary.inv_freq", "d_head", module="Rotary"), status="buffer"),
    row("lm_head.weight", "V,d_model", tied_to="model.embed_tokens.weight"))
PINNED = Assumption("pinned", ("n_groups",), "n_groups could not be moved from 2")
OURS = sealed(Trace(
    "ours", "ours.py:Model", KEYS,
    (Equation("d_head", e("d_model/n_heads"), "where it is not given"),),
    (Divides("n_heads", "d_model", "asserted by the module"),), ROWS, (PINNED,),
    Evidence(6, 20, 74, 0, {"torch": "2.13.0", "python": "3.11.7"})))


def modelled(trace: Trace = OURS) -> api.Model:
    """The model of a trace."""
    return api.Model.wrap(model_of(trace))


def numel(trace: Trace, **dims: int) -> int:
    """The sum over the rows, each multiplied out alone: an oracle that knows no component."""
    values: dict[str, int] = {k.name: k.base for k in trace.keys  # type: ignore[misc]
                              if isinstance(k.base, int)}
    values |= dims
    if "d_head" not in dims:
        values["d_head"] = values["d_model"] // values["n_heads"]
    total = 0
    for each in trace.rows:
        if each.tied_to is None and each.status != "buffer":
            factors = [ex.evaluate(x, values) for x in (*each.shape, *each.copies)]
            total += math.prod(factors)
    return total


# ---------------------------------------------------------------- the model

def test_the_count_is_that_of_the_rows() -> None:
    assert modelled().count() == numel(OURS) == 369_600


@given(st.fixed_dictionaries({"d_model": st.integers(1, 40).map(lambda n: 8 * n),
                              "n_heads": st.sampled_from([1, 2, 4, 8]),
                              "L": st.integers(3, 9), "n_experts": st.integers(1, 9),
                              "multiple_of": st.integers(1, 64)}))
@quick
def test_the_count_follows_the_rows_at_any_numbers(dims: dict[str, int]) -> None:
    model = modelled()
    assert model.count(**dims) == numel(OURS, **dims)
    assert sum(t.numel for t in model.tensors(**dims)) == numel(OURS, **dims)


def test_tensors_have_the_names_of_the_state_dict_with_ties_once_and_no_buffers() -> None:
    named = {t.name: (t.shape, t.copies) for t in modelled().tensors()}
    assert set(named) == {r.pattern for r in ROWS if r.tied_to is None and r.status != "buffer"}
    assert named["model.layers.*.mlp.experts.*.up_proj.weight"] == ((32, 64), 32)


def test_the_formula_holds_what_the_module_works_out_as_a_dim_with_a_rule() -> None:
    model = modelled()
    rules = {eq.dim: (str(eq.expr), eq.standing) for eq in model.all_equations()}
    assert rules["d_ff"] == (str(e(WIDTH)), Standing.DEFINITION)
    assert rules["L_sparse"] == ("L - k_dense", Standing.DEFINITION)
    assert rules["d_head"] == ("d_model/n_heads", Standing.DEFAULT)
    symbols = {s.name: model.describe(s.name) for s in model.formula().free_symbols}
    assert {"d_ff", "L_sparse", "n_heads"} <= set(symbols)
    assert symbols["d_model"].meaning == "width of everything"


def test_a_model_of_a_trace_has_parts_with_names() -> None:
    assert [(r.path, r.copies) for r in modelled().breakdown()] == [
        ("embedding.token", 1), ("layers.attention", 6), ("layers.norms", 6),
        ("layers[dense].ffn", 2), ("layers[sparse].ffn", 4), ("final_norm.norm", 1),
        ("head.head", 1)]
    matrices = {m.path: m for m in modelled().ledger(dict.fromkeys(modelled().dims, 2))}
    assert {"layers.attention.W_Q", "layers[sparse].ffn.W_router", "layers[sparse].ffn.X_up",
            "layers[dense].ffn.W_gate", "head.head.W_U"} <= set(matrices)
    assert matrices["head.head.W_U"].tied_to == "embedding.token.W_E"


def test_known_names_with_other_meanings_do_not_matter() -> None:
    window = replace(KEYS[2], name="window", path=("window",), meaning="our width")
    rows = (TracedRow("w", (ex.Sym("window"), ex.Num(3))),)
    model = modelled(Trace("odd", "odd.py:F", (window,), (), (), rows, (), OURS.evidence))
    assert model.count(window=7) == 21
    assert model.describe("window").meaning == "our width"
    assert sp.load("gpt2").describe("window").meaning != "our width"


def test_names_of_the_target_are_read_nested_ones_too() -> None:
    model = modelled()
    assert model.count(n_embd=128) == model.count(d_model=128) == model.count(hidden_size=128)
    assert model.count(**{"moe.num_experts": 4}) == model.count(n_experts=4)


@together(("dims", "error", "words"), [
    ({"n_groups": 4}, ConstraintViolated, "could move it to no other number"),
    ({"n_head": 3, "head_dim": 8}, ConstraintViolated, "asserted by the module"),
    ({"L_sparse": 2}, Contradiction, "worked out by the module"),
    ({"d_fff": 2}, SymparamError, "unknown symbol"), ({"n_kv": 2}, BadValue, "has no n_kv")])
def test_what_breaks_an_assumption_is_refused_by_name(dims: dict[str, int], words: str,
                                                      error: type[Exception]) -> None:
    with pytest.raises(error, match=words):
        modelled().count(**dims)


def test_dims_that_were_tied_everywhere_may_not_be_moved_apart() -> None:
    tied = Assumption("tied", ("d_expert", "d_model"), "d_expert = d_model/2 at every point")
    model = modelled(replace(OURS, assumptions=(tied,)))
    assert model.count(d_model=128, d_expert=64)
    with pytest.raises(ConstraintViolated, match="could not tell them apart"):
        model.count(d_model=128)


def test_a_key_that_nothing_follows_may_have_any_value() -> None:
    assert modelled().count(frogs=5) == modelled().count()


def test_a_share_that_is_no_whole_number_is_put_in_where_it_stands() -> None:
    keys = (KEYS[2], Key("ratio", ("mlp_ratio",), 2.5, "held"))
    rows = (row("mlp.weight", "down(ratio*d_model),d_model"),)
    trace = Trace("mlp", "mlp.py:F", keys, (), (), rows, (), OURS.evidence)
    assert modelled(trace).count() == 160 * 64
    assert modelled(trace).count(d_model=65) == 162 * 65


def test_all_experts_in_one_tensor_are_stored_as_the_row_says() -> None:
    rows = (row("h.*.experts.gate_up_proj", "n_experts,2*d_expert,d_model", "L"),)
    model = modelled(replace(OURS, rows=rows))
    assert [(t.name, t.shape, t.copies) for t in model.tensors()] == [
        ("h.*.experts.gate_up_proj", (8, 64, 64), 6)]


def test_every_verb_works_and_work_is_refused_in_one_line() -> None:
    model = modelled()
    assert model.derive().value == model.count() == model.evaluate()
    assert model.derive(assume="none").steps
    assert model.solve(P="1M", unknown=["V"]).configurations
    assert model.sensitivity(wrt="d_model").total.rows
    assert model.diff("gpt2").json()["numel"] == 124_439_808 - 369_600
    assert model.sweep("P", L=[4, 6]).arrays()["P"].tolist() == [numel(OURS, L=4), numel(OURS)]
    assert model.quantity("weights") == 2 * model.count()
    assert sp.picture("parts", model).rows
    for name in ("active", "flops", "kv_cache", "train_causal", "train_kaplan", "activations_none"):
        with pytest.raises(BadValue, match="unset"):
            model.quantity(name)
    assert set(model.cost().json()) & {"flops", "cache", "training"} == set()
    with pytest.raises(BadValue, match="unset"):
        model.cost(sections=["flops"])


# ---------------------------------------------------------------- what it rests on

ANSWERS: dict[str, Callable[[api.Model], View]] = {
    "count": lambda m: m.breakdown(), "derive": lambda m: m.derive(),
    "solve": lambda m: m.solve(P="1M", unknown=["V"]),
    "sensitivity": lambda m: m.sensitivity(wrt="V"), "diff": lambda m: m.diff("gpt2"),
    "cost": lambda m: m.cost()}


#: How LaTeX and HTML write the dim of which something is assumed.
LETTER = (r"\$n_\{\\text\{groups\}\}\$"
          r"|<math><msub><mi>n</mi><mi>groups</mi></msub></math>")


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", ANSWERS)
def test_every_answer_says_what_it_rests_on(name: str) -> None:
    answer = ANSWERS[name](modelled())
    data = answer.json()
    valid(name, data | ({"heuristic": None} if name == "solve" else {}))
    (found,) = data["rests_on"].values()
    assert found["assumptions"] == [
        {"kind": "pinned", "keys": ["n_groups"], "text": PINNED.text}]
    assert found["evidence"]["held_out"] == 20
    for text in (answer.text(), answer.markdown(), answer.latex(), answer.html()):
        plain = " ".join(re.sub(LETTER, "n_groups", text.replace("\\_", "_")).split())
        assert "not proved; steps are proved from the rows found" in plain, name
        assert PINNED.text in plain
        assert "74 modules built" in plain


def test_a_step_of_a_traced_model_says_where_its_rows_are_from() -> None:
    steps = modelled().derive().json()["steps"]
    assert {(step["status"], step["from"]) for step in steps} == {("proved", "rows found")}
    assert "from" not in sp.load("gpt2").derive().json()["steps"][0]
    assert "rests_on" not in sp.load("gpt2").breakdown().json()


def test_a_sweep_says_it_beside_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "ours.toml"
    path.write_text(toml_of(OURS), encoding="utf-8")
    result = CliRunner().invoke(cli, ["sweep", str(path), "L=4:6:1", "--format", "csv"])
    assert PINNED.text in result.stderr
    assert "moved" not in result.stdout


def test_edited_rows_lose_their_evidence() -> None:
    edited = replace(OURS, rows=(*ROWS[:-1], replace(ROWS[-1], tied_to=None)))
    assert any("edited after the trace" in s for s in sentences(edited))
    moved = replace(OURS, keys=tuple(replace(k, base=3) if k.name == "n_groups" else k
                                     for k in KEYS))
    assert any("edited after the trace" in s for s in sentences(moved))
    assert not any("edited" in s for s in sentences(OURS))
    assert not any("edited" in s for s in sentences(replace(OURS, name="other")))


def test_rows_that_were_written_down_claim_no_evidence() -> None:
    trace = replace(OURS, evidence=Evidence(0, 0, 0, 0, {}))
    assert "nothing built to check them" in next(sentences(trace))


# ---------------------------------------------------------------- the file

TEXT = st.text(max_size=12)
NAME = st.from_regex(r"[A-OQ-Za-z][A-Za-z0-9_]{0,6}", fullmatch=True)
SIZES = st.integers(0, 10**9)
WHERE = st.lists(st.one_of(TEXT, st.integers(0, 99)), min_size=1, max_size=3).map(tuple)
BASES = st.one_of(SIZES, st.floats(allow_nan=False), TEXT, st.booleans(), st.none())


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    """Traces with every kind of record in them."""
    names = draw(st.lists(NAME, min_size=1, max_size=4, unique=True))
    keys = tuple(Key(n, draw(WHERE), draw(BASES), draw(st.sampled_from(
        ["size", "structure", "inert", "refused", "switch", "held"])), draw(TEXT),
        tuple(draw(st.lists(TEXT, max_size=1)))) for n in names)
    syms = st.sampled_from(names).map(ex.Sym)
    exprs = st.recursive(
        st.one_of(syms, st.integers(1, 99).map(ex.Num)),
        lambda inner: st.one_of(
            st.tuples(inner, inner).map(lambda p: p[0] + p[1]),
            st.tuples(inner, inner).map(lambda p: p[0] * p[1]),
            st.tuples(inner, inner).map(lambda p: p[0] / p[1]),
            st.tuples(inner, inner).map(lambda p: p[0] - p[1]),
            st.tuples(inner, inner, st.sampled_from(["max", "min"])).map(
                lambda p: ex.Extreme(p[2], p[:2])),
            st.tuples(inner, st.sampled_from(["up", "down", "nearest"])).map(
                lambda p: ex.Whole(*p))), max_leaves=5).map(
                    lambda x: parse_expression(str(x), names))
    rows = [TracedRow("a.b", (ex.Num(2),))]
    for number in range(draw(st.integers(0, 3))):
        stars = draw(st.integers(0, 2))
        count = draw(st.sampled_from(sorted({min(stars, 1), stars})))
        pattern = draw(TEXT.filter(lambda t: "*" not in t)) + ".*" * stars + f".{number}"
        rows.append(TracedRow(
            pattern, tuple(draw(st.lists(exprs, max_size=3))),
            tuple(draw(exprs) for _ in range(count)),
            draw(st.sampled_from(["trainable", "frozen", "buffer"])),
            None, draw(TEXT), draw(TEXT)))
    if draw(st.booleans()):
        rows.append(TracedRow("c.d", (ex.Num(2),), tied_to="a.b"))
    dims = st.sampled_from(names)
    checks: list[Check] = draw(st.lists(st.one_of(
        st.builds(Divides, st.one_of(dims, st.integers(1, 9)), dims, TEXT),
        st.builds(Sums, st.lists(dims, min_size=1, max_size=3).map(tuple), dims, TEXT),
        st.builds(Differs, dims, dims, TEXT), st.builds(AtMost, dims, dims, TEXT),
        st.builds(Compares, exprs, st.sampled_from(sorted(SIGNS)), exprs, TEXT)), max_size=3))
    return Trace(
        draw(TEXT), draw(TEXT), keys,
        tuple(draw(st.lists(st.builds(Equation, dims, exprs, TEXT, st.sampled_from(Standing)),
                            max_size=2))),
        tuple(checks), tuple(rows),
        tuple(draw(st.lists(st.builds(Assumption, TEXT, st.lists(TEXT, max_size=2).map(tuple),
                                      TEXT), max_size=2))),
        draw(st.builds(Evidence, SIZES, SIZES, SIZES, SIZES,
                       st.dictionaries(TEXT, TEXT, max_size=2), TEXT,
                       st.lists(TEXT, max_size=2).map(tuple))))


@given(traces())
@quick
def test_a_trace_is_read_back_from_its_file_as_it_was(trace: Trace) -> None:
    try:
        text = toml_of(trace)
    except BadValue:
        assume(False)
    assert read_trace("x.toml", parse_toml(text), "?") == trace
    assert read_trace("x.json", parse_json(json_of(trace), python=True), "?") == trace


def test_a_file_loads_as_any_other_description(tmp_path: Path,
                                               capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("ours.toml", toml_of(OURS)), ("ours.json", json_of(OURS))):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        assert sp.load(str(path)).count() == 369_600
        assert run(["count", str(path), "n_embd=128", "moe.num_experts=4", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["total"] == numel(OURS, d_model=128,
                                                                     n_experts=4)


def test_a_file_by_hand_needs_only_names_shapes_and_numbers(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[dims]\nd_model = 8\nL = 2\n[[tensors]]\npattern = "h.*.w"\n'
                    'shape = ["4*d_model", "d_model"]\ncopies = ["L"]\n', encoding="utf-8")
    assert sp.load(str(path)).count(L=3) == 3 * 32 * 8


@together(("old", "new", "place"), [
    ("shape = [", "shap = [", "tensors[0]"), ('"V", "d_model"]', '"V", "d_modle"]',
                                                       "tensors[0].shape[1]"),
    ('kind = "size"', 'kind = "sise"', "dims.V.kind"),
    ('copies = ["L"]', 'copies = ["L", "L"]', "tensors[1].copies"),
    ('tied_to = "model.embed', 'tied_to = "modl.embed', "tensors[14].tied_to"),
    ('kind = "divides"', 'kind = "divide"', "checks[0].kind"),
    ("[evidence]", "[evidense]", "evidense"), ('rule = "d_model/', 'rule = "d_model^',
                                               "equations[0].rule"),
    ("[dims.V]", "[dims.P]", "dims.P"), ("[[tensors]]", "[[blocks]]\n[[tensors]]", "blocks")])
def test_a_mistake_in_a_file_is_named_with_its_place(old: str, new: str, place: str,
                                                     tmp_path: Path) -> None:
    text = toml_of(OURS)
    assert old in text
    path = tmp_path / "ours.toml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(SpecError) as found:
        sp.load(str(path))
    assert found.value.path.startswith(place), str(found.value)
    assert str(path) in str(found.value)


def test_options_of_an_architecture_are_refused() -> None:
    with pytest.raises(BadValue, match="trace it again"):
        build(model_of(OURS), Options(attention="gqa"), {})


def test_a_width_that_is_rounded_twice_is_solved_for() -> None:
    rows = (row("w", "multiple_of*up(down(8*d_model/3)/multiple_of),d_model"),)
    model = modelled(replace(OURS, rows=rows))
    found = model.solve(P="1M", unknown=["d_model"], n_heads=1)
    best = found.configurations[0]
    assert best.total == numel(replace(OURS, rows=rows), d_model=best.dims["d_model"])
    assert abs(best.total - 10**6) < 10**4


def test_the_file_of_the_documentation_loads(tmp_path: Path) -> None:
    text = (Path(__file__).parent.parent / "docs/architecture-file.md").read_text(encoding="utf-8")
    example = text.split("`[[tensors]]` instead of blocks")[1].split("```toml\n")[1].split("```")[0]
    path = tmp_path / "ours.toml"
    path.write_text(example, encoding="utf-8")
    assert sp.load(str(path)).count(n_layer=2) == 2 * 512 * 512


def test_a_width_that_is_rounded_has_no_highest_power() -> None:
    for model in (modelled(), sp.load("llama-2-7b", d_ff="256*up(d_model/96)")):
        assert "collect" not in {step.rule for step in model.derive().steps}
        with pytest.raises(NotDerivable, match="d_ff is rounded"):
            model.derive(leading="d_model")
    assert model.derive(leading="L").derivation.dropped


def test_pictures_and_verdicts_say_it_too() -> None:
    model = modelled()
    for said in (sp.picture("parts", model).remarks, model.check("P=369600").reviews[0].assumed):
        assert any(PINNED.text in sentence for sentence in said)
        assert any("not proved" in sentence for sentence in said)
    assert not any("not proved" in line for line in sp.picture("parts", sp.load("gpt2")).remarks)


def test_what_is_tied_to_the_tokens_is_the_head_where_it_is_a_matrix() -> None:
    tokens = replace(row("a.w", "d_head,d_model", module="Embedding"), role="token")
    for shape, found in (("d_head,d_model", ("b.w",)), ("d_head,d_model,d_head", ())):
        tied = row("b.w", shape, tied_to="a.w")
        assert tables_of([tokens, tied]).head == found


def test_a_tied_pair_is_no_head() -> None:
    rows = (row("a.w", "d_model"), row("b.w", "d_model", tied_to="a.w"))
    text = modelled(replace(OURS, rows=rows)).derive(assume="none").text()
    assert "Shared and counted once (tied): b.w those of a.w." in " ".join(text.split())
    assert "The head" not in text


def test_a_size_below_zero_is_no_size() -> None:
    keys = (KEYS[2], Key("d_head", ("cut",), 16, "size"))
    trace = Trace("cut", "cut.py:F", keys, (), (), (row("w", "d_model,d_model - d_head"),), (),
                  OURS.evidence)
    assert modelled(trace).count() == 64 * 48
    with pytest.raises(ConstraintViolated, match="w has no size below zero"):
        modelled(trace).count(d_head=65)


def test_a_share_that_was_put_in_is_moved_by_nobody() -> None:
    keys = (KEYS[2], Key("ratio", ("mlp_ratio",), 2.5, "held"))
    rows = (row("mlp.weight", "down(ratio*d_model),d_model"),)
    model = modelled(Trace("mlp", "mlp.py:F", keys, (), (), rows, (), OURS.evidence))
    with pytest.raises(ConstraintViolated, match="held by the trace"):
        model.count(ratio=1)


def test_a_model_without_the_usual_width_is_solved_for_a_dim_that_is_named() -> None:
    keys = (Key("chan", ("chan",), 64, "size"), KEYS[1])
    model = modelled(Trace("own", "own.py:F", keys, (), (), (
        TracedRow("h.*.w", (ex.Sym("chan"), ex.Sym("chan")), (ex.Sym("L"),)),), (), OURS.evidence))
    with pytest.raises(SymparamError, match=r"say which dim to search, as KEY=\?"):
        model.solve(P=10**6)
    assert model.solve(P=6 * 100**2, unknown=["chan"]).configurations[0].dims["chan"] == 100


def scattered(n_layers: int = 9, d: int = 8) -> dict[str, tuple[int, ...]]:
    """Tensors of some layers: from the second on, of every third, of all others."""
    kinds = {"a": range(n_layers), "b": range(1, n_layers), "c": range(2, n_layers, 3),
             "e": [n for n in range(n_layers) if n % 3 != 2]}
    return {f"h.{n}.{kind}": (d, size + d) for size, (kind, numbers) in enumerate(kinds.items())
            for n in numbers}


@pytest.mark.parametrize("n_layers", [9, 10, 14])
def test_a_traced_model_lists_tensors_by_the_numbers_of_their_layers(n_layers: int) -> None:
    found = trace(scattered)
    assert {row.numbers for row in found.rows} == {
        "", "from 1", "every 3rd from 2", "all but every 3rd from 2"}
    model = with_overrides(model_of(found), {"L": n_layers})
    assert dict(expected(model)[0].tensors) == scattered(n_layers)
    other = replace(found, rows=tuple(replace(row, numbers=row.numbers and "here and there")
                                      for row in found.rows))
    with pytest.raises(BadValue, match="in which layers these stand is not known"):
        expected(model_of(other))
