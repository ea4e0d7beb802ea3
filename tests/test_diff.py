"""The change between two models: against an independent listing of tensors, term by term."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path as FilePath
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import symparam as sp
from symparam import expression as ex
from symparam.cli.main import run
from symparam.derivation.step import Line, Step, Term
from symparam.descriptions.catalogue import names
from symparam.descriptions.decoder import decoder
from symparam.descriptions.load import build, load
from symparam.descriptions.options import Options
from symparam.diff.difference import Difference, Part, compare
from symparam.diff.exchange import dim_changes, exchanges
from symparam.diff.path import Move, Path
from symparam.diff.side import Side
from symparam.dims import PRIME, primed, unprimed
from symparam.documents.differences.data import diff_json, writer
from symparam.documents.differences.document import diff_document
from symparam.errors import FalseStep
from symparam.grammar import parse_expression
from symparam.quantities.setting import Setting
from symparam.resolve import numbers
from symparam.symbols import collected, symbol
from symparam.templating.render import render
from tests.helpers import together, value
from tests.oracle import work
from tests.oracle.decoder import total
from tests.strategies import Arch, Dims, decoders, engine, quick
from tests.test_latex import failures, printed
from tests.test_quantity_derivation import small

SCHEMAS = FilePath(__file__).parent.parent / "docs" / "schema"
few = settings(quick, max_examples=6)
many = settings(quick, max_examples=200)
CASES = st.tuples(decoders(), decoders())
Case = tuple[tuple[Arch, Dims], tuple[Arch, Dims]]


def between(case: Case) -> Difference:
    """The difference of two drawn architectures with their numbers."""
    return compare(*(engine(arch, dims) for arch, dims in case))


def plain(**changes: Any) -> Any:
    """The plain decoder with options."""
    return decoder(Options(**changes))


def at_point(side: Side, own: Mapping[str, int]) -> dict[str, int]:
    """All dims of a side where those that it is written in have some numbers."""
    point = {name: Fraction(n) for name, n in own.items()}
    return {**own, **{name: int(value(tree, point)) for name, tree in side.written.items()}}


# --- what must come out ---------------------------------------------------------------------

def test_from_multi_head_to_grouped_queries() -> None:
    d = compare(plain(), plain(attention="gqa"))
    depth, width, head, heads, kv = map(symbol, ("L", "d_model", "d_head", "n_heads", "n_kv"))
    assert d.plain == (-2 * depth * width * head * (heads - kv)).expand()
    assert str(d.expr) == "-2*L*d_model*d_head*(n_heads - n_kv)"
    (changed,) = (part for part in d.parts if part.line.terms)
    assert [term.label for term in changed.line.terms] == [("W_K", "W_V")]
    assert {p.key for p in d.pairs if p.change == "shape"} == {
        "layers.attention.W_K", "layers.attention.W_V"}
    back = compare(plain(attention="gqa"), plain())
    assert str(back.expr) == "2*L*d_model*d_head*(n_heads - n_kv)"


def test_llama_2_7b_with_eight_key_value_heads() -> None:
    model = load("llama-2-7b")
    d = compare(model, build(model, Options(attention="gqa"), {"n_kv": 8}))
    assert str(d.expr) == "-2*L*d_model*d_head*(n_heads - n_kv)"
    assert d.change == -2 * 32 * 4096 * 128 * (32 - 8) == -805_306_368
    assert d.path is None


def test_from_gpt2_to_llama_2_7b() -> None:
    d = compare(load("gpt2"), load("llama-2-7b"))
    assert d.totals == (124_439_808, 6_738_415_616)
    assert d.marked == ("V", "L", "d_model", "d_ff", "n_heads", "d_head")
    assert d.path is not None
    assert [(m.dim, m.adds) for m in d.path.moves] == [
        (None, 66_020_352), ("V", -28_042_752), ("L", 188_774_400), ("d_model", 1_521_831_168),
        ("d_ff", 3_120_562_176), ("n_heads", 671_088_640), ("d_head", 1_073_741_824)]
    changes = {pair.key: pair.change for pair in d.pairs}
    assert changes["layers.attention.W_Q"] == changes["layers.ffn.W_up"] == "dims"
    assert changes["layers.attention.b_Q"] == changes["embedding.positions.W_P"] == "removed"
    assert changes["layers.ffn.W_gate"] == "added"
    assert changes["head.lm.W_U"] == "untied"


def test_the_first_step_is_the_architecture_at_the_first_models_dims() -> None:
    """By hand, from the shapes of GPT-2: what goes and what comes at 12 layers of 768."""
    d = compare(load("gpt2"), load("llama-2-7b"))
    assert d.path is not None
    gate, head, table = 12 * 768 * 3072, 50257 * 768, 1024 * 768
    biases = 12 * (3 * 768 + 768 + 3072 + 768) + 12 * 2 * 768 + 768
    assert d.path.moves[0].adds == gate + head - table - biases


def test_nothing_differs_from_itself(capsys: pytest.CaptureFixture[str]) -> None:
    for model in (load("gpt2"), plain(), load("deepseek-v3")):
        d = compare(model, model)
        assert d.empty
        assert d.plain == 0
        assert not d.line.terms
        assert d.change in {0, None}
        assert not exchanges(d.before, d.after)
        assert not dim_changes(d.before, d.after)
    assert run(["diff", "gpt2", "gpt2"]) == 0
    shown = capsys.readouterr().out
    assert "Nothing differs" in shown
    assert "1." not in shown


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("one", "two"), [
    ("pythia-2.8b", "llama-3-8b"), ("gpt2", "mixtral-8x7b"), ("deepseek-v3", "llama-2-7b"),
    ("bert-base", "gpt2"), ("falcon-7b", "llama-2-70b"), ("t5-base", "gemma-3-1b")])
def test_a_dim_has_one_number_wherever_it_stands(one: str, two: str) -> None:
    data = diff_json(compare(load(one), load(two)))
    assert data["dims"]
    for row in data["dims"]:
        for side, other in (("before", "after"), ("after", "before")):
            dims = data[side]["dims"]
            assert row[side] == dims.get(row["name"])
            assert (row["only"] == other) == (row["name"] not in dims)
            if rule := row["follows"][side]:
                assert ex.evaluate(parse_expression(rule), dims) == row[side]
    named = {row["name"] for row in data["dims"]}
    both = data["before"]["dims"].keys() & data["after"]["dims"].keys()
    assert all(data["before"]["dims"][name] == data["after"]["dims"][name]
               for name in both - named - {"n_kv"})
    for move in data["path"] or ():
        if move["dim"]:
            assert move["before"] == data["before"]["dims"][move["dim"]]


def test_what_a_dim_follows_is_told() -> None:
    rows = diff_json(compare(load("llama-2-7b"), build("llama-2-7b", Options(attention="gqa"),
                                                       {"n_kv": 8})))["dims"]
    assert rows == [{"name": "n_kv", "before": 32, "after": 8, "only": None,
                     "follows": {"before": "n_heads", "after": None}}]


def test_an_exchange_without_weights_is_told() -> None:
    d = compare(plain(ffn="swiglu"), plain(ffn="geglu", positions="none"))
    assert d.empty
    assert [e.title for e in exchanges(d.before, d.after)] == ["positions", "feed-forward"]
    assert "the same weights, or none" in render(diff_document(d), "text")


# --- against the oracle ---------------------------------------------------------------------

@pytest.mark.thinned(4)
@few
@given(CASES)
def test_the_change_is_that_of_the_tensors(case: Case) -> None:
    agrees(case)


@pytest.mark.slow
@many
@given(CASES, st.randoms(use_true_random=False))
def test_many_changes_are(case: Case, drawn: random.Random) -> None:
    agrees(case)
    holds_elsewhere(without_shared(case), drawn)
    steps_count(without_shared(case))


def agrees(case: Case) -> None:
    """Totals, parts and steps sum to what the listings differ by; the way back is the negative."""
    (one, first), (two, second) = case
    d, back = between(case), between((case[1], case[0]))
    assert d.totals == (total(one, first), total(two, second))
    here = {part.place: part.change or 0 for part in d.parts}
    assert sum(here.values()) == d.change == -(back.change or 0)
    assert {part.place: -(part.change or 0) for part in back.parts} == here
    assert swapped(back) == {m: -c for m, c in collected(d.plain).terms.items()}
    if d.path is not None:
        assert d.path.start == total(one, first)
        assert d.path.moves[-1].reached == total(two, second)
        assert sum(move.adds for move in d.path.moves) == d.change


def swapped(d: Difference) -> dict[Any, Any]:
    """The monomials with the marks on the other model's dims."""
    table = {}
    for name in d.marked:
        table |= {symbol(name): symbol(primed(name)), symbol(primed(name)): symbol(name)}
    return dict(collected(d.plain.subs(table, simultaneous=True)).terms)


