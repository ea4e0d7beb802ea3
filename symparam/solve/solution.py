"""What ``solve`` answers: plain data, which a program reads and a page shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from symparam.solve.closed_form import ClosedForm


@dataclass(frozen=True, repr=False)
class Configuration:
    """A point of the lattice.

    Attributes:
        dims: the numbers, in the order in which they are written.
        total: its parameters, added up from its ledger.
        error: (total − target)/target, exactly.
        notes: the preferences that it meets.
        near: the published model nearest in depth and width, if one is near.
    """

    dims: Mapping[str, int]
    total: int
    error: Fraction
    notes: tuple[str, ...] = ()
    near: str | None = None

    def __repr__(self) -> str:
        return f"<configuration {dict(self.dims)}: {self.total}, {float(self.error):+.6%}>"

    @property
    def exact(self) -> bool:
        """Whether it has the target to the last parameter."""
        return self.error == 0

    def to_json(self) -> dict[str, Any]:
        """The configuration as plain data; the error is a number for display."""
        return {"dims": dict(self.dims), "P": self.total, "relative_error": float(self.error),
                "notes": list(self.notes), "near": self.near}


@dataclass(frozen=True, repr=False)
class Solution:
    """The closed forms, the real roots and the best configurations.

    Attributes:
        model: what was solved.
        target: the parameters wanted.
        tolerance: the relative error within which a configuration meets the target.
        fixed: dims held at a number, or given by a rule (as text).
        closed_forms: one for each size that was open.
        real: positive real roots, where all other dims have numbers; at least 14 digits are right.
        real_at: those numbers.
        configurations: the best ones, best first; the nearest misses where none meets the target.
        within: how many points within the tolerance were found.
        covered: points of the lattice; for a dim asked for with ``?``, every whole number.
        enumerated: points at which the count was worked out.
        complete: no point that belongs before those listed was left out.
        lattice: what was searched, axis by axis, in words.
        assumed: each default with its reason.
        preferences: what configurations are ranked by, met or not.
    """

    model: str
    target: int
    tolerance: Fraction
    fixed: Mapping[str, int | str]
    closed_forms: tuple[ClosedForm, ...]
    real: Mapping[str, Fraction]
    real_at: Mapping[str, int]
    configurations: tuple[Configuration, ...]
    within: int
    covered: int
    enumerated: int
    complete: bool
    lattice: tuple[str, ...]
    assumed: tuple[tuple[str, str], ...]
    preferences: tuple[str, ...] = ()

    def __repr__(self) -> str:
        best = dict(self.configurations[0].dims) if self.configurations else "none"
        return (f"<solution for P = {self.target} of {self.model}: {len(self.configurations)} "
                f"configurations, best {best}>")

    @property
    def unknowns(self) -> tuple[str, ...]:
        """The dims that were solved for."""
        return tuple(form.symbol for form in self.closed_forms)

    @property
    def met(self) -> bool:
        """Whether the best configuration is within the tolerance."""
        return bool(self.configurations) and abs(self.configurations[0].error) <= self.tolerance

    @property
    def nearest(self) -> tuple[Configuration, ...]:
        """The nearest misses, where no configuration meets the target."""
        return () if self.met else self.configurations

    def to_json(self) -> dict[str, Any]:
        """The solution as plain data; integers are exact."""
        return {
            "target": self.target,
            "fixed": dict(self.fixed),
            "unknowns": list(self.unknowns),
            "closed_form": {form.symbol: str(form.expr) for form in self.closed_forms
                            if form.expr is not None},
            "real": {name: float(root) for name, root in self.real.items()},
            "configurations": [found.to_json() for found in self.configurations],
            "covered": self.covered,
            "enumerated": self.enumerated,
            "complete": self.complete,
            "assumed": [{"text": text, "reason": reason} for text, reason in self.assumed],
            "lattice": list(self.lattice),
            "met": self.met,
        }
