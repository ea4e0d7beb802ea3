"""The counts of several models side by side, as a document and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from symparam import expression as ex
from symparam.dims import order_key
from symparam.documents.common.foundation import resting
from symparam.documents.common.named_numbers import count_named
from symparam.documents.common.side_by_side import (
    NONE,
    Group,
    Line,
    models_remarks,
    side_by_side,
    together,
)
from symparam.documents.common.view import View
from symparam.documents.count_data import CountResult, count_json
from symparam.notation.notation import PRESETS, Notation
from symparam.notation.numbers import grouped
from symparam.quantities import counts
from symparam.writers.document import Cell, Document, Math

_TITLES = {"token": "embedding", "ffn": "feed-forward", "norm": "norms"}

#: Titles that are too long for a column, and what stands for them there.
_SHORT: dict[Cell, str] = {
    "with persistent buffers": "with buffers",
    **{start + words: start + short for start in ("", "active, ") for words, short in (
        (counts.label("without_input"), "no input"),
        (counts.label("without_embeddings"), "no embeddings"),
        (counts.label("without_positions"), "no positions"))}}


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
    groups = (Group("Dims", _dims(results)), Group("Parameters", _components(results), total=True),
              Group("Counted otherwise", _otherwise(results)))
    blocks = (*side_by_side(names, groups, notation),
              *models_remarks([result.model for result in results]))
    named = tuple(each for r in results
                  for each in count_named(r.model, r.ledger, r.resolution.values))
    return resting(Document(f"Parameters of {together(names)}", blocks, named),
                   *(result.model for result in results))


def counts_json(results: Sequence[CountResult]) -> dict[str, Any]:
    """The counts as data: each model's as alone, and the parts that their components make up."""
    return {"models": [count_json(result, False) for result in results],
            "parts": [{"part": part, "numel": [parts.get(part) for parts in _parts(results)]}
                      for part in _order(results)]}


def _line(title: Cell, values: Iterable[int | None]) -> Line:
    """What a number is of each model; None for what a model does not have."""
    short = _SHORT.get(title, "") if isinstance(title, str) else ""
    return Line(title, tuple(NONE if value is None else grouped(value) for value in values), short)


def _dims(results: Sequence[CountResult]) -> tuple[Line, ...]:
    names = sorted({name for r in results for name in r.model.dims}, key=order_key)
    return tuple(_line(Math(ex.Sym(name)), (r.resolution.values.get(name) for r in results))
                 for name in names)


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


def _components(results: Sequence[CountResult]) -> tuple[Line, ...]:
    parts = _parts(results)
    return (*(_line(_TITLES.get(part, part.replace("-", " ")), (sums.get(part) for sums in parts))
              for part in _order(results)), _line("total", (result.total for result in results)))


def _otherwise(results: Sequence[CountResult]) -> tuple[Line, ...]:
    """Other conventions: two without embeddings always, the rest where they differ."""
    totals = tuple(result.total for result in results)
    found = [counts.values(result.ledger) for result in results]
    rows = {name: tuple(int(each[name]) if name in each else None for each in found)
            for name in counts.OTHERWISE}
    if rows["without_positions"] == rows["without_embeddings"]:  # no model has a table of them
        del rows["without_positions"]
    return tuple(_line(counts.label(name), values) for name, values in rows.items()
                 if any(value is not None for value in values)
                 and (name in counts.LESS or values != totals))
