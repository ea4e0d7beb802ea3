"""A gate on each head's output, beside an attention."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL, N_HEADS
from symparam.ledger import Matrix


class HeadGate(Component):
    """One number a head and token, which multiplies the head's output: (n_heads, d_model)."""

    name = "heads"
    slot = "head-gate"
    title = "gate of each head"
    source = "Qiu et al. 2025, arXiv:2505.06708, section 2.2 (head-wise)"
    prefix = "self_attn."
    dims = (D_MODEL, N_HEADS)
    example = {"d_model": 7, "n_heads": 3}
    names = {"W_G": "g_proj.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The gate."""
        yield Matrix("W_G", (d.n_heads, d.d_model), "gate of each head")
