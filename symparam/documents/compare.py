"""Models side by side in whatever is asked of them: a table, JSON, and CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from symparam import expression as ex
from symparam import showable
from symparam.arithmetic import decimal
from symparam.claims.comparison import Compared, Comparison, Entry, best
from symparam.dims import is_known
from symparam.documents.common.foundation import resting, resting_data
from symparam.documents.common.side_by_side import (
    NONE,
    Line,
    models_remarks,
    side_by_side,
    together,
)
from symparam.documents.common.view import Tabular
from symparam.documents.cost_data import number
from symparam.expression import Rational
from symparam.notation.notation import PRESETS, Notation
from symparam.notation.numbers import byte_size, exact_number, flop_unit, grouped, short
from symparam.quantities import everything
from symparam.quantities.setting import setting_in_words
from symparam.writers.document import (
    Beside,
    Block,
    Cell,
    Code,
    Document,
    Heading,
    Items,
    Math,
    Named,
    Strong,
    spans,
)
from symparam.writers.text import TextFormat

#: What a number that was given does to what is counted.
AS_GIVEN = {"D": "as given; training is for all of them, not for one token"}

#: What stands out in a line.
Bold: TypeAlias = Literal["", "lowest", "highest"]


class CompareView(Tabular):
    """A comparison in every format, and as CSV.

    Attributes:
        found: what is compared.
        brief: whether numbers are written in the field's units (``8.03 B``) and not in full.
        bold: whether the lowest or the highest number of each line stands out.
    """

    def __init__(self, found: Comparison, notation: Notation = PRESETS["paper"],
                 brief: bool = False, bold: Bold = "") -> None:
        self.found, self.notation, self.brief, self.bold = found, notation, brief, bold

    def document(self) -> Document:
        """The numbers in a table, what they are, and what they rest on."""
        found = self.found
        names = [model.name for model in found.models]
        lines = tuple(Line(_title(column), tuple(self._cells(place, column)))
                      for place, column in enumerate(found.columns))
        blocks: list[Block] = [*side_by_side(names, lines, self.notation),
                               *_section("What is counted", _conventions(found)),
                               *_section("What this rests on", _remarks(found)),
                               *models_remarks(found.models)]
        title = f"{together(names)}, compared"
        return resting(Document(title, tuple(blocks), tuple(_named(found))), *found.models)

    def json(self) -> dict[str, Any]:
        """The numbers as data: integers exact, a fraction as the text ``"7/2"``."""
        found = self.found
        return {
            "models": [{"model": model.name, "part": model.part,
                        "given": given,
                        "assumed": {name: value for name, (value, _) in taken.items()},
                        "remarks": list(beyond), "left_out": list(model.left_out),
                        "source": model.source or None}
                       for model, given, taken, beyond in zip(
                           found.models, found.given, found.assumed, found.beyond, strict=True)],
            "columns": [_column(column) for column in found.columns],
            "rows": [[None if entry.value is None else number(entry.value) for entry in row]
                     for row in found.rows],
            "why_not": [{"model": model, "column": column, "why": why}
                        for model, column, why in _missing(found)],
            "read_as": [{"model": model, "column": column, "as": read_as}
                        for model, column, read_as in _read_as(found)],
            **resting_data(*found.models)}

    def csv(self) -> str:
        """The numbers as comma-separated values, a model a row; what there is not is empty, and a
        fraction a decimal, exact or of 20 digits."""
        found = self.found
        return showable.csv_text([
            ["model", *(column.text for column in found.columns)],
            *([model.name, *(entry.value for entry in row)]
              for model, row in zip(found.models, found.rows, strict=True))])

    def _cells(self, place: int, column: Compared) -> Iterator[Cell]:
        """The numbers of a column as they are written."""
        entries = [row[place] for row in self.found.rows]
        write = _writer(column) if self.brief else exact_number
        stand_out = best(entries, self.bold == "highest")
        for entry, stands_out in zip(entries, stand_out, strict=True):
            text = NONE if entry.value is None else write(entry.value)
            yield spans(Strong(text)) if self.bold and stands_out else text


def _title(column: Compared) -> Cell:
    """What a line is called: dims by their letters, all else as it is typed."""
    if all(is_known(name) for name in ex.symbols_in(column.expr)) and column.quantity is None:
        return spans(Math(column.expr))
    return spans(Code(column.text))


def _writer(column: Compared) -> Callable[[Rational], str]:
    """How the numbers of a column are written in short; dims are in full all the same."""
    if isinstance(column.expr, ex.Sym) and column.quantity is None:
        return exact_number
    unit = column.quantity.unit if column.quantity else ""
    return {"B": byte_size, "FLOP": _flops}.get(unit, _round)


def _flops(value: Rational) -> str:
    unit, name = flop_unit(value)
    return f"{decimal(Fraction(value) / unit, 2)} {name}"


def _round(value: Rational) -> str:
    """A count in the field's units, a ratio with three places."""
    return decimal(value, 3) if isinstance(value, Fraction) else short(value)