def without_shared(case: Case) -> Case:
    """Without shared experts, whose width the listing takes as a multiple of an expert's."""
    one, two = ((arch, {k: n for k, n in dims.items() if k != "n_shared"}) for arch, dims in case)
    return one, two


@pytest.mark.thinned(3)
@few
@given(CASES, st.randoms(use_true_random=False))
def test_the_formula_holds_at_other_numbers(case: Case, drawn: random.Random) -> None:
    holds_elsewhere(without_shared(case), drawn)


def holds_elsewhere(case: Case, drawn: random.Random) -> None:
    """Marked and unmarked dims at random: the listing of either model at those numbers."""
    d = between(case)
    shared = {name: drawn.randint(1, 6) for name in {*d.before.free, *d.after.free}}
    other = shared | {name: drawn.randint(1, 6) for name in d.marked}
    first = at_point(d.before, {name: shared[name] for name in d.before.free})
    second = at_point(d.after, {name: other[name] for name in d.after.free})
    (one, own), (two, theirs) = case
    wanted = total(two, {**theirs, **second}) - total(one, {**own, **first})
    at = {name: Fraction(n) for name, n in shared.items()}
    at |= {primed(name): Fraction(n) for name, n in other.items()}
    assert value(d.expr, at) == wanted
    for term in (term for part in d.parts for term in part.line.terms):
        assert value(term.shown, at) == sum(value_of(x, at) for x in term.shares.values())


