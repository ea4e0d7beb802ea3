"""Numbers for all dims of a model: what was given, what follows by rule, what is missing.

A named model's dims are numbers; overriding one changes that one alone, and those that the
model itself derives by rule.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import NoReturn

from symparam.constraints import FILLING, Check, Equation, KnownFor, Standing
from symparam.dataclass import dataclass
from symparam.dims import TOTAL
from symparam.errors import BadValue, Contradiction, MissingDims
from symparam.expression import symbols_in
from symparam.grammar import Rule, constant
from symparam.model import Model
from symparam.run import RUN

#: No dim of a model is near this; what is above it is a slip of the keyboard.
MAX_DIM = 10**12


@dataclass(frozen=True)
class Resolution:
    """Numbers for dims, and where they come from.

    Attributes:
        values: every dim that has a number.
        given: dims whose number was given, by the model or by the user.
        rules: dims that follow, with the equation that gave them.
        missing: dims that the model needs and that have no number.
    """

    values: dict[str, int]
    given: frozenset[str]
    rules: dict[str, Equation]
    missing: tuple[str, ...]


def whole_number(name: str, value: Fraction | int, least: int = 1) -> int:
    """A dim's number.

    Args:
        name: the dim.
        value: what was given, or what follows.
        least: the smallest that it may be (:meth:`~symparam.model.Model.least`).

    Raises:
        BadValue: below that, fractional, or beyond any model.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        shown = f"{float(value):.10g}" if isinstance(value, Fraction) else value
        raise BadValue(name, shown, "must be a whole number")
    if value < least:
        raise BadValue(name, value, f"must be at least {least}")
    most = RUN[name].most if name in RUN else MAX_DIM
    if value > most:
        shown = f"10^{len(str(most)) - 1}"
        raise BadValue(name, value, f"is beyond any model (more than {shown})")
    return value


def with_overrides(model: Model, overrides: Mapping[str, int | Rule],
                   keep_ratios: bool = False) -> Model:
    """The model with dims given anew: as numbers, or as rules.

    Args:
        model: the model.
        overrides: dim to number or rule.
        keep_ratios: n_heads, n_kv and d_ff scale with d_model, and d_head stays.

    Raises:
        BadValue: a number that the dim cannot have, or a ratio that does not come out whole.
    """
    numbers: dict[str, int] = {}
    rules: list[Equation] = []
    for name, value in overrides.items():
        if name == TOTAL.name:
            raise BadValue(name, value, "is the total, which is counted; solve takes it")
        number = constant(value) if isinstance(value, Rule) else value
        if number is not None:
            numbers[name] = whole_number(name, number, model.least(name))
        elif isinstance(value, Rule):
            if {name, TOTAL.name} & set(symbols_in(value.expr)):
                raise BadValue(name, value, "refers to itself" if name in symbols_in(value.expr)
                               else "P is what is counted: it cannot be given")
            rules.append(Equation(name, value.expr, "as given", Standing.ASSUMED, value.rounding))
    if keep_ratios:
        numbers |= _with_ratios_kept(model, numbers, overrides)
    changed = {*numbers, *(rule.dim for rule in rules)}
    kept = {name: value for name, value in model.values.items() if name not in changed}
    equations = tuple(eq for eq in model.equations if eq.dim not in changed
                      or eq.standing is Standing.DEFINITION)
    return replace(freed(model, changed), values={**kept, **numbers},
                   equations=(*rules, *equations), left_out=_left_out(model, changed, numbers))


def _left_out(model: Model, changed: Collection[str],
              numbers: Mapping[str, int]) -> tuple[str, ...]:
    """What is said of a model, less what asks for dims that are given now."""
    met = [each for each in model.asked if each.dim in changed]
    gone = {each.said for each in met}
    padded = (each.given(numbers[each.dim]) for each in met if each.dim in numbers)
    return (*(said for said in model.left_out if said not in gone), *filter(None, padded))


