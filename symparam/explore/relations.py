"""Equations and checks as data: two sides of the closed grammar, and what stands between them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symparam import expression as ex
from symparam.constraints import (
    AtMost,
    Check,
    Compares,
    Differs,
    Divides,
    Equation,
    KnownFor,
    Sums,
)
from symparam.errors import BadValue
from symparam.explore.explored import Explored
from symparam.grammar import Rule
from symparam.resolve import fillings
from symparam.traced.checks import Fixed, Proportional
from symparam.traced.known import checks_of

#: Two sides and what is between them: ``divides``, ``=``, ``!=``, ``<``, ``<=``.
Relation = tuple[ex.Expr, str, ex.Expr]


def equations_json(explored: Explored) -> list[dict[str, Any]]:
    """Every equation for a dim, firmness and reason with it, in the order in which they are tried:
    those that the model follows where a dim has no number, then the others."""
    model, used = explored.model, explored.resolution.rules
    tried = fillings(model)
    others = [eq for eq in model.all_equations() if eq not in tried]
    return [{"dim": eq.dim, "expression": rule_text(eq), "standing": eq.standing.value,
             "reason": eq.reason, "followed": eq in tried, "used": used.get(eq.dim) == eq}
            for eq in (*tried, *others)]


def rule_text(equation: Equation) -> str:
    """The right side as the grammar reads it, with its rounding."""
    return str(Rule(equation.expr, equation.rounding))


def checks_json(explored: Explored) -> list[dict[str, Any]]:
    """Every check as relations of which all must hold; those that are asked of a model at work
    alone say so."""
    model = explored.model
    always = [_check(check, relations(check)) for check in model.all_checks()]
    found = checks_of(model.trace) if model.trace is not None else ()
    at_work = [_check(check, relations(check), work=True) for check in found]
    return [*always, *at_work, *_copies(explored)]


def _check(check: Check, of: tuple[Relation, ...], work: bool = False) -> dict[str, Any]:
    return {"text": str(check), "reason": check.reason, "dims": list(check.dims),
            "relations": [_relation(*map(str, each)) for each in of],
            "unless": check.dim or None if isinstance(check, KnownFor) else None, "work": work}


def _relation(left: str, sign: str, right: str) -> dict[str, str]:
    return {"left": left, "sign": sign, "right": right}


def relations(check: Check) -> tuple[Relation, ...]:
    """What a check asks, as relations between expressions.

    Raises:
        BadValue: it asks something else than these can say.

    >>> [" ".join(map(str, each)) for each in relations(Divides("n_kv", "n_heads", ""))]
    ['n_kv divides n_heads']
    """
    match check:
        case Divides(divisor, dividend):
            return (_side(divisor), "divides", _side(dividend)),
        case Sums(parts, whole):
            return (ex.sum_of(*map(ex.Sym, parts)), "=", _side(whole)),
        case Differs(first, second):
            return (_side(first), "!=", _side(second)),
        case AtMost(less, more):
            return (_side(less), "<=", _side(more)),
        case Compares(left, sign, right):
            return (left, sign, right),
        case KnownFor(_, whole, low, high):
            above = () if high is None else ((_side(whole), "<=", ex.Num(high)),)
            return ((ex.Num(low), "<=", _side(whole)), *above)
        case Fixed(dim, number):
            return (_side(dim), "=", ex.node(number)),
        case Proportional(first, second, ratio):
            return (_side(first), "=", ex.node(ratio) * ex.Sym(second)),
    raise BadValue("explore", check, "is a check that cannot be written as a relation")


def _side(value: str | int) -> ex.Expr:
    return ex.Sym(value) if isinstance(value, str) else ex.Num(value)


def _copies(explored: Explored) -> Iterator[dict[str, Any]]:
    """That there are no fewer layers of a kind than none, where that does not follow from dims."""
    entries = (*explored.ledger.states, *explored.ledger.products)
    for text, copies in {str(e.copies()): ex.node(e.copies()) for e in entries}.items():
        if any(isinstance(each, ex.Sum) for each in ex.walk(copies)):
            yield {"text": f"0 <= {text}", "reason": "no more layers have a window than there are",
                   "dims": ex.symbols_in(copies), "relations": [_relation("0", "<=", text)],
                   "unless": None, "work": True}
