"""What is asked of ``solve``, checked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field, replace
from fractions import Fraction

from symparam.constraints import Equation, Standing
from symparam.dataclass import dataclass
from symparam.dims import TOTAL
from symparam.errors import BadValue, Contradiction, NotDerivable
from symparam.expression import symbols_in
from symparam.grammar import Rule, constant
from symparam.model import Model
from symparam.points.axes import Axis
from symparam.points.ratios import Ratio
from symparam.resolve import resolve, whole_number

MAX_TARGET = 10**24

#: From here on a model is large: widths go in steps of 128 rather than 64, d_ff in 256s.
LARGE = 10**9

#: The names of strategies, with the range of d_model/L that each stands for.
STRATEGIES = {"deep": (32, 64), "balanced": (64, 160), "wide": (160, 256)}


@dataclass(frozen=True)
class Wishes:
    """What may be said besides a target and numbers or rules for dims.

    Attributes:
        unknown: dims to search, all whole numbers for one alone.
        ranges: axes in place of the usual ones, by dim.
        multiples: steps of dims.
        ratios: ranges of one dim over another.
        weights: weights of preferences, by their short names.
        strategy: ``deep``, ``balanced`` or ``wide``.
        least: what dims are in the size before, below which they are not.
    """

    unknown: Collection[str] = ()
    ranges: Mapping[str, Axis] = field(default_factory=dict)
    multiples: Mapping[str, int] = field(default_factory=dict)
    ratios: tuple[Ratio, ...] = ()
    weights: Mapping[str, int] = field(default_factory=dict)
    strategy: str | None = None
    least: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Request:
    """A target, and what is said of the dims.

    Attributes:
        model: the architecture, with the numbers that it brings along.
        size: how many parameters are wanted, about: it decides the steps of a lattice.
        numbers, rules: what was given.
        wishes: what else was said.
        extra: dims that other targets need besides those of the weights.
    """

    model: Model
    size: int
    numbers: Mapping[str, int]
    rules: Mapping[str, Rule]
    wishes: Wishes = field(default_factory=Wishes)
    extra: tuple[str, ...] = ()

    @property
    def large(self) -> bool:
        """Whether a billion parameters or more are wanted."""
        return self.size >= LARGE

    @property
    def unknown(self) -> str | None:
        """The one dim that was asked for over all whole numbers; None for the sizes."""
        asked = self.asked
        return asked[0] if len(asked) == 1 and asked[0] not in self.wishes.ranges else None

    @property
    def asked(self) -> tuple[str, ...]:
        """The dims that were asked for; none where depth and width are, which is usual."""
        names = tuple(dict.fromkeys(self.wishes.unknown))
        return () if set(names) == {"L", "d_model"} else names

    @property
    def weights(self) -> Mapping[str, int]:
        """Weights of preferences."""
        return self.wishes.weights

    def gives(self, dim: str) -> bool:
        """Whether a dim was given: as a number, by a rule, or as a range."""
        return dim in self.numbers or dim in self.rules or dim in self.wishes.ranges

    def uses(self, dim: str) -> bool:
        """Whether the model needs a dim, or a rule that it brings along does."""
        return dim in self.model.dims or dim in self.extra or any(
            dim in eq.inputs for eq in self.model.equations)

    def equation(self, dim: str, *standings: Standing) -> Equation | None:
        """The first equation for a dim with one of these standings."""
        return next((eq for standing in standings for eq in self.model.all_equations()
                     if eq.dim == dim and eq.standing is standing), None)

    def ratio(self, top: str, bottom: str) -> Ratio | None:
        """The range that was asked for between two dims."""
        return next((r for r in self.wishes.ratios if r.dims == {top, bottom}), None)


def read_request(model: Model, target: int | None, given: Mapping[str, int | Rule],
                 wishes: Wishes, extra: tuple[str, ...] = ()) -> Request:
    """The request, checked; without a number of parameters, of the model's own or of a large one.

    Raises:
        BadValue: a target or a number that cannot be. Contradiction: a dim given and asked for, or
            given against what the architecture means. NotDerivable: several unknowns.
    """
    if target is not None:
        _check_target(target)
    numbers, rules = _split(given, model)
    for dim in wishes.unknown:
        if dim in given:
            raise Contradiction(f"{dim}=?", f"{dim}={given[dim]}", "leave out one of them")
    for dim in wishes.ranges:
        if dim in given:
            raise Contradiction(f"--range {dim}", f"{dim}={given[dim]}", "leave out one of them")
    request = Request(model, target or _size(model), numbers, rules, _with_strategy(wishes), extra)
    for dim in (*given, *wishes.unknown, *wishes.ranges):
        _check_definition(request, dim)
    for dim in (*wishes.ranges, *wishes.multiples, *(d for r in wishes.ratios for d in r.dims)):
        if not request.uses(dim):
            raise NotDerivable(f"{model.name} has no {dim}: it can have no range or multiple")
    return request


def _check_target(target: object) -> None:
    if isinstance(target, bool) or not isinstance(target, int):
        raise BadValue("P", target, "must be a whole number of parameters")
    if not 1 <= target <= MAX_TARGET:
        raise BadValue("P", target, "must be from 1 to 10^24")


def _size(model: Model) -> int:
    """How many parameters a model has, where it has numbers for all its dims."""
    found = resolve(model)
    return LARGE if found.missing else max(1, int(model.ledger(found.values).total()))


def _with_strategy(wishes: Wishes) -> Wishes:
    """A strategy is a range of d_model/L."""
    if wishes.strategy is None:
        return wishes
    if wishes.strategy not in STRATEGIES:
        raise BadValue("--strategy", wishes.strategy, f"expected {', '.join(STRATEGIES)}")
    if any(r.dims == {"d_model", "L"} for r in wishes.ratios):
        raise Contradiction(f"--strategy {wishes.strategy}", "--range d_model/L",
                            "a strategy is a range of d_model/L: leave out one of them")
    low, high = STRATEGIES[wishes.strategy]
    ratio = Ratio("d_model", "L", Fraction(low), Fraction(high))
    return replace(wishes, ratios=(*wishes.ratios, ratio))


def _split(given: Mapping[str, int | Rule], model: Model) -> tuple[dict[str, int], dict[str, Rule]]:
    numbers: dict[str, int] = {}
    rules: dict[str, Rule] = {}
    for name, value in given.items():
        number = constant(value) if isinstance(value, Rule) else value
        if number is not None:
            numbers[name] = whole_number(name, number, model.least(name))
        elif isinstance(value, Rule):
            if TOTAL.name in symbols_in(value.expr):
                raise BadValue(name, value, "a rule is in dims; P is what is solved for")
            rules[name] = value
    return numbers, rules


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
    if (request.gives("L") or "L" in request.asked) and not request.uses("L"):
        kinds = [name for name in request.model.dims if name.startswith("L_")]
        if kinds:
            raise NotDerivable(f"{request.model.name} has several kinds of layer: say "
                               f"{' or '.join(f'{kind}=...' for kind in kinds)} instead of L")


def usual_ffn(request: Request) -> Equation | None:
    """The architecture's usual d_ff, where it states one."""
    return request.equation("d_ff", Standing.DEFAULT)
