"""The plan of a derivation: take apart, list, join, sum, assume, collect, put numbers in, check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symparam import expression as ex
from symparam.count import Count, symbolic_ledger
from symparam.derivation import arrange, substeps
from symparam.derivation.assumptions import Assumption, choose, introduced
from symparam.derivation.constrain import Constrained, constrained
from symparam.derivation.conventions import Convention, conventions
from symparam.derivation.leading import (
    Dropped,
    Leading,
    is_tied,
    leading_term,
    refuse_untied,
)
from symparam.derivation.parts import Part, parts
from symparam.derivation.step import Line, Step
from symparam.dims import order_key
from symparam.errors import FalseStep, NotDerivable, UnknownName
from symparam.layout import Tensor
from symparam.ledger import Ledger
from symparam.model import Model
from symparam.resolve import Resolution, resolve

#: How much a derivation shows.
DETAILS = ("brief", "full")

#: What each rule does, as a reader is told.
RULES = {
    "take-apart": "the model is its parts, and a part's parameters are those of its matrices",
    "join": "each matrix holds rows times columns; equal terms are taken together",
    "sum": "the parts are put back, each layer counted",
    "collect": "terms are collected by powers of {symbol}",
}


@dataclass(frozen=True)
class Numbers:
    """Numbers put in: symbols, numbers, result."""

    symbolic: ex.Expr
    substituted: ex.Expr
    result: int


@dataclass(frozen=True)
class Derivation:
    """A derivation of a model's parameter count.

    Attributes:
        model: what is counted.
        resolution: its numbers, as far as it has them.
        parts: what the symbols of the first line stand for.
        ledger: its matrices, shapes as written.
        steps: the lines, each proved.
        assumptions: the equations used.
        dropped: what a leading term leaves out; sums to the last parameter where there are
            numbers.
        numbers: the numbers put in; None while a dim has no number.
        tensors: the tensors of a checkpoint, which the check line multiplies out one by one.
        detail: brief, or full with steps inside steps.
        conventions: what else is called the number of parameters.
        leading: the symbol of which only the highest power is kept, if one.
    """

    model: Model
    resolution: Resolution
    parts: tuple[Part, ...]
    ledger: Ledger
    steps: tuple[Step, ...]
    assumptions: tuple[Assumption, ...]
    dropped: tuple[Dropped, ...] = ()
    numbers: Numbers | None = None
    tensors: tuple[Tensor, ...] = ()
    detail: str = "brief"
    conventions: tuple[Convention, ...] = ()
    leading: str | None = None

    @property
    def formula(self) -> ex.Expr:
        """The right side of the last line."""
        return self.steps[-1].after.expr

    @property
    def exact(self) -> Line:
        """The last line of the whole that holds for the model's numbers."""
        return last_exact(self.steps)

    @property
    def value(self) -> int | None:
        """The exact count, where all dims have numbers."""
        return self.numbers.result if self.numbers else None

    def symbols(self) -> list[str]:
        """The dims that the derivation uses."""
        names = [n for step in self.steps for line in (step.before, step.after)
                 for n in line.symbols()]
        names += [n for c in self.conventions for n in ex.symbols_in(c.term.shown)]
        return sorted({n for n in names if n != "P" and not n.startswith("P_")}, key=order_key)


