"""A model's quantities compiled: each a polynomial that any arrays can be put into.

The arrays may be NumPy's or of any kind that follows its protocol (Dask's, for grids past one
machine): only ``+``, ``*``, comparisons and ``//`` are used. Whether a result fits 64 bits is
looked at first; where it may not, Python's integers are used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from typing import Any

import numpy as np

from symparam.dataclass import dataclass
from symparam.errors import BadValue, MissingDims
from symparam.ledger import Number
from symparam.model import Model
from symparam.points.table import SAFE
from symparam.polynomial import Polynomial, Powers
from symparam.quantities import find
from symparam.quantities.quantity import Subject
from symparam.quantities.setting import Setting
from symparam.run import RUN, completed
from symparam.sweep.dims import Dims
from symparam.sweep.number import Book, Reading


@dataclass(frozen=True)
class Compiled:
    """A quantity of a model as a polynomial in the names of dims.

    Calling it with a number or an array for each of :attr:`dims` gives the exact value.

    Attributes:
        name: of the quantity.
        polynomial, scale, divisor: its value is the polynomial over the number and the product.
        atoms: names in it that are no dims, with what they are made of, inner ones first.

    >>> from symparam.descriptions.load import load
    >>> count = compiled(load("llama-2-7b"), "P", open_dims=["L", "d_ff"])
    >>> count.dims, count(L=np.array([16, 32]), d_ff=11008).tolist()
    (('L', 'd_ff'), [3500281856, 6738415616])
    """

    name: str
    polynomial: Polynomial
    scale: int = 1
    divisor: Powers = ()
    atoms: Mapping[str, tuple[str, Compiled, Compiled]] = field(default_factory=dict)

    @property
    def dims(self) -> tuple[str, ...]:
        """The dims that it is of, in order of their names."""
        return tuple(sorted(self._names() - set(self.atoms)))

    @property
    def whole(self) -> bool:
        """Whether it is a whole number wherever dims are."""
        return self.scale == 1 and not self.divisor

    def names(self) -> frozenset[str]:
        """Every name in the polynomial and under it, atoms among them."""
        return frozenset({name for term in (*self.polynomial.terms, self.divisor)
                          for name, _ in term})

    def _names(self) -> set[str]:
        found = set(self.names())
        for name in [name for name in found if name in self.atoms]:
            _, first, second = self.atoms[name]
            found |= first._names() | second._names()
        return found

    def most(self, largest: Mapping[str, int]) -> int:
        """A bound on the size of everything that is worked out on the way to the value.

        Args:
            largest: no dim is larger than this.
        """
        known = dict(largest)
        found = 0
        for name, (kind, first, second) in self.atoms.items():
            tops = first.most(known) * second.scale, second.most(known) * first.scale
            known[name] = 1 if kind == "less" else max(1, tops[0])
            found = max(found, *tops)
        above = self.polynomial.absolute().value(
            {name: max(1, known[name]) for name in self.names()})
        return max(found, int(above),
                   self.scale * int(Polynomial({self.divisor: 1}).value(known)))

    def __call__(self, most: Mapping[str, int] | None = None, **dims: Any) -> Any:
        """The value at numbers or arrays of dims, which are broadcast as NumPy does.

        Args:
            most: no dim is larger than this; by default the largest number of each array.
            **dims: a number or an array of whole numbers for each of :attr:`dims`.

        Raises:
            MissingDims: a dim has none. BadValue: a value is not whole somewhere, and the array
                is not NumPy's.
        """
        absent = [name for name in self.dims if name not in dims]
        if absent:
            raise MissingDims(absent, self.name)
        taken = {name: dims[name] for name in self.dims}
        bounds = {name: int((most or {}).get(name, 0)) or _largest(value)
                  for name, value in taken.items()}
        if self.most(bounds) > SAFE:
            taken = {name: wide(value) for name, value in taken.items()}
        return self.over(taken.__getitem__)

    def over(self, value: Callable[[str], Any]) -> Any:
        """The value where each dim has one; nothing is looked at before."""
        known: dict[str, Any] = {}

        def of(name: str) -> Any:
            if name not in self.atoms:
                return value(name)
            if name not in known:
                known[name] = atom_value(self.atoms[name], of)
            return known[name]

        return self.divided(self.polynomial.value({name: of(name) for name in self.names()}), of)

    def divided(self, above: Any, value: Callable[[str], Any]) -> Any:
        """The value from what the polynomial is."""
        if self.whole:
            return above
        under = self.scale * Polynomial({self.divisor: 1}).value(
            {name: value(name) for name, _ in self.divisor})
        return exact_quotient(self.name, above, under)


def atom_value(atom: tuple[str, Compiled, Compiled], value: Callable[[str], Any]) -> Any:
    """A comparison as 0 or 1, or a floor, where each name has a value."""
    kind, first, second = atom
    tops = [each.polynomial.value({name: value(name) for name in each.names()})
            for each in (first, second)]
    unders = [each.scale * Polynomial({each.divisor: 1}).value(
        {name: value(name) for name in each.names()}) for each in (first, second)]
    left, right = tops[0] * unders[1], tops[1] * unders[0]
    return (left < right) * 1 if kind == "less" else left // right


def exact_quotient(name: str, above: Any, under: Any) -> Any:
    """A quotient point by point: whole numbers, and fractions where it is none.

    >>> exact_quotient("x", np.array([4, 5]), 2).tolist()
    [2, Fraction(5, 2)]
    >>> exact_quotient("x", 4, 2), exact_quotient("x", 5, 2)
    (2, Fraction(5, 2))
    """
    if isinstance(above, int) and isinstance(under, int):
        return above // under if above % under == 0 else Fraction(above, under)
    rest = above % under
    if not (rest != 0).any():
        return above // under
    if not isinstance(rest, np.ndarray):
        raise BadValue(name, "a fraction", "is not whole at every point: use NumPy's arrays")
    found = (above // under).astype(object)
    tops, unders = (np.broadcast_to(part, found.shape) for part in (above, under))
    for place in zip(*np.nonzero(rest), strict=True):
        found[place] = Fraction(int(tops[place]), int(unders[place]))
    return found


def wide(value: Any) -> Any:
    """The same numbers as Python's integers, which know no overflow."""
    return value if isinstance(value, int) else value.astype(object)


