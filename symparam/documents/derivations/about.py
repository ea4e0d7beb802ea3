"""What is to be known of a quantity beforehand, and what is told of its value: words of its own."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from symparam import expression as ex
from symparam.arithmetic import decimal
from symparam.derivation.plan import Derivation
from symparam.ledger import Ledger
from symparam.notation.numbers import flop_unit, gibibytes, gigabytes, grouped, short
from symparam.quantities.setting import setting_in_words
from symparam.run import RUN, beyond
from symparam.sight import followed
from symparam.writers.document import Block, Items, Math, Paragraph, Source, Span, spans

if TYPE_CHECKING:
    from symparam.diff.side import Side
    from symparam.sensitivity.answer import Sensitivity

#: What is told of a quantity beforehand.
Told: TypeAlias = "Derivation | Sensitivity | Side"

_UNITS = {"B": "bytes", "FLOP": "FLOPs"}


def of_model(d: Derivation) -> list[Block]:
    """What is counted of a model, its ties, its source."""
    words = [f"{d.model.part}" if d.model.part != "all" else ""]
    words.append(tie_words(d.ledger))
    words += [f"Left out: {phrase}." for phrase in d.model.left_out]
    if d.model.source:
        words.append("Source: ")
    text = " ".join(w if w.endswith((".", " ")) else f"{w}." for w in words if w)
    source = (Source(d.model.source), "." * (not d.model.source.endswith("."))) if (
        d.model.source) else ()
    return [Paragraph(spans(text[0].upper() + text[1:], *source))] if text else []


def tie_words(ledger: Ledger) -> str:
    """What shares the weights of another, in a sentence; empty where nothing does."""
    tied = [m for m in ledger if m.tied_to is not None]
    heads = [m for m in tied if m.part == "head" and ledger[str(m.tied_to)].part == "token"]
    if not tied:
        return ""
    if len(heads) == len(tied):
        return "The head shares the weights of the token embedding and adds none (tied)."
    pairs = "; ".join(f"{m.tensor} those of {ledger[str(m.tied_to)].tensor}" for m in tied)
    return f"Shared and counted once (tied): {pairs}."


def of_quantity(d: Told) -> Items:
    """The convention, what was taken for it, and the source."""
    found = [*beforehand(d), *(spans(f"left out: {words}") for words in d.model.left_out)]
    return Items((*found, spans("source: ", Source(d.quantity.source))))


def beforehand(d: Told) -> Iterator[tuple[Span, ...]]:
    """What is counted, with which formats, where windows stand, and what nobody said."""
    q = d.quantity
    yield spans(f"in {_UNITS.get(q.unit, q.unit)}: {q.convention}")
    yield spans("a view of this model's own lists" if q.kind == "view" else (
        "a paper's formula, taken literally"))
    sees = "n_images" in q.needs
    beside = d.model.beside if q.at_work and not sees else ""
    for words in (*taken(d), *filter(None, [beside])):
        yield spans(words)
    for bound in d.windows:
        most = "most" if bound.side == "within" else "least"
        yield spans(f"a sequence stands {bound.side} the window: ", Math(bound.seen),
                    f" is at {most} ", Math(bound.window))
    for name, why in d.assumed.items():
        if name in d.values and d.value is not None:
            yield _told(name, d.values[name], why)
    for eq in followed(d.model, d.values) if sees else ():
        yield _told(eq.dim, d.values[eq.dim], eq.reason)


def _told(name: str, value: int, why: str) -> tuple[Span, ...]:
    return spans("taken: ", Math(ex.Sym(name), "=", ex.Num(value)), f" ({why})")


def taken(d: Told) -> Iterator[str]:
    """What the formula's numbers come from: formats, ways to count, ratios, in words; and what is
    more than the model has places for."""
    yield from setting_in_words(d.setting, d.quantity.needs)
    run = {name: n for name, n in d.values.items() if name not in RUN or name in d.quantity.needs}
    yield from map(": ".join, beyond(run).items())


def in_units(value: ex.Rational, unit: str) -> str:
    """A value with its unit, and in a larger one.

    >>> in_units(2147483648, "B"), in_units(15361638400, "FLOP")
    ('2,147,483,648 B, or 2.15 GB, 2.00 GiB', '15,361,638,400 FLOP, or 15.362 GFLOP')
    """
    exact = f"{grouped(value)} {unit}"
    if unit == "B" and value >= 10**7:
        return f"{exact}, or {gigabytes(value)}, {gibibytes(value)}"
    if unit == "FLOP" and value >= 10**9:
        size, name = flop_unit(value)
        return f"{exact}, or {decimal(Fraction(value, size), 3)} {name}"
    if not isinstance(value, int) or value < 10**6 or unit in _UNITS:
        return exact
    return f"{exact}, or {short(value)}"