def derive(model: Model, assume: Sequence[str] = (), leading: str | None = None,
           detail: str = "brief") -> Derivation:
    """Derive a model's parameter count.

    Args:
        model: an architecture, with or without numbers.
        assume: equations to use besides or instead of the defaults; ``none`` drops those.
        leading: keep only the highest power of this symbol.
        detail: ``brief``, or ``full`` with the steps inside each step. Both end alike.

    Raises:
        UnknownName: another detail than these two.
        NotDerivable: an assumption the numbers are far from, or a leading term that is not
            defined because widths are still independent of each other.

    >>> from symparam.spec.decoder import plain_decoder
    >>> str(derive(plain_decoder(), leading="d_model").formula)
    '12*L*d_model**2'
    """
    if detail not in DETAILS:
        raise UnknownName("detail", detail, DETAILS)
    full = detail == "full"
    resolution = resolve(model)
    resolution.values.update(introduced(assume, model, resolution.values))
    ledger = symbolic_ledger(model)
    trees = model.ledger({name: ex.Sym(name) for name in model.dims})
    count = Count.of(ledger)
    found = parts(model, trees)
    if not found:
        raise NotDerivable(f"{model.name} has no parameters to derive")
    steps = _general(found, trees, count, full)
    present = {s.name for s in count.plain().free_symbols}
    chosen = choose(model, resolution.values, assume, present)
    under = constrained(found, count, chosen, steps[-1].after, full)
    steps += under.steps
    group = {m.path: arrange.group_of(m) for m in ledger}
    steps += _collected(model, found, under, steps[-1].after, group, full)
    exact = last_exact(steps)
    tensors = () if resolution.missing else tuple(
        model.layout.tensors(model.ledger(resolution.values)))
    numbers = None if resolution.missing else _numbers(exact, resolution, tensors)
    tail = Leading((), ())
    if leading is not None:
        refuse_untied(model, under.last.count, leading, resolution.values, under.used)
        line = arrange.by_power(under.last.count, leading, group.__getitem__)
        tail = leading_term(steps, line, leading, resolution, numbers.result if numbers else None)
        steps += tail.steps
    return Derivation(model, resolution, tuple(found), trees, tuple(steps), tuple(
        under.used), tail.dropped, numbers, tensors, detail,
        conventions(model, found, ledger, under.exact, resolution), leading)


def _collected(model: Model, found: list[Part], under: Constrained, line: Line,
               group: Mapping[str, str], full: bool) -> list[Step]:
    """The step that collects powers of the width, where every width follows from it."""
    if not is_tied(model, under.last.count, "d_model", under.used):
        return []
    collected = arrange.by_power(under.last.count, "d_model", group.__getitem__)
    if collected.expr == line.expr:
        return []
    return [Step("collect", "P", line, collected, RULES["collect"].format(symbol="d_model"),
                 substeps=substeps.by_group(found, collected) if full else ())]


def _general(found: list[Part], trees: Ledger, count: Count, full: bool) -> list[Step]:
    """Take apart, list and join each part, put back together."""
    apart = arrange.taken_apart(found, count)
    steps = [Step("take-apart", "P", apart, apart, RULES["take-apart"])]
    for part in found:
        before = arrange.listed(part, trees, count)
        steps.append(Step("join", part.symbol, before, arrange.joined(before), RULES["join"]))
    whole = arrange.by_stack(found, count)
    joined = [step.after for step in steps[1:]]
    inner = substeps.put_in(found, joined, apart, whole) if full else ()
    steps.append(Step("sum", "P", apart, whole, RULES["sum"], substeps=inner))
    return steps


def last_exact(steps: Sequence[Step], whole: str = "P") -> Line:
    """The last line of the whole that holds for the model's numbers."""
    exact = steps[0].before
    for step in steps:
        if step.subject == whole:
            if step.holds_here == "nearly" or step.relation != "=":
                break
            exact = step.after
    return exact


def _numbers(line: Line, resolution: Resolution, tensors: Sequence[Tensor]) -> Numbers:
    """The last exact line with the numbers in it, which is what the tensors hold."""
    values = {name: ex.Num(value) for name, value in resolution.values.items()}
    result = ex.evaluate(line.expr, resolution.values)
    if not isinstance(result, int):
        raise FalseStep("the count is a whole number", str(result))
    listed = sum(tensor.numel for tensor in tensors)
    if result != listed:
        raise FalseStep(f"the tensors sum to {result}", str(listed - result))
    return Numbers(line.expr, ex.substitute(line.expr, values), result)