def value_of(share: Any, at: Mapping[str, Fraction]) -> Fraction:
    """A share of SymPy's, worked out from its monomials alone."""
    found = Fraction(0)
    for term in share.expand().as_ordered_terms():
        piece = Fraction(1)
        for base, exponent in term.as_powers_dict().items():
            number = base.is_Rational
            piece *= (Fraction(int(base.p), int(base.q)) if number else at[base.name]) ** int(
                exponent)
        found += piece
    return found


@few
@given(CASES)
def test_each_step_of_the_way_counts_the_tensors_there(case: Case) -> None:
    steps_count(without_shared(case))


def steps_count(case: Case) -> None:
    """After each step of the way, the listing at the point that was reached."""
    d = between(case)
    if d.path is None:
        return
    two, own = case[1]
    here = {name: d.before.values[name] if name in d.before.free else d.after.values[name]
            for name in d.after.free}
    for move in d.path.moves:
        if move.dim is not None:
            here[move.dim] = d.after.values[move.dim]
        assert move.reached == total(two, {**own, **at_point(d.after, here)})
    taken = {move.dim for move in d.path.moves}
    assert not {name for name in d.marked if name not in taken} & counted(d.after)


def counted(side: Side) -> set[str]:
    """The dims that a model's count depends on."""
    found: set[Any] = set()
    for entry in side.symbolic().values():
        found |= getattr(entry.size, "free_symbols", set()) if entry.counted else set()
    return {each.name for each in found}


@few
@given(decoders())
def test_a_model_against_itself_is_empty(case: tuple[Arch, Dims]) -> None:
    d = between((case, case))
    assert d.empty
    assert d.change == 0
    assert d.plain == 0


