"""Closed forms as lines: long ones with letters for their longest sums."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from symparam import expression as ex
from symparam.writers.document import Braced, Equality, plain_terms
from symparam.writers.sub_sums import is_root, lettered

#: A line of a formula longer than this is written with a letter for its longest sum.
LONGEST = 77
LETTERS = "bcuwxyz"


def equalities(name: str, expr: ex.Expr, taken: Collection[str]) -> Iterator[Equality]:
    """A formula; in a long one the longest sums stand apart, each under a letter."""
    free = [c for c in LETTERS if c not in {name, *taken, *ex.symbols_in(expr)}]
    apart: list[tuple[ex.Sym, ex.Expr]] = []
    short_form = expr
    while _width(name, short_form) > LONGEST and free and (inner := _sums(short_form, taken)):
        longest = max(inner, key=lambda e: len(str(e)))
        apart.append((ex.Sym(free.pop(0)), longest))
        short_form = lettered(short_form, longest, apart[-1][0])
    if not apart:
        yield Equality(ex.Sym(name), (("=", plain_terms(expr)),))
        return
    yield Equality(ex.Sym(name), (("=", (Braced(short_form),)),))
    for letter, part in apart:
        yield Equality(letter, (("=", plain_terms(part)),))


def _width(name: str, expr: ex.Expr) -> int:
    """How wide a line of text is, about: roots and squares take one character."""
    return len(f"{name} = {expr}".replace("**(1/2)", "").replace("**", ""))


def _sums(expr: ex.Expr, taken: Collection[str]) -> list[ex.Expr]:
    """The sums inside a formula that hold neither a root nor what is wanted."""
    return [e for e in ex.walk(expr) if isinstance(e, ex.Sum) and e != expr and len(str(e)) > 2
            and not any(is_root(below) or (isinstance(below, ex.Sym) and below.name in taken)
                        for below in ex.walk(e))]
