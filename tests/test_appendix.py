"""A derivation as an appendix prints it: the same formula and numbers, in a page."""

from __future__ import annotations

import itertools
import random
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symparam import expression as ex
from symparam.api import Model, decoder, load
from symparam.derivation.approximate import Approximation, approximate
from symparam.descriptions import catalogue
from symparam.documents.derivations.view import DerivationView
from symparam.errors import the
from symparam.traced.model import model_of
from symparam.tracing import trace
from symparam.writers.document import Display, Heading, Table
from tests.conftest import SEED
from tests.helpers import DATA, Line
from tests.strategies import quick

DRAWN = random.Random(SEED).sample(list(catalogue.names()), 4)
HYBRID = DATA / "hybrid.toml"


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", ["gpt2", "llama-3-8b", "deepseek-v3", str(HYBRID), *DRAWN])
def test_its_lines_add_up_to_the_number_of_parameters(name: str) -> None:
    view = load(name).derive(detail="appendix")
    d, at = view.derivation, {**view.derivation.values}
    shown = {(str(e.left), sign): ex.sum_of(*(t.expr for t in terms))
             for block in view.document().blocks if isinstance(block, Display)
             for e in block.equalities for sign, terms in e.sides}
    assert ex.evaluate(shown["P", "="], at) == d.value == load(name).count()
    if ("P", "≈") in shown:
        rest = ex.evaluate(shown["R", "="], at)
        assert ex.evaluate(shown["P", "≈"], at) + rest == d.value
        assert 0 <= abs(rest) < d.value
    tables = [block for block in view.document().blocks if isinstance(block, Table)]
    numbers = [int(str(row[-1]).replace(",", "")) for row in tables[1].rows]
    assert sum(numbers[:-1]) == numbers[-1] == d.value


def test_every_other_way_to_count_has_a_row_with_numbers_and_without() -> None:
    numbered = load("gpt2").derive(detail="appendix")
    without = decoder(ffn="swiglu").derive(detail="appendix")
    for view in (numbered, without):
        table = next(block for block in view.document().blocks if isinstance(block, Table)
                     and block.columns[0].title == "counted otherwise")
        said = ", or ".join(str(row[0]) for row in table.rows)
        wanted = [each.title for each in view.derivation.conventions[1:]]
        assert sorted(said.split(", or ")) == sorted(wanted)


def leading(name: str) -> Approximation:
    """The leading term of a model."""
    return the(Approximation, approximate(load(name).derive().derivation))


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("name", "widths", "given"), [
    (str(HYBRID), "d_model d_expert", {"d_head = 2*d_model/n_heads", "d_ff = 4*d_model"}),
    ("mamba-130m", "d_model d_state", {"d_inner = 2*d_model", "dt_rank = d_model/16"}),
    ("qwen3-4b", "d_model d_head d_ff", set()), ("llama-2-7b", "d_model", {"d_ff = 8/3*d_model"})])
def test_only_a_rule_relates_a_width_to_the_models(name: str, widths: str,
                                                   given: set[str]) -> None:
    """Heads twice as wide as usual are a multiple of their rule; a state of a 48th of the width,
    or 8/5 of it in heads, is an accident and stays a letter."""
    found = leading(name)
    assert " ".join(found.widths) == widths
    assert given <= {str(step.given) for step in found.steps}
    assert not {"d_state", "d_expert"} & {step.given.dim for step in found.steps if step.given}


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", ["gpt2", "mamba-130m", "deepseek-v3", "albert-base", "t5-small",
                                  str(HYBRID), *DRAWN])
def test_what_is_left_out_vanishes_beside_wide_layers(name: str) -> None:
    """With all widths and ranks a million times as large, the leading term is what is counted."""
    found, d = leading(name), load(name).derive().derivation
    at = {**d.values}
    at |= {dim: at[dim] * 10**6 for dim in d.model.widths | d.model.ranks if dim in at}
    exact = ex.evaluate(d.exact.expr, at)
    rest = abs(1 - Fraction(ex.evaluate(found.formula, at)) / exact)
    nearly = [step for step in found.steps if step.holds_here == "nearly"]
    assert rest < (Fraction(1, 20) if nearly else Fraction(1, 100))
    if not nearly:
        other = {**at, found.widths[0]: at[found.widths[0]] * 2}
        assert abs(1 - Fraction(ex.evaluate(found.formula, other)) / exact) > Fraction(1, 20)


