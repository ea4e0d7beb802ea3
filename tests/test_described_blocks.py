"""Blocks of a description: names of dims, norms of another width, blocks without attention."""

from __future__ import annotations

from typing import Any

import pytest

from symparam.components import choices, find
from symparam.derivation.plan import derive
from symparam.descriptions.architecture.architecture_file import describe_model
from symparam.descriptions.load import build, load
from symparam.descriptions.options import Options, apply
from symparam.errors import BadValue, ConstraintViolated, NotDerivable, SpecError
from symparam.model import Model
from symparam.resolve import numbers, with_overrides
from tests.helpers import ledger

BLOCK = {"layers": "L", "attention": "mha", "ffn": "mlp", "norm": {"kind": "rmsnorm"}}


DIMS = {"V": 100, "L": 6, "d_model": 96, "n_heads": 4}


def described(block: dict[str, Any] | None = None, dims: dict[str, Any] | None = None,
              without: str = "", **top: Any) -> Model:
    """A model from a description that differs from a plain one in what is given."""
    given = {name: n for name, n in DIMS.items() if name != without}
    top = {"blocks": [{**BLOCK, **(block or {})}], **top}
    return describe_model("x.toml", {"dims": {**given, **(dims or {})}, **top}, "x")


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


#: Two kinds of block, of which the second uses keys and values that the first makes.
SHARING = [{**BLOCK, "name": "own", "layers": "L - 2"},
           {**BLOCK, "name": "shared", "layers": "rest", "attention": "shared-kv"}]


@pytest.mark.parametrize(("own", "fits"), [("gqa", True), ("mla", True), ("shared-kv", False)])
def test_some_kind_of_layer_makes_the_keys_that_others_use(own: str, fits: bool) -> None:
    blocks = [{**SHARING[0], "attention": own}, SHARING[1]]
    if fits:
        assert described(blocks=blocks).dims
        return
    with pytest.raises(SpecError, match=r"blocks\[0\].attention.kind: shared-kv in every layer: "
                                        "none would make the keys and values"):
        described(blocks=blocks)


def test_one_kind_of_layer_alone_makes_its_own_keys() -> None:
    with pytest.raises(SpecError, match="none would make the keys and values"):
        described({"attention": "shared-kv"})


def test_a_depth_without_a_layer_that_makes_keys_is_refused() -> None:
    model = described(blocks=SHARING)
    assert numbers(with_overrides(model, {"L": 3})).values["L_own"] == 1
    with pytest.raises(ConstraintViolated, match=r"0 < L_own .some layer makes the keys"):
        numbers(with_overrides(model, {"L": 2}))


@pytest.mark.parametrize("model", ["gpt2", "t5-base", "jamba-v0.1", "gemma-3n-e2b", None])
def test_keys_of_other_layers_are_no_choice_for_every_layer(model: str | None) -> None:
    """The attention is known by what it says of itself, not by its name."""
    using = [name for name in choices("attention") if find("attention", name).borrows]
    assert using == ["shared-kv"]
    for name in using:
        with pytest.raises(BadValue, match=f"--attention = {name}: no layer would make"):
            build(model, Options(attention=name), {})


def test_a_published_model_with_shared_keys_needs_a_layer_that_makes_them() -> None:
    model = load("gemma-3n-e2b")
    assert numbers(model).values["L_shared"] == 10
    with pytest.raises(ConstraintViolated, match="some layer makes the keys"):
        numbers(with_overrides(model, {"L_own": 0}))
