"""Long formulas with a letter for their longest sum, so that they fit a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from symparam import expression as ex
from symparam.export.document import Equality, plain_terms
from symparam.export.notation import TextWriter

#: A formula longer than this, its left side counted, is written with letters for long sums.
LONGEST = 76
LETTERS = "bcuwxyz"
#: With more letters than this in it a formula cannot be read.
MOST = 2


def equalities(pairs: Iterable[tuple[ex.Expr, ex.Expr]], relation: str = "=",
               avoid: tuple[str, ...] = ()) -> Iterator[Equality]:
    """Formulas with their left sides; a long sum in a long one stands apart, under a letter.

    A letter means the same in all of them. A formula that does not fit a line even so is left
    out: sums are broken over lines, a quotient cannot be.

    Args:
        pairs: left sides and formulas.
        relation: what stands between them.
        avoid: symbols that a sum which is set apart must not hold.

    >>> V, b = ex.Sym("V"), 3 * ex.Sym("d_ff") + 2 * ex.Sym("d_head") * ex.Sym("n_heads") + 2
    >>> long = ex.Quotient(ex.Sym("L") * b, 2 * V + ex.Sym("L") * b + 1)
    >>> [str(e.sides[0][1][0].expr) for e in equalities([(ex.Sym("x"), long)])]
    ['L*b/(2*V + L*b + 1)', '3*d_ff']
    """
    known: dict[ex.Expr, ex.Sym] = {}
    for left, expr in pairs:
        shown: ex.Expr = expr
        new: dict[ex.Expr, ex.Sym] = {}
        if not _fits(left, shown):
            for old, letter in known.items():
                shown = _lettered(shown, old, letter)
        while not _fits(left, shown) and (part := _best(shown, avoid)) and len(new) < MOST:
            letter = _letter([left, expr, *known, *new], {*known.values(), *new.values()})
            shown, new[part] = _lettered(shown, part, letter), letter
        if _fits(left, shown) and all(_fits(sign, tree) for tree, sign in new.items()):
            yield Equality(left, ((relation, plain_terms(shown)),))
            for tree, sign in new.items():
                yield Equality(sign, (("=", plain_terms(tree)),))
            known |= new


def _fits(left: ex.Expr, expr: ex.Expr) -> bool:
    """Whether a formula goes on one line, or on several as a sum or a product with a bracket."""
    write = TextWriter().write
    if isinstance(expr, ex.Quotient) or ex.negated(expr) is not None:
        return len(write(left)) + 3 + len(write(expr)) <= LONGEST
    parts = expr.terms if isinstance(expr, ex.Sum) else [] if isinstance(
        expr, ex.Product) else [expr]
    return all(len(write(left)) + 6 + len(write(part)) <= LONGEST for part in parts
               if not isinstance(part, ex.Product))


def _best(expr: ex.Expr, avoid: tuple[str, ...]) -> ex.Expr | None:
    """The sum inside a formula that shortens it most when it stands apart."""
    kept_in = {ex.Sym(name) for name in avoid}
    parts = [e for e in ex.walk(expr) if isinstance(e, ex.Sum) and e != expr and not any(
        _is_root(below) or below in kept_in for below in ex.walk(e))]
    return max(parts, key=lambda part: _saved(expr, part), default=None)


def _letter(near: Iterable[ex.Expr], taken: set[ex.Sym]) -> ex.Sym:
    used = {name for expr in near for name in ex.symbols_in(expr)} | {s.name for s in taken}
    return ex.Sym(next(letter for letter in LETTERS if letter not in used))


def _saved(expr: ex.Expr, part: ex.Expr) -> int:
    """How much shorter a formula is with a letter for a part of it."""
    return len(str(expr)) - len(str(_lettered(expr, part, ex.Sym("b"))))


def _is_root(expr: ex.Expr) -> bool:
    return isinstance(expr, ex.Power) and isinstance(expr.exponent, Fraction)


def _lettered(expr: ex.Expr, part: ex.Expr, letter: ex.Sym) -> ex.Expr:
    """A formula with a part of it replaced by a letter."""
    if expr == part:
        return letter
    match expr:
        case ex.Sum(terms):
            return ex.Sum(tuple(_lettered(t, part, letter) for t in terms))
        case ex.Product(factors):
            return ex.Product(tuple(_lettered(f, part, letter) for f in factors))
        case ex.Quotient(top, bottom):
            return ex.Quotient(_lettered(top, part, letter), _lettered(bottom, part, letter))
        case ex.Power(base, exponent):
            return ex.Power(_lettered(base, part, letter), exponent)
    return expr
