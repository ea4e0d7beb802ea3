"""Formulas for the sizes that are solved for, and their real roots on numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.dims import TOTAL
from symparam.errors import NotDerivable
from symparam.grammar import Rule
from symparam.resolve import resolve
from symparam.solve.formulas.closed_form import HALF, ClosedForm, closed_form, reduced
from symparam.solve.formulas.put_back import put_back
from symparam.solve.formulas.put_in import PutIn, put_in, rules_of
from symparam.solve.formulas.roots import Root, real_roots
from symparam.solve.requests.request import Request
from symparam.solve.requests.targets import is_run
from symparam.solve.searching.plan import Plan
from symparam.symbols import SymExpr, collected, is_zero

_TOTAL = re.compile(rf"\b{TOTAL.name}\b")


@dataclass(frozen=True)
class Aim:
    """What formulas are found from.

    Attributes:
        name: the quantity, as it is written in them: ``P``, ``memory``.
        expr: the quantity in the dims.
        value: what it is to be.
        tally: the number of parameters in the dims.
    """

    name: str
    expr: SymExpr
    value: int
    tally: SymExpr

    def squared(self) -> int | None:
        """The factor k where the quantity is k·P², for a whole k; None for any other."""
        if self.name == TOTAL.name:
            return None
        own, other = collected(self.expr), collected(self.tally)**2
        first = next(iter(other.terms))
        factor = ex.whole(Fraction(own.terms.get(first, 0)) / other.terms[first])
        if not isinstance(factor, int) or factor <= 0:
            return None
        return factor if is_zero(self.expr - factor * self.tally**2) else None


def closed_forms(plan: Plan, request: Request, aim: Aim) -> tuple[ClosedForm, ...]:
    """A formula for each size, under the identities; one for a dim asked for, or a refusal.

    Raises:
        NotDerivable: the quantity does not depend on the dim that was asked for.
    """
    forms = []
    factor = aim.squared()
    for name in plan.sizes:
        given = {} if is_run(name) else _used(_all_put_in(plan, request), name)
        given = _reached(aim.expr if factor is None else aim.tally, given)
        rules = rules_of(given)
        if choice := next((each for each in given.values() if ex.chooses(each.expr)), None):
            forms.append(ClosedForm(name, (), f"{choice} is no sum of products", None))
            continue
        try:
            count_in_sizes = reduced(aim.expr if factor is None else aim.tally, rules)
        except NotDerivable as error:
            forms.append(ClosedForm(name, (), str(error), None))
            continue
        try:
            form = closed_form(count_in_sizes, name)
        except NotDerivable:
            if request.asked == (name,):
                raise NotDerivable(_indifferent(aim, name, rules)) from None
            continue
        if factor is not None or aim.name == TOTAL.name:
            put_back(plan.model, form, given)
        forms.append(replace(_in_terms_of(form, aim, factor), put_in=tuple(given.values())))
    return tuple(forms)


def _all_put_in(plan: Plan, request: Request) -> dict[str, PutIn]:
    """Where each relation of the lattice is from."""
    scaled = bool(request.model.values) and not resolve(request.model).missing
    return {dim: put_in(request, dim, rule, scaled) for dim, rule in plan.identities.items()}


def _reached(expr: SymExpr, found: Mapping[str, PutIn]) -> dict[str, PutIn]:
    """The relations for dims of an expression, and for dims that these bring in."""
    names, more = set[str](), {s.name for s in expr.free_symbols}
    while more:
        names |= more
        more = {inner for dim in more if dim in found
                for inner in ex.symbols_in(found[dim].expr)} - names
    return {dim: each for dim, each in found.items() if dim in names}


def _in_terms_of(form: ClosedForm, aim: Aim, factor: int | None) -> ClosedForm:
    """A formula in P as one in the quantity that is wanted; where that is k·P², in the root of
    its k-th part."""
    if aim.name == TOTAL.name:
        return form
    inner: ex.Expr = ex.Sym(aim.name)
    if factor is None:
        why, count = _TOTAL.sub(aim.name, form.why), form.count
    else:
        inner = ex.Power(ex.Quotient(inner, ex.Num(factor)), HALF)
        why = f"{form.why}; {aim.name} = {factor}·P², so that P is a square root"
        count = None if form.count is None else factor * form.count**2
    formulas = tuple(ex.substitute(f, {TOTAL.name: inner}) for f in form.formulas)
    return replace(form, formulas=formulas, why=why, count=count)


def _used(identities: Mapping[str, PutIn], name: str) -> dict[str, PutIn]:
    """The relations that a formula for a dim is under.

    One that subtracts (L_sparse = L − L_dense) or rounds, and has nothing to do with the dim, is
    left out: the formula is then in the dim that follows, exact, and its signs can be seen.
    """
    def touches(dim: str) -> bool:
        return dim == name or (dim in identities and any(
            touches(inner) for inner in ex.symbols_in(identities[dim].expr) if inner != dim))

    return {dim: each for dim, each in identities.items() if dim != name and (
        touches(dim) or not (each.relaxed or ex.chooses(each.expr) or _subtracts(each.expr)))}


def _subtracts(expr: ex.Expr) -> bool:
    return any(ex.negated(term) for e in ex.walk(expr) if isinstance(e, ex.Sum) for term in e.terms)


def _indifferent(aim: Aim, name: str, rules: Mapping[str, Rule]) -> str:
    given = ", ".join(f"{dim} = {rule.expr}" for dim, rule in rules.items())
    counted = "the count" if aim.name == TOTAL.name else aim.name
    return (f"{counted} does not depend on {name}{f' once {given}' if given else ''}: "
            f"any value gives the same {counted.removeprefix('the ')}")


def real(forms: Sequence[ClosedForm], plan: Plan, request: Request, value: int,
         ) -> tuple[dict[str, tuple[Root, ...]], Mapping[str, int]]:
    """The real roots, and the numbers under which they hold: a head width that is open is taken
    to be the usual one."""
    known = {**plan.lattice.numbers, **followed(plan)}
    roots = _roots(forms, plan, value, known)
    if not roots and "d_head" not in known:
        known = {**known, "d_head": 128 if request.large else 64}
        roots = _roots(forms, plan, value, known)
    return roots, known


def followed(plan: Plan) -> dict[str, int]:
    """The dims whose rules need fixed numbers alone."""
    known = dict(plan.lattice.numbers)
    for axis in plan.lattice.axes:
        if not axis.ranges and axis.needs <= set(known):
            values = axis.values(known)
            if len(values) == 1:
                known[axis.dim] = values[0]
    return {name: value for name, value in known.items() if name not in plan.lattice.numbers}


def _roots(forms: Sequence[ClosedForm], plan: Plan, target: int,
           known: Mapping[str, int]) -> dict[str, tuple[Root, ...]]:
    found = {form.symbol: real_roots(form, target, known, plan.identities, plan.model.zeros)
             for form in forms}
    return {name: roots for name, roots in found.items() if roots}
