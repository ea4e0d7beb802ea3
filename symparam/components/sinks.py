"""Attention sinks: a learned score that takes attention and gives nothing."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import N_HEADS
from symparam.ledger import Matrix


class AttentionSinks(Component):
    """A score for each query head that joins the softmax and has no value behind it.

    ``s`` is (n_heads,): a head may turn away from all tokens.
    """

    name = "learned"
    slot = "sinks"
    title = "attention sinks"
    source = "OpenAI 2025, arXiv:2508.10925, section 2.2; Xiao et al. 2023, arXiv:2309.17453"
    prefix = "self_attn."
    dims = (N_HEADS,)
    example = {"n_heads": 3}
    names = {"s": "sinks"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The scores."""
        yield Matrix("s", (d.n_heads,), "score of the sink of each head", "bias")
