"""Weights in bytes, alone and with the cache."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.quantities.formats import quantised
from symparam.quantities.kv_cache import KV_CACHE
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
    "et al. 2022, arXiv:2210.17323, section 5 (groups)")

MEMORY_PARTS = (WEIGHTS, KV_CACHE)


def memory(subject: Subject) -> Iterator[Share]:
    """What inference keeps: the weights, then the cache."""
    return (share for part in MEMORY_PARTS for share in part.shares(subject))


MEMORY = Quantity(
    name="memory", title="weights and cache", unit="B", shares=memory, symbol="M",
    needs=tuple(dict.fromkeys(need for part in MEMORY_PARTS for need in part.needs)),
    convention="; ".join(part.convention for part in MEMORY_PARTS),
    source="; ".join(part.source for part in MEMORY_PARTS), parts=MEMORY_PARTS)

GROUP = "Weights and memory"
QUANTITIES = (WEIGHTS, MEMORY)
