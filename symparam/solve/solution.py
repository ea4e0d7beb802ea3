"""What ``solve`` answers: plain data, which a program reads and a page shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from fractions import Fraction
from typing import Any

from symparam.align import AlignmentCheck
from symparam.dataclass import dataclass
from symparam.expression import Rational, expanded_terms
from symparam.grammar import MAX_TERMS
from symparam.model import Model
from symparam.solve.formulas.closed_form import ClosedForm
from symparam.solve.formulas.roots import Root
from symparam.solve.requests.goals import Goal
from symparam.solve.requests.preferences import Preference
from symparam.traced.foundation import rests_on
from symparam.traced.records import Trace


@dataclass(frozen=True, repr=False)
class Configuration:
    """A point of the lattice.

    Attributes:
        dims: the numbers, in the order in which they are written.
        total: its parameters, added up from its ledger.
        error: by how much of the target the quantity that is wanted first is off, exactly.
        notes: the preferences that it meets.
        near: the published model nearest in depth and width, if one is near.
        score: the weights of the preferences that it meets, added up.
        counts: every quantity that was asked for, in the order in which they were.
        checks: what holds of its widths and heads on the hardware; none where it is the length
            or the number of sequences that was searched.
        not_held: the ratios to be held within steps that it holds within more of these alone.
    """

    dims: Mapping[str, int]
    total: int
    error: Fraction
    notes: tuple[str, ...] = ()
    near: str | None = None
    score: int = 0
    counts: Mapping[str, Rational] = field(default_factory=dict)
    checks: tuple[AlignmentCheck, ...] = ()
    not_held: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<configuration {dict(self.dims)}: {self.total}, {float(self.error):+.6%}>"

    @property
    def exact(self) -> bool:
        """Whether it has the target to the last parameter."""
        return self.error == 0

    def to_json(self) -> dict[str, Any]:
        """The configuration as plain data; the error is a number for display."""
        return {"dims": dict(self.dims), "P": self.total, "relative_error": float(self.error),
                "notes": list(self.notes), "not_held": list(self.not_held), "near": self.near,
                "score": self.score,
                "quantities": {name: value if isinstance(value, int) else str(value)
                               for name, value in self.counts.items()},
                "checks": [{"name": c.name, "passed": c.passed, "detail": c.detail}
                           for c in self.checks]}


@dataclass(frozen=True)
class Binding:
    """A constraint without which there would be a configuration.

    Attributes:
        constraint: what stands in the way.
        instead: what would do.
        within: how many points there would be.
        example: the nearest of them.
    """

    constraint: str
    instead: str
    within: int
    example: Mapping[str, int]

    def to_json(self) -> dict[str, Any]:
        """The constraint as plain data."""
        return {"constraint": self.constraint, "instead": self.instead, "within": self.within,
                "example": dict(self.example)}


@dataclass(frozen=True, repr=False)
class Solution:
    """The closed forms, the real roots and the best configurations.

    Attributes:
        model: what was solved.
        target: the value wanted of the first goal.
        tolerance: the relative error within which a configuration meets the target.
        goals: everything that was wanted, a number of parameters (``P``) first.
        fixed: dims held at a number, or given by a rule (as text).
        closed_forms: one for each size that was open.
        roots: all real roots of each, where all other dims have numbers.
        real_at: those numbers.
        configurations: the best ones, best first; where none meets all goals, the nearest misses,
            or for several goals points of which none is better in all (a Pareto front).
        within: how many points meet all goals.
        front: how many points the Pareto front has; 0 where there is none.
        covered: points of the lattice; for a dim asked for with ``?``, every whole number.
        enumerated: points at which the count was worked out.
        complete: no point that belongs before those listed was left out.
        lattice: what was searched, axis by axis, in words.
        assumed: each default with its reason.
        preferences: what configurations are ranked by, with weights.
        bindings: constraints without any one of which there would be a configuration; None where
            there is one, or one dim was solved for.
        remarks: what bounds the one unknown besides the limit, or why no value of it is within.
        everywhere: whether every value of the one unknown is within the limit; the configuration
            is then the first from which on nothing changes.
        trace: what the model was found by, where nobody stated it.
        listed: the model whose matrices were listed.
    """

    model: str
    target: int
    tolerance: Fraction
    goals: tuple[Goal, ...]
    fixed: Mapping[str, int | str]
    closed_forms: tuple[ClosedForm, ...]
    roots: Mapping[str, tuple[Root, ...]]
    real_at: Mapping[str, int]
    configurations: tuple[Configuration, ...]
    within: int
    front: int
    covered: int
    enumerated: int
    complete: bool
    lattice: tuple[str, ...]
    assumed: tuple[tuple[str, str], ...]
    preferences: tuple[Preference, ...] = ()
    bindings: tuple[Binding, ...] | None = None
    remarks: tuple[str, ...] = ()
    everywhere: bool = False
    trace: Trace | None = None
    listed: Model | None = None

    def __repr__(self) -> str:
        best = dict(self.configurations[0].dims) if self.configurations else "none"
        return (f"<solution for {self.goals[0].name} = {self.target} of {self.model}: "
                f"{len(self.configurations)} configurations, best {best}>")

    @property
    def unknowns(self) -> tuple[str, ...]:
        """The dims that were solved for."""
        return ("s",) if self.everywhere else tuple(form.symbol for form in self.closed_forms)

    @property
    def real(self) -> dict[str, Fraction]:
        """The positive real root of each unknown, the largest where there are several."""
        kept = {name: [root for root in roots if not root.rejected]
                for name, roots in self.roots.items()}
        return {name: roots[-1].value for name, roots in kept.items() if roots}

    @property
    def met(self) -> bool:
        """Whether some configuration meets all that was wanted."""
        return self.within > 0

    @property
    def nearest(self) -> tuple[Configuration, ...]:
        """The nearest misses, where no configuration meets the target."""
        return () if self.met else self.configurations

    def to_json(self) -> dict[str, Any]:
        """The solution as plain data; integers are exact."""
        return {
            "target": self.target,
            "targets": [{"quantity": goal.name, "relation": goal.relation, "value": goal.value,
                         "unit": goal.unit} for goal in self.goals],
            "tolerance": float(self.tolerance),
            "fixed": dict(self.fixed),
            "unknowns": list(self.unknowns),
            "closed_form": {form.symbol: str(form.expr) for form in self.closed_forms
                            if form.expr is not None and expanded_terms(form.expr) <= MAX_TERMS},
            "put_in": {form.symbol: [each.to_json() for each in form.put_in]
                       for form in self.closed_forms},
            "real": {name: float(root) for name, root in self.real.items()},
            "roots": {name: [_root_json(root) for root in roots]
                      for name, roots in self.roots.items()},
            "configurations": [found.to_json() for found in self.configurations],
            "within": self.within,
            "front": self.front,
            "covered": self.covered,
            "enumerated": self.enumerated,
            "complete": self.complete,
            "assumed": [{"text": text, "reason": reason} for text, reason in self.assumed],
            "lattice": list(self.lattice),
            "preferences": [{"key": p.key, "name": p.name, "weight": p.weight}
                            for p in self.preferences],
            "bindings": None if self.bindings is None else [b.to_json() for b in self.bindings],
            "remarks": list(self.remarks),
            "everywhere": self.everywhere,
            "met": self.met,
            **rests_on({self.model: self.trace}),
        }


def _root_json(root: Root) -> dict[str, Any]:
    return {"value": float(root.value), "low": str(root.low), "high": str(root.high),
            "rejected": root.rejected or None}
