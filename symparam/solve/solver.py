"""From a target to its solution: plan, closed forms, search, ranking, and a last check."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from symparam import expression as ex
from symparam.align import alignment_checks
from symparam.count import count
from symparam.errors import BadValue, FalseStep, NotDerivable
from symparam.grammar import Rule, constant
from symparam.model import Model
from symparam.quantities.setting import Setting
from symparam.resolve import numbers, resolve, whole_number, with_overrides
from symparam.solve.best import Hit
from symparam.solve.binding import bindings
from symparam.solve.closed_form import ClosedForm, closed_form, reduced
from symparam.solve.goals import Goal
from symparam.solve.lattice import default_plan
from symparam.solve.marked import solve_marked
from symparam.solve.pareto import Front
from symparam.solve.plan import Plan
from symparam.solve.polynomial import Polynomial
from symparam.solve.preferences import preferences, usual_ratio
from symparam.solve.rank import Ranking
from symparam.solve.request import Request, Wishes, check_layers, read_request
from symparam.solve.roots import Root, real_roots
from symparam.solve.scaled import kept_plan, scaled_plan
from symparam.solve.search import Search, refuse_empty
from symparam.solve.solution import Binding, Configuration, Solution
from symparam.solve.targets import (
    Wanted,
    amount,
    check,
    goals,
    is_run,
    more_dims,
    setting_with,
)
from symparam.symbols import SymExpr


def solve(model: Model, target: int, *, given: Mapping[str, int | Rule] | None = None,
          wishes: Wishes | None = None, wanted: Sequence[Wanted] = (),
          setting: Setting | None = None, tolerance: Fraction = Fraction(1, 100), limit: int = 10,
          progress: Callable[[float], None] = lambda _: None) -> Solution:
    """Configurations of a model that have a number of parameters.

    Args:
        model: an architecture without numbers (a default lattice is searched) or with numbers
            (its depth and width are searched, its ratios kept).
        target: how many parameters, from 1 to 10^24.
        given: dims as numbers or rules; they replace their part of the lattice.
        wishes: unknowns, ranges, multiples, weights, a strategy.
        wanted: other quantities with a target or a limit.
        setting: tokens, sequences and number formats for those; ``s`` and ``b`` in ``given`` say
            the first two as well.
        tolerance: the relative error within which a configuration meets a target.
        limit: how many configurations to hand back.
        progress: called now and then with the share of the search that is done.

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
    sought_more, run = check(wanted), _run(given or {})
    dims = {name: value for name, value in (given or {}).items() if not is_run(name)}
    request = read_request(model, target, dims, wishes or Wishes(), more_dims(model, sought_more))
    tally = count(model).plain()
    plan = _plan(request, frozenset(map(str, tally.free_symbols)))
    forms = _closed_forms(plan, request, tally)
    total = Goal("P", Polynomial.of(tally), target, "=", Fraction(tolerance))
    said = setting_with(setting, run)
    lattice = {*plan.lattice.numbers, *(axis.dim for axis in plan.lattice.axes)}
    sought = goals(model, total, sought_more, lattice, said)
    table = preferences(request, plan.lattice.open_dims)
    ranking = Ranking(sought, table, usual_ratio(request))
    found = _search(plan, sought, ranking, limit, progress)
    roots, numbers_there = _real(forms, plan, request)
    best = tuple(_verified(plan.model, sought, ranking.configuration(hit), said)
                 for hit in found.points)
    return Solution(
        model.name, target, Fraction(tolerance), sought, _fixed(plan, request), forms, roots,
        numbers_there, best, found.within, found.front, found.covered, found.enumerated,
        found.complete, plan.lattice.statement(), plan.assumed, table,
        None if found.within else _bindings(plan, request, sought, ranking))


@dataclass(frozen=True)
class _Found:
    points: Sequence[Hit]
    within: int
    front: int
    covered: int
    enumerated: int
    complete: bool


def _search(plan: Plan, sought: Sequence[Goal], ranking: Ranking, limit: int,
            progress: Callable[[float], None]) -> _Found:
    """The points that meet all goals; else the nearest misses, or the front of several goals."""
    if plan.lattice.unknown is not None:
        return _one_unknown(plan, sought, ranking, limit)
    search = Search(plan.lattice, sought, ranking.best(limit), ranking.nearest(limit), progress)
    found = search.run()
    if found.within or len(sought) == 1:
        return _Found(found.hits or found.misses, found.within, 0, found.covered,
                      found.enumerated, found.complete)
    front = Front(plan.lattice, sought, ranking.nearest(1), ranking.nearest(1), progress)
    points = front.points()
    return _Found(spread(points, limit), 0, len(points), found.covered,
                  found.enumerated + front.findings.enumerated, True)


