"""How any quantity changes with the dims, and with what a model is run with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from symparam import expression as ex
from symparam.constraints import Sums
from symparam.count import count
from symparam.derivation.quantity import QuantityDerivation, derive_quantity
from symparam.dims import TOTAL, canonical, order_key
from symparam.errors import BadValue
from symparam.model import Model
from symparam.quantities.setting import Setting
from symparam.resolve import Resolution, resolve
from symparam.sensitivity.analysis import ALL, Row
from symparam.sensitivity.proved import derivative
from symparam.sensitivity.ratios import Conventions
from symparam.symbols import symbol


@dataclass(frozen=True)
class QuantitySensitivity:
    """The derivatives of a quantity.

    Attributes:
        derivation: of the quantity, all widths independent.
        rows: a symbol under a convention each, without whole steps.
    """

    derivation: QuantityDerivation
    rows: tuple[Row, ...]

    def row(self, wrt: str, held: str) -> Row | None:
        """The row of a symbol under a convention, if it has one."""
        return next((r for r in self.rows if (r.wrt, r.held.name) == (wrt, held)), None)


def analyse_quantity(model: Model, name: str, wrt: Iterable[str] = (),
                     assume: Iterable[str] = (),
                     setting: Setting | None = None) -> QuantitySensitivity:
    """How a quantity changes with each symbol of its formula: others fixed, by rule, in ratio.

    Args:
        model: an architecture, with or without numbers.
        name: of the quantity (:func:`symparam.quantities.everything`).
        wrt: the symbols to look at; all of the formula where none is named.
        assume: relations for where ratios are kept; ``none`` drops the usual ones.
        setting: formats, ratios and ways to count.

    Raises:
        UnknownName, NotDerivable: as :func:`~symparam.derivation.quantity.derive_quantity`.
        BadValue: a symbol that the formula does not have.

    >>> from symparam.spec.load import load
    >>> found = analyse_quantity(load("llama-2-7b"), "kv_per_token", ["n_kv"])
    >>> print(found.rows[0].derivative.expr, found.rows[0].here)
    4*L*d_head 16384
    """
    derivation = derive_quantity(model, name, ["none"], setting)
    return QuantitySensitivity(derivation, tuple(_rows(derivation, list(wrt), tuple(assume))))


def _rows(d: QuantityDerivation, wrt: list[str], assume: tuple[str, ...]) -> Iterator[Row]:
    whole = d.steps[-1].after.plain.xreplace({symbol(TOTAL.name): count(d.model).plain()})
    resolution = replace(resolve(d.model), values=dict(d.values), missing=d.missing)
    present = frozenset(s.name for s in whole.free_symbols)
    conventions = Conventions(d.model, resolution, present, assume)
    for name in _asked(d, wrt, _reachable(d.model, resolution, present)):
        for held in conventions.of(name):
            found = derivative(whole, held)
            if found.expr == ex.Num(0):
                continue
            if d.value is None:
                yield Row(held, found)
                continue
            here = ex.whole(Fraction(ex.evaluate(found.expr, d.values)))
            yield Row(held, found, here, Fraction(d.values[name] * here) / Fraction(d.value))


def _reachable(model: Model, resolution: Resolution, present: frozenset[str]) -> list[str]:
    """The symbols of a formula, and the dims that these follow: L, where kinds of layer add up."""
    sums = {check.whole for check in model.all_checks() if isinstance(check, Sums)
            and present.intersection(check.parts)}
    rules = {name for eq in resolution.rules.values() if eq.dim in present for name in eq.inputs}
    return sorted({*present, *sums, *rules}, key=order_key)


def _asked(d: QuantityDerivation, wrt: list[str], names: list[str]) -> list[str]:
    """The symbols that were named; all where none is."""
    asked = [canonical(name, names) for name in wrt if name != ALL]
    for name in asked:
        if name not in names:
            raise BadValue("wrt", name, f"{d.quantity.name} depends on {' '.join(names)}")
    return asked if asked and ALL not in wrt else names
