"""Terms: what code computed of keys, as it computed it.

A term is a tuple: ``("k", path)`` a key, ``("n", number)`` a number, ``(operation, left, right)``
or ``(operation, inner)``. It is worked out by Python's own arithmetic, as the code would; what is
handed out is an exact expression (:func:`expression`), and that is what is held against probes.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from symparam.arithmetic import EXTREMES

Path: TypeAlias = tuple[str | int, ...]
Number: TypeAlias = int | float
Term: TypeAlias = tuple[Any, ...]
Values: TypeAlias = Mapping[Path, Any]

#: No power of a probe needs a larger exponent.
MAX_EXPONENT = 64


def _power(base: Any, exponent: Any) -> Any:
    if abs(exponent) > MAX_EXPONENT:
        raise OverflowError(exponent)
    return base**exponent


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv,
    "/": operator.truediv, "%": operator.mod, "**": _power, "&": operator.and_, "max": max,
    "min": min}
UNARY: dict[str, Callable[[Any], Any]] = {
    "int": int, "floor": math.floor, "ceil": math.ceil, "round": round}


def key(path: Path) -> Term:
    """The term of a key."""
    return ("k", path)


def number(value: Number) -> Term:
    """The term of a number."""
    return ("n", value)


def evaluate(term: Term, values: Values, memo: dict[Term, Any] | None = None) -> Any:
    """The value of a term, by Python's arithmetic.

    Raises:
        KeyError: a key has no value. ArithmeticError, ValueError, TypeError: as the code would.

    >>> evaluate(("//", ("k", ("d",)), ("n", 3)), {("d",): 10})
    3
    """
    kind = term[0]
    if kind == "n":
        return term[1]
    if kind == "k":
        return values[term[1]]
    memo = {} if memo is None else memo
    if term not in memo:
        if len(term) == 2:
            memo[term] = UNARY[kind](evaluate(term[1], values, memo))
        else:
            memo[term] = BINARY[kind](evaluate(term[1], values, memo),
                                      evaluate(term[2], values, memo))
    return memo[term]


def whole_value(term: Term, values: Values, memo: dict[Term, Any] | None = None) -> int | None:
    """The value where it is a whole number; None where it is not, or cannot be worked out."""
    try:
        value = evaluate(term, values, memo)
        return int(value) if value == int(value) else None
    except (ArithmeticError, ValueError, TypeError, KeyError):
        return None


def size(term: Term) -> int:
    """How many numbers, keys and operations it has."""
    return 1 if term[0] in "kn" else 1 + sum(size(part) for part in term[1:])


def keys_in(term: Term) -> frozenset[Path]:
    """The keys in it."""
    if term[0] == "k":
        return frozenset((term[1],))
    if term[0] == "n":
        return frozenset()
    return frozenset().union(*(keys_in(part) for part in term[1:]))


def spelled(path: Path) -> str:
    """A key's path as one word.

    >>> spelled(("vision_config", "depths", 0))
    'vision_config.depths.0'
    """
    return ".".join(map(str, path))


def text(term: Term) -> str:
    """A term for a person's eyes, with every bracket."""
    if term[0] == "n":
        return str(term[1])
    if term[0] == "k":
        return spelled(term[1])
    if len(term) == 2:
        return f"{term[0]}({text(term[1])})"
    if term[0] in EXTREMES:
        return f"{term[0]}({text(term[1])}, {text(term[2])})"
    return f"({text(term[1])} {term[0]} {text(term[2])})"


def scaled(factor: Fraction, term: Term) -> Term:
    """A rational multiple, that comes out whole.

    >>> text(scaled(Fraction(3, 2), ("k", ("d",))))
    '((3 * d) / 2)'
    """
    if factor == 1:
        return term
    top = term if factor.numerator == 1 else ("*", ("n", factor.numerator), term)
    return top if factor.denominator == 1 else ("/", top, ("n", factor.denominator))
