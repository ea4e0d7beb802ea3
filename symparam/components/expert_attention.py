"""Mixture of attention heads: experts make the queries and take the output."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.attention import keys_and_values, scores_and_sums
from symparam.components.moe import N_EXPERTS, TOP_K
from symparam.constraints import AtMost
from symparam.dims import D_HEAD, D_MODEL, N_KV
from symparam.ledger import Index, Matrix, Product, State


class MixtureOfAttentionHeads(Component):
    """k of E experts for a token, each with a query and an output matrix for n_kv heads.

    ``X_Q`` is (n_kv·d_head, d_model), ``X_O`` (d_model, n_kv·d_head), both once an expert; keys
    and values are those of all experts: ``W_K``, ``W_V`` (n_kv·d_head, d_model). ``W_router`` is
    (n_experts, d_model), and ``b_O`` (d_model,) is added to the sum.
    """

    name = "moa"
    slot = "attention"
    title = "mixture of attention heads"
    source = "Zhang et al. 2022, arXiv:2210.05144; Shen et al. 2024, arXiv:2404.07413, section 2.3"
    prefix = "self_attention."
    dims = (D_MODEL, N_EXPERTS, TOP_K, N_KV, D_HEAD)
    example = {"d_model": 11, "n_experts": 7, "top_k": 3, "n_kv": 2, "d_head": 5}
    checks = (AtMost("top_k", "n_experts", "a token uses some of the experts that there are"),)
    names = {"W_router": "experts.router.layer.weight", "X_Q": "experts.*.q_proj.weight",
             "X_O": "experts.*.o_proj.weight", "b_O": "experts.bias",
             "W_K": "k_proj.weight", "W_V": "v_proj.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The router, the experts' queries and outputs, the keys and values of all."""
        width = d.n_kv * d.d_head
        of = (Index("expert", d.n_experts, d.top_k, d.top_k),)
        yield Matrix("W_router", (d.n_experts, d.d_model), "router")
        yield Matrix("X_Q", (width, d.d_model), "experts' queries", indices=of)
        yield Matrix("X_O", (d.d_model, width), "experts' output", indices=of)
        yield Matrix("b_O", (d.d_model,), "bias of the output", "bias")
        yield Matrix("W_K", (width, d.d_model), "keys")
        yield Matrix("W_V", (width, d.d_model), "values")

    def state(self, d: Dims) -> Iterator[State]:
        """A key and a value for each of the n_kv heads that all experts share."""
        return keys_and_values(d.n_kv, d.d_head, d.d_head)

    def products(self, d: Dims) -> Iterator[Product]:
        """Scores and weighted sums of n_kv heads of each expert that a token uses."""
        return scores_and_sums(d.top_k * d.n_kv, d.d_head, d.d_head)
