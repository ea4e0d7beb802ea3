"""The token embedding."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL, V
from symparam.ledger import Matrix


class TokenEmbedding(Component):
    """One row of d_model for each of V tokens: ``W_E`` is (V, d_model)."""

    name = "token"
    slot = "token"
    title = "token embedding"
    source = "Vaswani et al. 2017, arXiv:1706.03762, section 3.4"
    in_block = False
    prefix = "embed_tokens."
    dims = (V, D_MODEL)
    example = {"V": 7, "d_model": 5}
    names = {"W_E": "weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The table."""
        yield Matrix("W_E", (d.V, d.d_model), "token embedding", "embedding")
