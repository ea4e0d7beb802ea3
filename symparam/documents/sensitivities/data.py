"""How a quantity changes with the dims, as JSON: exact numbers, expressions that are read back."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from symparam import expression as ex
from symparam.bracketed import written
from symparam.dims import TOTAL, order_key
from symparam.documents.common.foundation import resting_data
from symparam.documents.derivations.about import taken
from symparam.quantities.quantity import Quantity
from symparam.sensitivity import DimRow, Sensitivity
from symparam.sensitivity.compared import Doubling, Slope
from symparam.sensitivity.crossover import Crossover, First
from symparam.sensitivity.held import Held, taken_as
from symparam.sensitivity.points import FiniteStep


def sensitivity_json(s: Sensitivity) -> dict[str, Any]:
    """The sensitivity as data; fractions are text such as ``193/8``."""
    q = s.quantity
    return {
        "model": s.model.name, "part": s.model.part, "quantity": name_of(q), "unit": q.unit,
        "symbol": q.symbol, "convention": q.convention, "taken": list(taken(s)), **_dims(s),
        "measures": [{"quantity": name_of(m.quantity), "formula": str(m.formula),
                      "value": _exact(m.value),
                      "rows": [_row(s, row) for row in m.rows]} for m in s.measures],
        "doubling": [_doubling(s, d) for d in s.doublings],
        "iso_parameter": [_slope(s, slope) for slope in s.slopes],
        "embeddings": str(written(s.subject.amount.embedded)),
        "crossovers": [_crossover(s, c) for c in s.crossovers],
        "shared": dict(s.shared),
        **({} if s.subject.of_parameters else _renamed(s)),
        **resting_data(s.model),
    }


def _renamed(s: Sensitivity) -> dict[str, Any]:
    """Keys that other quantities had before all had the same, for one release, and their places."""
    total = s.total
    rows = [{**_row(s, row), "held": row.held.name, "elasticity": _exact(row.relative),
             "follows": _held(s, row.held)["follows"], "relaxed": taken_as(row.held)}
            for row in total.rows]
    for row in rows:
        del row["degree"]
    return {"formula": str(total.formula), "value": _exact(total.value), "rows": rows,
            "renamed": {key: f"measures[0].{key}" for key in ("formula", "value", "rows")}}


def name_of(quantity: Quantity) -> str:
    """A quantity as data calls it: the number of parameters is ``total`` there."""
    return "total" if quantity.name == TOTAL.name else quantity.name


def _dims(s: Sensitivity) -> dict[str, Any]:
    """Numbers and names without one: of parameters all of the model, else those of the formula."""
    if s.subject.of_parameters:
        return {"dims": dict(s.values), "missing": list(s.resolution.missing)}
    names = sorted({*s.subject.present, *s.subject.reachable}, key=order_key)
    return {"dims": {name: s.values[name] for name in names if name in s.values},
            "missing": [name for name in s.resolution.missing if name in names]}


def _exact(value: ex.Rational | None) -> int | str | None:
    """A number as JSON holds it exactly."""
    whole = None if value is None else ex.whole(value)
    return str(whole) if isinstance(whole, Fraction) else whole


def _number(formula: ex.Expr | None, value: Fraction | None) -> dict[str, Any]:
    """A number with its formula, exactly and for display."""
    return {"formula": None if formula is None else str(formula), "exact": _exact(value),
            "value": None if value is None else float(value)}


def _held(s: Sensitivity, held: Held) -> dict[str, Any]:
    names = tuple(name for name in s.subject.names if name not in held.aside)
    moving = [str(eq) for eq in held.equations if eq.dim not in held.aside]
    return {"name": held.name, "follows": moving, "fixed": [
        *held.fixed(names), *(name for name in s.subject.names if name in held.aside)],
        "put_in": [str(f.taken) for f in held.follows if f.exact],
        "relaxed": taken_as(held)}


def _row(s: Sensitivity, row: DimRow) -> dict[str, Any]:
    put_in = row.derivative.put_in
    return {"wrt": row.wrt, "held": _held(s, row.held), "derivative": str(row.derivative.expr),
            "status": row.status, "derivative_put_in": put_in and str(put_in.expr),
            "degree": _exact(row.derivative.degree), "here": _exact(row.here),
            "elasticity": _number(row.elasticity.expr, row.relative),
            "steps": [_step(step) for step in row.steps]}


def _step(step: FiniteStep) -> dict[str, Any]:
    """A whole step as data."""
    return {"delta": step.delta, "to": step.to, "change": _exact(step.change),
            "dims": dict(step.dims), "refused": step.refused or None}


def _doubling(s: Sensitivity, d: Doubling) -> dict[str, Any]:
    return {"wrt": d.held.wrt, "held": _held(s, d.held),
            "factor": _number(d.formula.expr if d.formula else None, d.factor),
            "layers": _number(None, d.layers), "refused": d.refused or None}


def _slope(s: Sensitivity, slope: Slope) -> dict[str, Any]:
    return {"depth": slope.depth.wrt, "depth_held": _held(s, slope.depth),
            "width": slope.width.wrt, "width_held": _held(s, slope.width),
            "slope": _number(slope.formula, slope.slope),
            "layer_buys": _number(None, slope.bought)}


def _crossover(s: Sensitivity, c: Crossover) -> dict[str, Any]:
    return {"wrt": c.held.wrt, "held": _held(s, c.held), "share": _exact(c.share),
            "root": {**_number(c.formula, c.root if c.is_exact else None),
                     "value": None if c.root is None else float(c.root)},
            "firsts": [_first(first) for first in c.firsts], "why": c.why or None}


def _first(first: First) -> dict[str, Any]:
    return {"multiple": first.multiple, "number": first.number, "share": _exact(first.share),
            "before": first.before, "share_before": _exact(first.share_before),
            "dims": dict(first.dims)}
