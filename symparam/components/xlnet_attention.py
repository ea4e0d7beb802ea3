"""The relative attention of XLNet, and the vector that stands for a masked token."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.attention import SPLIT, scores_and_sums
from symparam.dims import D_HEAD, D_MODEL, N_HEADS
from symparam.ledger import Matrix, Product

_SOURCE = "Yang et al. 2019, arXiv:1906.08237, section 2"


class RelativeSegmentAttention(Component):
    """Attention over content, relative positions and relative segments.

    ``W_Q``, ``W_K``, ``W_V``, ``W_O`` and ``W_R``, which projects the relative positions, are
    (d_model, n_heads, d_head) each. u, v and s are biases of (n_heads, d_head) for content,
    position and segment; ``W_S`` is (2, n_heads, d_head): the same segment, or another.
    """

    name = "xlnet"
    slot = "attention"
    title = "relative attention (XLNet)"
    source = _SOURCE
    prefix = "rel_attn."
    dims = (D_MODEL, N_HEADS, D_HEAD)
    example = {"d_model": 11, "n_heads": 3, "d_head": 5}
    equations = (SPLIT,)
    names = {"W_Q": "q", "W_K": "k", "W_V": "v", "W_O": "o", "W_R": "r", "W_S": "seg_embed",
             "u": "r_w_bias", "v": "r_r_bias", "s": "r_s_bias"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The five projections, the three biases, the table of segments."""
        for letter, what in zip("QKVOR", ("queries", "keys", "values", "output",
                                          "relative positions"), strict=True):
            both = 2 if letter == "R" else 1  # distances before and behind a token
            yield Matrix(f"W_{letter}", (d.d_model, d.n_heads, d.d_head), what, times=both)
        for letter, what in zip("uvs", ("content", "position", "segment"), strict=True):
            yield Matrix(letter, (d.n_heads, d.d_head), f"{what} bias", "bias")
        yield Matrix("W_S", (2, d.n_heads, d.d_head), "relative segments", "embedding")

    def products(self, d: Dims) -> Iterator[Product]:
        """Scores by content, by distance in both directions and by segment; weighted sums."""
        yield from scores_and_sums(d.n_heads, d.d_head, d.d_head)
        yield Product("distances", (2, d.n_heads, d.d_head), "queries with relative positions")
        yield Product("segments", (2, d.n_heads, d.d_head), "queries with relative segments",
                      over="nothing")
        yield Product("chosen", (2, d.n_heads), "the segment of a pair")


class MaskVector(Component):
    """A vector of d_model that the second stream of XLNet begins with: no token is seen there."""

    name = "vector"
    slot = "mask"
    title = "mask vector (XLNet)"
    source = _SOURCE + ".3"
    in_block = False
    dims = (D_MODEL,)
    example = {"d_model": 5}
    names = {"mask": "mask_emb"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The vector."""
        yield Matrix("mask", (1, 1, d.d_model), "in place of a token", "embedding")
