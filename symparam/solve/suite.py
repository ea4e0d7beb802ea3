"""Several solutions that belong together: a ladder of sizes, or one size by each strategy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from symparam.dataclass import dataclass
from symparam.errors import BadValue, Contradiction
from symparam.grammar import Rule
from symparam.model import Model
from symparam.points.ratios import Ratio
from symparam.solve.family import TOLERANCE, family
from symparam.solve.requests.request import STRATEGIES, Wishes
from symparam.solve.solution import Solution
from symparam.solve.solver import solve
from symparam.traced.foundation import rests_on

#: Sizes in one ladder.
MOST = 100


@dataclass(frozen=True)
class Suite:
    """Solutions side by side.

    Attributes:
        model: what was solved.
        kind: ``ladder`` or ``strategies``.
        rows: each solution with its label; of a ladder the smallest size first.
        aspect: d_model over the depth of a ladder, where both vary; None for strategies.
        held: what all sizes of a ladder have in common, in words.
    """

    model: str
    kind: str
    rows: tuple[tuple[str, Solution], ...]
    aspect: Ratio | None = None
    held: tuple[str, ...] = ()

    @property
    def met(self) -> bool:
        """Whether every solution has a configuration that meets its target."""
        return all(solution.met for _, solution in self.rows)

    def to_json(self) -> dict[str, Any]:
        """The suite as plain data: the configurations listed for each row, best first."""
        return {"suite": self.kind, "aspect": None if self.aspect is None else str(self.aspect),
                "held": list(self.held), "met": self.met,
                "rows": [_row(label, s) for label, s in self.rows],
                **rests_on({s.model: s.trace for _, s in self.rows})}


def _row(label: str, s: Solution) -> dict[str, Any]:
    return {"label": label, "target": s.target, "met": s.met, "within": s.within,
            "configurations": [c.to_json() for c in s.configurations], "covered": s.covered,
            "enumerated": s.enumerated, "complete": s.complete, "lattice": list(s.lattice)}


def ladder(model: Model, targets: Sequence[int], *, given: Mapping[str, int | Rule] | None = None,
           wishes: Wishes | None = None, aspect: Fraction | None = None,
           tolerance: Fraction = TOLERANCE, limit: int = 1) -> Suite:
    """A family of sizes of one shape (:mod:`symparam.solve.family`), the smallest first.

    Raises:
        SymparamError: as for :func:`symparam.solve.solve`; several sizes alike; an aspect ratio
            given twice.

    >>> from symparam.descriptions.decoder import plain_decoder
    >>> suite = ladder(plain_decoder(), [10**9, 3 * 10**9], given={"V": 50304})
    >>> [label for label, _ in suite.rows], suite.met
    (['1000000000', '3000000000'], True)
    >>> suite.held[0]
    'd_model/L = 128 within one layer'
    """
    wishes = wishes or Wishes()
    if not targets or len(targets) > MOST:
        raise BadValue("--ladder", len(targets), f"expected 1 to {MOST} sizes")
    if len(set(targets)) < len(targets):
        raise Contradiction("a size given twice", "itself", "give each size once")
    if wishes.strategy or any(r.dims == {"d_model", "L"} for r in wishes.ratios):
        raise Contradiction("--ladder", "a strategy or a range of d_model/L",
                            "a ladder has one aspect ratio: say it with --aspect")
    if aspect is not None and not 0 < aspect <= 10**6:
        raise BadValue("--aspect", aspect, "expected a ratio above 0")
    shape, sizes = family(model, targets, given or {}, wishes, aspect, tolerance, limit)
    rows = tuple((str(solved.target), solved) for solved in sizes)
    return Suite(model.name, "ladder", rows, shape.aspect, shape.held)


def strategies(model: Model, target: int, *, given: Mapping[str, int | Rule] | None = None,
               wishes: Wishes | None = None, tolerance: Fraction = Fraction(1, 100),
               limit: int = 3) -> Suite:
    """The best of each strategy for one target: deep, balanced, wide.

    >>> from symparam.descriptions.decoder import plain_decoder
    >>> [label for label, _ in strategies(plain_decoder(), 10**9).rows]
    ['deep', 'balanced', 'wide']
    """
    wishes = wishes or Wishes()
    rows = tuple((name, solve(model, target, given=given, wishes=replace(wishes, strategy=name),
                              tolerance=tolerance, limit=limit, formulas=False))
                 for name in STRATEGIES)
    return Suite(model.name, "strategies", rows)
