"""Relative positions of Transformer-XL."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_HEAD, D_MODEL, N_HEADS
from symparam.ledger import Matrix, Product


class RelativePositions(Component):
    """A projection of relative-position encodings in each layer: ``W_R`` is
    (n_heads·d_head, d_model), so L·d_model² where heads split the width (Gopher: 21.5 B).

    Transformer-XL adds two vectors of n_heads·d_head, u and v; ``content_bias`` lists them in
    each layer. Gopher's report counts the projections alone, and so does the default.
    """

    name = "relative"
    slot = "positions"
    title = "relative positions (Transformer-XL)"
    source = "Dai et al. 2019, arXiv:1901.02860, section 3.3; Rae et al. 2021, arXiv:2112.11446"
    prefix = "self_attn."
    dims = (D_MODEL, N_HEADS, D_HEAD)
    example = {"d_model": 11, "n_heads": 3, "d_head": 5}
    names = {"W_R": "r_proj.weight", "u": "r_w_bias", "v": "r_r_bias"}

    content_bias: bool = False

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The projection, and u and v where asked for."""
        yield Matrix("W_R", (d.n_heads * d.d_head, d.d_model), "relative positions")
        if self.content_bias:
            yield Matrix("u", (d.n_heads, d.d_head), "content bias", "bias")
            yield Matrix("v", (d.n_heads, d.d_head), "position bias", "bias")

    def products(self, d: Dims) -> Iterator[Product]:
        """A second score for each query head and key: of their distance."""
        yield Product("distances", (d.n_heads, d.d_head), "queries with relative positions")
