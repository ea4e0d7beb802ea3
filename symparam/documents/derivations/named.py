"""The formulas and numbers of a derivation and of a solution that prose can cite."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from symparam.documents.common.named_numbers import dims_named, formula_named
from symparam.writers.document import Named

if TYPE_CHECKING:
    from symparam.derivation.plan import Derivation
    from symparam.solve import Solution


def derivation_named(d: Derivation) -> tuple[Named, ...]:
    """The exact formula, those of the parts, the leading term, and what it leaves out.

    The numbers that a count names are left to it, so that both can be cited in one text. Of
    another quantity than the number of parameters, its formula and its value.
    """
    of = d.model.name
    if not d.of_parameters:
        return tuple(_of_quantity(d, of))
    return tuple(_formulas(d, of)) + tuple(_numbers(d, of))


def _of_quantity(d: Derivation, of: str) -> Iterator[Named]:
    words = d.quantity.name.replace("_", " ")
    yield formula_named(of, words, d.formula, d.quantity.title)
    if isinstance(d.value, int):
        yield Named(of, words, d.value, d.quantity.convention, counts=False)


def _formulas(d: Derivation, of: str) -> Iterator[Named]:
    yield formula_named(of, "P", d.exact.expr, "the exact number of parameters")
    general = next(step for step in d.steps if step.rule == "sum")
    yield formula_named(of, "general", general.after.expr, "the same with all widths independent")
    for step in d.steps:
        if step.rule == "join":
            yield formula_named(of, step.subject, step.after.expr, f"the part {step.subject}")
        elif step.rule == "leading":
            yield formula_named(of, "leading", step.after.expr, "the leading term")


def _numbers(d: Derivation, of: str) -> Iterator[Named]:
    if d.numbers is None or not d.dropped:
        return
    left = sum((Fraction(x.numel or 0) for x in d.dropped), Fraction(0))
    if left.denominator == 1:
        yield Named(of, "left out", int(left), "what the leading term leaves out")
    yield Named(of, "left out", left / d.numbers.result, "the same, of the total")


def solution_named(s: Solution) -> tuple[Named, ...]:
    """The target, the closed forms, and the best configuration."""
    goal, total = s.goals[0], s.goals[0].name == "P"
    said = "parameters wanted" if total else f"{goal.name} wanted, in {goal.unit}"
    found = [Named(s.model, "target", s.target, said, counts=total)]
    found += [formula_named(s.model, form.symbol, form.expr, f"{form.symbol} in closed form")
              for form in s.closed_forms if form.expr is not None]
    for best in s.configurations[:1]:
        found.append(Named(s.model, "best total", best.total, "of the best configuration"))
        value = best.counts[goal.name]
        if not total and isinstance(value, int):
            found.append(Named(s.model, f"best {goal.name}", value,
                               f"of the best configuration, in {goal.unit}", counts=False))
        found.append(Named(s.model, "best error", abs(best.error), "of the target, in size"))
        found += [Named(s.model, f"best {each.name}", each.value, each.meaning, counts=False)
                  for each in dims_named(s.model, best.dims)]
    return tuple(found)
