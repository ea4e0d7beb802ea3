"""Floating-point operations of a forward pass: products with weights, and products without.

A multiply-add is two operations. What is looked up (embeddings), normed, added or activated is
not counted, as nobody does who counts matrix products.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symparam.errors import BadValue
from symparam.ledger import BANKED, Matrix
from symparam.quantities.quantity import Quantity, Share, Subject

_ROLES = frozenset({"matmul", "convolution"})
_SOURCE = "Kaplan et al. 2020, arXiv:2001.08361, section 2.1 and table 1"


def multiplied(subject: Subject) -> Iterator[Matrix]:
    """The matrices that vectors are multiplied with; a tied head among them.

    Raises:
        BadValue: nobody says how many experts a token uses.
    """
    for m in subject.ledger.at_work():
        if m.role in _ROLES and m.status != "buffer":
            if m.banked:
                raise BadValue("top_k", "not given", f"{BANKED}, and so not what a token costs")
            yield m


def of_weights(subject: Subject) -> Iterator[Share]:
    """Two operations for each weight and vector; k of E experts, shared layers each time."""
    for m in multiplied(subject):
        vectors = subject.setting.vectors(m)
        yield Share(m.path, (2, *(i.applied for i in m.indices), *m.shape, *vectors))


def of_products(subject: Subject, work: str = "matmul") -> Iterator[Share]:
    """Scores, weighted sums and what else is multiplied without a weight."""
    for p in subject.ledger.at_work().products:
        if p.work == work:
            yield Share(p.path, (*(i.applied for i in p.indices), *p.shape,
                                 *subject.setting.pairs(p)))


def forward(subject: Subject) -> Iterator[Share]:
    """All matrix products of a forward pass."""
    yield from of_weights(subject)
    yield from of_products(subject)


def _per_token(subject: Subject) -> Subject:
    return replace(subject, setting=replace(subject.setting, per_token=True))


def forward_per_token(subject: Subject) -> Iterator[Share]:
    """The same for one token of a sequence."""
    return forward(_per_token(subject))


def scans(subject: Subject) -> Iterator[Share]:
    """What recurrences do number by number."""
    return of_products(subject, "scan")


FORWARD = Quantity(
    name="flops", title="FLOPs of a forward pass", unit="FLOP", shares=forward,
    needs=("s", "b", "s_encoder", "attention"), source=_SOURCE,
    symbol="C_forward",
    convention="matrix products of all sequences of the batch: 2·m·n·k each, scores at every "
    "position; windows followed, pairs that a causal mask hides counted unless they are asked not "
    "to be; k of E experts; no norms, activations, softmax or look-ups")
PER_TOKEN = Quantity(
    name="flops_per_token", title="FLOPs per token", unit="FLOP", shares=forward_per_token,
    needs=("s", "attention"), source=_SOURCE, symbol="c_token",
    convention="matrix products for one token of a sequence of s; with attention in full, which "
    "follows windows, also what one token costs that is generated after s − 1 others")
SCANS = Quantity(
    name="flops_scans", title="scans of recurrent layers", unit="FLOP", shares=scans,
    needs=("s", "b"), symbol="C_scan",
    source="Gu and Dao 2023, arXiv:2312.00752, section 3.3",
    convention="multiply-adds that a recurrence makes number by number, two operations each; no "
    "matrix products, and so not in the other counts")

GROUP = "Forward and backward"
QUANTITIES = (FORWARD, PER_TOKEN, SCANS)
