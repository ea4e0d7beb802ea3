"""The certificate of a difference: both models' entries, signed terms by component, the whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from symparam.certificate.of_derivation import names_in
from symparam.certificate.pieces import Data, Pen, certificate, number, used
from symparam.derivation.step import line
from symparam.diff.difference import Difference, Part
from symparam.diff.marked import writer
from symparam.diff.side import Entry
from symparam.diff.terms import numbers
from symparam.dims import unprimed


def diff_certificate(d: Difference) -> Data:
    """The certificate of a difference.

    >>> from symparam.descriptions.load import load
    >>> from symparam.diff.difference import compare
    >>> found = diff_certificate(compare(load("llama-2-7b"), load("gpt2")))
    >>> found["kind"], found["model"], found["body"]["numel"]
    ('diff', 'from llama-2-7b to gpt2', {'before': 6738415616, 'after': 124439808})
    """
    pen, (one, two) = Pen(writer(d)), d.names
    trees = d.before.trees(), d.after.trees(d.marked)
    q = d.quantity
    body: Data = {
        "about": {"quantity": "total" if d.of_parameters else q.name, "title": q.title,
                  "unit": q.unit, "symbol": q.symbol, "convention": q.convention,
                  "source": q.source, "before": one, "after": two,
                  "marked": {pen.writer.symbol(name): name for name in sorted(_marked(d))}},
        "places": [_place(part, pen, *trees) for part in d.parts],
        "line": pen.expr(d.expr), "terms": pen.terms(d.line),
        "numel": None if d.totals is None else {
            "before": number(d.totals[0]), "after": number(d.totals[1])}}
    at = {} if d.totals is None else {
        pen.writer.symbol(name): value for name, value in numbers(d.before, d.after).items()}
    models = {one: d.before.model, two: d.after.model}
    return certificate("diff", f"from {one} to {two}", models,
                       {**body, "dims": used(at, names_in(body))})


def _marked(d: Difference) -> Iterable[str]:
    """The names of the second model's dims where they are marked."""
    return {name for name in numbers(d.before, d.after) if unprimed(name) in d.marked
            and unprimed(name) != name} if d.totals is not None else ()


def _place(part: Part, pen: Pen, before: Mapping[str, Entry], after: Mapping[str, Entry]) -> Data:
    """A component: its entries in both models, and what they come to."""
    return {"about": {"place": part.place},
            "pairs": {pair.key: {"before": _entries(pair.before, before, pen),
                                 "after": _entries(pair.after, after, pen)}
                      for pair in part.pairs},
            "line": pen.expr(line(part.line.terms).expr), "terms": pen.terms(part.line),
            "change": None if part.change is None else number(part.change)}


def _entries(paths: Iterable[str], found: Mapping[str, Entry], pen: Pen) -> Data:
    """The entries at some paths: matrices, or what each adds."""
    return {path: pen.factors(found[path].shape) if len(found[path].shape) == 1
            and isinstance(found[path].copies, int) and found[path].copies == 1
            else pen.matrix(found[path].shape, found[path].copies) for path in paths}
