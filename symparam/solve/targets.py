"""Quantities that a configuration can be asked to have besides its total.

A quantity is a function of a model that gives a polynomial in its dims; nothing else is known of
it here. What is asked of it is met within the tolerance (``=``), or not exceeded (``<=``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from symparam.count import symbolic_ledger
from symparam.errors import BadValue, NotDerivable, UnknownName
from symparam.model import Model
from symparam.quantities import parameters
from symparam.solve.goals import Goal, Relation
from symparam.solve.polynomial import Polynomial
from symparam.symbols import SymExpr, exact


@dataclass(frozen=True)
class Wanted:
    """A quantity by its name, with what is asked of it.

    Attributes:
        name: one of :data:`QUANTITIES`.
        value: a target or a limit, a whole number.
        relation: which of the two.
    """

    name: str
    value: int
    relation: Relation = "="


@dataclass(frozen=True)
class Quantity:
    """A quantity that can be asked for.

    Attributes:
        unit: what it is counted in.
        of: from a model to a polynomial in its dims.
    """

    unit: str
    of: Callable[[Model], SymExpr]


def _active(model: Model) -> SymExpr:
    found = parameters.active(symbolic_ledger(model))
    if found is None:
        raise NotDerivable(f"{model.name} has no experts: its active parameters are its total")
    return exact(found["all"])


QUANTITIES: Mapping[str, Quantity] = {
    "active": Quantity("parameters that a token touches", _active),
}


def goals(model: Model, total: Goal, wanted: tuple[Wanted, ...],
          tolerance: Fraction) -> tuple[Goal, ...]:
    """The total with the other quantities that are wanted.

    Raises:
        UnknownName: a quantity that is not known. BadValue: a value that it cannot have, or one
            given twice.
    """
    found = [total]
    for each in wanted:
        if each.name not in QUANTITIES:
            raise UnknownName("quantity", each.name, QUANTITIES)
        if isinstance(each.value, bool) or not isinstance(each.value, int) or each.value < 1:
            raise BadValue(each.name, each.value, "must be a whole number, at least 1")
        if any(goal.name == each.name for goal in found):
            raise BadValue(each.name, each.value, "is asked for twice")
        quantity = QUANTITIES[each.name]
        found.append(Goal(each.name, Polynomial.of(quantity.of(model)), each.value, each.relation,
                          tolerance, quantity.unit))
    return tuple(found)
