"""A dense network with very many experts of one neuron each beside it."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Dims
from symparam.components.ffn import Gated
from symparam.components.moe import N_EXPERTS, TOP_K
from symparam.dims import D_FF, D_MODEL, Dim
from symparam.ledger import Index, Matrix

N_KEYS = Dim("n_keys", r"n_{\text{keys}}", "rows of each of the two tables of expert keys")


class CrossDomainMixture(Gated):
    """A SwiGLU for every token, and top_k of n_experts single neurons chosen by product keys.

    An expert is a row of ``X_down`` and a row of ``X_up``, d_model each. A token is compared with
    two tables of n_keys rows, where n_keys is the whole root of n_experts.
    """

    name = "cross-domain"
    title = "cross-domain mixture of experts"
    source = "Shi et al. 2024, arXiv:2412.11834; He 2024, arXiv:2407.04153 (product keys)"
    dims = (D_MODEL, D_FF, N_EXPERTS, TOP_K, N_KEYS)
    example = {"d_model": 5, "d_ff": 7, "n_experts": 13, "top_k": 2, "n_keys": 3}
    equations = ()
    names = {**Gated.names, "W_router": "router_gate.weight", "X_down": "down_embed.weight",
             "X_up": "up_embed.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The dense network, the keys, the experts."""
        yield from super().matrices(d)
        yield Matrix("W_router", (d.n_keys * 2, d.d_model), "keys of the experts")
        of = (Index("expert", d.n_experts, d.top_k, d.top_k),)
        yield Matrix("X_down", (d.d_model,), "experts' input", indices=of)
        yield Matrix("X_up", (d.d_model,), "experts' output", indices=of)
