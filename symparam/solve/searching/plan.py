"""From a request to a lattice: a choice for each dim that the model needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from symparam.dataclass import dataclass
from symparam.errors import Contradiction, MissingDims, the
from symparam.expression import symbols_in
from symparam.grammar import Rule
from symparam.model import Model
from symparam.points.axes import Axis, Follows, Span, Unknown, with_ratio
from symparam.points.conditions import Condition, at_least, multiple_of, of_check, of_ratio
from symparam.points.ratios import Ratio
from symparam.resolve import freed
from symparam.solve.requests.request import Request
from symparam.solve.searching.arrange import Lattice, arrange


@dataclass(frozen=True)
class Choice:
    """What is done about a dim: a number or an axis, with the reason where it is a default."""

    value: int | Axis
    reason: str = ""


@dataclass(frozen=True)
class Plan:
    """A lattice to search, and what was decided on the way to it.

    Attributes:
        model: the architecture that points of the lattice give dims to.
        lattice: where to search.
        identities: rules for dims that the closed form may take: of the model, given, or of the
            lattice (:mod:`symparam.solve.formulas.put_in` says which).
        sizes: the dims to solve for.
        assumed: each default with its reason.
    """

    model: Model
    lattice: Lattice
    identities: Mapping[str, Rule]
    sizes: tuple[str, ...]
    assumed: tuple[tuple[str, str], ...]


def choose_all(request: Request, model: Model, choose: Callable[[str], Choice | None],
               ratios: Iterable[Ratio] = ()) -> tuple[Lattice, list[tuple[str, str]]]:
    """A lattice from a way to choose for each dim, and the defaults that were assumed.

    Args:
        request: what was given goes before what ``choose`` says.
        model: whose dims are needed, and whose checks hold.
        choose: the choice for a dim that was not given; None where there is none.
        ratios: ranges of one dim over another that points meet.

    Raises:
        MissingDims: a dim was not given and has no default.
    """
    model = freed(model, {*request.numbers, *request.rules, *request.wishes.ranges, *request.asked})
    chosen = dict(_walk(request, model, choose))
    chosen |= _beside(request, model, choose, chosen)
    missing = [name for name, choice in chosen.items() if choice is None]
    if missing:
        raise MissingDims(missing, model.name)
    made = {name: _least(name, choice, model) for name, choice in chosen.items()
            if choice is not None}
    asked = [*request.wishes.ratios,
             *(r for r in ratios if request.ratio(r.top, r.bottom) is None)]
    made, left = _with_ratios(made, asked)
    made, more = _narrowed(made, request.wishes.multiples,
                           lambda axis, step: replace(axis, step=step), multiple_of)
    made, grown = _narrowed(made, request.wishes.least,
                            lambda axis, least: replace(axis, before=least), at_least)
    numbers = {n: c.value for n, c in made.items() if isinstance(c.value, int)}
    axes = [c.value for c in made.values() if isinstance(c.value, Axis)]
    for check in model.all_checks():
        check.check(numbers)
    _check_numbers(numbers, [*left, *more])
    conditions = [*left, *more, *grown, *(of_check(check) for check in model.all_checks())]
    lattice = arrange(model.name, numbers, axes, conditions)
    assumed = [(_text(name, choice), choice.reason) for name, choice in made.items()
               if choice.reason]
    return lattice, assumed + [(f"{name} = {value}", f"without effect: {model.name} has no {name}")
                               for name, value in {**request.numbers, **request.rules}.items()
                               if name not in made and name not in model.values]


def _beside(request: Request, model: Model, choose: Callable[[str], Choice | None],
            chosen: Mapping[str, Choice | None]) -> dict[str, Choice]:
    """Numbers that no shape has and that a check holds against one that a shape has."""
    found: dict[str, Choice] = {}
    for check in model.all_checks():
        for name in check.dims if set(check.dims) & set(chosen) else ():
            if name not in chosen and name in request.model.values:
                choice = _given(request, name) or choose(name)
                if choice is not None and isinstance(choice.value, int):
                    found[name] = choice
    return found


def _least(name: str, choice: Choice, model: Model) -> Choice:
    """A choice whose rule may give 0 where there may be none of what the dim counts."""
    axis = choice.value
    if not isinstance(axis, Follows) or name not in model.zeros:
        return choice
    return replace(choice, value=replace(axis, least=0))


def _check_numbers(numbers: Mapping[str, int], conditions: Iterable[Condition]) -> None:
    """Refuse numbers that do not meet a range or a multiple that was asked for."""
    for condition in conditions:
        if condition.dims <= set(numbers) and not condition.holds(numbers):
            here = ", ".join(f"{n} = {numbers[n]}" for n in sorted(condition.dims))
            raise Contradiction(condition.text, here, "leave out one of them")


def _with_ratios(made: Mapping[str, Choice], ratios: Iterable[Ratio],
                 ) -> tuple[dict[str, Choice], list[Condition]]:
    """Each ratio on an axis of one of its dims where that finds it first; else as a condition."""
    chosen, left = dict(made), []
    for ratio in ratios:
        if not ratio.dims <= set(chosen):
            continue
        dim = _holder(chosen, ratio)
        if dim is None:
            left.append(of_ratio(ratio))
            continue
        axis = the(Span, chosen[dim].value)
        chosen[dim] = replace(chosen[dim], value=with_ratio(axis, ratio))
    return chosen, left


def _holder(chosen: Mapping[str, Choice], ratio: Ratio) -> str | None:
    """The dim whose axis a ratio can bound: a span that the other dim does not depend on."""
    for dim in ("L", "d_ff", *(d for d in ratio.dims if d.startswith("L_")), ratio.top,
                ratio.bottom):
        if dim not in ratio.dims or not isinstance(chosen[dim].value, Span):
            continue
        other = ratio.other(dim)
        if not _depends(chosen, other, dim):
            return dim
    return None


def _depends(chosen: Mapping[str, Choice], dim: str, on: str) -> bool:
    """Whether a dim's values depend on another's, directly or not."""
    seen, queue = set[str](), [dim]
    while queue:
        name = queue.pop()
        if name == on:
            return True
        value = chosen[name].value if name in chosen else 0
        if name not in seen and isinstance(value, Axis):
            queue += value.needs
        seen.add(name)
    return False


def _narrowed(made: Mapping[str, Choice], wanted: Mapping[str, int],
              bound: Callable[[Span, int], Span],
              condition: Callable[[str, int], Condition],
              ) -> tuple[dict[str, Choice], list[Condition]]:
    """Numbers that dims are to keep to, each as a bound of its axis where it has one; else as a
    condition.

    Args:
        made: the choices.
        wanted: the number of each dim.
        bound: an axis that keeps to such a number.
        condition: the same of a dim without an axis of its own.
    """
    chosen, left = dict(made), []
    for dim, number in wanted.items():
        choice = chosen.get(dim)
        if choice is not None and isinstance(choice.value, Span):
            chosen[dim] = replace(choice, value=bound(choice.value, number))
        elif choice is not None:
            left.append(condition(dim, number))
    return chosen, left


def _text(name: str, choice: Choice) -> str:
    return choice.value.text if isinstance(choice.value, Axis) else f"{name} = {choice.value}"


def _walk(request: Request, model: Model, choose: Callable[[str], Choice | None],
          ) -> Iterator[tuple[str, Choice | None]]:
    """The choice for each dim of the model, and for what rules need besides."""
    queue, seen = [*model.dims, *request.extra], set[str]()
    while queue:
        name = queue.pop(0)
        if name in seen:
            continue
        seen.add(name)
        choice = _given(request, name) or choose(name)
        if choice is not None and isinstance(choice.value, Follows):
            queue += symbols_in(choice.value.rule.expr)
        yield name, choice


def _given(request: Request, name: str) -> Choice | None:
    if name in request.numbers:
        return Choice(request.numbers[name])
    if name in request.rules:
        return Choice(Follows(name, request.rules[name]))
    if name in request.wishes.ranges:
        return Choice(request.wishes.ranges[name])
    if name == request.unknown:
        return Choice(Unknown(name))
    return None
