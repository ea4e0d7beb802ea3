"""A derivation as JSON data; expressions are text that the closed grammar reads back."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symparam.derivation.conventions import Convention
from symparam.derivation.leading import Dropped
from symparam.derivation.plan import Derivation
from symparam.derivation.step import Step
from symparam.dims import describe
from symparam.export.latex import LatexFormat
from symparam.export.notation import PRESETS, Notation
from symparam.symbols import from_sympy, right_side

if TYPE_CHECKING:
    from symparam.sensitivity import Sensitivity


def derivation_json(d: Derivation, notation: Notation = PRESETS["paper"],
                    sensitivity: Sensitivity | None = None) -> dict[str, Any]:
    """The derivation as data.

    Args:
        d: the derivation.
        notation: how dims are written in ``latex``.
        sensitivity: what the count depends on, where it is wanted.
    """
    out = LatexFormat(notation)
    depends: dict[str, Any] | None = None
    if sensitivity is not None:
        from symparam.export.sensitivity_data import sensitivity_json

        depends = sensitivity_json(sensitivity)
    return {
        "model": d.model.name, "quantity": "total", "detail": d.detail, "formula": str(d.formula),
        "latex": out.math(d.formula),
        "steps": [step_json(step) for step in d.steps],
        "dropped": [_dropped_json(x) for x in d.dropped],
        "symbols": {name: describe(name).meaning for name in d.symbols()},
        "dims": dict(d.resolution.values), "missing": list(d.resolution.missing),
        "value": d.value,
        "conventions": [_convention_json(c) for c in d.conventions],
        "sensitivity": depends,
    }


def step_json(step: Step) -> dict[str, Any]:
    used = [f"{step.given.dim} = {from_sympy(right_side(step.given))}" if step.given.rounding
            else str(step.given)] if step.given else []
    return {"rule": step.rule, "subject": step.subject, "relation": step.relation,
            "before": str(step.before.expr), "after": str(step.after.expr), "why": step.why,
            "status": step.status, "holds_here": step.holds_here, "constraints": used,
            "substeps": [step_json(inner) for inner in step.substeps]}


def _convention_json(convention: Convention) -> dict[str, Any]:
    return {"name": convention.name, "title": convention.title,
            "formula": str(convention.term.shown), "value": convention.value}


def _dropped_json(x: Dropped) -> dict[str, Any]:
    numel: Any = x.numel
    if isinstance(numel, Fraction):
        numel = str(numel)
    return {"term": str(x.term), "origin": x.origin, "numel": numel,
            "share": None if x.share is None else float(x.share)}
