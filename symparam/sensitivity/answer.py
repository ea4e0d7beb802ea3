"""What is found out about a sensitivity: plain data, which a program reads and a page shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from fractions import Fraction
from functools import cached_property

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.derivation.at_numbers import Bound
from symparam.model import Model
from symparam.quantities.quantity import Quantity
from symparam.quantities.setting import Setting
from symparam.resolve import Resolution
from symparam.sensitivity.compared import Doubling, Slope
from symparam.sensitivity.crossover import Crossover
from symparam.sensitivity.held import Held
from symparam.sensitivity.points import FiniteStep
from symparam.sensitivity.proved import Derivative, Ratio, quotient
from symparam.sensitivity.subject import Subject
from symparam.symbols import symbol, to_sympy


@dataclass(frozen=True)
class DimRow:
    """One dim under one convention.

    Attributes:
        held: the dim, and what follows it.
        derivative: proved.
        here: the derivative at the model's numbers; None without them.
        relative: the elasticity there: by how many per cent the quantity grows for each per
            cent of the dim.
        steps: what whole steps change, counted.
    """

    held: Held
    derivative: Derivative
    here: ex.Rational | None = None
    relative: Fraction | None = None
    steps: tuple[FiniteStep, ...] = ()

    @property
    def wrt(self) -> str:
        """The dim that changes."""
        return self.held.wrt

    @property
    def status(self) -> str:
        """What the derivative is proved of."""
        return "proved of the relaxed rule" if self.held.relaxed else "proved"

    @cached_property
    def elasticity(self) -> Ratio:
        """x/P·∂P/∂x as it is written, proved."""
        return quotient(symbol(self.wrt) * to_sympy(self.derivative.expr), self.derivative.of)


@dataclass(frozen=True)
class Measured:
    """A quantity, and how it changes.

    Attributes:
        quantity: which one.
        formula: the quantity in its general form.
        value: the quantity here; None without numbers.
        rows: dim by dim.
    """

    quantity: Quantity
    formula: ex.Expr
    value: ex.Rational | None
    rows: tuple[DimRow, ...]

    @property
    def name(self) -> str:
        """Its name."""
        return self.quantity.name

    def row(self, wrt: str, held: str) -> DimRow | None:
        """The row of a dim under a convention, if it has one."""
        return next((r for r in self.rows if (r.wrt, r.held.name) == (wrt, held)), None)


@dataclass(frozen=True)
class Sensitivity:
    """How a quantity of a model changes with its dims, and with what the model is run with.

    Attributes:
        subject: the quantity, the model, its numbers.
        measures: the quantity; beside the number of parameters the active ones, for a mixture.
        doublings: what twice the layers, the width, or what it is run with multiply it by.
        slopes: how layers go with width while it stays.
        crossovers: where what it has from the embeddings falls under a share.
        shared: numbers of layers that are stored once however often they are applied.
    """

    subject: Subject
    measures: tuple[Measured, ...]
    doublings: tuple[Doubling, ...]
    slopes: tuple[Slope, ...]
    crossovers: tuple[Crossover, ...]
    shared: Mapping[str, int | None] = field(default_factory=dict)

    @property
    def model(self) -> Model:
        """The model."""
        return self.subject.model

    @property
    def quantity(self) -> Quantity:
        """The quantity."""
        return self.subject.quantity

    @property
    def resolution(self) -> Resolution:
        """The model's numbers, as far as it has them."""
        return self.subject.resolution

    @property
    def total(self) -> Measured:
        """The part of the quantity itself."""
        return self.measures[0]

    @property
    def rows(self) -> tuple[DimRow, ...]:
        """Its derivatives."""
        return self.total.rows

    @property
    def value(self) -> ex.Rational | None:
        """Its value here; None without numbers."""
        return self.total.value

    # --- what is told of it beforehand, as of a derivation ------------------------------------

    @property
    def setting(self) -> Setting:
        """What the model is run with."""
        return self.subject.amount.wanted.run

    @property
    def values(self) -> Mapping[str, int]:
        """The numbers that it has."""
        return self.resolution.values

    @property
    def assumed(self) -> Mapping[str, str]:
        """What of the run nobody gave, with why it is so."""
        wanted = self.subject.amount.wanted
        return {name: why for name, why in wanted.assumed.items() if name in self.subject.present}

    @property
    def windows(self) -> tuple[Bound, ...]:
        """The windows on which the formula depends, and where a sequence stands to each."""
        return self.subject.amount.wanted.windows() if self.quantity.at_work else ()

    def row(self, wrt: str, held: str) -> DimRow | None:
        """The row of a dim under a convention, if it has one."""
        return self.total.row(wrt, held)

    def __repr__(self) -> str:
        rows = sum(len(measured.rows) for measured in self.measures)
        of = "" if self.subject.of_parameters else f"{self.quantity.name} of "
        return f"<sensitivity of {of}{self.model.name}: {rows} derivatives>"