def freed(model: Model, dims: Collection[str]) -> Model:
    """The model without what is said of some dims: that they are known for one depth."""
    kept = tuple(check for check in model.checks
                 if not (isinstance(check, KnownFor) and check.dim in dims))
    return replace(model, checks=kept)


def _with_ratios_kept(model: Model, numbers: Mapping[str, int],
                      overrides: Mapping[str, int | Rule]) -> dict[str, int]:
    base = resolve(model).values
    if "d_model" not in numbers or "d_model" not in base:
        raise BadValue("--keep-ratios", "no d_model", "give the model's new d_model=...")
    factor = Fraction(numbers["d_model"], base["d_model"])
    scaled = {"d_head": base["d_head"]} if "d_head" in base else {}
    defined = {eq.dim for eq in model.all_equations()
               if eq.standing is Standing.DEFINITION and not eq.inputs}
    for name in ("n_heads", "n_kv", "d_ff"):
        if name in base and name not in defined:
            value = base[name] * factor
            if value.denominator != 1:
                raise BadValue(name, value, f"does not stay whole when d_model goes from "
                               f"{base['d_model']} to {numbers['d_model']}: give {name}=...")
            scaled[name] = int(value)
    return {name: value for name, value in scaled.items() if name not in overrides}


def resolve(model: Model, names: Iterable[str] = ()) -> Resolution:
    """Numbers for the model's dims as far as they are known.

    Args:
        model: the model, overrides applied.
        names: further dims that are wanted if they follow.

    Raises:
        BadValue: a rule does not come out whole. Contradiction: a number against a definition.
        ConstraintViolated: numbers that break a check.
    """
    return Rules(model, tuple(names)).resolve(model.values)


@dataclass(frozen=True)
class Rules:
    """What gives a model's dims their numbers and what these are held to.

    It is the same for all numbers of the same dims: whoever tries many makes it once.

    Attributes:
        model: the model, overrides applied; its own numbers say which dims are given.
        names: further dims that are wanted if they follow.
    """

    model: Model
    names: tuple[str, ...] = ()

    @cached_property
    def _filling(self) -> tuple[list[Equation], list[Equation], set[str]]:
        return _filling(self.model)

    @cached_property
    def _followed(self) -> list[Equation]:
        """The rules for dims that are not given, in the order in which they are applied."""
        return _in_order(self.model, self._filling[1], self.model.values, self.names)

    @cached_property
    def _definitions(self) -> list[Equation]:
        return [eq for eq in self._filling[0] if eq.standing is Standing.DEFINITION]

    @cached_property
    def _checks(self) -> tuple[Check, ...]:
        return self.model.all_checks()

    @cached_property
    def _missing(self) -> tuple[str, ...]:
        """The dims that are needed, have no number and do not follow."""
        _, equations, owned = self._filling
        known = {*self.model.values, *(eq.dim for eq in self._followed)}
        absent = [name for name in self.model.dims if name not in known]
        inputs = [i for eq in equations if eq.dim in owned and eq.dim in absent
                  for i in eq.inputs if i not in known]
        return tuple(dict.fromkeys([*absent, *inputs]))

    def resolve(self, given: Mapping[str, int]) -> Resolution:
        """As :func:`resolve`, with other numbers for the dims that are given."""
        values = dict(given)
        for eq in self._followed:
            try:
                values[eq.dim] = whole_number(eq.dim, eq.value(values), self.model.least(eq.dim))
            except BadValue as error:
                raise BadValue(error.name, error.value, error.problem,
                               _stated_in(self.model, [eq])) from None
        check_definitions(self._definitions, values)
        for check in self._checks:
            check.check(values)
        return Resolution(values, frozenset(given), {eq.dim: eq for eq in self._followed},
                          self._missing)


def _stated_in(model: Model, rules: Iterable[Equation]) -> str:
    """The file that states rules; empty where one was given beside it, or there is no file."""
    return "" if any(eq.standing is Standing.ASSUMED for eq in rules) else model.where


