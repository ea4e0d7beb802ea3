"""Derivations: every line holds, no false one can be made, and nothing is lost on the way."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import sympy as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import symparam
from symparam import expression as ex
from symparam.constraints import Equation
from symparam.derivation.leading import leading_term
from symparam.derivation.plan import Derivation, derive
from symparam.derivation.step import Line, Step, Term, line
from symparam.descriptions.architecture.architecture_file import describe_model
from symparam.descriptions.decoder import decoder, plain_decoder
from symparam.descriptions.load import load
from symparam.descriptions.options import Options
from symparam.errors import BadValue, FalseStep, NotDerivable, SymparamError
from symparam.grammar import parse_expression, parse_rule
from symparam.ledger import Matrix
from symparam.model import Model
from symparam.resolve import numbers, with_overrides
from symparam.stack import Repeat
from symparam.symbols import symbol
from tests.helpers import alternating, depth, derived, published, rarer, rounded, together, value
from tests.strategies import Arch, Dims, architectures, decoders, engine, mixed, quick

Point = dict[str, Fraction]

ASSUMPTIONS = ("none", "d_ff = 4*d_model", "3*d_ff = 8*d_model", "n_heads*d_head = d_model",
               "n_kv = n_heads", "n_kv = n_heads/4", "d_head = 64", "V = 50*d_model",
               "d_model = 64*L", "d_ff = 2*n_heads*d_head + d_model", "n_ctx = d_model**2/L")


def of_sympy(expr: Any, at: Mapping[str, Fraction]) -> Fraction:
    """The same for SymPy's trees: no expand, no subs."""
    if expr.is_Rational:
        return Fraction(int(expr.p), int(expr.q))
    if expr.is_Symbol:
        return at[expr.name]
    parts = [of_sympy(arg, at) for arg in expr.args]
    if expr.is_Function:
        return rounded(expr.func.__name__, parts[0])
    if expr.is_Add:
        return sum(parts, Fraction(0))
    if expr.is_Pow:
        assert parts[1].denominator == 1
        return parts[0] ** int(parts[1])
    assert expr.is_Mul, expr
    result = Fraction(1)
    for part in parts:
        result *= part
    return result


def point(model: Model, seed: int) -> Point:
    """A fraction for every dim that any derivation of the model can speak of."""
    draw = random.Random(seed)
    known = {*model.dims, "V", "L", "d_model", "d_ff", "n_heads", "n_kv", "d_head", "n_ctx"}
    known |= {name for eq in model.all_equations() for name in (eq.dim, *eq.inputs)}
    return {name: Fraction(draw.randint(1, 97), draw.randint(1, 9)) for name in sorted(known)}


def seen(shown: Line, at: Point) -> Fraction:
    """The value of what a reader sees, symbols of parts replaced by what they stand for."""
    return sum((value(t.shown, {**at, **{name: of_sympy(meaning, at)
                                         for name, meaning in t.definitions.items()}})
                for t in shown.terms), Fraction(0))


def shares(shown: Line, at: Point) -> dict[str, Fraction]:
    """Each matrix's share in a line."""
    found: dict[str, Fraction] = {}
    for term in shown.terms:
        for path, share in term.shares.items():
            found[path] = found.get(path, Fraction(0)) + of_sympy(share, at)
    return {path: share for path, share in found.items() if share}


def meeting(d: Derivation, at: Point) -> Point:
    """The point moved to where it meets all equations used, the last one first."""
    at = dict(at)
    for a in reversed(d.assumptions):
        at[a.equation.dim] = given_by(a.equation, at)
    return at


def given_by(eq: Equation, at: Point) -> Fraction:
    """What an equation gives a dim, rounded as it says."""
    exact = value(eq.expr, at)
    if eq.rounding is None:
        return exact
    return eq.rounding.multiple * rounded(eq.rounding.mode, exact / eq.rounding.multiple)


def check(d: Derivation, at: Point) -> None:
    """Every line against the ledger, at a point of the derivation's equations."""
    for step in d.steps:
        given = step.given
        here = {**at, given.dim: given_by(given, at)} if given else at
        rest = Line((*step.after.terms, *step.remainder.terms))
        assert seen(step.before, here) == seen(rest, here), step.rule
        assert shares(step.before, here) == shares(rest, here), step.rule
        for shown in (step.before, step.after, step.remainder):
            assert seen(shown, at) == sum(shares(shown, at).values())
    met = meeting(d, at)
    sizes = {m.path: Fraction(m.size()) for m in d.model.ledger(met).stored() if m.size()}
    for step in d.steps:
        rest = Line((*step.after.terms, *step.remainder.terms))
        if step.subject == "P":
            assert shares(step.before, met) == shares(rest, met) == sizes
        else:
            part = next(p for p in d.parts if p.symbol == step.subject)
            first = part.stacks[0]
            copies = value(first.repeat.stored, met) if first.repeat else 1
            assert shares(rest, met) == {
                path: sizes[path] / copies for path in part.paths if path in sizes}


