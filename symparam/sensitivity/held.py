"""What is held fixed while one dim changes: all others; or others follow, by rule or in ratio.

A derivative means nothing without this. Three conventions are used, each a set of equations for
the dims that follow; what is in none of them stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from functools import cached_property
from typing import Any

from symparam import expression as ex
from symparam.bracketed import written
from symparam.constraints import Equation
from symparam.dataclass import dataclass
from symparam.errors import NotDerivable
from symparam.grammar import Rule
from symparam.solve.formulas.closed_form import reduced
from symparam.symbols import SymExpr, symbol, to_sympy

ALONE, RULED, KEPT = "all others", "by rule", "ratios kept"


@dataclass(frozen=True)
class Follow:
    """A dim that follows others.

    Attributes:
        equation: how.
        exact: whether numbers meet it as it stands. If not (a rounding, or an assumption that
            holds nearly), a derivative takes its slope and leaves the dim where it is.
        at: the numbers at which it is followed: they decide between the parts of ``max``.
    """

    equation: Equation
    exact: bool = True
    at: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)

    @property
    def dim(self) -> str:
        """The dim that follows."""
        return self.equation.dim

    @property
    def taken(self) -> Equation:
        """What algebra takes for the equation."""
        return self.equation.taken_at(self.at)

    @property
    def relaxed(self) -> bool:
        """Whether algebra takes something else than the rule: it rounds, or is met nearly."""
        return self.equation.rounds or not self.exact


@dataclass(frozen=True)
class Held:
    """A convention for one dim: what follows it, and what stays.

    Attributes:
        name: :data:`ALONE`, :data:`RULED` or :data:`KEPT`.
        wrt: the dim that changes.
        follows: what follows, each after what it needs.

    Raises:
        NotDerivable: the equations go round in circles.
    """

    name: str
    wrt: str
    follows: tuple[Follow, ...] = ()
    _applied: dict[SymExpr, SymExpr] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "follows", tuple(_in_order(self.follows, self.wrt)))

    @property
    def dims(self) -> tuple[str, ...]:
        """The dims that follow."""
        return tuple(follow.dim for follow in self.follows)

    @property
    def equations(self) -> tuple[Equation, ...]:
        """How they follow."""
        return tuple(follow.equation for follow in self.follows)

    @cached_property
    def aside(self) -> frozenset[str]:
        """Dims that are replaced though they do not change: a formula is shorter so."""
        return frozenset(self.dims) - {eq.dim for eq in following(self.equations, self.wrt)}

    def fixed(self, names: Iterable[str]) -> tuple[str, ...]:
        """Those of some dims that stay as they are."""
        return tuple(name for name in names if name != self.wrt and name not in self.dims)

    def rules(self) -> dict[str, Rule]:
        """The equations that are put in for their dims."""
        return {f.dim: Rule(f.taken.expr) for f in self.follows if f.exact}

    @property
    def relaxed(self) -> tuple[Follow, ...]:
        """What follows by a rule that a derivative does not take as it stands."""
        return tuple(follow for follow in self.follows if follow.relaxed)

    def wholly(self, count: SymExpr) -> SymExpr:
        """A count with all dims that follow replaced, roundings left out.

        Raises:
            NotDerivable: multiplied out, it would be too long to be of use.
        """
        return reduced(count, {f.dim: Rule(f.taken.expr) for f in self.follows})

    def applied(self, count: SymExpr) -> SymExpr:
        """A count with the dims that follow replaced.

        Raises:
            NotDerivable: multiplied out, it would be too long to be of use.
        """
        if count not in self._applied:
            rules = self.rules()
            self._applied[count] = reduced(count, rules) if rules else count
        return self._applied[count]

    def slopes(self) -> dict[str, SymExpr]:
        """How fast the dims change that follow without being replaced."""
        found: dict[str, SymExpr] = {}
        for follow in self.follows:
            if not follow.exact:
                rule = reduced(to_sympy(follow.taken.expr), self.rules())
                found[follow.dim] = total_slope(rule, self.wrt, found)
        return found


    def slope(self, follow: Follow) -> SymExpr:
        """How fast a dim changes that follows, whether it is replaced or not; without roundings."""
        rule = reduced(to_sympy(follow.taken.expr), self.rules())
        return total_slope(rule, self.wrt, self.slopes())


def total_slope(expr: SymExpr, wrt: str, slopes: Mapping[str, SymExpr]) -> SymExpr:
    """The derivative of an expression by a dim, with others that change along with it."""
    total = expr.diff(symbol(wrt))
    for name, slope in slopes.items():
        total += expr.diff(symbol(name)) * slope
    return total.expand()


def taken_as(held: Held) -> list[dict[str, Any]]:
    """The rules that algebra does not take as they stand, as data."""
    return [{"rule": str(f.equation), "taken_as": str(f.taken),
             "slope": str(written(held.slope(f))), "put_in": f.exact} for f in held.relaxed]


def _in_order(follows: Iterable[Follow], wrt: str) -> Iterator[Follow]:
    """Each equation after those for the dims on its right side."""
    left = [follow for follow in follows if follow.dim != wrt]
    while left:
        open_dims = {follow.dim for follow in left}
        ready = [f for f in left if not open_dims & set(f.equation.inputs)]
        if not ready:
            circle = "; ".join(str(follow.equation) for follow in left)
            raise NotDerivable(f"the relations go round in circles: {circle}")
        yield from ready
        left = [follow for follow in left if follow not in ready]


def following(equations: Iterable[Equation], wrt: str) -> list[Equation]:
    """Those equations whose dims change with one, directly or through others.

    >>> from symparam.grammar import parse_expression
    >>> rules = [Equation("d_inner", parse_expression("2*d_model"), "twice the width"),
    ...          Equation("d_ssm_head", parse_expression("d_inner/n_ssm_heads"), "", )]
    >>> [eq.dim for eq in following(rules, "d_model")], following(rules, "L")
    (['d_inner', 'd_ssm_head'], [])
    """
    equations = [eq for eq in equations if eq.dim != wrt]
    moved = {wrt}
    while True:
        more = {eq.dim for eq in equations if moved & set(eq.inputs)} - moved
        if not more:
            return [eq for eq in equations if eq.dim in moved]
        moved |= more


def with_kv(found: list[Equation], equations: Iterable[Equation], wrt: str) -> list[Equation]:
    """The equations, and one for n_kv where the head width follows and n_heads stays: it makes no
    difference to a number then, and the formula is shorter with it."""
    dims = {wrt, *(eq.dim for eq in found)}
    if "d_head" not in dims or dims & {"n_heads", "n_kv"}:
        return found
    return [*found, *[eq for eq in equations if eq.dim == "n_kv" and eq.inputs == ("n_heads",)][:1]]


def ratio(dim: str, to: str, values: Mapping[str, int]) -> Equation:
    """A dim as its exact multiple of another.

    >>> str(ratio("d_ff", "d_model", {"d_ff": 11008, "d_model": 4096}))
    'd_ff = 43/16*d_model'
    """
    number = ex.evaluate(ex.Num(values[dim]) / values[to], {})
    return Equation(dim, ex.product_of(ex.Num(number), ex.Sym(to)), "its ratio here")
