"""From a target to its solution: plan, closed forms, search, ranking, and a last check."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from symparam.dataclass import dataclass
from symparam.errors import BadValue, NotDerivable
from symparam.grammar import Rule
from symparam.model import Model
from symparam.points.axes import Span
from symparam.quantities.setting import Setting
from symparam.run import beyond
from symparam.solve.binding import bindings
from symparam.solve.formulas.forms import closed_forms, followed, real
from symparam.solve.problem import Problem, posed
from symparam.solve.rank import Ranking
from symparam.solve.requests.goals import Goal, counted
from symparam.solve.requests.preferences import preferences, usual_ratio
from symparam.solve.requests.request import Request, Wishes
from symparam.solve.requests.targets import Wanted, check
from symparam.solve.searching.arrange import refuse_empty
from symparam.solve.searching.best import Hit
from symparam.solve.searching.limits import Longest, longest, too_large
from symparam.solve.searching.one_unknown import solve_marked
from symparam.solve.searching.pareto import Front
from symparam.solve.searching.plan import Plan
from symparam.solve.searching.search import Search
from symparam.solve.solution import Binding, Solution
from symparam.solve.verify import verified


def solve(model: Model, target: int | None = None, *, given: Mapping[str, int | Rule] | None = None,
          wishes: Wishes | None = None, wanted: Sequence[Wanted] = (),
          setting: Setting | None = None, tolerance: Fraction = Fraction(1, 100), limit: int = 10,
          formulas: bool = True, progress: Callable[[float], None] = lambda _: None) -> Solution:
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
        formulas: whether closed forms and roots are worked out as well.
        progress: called now and then with the share of the search that is done.

    Raises:
        SymparamError: a target, a dim or a combination that cannot be; a dim that is needed and
            missing; a lattice that is empty or too large; a dim that the count does not depend on.

    >>> from symparam.descriptions.decoder import plain_decoder
    >>> found = solve(plain_decoder(), 7 * 10**9, given={"L": 32})
    >>> round(float(found.real["d_model"]), 2), found.met, found.complete
    (4186.96, True, True)

    The longest context that leaves weights and cache within 80 GB:

    >>> from symparam.descriptions.catalogue import published
    >>> longest = solve(published("llama-2-7b"), wishes=Wishes(unknown=["s"]),
    ...                 wanted=[Wanted("memory", 80 * 10**9, "<=")])
    >>> longest.configurations[0].dims["s"]
    126882
    """
    if tolerance < 0:
        raise BadValue("tolerance", tolerance, "must not be negative")
    if limit < 1:
        raise BadValue("limit", limit, "must be at least 1")
    problem = posed(model, target, given or {}, wishes or Wishes(), check(wanted), setting,
                    Fraction(tolerance))
    return _solved(problem, limit, formulas, progress)


def _solved(problem: Problem, limit: int, formulas: bool,
            progress: Callable[[float], None]) -> Solution:
    """The solution of a problem."""
    request, plan, first = problem.request, problem.plan, problem.first
    forms = closed_forms(plan, request, problem.aim()) if formulas and not first.pieces else ()
    table = preferences(request, first, plan.lattice.open_dims)
    ranking = Ranking(counted(problem.tally), problem.sought, table, usual_ratio(request),
                      [axis for axis in plan.lattice.axes if isinstance(axis, Span)])
    found, ends = _lengthened(problem, _search(plan, problem.sought, ranking, limit, progress))
    everywhere = bool(ends) and all(end.everywhere for end in ends)
    if formulas and first.pieces and not everywhere:
        forms = closed_forms(plan, request, problem.aim(found.points[0]))
    roots, numbers_there = real(forms, plan, request, first.value)
    best = tuple(verified(plan.model, problem.sought, ranking.configuration(hit), problem.setting)
                 for hit in found.points)
    return Solution(
        problem.name, first.value, problem.tolerance, problem.sought,
        {**_fixed(plan, request), **problem.run}, forms, roots,
        numbers_there, best, found.within, found.front, found.covered, found.enumerated,
        found.complete, plan.lattice.statement(),
        (*plan.assumed, *dict.fromkeys([*problem.stated(), *(
            each for one in best for each in beyond({**problem.run, **one.dims}).items())])), table,
        None if found.within else _bindings(plan, request, problem.sought, ranking),
        tuple(dict.fromkeys(_remarks(problem, found, ends))), everywhere, problem.trace, plan.model)


def _lengthened(problem: Problem, found: _Found) -> tuple[_Found, Sequence[Longest]]:
    """What was found, at the longest sequence of each where that is asked for."""
    if "s" not in problem.request.asked:
        return found, []
    ends = [longest(problem.first, dims) for dims in found.points]
    return replace(found, points=[dict(end.dims) for end in ends] or found.points), ends


def _remarks(problem: Problem, found: _Found, ends: Sequence[Longest]) -> list[str]:
    """What bounds a context besides the limit, and why one is too large."""
    missed = () if found.within or problem.plan.lattice.unknown is None else found.points[:1]
    remarks = [line for end in ends for line in end.remarks]
    return remarks + [line for dims in missed for line in too_large(
        problem.plan.model, problem.first, dims, problem.setting)]


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
