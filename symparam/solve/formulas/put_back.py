"""A closed form put back into the ledger: matrices listed anew at exact points, and added up.

The formula was found from a polynomial under relations. The ledger knows neither: at a point where
the relations hold its matrices give P, and the formula has to give the dim again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from symparam import expression as ex
from symparam.dims import TOTAL
from symparam.errors import BadValue, FalseStep
from symparam.model import Model
from symparam.solve.formulas.closed_form import ClosedForm
from symparam.solve.formulas.put_in import PutIn

#: At how many points.
POINTS = 3


def put_back(model: Model, form: ClosedForm, given: Mapping[str, PutIn]) -> None:
    """Hold a closed form against the ledger.

    Args:
        model: whose matrices are listed.
        form: formulas for a dim in P and other dims.
        given: the relations that they are under.

    Raises:
        FalseStep: none of the formulas gives the dim that the ledger was listed with.
    """
    if not form.formulas:
        return
    for dims in _points(model, form.symbol, given):
        total = model.ledger(dims).total()
        at = {**dims, TOTAL.name: total}
        wanted = dims[form.symbol]
        if wanted not in [_at(formula, at) for formula in form.formulas]:
            raise FalseStep(f"{form.symbol} = {form.formulas[0]}"[:300],
                            f"at P = {total} it does not give {wanted}")


def _at(formula: ex.Expr, at: Mapping[str, Any]) -> Any:
    """A formula's value; None where its root is none of a fraction."""
    try:
        return ex.evaluate(formula, at)
    except (BadValue, ZeroDivisionError):
        return None


def _points(model: Model, name: str, given: Mapping[str, PutIn]) -> Iterator[dict[str, Any]]:
    """Dims at which the relations hold exactly, as fractions where these divide."""
    names = {*model.dims, name, *(n for each in given.values() for n in ex.symbols_in(each.expr))}
    free = sorted(names - set(given))
    for point in range(POINTS):
        dims: dict[str, Any] = {n: Fraction(_number(i, point)) for i, n in enumerate(free)}
        left = dict(given)
        while left:
            ready = [d for d, each in left.items() if set(ex.symbols_in(each.expr)) <= set(dims)]
            if not ready:
                return  # relations in a circle are refused when they are put in
            for dim in ready:
                try:
                    dims[dim] = ex.evaluate(left.pop(dim).expr, dims)
                except BadValue:  # a root that is no fraction: the algebra stands alone
                    return
        yield dims


def _number(place: int, point: int) -> int:
    """Numbers without a pattern, none of them twice at a point."""
    return 3 + 11 * place + (place * place + 5 * point) % 7 + 101 * point
