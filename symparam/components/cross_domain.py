"""A dense network with very many experts of one neuron each beside it."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.moe import N_EXPERTS, TOP_K
from symparam.dims import D_FF, D_MODEL, Dim
from symparam.ledger import Index, Matrix

N_KEYS = Dim("n_keys", r"n_{\text{keys}}", "rows of each of the two tables of expert keys")


class CrossDomainMixture(Component):
    """A SwiGLU for every token, and top_k of n_experts single neurons chosen by product keys.

    An expert is a row of ``X_down`` and a row of ``X_up``, d_model each. A token is compared with
    two tables of n_keys rows, where n_keys is the whole root of n_experts.
    """

    name = "cross-domain"
    slot = "ffn"
    title = "cross-domain mixture of experts"
    source = "Shi et al. 2024, arXiv:2412.11834; He 2024, arXiv:2407.04153 (product keys)"
    prefix = "mlp."
    dims = (D_MODEL, D_FF, N_EXPERTS, TOP_K, N_KEYS)
    example = {"d_model": 5, "d_ff": 7, "n_experts": 13, "top_k": 2, "n_keys": 3}
    bias_sites = ("ffn",)
    names = {"W_gate": "gate_proj.weight", "W_up": "up_proj.weight", "W_down": "down_proj.weight",
             "b_gate": "gate_proj.bias", "b_up": "up_proj.bias", "b_down": "down_proj.bias",
             "W_router": "router_gate.weight", "X_down": "down_embed.weight",
             "X_up": "up_embed.weight"}

    bias: frozenset[str] = frozenset()

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The dense network, the keys, the experts."""
        yield Matrix("W_gate", (d.d_ff, d.d_model), "gate")
        yield Matrix("W_up", (d.d_ff, d.d_model), "up")
        yield Matrix("W_down", (d.d_model, d.d_ff), "down")
        if self.has_bias("ffn"):
            yield Matrix("b_gate", (d.d_ff,), "bias of the gate", "bias")
            yield Matrix("b_up", (d.d_ff,), "bias of up", "bias")
            yield Matrix("b_down", (d.d_model,), "bias of down", "bias")
        yield Matrix("W_router", (d.n_keys * 2, d.d_model), "keys of the experts")
        of = (Index("expert", d.n_experts, d.top_k, d.top_k),)
        yield Matrix("X_down", (d.d_model,), "experts' input", indices=of)
        yield Matrix("X_up", (d.d_model,), "experts' output", indices=of)
