"""A gate on what attention gives, as a slot beside the attention."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_HEAD, D_MODEL, N_HEADS
from symparam.ledger import Matrix


class NumberGate(Component):
    """A gate for each number that the heads give: ``W_G`` is (n_heads·d_head, d_model).

    It has no bias where the other projections have one; it may have one number a head,
    ``b_G`` (n_heads,), where they have none.
    """

    name = "numbers"
    slot = "output-gate"
    title = "gate of each number of the heads' output"
    source = "Qiu et al. 2025, arXiv:2505.06708, section 2.2"
    prefix = "self_attn."
    dims = (D_MODEL, N_HEADS, D_HEAD)
    example = {"d_model": 7, "n_heads": 3, "d_head": 5}
    names = {"W_G": "gate_proj.weight", "b_G": "gate_bias"}

    head_bias: bool = False

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The gate, and its bias a head where asked for."""
        yield Matrix("W_G", (d.n_heads * d.d_head, d.d_model), "gate of the output")
        if self.head_bias:
            yield Matrix("b_G", (d.n_heads,), "bias of each head's gate", "bias")
