"""Polynomials over many points at once: exact, on 64 bits where they suffice."""

from __future__ import annotations

from typing import Any

import numpy as np

from symparam.points.table import SAFE, Ints, PointTable
from symparam.polynomial import Polynomial


def largest(polynomial: Polynomial, table: PointTable) -> int:
    """A bound on the size of the value over all rows: each dim at its largest."""
    return int(polynomial.absolute().value({n: table.most(n) for n in polynomial.names}))


def over(polynomial: Polynomial, table: PointTable, wide: bool | None = None) -> Ints:
    """The value at every row: on 64 bits, or on Python's integers where those are too few.

    Args:
        polynomial: with whole coefficients, and no power below 0.
        table: the rows.
        wide: whether to take Python's integers; by default, where the values ask for it.
    """
    wide = largest(polynomial, table) > SAFE if wide is None else wide
    powers: dict[tuple[str, Any], Any] = {}
    total = np.zeros(table.rows, dtype=object if wide else np.int64)
    for term, coefficient in polynomial.terms.items():
        product: Any = coefficient
        for factor in term:
            if factor not in powers:
                powers[factor] = _power(table[factor[0]], factor[1], wide)
            product = product * powers[factor]
        total += product
    return total


def _power(value: Any, exponent: Any, wide: bool) -> Any:
    column = value.astype(object) if wide and isinstance(value, np.ndarray) else value
    return column if exponent == 1 else column**exponent