def closes(d: Derivation) -> None:
    """The numbers: the exact line, the leading term with what it left out, the tensors."""
    at = {name: Fraction(number) for name, number in numbers(d.model).values.items()}
    total = d.model.ledger(numbers(d.model).values).total()
    assert d.value == total == sum(t.numel for t in d.tensors)
    assert d.numbers is not None
    assert value(d.numbers.symbolic, at) == value(d.numbers.substituted, {}) == total
    if d.steps[-1].rule == "leading":
        assert sum((Fraction(x.numel or 0) for x in d.dropped), value(d.formula, at)) == total
    for x in d.dropped:
        assert x.numel == value(x.term, at)
        assert x.share == Fraction(x.numel) / total
        assert x.origin


def own_name(path: str) -> str:
    """What a label calls a matrix: W_Q as it is, W_gate by its word."""
    name = path.rsplit(".", 1)[1]
    word = name[2:]
    return word if name.startswith("W_") and len(word) > 1 and not word.isupper() else name


def braces(d: Derivation) -> None:
    """Every label names the matrices, parts or kinds of weight that its term has, and no other."""
    rows = {m.path: m for m in d.ledger}
    for step in d.steps:
        for term in step.after.terms:
            inside = [path for path, share in term.shares.items() if share != 0]
            if step.rule == "join":
                assert term.label == tuple(dict.fromkeys(map(own_name, inside)))
            elif step.rule in {"sum", "assume"}:
                assert set(term.label) == {
                    p.title for p in d.parts if set(p.all_paths) & set(inside)}
            elif step.rule == "collect":
                assert {kind(rows[path]) for path in inside} == set(term.label)


def kind(m: Matrix) -> str:
    """What a reader would call a weight."""
    if m.part == "norm" or m.role == "gain":
        return "norms"
    if m.role == "bias":
        return "biases"
    return "embeddings" if m.role == "embedding" or m.part == "head" else "matrices"


def attempt(model: Model, texts: Sequence[str], leading: str | None = None) -> Derivation:
    """A derivation; what contradicts itself or cannot be led is another test's matter."""
    try:
        return derive(model, texts, leading)
    except (NotDerivable, BadValue):
        assume(False)
        raise


few = settings(quick, max_examples=30)
wanted = st.lists(st.sampled_from(ASSUMPTIONS), max_size=3, unique=True)
leaders = st.sampled_from((None, None, "d_model", "L", "V"))


@few
@given(architectures(), wanted, leaders, st.integers(0, 2**20))
def test_every_step_of_an_architecture_holds(
        arch: Arch, texts: list[str], leading: str | None, seed: int) -> None:
    d = attempt(engine(arch, {}), texts, leading)
    check(d, point(d.model, seed))
    braces(d)
    assert d.value is None
    assert all(x.numel is None and x.share is None for x in d.dropped)


@few
@given(decoders(), leaders, st.integers(0, 2**20))
def test_every_step_of_a_model_with_numbers_holds_and_closes(
        case: tuple[Arch, Dims], leading: str | None, seed: int) -> None:
    d = attempt(engine(*case), (), leading)
    check(d, point(d.model, seed))
    braces(d)
    closes(d)


@few
@given(mixed(), st.sampled_from((None, "V", "L")), st.integers(0, 2**20))
def test_several_kinds_of_layer(case: tuple[Arch, Dims, Any], leading: str | None,
                                seed: int) -> None:
    arch, dims, _ = case
    kinds = [{"name": f"k{i}", "layers": block["layers"],
              "attention": {"kind": block["attention"], "qk_norm": block["qk_norm"]},
              "ffn": block["ffn"], "norm": block["norm"]} for i, block in enumerate(arch["blocks"])]
    given_dims = {name: dims[name] for name in dims if name != "L"}
    model = describe_model("test", {
        "dims": given_dims, "blocks": kinds,
        "model": {"tied": arch["tied"], "positions": arch["positions"]}}, "mixed")
    d = attempt(model, (), leading)
    check(d, point(model, seed))
    closes(d)
    paths = [path for part in d.parts for path in part.all_paths]
    assert sorted(paths) == sorted(m.path for m in d.ledger.stored())


def test_kinds_of_layer_share_the_parts_that_are_equal_in_them() -> None:
    d = derive(load("deepseek-v3"))
    found = {part.symbol: [s.name for s in part.stacks] for part in d.parts}
    both = ["layers[dense]", "layers[sparse]"]
    assert found == {
        "P_embedding": ["embedding"], "P_attention": both, "P_norms": both,
        "P_dense_ffn": both[:1], "P_sparse_ffn": both[1:], "P_final_norm": ["final_norm"],
        "P_head": ["head"]}


