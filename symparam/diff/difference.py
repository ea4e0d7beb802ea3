"""The difference of two models in a quantity: by component, by entry, and step by step from one
to the other."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.derivation.step import Line, Step
from symparam.diff.match import Pair, pairs
from symparam.diff.path import Path, path_between
from symparam.diff.side import Side
from symparam.diff.sides import sides
from symparam.diff.terms import joined, listed, numbers, places, shares, value, whole
from symparam.dims import TOTAL
from symparam.errors import BadValue, FalseStep, NotDerivable
from symparam.ledger import Ledger
from symparam.model import Model
from symparam.quantities import find
from symparam.quantities.counts import active, beside, has_experts
from symparam.quantities.quantity import Quantity, Subject
from symparam.quantities.setting import Setting
from symparam.symbols import SymExpr

JOIN = "the second model's entries less the first one's; equal terms are taken together"
SUM = "the components together"


@dataclass(frozen=True)
class Part:
    """What changes in one component.

    Attributes:
        place: the component: ``layers.attention``.
        pairs: its matrices, states and products in both models.
        step: from these as they are listed to signed terms, proved one by one.
        before, after: what it adds in either model, where both have numbers.
        at: those numbers.

    Raises:
        FalseStep: the terms do not come out as what the lists differ by.
    """

    place: str
    pairs: tuple[Pair, ...]
    step: Step
    before: ex.Rational | None = None
    after: ex.Rational | None = None
    at: Mapping[str, int] | None = None

    def __post_init__(self) -> None:
        if self.at is not None and self.change is not None:
            found = value(self.line, self.at)
            if found != self.change:
                raise FalseStep(f"{self.place} changes by {found}", str(self.change - found))

    @property
    def line(self) -> Line:
        """The signed terms."""
        return self.step.after

    @property
    def change(self) -> ex.Rational | None:
        """By how much it changes."""
        return None if self.before is None or self.after is None else ex.whole(
            self.after - self.before)


@dataclass(frozen=True)
class Difference:
    """What changes from one model to another.

    Attributes:
        before, after: the two models, with the numbers used.
        marked: dims that both have with different numbers; the second one's are marked.
        parts: the components of both, in the order in which a token meets them.
        step: from the parts' terms to those of the whole, proved.
        path: from the first model to the second step by step; None without all numbers, or where
            no dim that both have differs.
        no_path: why there is none though there are numbers: on the way it is no polynomial, or more
            layers would have a window than there are.

    Raises:
        FalseStep: parts, or steps of the path, that do not sum to the whole.
    """

    before: Side
    after: Side
    marked: tuple[str, ...]
    parts: tuple[Part, ...]
    step: Step
    path: Path | None = None
    no_path: str = ""

    def __post_init__(self) -> None:
        if self.totals is None:
            return
        first, second = self.totals
        for what, found in (("the parts", sum(part.change or 0 for part in self.parts)),
                            ("the steps", self.path.change if self.path else second - first)):
            if found != second - first:
                raise FalseStep(f"{what} sum to the whole", str(second - first - found))

    @cached_property
    def totals(self) -> tuple[ex.Rational, ex.Rational] | None:
        """The quantity of both models, where both have all numbers."""
        first, second = self.before.value, self.after.value
        return None if first is None or second is None else (first, second)

    @property
    def quantity(self) -> Quantity:
        """What changes."""
        return self.after.quantity

    @property
    def of_parameters(self) -> bool:
        """Whether it is the number of parameters itself."""
        return self.quantity.name == TOTAL.name

    @property
    def names(self) -> tuple[str, str]:
        """What the two models are called."""
        one, two = self.before.model.name, self.after.model.name
        return one, f"{two}, changed" if one == two and not self.empty else two

    @property
    def change(self) -> ex.Rational | None:
        """By how much the second model has more."""
        return None if self.totals is None else ex.whole(self.totals[1] - self.totals[0])

    @property
    def line(self) -> Line:
        """The signed terms of the whole."""
        return self.step.after

    @property
    def expr(self) -> ex.Expr:
        """The whole as a reader sees it."""
        return ex.sum_of(*(t.shown for t in self.line.terms if t.shown != ex.Num(0)))

    @property
    def substituted(self) -> ex.Expr:
        """The same with both models' numbers put in."""
        here = numbers(self.before, self.after)
        return ex.substitute(self.expr, {name: ex.Num(value) for name, value in here.items()})

    @property
    def plain(self) -> SymExpr:
        """The whole as an expression of SymPy."""
        return self.line.plain

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """All entries of both models."""
        return tuple(pair for part in self.parts for pair in part.pairs)

    @property
    def empty(self) -> bool:
        """Whether every entry of either model is one of the other, of the same shape."""
        return all(pair.change == "same" for pair in self.pairs)

    @property
    def unsent(self) -> str:
        """Why nobody knows which parameters a token touches of one of them, where the other is a
        mixture of experts; empty where it is known."""
        if self.totals is None or not any(map(has_experts, self._ledgers)):
            return ""
        return next((ledger.unsent for ledger in self._ledgers if ledger.unsent), "")

    @cached_property
    def _ledgers(self) -> tuple[Ledger, ...]:
        """The matrices of both models at their numbers."""
        return tuple(side.model.ledger(side.values) for side in (self.before, self.after))

    @cached_property
    def active(self) -> tuple[int, int] | None:
        """The parameters that a token touches, where one of the models is a mixture of experts."""
        if self.totals is None or not self.of_parameters or self.unsent:
            return None
        found = [active(ledger) for ledger in self._ledgers]
        if not any(found):
            return None
        return tuple(total if counts is None else int(counts["all"])  # type: ignore[return-value]
                     for total, counts in zip(self.totals, found, strict=True))


