"""Quantities that a configuration can be asked to have besides its total.

Any quantity of :mod:`symparam.quantities` that is a polynomial in the dims, once the tokens and
sequences that a model is run with are numbers. Nothing is known of single quantities here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from symparam import expression as ex
from symparam.count import symbolic_ledger
from symparam.errors import BadValue, NotDerivable, UnknownName
from symparam.expression import Rational
from symparam.model import Model
from symparam.quantities import everything, find, parameters
from symparam.quantities.quantity import Subject
from symparam.quantities.setting import Setting
from symparam.solve.goals import Goal, Relation
from symparam.solve.polynomial import Polynomial
from symparam.symbols import SymExpr, exact, symbol

#: Sums of quantities that have a name of their own here.
SUMS = {"memory": ("weights", "kv_cache")}

#: Tokens of a sequence where nobody says how many.
TOKENS = 4096

_RUN = {"s": "tokens", "b": "batch", "s_encoder": "encoder_tokens", "n_devices": "devices",
        "t": "tensor_parallel"}


@dataclass(frozen=True)
class Wanted:
    """A quantity by its name, with what is asked of it.

    Attributes:
        name: one of :func:`names`.
        value: a target or a limit, a whole number.
        relation: which of the two.
    """

    name: str
    value: int
    relation: Relation = "="


def names() -> list[str]:
    """The quantities that can be asked for.

    >>> {"active", "kv_cache", "flops_per_token", "memory"} <= set(names())
    True
    """
    return list(dict.fromkeys(["active", *SUMS, *everything()]))


def check(wanted: Iterable[Wanted]) -> tuple[Wanted, ...]:
    """What is wanted, checked.

    Raises:
        UnknownName: a quantity that is not known. BadValue: a value that it cannot have, or one
            given twice.
    """
    found: list[Wanted] = []
    for each in wanted:
        if each.name not in names():
            raise UnknownName("quantity", each.name, names())
        if isinstance(each.value, bool) or not isinstance(each.value, int) or each.value < 1:
            raise BadValue(each.name, each.value, "must be a whole number, at least 1")
        if any(other.name == each.name for other in found):
            raise BadValue(each.name, each.value, "is asked for twice")
        found.append(each)
    return tuple(found)


def more_dims(model: Model, wanted: Collection[Wanted]) -> tuple[str, ...]:
    """Dims that a quantity needs besides those of the weights: windows, and what has one."""
    if all(each.name == "active" for each in wanted):
        return ()
    return tuple(name for name in model.dims_at_work if name not in model.dims)


def goals(model: Model, total: Goal, wanted: Iterable[Wanted], lattice: Collection[str],
          setting: Setting) -> tuple[Goal, ...]:
    """The total with the other quantities that are wanted.

    Args:
        model: the architecture.
        total: the first goal, whose tolerance the others have.
        wanted: the others.
        lattice: the dims that points of the lattice have; others keep the model's numbers.
        setting: tokens, sequences and number formats.

    Raises:
        NotDerivable: a quantity that the model does not have, or that is no polynomial.
    """
    return (total, *(_goal(model, each, total.tolerance, lattice, setting) for each in wanted))


def _goal(model: Model, wanted: Wanted, tolerance: Fraction, lattice: Collection[str],
          setting: Setting) -> Goal:
    if wanted.name == "active":
        count, scale = Polynomial.scaled(_active(model), "active")
        return Goal("active", count, wanted.value, wanted.relation, tolerance, scale=scale,
                    convention="parameters that a token touches")

    def number(name: str) -> Any:
        return _number(model, name, lattice, setting)

    subject = Subject.over(model, number, "exact", setting)
    parts = [find(name) for name in SUMS.get(wanted.name, (wanted.name,))]
    try:
        expr = sum((exact(part.value(subject)) for part in parts), exact(0))
        count, scale = Polynomial.scaled(expr, wanted.name)
    except TypeError:
        raise NotDerivable(f"{wanted.name} compares dims of {model.name} that are open: give them "
                           "as numbers") from None
    return Goal(wanted.name, count, wanted.value, wanted.relation, tolerance,
                {"B": "bytes"}.get(parts[0].unit, parts[0].unit), scale,
                "; ".join(part.convention for part in parts))


def _number(model: Model, name: str, lattice: Collection[str], setting: Setting) -> SymExpr:
    """A dim of the lattice as its symbol; what the model is run with, and others, in numbers."""
    if name in _RUN:
        value = getattr(setting, _RUN[name])
        return exact(value if value is not None else setting.tokens)
    if name in lattice:
        return symbol(name)
    if name in model.values:
        return exact(model.values[name])
    return symbol(name)


def _active(model: Model) -> SymExpr:
    found = parameters.active(symbolic_ledger(model))
    if found is None:
        raise NotDerivable(f"{model.name} has no experts: its active parameters are its total")
    return exact(found["all"])


def amount(model: Model, goal: Goal, setting: Setting) -> Rational:
    """A quantity of a model whose dims all have numbers, added up from its lists."""
    subject = Subject.of(model, setting)
    if goal.name == "P":
        return int(subject.ledger.total())
    if goal.name == "active":
        return int(subject.ledger.total(extent="active"))
    found: Any = sum(find(name).value(subject) for name in SUMS.get(goal.name, (goal.name,)))
    return ex.whole(found)


def setting_with(setting: Setting | None, run: Mapping[str, int]) -> Setting:
    """A setting with tokens and sequences: 4096 tokens where nobody says how many.

    >>> setting_with(None, {"s": 128}).tokens, setting_with(None, {}).tokens
    (128, 4096)
    """
    base = setting or Setting(tokens=TOKENS)
    given: dict[str, Any] = {part: run[name] for name, part in _RUN.items() if name in run}
    return replace(base, **given)


def is_run(name: str) -> bool:
    """Whether a key says what a model is run with."""
    return name in _RUN