@pytest.mark.thinned(4)
@pytest.mark.parametrize(("name", "led"), alternating(published()))
def test_every_published_model_closes(name: str, led: bool) -> None:
    d = derived(name, depth(load(name)) if led else None)
    check(d, point(d.model, 7))
    braces(d)
    closes(d)


def sums_in(tree: ex.Expr) -> Iterator[ex.Sum]:
    """Every sum in a tree."""
    if isinstance(tree, ex.Sum):
        yield tree
    for child in (*getattr(tree, "terms", ()), *getattr(tree, "factors", ())):
        yield from sums_in(child)


def product_of_symbols(tree: ex.Expr) -> Any:
    """The powers in a term that is a product of symbols; None for any other."""
    factors = tree.factors if isinstance(tree, ex.Product) else (tree,)
    bases = [f.base if isinstance(f, ex.Power) else f for f in factors]
    if not all(isinstance(base, (ex.Sym, ex.Num)) for base in bases):
        return None
    return frozenset(str(f) for f in factors if not isinstance(f, ex.Num))


@pytest.mark.parametrize("name", ["gpt2", "bert-base", "deepseek-v3", "jamba-v0.1", "t5-base"])
def test_equal_terms_join_wherever_they_come_from(name: str) -> None:
    for step in derive(load(name)).steps:
        if step.rule in {"sum", "assume"}:
            for found in (s for term in step.after.terms for s in sums_in(term.shown)):
                alike = [p for p in map(product_of_symbols, found.terms) if p is not None]
                assert len(set(alike)) == len(alike), f"{step.rule}: {found}"


def test_shared_layers_and_experts() -> None:
    from tests.test_hard_models import albert, deepseek

    for model in (albert(), deepseek()):
        for texts in ((), ("none",)):
            d = derive(model, texts, "V")
            check(d, point(model, 3))
            closes(d)
    assert "L" not in derive(albert()).symbols()


def test_a_layer_stored_once_counts_once() -> None:
    once, L = ex.Num(1), ex.Sym("L")
    stacks = tuple(replace(s, repeat=Repeat(once, L, once)) if s.repeat else s
                   for s in plain_decoder().stacks)
    d = derive(replace(plain_decoder(), stacks=stacks), leading="d_model")
    check(d, point(d.model, 5))
    assert str(d.formula) == "12*d_model**2"


# --- leading terms are computed -------------------------------------------------------------

@pytest.mark.parametrize("ratio", ["1", "2", "8/3", "7/2", "4", "43/16"])
@pytest.mark.parametrize(("ffn", "matrices"), [("mlp", 2), ("swiglu", 3), ("geglu", 3)])
def test_the_leading_term_follows_the_width_of_the_ffn(
        ratio: str, ffn: str, matrices: int) -> None:
    d = derive(decoder(Options(ffn=ffn)), [f"d_ff = {ratio}*d_model"], "d_model")
    width = symbol("d_model")
    wanted = (4 + matrices * sp.Rational(ratio)) * symbol("L") * width**2
    assert d.steps[-1].after.plain == wanted
    assert d.steps[-1].relation == "≈"


@pytest.mark.parametrize(("options", "texts", "formula"), [
    ({"ffn": "mlp"}, [], "12*L*d_model**2"),
    ({"ffn": "swiglu"}, [], "12*L*d_model**2"),
    ({"ffn": "mlp", "tied": True}, ["d_ff=4*d_model"], "12*L*d_model**2"),
    ({"ffn": "swiglu"}, ["d_ff=8/3*d_model", "n_heads*d_head=d_model"], "12*L*d_model**2"),
    ({"attention": "mqa"}, [], "2*L*(5 + 1/n_heads)*d_model**2"),
    ({"attention": "gqa"}, ["n_kv=n_heads/4"], "21/2*L*d_model**2"),
    ({}, ["d_model = 64*L"], "3/16*d_model**3"),
])
def test_leading_terms(options: dict[str, Any], texts: list[str], formula: str) -> None:
    d = derive(decoder(Options(**options)), texts, "d_model")
    at = point(d.model, 11)
    assert value(d.formula, at) == value(parse_expression(formula), at)


def of_twelve(text: str) -> bool:
    """Whether a text speaks of 12, L and d_model."""
    return {"12", "L", "d_model"} <= set(re.findall(r"\w+", text.replace("D_MODEL", "d_model")))


def twelves(source: str) -> Iterator[int]:
    """Lines of Python with a 12 multiplied by L and d_model, docstrings aside."""
    if not of_twelve(source):
        return
    tree = ast.parse(source)
    doc = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(str(text)) if id(node) not in doc:
                pass
            case ast.BinOp() | ast.JoinedStr():
                text = ast.unparse(node)
            case _:
                continue
        if of_twelve(text):
            yield node.lineno


