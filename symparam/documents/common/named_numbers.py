"""The numbers of an answer that prose can cite, each by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from symparam import expression as ex
from symparam.dims import TOTAL, Dim, describe
from symparam.ledger import Ledger
from symparam.model import Model
from symparam.quantities import counts, parameters
from symparam.writers.document import Named


def dims_named(of: str, values: Mapping[str, int],
               describe: Callable[[str], Dim] = describe) -> Iterator[Named]:
    """A model's dims, with what it says of them."""
    for name, value in values.items():
        yield Named(of, name, value, f"{name}: {describe(name).meaning}", counts=False)


def count_named(model: Model, ledger: Ledger, values: Mapping[str, int]) -> tuple[Named, ...]:
    """A count under each convention, by component, and the dims.

    The names depend on the architecture alone, not on its numbers, so that a text that cites
    them goes on to compile when a number changes.

    Args:
        model: which one.
        ledger: its matrices over integers.
        values: its dims.
    """
    of = model.name
    numbers = {name: int(value) for name, value in counts.values(ledger).items()}
    total = numbers.pop(TOTAL.name)
    found = [Named(of, "total", total, counts.COUNTS[TOTAL.name].convention)]
    found += [Named(of, name.replace("active_", "active "), numbers[name],
                    counts.COUNTS[name].convention)
              for name in counts.OTHERWISE if name in numbers]
    for row in parameters.breakdown(ledger):
        found += [Named(of, row.path, int(row.numel), f"{row.path}, all copies"),
                  Named(of, f"{row.path} each", int(row.per_copy), f"{row.path}, one of them"),
                  Named(of, row.path, Fraction(int(row.numel), max(total, 1)),
                        f"{row.path}, of the total")]
    return (*found, *dims_named(of, values, model.describe))


def formula_named(of: str, subject: str, expr: ex.Expr, words: str) -> Named:
    """A formula: ``P`` is the whole, ``P_attention`` a part."""
    return Named(of, subject.removeprefix("P_") if subject != "P" else "", expr, words)
