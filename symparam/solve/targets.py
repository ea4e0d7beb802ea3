"""Quantities that a configuration can be asked to have besides its total.

Any quantity of :mod:`symparam.quantities` that is a polynomial in the dims, once the tokens and
sequences that a model is run with are numbers. Nothing is known of single quantities here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import Any

from symparam import expression as ex
from symparam.count import symbolic_ledger
from symparam.errors import BadValue, NotDerivable, UnknownName
from symparam.expression import Rational
from symparam.model import Model
from symparam.quantities import everything, find, parameters
from symparam.quantities.quantity import Quantity, Subject
from symparam.quantities.setting import Setting
from symparam.resolve import MAX_DIM, numbers
from symparam.solve.goals import Goal, Piece, Relation
from symparam.solve.polynomial import Polynomial
from symparam.symbols import SymExpr, exact, symbol

#: Sums of quantities that have a name of their own here.
SUMS = {"memory": ("weights", "kv_cache")}

#: Tokens of a sequence where nobody says how many.
TOKENS = 4096

_RUN = {"s": "tokens", "b": "batch", "s_encoder": "encoder_tokens", "D": "training_tokens",
        "n_devices": "devices", "t": "tensor_parallel"}


#: What is said where a quantity needs them and nobody gave them.
_ALWAYS = {"s": "nobody said how many tokens a sequence has", "b": "one sequence"}


@dataclass(frozen=True)
class Wanted:
    """A quantity by its name, with what is asked of it.

    Attributes:
        name: one of :func:`names`.
        value: a target or a limit, a whole number.
        relation: which of the two.
    """

    name: str
    value: int
    relation: Relation = "="


def names() -> list[str]:
    """The quantities that can be asked for.

    >>> {"active", "kv_cache", "flops_per_token", "memory"} <= set(names())
    True
    """
    return list(dict.fromkeys(["active", *SUMS, *everything()]))


def check(wanted: Iterable[Wanted]) -> tuple[Wanted, ...]:
    """What is wanted, checked.

    Raises:
        UnknownName: a quantity that is not known. BadValue: a value that it cannot have, or one
            given twice.
    """
    found: list[Wanted] = []
    for each in wanted:
        if each.name not in names():
            raise UnknownName("quantity", each.name, names())
        if isinstance(each.value, bool) or not isinstance(each.value, int) or each.value < 1:
            raise BadValue(each.name, each.value, "must be a whole number, at least 1")
        if any(other.name == each.name for other in found):
            raise BadValue(each.name, each.value, "is asked for twice")
        found.append(each)
    return tuple(found)


def more_dims(model: Model, wanted: Collection[Wanted]) -> tuple[str, ...]:
    """Dims that a quantity needs besides those of the weights: windows, and what has one."""
    if all(each.name == "active" for each in wanted):
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
    if wanted.name == "active":
        count, scale = Polynomial.scaled(_active(model), "active")
        return Goal("active", count, wanted.value, wanted.relation, tolerance, scale=scale,
                    convention="parameters that a token touches")
    parts = parts_of(wanted.name)
    found = [(first, last, _expression(model, wanted.name, lattice, within))
             for first, last, within in _runs(model, lattice, setting)]
    scaled = [Polynomial.scaled(expr, wanted.name) for _, _, expr in found]
    scale = lcm(*(own for _, own in scaled))
    pieces = tuple(
        Piece(first, last, Polynomial({t: c * scale // own for t, c in count.terms.items()}), expr)
        for (first, last, expr), (count, own) in zip(found, scaled, strict=True))
    return Goal(wanted.name, pieces[-1].count, wanted.value, wanted.relation, tolerance,
                {"B": "bytes"}.get(parts[0].unit, parts[0].unit), scale,
                "; ".join(part.convention for part in parts), pieces if len(pieces) > 1 else ())


def parts_of(name: str) -> tuple[Quantity, ...]:
    """The quantities that one is the sum of: itself, unless it is a sum."""
    return tuple(find(part) for part in SUMS.get(name, (name,)))


def expression(model: Model, goal: Goal, dims: Mapping[str, int] | None, lattice: Collection[str],
               setting: Setting) -> SymExpr:
    """A quantity in the dims as a formula; over the lengths that a point is in, if one is given."""
    if goal.name == "active":
        return _active(model)
    if goal.pieces:
        here = goal.pieces[-1] if dims is None else goal.piece(dims)
        return None if here is None else here.expr
    return _expression(model, goal.name, lattice, setting)


def _expression(model: Model, name: str, lattice: Collection[str], setting: Setting) -> SymExpr:
    subject = _subject(model, lattice, setting)
    try:
        return sum((exact(part.value(subject)) for part in parts_of(name)), exact(0))
    except TypeError:
        raise NotDerivable(f"{name} compares dims of {model.name} that are open: give them "
                           "as numbers") from None


def _subject(model: Model, lattice: Collection[str], setting: Setting) -> Subject:
    """A model with symbols for the dims of the lattice, and for what it is run with there."""
    def number(name: str) -> Any:
        return _number(model, name, lattice, setting)

    subject = Subject.over(model, number, "exact", setting)
    if "D" not in lattice:
        return subject
    return replace(subject, setting=replace(subject.setting, training_tokens=symbol("D")))


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
    ledger = _subject(model, lattice, replace(setting, tokens=1)).ledger
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
    if name in _RUN:
        value = getattr(setting, _RUN[name])
        return value if value is not None else setting.tokens
    return model.values[name] if name in model.values else symbol(name)


def _active(model: Model) -> SymExpr:
    found = parameters.active(symbolic_ledger(model))
    if found is None:
        raise NotDerivable(f"{model.name} has no experts: its active parameters are its total")
    return exact(found["all"])


def amount(model: Model, goal: Goal, setting: Setting) -> Rational:
    """A quantity of a model whose dims all have numbers, added up from its lists."""
    if goal.name in {"P", "active"}:
        ledger = model.ledger(numbers(model).values)
        return int(ledger.total(extent="active") if goal.name == "active" else ledger.total())
    subject = Subject.of(model, setting)
    found: Any = sum(part.value(subject) for part in parts_of(goal.name))
    return ex.whole(found)


def setting_with(setting: Setting | None, run: Mapping[str, int]) -> Setting:
    """A setting with tokens and sequences: 4096 tokens where nobody says how many.

    >>> setting_with(None, {"s": 128}).tokens, setting_with(None, {}).tokens
    (128, 4096)
    """
    base = setting or Setting(tokens=TOKENS)
    given: dict[str, Any] = {part: run[name] for name, part in _RUN.items() if name in run}
    return replace(base, **given)


def is_run(name: str) -> bool:
    """Whether a key says what a model is run with."""
    return name in _RUN


def said_of(goal: Goal, setting: Setting, run: Collection[str]) -> Iterator[tuple[str, str]]:
    """What a quantity was counted with, where nobody said so: a text and its reason each.

    Args:
        goal: the quantity.
        setting: what it was counted with.
        run: what was given of that, or is searched.
    """
    if goal.name in {"P", "active"}:
        return
    parts = parts_of(goal.name)
    for part in parts:
        yield part.name if len(parts) == 1 else f"{goal.name}, {part.name}", part.convention
    needs = {need for part in parts for need in part.needs}
    for name, need in _RUN.items():
        value = getattr(setting, need)
        if need in needs and name not in run and value is not None and (
                name in _ALWAYS):
            yield f"{name} = {value}", _ALWAYS[name]
    for need, what in (("weights", "weights"), ("cache", "cached numbers")):
        if need in needs:
            stored = getattr(setting, need)
            yield f"{what} in {stored.name}", f"{stored.bits} bits each"