def test_without_numbers_there_is_no_ratio_to_take() -> None:
    found = decoder(attention="mla", ffn="moe").derive(detail="appendix")
    widths = the(Approximation, approximate(found.derivation)).widths
    assert {"d_nope", "d_rope", "d_v", "d_expert", "q_rank", "kv_rank"} < {*widths}
    assert "≈" in found.text()


@pytest.mark.thinned(3)
def test_that_it_is_proved_is_said_once() -> None:
    for name in ("llama-3-8b", str(HYBRID), "mixtral-8x7b"):
        for kind in ("text", "latex", "markdown", "html", "typst"):
            assert load(name).derive(detail="appendix").render(kind).count("proved") == 1, kind


def test_an_equation_that_is_met_nearly_says_so() -> None:
    text = load("llama-2-7b").derive(detail="appendix").text()
    assert re.search(r"d_ff = 8/3·d_model \([^)]*nearly\)", " ".join(text.split()))


def test_it_has_no_headings_and_as_many_lines_as_a_page_has() -> None:
    for name, most in (("llama-3-8b", 55), (str(HYBRID), 110)):
        view = load(name).derive(detail="appendix")
        assert not [b for b in view.document().blocks if isinstance(b, Heading)]
        assert len(view.text().splitlines()) <= most
    with_more = load("gpt2").derive(detail="appendix", sensitivity=True).document()
    assert [b.spans[0] for b in with_more.blocks if isinstance(b, Heading)][:1] == ["1. "]


@quick
@given(st.sampled_from(["flops_per_token", "kv_per_token", "active", "without_embeddings"]))
def test_every_quantity_has_one(quantity: str) -> None:
    view = load("mixtral-8x7b").derive(quantity, detail="appendix")
    at = dict(view.derivation.values)
    (shown,) = [e for b in view.document().blocks if isinstance(b, Display)
                for e in b.equalities if e.sides[0][0] == "=" and str(e.left) != "R"]
    total = sum(Fraction(ex.evaluate(term.expr, at)) for term in shown.sides[0][1])
    assert total == view.derivation.value


def test_it_is_no_exercise(line: Line) -> None:
    code, _, said = line("derive gpt2 --detail appendix --exercise")
    assert code == 2
    assert "--exercise" in said
    assert line("derive gpt2 --detail appendix --json")[0] == 0


def test_it_is_shorter_than_the_brief_form() -> None:
    for name in ("gpt2", "deepseek-v3"):
        short, brief = (load(name).derive(detail=detail).document()
                        for detail in ("appendix", "brief"))
        assert len(short.blocks) < len(brief.blocks)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", [str(HYBRID), "deepseek-v3", "kimi-linear-48b-a3b", *DRAWN])
def test_in_a_column_no_symbol_is_alone_in_a_bracket_and_no_line_waits_for_a_name(
        name: str) -> None:
    view = load(name).derive(detail="appendix")
    narrow = DerivationView(view.derivation, view.notation.fitted(Fraction(77, 10)))
    lines = [line for each in re.findall(r"begin.align...(.*?).end.align", narrow.latex(), re.S)
             for line in each.split(r"\\")]
    assert lines
    assert not [each for each in lines if re.fullmatch(
        r"\s*&\\qquad\\quad \{\} [+-] [A-Za-z](?:_[^\s^]+)?(?:\\bigr\))+\s*", each)]
    for before, line in itertools.pairwise(lines):
        if re.fullmatch(r"\s*&\\quad \{\} \+ L \\, \\Sigma_\d\s*", line):
            assert len(before) > 60, before


@pytest.mark.parametrize("quantity", ["flops_per_token", "kv_cache", "activations_full"])
def test_of_what_is_at_work_no_term_is_the_highest(quantity: str) -> None:
    assert approximate(load("llama-3-8b").derive(quantity=quantity).derivation) is None


def test_without_a_width_no_term_is_the_highest() -> None:
    plain = trace(lambda rows=8, columns=4: {"w": (rows, columns)})
    assert approximate(Model.wrap(model_of(plain)).derive().derivation) is None
