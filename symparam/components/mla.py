"""Multi-head latent attention."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.attention import scores_and_sums
from symparam.constraints import Divides
from symparam.dims import D_MODEL, N_HEADS, Dim
from symparam.ledger import Matrix, Product, State

Q_RANK = Dim("q_rank", r"r_{\text{q}}", "rank of the queries' compression", ("q_lora_rank",))
KV_RANK = Dim("kv_rank", r"r_{\text{kv}}", "rank of the keys' and values' compression",
              ("kv_lora_rank",))
D_NOPE = Dim("d_nope", r"d_{\text{nope}}", "width of a head's part without rotation",
             ("qk_nope_head_dim",))
D_ROPE = Dim("d_rope", r"d_{\text{rope}}", "width of a head's rotated part",
             ("qk_rope_head_dim",))
D_V = Dim("d_v", r"d_{\text{v}}", "width of one head's values", ("v_head_dim",))


class LatentAttention(Component):
    """Queries and key-values pass through a low rank; a part of each key, shared by all heads,
    is rotated.

    ``W_DQ`` (q_rank, d_model) and ``W_UQ`` (n_heads·(d_nope + d_rope), q_rank) make the queries,
    or one ``W_Q`` without a query rank; ``W_DKV`` (kv_rank + d_rope, d_model) and ``W_UKV``
    (n_heads·(d_nope + d_v), kv_rank) make keys and values. The compressed vectors are normed,
    unless they are ``bare``. Published code counts a key-value head for each query head; n_kv plays
    no part.
    """

    name = "mla"
    slot = "attention"
    title = "multi-head latent attention"
    source = "DeepSeek-AI 2024, arXiv:2405.04434, section 2.1"
    prefix = "self_attn."
    rotated = "d_rope"
    dims = (D_MODEL, N_HEADS, Q_RANK, KV_RANK, D_NOPE, D_ROPE, D_V)
    example = {"d_model": 17, "n_heads": 3, "q_rank": 5, "kv_rank": 7, "d_nope": 11, "d_rope": 2,
               "d_v": 13}
    checks = (Divides(2, "d_rope", "rotary positions turn pairs of coordinates"),)
    bias_sites = ("qkv", "attn-out")
    names = {"W_Q": "q_proj.weight", "W_DQ": "q_a_proj.weight", "b_DQ": "q_a_proj.bias",
             "g_Q": "q_a_layernorm.weight", "W_UQ": "q_b_proj.weight",
             "W_DKV": "kv_a_proj_with_mqa.weight", "b_DKV": "kv_a_proj_with_mqa.bias",
             "g_KV": "kv_a_layernorm.weight", "W_UKV": "kv_b_proj.weight",
             "W_O": "o_proj.weight", "b_O": "o_proj.bias"}

    bias: frozenset[str] = frozenset()
    full_queries: bool = False
    bare: bool = False

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Down and up for queries, down and up for keys with values, and the output."""
        queries, down = d.n_heads * (d.d_nope + d.d_rope), self.has_bias("qkv")
        if self.full_queries:
            yield Matrix("W_Q", (queries, d.d_model), "queries")
        else:
            yield Matrix("W_DQ", (d.q_rank, d.d_model), "queries down")
            if down:
                yield Matrix("b_DQ", (d.q_rank,), "bias of the queries down", "bias")
            if not self.bare:
                yield Matrix("g_Q", (d.q_rank,), "norm of the compressed queries", "gain")
            yield Matrix("W_UQ", (queries, d.q_rank), "queries up")
        yield Matrix("W_DKV", (d.kv_rank + d.d_rope, d.d_model), "keys and values down")
        if down:
            yield Matrix("b_DKV", (d.kv_rank + d.d_rope,), "bias of keys and values down", "bias")
        if not self.bare:
            yield Matrix("g_KV", (d.kv_rank,), "norm of the compressed keys and values", "gain")
        yield Matrix("W_UKV", (d.n_heads * (d.d_nope + d.d_v), d.kv_rank), "keys and values up")
        yield Matrix("W_O", (d.d_model, d.n_heads * d.d_v), "output")
        if self.has_bias("attn-out"):
            yield Matrix("b_O", (d.d_model,), "bias of the output", "bias")

    def state(self, d: Dims) -> Iterator[State]:
        """The compressed vector and the rotated key that all heads share, for each token."""
        yield State("latent", (d.kv_rank,), "compressed keys and values")
        yield State("K_rope", (d.d_rope,), "rotated part of the keys")

    def products(self, d: Dims) -> Iterator[Product]:
        """Scores over both parts of a key, and weighted sums, with keys and values made whole."""
        return scores_and_sums(d.n_heads, d.d_nope + d.d_rope, d.d_v)
