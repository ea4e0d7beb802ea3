"""Which equations a derivation uses, in which order, and whether the model's numbers meet them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from shlex import quote

import sympy as sp

from symparam import expression as ex
from symparam.constraints import Equation, Standing
from symparam.dataclass import dataclass
from symparam.derivation.step import Holds
from symparam.dims import TOTAL
from symparam.errors import BadValue, NotDerivable
from symparam.grammar import Rule, parse_relation
from symparam.model import Model
from symparam.symbols import from_sympy, is_zero, symbol, to_sympy

#: An assumption that numbers miss by more than this is not "nearly" met.
NEARLY = Fraction(1, 20)

#: What any dim may be taken to be when only the sign of an expression is looked at.
_LARGE = 10**6

#: Dims are eliminated in this order; what is not named comes after.
_ORDER = ("n_kv", "d_head", "d_ff")
_KEPT = ("d_model", "L", "V", "n_ctx")
#: A ratio of the numbers with a denominator up to this is better than a rule met nearly.
_SIMPLE = 8
_USED = {Standing.ASSUMED, Standing.DEFINITION, Standing.DEFAULT, Standing.CANDIDATE}


@dataclass(frozen=True)
class Assumption:
    """An equation that a derivation uses, and whether it holds for the model's numbers."""

    equation: Equation
    holds_here: Holds


def read_assumptions(texts: Iterable[str], names: Iterable[str] = ()) -> tuple[
        bool, list[Equation]]:
    """``--assume`` as given: whether defaults stay, and equations each solved for one dim.

    Raises:
        ParseError, UnknownName: not an equation of the grammar. BadValue: nothing to solve for.

    >>> defaults, equations = read_assumptions(["n_heads*d_head = d_model"])
    >>> defaults, str(equations[0])
    (True, 'd_head = d_model/n_heads')
    """
    defaults, equations = True, []
    for text in texts:
        if text.strip().lower() == "none":
            defaults = False
        else:
            left, rule = parse_relation(text, names)
            found = _solved(text, left, rule.expr)
            if rule.rounding and found.expr != rule.expr:
                raise BadValue("--assume", text, "what is rounded stands for one dim alone: "
                               "d_ff = 8/3*d_model, up to 256")
            equations.append(replace(found, rounding=rule.rounding))
    dims = [eq.dim for eq in equations]
    for dim in dims:
        if dims.count(dim) > 1:
            raise BadValue("--assume", dim, "is given by two assumptions")
    return defaults, equations


def _solved(text: str, left: ex.Expr, right: ex.Expr) -> Equation:
    """An equation for the dim that it eliminates."""
    names = [*ex.symbols_in(left), *ex.symbols_in(right)]
    if TOTAL.name in names:
        raise BadValue("--assume", text, "P is what is derived; assume relations between dims")
    for one, other in ((left, right), (right, left)):
        if isinstance(one, ex.Sym) and one.name not in (*_KEPT, *ex.symbols_in(other)):
            return _possible(text, one.name, other)
    ranked = sorted(set(names), key=lambda n: (n in _KEPT, _rank(n), n))
    difference = sp.expand(to_sympy(left) - to_sympy(right))
    if difference.has(sp.zoo, sp.nan):
        raise BadValue("--assume", text, "divides by zero")
    for name in ranked:
        x = symbol(name)
        slope = sp.diff(difference, x)
        if not slope.has(x) and not is_zero(slope):
            value = from_sympy(sp.cancel(-difference.subs(x, 0) / slope))
            return _possible(text, name, value)
    raise BadValue("--assume", text, "no dim in it can be expressed by the others")


def _possible(text: str, dim: str, expr: ex.Expr) -> Equation:
    """An equation for a dim that can be one: a whole number, or positive where others are large."""
    names = ex.symbols_in(expr)
    try:
        value = ex.evaluate(expr, dict.fromkeys(names, _LARGE))
    except ZeroDivisionError:
        raise BadValue("--assume", text, "divides by zero") from None
    if value <= 0 or (not names and not isinstance(value, int)):
        raise BadValue("--assume", text, f"{dim} must be a whole number, at least 1")
    return Equation(dim, expr, "assumed", Standing.ASSUMED)


def _rank(name: str) -> int:
    return _ORDER.index(name) if name in _ORDER else len(_ORDER)


def choose(model: Model, values: Mapping[str, int], texts: Iterable[str],
           present: Container[str]) -> list[Assumption]:
    """The equations to use: those asked for, and defaults that the numbers do not contradict.

    Args:
        model: the model.
        values: its numbers, as far as it has them.
        texts: what was asked for.
        present: the dims that its formula has.

    Raises:
        BadValue: an assumption on a dim that the formula does not have.
        NotDerivable: an assumption that the model's numbers are far from.
    """
    defaults, asked = read_assumptions(texts, model.names)
    for eq in asked:
        if eq.dim not in present:
            raise BadValue("--assume", eq, f"the formula of {model.name} has no {eq.dim}")
    by_dim = {eq.dim: Assumption(eq, _holds(eq, values)) for eq in asked}
    ruled: set[str] = set()
    for eq in model.all_equations() if defaults else ():
        backwards = any(eq.dim in a.inputs and a.dim in eq.inputs for a in asked)
        if eq.dim in by_dim or eq.standing not in _USED or backwards or _is_chosen(eq, model):
            continue
        if eq.standing is Standing.DEFINITION and eq.dim in model.values and (
                eq.holds(values) is None):
            raise NotDerivable(f"{eq.dim} = {model.values[eq.dim]} is against {eq} ({eq.reason}); "
                               "choose grouped queries (gqa), or leave out one of them")
        exact = replace(eq, rounding=None) if eq.holds(values) else eq
        if _applies(exact, model, values) and (eq.dim not in ruled or eq.holds(values)):
            by_dim[eq.dim] = Assumption(exact, _meets(exact, values) or None)
        elif eq.standing is not Standing.CANDIDATE:
            ruled.add(eq.dim)  # the first rule for a dim stands, used or not
    return _ordered(by_dim)


