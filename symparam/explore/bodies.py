"""Quantities as sums of bodies: what a layer has is written once, however many kinds of layer and
quantities have it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

from symparam import expression as ex
from symparam.arranged import expanded
from symparam.errors import NotDerivable
from symparam.grammar import parse_expression
from symparam.polynomial import NOTHING, Polynomial
from symparam.quantities import parameters

ONE = Polynomial.of(1)


class Bodies:
    """The distinct factors that quantities are made of, by their places.

    Args:
        data: the model as data.

    Attributes:
        texts: each as text of the grammar.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.texts: list[str] = []
        self._names = data["dims"]
        self._places = {row["path"]: i for i, row in enumerate(data["components"])}
        self._copies = [row["copies"] for row in data["components"]]
        self._read: dict[str, Polynomial] = {}

    def shares(self, quantity: Mapping[str, Any]) -> list[tuple[int, int, int]]:
        """What each component adds: its place, -1 where it is of none, and the places of how many
        copies it has and of what one of these adds.

        >>> data = {"dims": {"L": {}, "d": {}}, "components": [{"path": "a.b", "copies": "L"}]}
        >>> bodies = Bodies(data)
        >>> bodies.shares({"shares": [{"path": "a.b.W", "factors": ["L", "d", "d"]},
        ...     {"path": "a.b.V", "factors": ["L", "2*d"]}, {"path": "x", "factors": ["d"]}]})
        [(0, 0, 1), (-1, 2, 3)]
        >>> bodies.texts
        ['L', 'd**2 + 2*d', '1', 'd']
        """
        found: dict[int, list[list[str]]] = {}
        for share in quantity["shares"]:
            path = share["path"]
            place = self._places.get(parameters.place(path) if "." in path else path, -1)
            found.setdefault(place, []).append(list(share["factors"]))
        return [self._share(place, products) for place, products in found.items()]

    def _share(self, place: int, products: list[list[str]]) -> tuple[int, int, int]:
        copies = self._copies[place] if place >= 0 else "1"
        if not all(copies in factors for factors in products):
            copies = "1"
        if copies != "1":
            for factors in products:
                factors.remove(copies)
        found = sum((reduce(Polynomial.__mul__, map(self._polynomial, factors), ONE)
                     for factors in products), NOTHING)
        return place, self._place(copies), self._place(str(expanded(found)))

    def _place(self, text: str) -> int:
        """The place of a text, once for all that have it."""
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text)

    def _polynomial(self, factor: str) -> Polynomial:
        if factor not in self._read:
            self._read[factor] = polynomial_of(parse_expression(factor, self._names))
        return self._read[factor]


def polynomial_of(expr: ex.Expr) -> Polynomial:
    """An expression multiplied out; what is no polynomial in it stands as a name.

    >>> polynomial_of(parse_expression("2*(L + 1)*min(s, L)", {"L", "s"}))
    2*(min(s, L)) + 2*(min(s, L))*L
    """
    match expr:
        case ex.Num(value):
            return Polynomial.of(value)
        case ex.Sum(terms):
            return sum(map(polynomial_of, terms), NOTHING)
        case ex.Product(factors):
            return reduce(Polynomial.__mul__, map(polynomial_of, factors), ONE)
        case ex.Quotient(top, bottom):
            try:
                return polynomial_of(top) / polynomial_of(bottom)
            except NotDerivable:
                pass
        case ex.Power(base, exponent) if isinstance(exponent, int):
            return polynomial_of(base) ** exponent
    return Polynomial.named(expr.name if isinstance(expr, ex.Sym) else f"({expr})")
