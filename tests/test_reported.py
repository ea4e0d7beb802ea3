"""Mistakes that were made once, each with the shortest input that showed it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import symparam as sp
from symparam.cli.main import run
from symparam.derivation.plan import derive
from symparam.errors import BadValue, NotDerivable, SpecError
from symparam.grammar import parse_rule
from symparam.ledger import Ledger
from symparam.model import Model
from symparam.resolve import numbers
from symparam.solve import Wishes, solve
from symparam.spec.config import read_config
from symparam.spec.decoder import decoder
from symparam.spec.description import describe_model
from symparam.spec.options import Options, apply

BLOCK = {"layers": "L", "attention": "mha", "ffn": "mlp", "norm": {"kind": "rmsnorm"}}
DIMS = {"V": 100, "L": 6, "d_model": 96, "n_heads": 4}


def described(block: dict[str, Any] | None = None, dims: dict[str, Any] | None = None,
              without: str = "", **top: Any) -> Model:
    """A model from a description that differs from a plain one in what is given."""
    given = {name: n for name, n in DIMS.items() if name != without}
    return describe_model("x.toml", {"dims": {**given, **(dims or {})},
                                     "blocks": [{**BLOCK, **(block or {})}], **top}, "x")


def ledger(model: Model) -> Ledger:
    """A model's matrices on its numbers."""
    return model.ledger(numbers(model).values)


def test_a_dim_that_the_changed_model_needs_may_be_given(capsys: pytest.CaptureFixture[str],
                                                         tmp_path: Path) -> None:
    assert run(["count", "gpt2", "--attention", "gqa", "n_kv=4"]) == 0
    assert "114,990,336" in capsys.readouterr().out
    path = tmp_path / "open.toml"
    path.write_text('[dims]\nL = 2\nd_model = 8\nn_heads = 2\n[[blocks]]\nattention = "mha"\n'
                    'ffn = "mlp"\nnorm = { kind = "none" }\n', encoding="utf-8")
    assert run(["count", str(path), "V=10"]) == 0


def test_norms_of_another_width_keep_it_when_their_number_changes() -> None:
    model = described({"norm": {"kind": "rmsnorm", "dims": {"d_model": "d_inner"}}},
                      {"d_inner": 32})
    four = apply(model, Options(norms_per_block=4))
    assert sum(m.size() for m in ledger(four) if m.path.startswith("layers.norms")) == 6 * 4 * 32


def test_an_alias_as_a_bound_name_is_the_dim_itself() -> None:
    block = {"ffn": {"kind": "mlp", "dims": {"d_ff": "vocab_size"}}}
    assert "vocab_size" not in described(block).dims


@pytest.mark.parametrize("name", ["P", "P_attention", "h"])
def test_names_that_mean_something_else_are_no_bound_names(name: str) -> None:
    with pytest.raises(SpecError):
        described({"ffn": {"kind": "mlp", "dims": {"d_ff": name}}}, {name: 8})


def test_a_description_chooses_its_notation() -> None:
    model = described(notation="megatron")
    assert model.notation == "megatron"
    with pytest.raises(SpecError, match="notation"):
        described(notation="klingon")


def test_blocks_without_attention_need_no_head_width() -> None:
    model = described({"attention": "none"}, without="n_heads")
    assert "d_head" not in model.dims
    assert ledger(model).total() == 2 * 100 * 96 + 6 * (2 * 96 * 384 + 2 * 96) + 96


@pytest.mark.parametrize("assumed", ["d_ff = 4*n_heads*d_head", "d_ff = 2*n_kv*d_head + 2*d_model"])
def test_an_assumption_in_dims_that_are_eliminated_later_is_no_circle(assumed: str) -> None:
    found = derive(decoder(Options()), [assumed], "d_model")
    assert str(found.formula) == "12*L*d_model**2"


def test_a_default_read_backwards_gives_way() -> None:
    found = derive(decoder(Options(attention="gqa")), ["n_heads = d_model/d_head"])
    assert "n_heads" not in found.steps[-1].after.symbols()


@pytest.mark.parametrize("text", ["d_ff = -4*d_model", "L = 1/2", "V = -3", "d_ff = 0*d_model",
                                  "d_ff = d_model/(L-L)", "d_head = 0"])
def test_what_no_dim_can_be_is_not_assumed(text: str) -> None:
    with pytest.raises(BadValue):
        derive(decoder(Options()), [text])


def test_a_number_against_a_definition_is_refused_without_the_other_numbers() -> None:
    model = sp.decoder(attention="mha", n_kv=2)
    with pytest.raises(NotDerivable, match="multi-head"):
        derive(model)


def test_a_width_is_one_whatever_its_name() -> None:
    model = described({"ffn": {"kind": "mlp", "dims": {"d_ff": "inner"}}}, {"inner": 100})
    with pytest.raises(NotDerivable, match="inner"):
        derive(model, leading="d_model")


def test_a_rule_that_subtracts_is_not_searched_as_if_it_added() -> None:
    given = {"L": 32, "V": 32000, "n_heads": 20, "d_ff": parse_rule("30000-6*d_model")}
    found = solve(decoder(Options()), 3_542_952_800, given=given,
                  wishes=Wishes(unknown=["d_model"]))

    def count(width: int) -> int:
        return 32 * (4 * width**2 + 2 * width * (30000 - 6 * width) + 2 * width) + 64001 * width

    whole = list(range(40, 5000, 40))  # heads are whole and of even width
    near = sorted(whole, key=lambda w: abs(count(w) - 3_542_952_800))
    assert {c.dims["d_model"] for c in found.configurations} >= set(near[:2])
    assert all(c.total == count(c.dims["d_model"]) for c in found.configurations)


def test_defaults_that_a_configuration_leaves_to_its_family_are_told() -> None:
    model = read_config("c.json", {"model_type": "llama", "hidden_size": 64,
                                   "tie_word_embeddings": None}, "c")
    assert "num_hidden_layers = 32" in model.defaulted
    assert all("hidden_size" not in text for text in model.defaulted)


def test_a_number_beyond_any_model_is_refused_in_a_configuration_too() -> None:
    with pytest.raises(SpecError, match="beyond any model"):
        read_config("c.json", {"model_type": "gpt2", "vocab_size": 10**14}, "c")
