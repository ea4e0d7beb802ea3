"""Long formulas with a letter for their longest sum, so that they fit a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.notation.notation import PRESETS, Notation, TextWriter
from symparam.writers.document import Block, Display, Equality, Math, Paragraph, plain_terms

#: No line of plain text is longer; one on a page is as long as its notation says.
LONGEST = 76
LETTERS = "bcuwxyz"
#: With more letters than this in it a formula cannot be read.
MOST = 2


def equalities(pairs: Iterable[tuple[ex.Expr, ex.Expr]], relation: str = "=",
               notation: Notation | None = None) -> Iterator[Equality]:
    """Formulas with their left sides; a long sum in a long one stands apart, under a letter.

    A letter means the same in all of them. A formula that does not fit a line even so is left
    out: sums are broken over lines, a quotient cannot be.

    Args:
        pairs: left sides and formulas.
        relation: what stands between them.
        notation: the one that they are written in; where it is not known they fit in any.

    >>> V, b = ex.Sym("V"), 3 * ex.Sym("d_ff") + 2 * ex.Sym("d_head") * ex.Sym("n_heads") + 2
    >>> long = ex.Quotient(ex.Sym("L") * b, 2 * V + ex.Sym("L") * b + 1)
    >>> [str(e.sides[0][1][0].expr) for e in equalities([(ex.Sym("x"), long)])]
    ['L*b/(2*V + L*b + 1)', '3*d_ff']
    """
    page = _Page(tuple(PRESETS.values()) if notation is None else (notation,))
    known: dict[ex.Expr, ex.Sym] = {}
    for left, expr in pairs:
        shown: ex.Expr = expr
        new: dict[ex.Expr, ex.Sym] = {}
        if not page.fits(left, shown):
            for old, letter in known.items():
                shown = lettered(shown, old, letter)
        while not page.fits(left, shown) and len(new) < MOST and (part := _best(shown)):
            letter = _letter([left, expr, *known, *new], {*known.values(), *new.values()})
            shown, new[part] = lettered(shown, part, letter), letter
        if page.fits(left, shown) and all(page.fits(sign, tree) for tree, sign in new.items()):
            yield Equality(left, ((relation, plain_terms(shown)),))
            for tree, sign in new.items():
                yield Equality(sign, (("=", plain_terms(tree)),))
            known |= new


def formulas(pairs: Iterable[tuple[ex.Expr, ex.Expr]],
             notation: Notation | None = None) -> Iterator[Block]:
    """Formulas as blocks; which of them are left out is said."""
    pairs = list(pairs)
    shown = list(equalities(pairs, notation=notation))
    yield from displays(shown, notation)
    absent = [left for left, _ in pairs if left not in {e.left for e in shown}]
    if absent:
        named = [span for left in absent for span in (", ", Math(left))][1:]
        yield Paragraph(("Too long for a line, and in the JSON form: ", *named, "."))


def displays(found: Iterable[Equality], notation: Notation | None = None) -> Iterator[Display]:
    """Equalities one under another, apart where a long left side of one would push another off
    the page: they are aligned at their signs.

    Args:
        found: the equalities, each with one side.
        notation: the one that they are written in; where it is not known they fit in any.
    """
    notations = tuple(PRESETS.values()) if notation is None else (notation,)
    group: list[Equality] = []
    for equality in found:
        if group and not all(_aligned([*group, equality], n) for n in notations):
            yield Display(tuple(group))
            group = []
        group.append(equality)
    if group:
        yield Display(tuple(group))


def _aligned(group: list[Equality], notation: Notation) -> bool:
    """Whether equalities that are aligned at their signs stay on a page."""
    write = TextWriter(notation=notation).write
    left = max(len(write(e.left)) for e in group)
    right = max(min(len(write(ex.sum_of(*(t.expr for t in terms)))), notation.line)
                for e in group for _, terms in e.sides)
    return (left + right) * 4 <= notation.line * 5


@dataclass(frozen=True)
class _Page:
    """What fits a line of text and of a page, in some notations."""

    notations: tuple[Notation, ...]

    def fits(self, left: ex.Expr, expr: ex.Expr) -> bool:
        """Whether a formula goes on one line, or on several that break between its terms."""
        return all(self._fits(n, left, part) for n in self.notations for part in _pieces(expr))

    @staticmethod
    def _fits(notation: Notation, left: ex.Expr, part: ex.Expr) -> bool:
        def wide(expr: ex.Expr) -> int:
            return len(TextWriter(notation=notation).write(expr))

        bare = ex.negated(part) or part
        sides = [bare.top, bare.bottom] if isinstance(bare, ex.Quotient) else [bare]
        lead = wide(left) + 6
        return lead + wide(part) <= LONGEST and lead + max(map(wide, sides)) <= notation.line


def _pieces(expr: ex.Expr) -> Iterator[ex.Expr]:
    """What a formula is broken into at most: terms, and those of a bracket that ends one."""
    for term in expr.terms if isinstance(expr, ex.Sum) else (expr,):
        last = term.factors[-1] if isinstance(term, ex.Product) else term
        if isinstance(last, ex.Sum):
            yield from _pieces(last)
        else:
            yield term


def _best(expr: ex.Expr) -> ex.Expr | None:
    """The sum inside a formula that shortens it most when it stands apart."""
    parts = [e for e in ex.walk(expr) if isinstance(e, ex.Sum) and e != expr
             and not any(map(is_root, ex.walk(e)))]
    return max(parts, key=lambda part: _saved(expr, part), default=None)


def _letter(near: Iterable[ex.Expr], taken: set[ex.Sym]) -> ex.Sym:
    used = {name for expr in near for name in ex.symbols_in(expr)} | {s.name for s in taken}
    return ex.Sym(next(letter for letter in LETTERS if letter not in used))


def _saved(expr: ex.Expr, part: ex.Expr) -> int:
    """How much shorter a formula is with a letter for a part of it."""
    return len(str(expr)) - len(str(lettered(expr, part, ex.Sym("b"))))


def is_root(expr: ex.Expr) -> bool:
    """Whether an expression is a power with a fraction as its exponent."""
    return isinstance(expr, ex.Power) and isinstance(expr.exponent, Fraction)


def lettered(expr: ex.Expr, part: ex.Expr, letter: ex.Sym) -> ex.Expr:
    """A formula with a part of it replaced by a letter."""
    if expr == part:
        return letter
    match expr:
        case ex.Sum(terms):
            return ex.Sum(tuple(lettered(t, part, letter) for t in terms))
        case ex.Product(factors):
            return ex.Product(tuple(lettered(f, part, letter) for f in factors))
        case ex.Quotient(top, bottom):
            return ex.Quotient(lettered(top, part, letter), lettered(bottom, part, letter))
        case ex.Power(base, exponent):
            return ex.Power(lettered(base, part, letter), exponent)
        case ex.Extreme(name, parts) | ex.Procedure(name, parts):
            return type(expr)(name, tuple(lettered(p, part, letter) for p in parts))
    return expr
