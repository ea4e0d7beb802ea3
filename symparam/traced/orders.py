"""Which layers a row stands in, from the words of its record."""

from __future__ import annotations

import re
from collections.abc import Collection

from symparam import expression as ex
from symparam.errors import SymparamError
from symparam.grammar import parse_expression
from symparam.stack import Order
from symparam.traced.records import NO_ORDER

_WORDS = re.compile(r"(?P<others>all but )?(?:every (?P<every>\d+)(?:st|nd|rd|th) )?"
                    r"(?P<nth>every n-th )?from (?P<start>[^,]+)(?:, n = (?P<step>.+))?")


def order_of(words: str, names: Collection[str] = ()) -> Order | None:
    """The order that words of a record tell; None where it is not known.

    Args:
        words: as :func:`told` has them.
        names: the dims that may be in it.

    >>> order_of("every 2nd from 1"), order_of("") == Order(), order_of("from n_x") is None
    (Order(start=Num(value=1), step=Num(value=2), others=False), True, True)
    >>> order_of("from n_x", ["n_x"]).start
    Sym(name='n_x')
    """
    if not words:
        return Order()
    found = _WORDS.fullmatch(words)
    if words == NO_ORDER or found is None or (found["nth"] is None) != (found["step"] is None):
        return None
    step = found["step"] or found["every"] or "1"
    try:
        start, by = (parse_expression(side, names) for side in (found["start"], step))
    except SymparamError:
        return None
    if {*ex.symbols_in(start), *ex.symbols_in(by)} - set(names):
        return None
    return Order(start, by, found["others"] is not None)


def told(order: Order) -> str:
    """An order as a record words it.

    >>> told(Order()), told(Order(ex.Num(3)))
    ('', 'from 3')
    """
    if order == Order():
        return ""
    start, step = order.start, order.step
    if isinstance(step, ex.Num):
        every = "" if step.value == 1 else f"every {ordinal(int(step.value))} "
        said = f"{every}from {start}"
    else:
        said = f"every n-th from {start}, n = {step}"
    return f"all but {said}" if order.others else said


def ordinal(number: int) -> str:
    """A number in an order.

    >>> ordinal(2), ordinal(3), ordinal(4), ordinal(11)
    ('2nd', '3rd', '4th', '11th')
    """
    tail = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number // 10 != 1 else "th"
    return f"{number}{tail}"
