"""Lines of a model that is made of several: one for each of these, beside their sum."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from symparam import expression as ex
from symparam.derivation.plan import Derivation
from symparam.derivation.step import Line, Step
from symparam.parts import in_words
from symparam.writers.document import (
    Block,
    Braced,
    Display,
    Equality,
    Heading,
    plain_terms,
    spans,
)

T = TypeVar("T")


def by_part(line: Line, d: Derivation) -> dict[str, Line]:
    """The terms of a line by the part of the model that they are of; none where one is of several,
    or where all are of one.

    Args:
        line: of the whole.
        d: its derivation.
    """
    if len(d.model.parts) < 2:
        return {}
    found: dict[str, list[int]] = {}
    for place, term in enumerate(line.terms):
        names = {of_path(path, d) for path in term.shares}
        if len(names) != 1:
            return {}
        found.setdefault(names.pop(), []).append(place)
    return {part: Line(tuple(line.terms[i] for i in places)) for part, places in found.items()
            } if len(found) > 1 else {}


def of_path(path: str, d: Derivation) -> str:
    """The part of the model that an entry is of."""
    return next(s.part for s in d.model.stacks if path.startswith(f"{s.name}."))


def apart(d: Derivation, items: Iterable[T], part_of: Callable[[T], str],
          shown: Callable[[Sequence[T]], Block]) -> list[Block]:
    """Items under the name of the part of the model that they are of; as they are where all are
    of one.

    Args:
        d: the derivation.
        items: what is to be shown, in order.
        part_of: the part of each.
        shown: what shows those of a part.
    """
    found: dict[str, list[T]] = {part: [] for part in d.model.parts}
    listed = list(items)
    if len(d.model.parts) < 2 or len({part_of(each) for each in listed}) < 2:
        return [shown(listed)]
    for each in listed:
        found[part_of(each)].append(each)
    return [block for part, own in found.items() if own
            for block in (Heading(spans(f"The {in_words(part)}"), 3), shown(own))]


def step_display(d: Derivation, step: Step) -> Display | None:
    """A step's new line part by part: their sum at the beginning, then those that it changes; None
    where the line is not of several."""
    after = by_part(step.after, d)
    if not after or step.subject != d.symbol or step.relation != "=":
        return None
    before = by_part(step.before, d)
    changed = [part for part, line in after.items()
               if line.expr != _symbol(d, part) and (
                   step.rule in {"take-apart", "sum"} or part not in before
                   or before[part].expr != line.expr)]
    first = (_sum(d, after),) if step.rule == "take-apart" else ()
    return Display((*first, *(Equality(_symbol(d, part), (("=", _terms(after[part])),))
                              for part in changed)))


def numbers_display(d: Derivation) -> Display | None:
    """The numbers put into each part, and their sum; None where the last line is not of several."""
    parts = by_part(d.exact, d)
    if not parts or d.numbers is None:
        return None
    values = d.resolution.values
    each, results = [], []
    for part, line in parts.items():
        put_in = ex.substitute(line.expr, {n: ex.Num(v) for n, v in values.items()})
        results.append(ex.Num(ex.whole(ex.evaluate(line.expr, values))))
        each.append(Equality(_symbol(d, part), (
            ("=", plain_terms(line.expr)), ("=", plain_terms(put_in)),
            ("=", (Braced(results[-1]),)))))
    whole = _sum(d, parts)
    total = Equality(whole.left, (*whole.sides, ("=", tuple(map(Braced, results))),
                                  ("=", (Braced(ex.Num(d.numbers.result)),))))
    return Display((*each, total))


def _symbol(d: Derivation, part: str) -> ex.Expr:
    return ex.Sym(f"{d.symbol}_{part}")


def _sum(d: Derivation, parts: Iterable[str]) -> Equality:
    """The whole as the sum of its parts."""
    return Equality(ex.Sym(d.symbol), (("=", tuple(Braced(_symbol(d, p)) for p in parts)),))


def _terms(line: Line) -> tuple[Braced, ...]:
    return tuple(each for term in line.terms for each in plain_terms(term.shown))
