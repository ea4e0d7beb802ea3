"""The sensitivity of a model's counts: every dim under every convention, and what follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from functools import cached_property

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.errors import BadValue
from symparam.model import Model
from symparam.resolve import Resolution
from symparam.sensitivity.compared import Doubling, Slope, doubling, slopes
from symparam.sensitivity.crossover import Crossover, crossover
from symparam.sensitivity.held import ALONE, KEPT, RULED, Held
from symparam.sensitivity.points import FiniteStep, steps
from symparam.sensitivity.proved import Derivative, Ratio, derivative, quotient
from symparam.sensitivity.subject import TOTAL, Subject
from symparam.symbols import symbol, to_sympy, written

#: The shares under which the embeddings are looked for.
SHARES = (Fraction(1, 20), Fraction(1, 10))

#: The dims that are looked at unless others are named; numbers of layers come before them.
USUAL = ("d_model", "d_ff", "d_expert", "d_shared", "V", "n_kv", "n_experts", "top_k")

#: Every dim of the model.
ALL = "all"


@dataclass(frozen=True)
class Row:
    """One dim under one convention.

    Attributes:
        held: the dim, and what follows it.
        derivative: proved.
        here: the derivative at the model's numbers; None without them.
        relative: the elasticity there: by how many per cent P grows for each per cent of the dim.
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
    """A count, and how it changes.

    Attributes:
        name: ``total``; or ``active``, what a token touches in a mixture.
        formula: the count in its general form.
        value: the count here; None without numbers.
        rows: dim by dim.
    """

    name: str
    formula: ex.Expr
    value: int | None
    rows: tuple[Row, ...]

    def row(self, wrt: str, held: str) -> Row | None:
        """The row of a dim under a convention, if it has one."""
        return next((r for r in self.rows if (r.wrt, r.held.name) == (wrt, held)), None)


@dataclass(frozen=True)
class Sensitivity:
    """How a model's counts change with its dims.

    Attributes:
        model, resolution: the model, and its numbers as far as it has them.
        measures: the total, and for a mixture the active count.
        doublings: what twice the layers, or twice the width, multiply the total by.
        slopes: how layers go with width while the total stays.
        crossovers: where the embeddings fall under a share.
        shared: numbers of layers that are stored once however often they are applied.
    """

    model: Model
    resolution: Resolution
    measures: tuple[Measured, ...]
    doublings: tuple[Doubling, ...]
    slopes: tuple[Slope, ...]
    crossovers: tuple[Crossover, ...]
    shared: Mapping[str, int | None] = field(default_factory=dict)

    @property
    def total(self) -> Measured:
        """The part of the total."""
        return self.measures[0]

    def __repr__(self) -> str:
        rows = sum(len(measured.rows) for measured in self.measures)
        return f"<sensitivity of {self.model.name}: {rows} derivatives>"


def analyse(model: Model, wrt: Iterable[str] = (), own_steps: Mapping[str, Sequence[int]] = {},
            shares: Iterable[Fraction] = SHARES, assume: Iterable[str] = ()) -> Sensitivity:
    """How the counts of a model change with its dims.

    Args:
        model: an architecture, with or without numbers.
        wrt: the dims to look at, :data:`ALL` for every one; the usual ones where none is named.
            Doublings, slopes and crossovers are of these.
        own_steps: dim to the whole steps to count, in place of the usual ones.
        shares: of the embeddings, each between 0 and 1.
        assume: relations for where ratios are kept, in place of the model's own for those dims;
            ``none`` drops the others.

    Raises:
        BadValue: a dim that the model does not have, a share or a step that cannot be.
        NotDerivable: an assumption that the numbers are far from.

    >>> from symparam.spec.load import load
    >>> row = analyse(load("llama-2-7b")).total.row("d_model", "ratios kept")
    >>> print(row.derivative.expr, row.here, sep="; ")
    193/8*L*d_model + 2*V + 2*L + 1; 3226177
    """
    subject = Subject(model, tuple(assume))
    asked = {subject.known(name): tuple(map(whole_step, deltas))
             for name, deltas in own_steps.items()}
    names = _names(subject, list(wrt), asked)
    measures = tuple(_measured(subject, name, names, asked) for name in subject.counts)
    depths = [(held, derivative(subject.counts[TOTAL], held)) for held in _depths(subject)]
    widths = [(held, derivative(subject.counts[TOTAL], held)) for held in _widths(subject)]
    return Sensitivity(
        model, subject.resolution, measures,
        tuple(doubling(found, held, subject.place(held)) for held, found in (*depths, *widths)
              if held.wrt in names),
        tuple(slope for slope in slopes(depths, widths, subject.numbers())
              if {slope.depth.wrt, slope.width.wrt} & set(names)),
        tuple(_crossovers(subject, list(map(_share, shares)), names)),
        {name: times for name, times in subject.shared() if name in names})


