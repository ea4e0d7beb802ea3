"""The square layer before a masked-LM head."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Dims
from symparam.components.pooler import SquareLayer
from symparam.ledger import Matrix


class MaskedLMTransform(SquareLayer):
    """The square layer before BERT's masked-LM head; a norm of its own follows it."""

    name = "mlm-transform"
    slot = "transform"
    title = "masked-LM transform"
    source = "Devlin et al. 2018, arXiv:1810.04805; google-research/bert, run_pretraining.py"
    prefix = "transform."
    names = {"W": "dense.weight", "b": "dense.bias"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The matrix and its bias, on every token."""
        yield Matrix("W", (d.d_model, d.d_model), self.title)
        yield Matrix("b", (d.d_model,), f"bias of the {self.title}", "bias")
