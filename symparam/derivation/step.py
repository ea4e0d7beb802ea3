"""Lines and steps of a derivation. One that is not true cannot be constructed.

A line is a sum of terms; each term is what a reader sees (a tree) together with the share that
every matrix has in it. A term is refused unless the shares sum to what is seen; a step is
refused unless both lines agree matrix by matrix, which is the polynomial identity with all tags
in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

import sympy as sp

from symparam import expression as ex
from symparam.constraints import Equation
from symparam.errors import FalseStep
from symparam.symbols import SymExpr, is_zero, symbol, tag, to_sympy

Holds: TypeAlias = Literal[True, "nearly", None]


def short(matrix_name: str) -> str:
    """A matrix as a label names it: ``W_Q`` as it is, ``W_gate`` by its word.

    >>> short("W_Q"), short("W_UKV"), short("W_gate"), short("b_up")
    ('W_Q', 'W_UKV', 'gate', 'b_up')
    """
    head, _, rest = matrix_name.partition("_")
    return rest if head == "W" and len(rest) > 1 and not rest.isupper() else matrix_name


def matrix_names(paths: Iterable[str]) -> tuple[str, ...]:
    """The matrices at some paths, as the brace under a term names them."""
    return tuple(dict.fromkeys(short(path.rpartition(".")[2]) for path in paths))


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
        difference = to_sympy(self.shown, self.definitions) - sp.Add(*self.shares.values())
        if not is_zero(difference):
            raise FalseStep(f"{self.shown} is made of {', '.join(self.shares)}",
                            str(sp.expand(difference)))


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
                found[path] = found.get(path, sp.Integer(0)) + share
        return found

    @cached_property
    def tagged(self) -> SymExpr:
        """The line as an expression with each matrix's tag."""
        return sp.Add(*(tag(path) * share for path, share in self.shares.items()))

    @cached_property
    def plain(self) -> SymExpr:
        """The line as an expression."""
        return sp.expand(sp.Add(*self.shares.values()))

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

    Raises:
        FalseStep: the lines differ by more than the remainder; an equation that rounds, which
            is no identity; or a brace that names other matrices than those in its term.
    """

    rule: str
    subject: str
    before: Line
    after: Line
    why: str
    given: Equation | None = None
    remainder: Line = Line(())
    holds_here: Holds = None

    def __post_init__(self) -> None:
        if self.given and self.given.rounding:
            raise FalseStep(f"{self.given} is an identity", "its rounding")
        for term in self.after.terms if self.rule == "join" else ():
            if term.label != matrix_names(term.shares):
                raise FalseStep(f"{term.shown} comes from {', '.join(term.label) or 'nothing'}",
                                f"its matrices, {', '.join(matrix_names(term.shares))}")
        table = {symbol(self.given.dim): to_sympy(self.given.expr)} if self.given else {}
        paths = {**self.before.shares, **self.after.shares, **self.remainder.shares}
        for path in paths:
            old = self.before.shares.get(path, sp.Integer(0)).subs(table)
            new = self.after.shares.get(path, 0) + self.remainder.shares.get(path, 0)
            if not is_zero(old - new):
                raise FalseStep(f"{self.rule}: {self.before.expr} = {self.after.expr} in {path}",
                                str(sp.expand(old - new)))

    @property
    def relation(self) -> str:
        """``=``, or ``≈`` where something was left out."""
        return "≈" if self.remainder.terms else "="

    @property
    def status(self) -> str:
        """How sure it is: all steps here are identities of polynomials."""
        return "proved"