def test_no_source_file_knows_the_answer() -> None:
    assert list(twelves("x = 12 * L * d_model**2"))
    assert list(twelves("def f():\n    return '12*L*d_model**2'"))
    assert list(twelves("t = ex.Num(12) * ex.Sym('L') * ex.Sym('d_model') ** 2"))
    assert not list(twelves("'''12*L*d_model**2'''\nx = 12"))
    files = sorted(Path(symparam.__file__).parent.rglob("*.py"))
    assert len(files) > 40
    found = [(f.name, n) for f in files for n in twelves(f.read_text(encoding="utf-8"))]
    assert not found


# --- the worked example ---------------------------------------------------------------------

def lines(d: Derivation) -> dict[str, str]:
    """Each line that a derivation ends in, by its rule or the dim that it removed."""
    return {(s.given.dim if s.given else s.subject if s.rule == "join" else s.rule):
            str(s.after.expr) for s in d.steps}


def test_llama_2_7b_line_by_line() -> None:
    d = derive(load("llama-2-7b"), ["d_ff = 8/3*d_model"], "d_model")
    ends = "+ 3*d_model*d_ff + 2*d_model) + d_model"
    assert lines(d) == {
        "take-apart": "P_embedding + L*(P_attention + P_ffn + P_norms) + P_final_norm + P_head",
        "P_embedding": "V*d_model", "P_head": "V*d_model", "P_final_norm": "d_model",
        "P_attention": "2*d_model*n_heads*d_head + 2*d_model*n_kv*d_head",
        "P_ffn": "3*d_model*d_ff", "P_norms": "2*d_model",
        "sum": f"2*V*d_model + L*(2*d_model*d_head*(n_heads + n_kv) {ends}",
        "n_kv": f"2*V*d_model + L*(4*d_model*n_heads*d_head {ends}",
        "d_head": f"2*V*d_model + L*(4*d_model**2 {ends}",
        "d_ff": "2*V*d_model + L*(12*d_model**2 + 2*d_model) + d_model",
        "collect": "12*L*d_model**2 + 2*V*d_model + (2*L + 1)*d_model",
        "leading": "12*L*d_model**2"}
    joined = {s.subject: [t.label for t in s.after.terms] for s in d.steps if s.rule == "join"}
    assert joined["P_attention"] == [("W_Q", "W_O"), ("W_K", "W_V")]
    assert joined["P_ffn"] == [("gate", "up", "down")]
    assert {s.given.dim: (s.holds_here, s.status) for s in d.steps if s.given} == {
        "n_kv": (True, "proved"), "d_head": (True, "proved"), "d_ff": ("nearly", "proved")}
    assert str(d.numbers.substituted) == (  # type: ignore[union-attr]
        "2*32000*4096 + 32*(4*4096**2 + 3*4096*11008 + 2*4096) + 4096")
    assert d.value == 6_738_415_616
    assert sum(t.copies for t in d.tensors) == 291


def test_llama_2_7b_ledger_of_what_was_left_out() -> None:
    d = derive(load("llama-2-7b"), ["d_ff = 8/3*d_model"], "d_model")
    found = {str(x.term): x for x in d.dropped}
    assert {term: x.numel for term, x in found.items()} == {
        "2*V*d_model": 262_144_000, "(2*L + 1)*d_model": 266_240,
        "3*L*d_model*(d_ff - 8/3*d_model)": 33_554_432}
    assert sum(x.numel or 0 for x in d.dropped) == 295_964_672 == 6_738_415_616 - 6_442_450_944
    assert "11008" in found["3*L*d_model*(d_ff - 8/3*d_model)"].origin
    assert "head" in found["2*V*d_model"].origin
    assert found["(2*L + 1)*d_model"].origin == "norm gains"


# --- what is not true cannot be made --------------------------------------------------------

@cache
def rich() -> Derivation:
    """A derivation in which every rule has a step, with several matrices in its terms."""
    model = decoder(Options(attention="gqa", ffn="swiglu", bias=frozenset({"qkv", "ffn"})))
    return derive(model, ["n_kv = n_heads/4"], "d_model", "full")


RULES = ("take-apart", "join", "sum", "put-in", "gather", "assume", "collect", "add-up", "leading")


def of_rule(rule: str) -> list[Step]:
    """Its steps in the rich derivation."""
    steps = [inner for step in rich().steps for inner in (step, *step.substeps)]
    found = [step for step in steps if step.rule == rule]
    assert found
    return found


def refused(step: Step, **changes: Any) -> None:
    """The step as it is can be made; changed, it cannot."""
    assert replace(step) == step
    with pytest.raises(FalseStep) as caught:
        replace(step, **changes)
    assert "differ by" in str(caught.value)
    assert caught.value.difference not in {"", "0"}


