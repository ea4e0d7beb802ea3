"""Derivations in one process: many kinds of layer against one, and the longest that there are."""

from __future__ import annotations

from typing import Any

import pytest

from symparam.api import Model, decoder, load
from symparam.derivation.plan import derive
from symparam.descriptions.architecture.architecture_file import describe_model
from symparam.documents.derivations.document import derivation_document
from symparam.templating.render import render

#: A hundred layers, all alike or of four kinds that alternate.
KINDS = {"uniform": [{}], "mixed": [
    {}, {"attention": {"kind": "mha"}}, {"ffn": {"kind": "mlp"}},
    {"attention": {"kind": "gqa", "bias": ["qkv"]}, "ffn": {"kind": "geglu"}}]}


def layered(kinds: list[dict[str, Any]]) -> Model:
    """A model of a hundred layers."""
    usual = {"attention": {"kind": "gqa"}, "ffn": {"kind": "swiglu"}, "norm": {"kind": "rmsnorm"}}
    blocks = [{"name": f"kind{i}", "layers": list(range(i, 100, len(kinds))), **usual, **kind}
              for i, kind in enumerate(kinds)]
    dims = {"V": 32000, "L": 100, "d_model": 4096, "n_heads": 32, "n_kv": 32, "d_ff": 11008}
    return Model.wrap(describe_model("layers", {"dims": dims, "blocks": blocks}, "layers"))


@pytest.mark.benchmark(group="a hundred layers")
@pytest.mark.parametrize("kinds", KINDS)
def test_layers(kinds: str, benchmark: Any) -> None:
    """From the blocks to the last proved line."""
    model = layered(KINDS[kinds])
    assert benchmark.pedantic(derive, (model,), rounds=10, warmup_rounds=1).value


@pytest.mark.benchmark(group="derivations")
@pytest.mark.parametrize("name", ["llama-2-7b", "deepseek-v3", "decoder"])
@pytest.mark.parametrize("detail", ["brief", "full"])
def test_derivation(name: str, detail: str, benchmark: Any) -> None:
    """A derivation with its page of LaTeX."""
    model = decoder(ffn="swiglu") if name == "decoder" else load(name)

    def written() -> str:
        return render(derivation_document(derive(model, detail=detail)), "latex")

    assert benchmark.pedantic(written, rounds=10, warmup_rounds=1)
