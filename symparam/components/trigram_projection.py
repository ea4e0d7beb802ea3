"""A projection of each token's embedding together with those of its two neighbours."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.projection import D_EMBED
from symparam.dims import D_MODEL
from symparam.ledger import Matrix


class TrigramProjection(Component):
    """Three embeddings side by side to the model's width: (d_model, 3·d_embed), with a bias."""

    name = "trigram"
    slot = "projection"
    title = "projection of three embeddings"
    source = "Sun et al. 2020, MobileBERT, arXiv:2004.02984, section 3.1"
    in_block = False
    prefix = "embedding_transformation."
    dims = (D_EMBED, D_MODEL)
    example = {"d_embed": 7, "d_model": 11}
    names = {"W": "weight", "b": "bias"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The matrix and its bias."""
        yield Matrix("W", (d.d_model, 3 * d.d_embed), "projection of three embeddings")
        yield Matrix("b", (d.d_model,), "bias of the projection", "bias")
