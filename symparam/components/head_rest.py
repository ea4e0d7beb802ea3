"""The part of an output matrix that a narrower tied embedding does not fill."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims, equation
from symparam.components.projection import D_EMBED
from symparam.dims import D_MODEL, Dim, V
from symparam.ledger import Matrix

D_REST = Dim("d_rest", r"d_{\text{rest}}", "width that the token embedding leaves to the head")


class HeadRest(Component):
    """The output matrix is the tied embedding of d_embed beside ``W_R`` (d_rest, V) of its own."""

    name = "head-rest"
    slot = "head-rest"
    title = "rest of the output matrix"
    source = "transformers, models/mobilebert, MobileBertLMPredictionHead; arXiv:2004.02984"
    in_block = False
    prefix = "cls.predictions.dense."
    dims = (D_REST, V, D_MODEL, D_EMBED)
    example = {"d_rest": 3, "V": 7, "d_model": 11, "d_embed": 5}
    equations = (equation("d_rest", "d_model - d_embed", "both parts make up the width"),)
    names = {"W_R": "weight"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The matrix."""
        yield Matrix("W_R", (d.d_rest, d.V), "rest of the output")
