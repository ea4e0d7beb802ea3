"""A difference of two models as a document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symparam import expression as ex
from symparam.derivation.step import Line, Term
from symparam.diff.difference import Difference, Part
from symparam.diff.exchange import exchanges
from symparam.diff.match import title
from symparam.diff.path import Move, Path
from symparam.dims import CHANGE, primed
from symparam.documents.common.foundation import resting
from symparam.documents.common.view import View
from symparam.documents.derivations.about import beforehand
from symparam.documents.differences.data import diff_json, diff_named
from symparam.documents.differences.tables import (
    dims,
    exchanged,
    large,
    matrices,
    numbers,
    signed,
    steps,
)
from symparam.errors import the
from symparam.model import Model
from symparam.notation.notation import Notation
from symparam.notation.numbers import grouped
from symparam.symbols import SymExpr
from symparam.writers.document import (
    Block,
    Braced,
    Display,
    Document,
    Equality,
    Heading,
    Items,
    Math,
    Paragraph,
    Source,
    Span,
    plain_terms,
    spans,
)

#: A sum of more characters than this is not written once more with its numbers.
SUBSTITUTED = 64
#: A term whose names are longer than it is by more than this is not labelled.
LABEL = 24


class DifferenceView(View):
    """A difference that can be written in every format; in a notebook it shows itself."""

    def __init__(self, difference: Difference, notation: Notation) -> None:
        self.difference, self.notation = difference, notation

    @property
    def change(self) -> ex.Rational | None:
        """By how much the second model has more; None without all numbers."""
        return self.difference.change

    @property
    def formula(self) -> SymExpr:
        """The same as a SymPy expression; dims of the second model that differ end in ``′``."""
        return self.difference.plain

    @property
    def parts(self) -> tuple[Part, ...]:
        """The components with their terms."""
        return self.difference.parts

    @property
    def moves(self) -> tuple[Move, ...]:
        """The way from one to the other step by step; empty where no dim differs."""
        path = self.difference.path
        return tuple(move for move in path.moves if move.dim or move.line.terms) if path else ()

    def document(self) -> Document:
        """The difference as a document."""
        return diff_document(self.difference)

    def json(self) -> dict[str, Any]:
        """The difference as data."""
        return diff_json(self.difference, self.notation)

    def certificate(self) -> dict[str, Any]:
        """The certificate of a difference."""
        from symparam.certificate.of_diff import diff_certificate

        return diff_certificate(self.difference)

    def __repr__(self) -> str:
        return f"<{' → '.join(self.difference.names)}: {self.difference.expr}>"


def diff_document(d: Difference) -> Document:
    """What is exchanged, the matrices, the terms by component, the way step by step, the sum."""
    sections = [(heading, blocks) for heading, blocks in _sections(d) if blocks]
    blocks: list[Block] = []
    for number, (heading, inside) in enumerate(sections, 1):
        blocks += [Heading(spans(f"{number}. {heading}")), *inside]
    if d.empty:
        blocks = [Paragraph(spans(_nothing(d))), *blocks]
    return resting(Document(_title(d), tuple(blocks), diff_named(d)), d.before.model,
                   d.after.model)


def _rounded(d: Difference) -> list[Block]:
    """What is said below a table whose numbers are rounded."""
    return [Paragraph(spans("Numbers of this size are rounded in tables, and exact in the JSON "
                            "form."))] if large(d) else []


def _title(d: Difference) -> str:
    one, two = d.names
    what = "" if d.of_parameters else f"{d.quantity.title}, "
    if d.totals is None:
        return (f"{one} → {two}: what changes in the number of parameters" if d.of_parameters
                else f"{one} → {two}: {what}what changes")
    (first, second), unit = map(grouped, d.totals), d.quantity.unit
    if d.empty:
        return f"{one} → {two}: {what}the same {first} {unit}"
    return f"{one} → {two}: {what}{signed(d.change or 0)} {unit} ({first} → {second})"


def _nothing(d: Difference) -> str:
    if not d.of_parameters:
        return f"Nothing differs: {d.quantity.title} of both is made of the same entries."
    words = "Nothing differs: every matrix of one is in the other, of the same shape."
    return words + (" What is exchanged has the same weights, or none."
                    if exchanges(d.before, d.after) else "")


def _sections(d: Difference) -> Iterator[tuple[str, list[Block]]]:
    yield "What is exchanged", [*exchanged(d), *dims(d)]
    yield "What is counted", _conventions(d)
    if d.empty:
        return
    yield "What it is the sum of" if d.quantity.at_work else "The matrices", [
        *_marks(d), matrices(d)]
    yield "Component by component (proved)", _components(d)
    yield "The sum (proved)", _sum(d)
    if d.path is not None:
        yield "Step by step (proved)", _path(d)
    elif d.no_path:
        yield "Step by step", [Paragraph(spans(
            "There is no way from one to the other, one dim after another: on it, "
            f"{d.no_path}."))]


def _conventions(d: Difference) -> list[Block]:
    """What the two counts do not have in common."""
    first, second = d.before.model, d.after.model
    one, two = d.names
    told = [] if d.of_parameters else _beforehand(d)
    items: list[str] = []
    if first.part != second.part:
        items.append(f"{one}: {_part(first)}; {two}: {_part(second)}")
    for name, model in ((one, first), (two, second)):
        items += [f"left out of {name}: {words}" for words in model.left_out]
    if d.active is not None:
        old, new = d.active
        items.append(f"active for a token: {grouped(old)} → {grouped(new)} "
                     f"({signed(new - old)}); all are counted here")
    elif d.of_parameters and d.unsent:
        items.append(f"active for a token: unset: {d.unsent}")
    source = () if d.of_parameters else (spans("source: ", Source(d.quantity.source)),)
    rows = (*told, *map(spans, items), *source)
    return [Items(rows)] if rows else []


def _beforehand(d: Difference) -> list[tuple[Span, ...]]:
    """What is counted, and how both are run; what is so of one alone with its name."""
    both = [list(beforehand(side)) for side in (d.before, d.after)]
    found = [words for words in both[1] if words in both[0]]
    for name, own, other in zip(d.names, both, both[::-1], strict=True):
        found += [(f"{name}: ", *words) for words in own if words not in other]
    return found


def _part(model: Model) -> str:
    return "the whole model" if model.part == "all" else model.part


def _marks(d: Difference) -> list[Block]:
    if not d.marked:
        return []
    one, two = d.names
    name = d.marked[0]
    return [Paragraph(spans(f"Dims that differ bear a mark where they are those of {two}: ",
                            Math(ex.Sym(name)), f" is that of {one}, ",
                            Math(ex.Sym(primed(name))), f" that of {two}."))]


def _symbol(whole: str, place: str) -> str:
    """The symbol of what a component adds.

    >>> _symbol("P", "layers.attention"), _symbol("P", "embedding.token")
    ('P_attention', 'P_embedding')
    >>> _symbol("M_cache", "encoder.norms")
    'M_cache_encoder_norms'
    """
    stack, _, slot = place.partition(".")
    if slot in {"norm", "linear", "lm"} and stack != "embedding":
        return f"{whole}_{stack}"
    slot = {"token": "embedding", "norm": "embedding_norm"}.get(slot, slot).replace("-", "_")
    return f"{whole}_{slot}" if stack in {"layers", "embedding", slot} else (
        f"{whole}_{stack}_{slot}")


def _change(symbol: str) -> ex.Expr:
    """What the second model has more: ``ΔP``."""
    return ex.Sym(CHANGE + symbol)


def _equality(left: ex.Expr, line: Line, labels: bool = True) -> Equality:
    terms = tuple(Braced(t.shown, t.label if labels and _fits(t) else ())
                  for t in line.terms if t.shown != ex.Num(0))
    return Equality(left, (("=", terms or (Braced(ex.Num(0)),)),))


def _fits(term: Term) -> bool:
    """Whether the names under a term are not much longer than it is."""
    return len(", ".join(term.label)) <= len(str(term.shown)) + LABEL


def _changed(part: Part) -> bool:
    return any(pair.change != "same" for pair in part.pairs)


def _components(d: Difference) -> list[Block]:
    rest = [title(part.place) for part in d.parts if not _changed(part)]
    blocks: list[Block] = [Display(tuple(_equality(
        _change(_symbol(d.quantity.symbol, part.place)), part.line)
                                         for part in d.parts if _changed(part)))]
    if rest:
        blocks.append(Paragraph(spans(f"Unchanged: {', '.join(rest)}.")))
    if d.totals is not None:
        blocks += [numbers(d), *_rounded(d)]
    return blocks


def _sum(d: Difference) -> list[Block]:
    own = d.quantity.symbol
    sides: list[tuple[str, tuple[Braced, ...]]] = [("=", plain_terms(d.expr))]
    if d.change is not None:
        if len(str(d.substituted)) <= SUBSTITUTED:
            sides.append(("=", plain_terms(d.substituted)))
        sides.append(("=", (Braced(ex.Num(d.change)),)))
    return [Display((Equality(ex.Sym(primed(own)) - ex.Sym(own), tuple(sides)),))]


def _path(d: Difference) -> list[Block]:
    moves = [move for move in the(Path, d.path).moves if move.dim or move.line.terms]
    one, two = d.names
    architecture = moves[0].dim is None
    words = (f"First the architecture, each dim at {one}'s number ({two}'s where {one} has none); "
             "then" if architecture else "The architecture is the same;")
    names: list[Span] = []
    for move in moves:
        names += [", " if names else "", Math(ex.Sym(move.dim))] if move.dim else []
    text = (f"{words} one dim after another: ", *names,
            ". In another order the steps are others, and their sum is the same.")
    return [Paragraph(tuple(part for part in text if part != "")), steps(d, moves),
            Display(tuple(_equality(_change(f"{d.quantity.symbol}_{number}"), move.line,
                                    labels=move.dim is None)
                          for number, move in enumerate(moves, 1)))]