def false_terms(term: Term) -> Iterator[dict[str, Any]]:
    """Ways to get a term wrong."""
    yield {"shown": ex.Num(2) * term.shown}
    yield {"shown": term.shown + 1}
    yield {"shown": -term.shown}
    yield {"shown": term.shown * ex.Sym("L")}
    if isinstance(term.shown, ex.Product):
        first, *rest = term.shown.factors
        yield {"shown": ex.product_of(*rest)}
        if isinstance(first, ex.Num):
            yield {"shown": ex.product_of(ex.Num(first.value + 1), *rest)}
    for path, share in term.shares.items():
        yield {"shares": {**term.shares, path: share + 1}}
        yield {"shares": {**term.shares, path: share * 2}}
        yield {"shares": {p: s for p, s in term.shares.items() if p != path}}
    for name, meaning in term.definitions.items():
        yield {"definitions": {**term.definitions, name: meaning + symbol("d_model")}}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("rule", RULES)
def test_a_false_term_cannot_be_made(rule: str) -> None:
    for step in of_rule(rule):
        for term in (*step.after.terms, *step.remainder.terms):
            assert replace(term) == term
            for change in false_terms(term):
                with pytest.raises(FalseStep):
                    replace(term, **change)


def moved(shown: Line) -> Iterator[Line]:
    """Lines that look the same, with some of one matrix's share given to another."""
    for i, term in enumerate(shown.terms):
        paths = list(term.shares)
        for giver, taker in pairwise(paths):
            some = term.shares[giver] / 2
            wrong = {**term.shares, giver: term.shares[giver] - some,
                     taker: term.shares[taker] + some}
            yield Line((*shown.terms[:i], replace(term, shares=wrong), *shown.terms[i + 1:]))
        stranger = {"elsewhere.W": term.shares[paths[0]]}
        wrong = {**{p: s for p, s in term.shares.items() if p != paths[0]}, **stranger}
        yield Line((*shown.terms[:i], replace(term, shares=wrong), *shown.terms[i + 1:]))


@pytest.mark.parametrize("rule", RULES)
def test_a_share_moved_to_another_matrix_is_refused(rule: str) -> None:
    """What a reader sees stays right; where it is said to come from does not."""
    for step in of_rule(rule):
        for wrong in moved(step.after):
            assert wrong.expr == step.after.expr
            refused(step, after=wrong)


@together("rule", RULES)
def test_a_line_that_lost_or_doubled_a_term_is_refused(rule: str) -> None:
    for step in of_rule(rule):
        for i in range(len(step.after.terms)):
            refused(step, after=Line(step.after.terms[:i] + step.after.terms[i + 1:]))
            refused(step, after=Line((*step.after.terms, step.after.terms[i])))


def test_a_wrong_remainder_is_refused() -> None:
    (step,) = of_rule("leading")
    rest = step.remainder.terms
    assert len(rest) >= 2
    for wrong in (Line(()), Line(rest[1:]), Line((*rest, rest[0])), step.after):
        refused(step, remainder=wrong)
    for other in of_rule("collect"):
        refused(other, remainder=Line(rest[:1]))


def test_a_wrong_equation_is_refused() -> None:
    for step in of_rule("assume"):
        assert step.given is not None
        eq = step.given
        for expr in (eq.expr + 1, 2 * eq.expr, ex.Sym("L") * eq.expr, ex.Num(7)):
            refused(step, given=replace(eq, expr=expr))
        refused(step, given=None)
        refused(step, given=replace(eq, dim="V"))


@together("wrong", [("W_K",), ("W_Q", "W_K"), ("W_Q",), ("W_O",), ()])
def test_a_brace_that_names_a_wrong_matrix_is_refused(wrong: tuple[str, ...]) -> None:
    """A label says where a term comes from; it is part of what must be true."""
    (step,) = (s for s in rich().steps if s.subject == "P_attention")
    first = step.after.terms[0]
    assert first.label == ("W_Q", "W_O")
    with pytest.raises(FalseStep):
        replace(step, after=Line((replace(first, label=wrong), *step.after.terms[1:])))


def test_small_terms_and_steps() -> None:
    d, h = symbol("d_model"), symbol("n_heads")
    tree = 2 * ex.Sym("d_model") * ex.Sym("n_heads")
    good = Term(tree, {"a.W_Q": d * h, "a.W_O": d * h}, ("W_Q", "W_O"))
    other = Term(tree, {"a.W_Q": d * (h + 1) - d, "a.W_O": h * d}, ("W_Q", "W_O"))
    assert Step("join", "P", Line((good,)), Line((other,)), "why").relation == "="
    with pytest.raises(FalseStep):
        Term(tree, {"a.W_Q": d * h})
    with pytest.raises(FalseStep):
        Term(ex.Sym("P_x"), {"a.W": d}, definitions={"P_x": h})
    half = Term(ex.Sym("d_model") * ex.Sym("n_heads"), {"a.W_Q": d * h})
    with pytest.raises(FalseStep):
        Step("join", "P", Line((good,)), Line((half,)), "why")
    assert line([good, Term(ex.Num(0), {"a.W": sp.Integer(0)})]) == Line((good,))


