"""Relative positions of T5: a learned number for each head and bucket of distances."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import N_HEADS, Dim
from symparam.ledger import Matrix

N_BUCKETS = Dim("n_buckets", r"n_{\text{buckets}}", "number of buckets of relative distances", (
    "relative_attention_num_buckets",))


class RelativeBias(Component):
    """A table with a number for each bucket of distances and each head, added to the scores.

    ``W_B`` is (n_buckets, n_heads). T5 has one table for all layers of its encoder and one for
    all of its decoder, stored with the first layer; UMT5 has one in each layer.
    """

    name = "relative-bias"
    slot = "positions"
    title = "relative position bias (T5)"
    source = ("Raffel et al. 2019, arXiv:1910.10683, section 2.1; Chung et al. 2023, "
              "arXiv:2304.09151")
    prefix = "self_attn."
    dims = (N_BUCKETS, N_HEADS)
    example = {"n_buckets": 7, "n_heads": 3}
    names = {"W_B": "relative_attention_bias.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The table."""
        yield Matrix("W_B", (d.n_buckets, d.n_heads), "bias of distances", "embedding")
