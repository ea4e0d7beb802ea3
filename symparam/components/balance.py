"""A balancing vector beside a router that a checkpoint holds as an untrained parameter."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.moe import N_EXPERTS
from symparam.ledger import Matrix


class FrozenBalance(Component):
    """One number for each expert, added to its score when experts are chosen.

    ``e`` is (n_experts,), or (1, n_experts) as a row. It follows the load of the experts and has
    no gradient; it is counted, and not trained. Where a checkpoint holds it as a buffer instead,
    it is an option of the mixture (``balance``).
    """

    name = "frozen"
    slot = "balance"
    title = "balancing vector"
    source = "Wang et al. 2024, arXiv:2408.15664, section 3"
    prefix = "mlp."
    dims = (N_EXPERTS,)
    example = {"n_experts": 7}
    names = {"e": "expert_bias"}

    row: bool = False

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The vector."""
        shape = (1, d.n_experts) if self.row else (d.n_experts,)
        yield Matrix("e", shape, "load balance", "bias", status="frozen")
