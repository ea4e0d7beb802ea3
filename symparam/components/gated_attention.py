"""Softmax attention whose output passes a gate."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Dims
from symparam.components.attention import GroupedQueryAttention
from symparam.ledger import Matrix


class GatedAttention(GroupedQueryAttention):
    """Grouped-query attention with a gate on each number that the heads give.

    ``W_G`` (n_heads·d_head, d_model) is as large as ``W_Q``, with which checkpoints store it in
    one tensor of twice the rows; its sigmoid multiplies the heads' output before ``W_O``.
    """

    name = "gated"
    title = "gated attention"
    source = "Qiu et al. 2025, arXiv:2505.06708, section 2.2; transformers, models/qwen3_next"
    names = {**GroupedQueryAttention.names, "W_G": "g_proj.weight", "b_G": "g_proj.bias"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """What grouped-query attention has, and the gate."""
        yield from super().matrices(d)
        gate = d.n_heads * d.d_head
        yield Matrix("W_G", (gate, d.d_model), "gate of the output")
        if self.has_bias("qkv"):
            yield Matrix("b_G", (gate,), "bias of the gate", "bias")