def compare(before: Model, after: Model, quantity: str = TOTAL.name,
            setting: Setting | None = None, apart: Collection[str] = ()) -> Difference:
    """The change from one model to another.

    A dim that both have stands for the same number in both, unless both have one and these
    differ; then the second model's is marked (``d_model′``). A model that lacks numbers takes
    those that were given for the other.

    Args:
        before, after: two models, with or without numbers; both are run alike (``s``, ``b``,
            ``n_images``, the size of a picture) unless each has its own numbers for that.
        quantity: what changes, by its name (:func:`symparam.quantities.everything`).
        setting: formats, ratios and ways to count.
        apart: of what models are run with, what is changed itself: the first keeps what it is
            taken to be run with.

    Raises:
        UnknownName: no such quantity. BadValue: a model lacks what it counts.
        NotDerivable: at a model's numbers it is no polynomial.

    >>> from symparam.descriptions.decoder import decoder
    >>> from symparam.descriptions.options import Options
    >>> plain, grouped = decoder(Options()), decoder(Options(attention="gqa"))
    >>> str(compare(plain, grouped).expr)
    '-2*L*d_model*d_head*(n_heads - n_kv)'
    >>> str(compare(plain, grouped, "kv_per_token").expr)
    '-4*L*d_head*(n_heads - n_kv)'
    """
    own = beside(find(quantity), (Subject.over(each, ex.Sym, at_work=False).ledger
                                  for each in (before, after)))
    first, second = sides(before, after, own, setting or Setting(), apart)
    marked = tuple(name for name in first.free if name in second.free and name in first.values
                   and name in second.values and first.values[name] != second.values[name]
                   and (not own.at_work or name in first.present | second.present))
    matched = pairs(first, second, marked)
    parts = tuple(_parts(first, second, marked, matched))
    step = Step("sum", own.symbol, Line(tuple(t for part in parts for t in part.line.terms)),
                whole({part.place: part.line for part in parts}), SUM)
    path, why = None, ""
    if marked and first.complete and second.complete:
        try:
            path = path_between(first, second, marked, matched)
        except (NotDerivable, BadValue) as error:
            why = str(error)
    return Difference(first, second, marked, parts, step, path, why)


def _parts(first: Side, second: Side, marked: tuple[str, ...],
           matched: tuple[Pair, ...]) -> Iterator[Part]:
    """The components with their terms, and with numbers where there are all."""
    found = shares(matched, first.symbolic(), second.symbolic(marked))
    trees = first.trees(), second.trees(marked)
    complete = first.complete and second.complete
    entries = [side.numbers(side.values) for side in (first, second)] if complete else []
    for place, inside in places(matched).items():
        step = Step("join", place, listed(inside, found, *trees), joined(inside, found), JOIN)
        if complete:
            amounts = [ex.whole(sum(each[path].size for path in paths)) for each, paths in zip(
                entries, ([p for pair in inside for p in pair.before],
                          [p for pair in inside for p in pair.after]), strict=True)]
            yield Part(place, inside, step, amounts[0], amounts[1], numbers(first, second))
        else:
            yield Part(place, inside, step)
