"""The numbers of a sensitivity that prose can cite, each by its name."""

from __future__ import annotations

from collections.abc import Iterator

from symparam import expression as ex
from symparam.dims import TOTAL
from symparam.sensitivity import DimRow, Sensitivity
from symparam.sensitivity.answer import Measured
from symparam.writers.document import Named


def sensitivity_named(s: Sensitivity) -> tuple[Named, ...]:
    """Each derivative as a formula and here, and each whole step.

    The totals and dims are left to a count, so that both can be cited in one text.

    >>> from symparam.sensitivity import analyse
    >>> from symparam.descriptions.load import load
    >>> [n.name for n in sensitivity_named(analyse(load("gpt2"), ["V"]))][:4]
    ['derivative V all others', 'derivative V all others', 'step V plus 64 all others']
    """
    return tuple(each for measured in s.measures for each in _measured(s.model.name, measured))


def _measured(of: str, measured: Measured) -> Iterator[Named]:
    kind = "" if measured.name == TOTAL.name else f"{measured.name} ".replace("_", " ")
    for row in measured.rows:
        yield from _row(of, kind, row)


def _row(of: str, kind: str, row: DimRow) -> Iterator[Named]:
    what = f"{kind}derivative {row.wrt} {row.held.name}"
    words = f"the derivative by {row.wrt}, {row.held.name}"
    yield Named(of, what, row.derivative.expr, f"{words}, as a formula")
    if isinstance(row.here, int):
        yield Named(of, what, row.here, f"{words}, here")
    elif row.here is not None:
        yield Named(of, f"{what} here", ex.Num(row.here), f"{words}, here")
    for step in row.steps:
        if step.change is not None:
            sign = "plus" if step.delta > 0 else "less"
            yield Named(of, f"{kind}step {row.wrt} {sign} {abs(step.delta)} {row.held.name}",
                        step.change, f"what {row.wrt} {sign} {abs(step.delta)} changes, "
                        f"{row.held.name}")
