"""A number for each token that is added to the scores and never trained."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import V
from symparam.ledger import Matrix


class LogitsBias(Component):
    """A row of V numbers, zero unless somebody sets them: a buffer of the checkpoint.

    BART and what follows it keep ``b`` as (1, V) beside the head; it is no parameter.
    """

    name = "logits-bias"
    slot = "logits-bias"
    title = "bias of the scores"
    source = "Lewis et al. 2019, arXiv:1910.13461; transformers, models/bart"
    in_block = False
    dims = (V,)
    example = {"V": 7}
    names = {"b": "final_logits_bias"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The buffer."""
        yield Matrix("b", (1, d.V), "bias of the scores", "bias", status="buffer")
