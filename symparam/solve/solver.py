"""From a target to its solution: plan, closed forms, search, ranking, and a last check."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from symparam.count import count
from symparam.errors import BadValue, FalseStep, NotDerivable
from symparam.grammar import Rule
from symparam.model import Model
from symparam.resolve import numbers, resolve, with_overrides
from symparam.solve.closed_form import ClosedForm, closed_form, grows, real_root, reduced
from symparam.solve.lattice import default_plan
from symparam.solve.polynomial import Polynomial
from symparam.solve.rank import CLOSENESS, nearest, preferences, rank
from symparam.solve.request import Plan, Request, check_layers, read_request
from symparam.solve.scaled import scaled_plan, single_plan
from symparam.solve.search import Search
from symparam.solve.solution import Configuration, Solution
from symparam.symbols import SymExpr


def solve(model: Model, target: int, *, given: Mapping[str, int | Rule],
          unknown: Collection[str] = (), tolerance: Fraction = Fraction(1, 100),
          limit: int = 10) -> Solution:
    """Configurations of a model that have a number of parameters.

    Args:
        model: an architecture without numbers (a default lattice is searched) or with numbers
            (its depth and width are searched, its ratios kept).
        target: how many parameters, from 1 to 10^24.
        given: dims as numbers or rules; they replace their part of the lattice.
        unknown: a dim to search over all whole numbers, the others as given or by default.
        tolerance: the relative error within which a configuration meets the target.
        limit: how many configurations to hand back.

    Raises:
        SymparamError: a target, a dim or a combination that cannot be; a dim that is needed and
            missing; a lattice that is empty or too large; a dim that the count does not depend on.

    >>> from symparam.spec.decoder import plain_decoder
    >>> found = solve(plain_decoder(), 7 * 10**9, given={"L": 32})
    >>> round(float(found.real["d_model"]), 2), found.met, found.complete
    (4186.96, True, True)
    """
    if tolerance < 0:
        raise BadValue("tolerance", tolerance, "must not be negative")
    if limit < 1:
        raise BadValue("limit", limit, "must be at least 1")
    request = read_request(model, target, given, unknown)
    plan = _plan(request)
    tally = count(plan.model).plain()
    forms = _closed_forms(plan, request, tally)
    low, high = target * (1 - Fraction(tolerance)), target * (1 + Fraction(tolerance))
    search = Search(plan.lattice, target, -(-low // 1), high // 1, limit,
                    _grows(forms, request.unknown))
    found = search.run(Polynomial.of(tally))
    order = rank if found.hits else nearest
    roots, numbers_there = _real(forms, request, plan.lattice.numbers)
    best = [_verified(plan.model, c) for c in order(found.best(), request, limit)]
    return Solution(
        model.name, target, Fraction(tolerance), _fixed(plan, request), forms,
        roots, numbers_there, tuple(best), len(found.hits),
        found.covered, found.enumerated, True, tuple(axis.text for axis in plan.lattice.axes),
        plan.assumed, (*(p.name for p in preferences(request)), CLOSENESS))


def _plan(request: Request) -> Plan:
    """How to answer: scaling a model with numbers, or the default lattice."""
    check_layers(request)
    if request.unknown and not request.uses(request.unknown):
        raise NotDerivable(f"{request.model.name} has no {request.unknown}: any value gives the "
                           "same count")
    brought = request.model.values
    if brought and not resolve(request.model).missing:
        return single_plan(request) if request.unknown else scaled_plan(request)
    kept = {name: value for name, value in brought.items()
            if name not in request.rules and name != request.unknown}
    return default_plan(replace(request, numbers={**kept, **request.numbers}))


def _closed_forms(plan: Plan, request: Request, tally: SymExpr) -> tuple[ClosedForm, ...]:
    """A formula for each size, under the identities; one for a dim asked for, or a refusal."""
    forms = []
    for name in plan.sizes:
        rules = {dim: rule for dim, rule in plan.identities.items() if dim != name}
        try:
            count_in_sizes = reduced(tally, rules)
        except NotDerivable as error:
            forms.append(ClosedForm(name, None, str(error), None))
            continue
        try:
            forms.append(closed_form(count_in_sizes, name))
        except NotDerivable:
            if name == request.unknown:
                raise NotDerivable(_indifferent(name, rules)) from None
    return tuple(forms)


def _indifferent(name: str, rules: Mapping[str, Rule]) -> str:
    given = ", ".join(f"{dim} = {rule.expr}" for dim, rule in rules.items())
    return (f"the count does not depend on {name}{f' once {given}' if given else ''}: "
            "any value gives the same count")


def _grows(forms: tuple[ClosedForm, ...], unknown: str | None) -> bool:
    return unknown is None or all(grows(f) for f in forms if f.symbol == unknown)


def _real(forms: tuple[ClosedForm, ...], request: Request,
          known: Mapping[str, int]) -> tuple[dict[str, Fraction], Mapping[str, int]]:
    """The real roots, and the numbers under which they hold: a head width that is open is taken
    to be the usual one."""
    roots = dict(_roots(forms, request.target, known))
    if not roots and "d_head" not in known:
        known = {**known, "d_head": 128 if request.large else 64}
        roots = dict(_roots(forms, request.target, known))
    return roots, known


def _roots(forms: tuple[ClosedForm, ...], target: int,
           known: Mapping[str, int]) -> Iterator[tuple[str, Fraction]]:
    for form in forms:
        root = real_root(form, target, known)
        if root is not None:
            yield form.symbol, root


def _fixed(plan: Plan, request: Request) -> dict[str, int | str]:
    return {**plan.lattice.numbers, **{dim: str(rule) for dim, rule in request.rules.items()}}


def _verified(model: Model, found: Configuration) -> Configuration:
    """The configuration, after its matrices were listed on integers and added up.

    Raises:
        FalseStep: they add up to something else; nothing unproved is handed out.
    """
    whole = with_overrides(model, found.dims)
    total = whole.ledger(numbers(whole).values).total()
    if total != found.total:
        raise FalseStep(f"P = {found.total} for {dict(found.dims)}", str(total - found.total))
    return found
