"""The lines of the derivation: the general one, and those that equations lead to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symparam.derivation.plan import Derivation
from symparam.derivation.step import Line, Step, matrix_names
from symparam.notation.notation import LatexWriter, Notation
from symparam.symbols import from_sympy, right_side

#: Steps after which a line of the whole holds without any equation.
GENERAL = frozenset({"join", "sum", "front"})


def lines_json(derivation: Derivation | None, notation: Notation) -> list[dict[str, Any]]:
    """The lines of the whole, each with the equations under which it holds and its terms; the
    last one that holds is the one to show. The first holds always."""
    if derivation is None:
        return []
    writer = LatexWriter(notation=notation)
    return [{"under": under, "terms": [{
        "expression": str(term.shown), "latex": writer.write(term.shown),
        "matrices": list(matrix_names(term.shares)), "label": list(term.label)}
        for term in line.terms]} for under, line in _lines(derivation)]


def _lines(derivation: Derivation) -> Iterator[tuple[list[str], Line]]:
    under: list[str] = []
    general: Line | None = None
    for step in derivation.steps:
        if step.subject != derivation.symbol or step.relation != "=":
            continue
        if step.given is None and step.rule in GENERAL:
            general = step.after
            continue
        if general is not None:
            yield [], general
            general = None
        under = [*under, *_given(step)]
        if step.rule != "take-apart":
            yield list(under), step.after
    if general is not None:
        yield [], general


def _given(step: Step) -> list[str]:
    """The equation that a step uses, as it is used: a rule that rounds is written out."""
    if step.given is None:
        return []
    shown = from_sympy(right_side(step.given)) if step.given.rounding else step.given.expr
    return [f"{step.given.dim} = {shown}"]
