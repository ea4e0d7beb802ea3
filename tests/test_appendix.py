"""A derivation as an appendix prints it: the same formula and numbers, in a page."""

from __future__ import annotations

import random
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symparam import expression as ex
from symparam.api import decoder, load
from symparam.derivation.approximate import approximate
from symparam.descriptions import catalogue
from symparam.writers.document import Display, Heading, Table
from tests.conftest import SEED
from tests.helpers import DATA, Line
from tests.strategies import quick

DRAWN = random.Random(SEED).sample(list(catalogue.names()), 4)
HYBRID = DATA / "hybrid.toml"


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


def test_the_mixture_has_a_leading_term_by_its_own_ratios() -> None:
    found = approximate(load(str(HYBRID)).derive().derivation)
    assert found is not None
    assert found.leading == "d_model"
    given = {str(step.given) for step in found.steps if step.given is not None}
    assert {"d_head = 1/16*d_model", "d_expert = 1/2*d_model", "d_ff = 4*d_model"} <= given


def test_without_numbers_there_is_no_ratio_to_take() -> None:
    open_widths = decoder(attention="mla", ffn="moe").derive(detail="appendix")
    assert approximate(open_widths.derivation) is None
    assert "≈" not in open_widths.text()
    assert "≈" in decoder().derive(detail="appendix").text()


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