def test_the_comparison_notices_a_wrong_listing() -> None:
    """The oracle with one bias too many is another number: the tests above can fail."""
    arch, dims = {"bias": ("qkv",)}, {"V": 11, "L": 3, "d_model": 8, "n_heads": 2, "n_kv": 2,
                                      "d_head": 4, "d_ff": 16, "n_ctx": 5}
    d = between((({}, dims), (arch, dims)))
    assert d.change == total(arch, dims) - total({}, dims)
    assert d.change != total({"bias": ("qkv", "attn-out")}, dims) - total({}, dims)


# --- a false line cannot be made ------------------------------------------------------------

@pytest.fixture(scope="module")
def story() -> Difference:
    """From GPT-2 to LLaMA-2-7B."""
    return compare(load("gpt2"), load("llama-2-7b"))


def terms(d: Difference) -> list[Term]:
    """All its terms."""
    assert d.path is not None
    lines = [d.line, *(part.line for part in d.parts), *(move.line for move in d.path.moves)]
    return [term for line in lines for term in line.terms]


def test_a_term_with_another_number_or_share_is_refused(story: Difference) -> None:
    for term in terms(story):
        with pytest.raises(FalseStep):
            replace(term, shown=term.shown + 1)
        with pytest.raises(FalseStep):
            replace(term, shown=-term.shown)
        first = next(iter(term.shares))
        with pytest.raises(FalseStep):
            replace(term, shares={**term.shares, first: term.shares[first] + 1})


def test_a_part_with_a_lost_term_or_another_number_is_refused(story: Difference) -> None:
    for part in story.parts:
        with pytest.raises(FalseStep):
            replace(part.step, after=Line(part.line.terms[1:]))
        with pytest.raises(FalseStep):
            replace(part, after=(part.after or 0) + 1)
    first, second = story.parts[2], story.parts[3]
    with pytest.raises(FalseStep):
        Part(first.place, first.pairs, second.step, first.before, first.after, first.at)


def test_a_share_moved_from_one_matrix_to_another_is_refused(story: Difference) -> None:
    """The sum is the same, and the term in itself true: it is the step that refuses it."""
    part = next(part for part in story.parts if part.place == "layers.attention")
    term = part.line.terms[0]
    one, two, *_ = term.shares
    wrong = Term(term.shown, {**term.shares, one: 2 * term.shares[one], two: 0 * symbol("L")})
    with pytest.raises(FalseStep):
        Step("sum", "P", part.step.before, Line((wrong, *part.line.terms[1:])), "")


def test_a_way_with_a_step_lost_moved_or_changed_is_refused(story: Difference) -> None:
    way = story.path
    assert way is not None
    for i, move in enumerate(way.moves):
        with pytest.raises(FalseStep):
            replace(move, adds=move.adds + 1)
        with pytest.raises(FalseStep):
            Path(way.start, way.moves[:i] + way.moves[i + 1:], way.whole)
    with pytest.raises(FalseStep):
        Path(way.start + 1, way.moves, way.whole)
    with pytest.raises(FalseStep):
        Path(way.start, (way.moves[1], way.moves[0], *way.moves[2:]), way.whole)
    # The last step may be cut where the numbers still chain: the shares then do not add up.
    with pytest.raises(FalseStep):
        Path(way.start, way.moves[:-1], way.whole)
    with pytest.raises(FalseStep):
        Move("V", way.moves[1].line, {**way.moves[1].at, "V": 1}, way.moves[1].reached,
             way.moves[1].adds)


def test_parts_or_steps_that_do_not_sum_to_the_whole_are_refused(story: Difference) -> None:
    with pytest.raises(FalseStep):
        replace(story, parts=story.parts[1:])
    other = compare(load("gpt2"), load("mistral-7b"))
    with pytest.raises(FalseStep):
        replace(story, path=other.path)


# --- numbers that one model lacks, kinds of layer, conventions ------------------------------

