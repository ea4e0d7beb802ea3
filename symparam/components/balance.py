"""A balancing vector beside a router that a checkpoint holds as an untrained parameter."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.moe import N_EXPERTS
from symparam.ledger import Matrix


class FrozenBalance(Component):
    """One number for each expert, added to its score when experts are chosen: (n_experts,).

    It follows the load of the experts and has no gradient; it is counted, and not trained. Where
    a checkpoint holds it as a buffer instead, it is an option of the mixture (``balance``).
    """

    name = "frozen"
    slot = "balance"
    title = "balancing vector"
    source = "Wang et al. 2024, arXiv:2408.15664, section 3"
    prefix = "mlp."
    dims = (N_EXPERTS,)
    example = {"n_experts": 7}
    names = {"e": "expert_bias"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The vector."""
        yield Matrix("e", (d.n_experts,), "load balance", "bias", status="frozen")


class FrozenBalanceRow(FrozenBalance):
    """The same numbers stored as a row: ``e`` is (1, n_experts)."""

    name = "frozen-row"
    title = "balancing vector, stored as a row"
    source = "transformers, models/ernie4_5_moe"

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The row."""
        yield Matrix("e", (1, d.n_experts), "load balance", "bias", status="frozen")
