"""How any quantity changes with the dims, and with what a model is run with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from symparam import expression as ex
from symparam.constraints import Sums
from symparam.count import count
from symparam.dataclass import dataclass
from symparam.derivation.plan import Derivation, derive
from symparam.dims import TOTAL, canonical, order_key
from symparam.errors import BadValue
from symparam.model import Model
from symparam.quantities.setting import Setting
from symparam.resolve import Resolution, resolve
from symparam.run import RUN
from symparam.sensitivity.analysis import ALL, Row, Sensitivity, analyse, whole_step
from symparam.sensitivity.held import Held
from symparam.sensitivity.points import Measure, Place, steps
from symparam.sensitivity.proved import derivative
from symparam.sensitivity.ratios import Conventions
from symparam.symbols import symbol


@dataclass(frozen=True)
class QuantitySensitivity:
    """The derivatives of a quantity.

    Attributes:
        derivation: of the quantity, all widths independent.
        rows: a symbol under a convention each; whole steps where they were asked for.
    """

    derivation: Derivation
    rows: tuple[Row, ...]

    def row(self, wrt: str, held: str) -> Row | None:
        """The row of a symbol under a convention, if it has one."""
        return next((r for r in self.rows if (r.wrt, r.held.name) == (wrt, held)), None)


def depends(d: Derivation, assume: Sequence[str] = ()) -> Sensitivity | QuantitySensitivity:
    """What a derivation's quantity depends on, with relations for where ratios are kept."""
    if d.of_parameters:
        return analyse(d.model, assume=assume)
    return analyse_quantity(d.model, d.quantity.name, assume=assume, setting=d.setting)


def analyse_quantity(model: Model, name: str, wrt: Iterable[str] = (),
                     assume: Iterable[str] = (), setting: Setting | None = None,
                     own_steps: Mapping[str, Sequence[int]] = {}) -> QuantitySensitivity:
    """How a quantity changes with each symbol of its formula: others fixed, by rule, in ratio.

    Args:
        model: an architecture, with or without numbers.
        name: of the quantity (:func:`symparam.quantities.everything`).
        wrt: the symbols to look at; all of the formula where none is named.
        assume: relations for where ratios are kept; ``none`` drops the usual ones.
        setting: formats, ratios and ways to count.
        own_steps: symbol to the whole steps to count; none are counted that nobody asks for.

    Raises:
        UnknownName, NotDerivable: as :func:`~symparam.derivation.plan.derive`.
        BadValue: a symbol that the formula does not have.

    >>> from symparam.spec.load import load
    >>> found = analyse_quantity(load("llama-2-7b"), "kv_per_token", ["n_kv"])
    >>> print(found.rows[0].derivative.expr, found.rows[0].here)
    4*L*d_head 16384
    """
    derivation = derive(model, ["none"], quantity=name, setting=setting)
    names = list(dict.fromkeys([*wrt, *own_steps]))
    return QuantitySensitivity(derivation, tuple(_rows(derivation, names, tuple(assume),
                                                       own_steps)))


def _rows(d: Derivation, wrt: list[str], assume: tuple[str, ...],
          own_steps: Mapping[str, Sequence[int]]) -> Iterator[Row]:
    whole = d.steps[-1].after.plain.xreplace({symbol(TOTAL.name): count(d.model).plain()})
    resolution = replace(resolve(d.model), values=dict(d.values), missing=d.missing)
    present = frozenset(s.name for s in whole.free_symbols)
    conventions = Conventions(d.model, resolution, present, assume)
    asked = {canonical(name, present): tuple(map(whole_step, deltas))
             for name, deltas in own_steps.items()}
    for name in _asked(d, wrt, _reachable(d.model, resolution, present)):
        for held in conventions.of(name):
            found = derivative(whole, held)
            if found.expr == ex.Num(0):
                continue
            if d.value is None:
                yield Row(held, found)
                continue
            here = ex.whole(Fraction(ex.evaluate(found.expr, d.values)))
            taken = asked.get(name, ())
            yield Row(held, found, here, Fraction(d.values[name] * here) / Fraction(d.value),
                      tuple(steps(_place(d, held), _measure(d), taken)) if taken else ())


def _place(d: Derivation, held: Held) -> Place:
    """The numbers of a derivation, to be moved under a convention."""
    return Place(d.model, {n: v for n, v in d.values.items() if n != TOTAL.name}, held)


def _measure(d: Derivation) -> Measure:
    """The quantity at other numbers, from the lists anew."""
    def at(dims: Mapping[str, int]) -> ex.Rational:
        model = replace(d.model, values={n: v for n, v in dims.items() if n not in RUN})
        run = d.setting.at(**{n: v for n, v in dims.items() if n in RUN})
        found: ex.Rational = d.quantity.of(model, run)
        return found

    return at


def _reachable(model: Model, resolution: Resolution, present: frozenset[str]) -> list[str]:
    """The symbols of a formula, and the dims that these follow: L, where kinds of layer add up."""
    sums = {check.whole for check in model.all_checks() if isinstance(check, Sums)
            and present.intersection(check.parts)}
    rules = {name for eq in resolution.rules.values() if eq.dim in present for name in eq.inputs}
    return sorted({*present, *sums, *rules}, key=order_key)


def _asked(d: Derivation, wrt: list[str], names: list[str]) -> list[str]:
    """The symbols that were named; all where none is."""
    asked = [canonical(name, names) for name in wrt if name != ALL]
    for name in asked:
        if name not in names:
            raise BadValue("wrt", name, f"{d.quantity.name} depends on {' '.join(names)}")
    return asked if asked and ALL not in wrt else names