def _is_chosen(eq: Equation, model: Model) -> bool:
    """Whether it says of a picture what no formula can: its size, or what a procedure gives."""
    return model.picture is not None and eq in model.picture.equations and (
        not eq.inputs or ex.chooses(eq.expr))


def introduced(texts: Iterable[str], model: Model, values: Mapping[str, int]) -> dict[str, int]:
    """Numbers of symbols that assumptions bring in: g = 8 in ``n_kv = n_heads/g``.

    Raises:
        BadValue: it would be no whole number with the model's numbers.
    """
    found: dict[str, int] = {}
    for eq in read_assumptions(texts, model.names)[1]:
        new = [name for name in eq.inputs if name not in values]
        if len(new) != 1 or eq.dim not in values or eq.rounding:
            continue
        x = symbol(new[0])
        known = {symbol(name): number for name, number in values.items()}
        gap = sp.numer(sp.together(to_sympy(eq.expr).subs(known) - values[eq.dim]))
        roots = sp.Poly(gap, x).ground_roots() if gap.is_polynomial(x) else {}
        whole = [int(root) for root in roots if root.is_Integer and root > 0]
        if len(whole) != 1:
            raise BadValue("--assume", eq, f"{new[0]} would be no whole number with the numbers of "
                           f"{model.name}")
        found[new[0]] = whole[0]
    return found


def _ordered(by_dim: Mapping[str, Assumption]) -> list[Assumption]:
    """Each equation before those for the dims on its right side, so that none comes back.

    Raises:
        NotDerivable: they go round in circles.
    """
    left = sorted(by_dim.values(), key=lambda a: (_rank(a.equation.dim), a.equation.dim))
    ordered: list[Assumption] = []
    while left:
        needed = {name for a in left for name in a.equation.inputs}
        ready = [a for a in left if a.equation.dim not in needed]
        if not ready:
            circle = "; ".join(str(a.equation) for a in left)
            raise NotDerivable(f"the assumptions go round in circles: {circle}")
        ordered.append(ready[0])
        left.remove(ready[0])
    return ordered


def _applies(eq: Equation, model: Model, values: Mapping[str, int]) -> bool:
    """Whether a default is used: where numbers meet it, or where there are no numbers."""
    holds = _meets(eq, values)
    if holds is not None:
        return holds
    return eq.standing is not Standing.CANDIDATE and eq.dim not in model.values


def _meets(eq: Equation, values: Mapping[str, int]) -> bool | None:
    """Whether numbers meet an equation, rounded as it says."""
    holds = eq.holds(values)
    if holds is None or not eq.rounding:
        return holds
    return eq.value(values) == values[eq.dim]


def _holds(eq: Equation, values: Mapping[str, int]) -> Holds:
    """Whether numbers meet an assumption: yes, nearly, or not known without numbers."""
    holds = _meets(eq, values)
    if holds is None or holds:
        return holds or None
    here = values[eq.dim]
    try:
        exact = eq.value(values) if eq.rounding else ex.evaluate(eq.expr, values)
    except ZeroDivisionError:
        raise NotDerivable(f"{eq} divides by zero here") from None
    if eq.rounding or abs(Fraction(exact) - here) > NEARLY * here:
        meant = quote(f"{eq.dim}={Rule(eq.expr, eq.rounding)}")
        raise NotDerivable(f"{eq} does not hold here: it gives {float(exact):g}, the model has "
                           f"{eq.dim} = {here}; to change the model, write {meant} without "
                           "--assume")
    return "nearly"


def usual_relation(model: Model, values: Mapping[str, int], dim: str, to: str) -> str:
    """An assumption to offer for a dim: its default if the numbers are near it, else their ratio.

    >>> from symparam.descriptions.load import load
    >>> model = load("llama-2-70b")
    >>> usual_relation(model, model.values, "d_ff", "d_model")
    'd_ff = 7/2*d_model'
    >>> usual_relation(model, {"d_ff": 28672}, "d_ff", "V")
    'd_ff = 4*V'
    """
    for eq in model.all_equations():
        if eq.dim == dim and to in eq.inputs and eq.standing is not Standing.INVERSE:
            try:
                held = _holds(eq, values)
            except NotDerivable:
                break
            if held != "nearly" or _ratio(values, dim, to).denominator > _SIMPLE:
                return f"{dim} = {eq.expr}"
    if dim in values and to in values:
        return f"{dim} = {_ratio(values, dim, to)}*{to}"
    return f"{dim} = 4*{to}"


def _ratio(values: Mapping[str, int], dim: str, to: str) -> Fraction:
    return Fraction(values[dim], values[to])
