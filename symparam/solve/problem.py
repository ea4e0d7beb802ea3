"""What is asked of a solver: the model, the plan of the search, and what is wanted of a point."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from symparam.count import count
from symparam.dataclass import dataclass
from symparam.descriptions.options import with_switched
from symparam.dims import D_MODEL, TOTAL
from symparam.errors import BadValue, Contradiction, NotDerivable
from symparam.grammar import Rule, constant
from symparam.model import Model
from symparam.quantities.setting import Setting
from symparam.resolve import resolve, whole_number
from symparam.run import Taken
from symparam.solve.formulas.forms import Aim
from symparam.solve.requests.goals import Goal, counted
from symparam.solve.requests.request import Request, Wishes, check_layers, read_request
from symparam.solve.requests.targets import (
    Wanted,
    expression,
    goals,
    is_run,
    more_dims,
    said_of,
    setting_for,
)
from symparam.solve.searching.lattice import default_plan
from symparam.solve.searching.limits import refuse_more_active
from symparam.solve.searching.model_lattice import kept_plan, scaled_plan
from symparam.solve.searching.plan import Plan
from symparam.symbols import SymExpr
from symparam.traced.records import Trace


@dataclass(frozen=True)
class Problem:
    """What is asked, with a plan for it.

    Attributes:
        request: the model with what is fixed and what is open.
        plan: what is searched.
        run: what the model is run with, as it was given.
        sought: what is wanted of a point; the first is what formulas are written in.
        tolerance: the relative error within which a target is met.
        setting: what the model is run with, and formats.
        taken: of those what nobody gave.
        tally: the number of parameters in symbols.
    """

    request: Request
    plan: Plan
    run: Mapping[str, int]
    sought: tuple[Goal, ...]
    tolerance: Fraction
    setting: Setting
    taken: Mapping[str, Taken]
    tally: SymExpr

    @property
    def name(self) -> str:
        """The model's name."""
        return self.request.model.name

    @property
    def trace(self) -> Trace | None:
        """What the model's rows rest on, where they were found."""
        return self.request.model.trace

    @property
    def first(self) -> Goal:
        """What is wanted first."""
        return self.sought[0]

    def aim(self, dims: Mapping[str, int] | None = None) -> Aim:
        """The equation of the first goal: what it is in symbols, and what it is to be.

        Args:
            dims: a point that says which side of a window holds.
        """
        expr = self.tally if self.first.name == TOTAL.name else expression(
            at_work(self.request, self.plan), self.first, dims, lattice_dims(self.plan),
            self.setting)
        return Aim(self.first.name, expr, self.first.value, self.tally)

    def stated(self) -> Iterator[tuple[str, str]]:
        """What is taken for what is wanted, with why."""
        for goal in self.sought:
            yield from said_of(goal, self.setting, self.taken)


def posed(model: Model, target: int | None, given: Mapping[str, int | Rule], wishes: Wishes,
          wanted: tuple[Wanted, ...], setting: Setting | None, tolerance: Fraction) -> Problem:
    """The problem that the arguments of :func:`symparam.solve.solver.solve` state.

    Raises:
        SymparamError: a target, a dim or a combination that cannot be.
    """
    target, more = _parted(target, wanted)
    run = run_of(given)
    dims = {name: value for name, value in given.items() if not is_run(name)}
    model = with_switched(model, (*dims, *wishes.unknown, *wishes.ranges))
    _check_wanted(target, more, wishes, run)
    open_run = [name for name in (*wishes.unknown, *wishes.ranges) if is_run(name)]
    request = read_request(model, target, dims, wishes,
                           (*more_dims(model, more), *dict.fromkeys(open_run)))
    tally = count(model).plain()
    plan = _plan(request, frozenset(map(str, tally.free_symbols)))
    said, taken = setting_for(model, setting, run, open_run)
    sought = _goals(plan, at_work(request, plan), target, tally, more, tolerance, said)
    refuse_more_active(sought)
    return Problem(request, plan, run, sought, tolerance, said, taken, tally)


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
    more = goals(model, wanted, tolerance, lattice_dims(plan), setting)
    if target is None:
        return more
    return (Goal("P", counted(tally), target, "=", tolerance), *more)


def at_work(request: Request, plan: Plan) -> Model:
    """The model with numbers for what it needs at work alone: windows are compared, so that they
    have to be numbers."""
    known = {n: v for n, v in plan.lattice.numbers.items() if n not in request.model.dims}
    return replace(request.model, values={**request.model.values, **known})


def lattice_dims(plan: Plan) -> set[str]:
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


def _plan(request: Request, entering: frozenset[str]) -> Plan:
    """How to answer: keeping or scaling a model with numbers, or the default lattice."""
    check_layers(request)
    for dim in request.asked:
        if not request.uses(dim):
            what = f"the number of parameters of {request.model.name} does not depend on {dim}" if (
                dim in request.model.names) else f"{request.model.name} has no {dim}"
            raise NotDerivable(f"{what}: any value gives the same count")
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


def run_of(given: Mapping[str, int | Rule]) -> dict[str, int]:
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