def whole_step(delta: int) -> int:
    """A step that can be counted.

    Raises:
        BadValue: it is none, or 0.
    """
    if isinstance(delta, bool) or not isinstance(delta, int) or delta == 0:
        raise BadValue("step", delta, "must be a whole number, not 0")
    return delta


def _share(share: Fraction) -> Fraction:
    if not 0 < share < 1:
        raise BadValue("share", share, "must lie between 0 and 1")
    return Fraction(share)


def _names(subject: Subject, wrt: list[str], asked: Mapping[str, tuple[int, ...]]) -> list[str]:
    """The dims to look at: those named, or the usual ones that the model has."""
    if ALL in wrt:
        return subject.reachable()
    named = [*dict.fromkeys([*map(subject.known, wrt), *asked])]
    reachable = subject.reachable()
    return named or [name for name in (*subject.depths, *USUAL) if name in reachable]


def _measured(subject: Subject, name: str, names: list[str],
              asked: Mapping[str, tuple[int, ...]]) -> Measured:
    """A count with its rows; a dim that it does not have is left to the other count."""
    count = subject.counts[name]
    rows = [_row(subject, name, held, asked.get(wrt, ())) for wrt in names
            for held in subject.held(wrt)]
    moving = {row.wrt for row in rows if row.derivative.expr != ex.Num(0)}
    rows = [row for row in rows if row.wrt in moving or (name == TOTAL and not _elsewhere(
        subject, row.wrt))]
    return Measured(name, written(count), subject.value(name), tuple(rows))


def _elsewhere(subject: Subject, wrt: str) -> bool:
    """Whether only another count than the total has a dim."""
    return any(symbol(wrt) in count.free_symbols for name, count in subject.counts.items()
               if name != TOTAL)


def _row(subject: Subject, name: str, held: Held, asked: tuple[int, ...]) -> Row:
    found = derivative(subject.counts[name], held)
    place, value = subject.place(held), subject.value(name)
    if place is None or value is None:
        return Row(held, found)
    here = ex.whole(Fraction(ex.evaluate(found.expr, place.values)))
    taken = steps(place, lambda dims: subject.measure(name, subject.model.ledger(dims)), asked)
    return Row(held, found, here, Fraction(place.values[held.wrt] * here) / value, tuple(taken))


def _depths(subject: Subject) -> Iterator[Held]:
    """Numbers of layers: kinds of layer go by their rule, all else stays."""
    for name in subject.free_depths():
        by_name = {held.name: held for held in subject.held(name)}
        if name not in subject.conventions.present and not {RULED, KEPT} & set(by_name):
            continue
        yield by_name.get(RULED) or by_name.get(ALONE) or by_name[KEPT]


def _widths(subject: Subject) -> list[Held]:
    return subject.held("d_model") if "d_model" in subject.reachable() else []


def _crossovers(subject: Subject, shares: list[Fraction],
                names: list[str]) -> Iterator[Crossover]:
    """Where embeddings fall under shares: as the width grows with ratios kept, and as layers do."""
    for held in (*_widths(subject)[-1:], *_depths(subject)):
        for share in shares if held.wrt in names else ():
            yield crossover(subject.counts[TOTAL], subject.embeddings, share, held,
                            subject.place(held))