def test_numbers_given_for_one_hold_for_the_other() -> None:
    dims = {"V": 32000, "L": 32, "d_model": 4096, "n_heads": 32, "n_kv": 8, "d_head": 128,
            "d_ff": 11008}
    d = compare(plain(), build(None, Options(attention="gqa"), dims))
    assert d.change == -805_306_368
    assert d.before.taken == ("V", "L", "d_model", "d_ff", "n_heads", "d_head")
    assert not d.marked
    assert compare(load("llama-2-7b"), plain()).change == -32 * 4096 * 11008


def test_kinds_of_layer_are_matched_together() -> None:
    d = compare(load("llama-2-7b"), load("deepseek-v3"))
    changes = {pair.key: pair for pair in d.pairs}
    norm = changes["layers.norms.ffn.gain"]
    assert norm.change == "dims"
    assert norm.after == ("layers[dense].norms.ffn.gain", "layers[sparse].norms.ffn.gain")
    assert list(norm.shapes[1].values()) == [symbol("L′")]
    assert changes["layers.ffn.W_up"].change == "shape"
    assert changes["layers.ffn.X_up"].change == "added"


def test_a_model_written_in_two_ways_is_the_same(tmp_path: FilePath) -> None:
    """Two kinds of block that differ in their window alone, one of them with a number of its own,
    against a pattern of windows on one kind."""
    dims = "[dims]\nV = 320\nL = 12\nd_model = 64\nn_heads = 4\nd_ff = 256\n"
    rest = 'ffn = "swiglu"\nnorm = "rmsnorm"\n'
    two = tmp_path / "two.toml"
    two.write_text(f"""{dims}[[blocks]]\nname = "local"\nlayers = "L - 2"
attention = {{ kind = "mha", window = 16 }}\n{rest}[[blocks]]\nname = "global"
layers = 2\nattention = "mha"\n{rest}""")
    one = tmp_path / "one.toml"
    one.write_text(f'{dims}[[blocks]]\nattention = "mha"\n{rest}')
    d = compare(load(str(two)), load(str(one)))
    assert d.empty
    assert not dim_changes(d.before, d.after)


def test_what_is_counted_otherwise_is_said() -> None:
    text = render(diff_document(compare(load("bert-base"), load("deepseek-v3"))), "text")
    assert "encoder with pooler" in text
    assert "left out of deepseek-v3" in text
    assert "active for a token" in text
    assert "language-model head, tied" in render(
        diff_document(compare(load("gpt2"), load("llama-2-7b"))), "text")


def test_a_tied_head_is_told_from_one_that_is_not_there() -> None:
    d = compare(plain(), plain(tied=True))
    assert str(d.expr) == "-V*d_model"
    assert next(p for p in d.pairs if p.key == "head.lm.W_U").change == "tied"


#: Of the published models, those that every run looks at: kinds of layer, two towers, shared
#: layers, recurrent ones.
SOME = {"deepseek-v3", "t5-small", "albert-base", "jamba-v0.1"}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", [name if name in SOME else pytest.param(
    name, marks=pytest.mark.slow) for name in names()])
def test_every_published_model_against_the_next(name: str) -> None:
    """Each against another of the catalogue, in every format, no line wider than a terminal."""
    every = list(names())
    other = every[(every.index(name) * 7 + 3) % len(every)]
    first, second = load(name), load(other)
    d = compare(first, second)
    assert d.change == sum(sign * model.ledger(numbers(model).values).total()
                           for sign, model in ((1, second), (-1, first)))
    text = render(diff_document(d), "text")
    assert max(map(len, text.splitlines())) <= 80
    assert all(isinstance(move.adds, int) for move in d.path.moves) if d.path else True
    diff_json(d)


# --- the command ----------------------------------------------------------------------------

@pytest.mark.thinned(4)
@pytest.mark.parametrize(("line", "form"), [
    *((line, form) for line in ("--attention gqa", "gpt2 --untied",
                                "gpt2 gemma-3-1b --quantity kv_cache --kv-dtype int4")
      for form in ("text", "markdown", "mkdocs", "latex", "macros", "html", "json")),
    *((line, "text") for line in (
        "gpt2 d_model=1024 n_heads=16", "deepseek-v3 --mtp", "bert-base --as mlm",
        "gpt2 llama-2-7b --tied n_ctx=4096", "--no-final-norm", "V=100 L=2 d_model=8 n_heads=2"))])
