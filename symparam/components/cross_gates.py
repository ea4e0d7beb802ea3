"""Gates on what a layer of cross-attention adds."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.ledger import Matrix


class CrossGates(Component):
    """Two numbers, zero at first: one scales the cross-attention's output, one the FFN's."""

    name = "two"
    slot = "cross-gates"
    title = "gates of cross-attention and FFN"
    source = "Alayrac et al. 2022, arXiv:2204.14198, section 2.2; transformers, models/mllama"
    names = {"s_attention": "cross_attn_attn_gate", "s_ffn": "cross_attn_mlp_gate"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The two numbers."""
        yield Matrix("s_attention", (1,), "gate of the cross-attention", "gain")
        yield Matrix("s_ffn", (1,), "gate of the FFN", "gain")
