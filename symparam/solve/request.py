"""What is asked of ``solve``, and the plan that answers it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from symparam.constraints import Equation, Standing
from symparam.dims import TOTAL
from symparam.errors import BadValue, Contradiction, MissingDims, NotDerivable
from symparam.expression import symbols_in
from symparam.grammar import Rule, constant
from symparam.model import Model
from symparam.resolve import whole_number
from symparam.solve.axes import (
    Axis,
    Condition,
    Lattice,
    arrange,
    condition_of,
    marked_axis,
    rule_axis,
)

MAX_TARGET = 10**24

#: From here on a model is large: widths go in steps of 128 rather than 64, d_ff in 256s.
LARGE = 10**9


@dataclass(frozen=True)
class Request:
    """A target, and what is said of the dims.

    Attributes:
        model: the architecture, with the numbers that it brings along.
        target: how many parameters are wanted.
        numbers, rules: what was given.
        unknown: the one dim that was asked for; None for the architecture's sizes.
    """

    model: Model
    target: int
    numbers: Mapping[str, int]
    rules: Mapping[str, Rule]
    unknown: str | None

    @property
    def large(self) -> bool:
        """Whether a billion parameters or more are wanted."""
        return self.target >= LARGE

    def gives(self, dim: str) -> bool:
        """Whether a dim was given, as a number or by a rule."""
        return dim in self.numbers or dim in self.rules

    def uses(self, dim: str) -> bool:
        """Whether the model needs a dim, or a rule that it brings along does."""
        return dim in self.model.dims or any(dim in eq.inputs for eq in self.model.equations)

    def equation(self, dim: str, *standings: Standing) -> Equation | None:
        """The first equation for a dim with one of these standings."""
        return next((eq for standing in standings for eq in self.model.all_equations()
                     if eq.dim == dim and eq.standing is standing), None)


def read_request(model: Model, target: int, given: Mapping[str, int | Rule],
                 unknown: Collection[str]) -> Request:
    """The request, checked.

    Raises:
        BadValue: a target or a number that cannot be. Contradiction: a dim given and asked for, or
            given against what the architecture means. NotDerivable: several unknowns.
    """
    if isinstance(target, bool) or not isinstance(target, int):
        raise BadValue("P", target, "must be a whole number of parameters")
    if not 1 <= target <= MAX_TARGET:
        raise BadValue("P", target, "must be from 1 to 10^24")
    numbers, rules = _split(given)
    for dim in unknown:
        if dim in given:
            raise Contradiction(f"{dim}=?", f"{dim}={given[dim]}", "leave out one of them")
    request = Request(model, target, numbers, rules, _single(unknown))
    for dim in (*given, *unknown):
        _check_definition(request, dim)
    return request


def _split(given: Mapping[str, int | Rule]) -> tuple[dict[str, int], dict[str, Rule]]:
    numbers: dict[str, int] = {}
    rules: dict[str, Rule] = {}
    for name, value in given.items():
        number = constant(value) if isinstance(value, Rule) else value
        if number is not None:
            numbers[name] = whole_number(name, number)
        elif isinstance(value, Rule):
            if TOTAL.name in symbols_in(value.expr):
                raise BadValue(name, value, "a rule is in dims; P is what is solved for")
            rules[name] = value
    return numbers, rules


def _single(unknown: Collection[str]) -> str | None:
    names = sorted(set(unknown))
    if len(names) > 1 and set(names) != {"L", "d_model"}:
        raise NotDerivable(f"{', '.join(f'{n}=?' for n in names)}: one dim at a time can be asked "
                           "for so; give the others as numbers or rules")
    return names[0] if len(names) == 1 else None


def _check_definition(request: Request, dim: str) -> None:
    """Refuse what the kind of attention rules out, such as n_kv = 8 in multi-head attention."""
    equation = request.equation(dim, Standing.DEFINITION)
    if equation is None:
        return
    known = {**request.model.values, **request.numbers}
    if dim in request.numbers and equation.holds(known):
        return
    if dim in request.rules and request.rules[dim].expr == equation.expr:
        return
    value = request.numbers.get(dim, request.rules.get(dim, "?"))
    raise Contradiction(f"{dim} = {value}", f"{equation} ({equation.reason.partition(':')[0]})",
                        "choose --attention gqa, or leave out one of them")


def check_layers(request: Request) -> None:
    """Refuse a number of layers for a model that has several kinds of them, each with its own."""
    if (request.gives("L") or request.unknown == "L") and not request.uses("L"):
        kinds = [name for name in request.model.dims if name.startswith("L_")]
        if kinds:
            raise NotDerivable(f"{request.model.name} has several kinds of layer: say "
                               f"{' or '.join(f'{kind}=...' for kind in kinds)} instead of L")


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
        identities: rules for dims in the closed form, as equations of architecture or lattice.
        sizes: the dims to solve for.
        assumed: each default with its reason.
    """

    model: Model
    lattice: Lattice
    identities: Mapping[str, Rule]
    sizes: tuple[str, ...]
    assumed: tuple[tuple[str, str], ...]


