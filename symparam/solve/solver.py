"""From a target to its solution: plan, closed forms, search, ranking, and a last check."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from symparam.count import count
from symparam.dataclass import dataclass
from symparam.dims import D_MODEL, TOTAL
from symparam.errors import BadValue, Contradiction, NotDerivable
from symparam.grammar import Rule, constant
from symparam.model import Model
from symparam.quantities.setting import Setting
from symparam.resolve import resolve, whole_number
from symparam.solve.arrange import refuse_empty
from symparam.solve.best import Hit
from symparam.solve.binding import bindings
from symparam.solve.forms import Aim, closed_forms, followed, real
from symparam.solve.goals import Goal, counted
from symparam.solve.lattice import default_plan
from symparam.solve.limits import longest, refuse_more_active, too_large
from symparam.solve.marked import solve_marked
from symparam.solve.pareto import Front
from symparam.solve.plan import Plan
from symparam.solve.preferences import preferences, usual_ratio
from symparam.solve.rank import Ranking
from symparam.solve.request import Request, Wishes, check_layers, read_request
from symparam.solve.scaled import kept_plan, scaled_plan
from symparam.solve.search import Search
from symparam.solve.solution import Binding, Solution
from symparam.solve.targets import (
    Wanted,
    check,
    expression,
    goals,
    is_run,
    more_dims,
    said_of,
    setting_for,
)
from symparam.solve.verify import beyond_positions, verified
from symparam.spec.options import with_switched
from symparam.symbols import SymExpr


def solve(model: Model, target: int | None = None, *, given: Mapping[str, int | Rule] | None = None,
          wishes: Wishes | None = None, wanted: Sequence[Wanted] = (),
          setting: Setting | None = None, tolerance: Fraction = Fraction(1, 100), limit: int = 10,
          progress: Callable[[float], None] = lambda _: None) -> Solution:
    """Configurations of a model that have a number of parameters, or of another quantity.

    Args:
        model: an architecture without numbers (a default lattice is searched) or with numbers
            (its depth and width are searched, its ratios kept).
        target: how many parameters, from 1 to 10^24; None where another quantity is wanted alone.
        given: dims as numbers or rules; they replace their part of the lattice.
        wishes: unknowns, ranges, multiples, weights, a strategy.
        wanted: other quantities with a target or a limit.
        setting: tokens, sequences and number formats for those; ``s`` and ``b`` in ``given`` say
            the first two as well, and either can be the one unknown.
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

    The longest context that leaves weights and cache within 80 GB:

    >>> from symparam.spec.catalogue import published
    >>> longest = solve(published("llama-2-7b"), wishes=Wishes(unknown=["s"]),
    ...                 wanted=[Wanted("memory", 80 * 10**9, "<=")])
    >>> longest.configurations[0].dims["s"]
    126882
    """
    if tolerance < 0:
        raise BadValue("tolerance", tolerance, "must not be negative")
    if limit < 1:
        raise BadValue("limit", limit, "must be at least 1")
    target, sought_more = _parted(target, check(wanted))
    run = _run(given or {})
    wishes = wishes or Wishes()
    dims = {name: value for name, value in (given or {}).items() if not is_run(name)}
    model = with_switched(model, (*dims, *wishes.unknown, *wishes.ranges))
    _check_wanted(target, sought_more, wishes, run)
    open_run = [name for name in (*wishes.unknown, *wishes.ranges) if is_run(name)]
    request = read_request(model, target, dims, wishes,
                           (*more_dims(model, sought_more), *dict.fromkeys(open_run)))
    tally = count(model).plain()
    plan = _plan(request, frozenset(map(str, tally.free_symbols)))
    said, taken = setting_for(model, setting, run, open_run)
    at_work = _at_work(request, plan)
    sought = _goals(plan, at_work, target, tally, sought_more, Fraction(tolerance), said)
    refuse_more_active(sought)
    first = sought[0]

    def aim(dims: Mapping[str, int] | None) -> Aim:
        expr = tally if first.name == "P" else expression(
            at_work, first, dims, _lattice(plan), said)
        return Aim(first.name, expr, first.value, tally)

    forms = () if first.pieces else closed_forms(plan, request, aim(None))
    table = preferences(request, first, plan.lattice.open_dims)
    ranking = Ranking(counted(tally), sought, table, usual_ratio(request))
    found = _search(plan, sought, ranking, limit, progress)
    ends = [longest(first, dims) for dims in found.points] if "s" in request.asked else []
    found = replace(found, points=[dict(end.dims) for end in ends] or found.points)
    everywhere = bool(ends) and all(end.everywhere for end in ends)
    if first.pieces and not everywhere:
        forms = closed_forms(plan, request, aim(found.points[0]))
    roots, numbers_there = real(forms, plan, request, first.value)
    best = tuple(verified(plan.model, sought, ranking.configuration(hit), said)
                 for hit in found.points)
    stated = [line for goal in sought for line in said_of(goal, said, taken)]
    stated += beyond_positions(best)
    missed = () if found.within or plan.lattice.unknown is None else found.points[:1]
    remarks = [line for end in ends for line in end.remarks]
    remarks += [line for dims in missed for line in too_large(plan.model, first, dims, said)]
    return Solution(
        model.name, first.value, Fraction(tolerance), sought,
        {**_fixed(plan, request), **run}, forms, roots,
        numbers_there, best, found.within, found.front, found.covered, found.enumerated,
        found.complete, plan.lattice.statement(),
        (*plan.assumed, *dict.fromkeys(stated)), table,
        None if found.within else _bindings(plan, request, sought, ranking),
        tuple(dict.fromkeys(remarks)), everywhere, model.trace)


def _parted(target: int | None, wanted: tuple[Wanted, ...]) -> tuple[int | None,
                                                                 tuple[Wanted, ...]]:
    """The number of parameters that is wanted, whichever way that was said, and what else is.

    Raises:
        Contradiction: it was said in both ways.
    """
    total = next((w for w in wanted if w.name == TOTAL.name and w.relation == "="), None)
    if total is None:
        return target, wanted
    if target is not None:
        raise Contradiction(f"P={target}", f"a target of P={total.value}", "leave out one of them")
    return total.value, tuple(each for each in wanted if each != total)


def _goals(plan: Plan, model: Model, target: int | None, tally: SymExpr,
           wanted: Sequence[Wanted], tolerance: Fraction, setting: Setting) -> tuple[Goal, ...]:
    """What is wanted, the number of parameters first where there is one."""
    more = goals(model, wanted, tolerance, _lattice(plan), setting)
    if target is None:
        return more
    return (Goal("P", counted(tally), target, "=", tolerance), *more)


def _at_work(request: Request, plan: Plan) -> Model:
    """The model with numbers for what it needs at work alone: windows are compared, so that they
    have to be numbers."""
    known = {n: v for n, v in plan.lattice.numbers.items() if n not in request.model.dims}
    return replace(request.model, values={**request.model.values, **known})


def _lattice(plan: Plan) -> set[str]:
    """The dims of matrices that points of the lattice have, and what they are run with."""
    numbers = {dim for dim in plan.lattice.numbers if dim in plan.model.dims}
    return {*numbers, *(axis.dim for axis in plan.lattice.axes)}


def _check_wanted(target: int | None, wanted: Sequence[Wanted], wishes: Wishes,
                  run: Mapping[str, int]) -> None:
    """Refuse what says too little, or twice.

    Raises:
        NotDerivable: neither a target nor an unknown that a limit would bound. Contradiction:
            tokens or sequences given and asked for.
    """
    for name in (*wishes.unknown, *wishes.ranges):
        if name in run:
            raise Contradiction(f"{name}=?", f"{name}={run[name]}", "leave out one of them")
    if target is None and not wanted:
        raise NotDerivable("no target: give P=..., or another quantity with --target")
    if target is None and len(wishes.unknown) != 1 and all(w.relation == "<=" for w in wanted):
        raise NotDerivable(f"{wanted[0].name} at most {wanted[0].value} alone leaves nearly "
                           "everything open: give P=..., a target with =, or one KEY=?")


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
    worked_out = min(found.covered, found.enumerated + front.findings.enumerated)
    return _Found(spread(points, limit), 0, len(points), found.covered, worked_out, True)


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
        if not request.asked and D_MODEL.name not in request.model.names:
            raise NotDerivable(f"{request.model.name} has no d_model to scale with: say which dim "
                               f"to search, as KEY=?; it has {' '.join(request.model.dims)}")
        return kept_plan(request) if request.asked else scaled_plan(request, entering)
    kept = {name: value for name, value in brought.items()
            if name not in request.rules and name not in request.asked
            and name not in request.wishes.ranges}
    return default_plan(replace(request, numbers={**kept, **request.numbers}))


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
    return {**plan.lattice.numbers, **followed(plan),
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
