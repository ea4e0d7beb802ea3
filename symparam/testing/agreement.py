"""What every assertion needs: whether the views of a model agree, and a message of problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from symparam.count import count
from symparam.dims import Dim, known_dims
from symparam.errors import SymparamError
from symparam.expression import Sym
from symparam.model import Model
from symparam.notation.notation import PRESETS, LatexWriter, TextWriter
from symparam.notation.notation_file import twins
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


def alike(dims: Iterable[Dim]) -> Iterator[str]:
    """Which of some dims, all known, are written as another one is in a notation."""
    own = [dim.name for dim in dims]
    for name, notation in PRESETS.items():
        for writer in (LatexWriter(notation=notation), TextWriter(notation=notation)):
            shown = {dim.name: writer.write(Sym(dim.name)) for dim in known_dims()}
            if pair := twins(shown, own):
                yield (f"dims {' and '.join(pair)} are both written {shown[pair[0]]} in the "
                       f"notation {name}: give another letter")
                return


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
