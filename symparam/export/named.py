"""The numbers of an answer that prose can cite, each by its name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from symparam import expression as ex
from symparam.dims import describe
from symparam.export.document import Named
from symparam.ledger import Ledger
from symparam.quantities import parameters

_MEANT = {
    "trainable": "less frozen tables",
    "with_buffers": "with the buffers that a checkpoint holds",
    "without_input": "without the input embedding",
    "without_embeddings": "without embedding and head",
    "without_positions": "without embedding, head and position tables"}


def dims_named(of: str, values: Mapping[str, int]) -> Iterator[Named]:
    """A model's dims."""
    for name, value in values.items():
        yield Named(of, name, value, f"{name}: {describe(name).meaning}", counts=False)


def count_named(of: str, ledger: Ledger, values: Mapping[str, int]) -> tuple[Named, ...]:
    """A count under each convention, by component, and the dims.

    The names depend on the architecture alone, not on its numbers, so that a text that cites
    them goes on to compile when a number changes.

    Args:
        of: the model's name.
        ledger: its matrices over integers.
        values: its dims.
    """
    total = int(parameters.total(ledger))
    found = [Named(of, "total", total, "every parameter, tied ones once")]
    others = {"trainable": parameters.trainable(ledger),
              "with_buffers": parameters.with_buffers(ledger), **parameters.non_embedding(ledger)}
    found += [Named(of, name, int(value), _MEANT[name]) for name, value in others.items()]
    for name, value in (parameters.active(ledger) or {}).items():
        words = "" if name == "all" else f", {_MEANT[name]}"
        found.append(Named(of, f"active {'' if name == 'all' else name}", int(value),
                           f"what one token touches{words}"))
    for row in parameters.breakdown(ledger):
        found += [Named(of, row.path, int(row.numel), f"{row.path}, all copies"),
                  Named(of, f"{row.path} each", int(row.per_copy), f"{row.path}, one of them"),
                  Named(of, row.path, Fraction(int(row.numel), max(total, 1)),
                        f"{row.path}, of the total")]
    return (*found, *dims_named(of, values))


def formula_named(of: str, subject: str, expr: ex.Expr, words: str) -> Named:
    """A formula: ``P`` is the whole, ``P_attention`` a part."""
    return Named(of, subject.removeprefix("P_") if subject != "P" else "", expr, words)
