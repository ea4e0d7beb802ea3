"""A mixture some of whose experts compute nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symparam.component import Dims
from symparam.components.moe import MixtureOfExperts
from symparam.dims import Dim
from symparam.ledger import Matrix

N_ZERO = Dim("n_zero", r"n_{\text{zero}}", "number of experts that give back what they get", (
    "zero_expert_num",))


class ZeroExpertMixture(MixtureOfExperts):
    """Routed experts, of which n_zero more give back what they get and have no weights.

    The router and its balancing vector have a row for each of them: ``W_router`` is
    (n_experts + n_zero, d_model). Active parameters are those of a token whose experts all compute.
    """

    name = "moe-zero"
    title = "mixture with zero-computation experts"
    source = "Meituan LongCat Team 2025, arXiv:2509.01322, section 2.1.1"
    dims = (*MixtureOfExperts.dims, N_ZERO)
    example = {**MixtureOfExperts.example, "n_zero": 17}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """What a mixture has, with a longer router."""
        rows = d.n_experts + d.n_zero
        for matrix in super().matrices(d):
            if matrix.path in {"W_router", "b_router", "balance"}:
                yield replace(matrix, shape=(rows, *matrix.shape[1:]))
            else:
                yield matrix
