"""The certificate of a sensitivity: what is differentiated, its derivatives, elasticities."""

from __future__ import annotations

from typing import Any

from symparam.bracketed import written
from symparam.certificate.of_derivation import names_in
from symparam.certificate.pieces import PEN, Data, certificate, number, used
from symparam.derivation.at_numbers import wanted
from symparam.dims import TOTAL
from symparam.quantities import find
from symparam.sensitivity.amount import Amount
from symparam.sensitivity.answer import DimRow, Measured, Sensitivity
from symparam.sensitivity.held import Held


def sensitivity_certificate(s: Sensitivity) -> Data:
    """The certificate of the derivatives of a sensitivity.

    >>> from symparam.descriptions.load import load
    >>> from symparam.sensitivity import analyse
    >>> body = sensitivity_certificate(analyse(load("llama-2-7b"), ["n_kv"]))["body"]
    >>> body["measures"][0]["rows"][0]["derivative"]
    '2*L*d_model*d_head'
    """
    measures = [_measure(m, amount) for m, amount in zip(
        s.measures, s.subject.amounts, strict=True)]
    body: Data = {"measures": measures}
    values = {} if s.value is None else s.values
    return certificate("sensitivity", s.model.name, {s.model.name: s.model},
                       {**body, "dims": used(values, names_in(body))})


def _measure(m: Measured, amount: Amount) -> Data:
    """A quantity with its derivatives; a number of parameters in it as entries of its own."""
    q, asked = m.quantity, amount.wanted
    inside = {}
    if TOTAL.name in asked.present:
        total = wanted(asked.model, find(TOTAL.name), asked.run)
        inside = {TOTAL.name: _entries(Amount(total))}
    return {"about": {"quantity": q.name, "title": q.title, "unit": q.unit,
                      "convention": q.convention, "source": q.source},
            "entries": _entries(amount), "inside": inside, "formula": PEN.expr(m.formula),
            "value": None if m.value is None else number(m.value),
            "rows": [_row(row) for row in m.rows]}


def _entries(amount: Amount) -> Data:
    """What a quantity is the sum of."""
    trees = amount.wanted.trees
    return {share.path: PEN.entry(share, trees.ledger) for share in amount.quantity.shares(trees)}


def _row(row: DimRow) -> Data:
    """A derivative with what is held, and the elasticity."""
    return {"about": {"held": row.held.name, "status": row.status}, "wrt": row.wrt,
            "follows": _follows(row.held), "derivative": PEN.expr(row.derivative.expr),
            "here": None if row.here is None else number(row.here),
            "elasticity": PEN.expr(row.elasticity.expr),
            "relative": None if row.relative is None else number(row.relative)}


def _follows(held: Held) -> list[Data]:
    """The dims that follow, each after what it needs: put in, or by how much they change."""
    slopes = held.slopes()

    def slope(dim: str, exact: bool) -> Any:
        return None if exact else PEN.expr(written(slopes[dim]))

    return [{"about": {"rule": str(f.equation)}, "equation": f"{f.dim} = {PEN.expr(f.taken.expr)}",
             "slope": slope(f.dim, f.exact)} for f in held.follows]
