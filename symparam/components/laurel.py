"""A learned residual of low rank beside a block's attention."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL, Dim
from symparam.ledger import Matrix

RESIDUAL_RANK = Dim("r_laurel", r"r_{\text{laurel}}", "rank of a learned residual",
                    ("laurel_rank",))


class LearnedResidual(Component):
    """LAuReL of low rank: ``W_left`` (r_laurel, d_model), ``W_right`` (d_model, r_laurel), a norm.

    Its output is added to what the residual connection carries.
    """

    name = "laurel"
    slot = "residual"
    title = "learned residual (LAuReL)"
    source = "Menghani et al. 2024, arXiv:2411.07501, section 2; transformers, models/gemma3n"
    prefix = "laurel."
    dims = (D_MODEL, RESIDUAL_RANK)
    example = {"d_model": 5, "r_laurel": 3}
    names = {"W_left": "linear_left.weight", "W_right": "linear_right.weight",
             "g_laurel": "post_laurel_norm.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """Down, up, and the norm."""
        yield Matrix("W_left", (d.r_laurel, d.d_model), "residual down")
        yield Matrix("W_right", (d.d_model, d.r_laurel), "residual up")
        yield Matrix("g_laurel", (d.d_model,), "norm of the residual", "gain")
