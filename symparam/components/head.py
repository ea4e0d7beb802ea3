"""The language-model head."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL, V
from symparam.ledger import Matrix


class LanguageModelHead(Component):
    """From the width to a score a token: ``W_U`` is (V, d_model).

    Tied, it shares its numbers with the token embedding and is stored 0 times; it is multiplied
    with all the same. A bias (BERT, GPT-J, Phi) is its own even then.
    """

    name = "lm"
    slot = "head"
    title = "language-model head"
    source = ("Vaswani et al. 2017, arXiv:1706.03762, section 3.4; tying: Press and Wolf 2016, "
              "arXiv:1608.05859")
    in_block = False
    prefix = "lm_head."
    dims = (V, D_MODEL)
    example = {"V": 7, "d_model": 5}
    bias_sites = ("head",)
    names = {"W_U": "weight", "b_U": "bias"}

    tied: bool = False
    bias: frozenset[str] = frozenset()

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The output matrix, and its bias where asked for."""
        tied_to = "embedding.token.W_E" if self.tied else None
        yield Matrix("W_U", (d.V, d.d_model), "output", tied_to=tied_to)
        if self.has_bias("head"):
            yield Matrix("b_U", (d.V,), "bias of the output", "bias")