def make_plan(model: Model, lattice: Lattice, identities: Mapping[str, Rule],
              sizes: tuple[str, ...], assumed: Iterable[tuple[str, str]]) -> Plan:
    """The plan, with a word on each rounding that the closed form cannot keep."""
    unrounded = [(f"{dim} = {rule.expr}", "without its rounding; in the closed form only")
                 for dim, rule in identities.items() if rule.rounding]
    return Plan(model, lattice, identities, sizes, (*assumed, *unrounded))


def choose_all(request: Request, model: Model, choose: Callable[[str], Choice | None],
               conditions: Iterable[Condition] = ()) -> tuple[Lattice, list[tuple[str, str]]]:
    """A lattice from a way to choose for each dim, and the defaults that were assumed.

    Args:
        request: what was given goes before what ``choose`` says.
        model: whose dims are needed, and whose checks hold.
        choose: the choice for a dim that was not given; None where there is none.
        conditions: what points meet besides.

    Raises:
        MissingDims: a dim was not given and has no default.
    """
    chosen = dict(_walk(request, model, choose))
    missing = [name for name, choice in chosen.items() if choice is None]
    if missing:
        raise MissingDims(missing, model.name)
    made = {name: choice for name, choice in chosen.items() if choice is not None}
    numbers = {n: c.value for n, c in made.items() if isinstance(c.value, int)}
    axes = [c.value for c in made.values() if isinstance(c.value, Axis)]
    for check in model.all_checks():
        check.check(numbers)
    checks = [condition_of(check, made) for check in model.all_checks()]
    lattice = arrange(model.name, numbers, axes, [*conditions, *checks])
    assumed = [(_text(name, choice), choice.reason) for name, choice in made.items()
               if choice.reason]
    return lattice, assumed + [(f"{name} = {value}", f"without effect: {model.name} has no {name}")
                               for name, value in {**request.numbers, **request.rules}.items()
                               if name not in made and name not in model.values]


def _text(name: str, choice: Choice) -> str:
    return choice.value.text if isinstance(choice.value, Axis) else f"{name} = {choice.value}"


def _walk(request: Request, model: Model, choose: Callable[[str], Choice | None],
          ) -> Iterator[tuple[str, Choice | None]]:
    """The choice for each dim of the model, and for what rules need besides."""
    queue, seen = list(model.dims), set[str]()
    while queue:
        name = queue.pop(0)
        if name in seen:
            continue
        seen.add(name)
        choice = _given(request, model, name) or choose(name)
        if choice is not None and isinstance(choice.value, Axis) and choice.value.rule:
            queue += symbols_in(choice.value.rule.expr)
        yield name, choice


def _given(request: Request, model: Model, name: str) -> Choice | None:
    if name in request.numbers:
        return Choice(request.numbers[name])
    if name in request.rules:
        return Choice(rule_axis(name, request.rules[name]))
    if name == request.unknown:
        return Choice(marked_axis(name, "n_heads" in model.dims))
    return None


def ratio_condition(low: Fraction, high: Fraction) -> Condition:
    """That d_model/L lies in a range."""
    return Condition(frozenset({"d_model", "L"}),
                     lambda dims: low * dims["L"] <= dims["d_model"] <= high * dims["L"])
