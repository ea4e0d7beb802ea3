"""Attention whose one compressed vector is key and value of all heads (DeepSeek V4)."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims, equation
from symparam.components.attention import scores_and_sums
from symparam.components.mla import Q_RANK
from symparam.constraints import Standing
from symparam.dims import D_HEAD, D_MODEL, N_HEADS, Dim
from symparam.ledger import Matrix, Product, State

N_OUT = Dim("n_out", r"n_{\text{out}}", "number of groups of heads with an output of their own",
            ("o_groups",))
N_OUT_HEADS = Dim("n_out_heads", r"n_{\text{heads/out}}", "number of heads in an output group")
OUT_RANK = Dim("out_rank", r"r_{\text{out}}", "rank of one group's output", ("o_lora_rank",))


class SingleVectorAttention(Component):
    """Queries through a low rank, one vector of d_head as key and value, the output in groups.

    ``W_DQ`` (q_rank, d_model) and ``W_UQ`` (n_heads·d_head, q_rank) make the queries, ``W_KV``
    (d_head, d_model) the key that is the value too. Each of n_out groups of heads has its own
    (out_rank, n_out_heads·d_head), stored one under the other as ``W_OA``; ``W_OB``
    (d_model, n_out·out_rank) joins them. A learned score a head, ``b_sink``, takes attention
    that no token gets.
    """

    name = "single-kv"
    slot = "attention"
    title = "attention whose key is its value"
    source = "DeepSeek-AI 2026, arXiv:2606.19348, section 2.3; transformers, models/deepseek_v4"
    prefix = "self_attn."
    dims = (D_MODEL, N_HEADS, D_HEAD, Q_RANK, N_OUT, N_OUT_HEADS, OUT_RANK)
    example = {"d_model": 11, "n_heads": 3, "d_head": 7, "q_rank": 5, "n_out": 2,
               "n_out_heads": 17, "out_rank": 13}
    equations = (equation("n_out_heads", "n_heads/n_out", "the groups share out the heads",
                          Standing.DEFINITION),)
    names = {"W_DQ": "q_a_proj.weight", "g_Q": "q_a_norm.weight", "W_UQ": "q_b_proj.weight",
             "W_KV": "kv_proj.weight", "g_KV": "kv_norm.weight", "W_OA": "o_a_proj.weight",
             "W_OB": "o_b_proj.weight", "b_sink": "sinks"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Queries down and up, the key that is the value, groups' outputs, sinks."""
        yield Matrix("W_DQ", (d.q_rank, d.d_model), "queries down")
        yield Matrix("g_Q", (d.q_rank,), "norm of the compressed queries", "gain")
        yield Matrix("W_UQ", (d.n_heads * d.d_head, d.q_rank), "queries up")
        yield Matrix("W_KV", (d.d_head, d.d_model), "keys that are values")
        yield Matrix("g_KV", (d.d_head,), "norm of keys that are values", "gain")
        yield Matrix("W_OA", (d.n_out * d.out_rank, d.n_out_heads * d.d_head), "groups' outputs")
        yield Matrix("W_OB", (d.d_model, d.n_out * d.out_rank), "output of all groups")
        yield Matrix("b_sink", (d.n_heads,), "score of attending to nothing", "bias")

    def state(self, d: Dims) -> Iterator[State]:
        """One vector for each token, key and value of all heads."""
        yield State("KV", (d.d_head,), "keys that are values")

    def products(self, d: Dims) -> Iterator[Product]:
        """Scores and weighted sums of every head."""
        return scores_and_sums(d.n_heads, d.d_head, d.d_head)