def _section(title: str, items: Iterator[tuple[Any, ...]]) -> Iterator[Block]:
    found = tuple(items)
    if found:
        yield Heading(spans(title))
        yield Items(found)


def _conventions(found: Comparison) -> Iterator[tuple[Any, ...]]:
    """Each quantity that is asked for: its unit, its convention, its source."""
    names = dict.fromkeys(name for column in found.columns for name in (
        [column.quantity.name] if column.quantity else ex.symbols_in(column.expr))
        if name in everything())
    for name in names:
        quantity = everything()[name]
        title = f"{quantity.title}{', bytes' if quantity.unit == 'B' else ''}"
        more = "" if title.endswith(quantity.convention) else f": {quantity.convention}"
        yield spans(Code(name), f": {title}{more} ", Beside(quantity.source))
    yield from _of_one(found)


def _of_one(found: Comparison) -> Iterator[tuple[Any, ...]]:
    """Parts and matrices, which are counted once, with how many of them each model has."""
    names = {name: None for column in found.columns for name in ex.symbols_in(column.expr)}
    alike: dict[str, list[str]] = {}
    for name in names:
        copies = {model.name: own.copies(name) for model, own in zip(
            found.models, found.names, strict=True) if {name} & {*own.parts, *own.matrices}}
        if any(number > 1 for number in copies.values()):
            said = ", ".join(f"{number} in {model}" for model, number in copies.items())
            alike.setdefault(said, []).append(name)
    for said, those in alike.items():
        each = [span for name in those for span in (", ", Code(name))][1:]
        yield spans(*each, f": the parameters of one, not of all layers together; there are {said}")


def _remarks(found: Comparison) -> Iterator[tuple[Any, ...]]:
    """What was taken, what stands for what, and what is not there."""
    yield from (spans(text) for text in setting_in_words(found.setting, sorted(found.needs)))
    taken: dict[tuple[str, int, str], list[str]] = {}
    for model, given, assumed in zip(found.models, found.given, found.assumed, strict=True):
        for each, (value, why) in [*((name, (said, AS_GIVEN.get(name, "as given")))
                                     for name, said in given.items()), *assumed.items()]:
            taken.setdefault((each, value, why), []).append(model.name)
    if "D" in found.needs and not any("D" in given for given in found.given):
        yield spans("training is for one token; with D it is for as many")
    for (each, value, why), whose in taken.items():
        of = "" if len(whose) == len(found.models) else f" for {', '.join(whose)}"
        yield spans(Math(ex.Sym(each)), f" = {grouped(value)}{of}: {why}")
    for model, words in zip(found.models, found.beyond, strict=True):
        yield from (spans(f"{model.name}: {text}") for text in words)
    read: dict[str, list[str]] = {}
    for name, _, read_as in _read_as(found):
        read.setdefault(read_as, []).append(name)
    for read_as, whose in read.items():
        yield spans(Code(read_as), f" of {', '.join(dict.fromkeys(whose))}: a model without "
                    "experts uses every parameter for each token")
    for name, column, why in _missing(found):
        yield spans(f"{name}: ", Code(column), f" is not there: {why}")


def basis(found: Comparison) -> Iterator[str]:
    """What the numbers are and what they rest on, a sentence each."""
    text = TextFormat()
    yield from (text.spans(item) for item in (*_conventions(found), *_remarks(found)))


def _missing(found: Comparison) -> Iterator[tuple[str, str, str]]:
    """Model, column and reason of each number that there is not."""
    yield from ((model, column, entry.why_not) for model, column, entry in _entries(found)
                if entry.value is None)


def _read_as(found: Comparison) -> Iterator[tuple[str, str, str]]:
    """Model, column and what was taken where a number stands for another."""
    yield from ((model, column, entry.read_as) for model, column, entry in _entries(found)
                if entry.read_as)


def _entries(found: Comparison) -> Iterator[tuple[str, str, Entry]]:
    for model, row in zip(found.models, found.rows, strict=True):
        for column, entry in zip(found.columns, row, strict=True):
            yield model.name, column.text, entry


def _named(found: Comparison) -> Iterator[Named]:
    """The numbers that prose can cite."""
    for model, row in zip(found.models, found.rows, strict=True):
        for column, entry in zip(found.columns, row, strict=True):
            if entry.value is not None:
                quantity = column.quantity
                yield Named(model.name, column.text, entry.value,
                            quantity.convention if quantity else column.text,
                            counts=quantity is not None and quantity.unit == "parameters")


def _column(column: Compared) -> dict[str, Any]:
    quantity = column.quantity
    return {"name": column.text, "quantity": quantity.name if quantity else None,
            "unit": quantity.unit if quantity else None,
            "convention": quantity.convention if quantity else None,
            "source": quantity.source if quantity else None}
