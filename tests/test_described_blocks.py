"""Blocks of a description: names of dims, norms of another width, blocks without attention."""

from __future__ import annotations

from typing import Any

import pytest

from symparam.derivation.plan import derive
from symparam.descriptions.architecture.architecture_file import describe_model
from symparam.descriptions.options import Options, apply
from symparam.errors import NotDerivable, SpecError
from symparam.model import Model
from tests.helpers import ledger

BLOCK = {"layers": "L", "attention": "mha", "ffn": "mlp", "norm": {"kind": "rmsnorm"}}


DIMS = {"V": 100, "L": 6, "d_model": 96, "n_heads": 4}


def described(block: dict[str, Any] | None = None, dims: dict[str, Any] | None = None,
              without: str = "", **top: Any) -> Model:
    """A model from a description that differs from a plain one in what is given."""
    given = {name: n for name, n in DIMS.items() if name != without}
    return describe_model("x.toml", {"dims": {**given, **(dims or {})},
                                     "blocks": [{**BLOCK, **(block or {})}], **top}, "x")


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


def test_a_width_is_one_whatever_its_name() -> None:
    model = described({"ffn": {"kind": "mlp", "dims": {"d_ff": "inner"}}}, {"inner": 100})
    with pytest.raises(NotDerivable, match="inner"):
        derive(model, leading="d_model")
