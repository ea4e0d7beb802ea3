"""What every assertion needs: whether the views of a model agree, and a message of problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from symparam.count import count
from symparam.errors import SymparamError
from symparam.model import Model
from symparam.quantities.counts import value
from symparam.symbols import symbol

#: Problems that a message shows.
MOST = 12


def refuse(what: str, problems: Iterable[str]) -> None:
    """Raise an AssertionError that names what has problems, if it has any."""
    found = list(dict.fromkeys(problems))
    if found:
        more = [f"  and {len(found) - MOST} more"] if len(found) > MOST else []
        lines = (f"  {each}" for each in found[:MOST])
        raise AssertionError("\n".join([f"{what}:", *lines, *more]))


def disagreements(model: Model, values: Mapping[str, int]) -> Iterator[str]:
    """Where the formula, the matrices and the tensors of a checkpoint differ at some numbers."""
    ledger = model.ledger(values)
    try:
        tensors = list(model.layout.each(ledger, buffers=True))
    except SymparamError as error:
        yield f"its checkpoint cannot be written: {error}"
        return
    formula = count(model).plain().subs({symbol(name): n for name, n in values.items()})
    if formula != ledger.total():
        yield f"its formula gives {formula}, its matrices add up to {ledger.total()}"
    held = value(ledger, "with_buffers")
    if (stored := sum(t.numel for t in tensors)) != held:
        yield f"its tensors hold {stored} numbers, its matrices {held}"
