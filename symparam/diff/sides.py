"""Both models of a difference: run alike, each with the other's numbers where it lacks its own, and
which of their dims are written by others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from fractions import Fraction

import sympy as sp

from symparam import expression as ex
from symparam.constraints import Equation, Standing, Sums
from symparam.derivation.at_numbers import Wanted, wanted
from symparam.diff.side import Side
from symparam.dims import order_key
from symparam.errors import Contradiction
from symparam.model import Model
from symparam.quantities import everything
from symparam.quantities.quantity import Quantity
from symparam.quantities.setting import Setting
from symparam.resolve import Resolution, resolve, with_overrides
from symparam.run import RUN
from symparam.sight import SIZE, sizes
from symparam.symbols import from_sympy, to_sympy

#: A number of layers by a rule of more terms than this is a dim of its own.
MOST_TERMS = 24


def sides(before: Model, after: Model, quantity: Quantity, setting: Setting,
          apart: Collection[str] = ()) -> tuple[Side, Side]:
    """Both models, numbers that one of them lacks taken from the other; both are run alike unless
    each was given its own numbers for that, or a name is among those that are looked at apart."""
    first, second = resolve(before), resolve(after)
    one, taken_one = _completed(before, first, second, after)
    two, taken_two = _completed(after, second, first, before)
    of_one, of_two = wanted(one, quantity, setting), wanted(two, quantity, setting)
    run_one, run_two = _run_alike(of_one, of_two, apart)
    if run_one or run_two:
        of_one = wanted(with_overrides(one, run_one), quantity, setting)
        of_two = wanted(with_overrides(two, run_two), quantity, setting)
    first, second = of_one.resolution, of_two.resolution
    return (Side(of_one, _written(of_one.model, first, second), (*taken_one, *run_one)),
            Side(of_two, _written(of_two.model, second, first), (*taken_two, *run_two)))


def _run_alike(one: Wanted, two: Wanted,
               apart: Collection[str]) -> tuple[dict[str, int], dict[str, int]]:
    """What either is to be run with as the other is: what only that one was given; where neither
    was, the smaller of what both would take, but pictures of the size that each is made for."""
    first, second = dict[str, int](), dict[str, int]()
    for name in (name for name in _run_with(one, two) if name not in apart):
        own, other = one.resolution.values.get(name), two.resolution.values.get(name)
        said = _is_said(one, name), _is_said(two, name)
        if own is not None and other is not None and said == (False, False):
            said = (own < other, other < own) if name in RUN else said
        if other is not None and said == (False, True):
            first[name] = other
        elif own is not None and said == (True, False):
            second[name] = own
    return first, second


def refuse_unread(quantity: Quantity, given: Iterable[str]) -> None:
    """Refuse sizes of pictures where a quantity reads no pictures.

    Args:
        quantity: what changes.
        given: names of what models are run with.

    Raises:
        Contradiction: one is not read.
    """
    for name in given:
        if name in SIZE and "n_images" not in quantity.needs:
            reads = ", ".join(n for n, each in everything().items() if "n_images" in each.needs)
            raise Contradiction(name, quantity.title, f"it is read by the quantity {reads}")


def _run_with(one: Wanted, two: Wanted) -> Iterator[str]:
    """What both are run with: what has a number in each, what the quantity depends on though no
    number of it is taken, and of what sees the size of a picture."""
    if not one.quantity.at_work:
        return
    for name, row in RUN.items():
        if all(name in each.resolution.values for each in (one, two)) or (
                not row.defaults and name in one.present | two.present):
            yield name
    if "n_images" in one.quantity.needs:
        yield from (name for name in SIZE if all(name in sizes(each.model) for each in (one, two)))


def _is_said(wanted: Wanted, name: str) -> bool:
    """Whether somebody gave a number that a model is run with."""
    return name in wanted.resolution.values and name not in wanted.assumed and (
        name in RUN or name in wanted.model.values)


def _completed(model: Model, own: Resolution, other: Resolution,
               giver: Model) -> tuple[Model, tuple[str, ...]]:
    """A model that lacks numbers, with those that were given for the other one."""
    if not own.missing:
        return model, ()
    defined = {eq.dim for eq in model.all_equations() if eq.standing is Standing.DEFINITION}
    wanted = {*model.dims, *(name for eq in model.equations for name in eq.inputs)}
    found = {name: value for name, value in other.values.items()
             if name in wanted - defined and name not in model.values
             and (name in giver.values or name in own.missing)}
    return with_overrides(model, found), tuple(sorted(found, key=order_key))


def _written(model: Model, own: Resolution, other: Resolution) -> dict[str, ex.Expr]:
    """The dims that are written by others: equations applied until none is left."""
    chosen: dict[str, ex.Expr] = {}
    for eq in model.all_equations():
        if eq.dim in model.dims and eq.dim not in chosen and (
                _is_meant(eq, own.values) or _is_kind(model, eq, own, other)):
            chosen[eq.dim] = eq.expr
    chosen |= _last_kinds(model, chosen)
    for _ in chosen:  # one may be written by another
        chosen = {name: ex.substitute(expr, chosen) for name, expr in chosen.items()}
    return {name: expr for name, expr in chosen.items() if name not in ex.symbols_in(expr)}


def _last_kinds(model: Model, chosen: Mapping[str, ex.Expr]) -> dict[str, ex.Expr]:
    """Numbers of layers that are the same for every depth: what is left where all other kinds are
    written by the number of all."""
    found: dict[str, ex.Expr] = {}
    for check in (check for check in model.all_checks() if isinstance(check, Sums)):
        open_ = [part for part in check.parts if part not in chosen]
        if len(open_) == 1:
            rest = ex.Sym(check.whole) - ex.sum_of(*(chosen[part] for part in check.parts
                                                     if part in chosen))
            value = from_sympy(sp.expand(to_sympy(rest)))
            if isinstance(value, ex.Num) and model.values.get(open_[0]) == value.value:
                found[open_[0]] = value
    return found


def _is_meant(eq: Equation, values: Mapping[str, int]) -> bool:
    """Whether an equation says what an option is, or what these numbers make of it."""
    if eq.rounding or _has_fraction(eq.expr):  # a step of the way would not come out whole
        return False
    if eq.standing is Standing.DEFINITION:
        return True
    return eq.standing is Standing.CANDIDATE and eq.holds(values) is True


def _is_kind(model: Model, eq: Equation, own: Resolution, other: Resolution) -> bool:
    """Whether it gives the layers of one kind by those of the others, and with the numbers of
    either model does so as a whole number."""
    counts = {name for stack in model.stacks if stack.repeat
              for name in ex.symbols_in(stack.repeat.stored)}
    follows = own.rules.get(eq.dim, eq) == eq and eq.dim not in own.given
    if eq.dim not in counts or not follows or eq.rounding or _has_fraction(eq.expr) or (
            ex.expanded_terms(eq.expr) > MOST_TERMS):
        return False
    for values in (own.values, {**own.values, **other.values}):
        if all(name in values for name in eq.inputs) and ex.evaluate(eq.expr, values) < 0:
            return False
    return True


def _has_fraction(expr: ex.Expr) -> bool:
    return any(isinstance(node, (ex.Quotient, ex.Power)) or (
        isinstance(node, ex.Num) and isinstance(node.value, Fraction)) for node in ex.walk(expr))
