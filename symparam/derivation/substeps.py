"""The steps inside a step, for the long form of a derivation; each is proved as any step is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import sympy as sp

from symparam.arranged import factored
from symparam.derivation import arrange
from symparam.derivation.assumptions import Assumption
from symparam.derivation.parts import Part
from symparam.derivation.state import State
from symparam.derivation.step import Line, Step, Term, line
from symparam.symbols import SymExpr, collected, from_sympy, over


def put_in(whole: str, found: list[Part], joined: Iterable[Line], apart: Line,
           after: Line) -> tuple[Step, ...]:
    """The sum in two steps: each part's terms in its place, then equal ones together.

    Args:
        whole: the symbol of the whole.
        found: the parts.
        joined: the line that each of them is.
        apart: the line of part symbols.
        after: the line that the sum ends in.
    """
    of_part = {part.symbol: found for part, found in zip(found, joined, strict=True)}
    terms = [term for group, old in zip(arrange.brackets(found), apart.terms, strict=True)
             for term in _in_place(group, old, of_part)]
    middle = line(terms)
    if middle.expr == after.expr:
        return ()
    return (Step("put-in", whole, apart, middle, "what each part is stands in its place"),
            Step("gather", whole, middle, after,
                 "equal terms are taken together, common factors stand in front"))


def _in_place(group: Sequence[Part], old: Term, of_part: dict[str, Line]) -> Iterator[Term]:
    """A bracket of part symbols with their terms in it; a part that stands once without one."""
    trees = [term.shown for part in group for term in of_part[part.symbol].terms]
    if group[0].repeated:
        yield Term(arrange.times(group[0].copies, trees), old.shares, old.label)
        return
    for part in group:
        for term in of_part[part.symbol].terms:
            yield Term(term.shown, term.shares, (part.title,))


def by_part(found: list[Part], before: State, after: State,
            assumption: Assumption) -> tuple[Step, ...]:
    """What an equation makes of each part that has its dim."""
    eq, steps = assumption.equation, []
    for part in found:
        old, new = one_copy(part, before), one_copy(part, after)
        if eq.dim in old.symbols():
            steps.append(Step("assume", part.symbol, old, new, eq.reason, eq,
                              holds_here=assumption.holds_here))
    return tuple(steps)


def one_copy(part: Part, state: State) -> Line:
    """One copy of a part under some equations, equal terms together, labelled by matrices."""
    factor = state.own_factor(part)
    shares = {path: over(state.count.shares[path], factor) for path in part.paths}
    return arrange.joined(line(Term(from_sympy(share), {path: share})
                               for path, share in shares.items()))


def by_group(whole: str, found: list[Part], after: Line) -> tuple[Step, ...]:
    """How each collected term comes together from what the parts add to it."""
    title = {path: part.title for part in found for path in part.all_paths}
    steps = []
    for number, term in enumerate(after.terms, 1):
        pieces = line(_pieces(term, title))
        if len(pieces.terms) > 1:
            alike = sum(1 for other in after.terms if other.label == term.label)
            subject = f"{whole}_{'_'.join(term.label)}" + (f"_{number}" if alike > 1 else "")
            steps.append(Step("add-up", subject, pieces, Line((term,)),
                              "what the parts add to one power is taken together"))
    return tuple(steps)


def _pieces(term: Term, title: Mapping[str, str]) -> Iterator[Term]:
    """A collected term as what each part adds to it."""
    of_part: dict[str, dict[str, SymExpr]] = {}
    for path, share in term.shares.items():
        of_part.setdefault(title[path], {})[path] = share
    for name, shares in of_part.items():
        yield Term(factored(collected(sp.Add(*shares.values()))), shares, (name,))
