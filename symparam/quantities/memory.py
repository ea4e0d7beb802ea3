"""Weights in bytes."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.quantities.formats import quantised
from symparam.quantities.quantity import Quantity, Share, Subject


def weights(subject: Subject) -> Iterator[Share]:
    """Bytes of each stored matrix; quantised by groups (int8, int4), its scales are a share
    of their own."""
    setting = subject.setting
    groups, stored = setting.scales, setting.weights
    for m in subject.ledger.stored():
        copies = tuple(index.stored for index in m.indices)
        here = stored if groups is None or quantised(m) else groups.rest
        yield Share(m.path, (here.bytes, *copies, *m.shape))
        if groups is not None and quantised(m):
            yield Share(f"{m.path}[scales]", (groups.scale.bytes, *copies, *groups.of(m)))


WEIGHTS = Quantity(
    name="weights", title="weights", unit="B", shares=weights, needs=("weights", "groups"),
    symbol="M_weights",
    convention="every parameter, tied ones once, in one number format; by groups (int8, int4), "
    "the matrices of the layers in that format with a 16-bit scale a group of inputs, all else in "
    "16 bits",
    source="Dettmers and Zettlemoyer 2022, arXiv:2212.09720, section 2 (bits and blocks); Frantar "
    "et al. 2022, arXiv:2210.17323, section 4 (groups)")

QUANTITIES = (WEIGHTS,)
