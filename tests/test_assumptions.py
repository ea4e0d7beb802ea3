"""Assumptions: met as they round, of dims that go later, refused where none can be."""

from __future__ import annotations

import pytest

import symparam as sp
from symparam.api import load
from symparam.cli.main import run
from symparam.derivation.plan import derive
from symparam.descriptions.config import read_config
from symparam.descriptions.decoder import decoder
from symparam.descriptions.options import Options
from symparam.errors import BadValue, NotDerivable
from symparam.model import Model
from symparam.resolve import numbers
from tests.helpers import together

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


def test_a_simple_ratio_is_offered_before_a_rule_that_is_nearly_met() -> None:
    with pytest.raises(NotDerivable, match=r"d_ff = 18/7\*d_model"):
        derive(load("deepseek-v3"), (), "d_model")
    with pytest.raises(NotDerivable, match=r"d_ff = 8/3\*d_model"):  # 43/16 here
        derive(load("llama-2-7b"), (), "d_model")


@pytest.mark.parametrize("assumed", ["d_ff = 4*n_heads*d_head", "d_ff = 2*n_kv*d_head + 2*d_model"])
def test_an_assumption_in_dims_that_are_eliminated_later_is_no_circle(assumed: str) -> None:
    found = derive(decoder(Options()), [assumed], "d_model")
    assert str(found.formula) == "12*L*d_model**2"


def test_a_default_read_backwards_gives_way() -> None:
    found = derive(decoder(Options(attention="gqa")), ["n_heads = d_model/d_head"])
    assert "n_heads" not in found.steps[-1].after.symbols()


@together("text", ["d_ff = -4*d_model", "L = 1/2", "V = -3", "d_ff = 0*d_model",
                                  "d_ff = d_model/(L-L)", "d_head = 0"])
def test_what_no_dim_can_be_is_not_assumed(text: str) -> None:
    with pytest.raises(BadValue):
        derive(decoder(Options()), [text])


def test_a_number_against_a_definition_is_refused_without_the_other_numbers() -> None:
    model = sp.decoder(attention="mha", n_kv=2)
    with pytest.raises(NotDerivable, match="multi-head"):
        derive(model)


def test_dims_without_a_number_are_told_where_others_have_one(
        capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["derive", "llama-2-7b", "--attention", "mla"]) == 0
    assert "note: no numbers are put in: q_rank, kv_rank" in capsys.readouterr().err
    assert run(["derive", "--ffn", "swiglu"]) == 0
    assert capsys.readouterr().err == ""
