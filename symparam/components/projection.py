"""A change of width between a narrow embedding and the layers."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL, Dim
from symparam.ledger import Matrix

D_EMBED = Dim("d_embed", r"d_{\text{embed}}", "width of the token embedding, where it is not the "
              "model's", ("word_embed_proj_dim", "embedding_size"))


class Projection(Component):
    """One matrix from the embedding's width to the model's: ``W`` is (d_model, d_embed).

    With the two dims bound crosswise it leads back, in front of the head. An ``idle`` one is
    stored, and a forward pass does not use it.
    """

    name = "linear"
    slot = "projection"
    title = "projection between widths"
    source = "Lan et al. 2019, arXiv:1909.11942, section 3.1; Zhang et al. 2022, arXiv:2205.01068"
    in_block = False
    prefix = "project_in."
    dims = (D_EMBED, D_MODEL)
    example = {"d_embed": 7, "d_model": 11}
    bias_sites = ("projection",)
    names = {"W": "weight", "b": "bias"}

    bias: frozenset[str] = frozenset()
    idle: bool = False

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The matrix, and its bias where asked for."""
        yield Matrix("W", (d.d_model, d.d_embed), "change of width", times=0 if self.idle else 1)
        if self.has_bias("projection"):
            yield Matrix("b", (d.d_model,), "bias of the change of width", "bias")
