"""What is found by walking through a tree: its symbols, its value, the tree with others put in."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import reduce
from typing import Any

from symparam.arithmetic import EXTREMES, Rounding, bounded, exact_power
from symparam.errors import MissingDims
from symparam.expression.nodes import (
    Expr,
    Extreme,
    Num,
    Power,
    Procedure,
    Product,
    Quotient,
    Rational,
    Sum,
    Sym,
    Whole,
    whole,
)
from symparam.procedures import PROCEDURES


def children(expr: Expr) -> tuple[Expr, ...]:
    """The nodes directly below one."""
    match expr:
        case Sum(terms):
            return terms
        case Product(factors):
            return factors
        case Quotient(top, bottom):
            return top, bottom
        case Power(inner, _) | Whole(inner, _):
            return (inner,)
        case Extreme(_, parts) | Procedure(_, parts):
            return parts
    return ()


def walk(expr: Expr) -> Iterator[Expr]:
    """The node and all below it."""
    yield expr
    for child in children(expr):
        yield from walk(child)


def symbols_in(expr: Expr) -> list[str]:
    """The names of the symbols in it, each once, in order of appearance."""
    return list(dict.fromkeys(e.name for e in walk(expr) if isinstance(e, Sym)))


def chooses(expr: Expr) -> bool:
    """Whether there is a ``max``, a ``min`` or a procedure in it."""
    return any(isinstance(each, (Extreme, Procedure)) for each in walk(expr))


def expanded_terms(expr: Expr) -> int:
    """How many terms the expression has at most once it is multiplied out.

    >>> expanded_terms((Sym("L") + 1) * (Sym("V") + Sym("d_model") + 1)), expanded_terms(
    ...     (Sym("L") + Sym("V")) ** 3)
    (6, 4)
    """
    match expr:
        case Sum(terms):
            others = [t for t in terms if not isinstance(t, Num)]  # numbers join into one
            return sum(map(expanded_terms, others)) + (len(others) < len(terms))
        case Product(factors):
            return math.prod(map(expanded_terms, factors))
        case Quotient(top, bottom):
            return expanded_terms(top) * expanded_terms(bottom)
        case Power(base, exponent):
            return power_terms(expanded_terms(base), exponent)
    return 1


def power_terms(terms: int, exponent: Rational) -> int:
    """How many terms a power of a sum of so many has at most.

    >>> power_terms(3, 2), power_terms(3, -2), power_terms(1, 5)
    (6, 6, 1)
    """
    size = -exponent if exponent < 0 else exponent
    return math.comb(math.ceil(size) + terms - 1, terms - 1)


def substitute(expr: Expr, values: Mapping[str, Expr]) -> Expr:
    """The same tree with symbols replaced; nothing is worked out.

    >>> str(substitute(Num(2) * Sym("V") * Sym("d_model"), {"V": Num(32000)}))
    '2*32000*d_model'
    """
    match expr:
        case Sym(name):
            return values.get(name, expr)
        case Sum(terms):
            return Sum(tuple(substitute(t, values) for t in terms))
        case Product(factors):
            return Product(tuple(substitute(f, values) for f in factors))
        case Quotient(top, bottom):
            return Quotient(substitute(top, values), substitute(bottom, values))
        case Power(base, exponent):
            return Power(substitute(base, values), exponent)
        case Whole(inner, mode):
            return Whole(substitute(inner, values), mode)
        case Extreme(name, parts) | Procedure(name, parts):
            return type(expr)(name, tuple(substitute(p, values) for p in parts))
    return expr


def evaluate(expr: Expr, values: Mapping[str, Any]) -> Any:
    """The value over any kind of number: integers and fractions exactly, arrays, SymPy.

    Rounding and the larger of two are exact on integers and fractions; for other numbers ``values``
    has a function under the name of its mode (``up``, ``max``).

    Raises:
        MissingDims: a symbol has no value.

    >>> evaluate(Num(8) / 3 * Sym("d_model"), {"d_model": 4096})
    Fraction(32768, 3)
    """
    match expr:
        case Num(value):
            return value
        case Sym(name):
            if name not in values:
                raise MissingDims([name], "the expression")
            return values[name]
        case Sum(terms):
            return _normal(sum(evaluate(t, values) for t in terms))
        case Product(factors):
            result: Any = 1
            for factor in factors:
                result = bounded(result * evaluate(factor, values))
            return _normal(result)
        case Quotient(top, bottom):
            upper, lower = evaluate(top, values), evaluate(bottom, values)
            if isinstance(upper, int) and isinstance(lower, int):
                return whole(Fraction(upper, lower))
            return _normal(upper / lower)
        case Power(base, exponent):
            return _normal(exact_power(evaluate(base, values), exponent))
        case Whole(inner, mode):
            value = evaluate(inner, values)
            return values[mode](value) if mode in values else Rounding(mode, 1).apply(value)
        case Extreme(mode, parts):
            found = [evaluate(part, values) for part in parts]
            return values[mode](*found) if mode in values else _normal(reduce(
                EXTREMES[mode], found))
        case Procedure(name, parts):
            return PROCEDURES[name](*(evaluate(part, values) for part in parts))
    raise TypeError(expr)


def _normal(value: Any) -> Any:
    return whole(value) if isinstance(value, Fraction) else value
