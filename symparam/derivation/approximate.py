"""The leading term of a model by its own numbers, where nobody said how its widths go together."""

from __future__ import annotations

from symparam.count import Count
from symparam.derivation.assumptions import usual_relation
from symparam.derivation.leading import untied
from symparam.derivation.plan import Derivation, derive
from symparam.dims import D_MODEL
from symparam.errors import BadValue, NotDerivable


def approximate(d: Derivation) -> Derivation | None:
    """A derivation taken on to its highest power of the model's width.

    A width that is independent of the others is in the ratio to it that the model's numbers have,
    which is an assumption that is told. None where there is no such term, or no number.

    >>> from symparam.descriptions.load import load
    >>> found = approximate(derive(load("llama-3-8b")))
    >>> str(found.formula), [str(a.equation) for a in found.assumptions][-1]
    ('1/2*L*d_model**2*(25 + 4*n_kv/n_heads)', 'd_ff = 7/2*d_model')
    """
    if d.leading is not None:
        return d
    model, values, width = d.model, d.values, D_MODEL.name
    if d.quantity.at_work or width not in model.dims:
        return None
    free = untied(model, Count(d.exact.shares), width, d.assumptions)
    if not all(name in values for name in free):
        return None
    hints = [usual_relation(model, values, name, width) for name in free]
    try:
        return derive(model, (*d.assume, *hints), width, quantity=d.quantity.name)
    except (NotDerivable, BadValue):
        return None
