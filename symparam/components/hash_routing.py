"""Routing by a fixed table instead of scores."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.moe import TOP_K
from symparam.dims import V
from symparam.ledger import Matrix


class HashRouting(Component):
    """A table that says for each token of the vocabulary which top_k experts it goes to.

    It is (V, top_k), made once and never trained: a buffer of the checkpoint.
    """

    name = "hash"
    slot = "routing"
    title = "routing by a table"
    source = "Roller et al. 2021, arXiv:2106.04426; transformers, models/deepseek_v4"
    prefix = "mlp.gate."
    dims = (V, TOP_K)
    example = {"V": 7, "top_k": 3}
    names = {"table": "tid2eid"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The table."""
        yield Matrix("table", (d.V, d.top_k), "experts of each token", "state", status="buffer")
