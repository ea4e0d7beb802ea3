"""What the derivatives say of shape: doublings, and layers against width at a fixed quantity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.errors import SymparamError
from symparam.sensitivity.amount import Amount
from symparam.sensitivity.held import Held
from symparam.sensitivity.points import Place
from symparam.sensitivity.proved import Derivative, Ratio, quotient
from symparam.symbols import SymExpr, symbol, to_sympy


@dataclass(frozen=True)
class Doubling:
    """What twice a dim multiplies a quantity by.

    Attributes:
        held: the dim, and what follows it.
        of: the quantity in symbols, the dims that follow replaced.
        factor: the factor here, from counts; None without numbers.
        layers: the factor of what stands in layers alone.
        refused: why there is no such model.
    """

    held: Held
    of: SymExpr
    factor: Fraction | None = None
    layers: Fraction | None = None
    refused: str = ""

    @cached_property
    def formula(self) -> Ratio | None:
        """The factor in symbols, proved; None where a dim follows by a rule that rounds."""
        if not all(follow.exact for follow in self.held.follows):
            return None
        x = symbol(self.held.wrt)
        return quotient(self.of.subs(x, 2 * x).expand(), self.of)


def doubling(amount: Amount, found: Derivative, held: Held, place: Place | None) -> Doubling:
    """Twice a dim, counted where there are numbers."""
    if place is None:
        return Doubling(held, found.of)
    try:
        dims = place.at(2 * place.values[held.wrt])
    except SymparamError as error:
        return Doubling(held, found.of, refused=str(error))
    inside = amount.in_layers(place.values)
    layers = Fraction(amount.in_layers(dims)) / inside if inside else None
    return Doubling(held, found.of, Fraction(amount.at(dims)) / amount.at(place.values), layers)


@dataclass(frozen=True)
class Slope:
    """How layers go with width while a quantity stays: dL/dd = −(∂P/∂d)/(∂P/∂L).

    Attributes:
        depth, width: the dims, each with what follows it.
        by_depth, by_width: the derivatives.
        slope: the slope here; None without numbers.
    """

    depth: Held
    width: Held
    by_depth: Derivative
    by_width: Derivative
    slope: Fraction | None

    @cached_property
    def formula(self) -> ex.Expr:
        """The slope in symbols, proved."""
        return -quotient(to_sympy(self.by_width.expr).expand(),
                         to_sympy(self.by_depth.expr).expand()).expr

    @property
    def bought(self) -> Fraction | None:
        """How much width one layer less buys."""
        return None if not self.slope else -1 / self.slope


def slopes(depths: Iterable[tuple[Held, Derivative]], widths: Iterable[tuple[Held, Derivative]],
           values: Mapping[str, int] | None) -> Iterator[Slope]:
    """The slopes of each depth against each width; none where either adds nothing."""
    widths = [(width, by_width) for width, by_width in widths if by_width.expr != ex.Num(0)]
    for depth, by_depth in depths:
        for width, by_width in widths if by_depth.expr != ex.Num(0) else ():
            slope = None
            if values is not None:
                slope = -Fraction(ex.evaluate(by_width.expr, values)) / ex.evaluate(
                    by_depth.expr, values)
            yield Slope(depth, width, by_depth, by_width, slope)
