"""A mask that attention computes from its values."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_HEAD, N_KV
from symparam.ledger import Matrix


class DynamicMask(Component):
    """Which keys a head sees follows from their values: ``W_mask`` (n_kv, n_kv·d_head).

    ``g_mask`` scales it, one number for each key-value head.
    """

    name = "dynamic"
    slot = "mask"
    title = "dynamic mask"
    source = "Shi et al. 2024, arXiv:2412.11834; transformers, models/doge"
    prefix = "self_attn."
    dims = (N_KV, D_HEAD)
    example = {"n_kv": 2, "d_head": 5}
    bias_sites = ("mask",)
    names = {"W_mask": "dt_proj.weight", "b_mask": "dt_proj.bias", "g_mask": "A"}

    bias: frozenset[str] = frozenset()

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The projection, its bias where asked for, and the scale."""
        yield Matrix("g_mask", (d.n_kv,), "scale of the mask", "gain")
        yield Matrix("W_mask", (d.n_kv, d.n_kv * d.d_head), "mask from the values")
        if self.has_bias("mask"):
            yield Matrix("b_mask", (d.n_kv,), "bias of the mask", "bias")
