"""Scores of a class, an answer or a yes or no, in front of nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL, Dim
from symparam.ledger import Matrix

N_LABELS = Dim("n_labels", r"n_{\text{labels}}", "number of scores that a classifier gives",
               ("num_labels",))


class Scores(Component):
    """A linear layer from the width to n_labels scores: ``W_S`` is (n_labels, d_model).

    ELECTRA's discriminator gives each token one: was it replaced or not.
    """

    name = "linear"
    slot = "scores"
    title = "scores"
    source = "Clark et al. 2020, arXiv:2003.10555, section 2"
    in_block = False
    prefix = "classifier."
    dims = (N_LABELS, D_MODEL)
    example = {"n_labels": 3, "d_model": 5}
    bias_sites = ("scores",)
    names = {"W_S": "weight", "b_S": "bias"}

    bias: frozenset[str] = frozenset()

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The matrix, and its bias where asked for."""
        yield Matrix("W_S", (d.n_labels, d.d_model), "scores")
        if self.has_bias("scores"):
            yield Matrix("b_S", (d.n_labels,), "bias of the scores", "bias")
