"""Attention over what earlier blocks of layers have given, in place of their sum."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL
from symparam.ledger import Matrix


class AttentionResidual(Component):
    """A score for each earlier block's sum: ``w_R`` (1, d_model) on its norm, ``g_R`` (d_model,).

    What is read is the sum of the blocks under the softmax of their scores: how many there are is
    the layer's number over the length of a block, so that no product is listed for it.
    """

    name = "attention"
    slot = "residual"
    title = "attention over blocks of layers"
    source = ("Kimi Team 2026, Attention Residuals; modeling_kimi_linear.py as published with "
              "moonshotai/Kimi-K3")
    dims = (D_MODEL,)
    example = {"d_model": 5}
    names = {"g_R": "res_norm.weight", "w_R": "res_proj.weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The norm and what a score is made with, which multiplies each block's sum."""
        yield Matrix("g_R", (d.d_model,), "norm of the blocks", "gain")
        yield Matrix("w_R", (1, d.d_model), "scores of the blocks", times=0)