def _filling(model: Model) -> tuple[list[Equation], list[Equation], set[str]]:
    """The equations that give dims; those that are used, firmest first; dims with a rule of the
    model's own."""
    everything = [eq for eq in model.all_equations() if eq.standing in FILLING]
    owned = {eq.dim for eq in model.equations if eq.standing in FILLING}
    given = {eq.dim for eq in model.equations if eq.standing is Standing.ASSUMED}
    return everything, sorted(
        (eq for eq in everything if (eq.dim not in owned or eq in model.equations)
         and (eq.dim not in given or eq.standing is Standing.ASSUMED)),
        key=lambda eq: FILLING.index(eq.standing)), owned


def fillings(model: Model) -> list[Equation]:
    """The equations that give a dim its number where it has none, firmest first; what is the
    model's own goes before a component's."""
    return _filling(model)[1]


def following(model: Model, known: Iterable[str], names: Iterable[str] = ()) -> list[Equation]:
    """The equations that give dims without a number, in the order in which they are applied.

    What the numbers are does not matter, only which dims have one.

    Args:
        model: the model, overrides applied.
        known: dims that have a number.
        names: further dims that are wanted if they follow.

    >>> from symparam.descriptions.decoder import plain_decoder
    >>> [str(eq) for eq in following(plain_decoder(), ["V", "L", "d_model", "n_heads"])]
    ['n_kv = n_heads', 'd_head = d_model/n_heads', 'd_ff = 4*d_model']
    """
    return _in_order(model, fillings(model), known, names)


def _in_order(model: Model, equations: list[Equation], known: Iterable[str],
              names: Iterable[str]) -> list[Equation]:
    wanted: set[str] = set()
    more = {*model.dims, *names}
    while more - wanted:
        wanted |= more
        more = {name for eq in equations if eq.dim in wanted for name in eq.inputs}
    have, found, progress = set(known), list[Equation](), True
    while progress:
        progress = False
        for eq in equations:
            if eq.dim in wanted and eq.dim not in have and have.issuperset(eq.inputs):
                have.add(eq.dim)
                found.append(eq)
                progress = True
    return found


def check_definitions(equations: Iterable[Equation], values: Mapping[str, int]) -> None:
    """Raise Contradiction where numbers are against what a kind of component means."""
    for eq in equations:
        if eq.standing is Standing.DEFINITION and eq.holds(values) is False:
            kind = eq.reason.partition(":")[0]
            other = "choose grouped queries (gqa), or " if eq.dim == "n_kv" else ""
            raise Contradiction(f"{eq.dim} = {values[eq.dim]}", f"{eq} ({kind})",
                                f"{other}leave out one of them")


def numbers(model: Model) -> Resolution:
    """As :func:`resolve`, all dims required.

    Raises:
        MissingDims: a dim has no number, and none follows.
    """
    result = resolve(model)
    if result.missing:
        _refuse(model, result.missing)
    return result


def _refuse(model: Model, missing: tuple[str, ...]) -> NoReturn:
    """Say which numbers have to be given."""
    ruled = {eq.dim for eq in model.all_equations()
             if eq.standing in FILLING and eq.standing is not Standing.INVERSE}
    unruled = [name for name in missing if name not in ruled]
    circle = [] if unruled else _circle(model, missing)
    own = set(model.equations)
    if circle and (own.issuperset(circle) or any(
            eq.standing is Standing.ASSUMED for eq in circle)):
        first = circle[0].dim
        raise BadValue(first, "; ".join(map(str, circle)).removeprefix(f"{first} = "), "the rules "
                       "go round in a circle: give one of them as a number",
                       _stated_in(model, circle))
    raise MissingDims(unruled or missing, model.name)


def _circle(model: Model, missing: Iterable[str]) -> list[Equation]:
    """Of the rules for dims without a number, those that wait for each other."""
    rules = {eq.dim: eq for eq in reversed(fillings(model)) if eq.standing is not Standing.INVERSE}
    left, count = [rules[name] for name in missing], 0
    while len(left) != count:
        count = len(left)
        open_, used = {eq.dim for eq in left}, {name for eq in left for name in eq.inputs}
        left = [eq for eq in left if eq.dim in used and not open_.isdisjoint(eq.inputs)]
    return left