def test_a_rounded_equation_is_no_identity() -> None:
    """d_ff = 8/3·d_model rounded up proves nothing about polynomials: d_ff is what it is."""
    rule = parse_rule("8/3*d_model, up to 256")
    d, f = symbol("d_model"), symbol("d_ff")
    before = Line((Term(ex.Sym("d_ff"), {"a.W": f}),))
    after = Line((Term(ex.Num(Fraction(8, 3)) * ex.Sym("d_model"),
                       {"a.W": sp.Rational(8, 3) * d}),))
    rounded = Equation("d_ff", rule.expr, "as given", rounding=rule.rounding)
    assert Step("assume", "P", before, after, "why", replace(rounded, rounding=None))
    with pytest.raises(FalseStep):
        Step("assume", "P", before, after, "why", rounded)


@pytest.mark.parametrize("width", [3072, 4096])
def test_a_dim_given_by_a_rounded_rule(width: int) -> None:
    """Whether or not the rounding happens to change nothing, no step claims it as proved."""
    model = with_overrides(decoder(Options(ffn="swiglu")), {
        "V": 100, "L": 2, "d_model": width, "n_heads": 4,
        "d_ff": parse_rule("8/3*d_model, up to 256")})
    d = derive(model)
    closes(d)
    check(d, point(model, 3))
    used = [step for step in d.steps if step.given and step.given.dim == "d_ff"]
    assert [step.status for step in used] == ["proved" if width == 3072 else "checked"]
    assert ("up(d_model/96)" in str(d.formula)) == (width == 4096)


def test_an_assumption_that_rounds_is_checked_at_points() -> None:
    d = derive(decoder(Options(ffn="swiglu")), ["d_ff = 8/3*d_model, up to 256"])
    last = d.steps[-1]
    assert (last.rule, last.status, last.relation) == ("assume", "checked", "=")
    assert str(last.after.expr) == (
        "2*V*d_model + L*(4*d_model**2 + 768*d_model*up(d_model/96) + 2*d_model) + d_model")
    check(d, point(d.model, 9))


@pytest.mark.parametrize("wrong", ["down(d_model/96)", "up(d_model/95)", "d_model/96",
                                   "up(d_model/96 + 1)"])
def test_a_rounding_put_in_wrongly_is_refused(wrong: str) -> None:
    last = derive(decoder(Options(ffn="swiglu")), ["d_ff = 8/3*d_model, up to 256"]).steps[-1]
    good, bad = (parse_expression(text) for text in ("up(d_model/96)", wrong))

    def swapped(tree: ex.Expr) -> ex.Expr:
        if tree == good:
            return bad
        match tree:
            case ex.Sum(terms):
                return ex.Sum(tuple(map(swapped, terms)))
            case ex.Product(factors):
                return ex.Product(tuple(map(swapped, factors)))
        return tree

    from symparam.symbols import to_sympy

    table = {to_sympy(good): to_sympy(bad)}
    after = Line(tuple(replace(t, shown=swapped(t.shown), shares={
        path: share.xreplace(table) for path, share in t.shares.items()})
        for t in last.after.terms))
    assert after.expr != last.after.expr
    with pytest.raises(FalseStep):
        replace(last, after=after)


def test_both_lines_are_worked_out_under_a_rule_that_rounds() -> None:
    """Whatever polynomials say: at whole numbers, with the dim as it rounds, they are equal."""
    last = derive(decoder(Options(ffn="swiglu")), ["d_ff = 8/3*d_model, up to 256"]).steps[-1]
    assert last.given is not None
    last._check_at_points(last.given)
    with pytest.raises(FalseStep, match=r"assume: .* = .* at \{'L': \d+, 'V': \d+"):
        last._check_at_points(replace(last.given, expr=last.given.expr + ex.Num(256)))


def test_what_is_kept_and_what_is_left_out_make_up_the_number() -> None:
    found, values = derive(load("gpt2"), leading="d_model"), numbers(load("gpt2")).values
    steps, last = found.steps[:-1], found.steps[-2].after
    assert leading_term("P", steps, last, "d_model", values, found.value).dropped
    with pytest.raises(FalseStep, match="ledger of dropped terms closes"):
        leading_term("P", steps, last, "d_model", values, found.value + 1)


def test_a_group_size_comes_in_by_an_assumption() -> None:
    d = derive(load("llama-2-70b"), ["n_kv = n_heads/g"])
    assert "g" in d.symbols()
    assert d.resolution.values["g"] == 8
    assert d.value == 68_976_648_192
    message = refusal(BadValue, load("llama-2-70b"), ["n_kv = n_heads/3*g"])
    assert "g would be no whole number" in message


