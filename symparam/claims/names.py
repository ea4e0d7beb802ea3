"""What can be claimed of a model: its size, its dims, its parts, its matrices, its costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.dims import WINDOW
from symparam.dims import Names as Spelled
from symparam.errors import BadValue, MissingDims, UnknownName
from symparam.expression import Rational, whole
from symparam.ledger import Ledger
from symparam.model import Model
from symparam.quantities import everything, parameters
from symparam.quantities.counts import COUNTS, value
from symparam.quantities.setting import Setting
from symparam.resolve import numbers
from symparam.run import RUN


@dataclass(frozen=True)
class Names:
    """The numbers of one model by the names that claims give them.

    Attributes:
        model: the model, its dims all numbers.
        setting: what it is run with, besides what its dims say.
    """

    model: Model
    setting: Setting = field(default_factory=Setting)
    _kept: dict[str, Rational] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def dims(self) -> dict[str, int]:
        """Every dim that has a number."""
        return dict(numbers(self.model).values)

    @cached_property
    def ledger(self) -> Ledger:
        """The matrices."""
        return self.model.ledger(self.dims)

    @cached_property
    def total(self) -> int:
        """Every parameter, tied ones once."""
        return int(self.ledger.total())

    @cached_property
    def parts(self) -> dict[str, int]:
        """``P_attention`` and the like: one copy of a part in a block, or all of a part outside."""
        found: dict[str, set[int]] = {}
        rows = parameters.breakdown(self.ledger)
        several = {row.path.partition(".")[0] for row in rows} - {
            stack.name for stack in self.model.stacks if stack.repeat is None}
        for row in rows:
            stack, _, slot = row.path.partition(".")
            slot = slot.replace("-", "_")
            if stack not in several:
                name = f"P_{stack}"
                found[name] = {next(iter(found.get(name, {0}))) + row.numel}
                continue
            kind = _kind(stack)
            if kind:
                found[f"P_{kind}_{slot}"] = {row.per_copy}
            found.setdefault(f"P_{slot}", set()).add(row.per_copy)
        return {name: values.pop() for name, values in found.items() if len(values) == 1}

    @cached_property
    def matrices(self) -> dict[str, int]:
        """``W_Q`` and the like: one copy, where all matrices of that name are of one size."""
        found: dict[str, set[int]] = {}
        for matrix in self.ledger:
            found.setdefault(matrix.name, set()).add(int(matrix.numel()))
        return {name: sizes.pop() for name, sizes in found.items() if len(sizes) == 1}

    def copies(self, name: str) -> int:
        """How many there are of a part or a matrix, the number of one of which its name is.

        >>> from symparam.descriptions.load import load
        >>> names = Names(load("gpt2"))
        >>> names.copies("P_attention"), names.copies("W_E"), names.copies("d_model")
        (12, 1, 1)
        """
        if name in self.dims:
            return 1
        if name in self.matrices:
            return sum(int(m.copies()) for m in self.ledger if m.name == name)
        found = 0
        for row in parameters.breakdown(self.ledger) if name in self.parts else ():
            stack, _, slot = row.path.partition(".")
            slot = slot.replace("-", "_")
            if name in {f"P_{slot}", f"P_{_kind(stack)}_{slot}"}:
                found += int(row.copies)
        return found or 1

    def known(self) -> Iterator[str]:
        """Every name that there is."""
        yield from self.dims
        yield from (WINDOW.name, *RUN)
        for table in (self.parts, self.matrices, everything()):
            yield from table

    def spelled(self) -> Spelled:
        """The same, and what the model's dims are called besides."""
        return Spelled({**self.model.names, **{name: name for name in self.known()}})

    def number(self, name: str) -> Rational:
        """The number of a name.

        Raises:
            UnknownName: there is no such number of this model.
        """
        if name not in self._kept:
            self._kept[name] = self._found(name)
        return self._kept[name]

    def _found(self, name: str) -> Rational:
        if name in COUNTS:
            return int(value(self.ledger, name))
        for table in (self.dims, self.parts, self.matrices):
            if name in table:
                return table[name]
        if name in everything():
            return self._quantity(name)
        if name == WINDOW.name or name in RUN:
            raise MissingDims([name], self.model.name)
        raise UnknownName("number", name, set(self.known()))

    def _quantity(self, name: str) -> Rational:
        from symparam.quantities.cost import run_of

        return whole(everything()[name].of(self.model, run_of(self.model, self.setting)[0]))

    def value(self, expr: ex.Expr) -> Rational:
        """The number of an expression in names.

        Raises:
            BadValue: it divides by zero.
        """
        values: Mapping[str, Rational] = {n: self.number(n) for n in ex.symbols_in(expr)}
        try:
            return whole(ex.evaluate(expr, values))
        except ZeroDivisionError:
            raise BadValue("claim", expr, "divides by zero here") from None


def _kind(stack: str) -> str:
    """What tells a repeated stack from others: ``layers[dense]`` dense, ``encoder`` encoder."""
    name, _, kind = stack.rstrip("]").partition("[")
    return "_".join(word for word in (name.removeprefix("layers"), kind) if word)
