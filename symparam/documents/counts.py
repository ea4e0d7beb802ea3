"""The counts of several models side by side, as a document and as JSON.

Up to three models are columns where that fits a line; more are rows, as a page has it, in as
many tables as their columns need.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from symparam import expression as ex
from symparam.dims import order_key
from symparam.documents.count_data import CountResult, count_json
from symparam.documents.foundation import resting
from symparam.documents.named_numbers import count_named
from symparam.documents.view import View
from symparam.notation.notation import PRESETS, Notation
from symparam.notation.numbers import grouped
from symparam.quantities import counts
from symparam.writers.document import (
    Block,
    Cell,
    Column,
    Document,
    Heading,
    Items,
    Math,
    Table,
    spans,
)
from symparam.writers.text import WIDTH, TextFormat

#: More models than this are rows.
COLUMNS = 3
#: The width of a title that wraps.
TITLE = 26
#: What a model does not have.
NONE = "–"

_TITLES = {"token": "embedding", "ffn": "feed-forward", "norm": "norms"}

#: Titles that are too long for a column, and what stands for them there.
_SHORT: dict[Cell, str] = {
    "with persistent buffers": "with buffers",
    **{start + words: start + short for start in ("", "active, ") for words, short in (
        (counts.label("without_input"), "no input"),
        (counts.label("without_embeddings"), "no embeddings"),
        (counts.label("without_positions"), "no positions"))}}

#: A quantity: its title, and what it is of each model; None for what a model does not have.
Line = tuple[Cell, tuple[int | None, ...]]


class CountsView(View):
    """The counts of several models side by side, in every format."""

    def __init__(self, results: Sequence[CountResult],
                 notation: Notation = PRESETS["paper"]) -> None:
        self.results, self.notation = results, notation

    def document(self) -> Document:
        """The counts in tables."""
        return counts_document(self.results, self.notation)

    def json(self) -> dict[str, Any]:
        """The counts as data."""
        return counts_json(self.results)


def counts_document(results: Sequence[CountResult],
                    notation: Notation = PRESETS["paper"]) -> Document:
    """Dims, parameters by kind of component, and other conventions, model beside model.

    Args:
        results: the models' counts.
        notation: how dims will be written, which says how much fits a line.
    """
    names = tuple(result.model.name for result in results)
    sections = [("Dims", _dims(results), False), ("Parameters", _components(results), True),
                ("Counted otherwise", _otherwise(results), False)]
    measure = TextFormat(notation)
    beside = len(names) <= COLUMNS and all(_width(_as_columns(names, lines, total), measure, TITLE)
                                           <= WIDTH for _, lines, total in sections)
    blocks: list[Block] = []
    for title, lines, total in sections:
        blocks.append(Heading(spans(title)))
        if beside:
            blocks.append(_as_columns(names, lines, total))
        else:
            first = [lines[-1], *lines[:-1]] if total else lines
            blocks += [*_split(names, first, measure), *_legend(lines)]
    shown = ", ".join(names) if len(names) <= COLUMNS else f"{len(names)} models"
    named = tuple(each for r in results
                  for each in count_named(r.model, r.ledger, r.resolution.values))
    return resting(Document(f"Parameters of {shown}", (*blocks, *_remarks(results)), named),
                   *(result.model for result in results))


def counts_json(results: Sequence[CountResult]) -> dict[str, Any]:
    """The counts as data: each model's as alone, and the parts that their components make up."""
    return {"models": [count_json(result, False) for result in results],
            "parts": [{"part": part, "numel": [parts.get(part) for parts in _parts(results)]}
                      for part in _order(results)]}


def _dims(results: Sequence[CountResult]) -> list[Line]:
    names = sorted({name for r in results for name in r.model.dims}, key=order_key)
    return [(Math(ex.Sym(name)), tuple(r.resolution.values.get(name) for r in results))
            for name in names]


