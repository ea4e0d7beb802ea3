"""The leading term, and the ledger of what it leaves out, which closes to the last parameter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

import sympy as sp

from symparam import expression as ex
from symparam.arithmetic import decimal
from symparam.arranged import STANDS_FOR, factored
from symparam.count import Count
from symparam.dataclass import dataclass
from symparam.derivation.assumptions import Assumption, usual_relation
from symparam.derivation.step import Line, Step, Term, matrix_names
from symparam.errors import FalseStep, NotDerivable
from symparam.model import Model
from symparam.symbols import collected, has, names_in, symbol, to_sympy


@dataclass(frozen=True)
class Dropped:
    """A term that a leading term leaves out.

    Attributes:
        term: the term.
        origin: what it comes from, in words.
        numel: its exact size at the model's numbers; None without numbers.
        share: its share of the whole there.
        constraint: the equation that numbers meet only nearly, where one leaves it.
    """

    term: ex.Expr
    origin: str
    numel: Fraction | int | None = None
    share: Fraction | None = None
    constraint: str = ""


@dataclass(frozen=True)
class Leading:
    """The step to the leading term, and what it drops."""

    steps: tuple[Step, ...]
    dropped: tuple[Dropped, ...]


def leading_term(whole: str, steps: Sequence[Step], line: Line, name: str,
                 values: Mapping[str, int], total: ex.Rational | None) -> Leading:
    """Keep the terms of the highest power of a symbol.

    Args:
        whole: the symbol of the whole.
        steps: the derivation so far; steps that hold only nearly leave a residue of their own.
        line: the last line, arranged by powers of the symbol.
        name: the symbol.
        values: the model's numbers.
        total: the exact value, where there are numbers; the ledger must close to it.

    Raises:
        FalseStep: the ledger does not close (it cannot happen; it is checked all the same).
    """
    highest = max(term.degree(name) for term in line.terms)
    kept = Line(tuple(t for t in line.terms if t.degree(name) == highest))
    rest = Line(tuple(t for t in line.terms if t.degree(name) < highest))
    return kept_of(whole, steps, as_one(kept), rest, f"power of {name}", values, total)


def kept_of(whole: str, steps: Sequence[Step], kept: Line, rest: Line, what: str,
            values: Mapping[str, int], total: ex.Rational | None) -> Leading:
    """The step that leaves the rest of a line out, and the ledger of it.

    Args:
        whole, steps, values, total: as of :func:`leading_term`.
        kept: what stays.
        rest: what is left out.
        what: of what the highest is kept, in words.

    Raises:
        FalseStep: the two do not make up the last line, or the ledger does not close.
    """
    rest = _with_cancelled(steps[-1].after, kept, rest)
    why = f"only the highest {what} is kept; what is left out is listed"
    step = Step("leading", whole, steps[-1].after, kept, why, remainder=rest)
    dropped = [*(_sized(t.shown, _origin(t), values, total) for t in rest.terms
                 if t.shown != ex.Num(0)),
               *residues(steps, values, total)]
    if total is not None:
        left = sum(Fraction(d.numel or 0) for d in dropped)
        closing = Fraction(ex.evaluate(kept.expr, values)) + left
        if closing != total:
            raise FalseStep("the ledger of dropped terms closes", str(closing - total))
    return Leading((step,), tuple(dropped))


def _with_cancelled(whole: Line, kept: Line, rest: Line) -> Line:
    """The rest with the shares that cancel: L_dense·x of one kind, −L_dense·x of another."""
    missing = {path: sp.expand(share - kept.shares.get(path, 0) - rest.shares.get(path, 0))
               for path, share in whole.shares.items()}
    missing = {path: share for path, share in missing.items() if share != 0}
    if not missing or sp.expand(sp.Add(*missing.values())) != 0:
        return rest
    return Line((*rest.terms, Term(ex.Num(0), missing)))


def as_one(line: Line) -> Line:
    """All terms as one: 12·L·d_model², whatever they come from."""
    label = tuple(dict.fromkeys(word for t in line.terms for word in t.label))
    return Line((Term(factored(collected(line.plain)), line.shares, label),))


def _origin(term: Term) -> str:
    """What a term comes from: the places of its matrices, and for biases that they are such."""
    stacks = list(dict.fromkeys(_place(path) for path in term.shares))
    if term.label in {("norms",), ("biases",)}:
        return f"{term.label[0]}: {', '.join(stacks)}" if term.label == ("biases",) else (
            "norm gains" + (" and shifts" if any(p.endswith(".shift") for p in term.shares)
                            else ""))
    names = {path.rpartition(".")[2].removeprefix("W_") for path in term.shares}  # W_router, say
    if len(names) == 1 and all(len(name) > 1 and name.isalpha() for name in names):
        return names.pop()
    return ", ".join(stacks)


def _place(path: str) -> str:
    stack, slot = f"{path}.".split(".")[:2]
    if stack == "embedding":
        return {"token": "token embedding"}.get(slot, slot)
    return slot if stack.startswith("layers") else stack.replace("_", " ")


def _sized(term: ex.Expr, origin: str, values: Mapping[str, int], total: ex.Rational | None,
           constraint: str = "") -> Dropped:
    if total is None:
        return Dropped(term, origin, constraint=constraint)
    numel = ex.evaluate(term, values)
    return Dropped(term, origin, numel, Fraction(numel) / total, constraint)


def residues(steps: Iterable[Step], values: Mapping[str, int],
             total: ex.Rational | None) -> Iterator[Dropped]:
    """What equations that hold only nearly leave: each matrix before less after."""
    for step in steps:
        if step.given is None or step.holds_here != "nearly":
            continue
        eq, x = step.given, symbol(step.given.dim)
        difference = sp.expand(step.before.plain - step.after.plain)
        slope = sp.diff(difference, x)
        gap = ex.Sym(eq.dim) - eq.expr
        if slope.has(x):
            term = factored(collected(difference))
        else:
            term = ex.flat_product(factored(collected(slope)), gap)
        touched = [p for p, share in step.before.shares.items() if share.has(x)]
        words = ", ".join(matrix_names(touched))
        here = values[eq.dim]
        meant = Fraction(ex.evaluate(eq.expr, values))
        origin = f"{words}: {here}, not {decimal(meant, 2)}"
        rest = sp.expand(to_sympy(term) - difference)
        if rest != 0:
            raise FalseStep(f"{origin}: what is left out is {term}", str(rest))
        yield _sized(term, origin, values, total, str(eq))


def untied(model: Model, count: Count, name: str, used: Iterable[Assumption]) -> list[str]:
    """Widths that are still independent of a symbol, or follow from it by rounding alone."""
    left = names_in(count.plain())
    own = [n for n in model.dims if n in left and n != name and n in model.widths]
    return rounded(count, name, used) + own


def rounded(count: Count, name: str, used: Iterable[Assumption]) -> list[str]:
    """Dims whose rule rounds what a symbol is in, at its end or inside; it has no power there."""
    rules = [a.equation for a in used if a.equation.rounds]
    own = [eq.dim for eq in rules if name in eq.inputs]
    plain = count.plain()
    inside = not collected(plain).names.isdisjoint(STANDS_FOR) and any(
        each.has(symbol(name)) for each in plain.atoms(sp.Function))
    return own or ([eq.dim for eq in rules] if inside else [])


def is_tied(model: Model, count: Count, name: str, used: Iterable[Assumption]) -> bool:
    """Whether the count depends on a width, and all other widths follow from it."""
    return has(count.plain(), name) and not untied(model, count, name, used)


def refuse_untied(model: Model, count: Count, name: str, values: Mapping[str, int],
                  used: Iterable[Assumption]) -> None:
    """Raise NotDerivable where the highest power of a symbol is not defined.

    The count does not depend on it, or other widths are still independent of it; the message
    names assumptions that mend that.
    """
    left = names_in(count.plain())
    if name not in left:
        raise NotDerivable(f"--leading {name}: the formula does not depend on {name}; it has "
                           f"{', '.join(sorted(left))}")
    free = untied(model, count, name, used)
    rounding = rounded(count, name, used)
    if name in model.widths and rounding:
        raise NotDerivable(f"--leading {name}: {', '.join(rounding)} is rounded, which has no "
                           "highest power; leave the rounding out of --assume")
    if name in model.widths and free:
        hints = [f'--assume "{usual_relation(model, values, n, name)}"' for n in free]
        raise NotDerivable(f"--leading {name}: {', '.join(free)} "
                           f"{'is' if len(free) == 1 else 'are'} still independent of {name}; "
                           f"add {' '.join(hints)}")
