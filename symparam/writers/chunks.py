"""Terms of a line cut into pieces between which it may break, long brackets opened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.errors import the
from symparam.writers.document import Braced


def chunks(terms: Sequence[Braced], limit: int, measure: Callable[[ex.Expr], int]) -> list[Chunk]:
    """Terms as chunks between which a line may break (see :class:`Chunk`).

    Args:
        terms: the terms of a side.
        limit: how long a line may be. Where all terms together are longer, brackets are broken
            inside; a term that is longer alone gives up its brace for that.
        measure: how long an expression is.
    """
    found: list[Chunk] = []
    long = measure(ex.sum_of(*(term.expr for term in terms))) > limit
    for term in terms:
        positive = ex.negated(term.expr)
        sign = "−" if positive is not None else "+"
        body = term.expr if positive is None else positive
        if measure(body) > limit:
            body = bracket_last(body)
        if long and isinstance(body, ex.Product) and isinstance(body.factors[-1], ex.Sum) and (
                not term.label or measure(body) > limit):
            found += _opened(sign, body, limit, measure)
        else:
            found.append(Chunk(sign, body, term.label))
    return found


def bracket_last(body: ex.Expr) -> ex.Expr:
    """A product that ends in a bracket, its longest, as lines can break inside that one."""
    if not isinstance(body, ex.Product) or isinstance(body.factors[-1], ex.Sum):
        return body
    brackets = [factor for factor in body.factors if isinstance(factor, ex.Sum)]
    if not brackets:
        return body
    last = max(brackets, key=lambda bracket: len(bracket.terms))
    return ex.Product((*(factor for factor in body.factors if factor is not last), last))


@dataclass(frozen=True)
class Chunk:
    """A piece of a line: its sign, what it is, and brackets that open before or close behind it.

    ``fronts`` are the factors before brackets that open here, outermost first.
    """

    sign: str
    expr: ex.Expr
    label: tuple[str, ...] = ()
    fronts: tuple[ex.Expr, ...] = ()
    closes: int = 0

    @property
    def bracketed(self) -> bool:
        """Whether a sum here needs brackets: after a minus, though not inside an opened bracket
        whose first term carries the sign of the whole."""
        return self.sign == "−" and not self.fronts


def _opened(sign: str, body: ex.Product, limit: int,
            measure: Callable[[ex.Expr], int]) -> list[Chunk]:
    """A product that ends in a bracket, broken inside it, and inside long brackets in that."""
    front, inner = ex.product_of(*body.factors[:-1]), the(ex.Sum, body.factors[-1])
    found: list[Chunk] = []
    for i, term in enumerate(inner.terms):
        positive = ex.negated(term) if i else None
        own = sign if i == 0 else "+" if positive is None else "−"
        shown = term if positive is None else positive
        if isinstance(shown, ex.Product) and isinstance(shown.factors[-1], ex.Sum) and (
                measure(shown) > limit * 3 // 4 and ex.negated(shown) is None):
            pieces = _opened(own, shown, limit, measure)
        else:
            pieces = [Chunk(own, shown)]
        if i == 0:
            pieces[0] = replace(pieces[0], fronts=(front, *pieces[0].fronts))
        found += pieces
    found[-1] = replace(found[-1], closes=found[-1].closes + 1)
    return found