def _parts(results: Sequence[CountResult]) -> list[dict[str, int]]:
    """The parameters of each kind of component, model by model."""
    found: list[dict[str, int]] = []
    for result in results:
        sums: dict[str, int] = {}
        for row in result.rows:
            sums[row.part] = sums.get(row.part, 0) + int(row.numel)
        found.append(sums)
    return found


def _order(results: Sequence[CountResult]) -> list[str]:
    """The kinds of component as a token meets them, each after what it follows in its model."""
    order: list[str] = []
    for result in results:
        place = 0
        for part in dict.fromkeys(row.part for row in result.rows):
            if part not in order:
                order.insert(place, part)
            place = order.index(part) + 1
    return order


def _components(results: Sequence[CountResult]) -> list[Line]:
    parts = _parts(results)
    lines: list[Line] = [(_TITLES.get(part, part.replace("-", " ")),
                          tuple(sums.get(part) for sums in parts)) for part in _order(results)]
    return [*lines, ("total", tuple(result.total for result in results))]


def _otherwise(results: Sequence[CountResult]) -> list[Line]:
    """Other conventions: two without embeddings always, the rest where they differ."""
    totals = tuple(result.total for result in results)
    found = [counts.values(result.ledger) for result in results]
    rows = {name: tuple(int(each[name]) if name in each else None for each in found)
            for name in counts.OTHERWISE}
    if rows["without_positions"] == rows["without_embeddings"]:  # no model has a table of them
        del rows["without_positions"]
    return [(counts.label(name), values) for name, values in rows.items()
            if any(value is not None for value in values)
            and (name in counts.LESS or values != totals)]


def _legend(lines: Sequence[Line]) -> Iterator[Items]:
    """What short titles of columns stand for."""
    found = [spans(f"{_SHORT[title]}: {title}") for title, _ in lines if title in _SHORT]
    if found:
        yield Items(tuple(found))


def _cell(value: int | None) -> str:
    return NONE if value is None else grouped(value)


def _as_columns(names: Sequence[str], lines: Sequence[Line], total: bool) -> Table:
    """A model a column, a quantity a row."""
    columns = (Column(""), *(Column(name, "right") for name in names))
    return Table(columns, tuple((title, *map(_cell, values)) for title, values in lines), total)


def _as_row(names: Sequence[str], lines: Sequence[Line]) -> Table:
    """A model a row, a quantity a column."""
    columns = (Column("model"), *(Column(_SHORT.get(title, title), "right") for title, _ in lines))
    rows = tuple((name, *(_cell(values[i]) for _, values in lines)) for i, name in enumerate(names))
    return Table(columns, rows)


def _split(names: Sequence[str], lines: Sequence[Line], measure: TextFormat) -> Iterator[Table]:
    """A model a row, in as many tables as it takes for each to fit a line."""
    group: list[Line] = []
    for line in lines:
        if group and _width(_as_row(names, [*group, line]), measure) > WIDTH:
            yield _as_row(names, group)
            group = []
        group.append(line)
    yield _as_row(names, group)


def _width(table: Table, measure: TextFormat, first: int = WIDTH) -> int:
    """How many columns of text a table takes; its first column, which can wrap, at most so many."""
    rows = [[measure.cell(column.title) for column in table.columns],
            *([measure.cell(cell) for cell in row] for row in table.rows)]
    widths = [max(map(len, column)) + 2 for column in zip(*rows, strict=True)]
    return min(widths[0], first) + sum(widths[1:])


def _remarks(results: Sequence[CountResult]) -> list[Block]:
    """What has to be known of single models: what is counted of them, and where they are from."""
    found = []
    for result in results:
        model = result.model
        words = [model.part] if model.part != "all" else []
        words += [f"left out: {each}" for each in model.left_out]
        words += [f"source: {model.source}"] if model.source else []
        if words:
            found.append(spans(f"{model.name}: {'; '.join(words)}"))
    return [Items(tuple(found))] if found else []
