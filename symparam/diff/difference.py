"""The difference of two models: by component, by matrix, and step by step from one to the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.derivation.step import Line, Step
from symparam.diff.match import Pair, pairs
from symparam.diff.path import Path, path_between
from symparam.diff.side import Side, sides
from symparam.diff.terms import joined, listed, numbers, places, shares, value, whole
from symparam.errors import FalseStep
from symparam.ledger import Ledger
from symparam.model import Model
from symparam.quantities.counts import active
from symparam.symbols import SymExpr

JOIN = "the second model's matrices less the first one's; equal terms are taken together"
SUM = "the components together"


@dataclass(frozen=True)
class Part:
    """What changes in one component.

    Attributes:
        place: the component: ``layers.attention``.
        pairs: its matrices in both models.
        step: from the matrices' shapes to signed terms, proved matrix by matrix.
        before, after: its parameters in numbers, where both models have them.
        at: those numbers.

    Raises:
        FalseStep: the terms do not come out as what the matrices differ by.
    """

    place: str
    pairs: tuple[Pair, ...]
    step: Step
    before: int | None = None
    after: int | None = None
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
    def change(self) -> int | None:
        """By how many parameters it changes."""
        return None if self.before is None or self.after is None else self.after - self.before


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

    Raises:
        FalseStep: parts, or steps of the path, that do not sum to the whole.
    """

    before: Side
    after: Side
    marked: tuple[str, ...]
    parts: tuple[Part, ...]
    step: Step
    path: Path | None = None

    def __post_init__(self) -> None:
        if self.totals is None:
            return
        first, second = self.totals
        for what, found in (("the parts", sum(part.change or 0 for part in self.parts)),
                            ("the steps", self.path.change if self.path else second - first)):
            if found != second - first:
                raise FalseStep(f"{what} sum to the whole", str(second - first - found))

    @cached_property
    def totals(self) -> tuple[int, int] | None:
        """Both models' parameters, where both have all numbers."""
        if self.before.resolution.missing or self.after.resolution.missing:
            return None
        return tuple(int(side.model.ledger(side.values).total())  # type: ignore[return-value]
                     for side in (self.before, self.after))

    @property
    def names(self) -> tuple[str, str]:
        """What the two models are called."""
        one, two = self.before.model.name, self.after.model.name
        return one, f"{two}, changed" if one == two and not self.empty else two

    @property
    def change(self) -> int | None:
        """By how many parameters the second model has more."""
        return None if self.totals is None else self.totals[1] - self.totals[0]

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
        """All matrices of both models."""
        return tuple(pair for part in self.parts for pair in part.pairs)

    @property
    def empty(self) -> bool:
        """Whether every matrix of either model is one of the other, of the same shape."""
        return all(pair.change == "same" for pair in self.pairs)

    @cached_property
    def active(self) -> tuple[int, int] | None:
        """The parameters that a token touches, where one of the models is a mixture of experts."""
        if self.totals is None:
            return None
        found = [active(side.model.ledger(side.values)) for side in (self.before, self.after)]
        if not any(found):
            return None
        return tuple(total if counts is None else int(counts["all"])  # type: ignore[return-value]
                     for total, counts in zip(self.totals, found, strict=True))


def compare(before: Model, after: Model) -> Difference:
    """The change from one model to another.

    A dim that both have stands for the same number in both, unless both have one and these
    differ; then the second model's is marked (``d_model′``). A model that lacks numbers takes
    those that were given for the other.

    Args:
        before, after: two models, with or without numbers.

    >>> from symparam.spec.decoder import decoder
    >>> from symparam.spec.options import Options
    >>> str(compare(decoder(Options()), decoder(Options(attention="gqa"))).expr)
    '-2*L*d_model*d_head*(n_heads - n_kv)'
    """
    first, second = sides(before, after)
    marked = tuple(name for name in first.free if name in second.free and name in first.values
                   and name in second.values and first.values[name] != second.values[name])
    matched = pairs(first, second, marked)
    parts = tuple(_parts(first, second, marked, matched))
    step = Step("sum", "P", Line(tuple(t for part in parts for t in part.line.terms)),
                whole({part.place: part.line for part in parts}), SUM)
    complete = not first.resolution.missing and not second.resolution.missing
    path = path_between(first, second, marked, matched) if marked and complete else None
    return Difference(first, second, marked, parts, step, path)


def _shares(matched: Iterable[Pair], first: Side, second: Side,
            marked: Iterable[str]) -> dict[str, SymExpr]:
    return shares(matched, first.symbolic(), second.symbolic(marked))


def _parts(first: Side, second: Side, marked: tuple[str, ...],
           matched: tuple[Pair, ...]) -> Iterator[Part]:
    """The components with their terms, and with numbers where there are all."""
    found = _shares(matched, first, second, marked)
    trees = first.trees(), second.trees(marked)
    complete = not first.resolution.missing and not second.resolution.missing
    ledgers = [side.model.ledger(side.values) for side in (first, second)] if complete else []
    for place, inside in places(matched).items():
        step = Step("join", place, listed(inside, found, *trees), joined(inside, found), JOIN)
        if complete:
            counts = [_numel(ledger, paths) for ledger, paths in zip(ledgers, (
                [p for pair in inside for p in pair.before],
                [p for pair in inside for p in pair.after]), strict=True)]
            yield Part(place, inside, step, counts[0], counts[1], numbers(first, second))
        else:
            yield Part(place, inside, step)


def _numel(ledger: Ledger, paths: Iterable[str]) -> int:
    return int(sum(ledger[path].size() for path in paths))