# --- the long form --------------------------------------------------------------------------

def check_substeps(d: Derivation, at: Point) -> None:
    """Every substep at a point; chains lead from the first line to the last."""
    for step in d.steps:
        chain = [inner for inner in step.substeps if inner.subject == step.subject]
        if chain:
            assert chain[0].before.expr == step.before.expr
            assert chain[-1].after.expr == step.after.expr
            assert all(a.after.expr == b.before.expr for a, b in pairwise(chain))
        for inner in step.substeps:
            given = inner.given
            here = {**at, given.dim: given_by(given, at)} if given else at
            assert seen(inner.before, here) == seen(inner.after, here), inner.rule
            assert shares(inner.before, here) == shares(inner.after, here), inner.rule
        if step.rule == "collect" and step.substeps:
            labels = [term.label for term in step.after.terms]
            for inner in step.substeps:  # a number stands behind those that are alike
                number = step.after.terms.index(inner.after.terms[0])
                alone = labels.count(labels[number]) == 1
                assert inner.subject.endswith("_".join(
                    ("", *labels[number], *(() if alone else (str(number + 1),)))))
            assert {inner.after.expr for inner in step.substeps} <= {
                t.shown for t in step.after.terms}


@few
@given(architectures(), wanted, leaders, st.integers(0, 2**20))
def test_brief_and_full_end_alike(
        arch: Arch, texts: list[str], leading: str | None, seed: int) -> None:
    brief = attempt(engine(arch, {}), texts, leading)
    full = derive(brief.model, texts, leading, "full")
    assert full.formula == brief.formula
    assert [s.after for s in full.steps] == [s.after for s in brief.steps]
    assert not any(step.substeps for step in brief.steps)
    assert any(step.substeps for step in full.steps)
    check_substeps(full, point(full.model, seed))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", rarer(published()))
def test_the_long_form_of_every_published_model(name: str) -> None:
    d = derive(load(name), (), None, "full")
    check_substeps(d, point(d.model, 13))
    closes(d)


def test_substeps_that_do_not_lead_to_the_end_are_refused() -> None:
    d = derive(load("llama-2-7b"), detail="full")
    step = next(s for s in d.steps if s.rule == "sum")
    first, second = step.substeps
    assert replace(step, substeps=(first, second)).substeps
    for wrong in ((first,), (second,), (second, first), (first, first)):
        with pytest.raises(FalseStep):
            replace(step, substeps=wrong)


def test_another_detail_is_refused() -> None:
    with pytest.raises(SymparamError, match="brief"):
        derive(plain_decoder(), detail="long")


# --- conventions ----------------------------------------------------------------------------

@pytest.mark.parametrize("name", rarer(published()))
def test_conventions_are_what_count_says(name: str) -> None:
    """The formula of each, its symbols worked out, is the number that the tensors give."""
    from symparam.documents.count_data import count_json, count_model

    model = load(name)
    d = derived(name)
    at = {n: Fraction(number) for n, number in d.resolution.values.items()}
    for step in d.steps:
        if step.rule == "join":
            at[step.subject] = value(step.after.expr, at)
    at["P"] = Fraction(d.value or 0)
    counted = count_json(count_model(model, None), False)
    wanted = {"total": counted["total"], **counted["non_embedding"], **{
        "active" if key == "all" else f"active_{key}": n
        for key, n in (counted["active"] or {}).items()}}
    for c in d.conventions:
        assert value(c.term.shown, at) == c.value, c.name
        if not c.name.startswith("per_layer"):
            assert c.value == wanted[c.name]
        if c.name == "active":
            at["P_active"] = Fraction(c.value or 0)
    assert {c.value for c in d.conventions} >= set(wanted.values())


# --- assumptions ----------------------------------------------------------------------------

def refusal(error: type[SymparamError], model: Model, texts: Sequence[str],
            leading: str | None = None) -> str:
    """The one line that a derivation is refused with."""
    with pytest.raises(error) as caught:
        derive(model, texts, leading)
    text = str(caught.value)
    assert len(text.splitlines()) == 1
    return text


def test_none_drops_the_defaults_and_stops_at_the_general_form() -> None:
    d = derive(plain_decoder(), ["none"])
    assert not d.assumptions
    assert d.steps[-1].rule == "sum"
    assert {"n_kv", "d_head", "d_ff"} <= set(d.symbols())


def test_an_assumption_replaces_the_default_of_its_dim_alone() -> None:
    used = [str(a.equation) for a in derive(plain_decoder(), ["d_ff = 3*d_model"]).assumptions]
    assert used == ["n_kv = n_heads", "d_head = d_model/n_heads", "d_ff = 3*d_model"]
    alone = [str(a.equation) for a in derive(plain_decoder(), [
        "none", "d_ff = 3*d_model"]).assumptions]
    assert alone == ["d_ff = 3*d_model"]


