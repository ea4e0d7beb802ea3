"""Where the embeddings fall under a share of a quantity: exactly, and at whole numbers.

The share falls under s where s·P − E passes zero, P the quantity and E what of it comes from token
embedding and head. That is a polynomial in the dim: its root is written down to degree 2 and
isolated above; the multiples on both sides of it are counted from the matrices.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

import sympy as sp

from symparam import expression as ex
from symparam.bracketed import written
from symparam.constraints import Standing
from symparam.dataclass import dataclass
from symparam.dims import TOTAL
from symparam.errors import FalseStep, NotDerivable, SymparamError
from symparam.model import Model
from symparam.sensitivity.amount import Amount
from symparam.sensitivity.held import Held
from symparam.sensitivity.points import TRIES, Dims, Place
from symparam.sensitivity.proved import quotient
from symparam.solve.formulas.closed_form import Coefficients, closed_form, coefficients
from symparam.symbols import SymExpr, collected, exact, symbol

#: Multiples that are looked for: widths in steps of 64 and 128, layers one by one.
MULTIPLES: Mapping[str, tuple[int, ...]] = {"d_model": (64, 128)}

_NO_POLYNOMIAL = "there is no polynomial in it, or a dim follows it that is not replaced"
_BY_STEPS = "layers of a kind follow it by whole steps, so that there is no one root"
_NO_FORMULA = "no formula in square roots that holds for all dims"


@dataclass(frozen=True)
class First:
    """The first multiple at which the share is under the one asked for, and the one before.

    Attributes:
        multiple: of what: 64, 128, or 1 for layers.
        number: the first one.
        share: the exact share there.
        before: the last multiple at which it is not; None where there is none.
        share_before: the exact share there.
        dims: the dims that are others there than in the model.
    """

    multiple: int
    number: int
    share: Fraction
    before: int | None
    share_before: Fraction | None
    dims: Mapping[str, int]


@dataclass(frozen=True)
class Crossover:
    """Where the embeddings fall under a share.

    Attributes:
        share: the share.
        held: the dim that is moved, and what follows it.
        formula: the dim in the others, where there is a formula in square roots; proved.
        root: the real number here, from exact arithmetic; None without numbers.
        is_exact: whether the root is that fraction itself, rather than isolated to 15 digits.
        firsts: the first multiples under the share, counted on both sides.
        why: why there is no root, or no such multiple.
    """

    share: Fraction
    held: Held
    formula: ex.Expr | None
    root: Fraction | None
    is_exact: bool
    firsts: tuple[First, ...]
    why: str = ""


def crossover(amount: Amount, share: Fraction, held: Held, place: Place | None) -> Crossover:
    """Where the embeddings fall under a share of a quantity as one dim grows.

    Args:
        amount: the quantity.
        share: between 0 and 1.
        held: the dim, and what follows it.
        place: the model's numbers; None where it has not all of them.

    Raises:
        FalseStep: a multiple that was found is not the first one (it is counted on both sides).
    """
    excess = sp.expand(held.applied(amount.expr) - held.applied(amount.embedded) / exact(share))
    powers = coefficients(excess, symbol(held.wrt))
    if place is not None and _steps(place.model, held.wrt):
        return Crossover(share, held, None, None, False, (), _BY_STEPS)
    if not powers or held.slopes():
        return Crossover(share, held, None, None, False, (), _NO_POLYNOMIAL)
    low = min(powers)
    powers = {e - low: c for e, c in powers.items()}
    if place is None:
        formula = _formula(powers, held.wrt)
        return Crossover(share, held, formula, None, False, (), "" if formula else _NO_FORMULA)
    roots = _roots(powers, held.wrt, place.values)
    if not roots:
        return Crossover(share, held, None, None, False, (), _never(powers, held.wrt, place.values))
    firsts = [_first(amount, place, roots, multiple, share)
              for multiple in MULTIPLES.get(held.wrt, (1,))]
    found = tuple(first for first in firsts if first is not None)
    missing = "" if len(found) == len(firsts) else "no multiple near it has whole numbers of all"
    return Crossover(share, held, _formula(powers, held.wrt), roots[-1], max(powers) == 1, found,
                     missing)


def _steps(model: Model, name: str) -> bool:
    """Whether weights follow a dim by whole steps, as layers of a kind follow the depth."""
    return any(eq.standing is Standing.PATTERN and name in eq.inputs and eq.dim in model.dims
               for eq in model.all_equations())


def _formula(powers: Coefficients, name: str) -> ex.Expr | None:
    """The root as a formula, proved; None where there is none in square roots."""
    constant = powers.get(0, sp.Integer(0))
    if not all(c > 0 for e, p in powers.items() if e for c in collected(p).terms.values()):
        return None
    if max(powers) == 1:
        return quotient(-sp.expand(constant), sp.expand(powers[1])).expr
    rising = sp.Add(*(c * symbol(name)**e for e, c in powers.items() if e))
    try:
        form = closed_form(rising, name)
    except NotDerivable:
        return None
    return None if form.expr is None else _flat(ex.substitute(
        form.expr, {TOTAL.name: written(-constant)}))


def _flat(expr: ex.Expr) -> ex.Expr:
    """A tree without products that stand directly in products."""
    match expr:
        case ex.Sum(terms):
            return ex.Sum(tuple(map(_flat, terms)))
        case ex.Product(factors):
            return ex.flat_product(*map(_flat, factors))
        case ex.Quotient(top, bottom):
            return ex.Quotient(_flat(top), _flat(bottom))
        case ex.Power(base, exponent):
            return ex.Power(_flat(base), exponent)
        case ex.Extreme(name, parts) | ex.Procedure(name, parts):
            return type(expr)(name, tuple(map(_flat, parts)))
    return expr


def _numbers(powers: Coefficients, name: str, values: Mapping[str, int]) -> dict[int, SymExpr]:
    """The coefficients on numbers."""
    here = {symbol(n): sp.Integer(v) for n, v in values.items() if n != name}
    return {e: sp.expand(c.xreplace(here)) for e, c in powers.items()}


def _roots(powers: Coefficients, name: str, values: Mapping[str, int]) -> list[Fraction]:
    """The positive roots on numbers, in order, where the share falls beyond the last of them.

    Exact where the equation is linear, else isolated to fifteen digits and more.
    """
    numbers = {e: c for e, c in _numbers(powers, name, values).items() if c != 0}
    if max(numbers, default=0) < 1 or numbers[max(numbers)] < 0:
        return []
    if max(numbers) == 1:
        root = -numbers.get(0, sp.Integer(0)) / numbers[1]
        return [Fraction(int(root.p), int(root.q))] if root > 0 else []
    poly = sp.Poly({(e,): c for e, c in numbers.items()}, symbol(name)).sqf_part()
    found = list[Fraction]()  # (of a root that it has twice no interval is ever made smaller)
    for (low, high), _ in poly.intervals(inf=0):
        while low <= 0 or (high - low) * 10**15 > high:
            if high <= 0 or low == high:
                break
            low, high = poly.refine_root(low, high, eps=(low or high) / 10**15)
        middle = (low + high) / 2
        if middle > 0:
            found.append(Fraction(int(middle.p), int(middle.q)))
    return found


def _never(powers: Coefficients, name: str, values: Mapping[str, int]) -> str:
    """Why there is no number at which the share falls under it."""
    highest = _numbers(powers, name, values)[max(powers)]
    return f"it is {'under' if highest > 0 else 'over'} this share at every {name}"


def _first(amount: Amount, place: Place, roots: list[Fraction], multiple: int,
           share: Fraction) -> First | None:
    """The first multiple beyond the last root at which all dims are whole, and the one below."""
    above = math.floor(roots[-1] / multiple) + 1
    least = math.ceil(roots[-2] / multiple) if len(roots) > 1 else 1
    over = _possible(place, [k * multiple for k in range(above, above + TRIES)])
    below = range(above - 1, max(least - 1, above - 1 - TRIES), -1)
    under = _possible(place, [k * multiple for k in below])
    if over is None:
        return None
    there = _part(amount, over)
    before = None if under is None else _part(amount, under)
    name = place.held.wrt
    if there >= share or (before is not None and before < share):
        raise FalseStep(f"{name} = {over[name]} is the first under {share}", str(there - share))
    dims = {n: number for n, number in over.items() if number != place.values.get(n)}
    return First(multiple, over[name], there, None if under is None else under[name], before, dims)


def _part(amount: Amount, dims: Dims) -> Fraction:
    """The share of token embedding and head, over whole numbers."""
    return Fraction(amount.in_embeddings(dims)) / amount.at(dims)


def _possible(place: Place, numbers: list[int]) -> Dims | None:
    """All dims at the first of some numbers at which there is such a model."""
    for number in numbers:
        try:
            return place.at(number)
        except SymparamError:
            continue
    return None
