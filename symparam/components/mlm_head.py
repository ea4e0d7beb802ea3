"""The output layer of a masked-LM head, with the bias that its decoder may have beside."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Dims
from symparam.components.head import LanguageModelHead
from symparam.ledger import Matrix


class MaskedLMHead(LanguageModelHead):
    """From the width to a score a token: ``W_U`` is (V, d_model), with a bias of V.

    Tied, it shares matrix and bias: the numbers of ``W_U`` are the token embedding's, and there
    is one bias. Untied, the head keeps its bias ``b_U`` and the linear layer has one of its own,
    ``b_D``, so that V numbers are stored twice.
    """

    name = "mlm"
    title = "masked-LM head"
    source = "Devlin et al. 2018, arXiv:1810.04805; transformers, models/bert, BertLMPredictionHead"
    prefix = "cls.predictions."
    names = {"W_U": "decoder.weight", "b_U": "bias", "b_D": "decoder.bias"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The output matrix and its bias; untied, the second bias."""
        yield from super().matrices(d)
        if self.has_bias("head") and not self.tied:
            yield Matrix("b_D", (d.V,), "second bias of the output", "bias")