@pytest.mark.parametrize("text", [
    "n_heads*d_head = d_model", "d_model = n_heads*d_head", "d_head = d_model/n_heads",
    "d_model - d_head*n_heads = 0", "hidden_size = num_attention_heads*head_dim",
    "2*n_heads*d_head = 2*d_model"])
def test_an_equation_may_be_written_either_way(text: str) -> None:
    d = derive(load("llama-2-7b"), ["none", text])
    (used,) = d.assumptions
    assert str(used.equation) == "d_head = d_model/n_heads"
    assert used.holds_here is True


@pytest.mark.parametrize("texts", [
    ["d_ff = n_heads*d_head", "n_heads = d_ff/64"],
    ["n_kv = d_ff", "d_ff = 2*n_kv"],
    ["d_head = d_ff", "d_ff = d_head"]])
def test_assumptions_in_a_circle_are_refused(texts: list[str]) -> None:
    refusal(NotDerivable, decoder(Options(attention="gqa")), texts)


@together("text", [
    "d_ff = d_ff", "1 = 1", "d_ff**2 = d_model**2", "P = 12", "P = 12*L*d_model**2", "d_ff = P"])
def test_what_is_no_relation_between_dims_is_refused(text: str) -> None:
    refusal(BadValue, plain_decoder(), [text])


def test_two_assumptions_for_one_dim_are_refused() -> None:
    assert "d_ff" in refusal(BadValue, plain_decoder(), ["d_ff=d_model", "d_ff=2*d_model"])


@pytest.mark.parametrize(("name", "text", "words"), [
    ("llama-2-7b", "d_ff = 4*d_model", ("16384", "11008")),
    ("llama-2-7b", "d_ff = 3*d_model", ("12288", "11008")),
    ("llama-2-70b", "n_kv = n_heads", ("64", "8")),
    ("gpt2", "d_head = 32", ("32", "64"))])
def test_an_assumption_far_off_is_refused(name: str, text: str, words: Sequence[str]) -> None:
    message = refusal(NotDerivable, load(name), [text])
    assert all(word in message for word in words)


def test_an_assumption_nearly_met_is_marked_and_sized() -> None:
    d = derive(load("llama-2-13b"), ["d_ff = 8/3*d_model"], "d_model")
    assert {s.holds_here for s in d.steps if s.given and s.given.dim == "d_ff"} == {"nearly"}
    closes(d)
    gap = next(x for x in d.dropped if "d_ff" in str(x.term))
    assert gap.numel == 3 * 40 * 5120 * (13824 - Fraction(8, 3) * 5120)


def test_two_assumptions_nearly_met_close_as_well() -> None:
    model = with_overrides(load("llama-2-7b"), {"d_head": 130})
    d = derive(model, ["d_ff = 8/3*d_model", "d_head = d_model/n_heads"], "d_model")
    closes(d)
    assert sum("not" in x.origin for x in d.dropped) == 2


def test_an_assumption_on_a_dim_that_is_not_there_is_not_passed_over() -> None:
    message = refusal(SymparamError, load("llama-2-7b"), ["n_ctx = 2048"])
    assert "n_ctx" in message


# --- leading: refusals ----------------------------------------------------------------------

def hints(message: str) -> list[str]:
    """The assumptions that a refusal offers."""
    return re.findall(r'--assume "([^"]+)"', message)


def test_leading_refuses_while_widths_are_independent() -> None:
    message = refusal(NotDerivable, decoder(Options(ffn="swiglu")), ["none"], "d_model")
    assert hints(message) == ["d_head = d_model/n_heads", "d_ff = 8/3*d_model"]
    message = refusal(NotDerivable, plain_decoder(), ["none", "d_ff = d_model"], "d_model")
    assert hints(message) == ["d_head = d_model/n_heads"]
    derive(plain_decoder(), ["none", "d_ff = d_model", *hints(message)], "d_model")


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", rarer(published()))
def test_the_assumptions_that_a_refusal_names_are_enough(name: str) -> None:
    model = load(name)
    width = "d_model" if "d_model" in model.dims else "d_model_encoder"
    try:
        derive(model, (), width)
    except NotDerivable as error:
        offered = hints(str(error))
        assert offered
        closes(derive(model, offered, width))


@pytest.mark.parametrize("symbol_name", ["n_heads", "n_ctx", "d_head"])
def test_leading_in_a_symbol_that_is_not_there_is_refused(symbol_name: str) -> None:
    message = refusal(NotDerivable, plain_decoder(), [], symbol_name)
    assert symbol_name in message
    assert "d_model" in message


def test_a_derivation_of_nothing_is_refused() -> None:
    refusal(NotDerivable, Model("nothing", ()), [])
