"""What other ways to count make of an architecture, as formulas that all its rows share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from symparam.claims.alternatives import Alternative
from symparam.errors import SymparamError
from symparam.expression import Rational
from symparam.model import Model
from symparam.polynomial import Polynomial
from symparam.quantities.counts import value
from symparam.stack import Stack

#: Of how many architectures formulas are kept.
MOST = 64

#: Those of an architecture by what is written for the way and what is counted; its stacks are
#: kept beside them, so that their id stays theirs.
_Kept = tuple[tuple[Stack, ...], dict[tuple[str, str], Polynomial | None]]
_kept: dict[int, _Kept] = {}


def counted(model: Model, way: Alternative, dims: Mapping[str, int], name: str) -> Rational | None:
    """What is counted in another way, where a formula in the model's own dims says it.

    Args:
        model: the model as it is. way: the other way.
        dims: the model's dims.
        name: what is counted.
    """
    _, _, option, make = way
    if option.startswith("V="):  # (a padded vocabulary)
        option, make, dims = "", lambda: model, {**dims, "V": int(option[2:])}
    form = _form(model, option, make, name)
    if form is None or not {n for powers in form.terms for n, _ in powers} <= set(dims):
        return None
    found: Rational = form.value(dims)
    return found


def _form(model: Model, option: str, make: Callable[[], Model], name: str) -> Polynomial | None:
    if id(model.stacks) not in _kept:
        while len(_kept) >= MOST:
            del _kept[next(iter(_kept))]
        _kept[id(model.stacks)] = model.stacks, {}
    forms = _kept[id(model.stacks)][1]
    if (option, name) not in forms:
        forms[option, name] = _worked_out(model, make, name)
    return forms[option, name]


def _worked_out(model: Model, make: Callable[[], Model], name: str) -> Polynomial | None:
    """A formula; None where the changed model has other dims, or a count that is no polynomial."""
    try:
        other = make()
        if (other.values, other.equations) != (model.values, model.equations):
            return None
        ledger = other.ledger({dim: Polynomial.named(dim) for dim in other.dims})
        return Polynomial.of(value(ledger, name))
    except (SymparamError, TypeError):
        return None
