"""Lines and steps of a derivation. One that is not true cannot be constructed.

A line is a sum of terms; each term is what a reader sees (a tree) together with the share that
every matrix has in it. A term is refused unless the shares sum to what is seen; a step is
refused unless both lines agree matrix by matrix, which is the polynomial identity with all tags
in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import cached_property
from typing import Literal, TypeAlias

import sympy as sp

from symparam import expression as ex
from symparam.arranged import degree
from symparam.constraints import Equation
from symparam.dataclass import dataclass
from symparam.errors import FalseStep
from symparam.symbols import (
    SymExpr,
    collected,
    expand,
    has,
    is_zero,
    put_in,
    right_side,
    symbol,
    tag,
    to_sympy,
)

#: At how many points a step that rounds is worked out.
POINTS = 12

Holds: TypeAlias = Literal[True, "nearly", None]


def short(matrix_name: str) -> str:
    """A matrix as a label names it: ``W_Q`` as it is, ``W_gate`` by its word.

    >>> short("W_Q"), short("W_UKV"), short("W_gate"), short("b_up")
    ('W_Q', 'W_UKV', 'gate', 'b_up')
    """
    head, _, rest = matrix_name.partition("_")
    return rest if head == "W" and len(rest) > 1 and not rest.isupper() else matrix_name


def matrix_names(paths: Iterable[str]) -> tuple[str, ...]:
    """The matrices at some paths, as the brace under a term names them, without
    what tells several shares of one apart (its scales, its layers with a window).

    >>> matrix_names(["layers[dense].ffn.W_up", "layers.attention.K[window]"])
    ('up', 'K')
    """
    names = (path.rpartition(".")[2].partition("[")[0] for path in paths)
    return tuple(dict.fromkeys(map(short, names)))


@dataclass(frozen=True)
class Term:
    """One term of a line.

    Attributes:
        shown: what a reader sees.
        shares: path of each matrix in it to that matrix's share.
        label: names of what it comes from, for the brace under it.
        definitions: symbols in ``shown`` that stand for expressions (``P_attention``).

    Raises:
        FalseStep: the shares do not sum to what is shown.
    """

    shown: ex.Expr
    shares: Mapping[str, SymExpr]
    label: tuple[str, ...] = ()
    definitions: Mapping[str, SymExpr] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shown, whole = to_sympy(self.shown, self.definitions), sp.Add(*self.shares.values())
        if expand(shown) != whole and not is_zero(shown - whole):
            raise FalseStep(f"{self.shown} is made of {', '.join(self.shares)}",
                            str(expand(shown - whole)))

    def degree(self, of: str) -> ex.Rational:
        """The highest power of a name in it."""
        return max(degree(powers, (of,)) for share in self.shares.values()
                   for powers in collected(share).terms)


@dataclass(frozen=True)
class Line:
    """A sum of terms."""

    terms: tuple[Term, ...]

    @cached_property
    def expr(self) -> ex.Expr:
        """What a reader sees."""
        return ex.sum_of(*(term.shown for term in self.terms))

    @cached_property
    def shares(self) -> dict[str, SymExpr]:
        """Each matrix's share in the whole line."""
        found: dict[str, SymExpr] = {}
        for term in self.terms:
            for path, share in term.shares.items():
                found[path] = found[path] + share if path in found else share
        return found

    @cached_property
    def tagged(self) -> SymExpr:
        """The line as an expression with each matrix's tag."""
        return sp.Add(*(tag(path) * share for path, share in self.shares.items()))

    @cached_property
    def plain(self) -> SymExpr:
        """The line as an expression."""
        return expand(sp.Add(*self.shares.values()))

    def symbols(self) -> list[str]:
        """The symbols that a reader sees."""
        return ex.symbols_in(self.expr)


def line(terms: Iterable[Term]) -> Line:
    """A line of terms; those that are 0 are left out."""
    return Line(tuple(term for term in terms if term.shown != ex.Num(0)))


@dataclass(frozen=True)
class Step:
    """From one line to the next.

    Attributes:
        rule: the name of what was done.
        subject: the symbol that both lines equal: ``P`` or ``P_attention``.
        before, after: the lines.
        why: the reason, in words.
        given: the equation that was used.
        remainder: for ``≈``, what was left out, exactly.
        holds_here: whether the equation holds for the model's numbers.
        substeps: the steps inside it, in the long form: from its first line to its last, or
            what becomes of single parts.

    A step whose equation rounds is an identity in the rounded expression, of which algebra knows
    nothing more; so both lines are worked out at whole numbers as well, and it is called checked.

    Raises:
        FalseStep: the lines differ by more than the remainder, or at one of the points; a
            brace names other matrices than those in its term; or substeps do not lead from the
            first line to the last.
    """

    rule: str
    subject: str
    before: Line
    after: Line
    why: str
    given: Equation | None = None
    remainder: Line = Line(())
    holds_here: Holds = None
    substeps: tuple[Step, ...] = ()

    def __post_init__(self) -> None:
        for term in self.after.terms if self.rule == "join" else ():
            if term.label != matrix_names(term.shares):
                raise FalseStep(f"{term.shown} comes from {', '.join(term.label) or 'nothing'}",
                                f"its matrices, {', '.join(matrix_names(term.shares))}")
        self._check_shares()
        if self.given and self.given.rounding:
            self._check_at_points(self.given)
        self._check_substeps()

    def _check_shares(self) -> None:
        """What each matrix has in the first line, under the equation, it has in the second."""
        table = {symbol(self.given.dim): right_side(self.given)} if self.given else {}
        before, after, rest = self.before.shares, self.after.shares, self.remainder.shares
        for path in {**before, **after, **rest}:
            old, new = before.get(path, sp.S.Zero), after.get(path, sp.S.Zero)
            if self.given and has(old, self.given.dim):
                old = put_in(old, table)
            if path in rest:
                new += rest[path]
            if old is not new and old != new and not is_zero(old - new):
                raise FalseStep(f"{self.rule}: {self.before.expr} = {self.after.expr} in {path}",
                                str(expand(old - new)))

    def _check_substeps(self) -> None:
        """The steps inside lead from the first line to the last."""
        chain = [step for step in self.substeps if step.subject == self.subject]
        ends = [self.before, *(line for step in chain for line in (step.before, step.after)),
                self.after]
        for left, right in zip(ends[::2], ends[1::2], strict=True):
            if chain and left.expr != right.expr:
                raise FalseStep(f"the substeps of {self.rule} follow from each other",
                                f"{left.expr} against {right.expr}")

    @property
    def relation(self) -> str:
        """``=``, or ``≈`` where something was left out."""
        return "≈" if self.remainder.terms else "="

    def _check_at_points(self, rule: Equation) -> None:
        """Work out both lines at whole numbers, the rule's dim as it rounds."""
        names = sorted({*self.before.symbols(), *self.after.symbols(), *rule.inputs} - {rule.dim})
        for n in range(POINTS):
            at: dict[str, int] = {name: 7 + (n + 2) ** 2 * (13 * i + 5) % 1009
                                  for i, name in enumerate(names)}
            value = rule.rounding.apply(ex.evaluate(rule.expr, at)) if rule.rounding else 0
            before = ex.evaluate(self.before.expr, {**at, rule.dim: value})
            after = ex.evaluate(self.after.expr, at)
            if before != after:
                raise FalseStep(f"{self.rule}: {self.before.expr} = {self.after.expr} at {at}",
                                str(before - after))

    @property
    def status(self) -> str:
        """How sure it is: ``proved``, an identity of polynomials; ``checked`` at points."""
        return "checked" if self.given and self.given.rounding else "proved"