def spread(points: Sequence[Hit], limit: int) -> list[Hit]:
    """At most so many of a front, both ends among them, the others evenly between.

    >>> spread([{"L": n} for n in range(9)], 3)
    [{'L': 0}, {'L': 4}, {'L': 8}]
    """
    if len(points) <= limit:
        return list(points)
    if limit == 1:
        return [points[0]]
    last = len(points) - 1
    return [points[(2 * i * last + limit - 1) // (2 * (limit - 1))] for i in range(limit)]


def _one_unknown(plan: Plan, sought: Sequence[Goal], ranking: Ranking, limit: int) -> _Found:
    """One dim over all whole numbers."""
    if len(sought) > 1:
        name = plan.sizes[0]
        raise NotDerivable(f"{name}=? is solved for one target: give --range {name}=... to search "
                           f"it for {' and '.join(goal.name for goal in sought)}")
    found = solve_marked(plan.lattice, sought[0])
    if not found.covered:
        refuse_empty(plan.lattice, found.reached)
    ordered = ranking.order(found.hits)
    return _Found((ordered or found.misses)[:limit], len(found.hits), 0, found.covered,
                  found.enumerated, found.complete)


def _plan(request: Request, entering: frozenset[str]) -> Plan:
    """How to answer: keeping or scaling a model with numbers, or the default lattice."""
    check_layers(request)
    for dim in request.asked:
        if not request.uses(dim):
            raise NotDerivable(f"{request.model.name} has no {dim}: any value gives the same count")
    brought = request.model.values
    if brought and not resolve(request.model).missing:
        return kept_plan(request) if request.asked else scaled_plan(request, entering)
    kept = {name: value for name, value in brought.items()
            if name not in request.rules and name not in request.asked
            and name not in request.wishes.ranges}
    return default_plan(replace(request, numbers={**kept, **request.numbers}))


def _closed_forms(plan: Plan, request: Request, tally: SymExpr) -> tuple[ClosedForm, ...]:
    """A formula for each size, under the identities; one for a dim asked for, or a refusal."""
    forms = []
    for name in plan.sizes:
        rules = _used(plan.identities, name)
        try:
            count_in_sizes = reduced(tally, rules)
        except NotDerivable as error:
            forms.append(ClosedForm(name, (), str(error), None))
            continue
        try:
            forms.append(closed_form(count_in_sizes, name))
        except NotDerivable:
            if request.asked == (name,):
                raise NotDerivable(_indifferent(name, rules)) from None
    return tuple(forms)


def _used(identities: Mapping[str, Rule], name: str) -> dict[str, Rule]:
    """The rules that a formula for a dim is under.

    A rule that subtracts (L_sparse = L − L_dense) and has nothing to do with the dim is left out:
    the formula is then in the dim that follows, and its signs can be seen.
    """
    def touches(dim: str) -> bool:
        return dim == name or (dim in identities and any(
            touches(inner) for inner in ex.symbols_in(identities[dim].expr) if inner != dim))

    return {dim: rule for dim, rule in identities.items()
            if dim != name and (touches(dim) or not _subtracts(rule.expr))}


def _subtracts(expr: ex.Expr) -> bool:
    return any(ex.negated(term) for e in ex.walk(expr) if isinstance(e, ex.Sum) for term in e.terms)


def _indifferent(name: str, rules: Mapping[str, Rule]) -> str:
    given = ", ".join(f"{dim} = {rule.expr}" for dim, rule in rules.items())
    return (f"the count does not depend on {name}{f' once {given}' if given else ''}: "
            "any value gives the same count")


def _real(forms: Sequence[ClosedForm], plan: Plan, request: Request,
          ) -> tuple[dict[str, tuple[Root, ...]], Mapping[str, int]]:
    """The real roots, and the numbers under which they hold: a head width that is open is taken
    to be the usual one."""
    known = {**plan.lattice.numbers, **_followed(plan)}
    roots = _roots(forms, plan, request.target, known)
    if not roots and "d_head" not in known:
        known = {**known, "d_head": 128 if request.large else 64}
        roots = _roots(forms, plan, request.target, known)
    return roots, known


def _followed(plan: Plan) -> dict[str, int]:
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
    found = {form.symbol: real_roots(form, target, known, plan.identities) for form in forms}
    return {name: roots for name, roots in found.items() if roots}


def _bindings(plan: Plan, request: Request, sought: Sequence[Goal],
              ranking: Ranking) -> tuple[Binding, ...] | None:
    """What stands in the way, where a lattice was searched; one unknown has its root."""
    if plan.lattice.unknown is not None:
        return None
    brought = request.model.values
    freed = {dim: value for dim, value in plan.lattice.numbers.items()
             if dim in request.numbers or dim not in brought}
    return bindings(plan.model.name, plan.lattice, sought, ranking, freed)


def _fixed(plan: Plan, request: Request) -> dict[str, int | str]:
    return {**plan.lattice.numbers, **_followed(plan),
            **{dim: str(rule) for dim, rule in request.rules.items()}}


def _run(given: Mapping[str, int | Rule]) -> dict[str, int]:
    """What a model is run with, of what was given.

    Raises:
        BadValue: it is no number.
    """
    found = {}
    for name, value in given.items():
        if is_run(name):
            number = constant(value) if isinstance(value, Rule) else value
            if number is None:
                raise BadValue(name, value, "must be a number here")
            found[name] = whole_number(name, number)
    return found


def _verified(model: Model, sought: Sequence[Goal], found: Configuration,
              setting: Setting) -> Configuration:
    """The configuration, after its matrices were listed on integers and added up, and what else
    was wanted counted likewise.

    Raises:
        FalseStep: they add up to something else; nothing unproved is handed out.
    """
    whole = with_overrides(model, found.dims)
    total = whole.ledger(numbers(whole).values).total()
    if total != found.total:
        raise FalseStep(f"P = {found.total} for {dict(found.dims)}", str(total - found.total))
    for goal in sought[1:]:
        counted = amount(whole, goal, setting)
        if counted != found.counts[goal.name]:
            raise FalseStep(f"{goal.name} = {found.counts[goal.name]} for {dict(found.dims)}",
                            str(counted - found.counts[goal.name]))
    heads = {name: value for name, value in found.dims.items()
             if name in {"V", "d_model", "d_ff", "d_head", "n_heads", "n_kv"}}
    return replace(found, checks=tuple(alignment_checks(heads)))
