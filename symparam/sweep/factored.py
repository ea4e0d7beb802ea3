"""A polynomial over a grid with few operations on whole blocks.

On a grid a dim varies along some axes alone. So ``L·(4·d² + 3·d·f) + 2·V·d`` needs one product and
one sum at every point, if what stands in the brackets is worked out on the smaller grid without L.
The order in which axes are taken out is chosen by counting operations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import TypeAlias

from symparam.dataclass import dataclass
from symparam.polynomial import Polynomial, Powers

#: Axes, by their numbers.
Axes: TypeAlias = frozenset[int]

#: With more axes than this the order is chosen step by step rather than among all orders.
ALL_ORDERS = 4


@dataclass(frozen=True)
class Node:
    """A sum of products: powers of names, times a number or another sum.

    Attributes:
        pairs: what is multiplied and added up.
        axes: the axes along which it varies.
        cost: numbers that are made when it is worked out over the whole grid.
    """

    pairs: tuple[tuple[Powers, Node | int], ...]
    axes: Axes
    cost: float


def factored(polynomial: Polynomial, axes_of: Mapping[str, Axes], sizes: Sequence[int]) -> Node:
    """How a polynomial is worked out over a grid.

    Args:
        polynomial: what is worked out, cleared of what it is to be divided by.
        axes_of: for each of its names, the axes along which it varies.
        sizes: how many values each axis has.

    >>> L, d, f = map(Polynomial.named, "Ldf")
    >>> axes = {"L": frozenset({0}), "d": frozenset({1}), "f": frozenset({2})}
    >>> node = factored(L * (3 * d * f + d), axes, [10, 10, 10])
    >>> [term for term, _ in node.pairs], node.cost < 2 * 10**3
    ([(('L', 1),)], True)
    """
    terms = tuple(sorted((powers, int(value)) for powers, value in polynomial.terms.items()))
    return _Planner(axes_of, sizes).plan(terms)


class _Planner:
    def __init__(self, axes_of: Mapping[str, Axes], sizes: Sequence[int]) -> None:
        self.axes_of, self.sizes = axes_of, sizes
        self.known: dict[tuple[tuple[Powers, int], ...], Node] = {}

    def plan(self, terms: tuple[tuple[Powers, int], ...]) -> Node:
        """The cheapest way of working out some terms."""
        if terms not in self.known:
            axes = self.axes([name for term, _ in terms for name, _ in term])
            if not axes:
                self.known[terms] = Node(terms, axes, 0)
            elif len(axes) <= ALL_ORDERS:
                self.known[terms] = min((self.split(terms, axis, axes) for axis in sorted(axes)),
                                        key=lambda node: node.cost)
            else:
                axis = min(sorted(axes), key=lambda a: (len(self.groups(terms, a)), -self.sizes[a]))
                self.known[terms] = self.split(terms, axis, axes)
        return self.known[terms]

    def axes(self, names: Sequence[str]) -> Axes:
        """The axes along which some names vary."""
        return frozenset().union(*(self.axes_of.get(name, ()) for name in names))

    def size(self, axes: Axes) -> int:
        """Points of a grid of some axes."""
        return prod(self.sizes[axis] for axis in axes)

    def groups(self, terms: tuple[tuple[Powers, int], ...],
               axis: int) -> dict[Powers, list[tuple[Powers, int]]]:
        """Terms by their factors that vary along an axis; what else is in them."""
        found: dict[Powers, list[tuple[Powers, int]]] = {}
        for term, coefficient in terms:
            here = tuple(f for f in term if axis in self.axes_of.get(f[0], ()))
            rest = tuple(f for f in term if f not in here)
            found.setdefault(here, []).append((rest, coefficient))
        return found

    def split(self, terms: tuple[tuple[Powers, int], ...], axis: int, axes: Axes) -> Node:
        """The terms with the factors of one axis taken out."""
        pairs: list[tuple[Powers, Node | int]] = []
        cost = 0.0
        for factors, rest in self.groups(terms, axis).items():
            inner = self.plan(tuple(rest))
            cost += inner.cost
            there = self.axes([name for name, _ in factors])
            cost += self.size(there) * (sum(power for _, power in factors) - 1) if factors else 0
            plain = not inner.axes and len(inner.pairs) == 1 and not inner.pairs[0][0]
            number = inner.pairs[0][1] if plain else 0
            if factors and not (plain and number == 1):
                cost += self.size(there | inner.axes)
            pairs.append((factors, number if plain else inner))
        cost += self.size(axes) * (len(pairs) - 1)
        return Node(tuple(pairs), axes, cost)
