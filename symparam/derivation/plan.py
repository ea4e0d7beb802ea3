"""The plan of a derivation: take apart, list, join, sum, assume, collect, put numbers in, check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symparam import expression as ex
from symparam.constraints import Equation
from symparam.count import Count, symbolic_ledger
from symparam.derivation import arrange
from symparam.derivation.assumptions import Assumption, choose, usual_relation
from symparam.derivation.leading import Dropped, Leading, leading_term
from symparam.derivation.parts import Part, parts
from symparam.derivation.step import Line, Step
from symparam.dims import order_key
from symparam.errors import FalseStep, NotDerivable
from symparam.layout import Tensor
from symparam.ledger import Ledger
from symparam.model import Model
from symparam.resolve import Resolution, resolve
from symparam.symbols import from_sympy, symbol, to_sympy

#: A formula with more terms than this is of no use to a reader, and slow.
MOST_TERMS = 1000

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

    @property
    def formula(self) -> ex.Expr:
        """The right side of the last line."""
        return self.steps[-1].after.expr

    @property
    def value(self) -> int | None:
        """The exact count, where all dims have numbers."""
        return self.numbers.result if self.numbers else None

    def symbols(self) -> list[str]:
        """The dims that the derivation uses."""
        names = [n for step in self.steps for line in (step.before, step.after)
                 for n in line.symbols()]
        return sorted({n for n in names if not n.startswith("P_")}, key=order_key)


def derive(model: Model, assume: Sequence[str] = (), leading: str | None = None) -> Derivation:
    """Derive a model's parameter count.

    Args:
        model: an architecture, with or without numbers.
        assume: equations to use besides or instead of the defaults; ``none`` drops those.
        leading: keep only the highest power of this symbol.

    Raises:
        NotDerivable: an assumption the numbers are far from, or a leading term that is not
            defined because widths are still independent of each other.

    >>> from symparam.spec.decoder import plain_decoder
    >>> str(derive(plain_decoder(), leading="d_model").formula)
    '12*L*d_model**2'
    """
    resolution = resolve(model)
    ledger = symbolic_ledger(model)
    trees = model.ledger({name: ex.Sym(name) for name in model.dims})
    count = Count.of(ledger)
    found = parts(model, trees)
    if not found:
        raise NotDerivable(f"{model.name} has no parameters to derive")
    steps = _general(found, trees, count)
    present = {s.name for s in count.plain().free_symbols}
    chosen = choose(model, resolution.values, assume, present)
    constrained = _constrained(found, count, chosen, steps[-1].after)
    steps += constrained.steps
    group = {m.path: arrange.group_of(m) for m in ledger}
    steps += _collected(model, constrained.count, steps[-1].after, group)
    exact = _last_exact(steps)
    numbers = None if resolution.missing else _numbers(exact, resolution)
    tail = Leading((), ())
    if leading is not None:
        _refuse_untied(model, constrained.count, leading, resolution.values)
        line = arrange.by_power(constrained.count, leading, group.__getitem__)
        tail = leading_term(steps, line, leading, resolution, numbers.result if numbers else None)
        steps += tail.steps
    tensors = () if numbers is None else tuple(
        model.layout.tensors(model.ledger(resolution.values)))
    return Derivation(model, resolution, tuple(found), trees, tuple(steps), tuple(
        constrained.used), tail.dropped, numbers, tensors)


def _collected(model: Model, count: Count, line: Line, group: Mapping[str, str]) -> list[Step]:
    """The step that collects powers of the width, where every width follows from it."""
    if not _is_tied(model, count, "d_model"):
        return []
    collected = arrange.by_power(count, "d_model", group.__getitem__)
    if collected.expr == line.expr:
        return []
    return [Step("collect", "P", line, collected, RULES["collect"].format(symbol="d_model"))]


def _general(found: list[Part], trees: Ledger, count: Count) -> list[Step]:
    """Take apart, list and join each part, put back together."""
    apart = arrange.taken_apart(found, count)
    steps = [Step("take-apart", "P", apart, apart, RULES["take-apart"])]
    for part in found:
        before = arrange.listed(part, trees, count)
        steps.append(Step("join", part.symbol, before, arrange.joined(before), RULES["join"]))
    steps.append(Step("sum", "P", apart, arrange.by_stack(found, count), RULES["sum"]))
    return steps


@dataclass(frozen=True)
class _Constrained:
    steps: list[Step]
    count: Count
    used: list[Assumption]


def _constrained(found: list[Part], count: Count, chosen: Sequence[Assumption],
                 line: Line) -> _Constrained:
    """One step for each equation that the formula depends on."""
    steps: list[Step] = []
    used: list[Assumption] = []
    gone: dict[str, ex.Expr] = {}
    for assumption in chosen:
        eq = assumption.equation
        if symbol(eq.dim) not in count.plain().free_symbols:
            continue
        _refuse_swelling(count, eq)
        count = count.under({eq.dim: to_sympy(eq.expr)})
        gone[eq.dim] = eq.expr
        after = arrange.by_stack(found, count, gone)
        steps.append(Step("assume", "P", line, after, eq.reason, eq,
                          holds_here=assumption.holds_here))
        line = after
        used.append(assumption)
    return _Constrained(steps, count, used)


def _refuse_swelling(count: Count, eq: Equation) -> None:
    """Refuse an assumption after which multiplying out would not end soon."""
    tree = ex.substitute(from_sympy(count.plain()), {eq.dim: eq.expr})
    if ex.expanded_terms(tree) > MOST_TERMS:
        raise NotDerivable(f"with {eq} the formula has more than {MOST_TERMS} terms once it is "
                           "multiplied out: assume something simpler")


def _last_exact(steps: Sequence[Step]) -> Line:
    """The last line of the whole that holds for the model's numbers."""
    exact = steps[0].after
    for step in steps:
        if step.subject == "P":
            if step.holds_here == "nearly":
                break
            exact = step.after
    return exact


def _untied(model: Model, count: Count, name: str) -> list[str]:
    """Widths that are still independent of a symbol."""
    left = {s.name for s in count.plain().free_symbols}
    return [n for n in model.dims if n in left and n != name and n in model.widths]


def _is_tied(model: Model, count: Count, name: str) -> bool:
    return name in {s.name for s in count.plain().free_symbols} and not _untied(model, count, name)


def _refuse_untied(model: Model, count: Count, name: str, values: Mapping[str, int]) -> None:
    left = {s.name for s in count.plain().free_symbols}
    if name not in left:
        raise NotDerivable(f"--leading {name}: the formula does not depend on {name}; it has "
                           f"{', '.join(sorted(left))}")
    if name in model.widths and (untied := _untied(model, count, name)):
        hints = [f'--assume "{usual_relation(model, values, n, name)}"' for n in untied]
        raise NotDerivable(f"--leading {name}: {', '.join(untied)} "
                           f"{'is' if len(untied) == 1 else 'are'} still independent of {name}; "
                           f"add {' '.join(hints)}")


def _numbers(line: Line, resolution: Resolution) -> Numbers:
    values = {name: ex.Num(value) for name, value in resolution.values.items()}
    result = ex.evaluate(line.expr, resolution.values)
    if not isinstance(result, int):
        raise FalseStep("the count is a whole number", str(result))
    return Numbers(line.expr, ex.substitute(line.expr, values), result)
