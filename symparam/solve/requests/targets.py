"""Quantities that a configuration can be asked to have besides its total.

Any quantity of :mod:`symparam.quantities` that is a polynomial in the dims, once the tokens and
sequences that a model is run with are numbers. Nothing is known of single quantities here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import Any

from symparam import expression as ex
from symparam.count import symbolic_ledger
from symparam.dataclass import dataclass
from symparam.errors import BadValue, NotDerivable
from symparam.expression import Rational
from symparam.model import Model
from symparam.quantities import find
from symparam.quantities.quantity import Quantity, Subject
from symparam.quantities.setting import Setting, setting_in_words
from symparam.resolve import MAX_DIM
from symparam.run import RUN, Taken, completed
from symparam.solve.requests.goals import Goal, Piece, Relation, whole_multiple
from symparam.symbols import SymExpr, exact, symbol


@dataclass(frozen=True)
class Wanted:
    """A quantity by its name, with what is asked of it.

    Attributes:
        name: of the quantity.
        value: a target or a limit, a whole number.
        relation: which of the two.
    """

    name: str
    value: int
    relation: Relation = "="


def check(wanted: Iterable[Wanted]) -> tuple[Wanted, ...]:
    """What is wanted, checked.

    Raises:
        UnknownName: a quantity that is not known. BadValue: a value that it cannot have, or one
            given twice.
    """
    found: list[Wanted] = []
    for each in wanted:
        each = replace(each, name=find(each.name).name)
        if isinstance(each.value, bool) or not isinstance(each.value, int) or each.value < 1:
            raise BadValue(each.name, each.value, "must be a whole number, at least 1")
        if any(other.name == each.name for other in found):
            raise BadValue(each.name, each.value, "is asked for twice")
        found.append(each)
    return tuple(found)


def more_dims(model: Model, wanted: Collection[Wanted]) -> tuple[str, ...]:
    """Dims that a quantity needs besides those of the weights: windows, and what has one."""
    if not any(find(each.name).at_work for each in wanted):
        return ()
    return tuple(name for name in model.dims_at_work if name not in model.dims)


def goals(model: Model, wanted: Iterable[Wanted], tolerance: Fraction,
          lattice: Collection[str], setting: Setting) -> tuple[Goal, ...]:
    """The quantities that are wanted besides the total.

    Args:
        model: the architecture.
        wanted: the quantities.
        tolerance: the relative error within which a target is met.
        lattice: the dims that points of the lattice have; others keep the model's numbers.
        setting: tokens, sequences and number formats.

    Raises:
        NotDerivable: a quantity that the model does not have, or that is no polynomial.
    """
    return tuple(_goal(model, each, tolerance, lattice, setting) for each in wanted)


def _goal(model: Model, wanted: Wanted, tolerance: Fraction, lattice: Collection[str],
          setting: Setting) -> Goal:
    quantity = find(wanted.name)
    runs = _runs(model, lattice, setting) if quantity.at_work else [(1, MAX_DIM, setting)]
    found = [(first, last, _expression(model, wanted.name, lattice, within))
             for first, last, within in runs]
    counts = [whole_multiple(expr, wanted.name) for _, _, expr in found]
    scale = lcm(*(own for _, own in counts))
    pieces = tuple(Piece(first, last, count * (scale // own), expr)
                   for (first, last, expr), (count, own) in zip(found, counts, strict=True))
    return Goal(wanted.name, pieces[-1].count, wanted.value, wanted.relation, tolerance,
                {"B": "bytes"}.get(quantity.unit, quantity.unit), scale, quantity.convention,
                pieces if len(pieces) > 1 else ())


def parts_of(name: str) -> tuple[Quantity, ...]:
    """The quantities that one is the sum of: itself, unless it is a sum."""
    found = find(name)
    return found.parts or (found,)


def expression(model: Model, goal: Goal, dims: Mapping[str, int] | None, lattice: Collection[str],
               setting: Setting) -> SymExpr:
    """A quantity in the dims as a formula; over the lengths that a point is in, if one is given."""
    if goal.pieces:
        here = goal.pieces[-1] if dims is None else goal.piece(dims)
        return None if here is None else here.expr
    return _expression(model, goal.name, lattice, setting)


def _expression(model: Model, name: str, lattice: Collection[str], setting: Setting) -> SymExpr:
    quantity = find(name)
    subject = _subject(model, lattice, setting) if quantity.at_work else Subject(
        symbolic_ledger(model), {})
    try:
        return exact(quantity.value(subject))
    except TypeError:
        raise NotDerivable(f"{name} compares dims of {model.name} that are open: give them "
                           "as numbers") from None


def _subject(model: Model, lattice: Collection[str], setting: Setting) -> Subject:
    """A model with symbols for the dims of the lattice, and for what it is run with there."""
    def number(name: str) -> Any:
        return _number(model, name, lattice, setting)

    return Subject.over(model, number, "exact", setting)


@dataclass(frozen=True, kw_only=True)
class _Between(Setting):
    """A setting whose sequences, of an open length, lie between two lengths, so that it is known
    which windows they fill."""

    first: int = 1
    last: int = MAX_DIM

    def _bounded(self, entries: Any, window: Any) -> Any:
        length = symbol("s")
        if window is None or length not in getattr(entries, "free_symbols", ()):
            return super()._bounded(entries, window)
        if entries.subs(length, self.last) <= window:
            return entries
        return window if entries.subs(length, self.first) >= window else super()._bounded(
            entries, window)


def _runs(model: Model, lattice: Collection[str],
          setting: Setting) -> Iterator[tuple[int, int, Setting]]:
    """The lengths of sequences in runs in which no window fills; one run where s is a number."""
    if "s" not in lattice:
        yield 1, MAX_DIM, setting
        return
    ledger = _subject(model, lattice, setting).ledger
    full = {entry.window * entry.every for entry in (*ledger.states, *ledger.products)
            if entry.window is not None}
    cuts = sorted({cut for cut in full if isinstance(cut, int)} | {MAX_DIM})
    own = {field.name: getattr(setting, field.name) for field in fields(setting)}
    for before, last in pairwise([0, *cuts]):
        yield before + 1, last, _Between(**own, first=before + 1, last=last)


def _number(model: Model, name: str, lattice: Collection[str], setting: Setting) -> Any:
    """A dim of the lattice as its symbol; what the model is run with, and others, in numbers, so
    that they can be compared."""
    if name in lattice:
        return symbol(name)
    if name in RUN:
        return setting[name]
    return model.values[name] if name in model.values else symbol(name)


def amount(model: Model, goal: Goal, setting: Setting) -> Rational:
    """A quantity of a model whose dims all have numbers, added up from its lists."""
    return ex.whole(find(goal.name).of(model, setting))


def setting_for(model: Model, setting: Setting | None, run: Mapping[str, int],
                open_run: Iterable[str] = ()) -> tuple[Setting, dict[str, Taken]]:
    """A setting with what a model is run with, and what of it nobody gave.

    Args:
        model: the model.
        setting: formats and the like.
        run: numbers that were given.
        open_run: what is searched: a symbol, and so is what is taken to be as much.

    >>> from symparam.descriptions.catalogue import published
    >>> setting_for(published("gpt2"), None, {"b": 2})[0]["s"]
    1024
    """
    base = setting or Setting()
    known = {**model.values, **base.run, **run, **{name: symbol(name) for name in open_run}}
    numbers, taken = completed(known, model.encodes)
    return base.at(**numbers), taken


def setting_at(setting: Setting, point: Mapping[str, int]) -> Setting:
    """The setting at a point of a lattice: numbers for what is a symbol there."""
    return setting.at(**{name: point.get(str(value), value)
                         for name, value in setting.run.items()})


def is_run(name: str) -> bool:
    """Whether a key says what a model is run with."""
    return name in RUN


def said_of(goal: Goal, setting: Setting,
            taken: Mapping[str, Taken]) -> Iterator[tuple[str, str]]:
    """What a quantity was counted with, where nobody said so: a text and its reason each.

    Args:
        goal: the quantity.
        setting: what it was counted with.
        taken: what of that nobody gave.
    """
    if not find(goal.name).at_work:
        return
    parts = parts_of(goal.name)
    for part in parts:
        yield part.name if len(parts) == 1 else f"{goal.name}, {part.name}", part.convention
    needs = {need for part in parts for need in part.needs}
    for name, each in taken.items():
        if name in needs:
            yield f"{name} = {each.value}", each.why
    for need in sorted(needs):
        for words in setting_in_words(setting, (need,)):
            yield need.replace("_", " "), words
