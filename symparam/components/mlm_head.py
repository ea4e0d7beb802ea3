"""The output layer of a masked-LM head, with the bias that its decoder may have beside."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL, V
from symparam.ledger import Matrix


class MaskedLMHead(Component):
    """From the width to a score a token: ``W_U`` is (V, d_model), with a bias of V.

    Tied, it shares matrix and bias: the numbers of ``W_U`` are the token embedding's, and there
    is one bias. Untied, the head keeps its bias ``b_U`` and the linear layer has one of its own,
    ``b_D``, so that V numbers are stored twice.
    """

    name = "mlm"
    slot = "head"
    title = "masked-LM head"
    source = "Devlin et al. 2018, arXiv:1810.04805; transformers, models/bert, BertLMPredictionHead"
    in_block = False
    prefix = "cls.predictions."
    dims = (V, D_MODEL)
    example = {"V": 7, "d_model": 5}
    bias_sites = ("head",)
    names = {"W_U": "decoder.weight", "b_U": "bias", "b_D": "decoder.bias"}

    tied: bool = False
    bias: frozenset[str] = frozenset()

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The output matrix and its bias; untied, the second bias."""
        tied_to = "embedding.token.W_E" if self.tied else None
        yield Matrix("W_U", (d.V, d.d_model), "output", tied_to=tied_to)
        if self.has_bias("head"):
            yield Matrix("b_U", (d.V,), "bias of the output", "bias")
            if not self.tied:
                yield Matrix("b_D", (d.V,), "second bias of the output", "bias")
