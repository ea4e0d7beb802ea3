"""A derivation as JSON data; expressions are text that the closed grammar reads back."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symparam import expression as ex
from symparam.derivation.conventions import Convention
from symparam.derivation.leading import Dropped
from symparam.derivation.parts import Part, written
from symparam.derivation.plan import Derivation
from symparam.derivation.step import Step
from symparam.documents.common.foundation import resting_data
from symparam.documents.cost_data import number
from symparam.documents.derivations.about import taken
from symparam.documents.derivations.tables import copies_of_matrix
from symparam.ledger import Matrix
from symparam.model import Model
from symparam.notation.notation import PRESETS, Notation
from symparam.quantities.quantity import Share
from symparam.symbols import from_sympy, right_side
from symparam.writers.latex import LatexFormat

if TYPE_CHECKING:
    from symparam.sensitivity import Sensitivity


def derivation_json(d: Derivation, notation: Notation = PRESETS["paper"],
                    sensitivity: Sensitivity | None = None) -> dict[str, Any]:
    """The derivation as data.

    Args:
        d: the derivation.
        notation: how dims are written in ``latex``.
        sensitivity: what it depends on, where it is wanted.
    """
    q = d.quantity
    return {
        "model": d.model.name, "quantity": "total" if d.of_parameters else q.name,
        "title": q.title, "unit": q.unit, "kind": q.kind, "convention": q.convention,
        "source": q.source, "symbol": q.symbol, "detail": d.detail, "formula": str(d.formula),
        "latex": LatexFormat(notation).math(d.formula), "taken": list(taken(d)),
        "windows": {str(bound.window): bound.side for bound in d.windows},
        "assumed": dict(d.assumed),
        "components": [_part_json(part, d) for part in d.parts],
        "steps": [step_json(step, d.model) for step in d.steps],
        "dropped": [_dropped_json(x) for x in d.dropped],
        "symbols": {name: d.model.describe(name).meaning for name in d.symbols()},
        **_numbers(d),
        "value": None if d.value is None else number(d.value),
        "conventions": [_convention_json(c, d.model) for c in d.conventions],
        "inside": {} if d.total is None else {d.total.symbol: _inside_json(d.total)},
        "sensitivity": _depends(sensitivity),
        **resting_data(d.model),
    }


def _numbers(d: Derivation) -> dict[str, Any]:
    """The dims with their numbers, and those without: of parameters all that a model has."""
    present = set(d.symbols())
    return {"dims": {name: value for name, value in d.values.items()
                     if name in present or d.of_parameters},
            "missing": [name for name in d.missing if name in present or d.of_parameters]}


def _depends(found: Sensitivity | None) -> Any:
    if found is None:
        return None
    from symparam.documents.sensitivities.data import sensitivity_json

    return sensitivity_json(found)


def _part_json(part: Part, d: Derivation) -> dict[str, Any]:
    """A part: its matrices in symbols, and every entry as it is written, in all copies."""
    found = [(share, matrix_of(share.path, d)) for share in part.shares]
    return {"symbol": part.symbol, "title": part.title, "copies": str(part.copies),
            "matrices": [_matrix_json(part, share, matrix) for share, matrix in found
                         if matrix is not None],
            "entries": [{"path": share.path, "expression": str(written(Share(
                share.path, (part.copies, *share.factors))))} for share in part.shares]}


def matrix_of(path: str, d: Derivation) -> Matrix | None:
    """The matrix that a share is of; None for a state, a product, or a paper's term."""
    own = path if path in d.ledger else path.rpartition("[")[0]
    return next((matrix for matrix in d.ledger if matrix.path == own), None)


def _matrix_json(part: Part, share: Share, matrix: Matrix) -> dict[str, Any]:
    """A matrix in symbols: a vector has no columns, a kernel as many as numbers for each row."""
    rows, *rest = map(ex.node, matrix.shape)
    return {"path": share.path, "rows": str(rows),
            "cols": str(ex.product_of(*rest)) if rest else None,
            "copies": str(copies_of_matrix(part, share, matrix))}


def step_json(step: Step, model: Model) -> dict[str, Any]:
    """A step: both lines, what was used, how it was shown; of a traced model it says that it is
    shown from rows that were found."""
    used = [f"{step.given.dim} = {from_sympy(right_side(step.given))}" if step.given.rounding
            else str(step.given)] if step.given else []
    return {"rule": step.rule, "subject": step.subject, "relation": step.relation,
            "before": str(step.before.expr), "after": str(step.after.expr), "why": step.why,
            "status": step.status, "shown": _shown(step, model),
            "holds_here": step.holds_here, "constraints": used,
            "substeps": [step_json(inner, model) for inner in step.substeps],
            **({} if model.trace is None else {"from": "rows found"})}


def _shown(step: Step, model: Model) -> str:
    """How a step was shown."""
    if step.rule == "take-apart":
        return "definition" if model.trace is None else "found by probing"
    return "proved" if step.status == "proved" else "checked at points"


def _inside_json(d: Derivation) -> dict[str, Any]:
    """What a symbol of a formula stands for: the last line that holds here, and how it came."""
    return {"formula": str(d.exact.expr), "value": None if d.value is None else number(d.value),
            "steps": [step_json(step, d.model) for step in d.steps]}


def _convention_json(convention: Convention, model: Model) -> dict[str, Any]:
    return {"name": convention.name, "title": convention.title, "symbol": convention.symbol,
            "formula": str(convention.term.shown),
            "written_out": str(convention.step.after.expr),
            "steps": [step_json(convention.step, model)], "value": convention.value}


def _dropped_json(x: Dropped) -> dict[str, Any]:
    numel: Any = x.numel
    if isinstance(numel, Fraction):
        numel = str(numel)
    return {"term": str(x.term), "origin": x.origin, "numel": numel,
            "share": None if x.share is None else float(x.share),
            "constraint": x.constraint or None}
