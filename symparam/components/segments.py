"""Segment (token type) embeddings."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL, N_TYPES
from symparam.ledger import Matrix


class SegmentEmbedding(Component):
    """One row of d_model for each segment type, two in BERT: ``W_S`` is (n_types, d_model)."""

    name = "segments"
    slot = "segments"
    title = "segment embedding"
    source = "Devlin et al. 2018, arXiv:1810.04805, section 3 and figure 2"
    in_block = False
    prefix = "token_type_embeddings."
    dims = (N_TYPES, D_MODEL)
    example = {"n_types": 2, "d_model": 5}
    names = {"W_S": "weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The table."""
        yield Matrix("W_S", (d.n_types, d.d_model), "segment embedding", "embedding")