def _largest(value: Any) -> int:
    return value if isinstance(value, int) else int(value.max())


def compiled(model: Model, name: str, *, open_dims: Sequence[str] | None = None,
             setting: Setting | None = None) -> Compiled:
    """A quantity of a model, some of whose dims are open.

    Args:
        model: the model; what it has numbers for and is not open is put in.
        name: of the quantity.
        open_dims: dims that are open, and so are those that follow from them by rule; all that
            have no number when None.
        setting: number formats and the like; tokens and sequences are dims (``s``, ``b``).

    Raises:
        UnknownName: no such quantity. MissingDims: a dim has neither a number nor is it open.
        BadValue, NotDerivable: the model does not have the quantity.
    """
    wanted = (*model.dims_at_work, *RUN) if find(name).at_work else model.dims
    free = [n for n in wanted if n not in (*model.values, *RUN)] if open_dims is None else open_dims
    dims = Dims.of(model, free, (*wanted, "L", "d_ff", "n_heads", "d_head"))
    return Reader(model, dims.fixed, dims.axes, setting or Setting()).read(name)


class Reader:
    """Reads quantities of one model over names.

    Args:
        model: the model.
        fixed: dims with numbers.
        free: dims that stay names.
        setting: number formats and the like.
    """

    def __init__(self, model: Model, fixed: Mapping[str, int], free: Iterable[str],
                 setting: Setting) -> None:
        if setting.groups is not None:
            raise BadValue("group", setting.groups.size, "scales of quantised weights are whole "
                           "groups of each matrix: they are for cost, not for a grid")
        self.model, self.book = model, Book()
        self.values: dict[str, Number] = {**fixed, **{
            name: self.book.named(name) for name in free}}
        run, self.taken = completed({**setting.run, **self.values}, model.encodes)
        self.setting = setting.at(**run)

    def read(self, name: str) -> Compiled:
        """A quantity by its name."""
        quantity = find(name)
        ledger = self.model.ledger(self.values, at_work=quantity.at_work)
        return self.finished(quantity.name, quantity.value(
            Subject(ledger, self.values, self.setting)))

    def left_over(self) -> list[Compiled]:
        """Numbers of layers without a window, which must not be below 0."""
        ledger = self.model.ledger(self.values, at_work=True)
        found = {repr(c): c for entry in (*ledger.states, *ledger.products)
                 if isinstance(c := entry.copies(), Reading) and c.split()[1].terms}
        return [self.finished("layers without a window", c) for c in found.values()]

    def finished(self, name: str, value: Number) -> Compiled:
        """What was read, as a polynomial with its atoms."""
        polynomial, scale, divisor = Polynomial.of(value).cleared()
        names = {n for term in (*polynomial.terms, divisor) for n, _ in term}
        atoms: dict[str, tuple[str, Compiled, Compiled]] = {}
        for atom_name, atom in self.book.atoms.items():
            if atom_name in names:
                first, second = (self.finished(atom_name, part)
                                 for part in (atom.first, atom.second))
                atoms |= {**first.atoms, **second.atoms, atom_name: (atom.kind, first, second)}
        return Compiled(name, polynomial, scale, divisor, atoms)


