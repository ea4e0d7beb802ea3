"""The whole of a quantity: what it is run with and the numbers that all entries have in front.

Bytes, operations, tokens and sequences stand before a bracket, in which the entries are arranged as
a count of parameters is; what is split among devices has a bracket of its own.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping

from symparam import expression as ex
from symparam.arranged import expanded, factored, product
from symparam.arranged import front as front_of
from symparam.count import Count
from symparam.dataclass import dataclass
from symparam.derivation.arrange import Brackets, by_stack, grouped
from symparam.derivation.parts import Part
from symparam.derivation.step import Line, Term, line
from symparam.dims import TOTAL
from symparam.polynomial import Polynomial, Powers
from symparam.run import RUN
from symparam.symbols import collected, expression_of


def _run() -> frozenset[str]:
    """What a model is run with, and its total: what may stand in front of all terms, where widths
    stay inside."""
    return frozenset((*RUN, TOTAL.name))


@dataclass(frozen=True)
class Arranging:
    """Brings a quantity into the form in which it is read.

    Attributes:
        found: its parts.
        numbers: whether a number that all entries have stands in front: bytes, operations. In a
            count of parameters none does.
    """

    found: list[Part]
    numbers: bool = True

    @property
    def _literal(self) -> bool:
        """Whether it is a paper's formula, which has no layers but its own factors."""
        return not any(part.stacks for part in self.found)

    def line(self, count: Count, given: Mapping[str, ex.Expr],
             stacked: Line | None = None, known: Brackets | None = None) -> Line:
        """The whole, dims replaced as ``given`` has them.

        Args:
            count: its shares.
            given: the dims that were replaced.
            stacked: the same by stacks, where that was made before.
            known: where brackets of repeated stacks are put, for parts of the same count.
        """
        whole = collected(count.plain())
        if len(whole.terms) == 1:
            return Line((Term(expanded(whole), count.shares, tuple(
                dict.fromkeys(part.title for part in self.found))),))
        monomial, number = self._front(whole, count)
        if (monomial, number) == ((), 1) and not any(_under(powers) for powers in whole.terms):
            return stacked or by_stack(self.found, count, given, known)
        front = expression_of(monomial, number)
        inside = Count({path: share / front for path, share in count.shares.items()})
        pieces = [term for group in grouped(inside.polynomials, _by_divisor)
                  for term in self._pieces(Count(group.shares), given)]
        if front == 1:
            return line(pieces)
        inner = _sum(term.shown for term in pieces)
        return Line((Term(ex.flat_product(product(monomial, number), inner), count.shares),))

    def _front(self, whole: Polynomial, count: Count) -> tuple[Powers, ex.Rational]:
        """What stands in front of all terms."""
        if not whole.terms:
            return (), 1
        powers, number = front_of(whole)
        if self._literal:
            return powers, number
        run = _run()
        return (tuple(power for power in powers if power[0] in run),
                number if self.numbers and _numbered(count) else 1)

    def _pieces(self, count: Count, given: Mapping[str, ex.Expr]) -> Iterator[Term]:
        """The terms of what is divided by the same; under a divisor one term."""
        terms = collected(count.plain())
        under = _under(next(iter(terms.terms), ()))
        if not under:
            yield from by_stack(self.found, count, given).terms
            return
        number = front_of(terms)[1]
        front = expression_of(under, number)
        inside = Count({path: share / front for path, share in count.shares.items()})
        inner = _sum(term.shown for term in by_stack(self.found, inside, given).terms)
        yield Term(factored(terms) if len(terms.terms) == 1 else
                   ex.flat_product(product(under, number), inner), count.shares)


def _numbered(count: Count) -> bool:
    """Whether every entry has the same number in it that is not 1: bytes, operations."""
    numbers = [c for share in count.polynomials.values() for c in share.terms.values()]
    return math.gcd(*(c.numerator for c in numbers)) != 1 or any(
        c.denominator != 1 for c in numbers)


def _under(monomial: Powers) -> Powers:
    """What of the run a product is divided by."""
    run = _run()
    return tuple(power for power in monomial if power[1] < 0 and power[0] in run)


def _by_divisor(found: Iterable[Powers]) -> Iterable[Collection[Powers]]:
    """Products that are divided by the same of the run (devices) together."""
    groups: dict[Powers, list[Powers]] = {}
    for powers in found:
        groups.setdefault(_under(powers), []).append(powers)
    return groups.values()


def _sum(trees: Iterable[ex.Expr]) -> ex.Expr:
    """Terms as one sum, without those that are nothing."""
    return ex.flat_sum(tree for tree in trees if tree != ex.Num(0))


def in_front(tree: ex.Expr) -> ex.Expr:
    """A quotient of a product that ends in a bracket as what is before that over the divisor,
    times the bracket: lines can break inside it."""
    if isinstance(tree, ex.Quotient) and isinstance(tree.top, ex.Product) and isinstance(
            tree.top.factors[-1], ex.Sum):
        *front, bracket = tree.top.factors
        return ex.product_of(ex.Quotient(ex.product_of(*front), tree.bottom), bracket)
    return tree
