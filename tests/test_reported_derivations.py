"""Mistakes of derivations and of what is written of them, each with the input that showed it."""

from __future__ import annotations

import pytest

from symparam import expression as ex
from symparam.api import decoder, load
from symparam.cli.main import run
from symparam.derivation.plan import derive
from symparam.errors import NotDerivable
from symparam.export.derivation_named import derivation_named
from symparam.export.numbers import grouped
from symparam.grammar import parse_expression
from symparam.model import Model
from symparam.resolve import numbers
from symparam.spec.config import read_config

SIZES = {"hidden_size": 3072, "intermediate_size": 8192, "num_hidden_layers": 28,
         "num_attention_heads": 24, "num_key_value_heads": 8, "vocab_size": 50304}


def small(**keys: int) -> Model:
    """A llama whose d_ff is 8/3 of its width to the last."""
    return read_config("m", {"model_type": "llama", **SIZES, **keys}, "m")


@pytest.mark.parametrize("multiple", [30, 60, 90, 96, 100, 1000])
def test_an_assumption_is_met_as_it_rounds_and_not_before(multiple: int) -> None:
    rounded = -(-8192 // multiple) * multiple
    text = f"d_ff = 8/3*d_model, up to {multiple}"
    with pytest.raises(NotDerivable, match=f"gives {rounded}, the model has d_ff = 8192; .*"
                                           f"up to {multiple}'"):
        derive(small(), [text])
    found = derive(small(intermediate_size=rounded), [text])
    assert found.value == small(intermediate_size=rounded).ledger(
        numbers(small(intermediate_size=rounded)).values).total()


def test_a_rounded_width_has_no_highest_power() -> None:
    with pytest.raises(NotDerivable, match="d_ff is rounded, which has no highest power"):
        derive(small(), ["d_ff = 8/3*d_model, up to 256"], "d_model")


@pytest.mark.parametrize("leading", [None, "d_model"])
def test_the_formula_to_cite_as_exact_is_exact(leading: str | None) -> None:
    found = derive(load("llama-2-7b"), ["d_ff = 8/3*d_model"], leading)
    (exact,) = [each.value for each in derivation_named(found)
                if each.meaning == "the exact number of parameters"]
    assert isinstance(exact, ex.Expr)
    assert ex.evaluate(exact, found.resolution.values) == 6_738_415_616


def test_a_simple_ratio_is_offered_before_a_rule_that_is_nearly_met() -> None:
    with pytest.raises(NotDerivable, match=r"d_ff = 18/7\*d_model"):
        derive(load("deepseek-v3"), (), "d_model")
    with pytest.raises(NotDerivable, match=r"d_ff = 8/3\*d_model"):  # 43/16 here
        derive(load("llama-2-7b"), (), "d_model")


def test_latent_attention_needs_no_head_width() -> None:
    sizes = {"L": 2, "V": 100, "d_model": 64, "n_heads": 3, "d_ff": 64, "q_rank": 16, "kv_rank": 12,
             "d_nope": 8, "d_rope": 4, "d_v": 5}
    assert "d_head" not in decoder(attention="mla", **sizes).dims
    changed = load("llama-2-7b", attention="mla", q_rank=8, kv_rank=8, d_nope=8, d_rope=4, d_v=8)
    assert "d_head" not in changed.dims
    assert changed.count()


def test_what_a_token_touches_has_a_name_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sensitivity", "mixtral-8x7b", "--wrt", "d_expert", "--notation", "hf"]) == 0
    text = capsys.readouterr().out
    assert "∂P_active/∂moe_intermediate_size" in text
    assert text.count("∂P/∂moe_intermediate_size") == 1
    assert max(map(len, text.splitlines())) <= 80


def test_an_exercise_speaks_one_notation(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["derive", "--ffn", "swiglu", "--exercise", "--leading", "--notation", "hf"]) == 0
    assert "d_model" not in capsys.readouterr().out


def test_dims_without_a_number_are_told_where_others_have_one(
        capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["derive", "llama-2-7b", "--attention", "mla"]) == 0
    assert "note: no numbers are put in: q_rank, kv_rank" in capsys.readouterr().err
    assert run(["derive", "--ffn", "swiglu"]) == 0
    assert capsys.readouterr().err == ""


def test_fractions_are_written_as_other_numbers() -> None:
    assert grouped(parse_value("-132120576/5")) == "−132,120,576/5"


def parse_value(text: str) -> ex.Rational:
    """A fraction of the grammar."""
    return ex.evaluate(parse_expression(text), {})


def test_a_long_bracket_before_a_power_is_broken_inside(
        capsys: pytest.CaptureFixture[str]) -> None:
    ratios = {"d_nope": "1/56", "d_rope": "1/112", "d_v": "1/56", "d_ff": "18/7", "d_expert": "2/7"}
    assumed = [word for dim, ratio in ratios.items()
               for word in ("--assume", f"{dim}={ratio}*d_model")]
    assert run(["derive", "deepseek-v3", "--leading", *assumed]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


def test_a_page_of_another_width(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["derive", "gpt2", "--latex", "--text-width", "8.4cm"]) == 0
    narrow = capsys.readouterr().out
    assert "a text width of about 8.4 cm" in narrow
    assert run(["derive", "gpt2", "--latex"]) == 0
    assert len(narrow.splitlines()) > len(capsys.readouterr().out.splitlines())


@pytest.mark.parametrize("words", [["--latex", "--text-width", "3"], ["--text-width", "8.4"],
                                   ["--latex", "--text-width", "1e9"], ["--text-width", ""]])
def test_no_such_page(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["derive", "gpt2", *words]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
