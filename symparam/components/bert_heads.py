"""What BERT puts on top of its encoder: a pooler, or a transform before the masked-LM head."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL
from symparam.ledger import Matrix


class _Square(Component, abstract=True):
    """A square matrix with a bias."""

    in_block = False
    dims = (D_MODEL,)
    example = {"d_model": 5}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The matrix and its bias."""
        yield Matrix("W", (d.d_model, d.d_model), self.title, stream="sequence")
        yield Matrix("b", (d.d_model,), f"bias of the {self.title}", "bias", stream="sequence")


class Pooler(_Square):
    """A square layer on the first token's output, once a sequence: d_model² + d_model."""

    name = "pooler"
    slot = "pooler"
    title = "pooler"
    source = "Devlin et al. 2018, arXiv:1810.04805; google-research/bert, modeling.py"
    prefix = "pooler."
    names = {"W": "dense.weight", "b": "dense.bias"}


class MaskedLMTransform(_Square):
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
