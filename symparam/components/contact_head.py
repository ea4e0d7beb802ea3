"""Contacts between residues from a model's attention."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.components.scores import N_LABELS
from symparam.dims import N_HEADS, L
from symparam.ledger import Matrix


class ContactHead(Component):
    """A regression over the attention maps of all heads of all layers, a row for each score.

    ``W_C`` is (n_labels, L·n_heads), with n_labels = 1: two residues touch or they do not. A
    forward pass does not multiply it: contacts are asked for apart.
    """

    name = "contact-head"
    slot = "contact-head"
    title = "contact head"
    source = "Rao et al. 2020, Transformer protein language models are unsupervised structure " \
             "learners, section 3.4; Lin et al. 2023, doi:10.1126/science.ade2574"
    in_block = False
    prefix = "contact_head.regression."
    dims = (N_LABELS, L, N_HEADS)
    example = {"n_labels": 2, "L": 5, "n_heads": 3}
    names = {"W_C": "weight", "b_C": "bias"}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The row and its bias."""
        yield Matrix("W_C", (d.n_labels, d.L * d.n_heads), "contacts", stream="sequence", times=0)
        yield Matrix("b_C", (d.n_labels,), "bias of the contacts", "bias", stream="sequence")