def test_the_command_answers(line: str, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", *line.split(), "--format", form]) == 0
    assert capsys.readouterr().out.strip()


@together(("line", "words"), [
    ("", "two MODELs"), ("gpt2", "two MODELs"), ("gpt2 gpt2 gpt2", "two are compared"),
    ("gpt2 nope", "unknown model"), ("gpt2 llama-2-7b P=3", "solve"),
    ("llama-2-7b n_kv=8 --attention mha", "contradicts"), ("gpt2 1=2", "unknown model")])
def test_what_cannot_be_compared_is_said(line: str, words: str,
                                         capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", *line.split()]) == 2
    assert words in capsys.readouterr().err


def test_options_belong_to_the_second_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", "gpt2", "gpt2", "--untied"]) == 0
    assert "+38,597,376" in capsys.readouterr().out


@pytest.mark.parametrize("pair", ["gpt2 llama-2-7b", "t5-small mixtral-8x7b",
                                  "llama-13b qwen3.5-27b", "gemma-2-2b mamba2-1.3b"])
def test_output_is_as_it_was(pair: str, golden: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A plain pair, two sides and one, a tower and kinds of layer, and layers without attention."""
    assert run(["diff", *pair.split()]) == 0
    golden(f"diff-{pair.replace(' ', '-')}.txt", capsys.readouterr().out)


def test_marks_are_names_that_the_grammar_reads() -> None:
    d = compare(load("gpt2"), load("llama-2-7b"))
    data = diff_json(d)
    allowed = {*d.before.free, *d.after.free, *data["marked"]}
    tree = parse_expression(data["formula"], allowed)
    at = {name: d.before.values[name] for name in d.before.free}
    at |= {marked: d.after.values[name] for marked, name in data["marked"].items()}
    assert ex.evaluate(tree, at) == d.change == data["numel"]
    assert {name: each["value"] for name, each in data["symbols"].items()} == at
    assert PRIME not in str(data["formula"])
    assert all(unprimed(name) == name for name in allowed)
    assert not {name + writer(d).suffix for name in d.marked} & {*d.before.free, *d.after.free}


@pytest.mark.thinned(3)
@few
@given(CASES, st.booleans())
def test_data_hold_what_the_schema_says(case: Case, with_numbers: bool) -> None:
    """Strings read back by the grammar, terms and parts that sum, numbers that are exact."""
    (one, first), (two, second) = case
    d = compare(engine(one, first if with_numbers else {}),
                engine(two, second if with_numbers else {}))
    data = json.loads(json.dumps(diff_json(d)))
    schema = json.loads((SCHEMAS / "diff.schema.json").read_text(encoding="utf-8"))
    assert not list(Draft202012Validator(schema).iter_errors(data))
    allowed = {*d.before.free, *d.after.free, *data["marked"]}
    for part in data["components"]:
        read = [parse_expression(term["term"], allowed) for term in part["terms"]]
        at = {name: Fraction(3 * i + 2, 5) for i, name in enumerate(sorted(allowed))}
        assert all(value(tree, at) for tree in read)
        if with_numbers:
            assert sum(term["numel"] for term in part["terms"]) == part["numel"]
            assert part["after"] - part["before"] == part["numel"]
    sides = {"before": [d.before], "after": [d.after], "both": [d.before, d.after]}
    for name, each in data["symbols"].items():
        assert data["marked"].get(name, name) == each["dim"]
        assert all(each["dim"] in side.free and side.values.get(each["dim"]) == each["value"]
                   for side in sides[each["of"]])
    if with_numbers:
        here = {name: each["value"] for name, each in data["symbols"].items()}
        assert ex.evaluate(parse_expression(data["formula"], here), here) == data["numel"]
    if not with_numbers:
        assert data["path"] is data["numel"] is data["before"]["total"] is None


# --- other quantities -----------------------------------------------------------------------

@pytest.mark.thinned(3)
@few
@given(CASES, st.integers(1, 4), st.integers(1, 2))
def test_the_change_of_flops_is_that_of_the_walks(case: Case, s: int, b: int) -> None:
    (one, first), (two, second) = ((arch, small(dims)) for arch, dims in case)
    d = compare(engine(one, first), engine(two, second), "flops", Setting().at(s=s, b=b))
    walks = [b * work.forward(arch, dims, s) for arch, dims in ((one, first), (two, second))]
    assert d.totals == tuple(walks)
    assert sum(part.change or 0 for part in d.parts) == walks[1] - walks[0]
    if d.path is not None:
        assert d.path.moves[-1].reached == walks[1]


def test_a_cache_with_fewer_heads_and_one_with_windows() -> None:
    """By hand: keys and values of 2 bytes, 4096 tokens; four of Gemma's layers see them all, the
    others 512."""
    d = compare(load("llama-2-7b"), load("gemma-3-1b"), "kv_cache", Setting().at(s=4096))
    assert d.totals == (4 * 32 * 32 * 128 * 4096, 4 * 256 * (4 * 4096 + 22 * 512))
    changes = {pair.key: pair.change for pair in d.pairs}
    assert changes["layers.attention.K[window]"] == "added"
    assert d.path is not None
    assert "L" in {move.dim for move in d.path.moves}
    inside = compare(load("llama-2-7b"), load("gemma-3-1b"), "kv_cache", Setting().at(s=256))
    assert inside.totals == (4 * 32 * 32 * 128 * 256, 4 * 256 * 26 * 256)
    assert symbol("window") not in inside.plain.free_symbols


def test_both_are_run_alike_unless_each_has_its_own_numbers() -> None:
    gpt2, llama = load("gpt2"), load("llama-2-7b")
    d = compare(gpt2, llama, "kv_cache")
    assert (d.before.values["s"], d.after.values["s"]) == (1024, 1024)
    assert (d.before.taken, d.after.taken) == ((), ("s",))
    given = compare(gpt2, build("llama-2-7b", Options(), {"s": 2048}), "kv_cache")
    assert (given.before.values["s"], given.before.taken) == (2048, ("s",))
    longer = compare(build("llama-2-7b", Options(), {"s": 1000}),
                     build("llama-2-7b", Options(), {"s": 3000}), "kv_cache")
    assert longer.marked == ("s",)
    assert str(longer.expr) == "4*L*n_heads*d_head*b*(s′ - s)"


def test_a_step_over_the_end_of_a_window_is_shown_term_by_term() -> None:
    """From s = 256, within the window of 512, to 1024: no product of the step and what it costs."""
    d = compare(build("gemma-3-1b", Options(), {"s": 256}),
                build("gemma-3-1b", Options(), {"s": 1024}), "kv_cache")
    assert d.path is not None
    (move,) = (move for move in d.path.moves if move.dim == "s")
    assert move.adds == 4 * 256 * (4 * 1024 + 22 * 512 - 26 * 256)
    assert "window" in str(move.line.terms[0].shown)


def test_a_sequence_comes_to_stand_within_a_window_on_the_way() -> None:
    d = compare(load("gemma-3-1b"), build("gemma-3-1b", Options(), {"window": 8192}), "kv_cache",
                Setting().at(s=1024))
    assert d.path is not None
    assert [(m.dim, m.adds) for m in d.path.moves] == [(None, 0), (
        "window", 4 * 256 * 22 * (1024 - 512))]


def test_where_there_is_no_way_it_is_said() -> None:
    """GPT-2 has 12 layers, and 22 of Gemma's have a window."""
    d = compare(load("gpt2"), load("gemma-3-1b"), "kv_cache")
    assert d.path is None
    assert "more layers" in d.no_path == diff_json(d)["no_path"]
    assert "There is no way" in render(diff_document(d), "text")
    assert compare(load("gpt2"), load("gemma-3-1b")).path is not None


@pytest.mark.thinned(3)
@few
@given(CASES, st.sampled_from(("kv_cache", "weights", "training_memory_zero_1")))
def test_data_of_a_quantity_hold_what_the_schema_says(case: Case, name: str) -> None:
    (one, first), (two, second) = case
    d = compare(engine(one, first), engine(two, second), name, Setting().at(s=8, n_devices=3))
    data = json.loads(json.dumps(diff_json(d)))
    schema = json.loads((SCHEMAS / "diff.schema.json").read_text(encoding="utf-8"))
    assert not list(Draft202012Validator(schema).iter_errors(data))
    for part in data["components"]:
        assert sum(Fraction(term["numel"]) for term in part["terms"]) == Fraction(part["numel"])


def test_both_are_shown_the_same_pictures_unless_each_has_its_own() -> None:
    """By hand: a position for 28 by 28 pixels in one, for 32 by 32 in the other."""
    one, two = sp.load("qwen2.5-vl-7b", image_height=448), sp.load("qwen3-vl-8b", n_images=3)
    found = one.diff(two, "image_tokens", image_width=896).difference
    assert found.totals == (3 * 16 * 32, 3 * 14 * 28)
    assert (found.before.taken, found.after.taken) == (("n_images",), ("image_height",))
    small, large = (sp.load("qwen2.5-vl-7b", image_height=280, image_width=width)
                    for width in (280, 560))
    assert small.diff(large, "image_tokens").difference.totals == (10 * 10, 10 * 20)
    for first, second in ((one, "gemma-3-4b"), (sp.load("gemma-3-4b"), one)):
        assert abs(first.diff(second, "image_tokens", image_width=896).change) == 16 * 32 - 256
    with pytest.raises(sp.errors.SymparamError, match="image_width"):
        sp.load("gpt2").diff("llama-2-7b", "kv_cache", image_width=8)


def test_it_can_be_asked_from_python() -> None:
    with pytest.raises(sp.errors.SymparamError, match="what models are run with"):
        sp.load("gpt2").diff("llama-2-7b", "kv_cache", d_model=8)
    assert sp.load("gpt2").diff("llama-2-7b", "weights", dtype="int8").change == 6_613_975_808
    view = sp.load("gpt2").diff("llama-2-7b")
    assert view.change == 6_613_975_808
    assert [part.change for part in view.parts][:2] == [92_474_624, -786_432]
    assert view.moves[0].dim is None
    assert str(view).startswith("gpt2 → llama-2-7b: +6,613,975,808")
    assert "P_{\\text{attention}}" in view.latex()
    assert view.json()["numel"] == view.change
    assert "+6,613,975,808" in view.markdown()
    assert "<math" in view._repr_html_()
    assert view._repr_latex_() is not None
    assert sp.decoder().diff(sp.decoder(tied=True)).change is None


def test_names_come_out_inert() -> None:
    name = r"$\input{../secret}$ <script>|`x`"
    hostile = replace(load("gpt2"), name=name)
    for kind, inert in (("latex", r"\$\textbackslash{}input\{../secret\}\$"),
                        ("markdown", "&lt;script&gt;&#124;"), ("html", "&lt;script&gt;")):
        text = render(diff_document(compare(hostile, load("llama-2-7b"))), kind)
        assert inert in text
        assert "<script>" not in text or kind == "latex"


PAIRS = ("gpt2 llama-2-7b", "llama-2-7b deepseek-v3", "t5-small whisper-tiny", "bert-base gpt2",
         "jamba-v0.1 mixtral-8x7b", "albert-base deberta-v3-base", "llama-2-7b llama-3-70b",
         "rwkv-4-169m mamba-130m", "gpt2 gpt2", "--attention mla --ffn moe", "gpt2 --qk-norm L=3")


@pytest.mark.latex
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
@pytest.mark.parametrize("notation", ["paper", "hf", "megatron"])
def test_differences_compile(notation: str, tmp_path: FilePath,
                             capsys: pytest.CaptureFixture[str]) -> None:
    """Each with nothing that sticks out of the page."""
    lines = [f"diff {pair} --standalone --notation {notation}" for pair in PAIRS]
    assert failures(tmp_path, printed(capsys, lines)) == {}
